#include "memory/facts_commit.h"

#include "memory/base/pack.h"
#include "memory/base/unicode.h"

const char *const commit_change_name[COMMIT_CHANGE_KIND_COUNT] = {
    [CHANGE_ADDED] = "added",
    [CHANGE_MODIFIED] = "modified",
    [CHANGE_DELETED] = "deleted",
    [CHANGE_RENAMED] = "renamed",
};

/* Layout of a commit: "EGC1" | id | parents | author, author_email | author_s u64, commit_s u64 |
 * subject, body, type, scope | flags u32 | trailers | references | reasons | reverts,
 * reverts_subject | changes, each list behind its count and in the order of its struct.
 * Of a history: "EGH2" | n texts, each a commit | frontier | has_tags u32 | tags | is_shallow u32 |
 * note. */
static const str COMMIT_MAGIC = {"EGC1", 4}, HISTORY_MAGIC = {"EGH2", 4};

enum { FLAG_BREAKING = 1, FLAG_MERGE = 2, FLAG_MESSAGE_CUT = 4, FLAG_CHANGES_CUT = 8, FLAGS = 16 };

static void write_texts(struct buf *out, const str *texts, size_t count)
{
    pack_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        pack_text(out, texts[i]);
}

static void write_hunks(struct buf *out, const struct commit_change *change)
{
    pack_u32(out, (uint32_t)change->hunk_count);
    for (size_t i = 0; i < change->hunk_count; i++) {
        const struct commit_hunk *h = &change->hunks[i];
        pack_u32(out, h->old_start);
        pack_u32(out, h->old_count);
        pack_u32(out, h->new_start);
        pack_u32(out, h->new_count);
        pack_text(out, h->inside);
    }
}

static void write_message(struct buf *out, const struct commit_record *c)
{
    pack_u32(out, (uint32_t)c->trailer_count);
    for (size_t i = 0; i < c->trailer_count; i++) {
        pack_text(out, c->trailers[i].key);
        pack_text(out, c->trailers[i].value);
    }
    pack_u32(out, (uint32_t)c->reference_count);
    for (size_t i = 0; i < c->reference_count; i++) {
        pack_u32(out, c->references[i].kind);
        pack_text(out, c->references[i].text);
    }
    pack_u32(out, (uint32_t)c->reason_count);
    for (size_t i = 0; i < c->reason_count; i++) {
        pack_u32(out, c->reasons[i].is_decision);
        pack_text(out, c->reasons[i].text);
    }
    pack_text(out, c->reverts);
    pack_text(out, c->reverts_subject);
}

static void write_changes(struct buf *out, const struct commit_record *c)
{
    pack_u32(out, (uint32_t)c->change_count);
    for (size_t i = 0; i < c->change_count; i++) {
        const struct commit_change *change = &c->changes[i];
        pack_text(out, change->path);
        pack_u32(out, change->kind);
        pack_text(out, change->old_path);
        pack_text(out, change->blob);
        pack_text(out, change->old_blob);
        write_hunks(out, change);
    }
}

void commit_record_write(struct buf *out, const struct commit_record *c)
{
    buf_add(out, COMMIT_MAGIC);
    pack_text(out, c->id);
    write_texts(out, c->parents, c->parent_count);
    pack_text(out, c->author);
    pack_text(out, c->author_email);
    pack_u64(out, (uint64_t)c->author_s);
    pack_u64(out, (uint64_t)c->commit_s);
    pack_text(out, c->subject);
    pack_text(out, c->body);
    pack_text(out, c->type);
    pack_text(out, c->scope);
    pack_u32(out, (c->is_breaking ? FLAG_BREAKING : 0u) | (c->is_merge ? FLAG_MERGE : 0u) |
                      (c->message_cut ? FLAG_MESSAGE_CUT : 0u) |
                      (c->changes_cut ? FLAG_CHANGES_CUT : 0u));
    write_message(out, c);
    write_changes(out, c);
}

void commit_stretch_add(struct buf *stretch, const struct commit_record *c)
{
    struct buf one = {0};
    commit_record_write(&one, c);
    pack_text(stretch, buf_str(&one));
    buf_free(&one);
}

/* What stands behind the commits. */
static void write_rest(struct buf *out, const struct commit_history *h)
{
    write_texts(out, h->frontier, h->frontier_count);
    pack_u32(out, h->has_tags);
    pack_u32(out, (uint32_t)h->tag_count);
    for (size_t i = 0; i < h->tag_count; i++) {
        pack_text(out, h->tags[i].name);
        pack_text(out, h->tags[i].id);
        pack_u64(out, (uint64_t)h->tags[i].commit_s);
    }
    pack_u32(out, h->is_shallow);
    pack_text(out, h->note);
}

void commit_stretch_write(struct buf *out, str stretch, uint32_t count)
{
    buf_add(out, HISTORY_MAGIC);
    pack_u32(out, count);
    buf_add(out, stretch);
    write_rest(out, &(struct commit_history){0});
}

void commit_history_write(struct buf *out, const struct commit_history *h)
{
    buf_add(out, HISTORY_MAGIC);
    pack_u32(out, (uint32_t)h->commit_count);
    for (size_t i = 0; i < h->commit_count; i++)
        commit_stretch_add(out, &h->commits[i]);
    write_rest(out, h);
}

/* ---- reading ---- */

enum { ID_BYTES = 40, MIN_SHORT_ID_BYTES = 7, MAX_WORD_BYTES = 64, MAX_NOTE_BYTES = 512 };

/* A text of at most most_bytes, valid UTF-8. */
static str read_text(struct unpack *u, size_t most_bytes)
{
    str text = unpack_text(u);
    u->bad |= text.len > most_bytes || !utf8_valid(text);
    return text;
}

/* Lower-case hexadecimal digits, `least` to ID_BYTES of them, or none. */
static bool is_id(str id, size_t least)
{
    for (size_t i = 0; i < id.len; i++)
        if (!memchr("0123456789abcdef", id.at[i], 16))
            return false;
    return id.len >= least && id.len <= ID_BYTES;
}

static str read_id(struct unpack *u, size_t least)
{
    str id = read_text(u, ID_BYTES);
    u->bad |= id.len && !is_id(id, least);
    return id;
}

/* Ids with a blank between two, or none. */
static str read_short_ids(struct unpack *u, size_t most)
{
    str ids = read_text(u, most * (ID_BYTES + 1)), rest = ids, id;
    for (size_t count = 0; str_next_word(&rest, &id); count++)
        u->bad |= count == most || !is_id(id, MIN_SHORT_ID_BYTES);
    return ids;
}

static str read_whole_id(struct unpack *u)
{
    str id = read_id(u, ID_BYTES);
    u->bad |= !id.len;
    return id;
}

static str *read_ids(struct arena *a, struct unpack *u, size_t most, size_t *count)
{
    *count = unpack_count(u, most, 4 + ID_BYTES);
    str *ids = ARENA_ARRAY(a, str, *count);
    for (size_t i = 0; i < *count && !u->bad; i++)
        ids[i] = read_whole_id(u);
    return ids;
}

static void read_trailers(struct arena *a, struct unpack *u, struct commit_record *out)
{
    out->trailer_count = out->trailer_capacity = unpack_count(u, MAX_COMMIT_TRAILERS, 8);
    out->trailers = ARENA_ARRAY(a, struct commit_trailer, out->trailer_count);
    for (size_t i = 0; i < out->trailer_count && !u->bad; i++) {
        out->trailers[i].key = read_text(u, MAX_WORD_BYTES);
        out->trailers[i].value = read_text(u, MAX_COMMIT_TRAILER_BYTES);
        u->bad |= !out->trailers[i].key.len;
    }
}

static void read_references(struct arena *a, struct unpack *u, struct commit_record *out)
{
    out->reference_count = out->reference_capacity = unpack_count(u, MAX_COMMIT_REFERENCES, 8);
    out->references = ARENA_ARRAY(a, struct commit_reference, out->reference_count);
    for (size_t i = 0; i < out->reference_count && !u->bad; i++) {
        struct commit_reference *r = &out->references[i];
        r->kind = (enum commit_reference_kind)unpack_below(u, COMMIT_REFERENCE_KIND_COUNT);
        r->text = r->kind == COMMIT_REF_COMMIT ? read_id(u, MIN_SHORT_ID_BYTES)
                                               : read_text(u, MAX_COMMIT_REFERENCE_BYTES);
        u->bad |= !r->text.len;
    }
}

static void read_reasons(struct arena *a, struct unpack *u, struct commit_record *out)
{
    out->reason_count = out->reason_capacity = unpack_count(u, MAX_COMMIT_REASONS, 8);
    out->reasons = ARENA_ARRAY(a, struct commit_reason, out->reason_count);
    for (size_t i = 0; i < out->reason_count && !u->bad; i++) {
        out->reasons[i].is_decision = unpack_below(u, 2);
        out->reasons[i].text = read_text(u, MAX_COMMIT_REASON_BYTES);
        u->bad |= !out->reasons[i].text.len;
    }
}

/* *left: how many more hunks the commit may have. */
static void read_hunks(struct arena *a, struct unpack *u, struct commit_change *out, size_t *left)
{
    out->hunk_count = out->hunk_capacity = unpack_count(u, *left, 20);
    out->hunks = ARENA_ARRAY(a, struct commit_hunk, out->hunk_count);
    *left -= out->hunk_count;
    for (size_t i = 0; i < out->hunk_count && !u->bad; i++) {
        struct commit_hunk *h = &out->hunks[i];
        h->old_start = unpack_u32(u);
        h->old_count = unpack_u32(u);
        h->new_start = unpack_u32(u);
        h->new_count = unpack_u32(u);
        h->inside = read_text(u, MAX_COMMIT_HUNK_BYTES);
    }
}

static void read_changes(struct arena *a, struct unpack *u, struct commit_record *out)
{
    size_t hunks_left = MAX_COMMIT_HUNKS;
    out->change_count = out->change_capacity = unpack_count(u, MAX_COMMIT_CHANGES, 24);
    out->changes = ARENA_ARRAY(a, struct commit_change, out->change_count);
    for (size_t i = 0; i < out->change_count && !u->bad; i++) {
        struct commit_change *change = &out->changes[i];
        change->path = read_text(u, MAX_COMMIT_PATH_BYTES);
        change->kind = (enum commit_change_kind)unpack_below(u, COMMIT_CHANGE_KIND_COUNT);
        change->old_path = read_text(u, MAX_COMMIT_PATH_BYTES);
        change->blob = read_id(u, ID_BYTES);
        change->old_blob = read_id(u, ID_BYTES);
        read_hunks(a, u, change, &hunks_left);
        u->bad |=
            !change->path.len || (change->kind == CHANGE_RENAMED) != (change->old_path.len > 0);
    }
}

/* Seconds since 1970 as whoever committed said; what no calendar has is its end. */
static int64_t read_time(struct unpack *u)
{
    int64_t s = (int64_t)unpack_u64(u);
    return s < -MAX_COMMIT_S ? -MAX_COMMIT_S : s > MAX_COMMIT_S ? MAX_COMMIT_S : s;
}

static void read_tags(struct arena *a, struct unpack *u, struct commit_history *out)
{
    enum { MIN_TAG_BYTES = 16 + ID_BYTES };
    out->has_tags = unpack_below(u, 2);
    out->tag_count = out->tag_capacity = unpack_count(u, MAX_HISTORY_TAGS, MIN_TAG_BYTES);
    out->tags = ARENA_ARRAY(a, struct commit_tag, out->tag_count);
    for (size_t i = 0; i < out->tag_count && !u->bad; i++) {
        out->tags[i].name = read_text(u, MAX_TAG_NAME_BYTES);
        out->tags[i].id = read_whole_id(u);
        out->tags[i].commit_s = read_time(u);
        u->bad |= !out->tags[i].name.len;
    }
}

static void read_flags(struct unpack *u, struct commit_record *out)
{
    uint32_t flags = unpack_below(u, FLAGS);
    out->is_breaking = flags & FLAG_BREAKING;
    out->is_merge = flags & FLAG_MERGE;
    out->message_cut = flags & FLAG_MESSAGE_CUT;
    out->changes_cut = flags & FLAG_CHANGES_CUT;
}

bool commit_record_read(struct arena *a, str bytes, struct commit_record *out, struct err *e)
{
    *out = (struct commit_record){0};
    struct unpack u = {bytes, !str_starts(bytes, COMMIT_MAGIC)};
    u.rest = str_cut(u.rest, COMMIT_MAGIC.len, u.rest.len);
    out->id = read_whole_id(&u);
    out->parents = read_ids(a, &u, MAX_COMMIT_PARENTS, &out->parent_count);
    out->author = read_text(&u, MAX_COMMIT_PERSON_BYTES);
    out->author_email = read_text(&u, MAX_COMMIT_PERSON_BYTES);
    out->author_s = read_time(&u);
    out->commit_s = read_time(&u);
    out->subject = read_text(&u, MAX_COMMIT_SUBJECT_BYTES);
    out->body = read_text(&u, MAX_COMMIT_BODY_BYTES);
    out->type = read_text(&u, MAX_WORD_BYTES);
    out->scope = read_text(&u, MAX_WORD_BYTES);
    read_flags(&u, out);
    read_trailers(a, &u, out);
    read_references(a, &u, out);
    read_reasons(a, &u, out);
    out->reverts = read_short_ids(&u, MAX_COMMIT_REVERTS);
    out->reverts_subject = read_text(&u, MAX_COMMIT_SUBJECT_BYTES);
    read_changes(a, &u, out);
    return unpack_done(&u) || fail(e, ERR_INPUT, "a commit's record is damaged");
}

bool commit_history_read(struct arena *a, str bytes, struct commit_history *out, struct err *e)
{
    enum { MIN_COMMIT_BYTES = 100 };
    *out = (struct commit_history){0};
    struct unpack u = {bytes, !str_starts(bytes, HISTORY_MAGIC) || bytes.len > MAX_HISTORY_BYTES};
    u.rest = str_cut(u.rest, HISTORY_MAGIC.len, u.rest.len);
    out->commit_count = out->commit_capacity =
        unpack_count(&u, MAX_HISTORY_COMMITS, MIN_COMMIT_BYTES);
    out->commits = ARENA_ARRAY(a, struct commit_record, out->commit_count);
    for (size_t i = 0; i < out->commit_count && !u.bad; i++)
        u.bad |= !commit_record_read(a, unpack_text(&u), &out->commits[i], e);
    out->frontier = read_ids(a, &u, MAX_HISTORY_FRONTIER, &out->frontier_count);
    out->frontier_capacity = out->frontier_count;
    read_tags(a, &u, out);
    out->is_shallow = unpack_below(&u, 2);
    out->note = read_text(&u, MAX_NOTE_BYTES);
    return unpack_done(&u) || fail(e, ERR_INPUT, "a history is damaged");
}
