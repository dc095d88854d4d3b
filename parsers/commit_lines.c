#include "parsers/commit_lines.h"

#include "memory/base/unicode.h"

/* A file on both sides. What is equal at its beginning and its end is cut off before libgit2 sees
 * it: most changes are small, and it would hash every line, and the whole, first. */
struct sides {
    str before, behind; /* whole */
    size_t equal_bytes; /* at the beginning, whole lines */
    str before_middle, behind_middle;
    size_t equal_lines; /* at the beginning */
};

struct diff {
    struct arena *a;
    struct commit_record *record;
    struct commit_change *change;
    struct sides sides;
    size_t line, line_at; /* of the file before, and where it begins: hunks come in order */
    size_t hunks_left, bytes_left;
};

/* ---- the middle ---- */

static size_t count_lines(str s)
{
    size_t lines = 0;
    for (size_t at = 0; at < s.len; at = str_find_char(s, '\n', at) + 1)
        lines++;
    return lines;
}

static size_t equal_at_start(str a, str b)
{
    enum { STEP = 64 };
    size_t most = a.len < b.len ? a.len : b.len, n = 0;
    while (n + STEP <= most && memcmp(a.at + n, b.at + n, STEP) == 0)
        n += STEP;
    while (n < most && a.at[n] == b.at[n])
        n++;
    while (n && a.at[n - 1] != '\n')
        n--;
    return n;
}

/* Of what is behind the equal beginning; whole lines. */
static size_t equal_at_end(str a, str b)
{
    size_t most = a.len < b.len ? a.len : b.len, n = 0;
    while (n < most && a.at[a.len - 1 - n] == b.at[b.len - 1 - n])
        n++;
    /* the line that it begins in is equal as a whole where a line begins there on both sides */
    bool at_line =
        (n == a.len || a.at[a.len - 1 - n] == '\n') && (n == b.len || b.at[b.len - 1 - n] == '\n');
    if (at_line)
        return n;
    size_t cut = str_find_char(a, '\n', a.len - n);
    return cut < a.len ? a.len - cut - 1 : 0;
}

static void split_sides(struct sides *s)
{
    s->equal_bytes = equal_at_start(s->before, s->behind);
    s->equal_lines = count_lines(str_cut(s->before, 0, s->equal_bytes));
    s->before_middle = str_cut(s->before, s->equal_bytes, s->before.len);
    s->behind_middle = str_cut(s->behind, s->equal_bytes, s->behind.len);
    size_t end = equal_at_end(s->before_middle, s->behind_middle);
    s->before_middle.len -= end;
    s->behind_middle.len -= end;
}

/* ---- hunks ---- */

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
static size_t start_of_line(struct diff *d, size_t line)
{
    str text = d->sides.before;
    for (; d->line < line && d->line_at < text.len; d->line++)
        d->line_at = str_find_char(text, '\n', d->line_at) + 1;
    return d->line_at < text.len ? d->line_at : text.len;
}

/* Lines of the middle, as a diff counts them. */
static bool add_hunk(struct diff *d, size_t old_start, size_t old_count, size_t new_start,
                     size_t new_count)
{
    if (!d->hunks_left) {
        d->record->changes_cut = true;
        return false;
    }
    d->hunks_left--;
    struct commit_change *c = d->change;
    size_t from = d->sides.equal_lines, before = from + old_start - (old_count > 0);
    ARENA_GROW(d->a, c->hunks, c->hunk_count, c->hunk_capacity);
    c->hunks[c->hunk_count++] = (struct commit_hunk){
        .old_start = (uint32_t)(from + old_start),
        .old_count = (uint32_t)old_count,
        .new_start = (uint32_t)(from + new_start),
        .new_count = (uint32_t)new_count,
        .inside = line_that_opens(d->a, d->sides.before, start_of_line(d, before)),
    };
    return true;
}

static int take_hunk(const git_diff_delta *delta, const git_diff_hunk *h, void *ctx)
{
    (void)delta;
    return add_hunk(ctx, (size_t)h->old_start, (size_t)h->old_lines, (size_t)h->new_start,
                    (size_t)h->new_lines)
               ? 0
               : -1; /* ends the diff */
}

static void diff_sides(struct diff *d)
{
    struct sides *s = &d->sides;
    split_sides(s);
    d->line = s->equal_lines;
    d->line_at = s->equal_bytes;
    str before = s->before_middle, behind = s->behind_middle;
    if (!before.len || !behind.len) { /* nothing but added or deleted */
        size_t deleted = count_lines(before), added = count_lines(behind);
        if (deleted || added)
            add_hunk(d, deleted > 0, deleted, added > 0, added);
        return;
    }
    git_diff_options options;
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.context_lines = 0;
    options.flags = GIT_DIFF_FORCE_TEXT;
    /* without paths: no attribute of the repository is asked for */
    git_diff_buffers(before.at, before.len, NULL, behind.at, behind.len, NULL, &options, NULL, NULL,
                     take_hunk, NULL, d);
}

/* ---- files ---- */

static git_odb_object *read_blob(struct diff *d, git_odb *odb, str hex, str *out)
{
    git_oid id;
    git_odb_object *blob = NULL;
    if (git_oid_fromstrn(&id, hex.at, hex.len) != 0 || git_odb_read(&blob, odb, &id) != 0)
        return NULL;
    *out = str_from(git_odb_object_data(blob), git_odb_object_size(blob));
    if (out->len <= MAX_DIFFED_BLOB_BYTES && out->len <= d->bytes_left) {
        d->bytes_left -= out->len;
        return blob;
    }
    d->record->changes_cut |= out->len <= MAX_DIFFED_BLOB_BYTES;
    git_odb_object_free(blob);
    return NULL;
}

static bool is_binary(str s)
{
    enum { LOOKED_AT_BYTES = 8000 }; /* as git does */
    str head = str_cut(s, 0, LOOKED_AT_BYTES);
    return str_find_char(head, '\0', 0) < head.len;
}

static void diff_change(struct diff *d, git_odb *odb)
{
    d->sides = (struct sides){0};
    git_odb_object *before = read_blob(d, odb, d->change->old_blob, &d->sides.before);
    git_odb_object *behind = before ? read_blob(d, odb, d->change->blob, &d->sides.behind) : NULL;
    if (behind && !is_binary(d->sides.before) && !is_binary(d->sides.behind))
        diff_sides(d);
    git_odb_object_free(before);
    git_odb_object_free(behind);
}

void commit_lines_read(struct arena *a, git_odb *odb, struct commit_record *out)
{
    struct diff d = {
        .a = a, .record = out, .hunks_left = MAX_COMMIT_HUNKS, .bytes_left = MAX_DIFFED_BYTES};
    for (size_t i = 0; i < out->change_count && d.hunks_left; i++) {
        d.change = &out->changes[i];
        if (d.change->kind == CHANGE_MODIFIED && d.change->old_blob.len && d.change->blob.len)
            diff_change(&d, odb);
    }
}
