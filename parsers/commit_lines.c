#include "parsers/commit_lines.h"

#include "memory/base/unicode.h"
#include "parsers/line_diff.h"
#include "parsers/repository.h"

struct lines {
    struct arena *a;
    struct commit_record *record;
    struct commit_change *change;
    str before;           /* the file whose hunks are read */
    size_t line, line_at; /* of it, from 0, and where it begins: hunks come in order */
    size_t hunks_left, bytes_left;
};

static bool opens_something(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/* The last line before `at` that begins with a letter: as a diff shows it when it knows nothing of
 * the language. */
static str line_that_opens(struct arena *a, str text, size_t at)
{
    enum { MAX_BACK_BYTES = 64 << 10 };
    size_t stop = at > MAX_BACK_BYTES ? at - MAX_BACK_BYTES : 0;
    while (at > stop) {
        const char *newline = at > 1 ? memrchr(text.at, '\n', at - 1) : NULL;
        size_t start = newline ? (size_t)(newline - text.at) + 1 : 0;
        if (opens_something(text.at[start])) {
            str line = str_trim(str_cut(text, start, at));
            str head = utf8_repair(a, arena_str(a, str_cut(line, 0, MAX_COMMIT_HUNK_BYTES)));
            return utf8_prefix(head, MAX_COMMIT_HUNK_BYTES);
        }
        at = start;
    }
    return S("");
}

/* Where a line of the file before begins, counted from 0. */
static size_t start_of_line(struct lines *l, size_t line)
{
    for (; l->line < line && l->line_at < l->before.len; l->line++)
        l->line_at = str_find_char(l->before, '\n', l->line_at) + 1;
    return l->line_at < l->before.len ? l->line_at : l->before.len;
}

static bool add_hunk(void *ctx, const struct line_hunk *h)
{
    struct lines *l = ctx;
    if (!l->hunks_left) {
        l->record->changes_cut = true;
        return false;
    }
    l->hunks_left--;
    struct commit_change *c = l->change;
    size_t at = start_of_line(l, h->old_start - (h->old_count > 0));
    ARENA_GROW(l->a, c->hunks, c->hunk_count, c->hunk_capacity);
    c->hunks[c->hunk_count++] =
        (struct commit_hunk){.old_start = (uint32_t)h->old_start,
                             .old_count = (uint32_t)h->old_count,
                             .new_start = (uint32_t)h->new_start,
                             .new_count = (uint32_t)h->new_count,
                             .inside = line_that_opens(l->a, l->before, at)};
    return true;
}

static git_odb_object *read_blob(struct lines *l, struct object_cache *blobs, str hex, str *out)
{
    git_oid id;
    git_odb_object *blob = oid_parse(hex, &id) ? object_cache_get(blobs, &id) : NULL;
    if (!blob)
        return NULL;
    *out = str_from(git_odb_object_data(blob), git_odb_object_size(blob));
    if (out->len <= l->bytes_left) {
        l->bytes_left -= out->len;
        return blob;
    }
    l->record->changes_cut = true;
    git_odb_object_free(blob);
    return NULL;
}

static bool is_binary(str s)
{
    enum { LOOKED_AT_BYTES = 8000 }; /* as git does */
    str head = str_cut(s, 0, LOOKED_AT_BYTES);
    return str_find_char(head, '\0', 0) < head.len;
}

static void read_lines(struct lines *l, struct object_cache *blobs)
{
    str behind;
    l->line = l->line_at = 0;
    git_odb_object *one = read_blob(l, blobs, l->change->old_blob, &l->before);
    git_odb_object *other = one ? read_blob(l, blobs, l->change->blob, &behind) : NULL;
    if (other && !is_binary(l->before) && !is_binary(behind))
        line_diff(l->before, behind, add_hunk, l);
    git_odb_object_free(one);
    git_odb_object_free(other);
}

void commit_lines_read(struct arena *a, struct object_cache *blobs, struct commit_record *out)
{
    struct lines l = {
        .a = a, .record = out, .hunks_left = MAX_COMMIT_HUNKS, .bytes_left = MAX_DIFFED_BYTES};
    for (size_t i = 0; i < out->change_count && l.hunks_left; i++) {
        l.change = &out->changes[i];
        if (l.change->kind == CHANGE_MODIFIED && l.change->old_blob.len && l.change->blob.len)
            read_lines(&l, blobs);
    }
}
