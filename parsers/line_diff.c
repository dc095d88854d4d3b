#include "parsers/line_diff.h"

#include "memory/base/buf.h"
#include "memory/base/hash.h"

#include <git2.h>

size_t line_count(str s)
{
    size_t lines = 0;
    for (size_t at = 0; at < s.len; at = str_find_char(s, '\n', at) + 1)
        lines++;
    return lines;
}

enum { STEP = 64 }; /* bytes that are compared at once */

/* Whole lines. */
static size_t equal_at_start(str a, str b)
{
    size_t most = a.len < b.len ? a.len : b.len, n = 0;
    while (n + STEP <= most && memcmp(a.at + n, b.at + n, STEP) == 0)
        n += STEP;
    while (n < most && a.at[n] == b.at[n])
        n++;
    if (n == a.len && n == b.len)
        return n;
    while (n && a.at[n - 1] != '\n')
        n--;
    return n;
}

static bool line_begins(str s, size_t at)
{
    return at == 0 || s.at[at - 1] == '\n';
}

/* Whole lines. */
static size_t equal_at_end(str a, str b)
{
    size_t most = a.len < b.len ? a.len : b.len, n = 0;
    while (n + STEP <= most && memcmp(a.at + a.len - n - STEP, b.at + b.len - n - STEP, STEP) == 0)
        n += STEP;
    while (n < most && a.at[a.len - 1 - n] == b.at[b.len - 1 - n])
        n++;
    if (line_begins(a, a.len - n) && line_begins(b, b.len - n))
        return n;
    size_t cut = str_find_char(a, '\n', a.len - n); /* the first whole line begins behind it */
    return cut < a.len ? a.len - cut - 1 : 0;
}

/* A text with a short word in place of each line, the same for equal lines. A diff asks only which
 * lines are equal, and libgit2 takes the SHA-1 of what it compares, byte by byte. */
static str shorten(str s, struct map *words, struct buf *out)
{
    enum { BITS = 6, WORD = 4 }; /* 64^4 lines are more than are ever compared */
    for (size_t at = 0, end; at < s.len; at = end) {
        size_t newline = str_find_char(s, '\n', at);
        end = newline < s.len ? newline + 1 : s.len;
        uint64_t n = (uint64_t)*map_put(words, str_cut(s, at, end), (int64_t)words->count, NULL);
        char word[WORD + 1];
        for (int i = 0; i < WORD; i++)
            word[i] = (char)('0' + (n >> i * BITS & ((1 << BITS) - 1)));
        word[WORD] = '\n';
        buf_add(out, str_from(word, sizeof word));
    }
    return buf_str(out);
}

struct middle {
    size_t lines_before_it;
    line_hunk_visit *visit;
    void *ctx;
};

static int take_hunk(const git_diff_delta *delta, const git_diff_hunk *h, void *ctx)
{
    (void)delta;
    const struct middle *m = ctx;
    struct line_hunk hunk = {m->lines_before_it + (size_t)h->old_start, (size_t)h->old_lines,
                             m->lines_before_it + (size_t)h->new_start, (size_t)h->new_lines};
    return m->visit(m->ctx, &hunk) ? 0 : -1; /* -1 ends the diff */
}

static void diff_middle(str before, str behind, struct middle *m)
{
    struct map words = {0};
    struct buf short_before = {0}, short_behind = {0};
    before = shorten(before, &words, &short_before);
    behind = shorten(behind, &words, &short_behind);
    git_diff_options options;
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.context_lines = 0;
    options.flags = GIT_DIFF_FORCE_TEXT;
    /* without paths: no attribute of the repository is asked for */
    git_diff_buffers(before.at, before.len, NULL, behind.at, behind.len, NULL, &options, NULL, NULL,
                     take_hunk, NULL, m);
    map_free(&words);
    buf_free(&short_before);
    buf_free(&short_behind);
}

void line_diff(str before, str behind, line_hunk_visit *visit, void *ctx)
{
    size_t start = equal_at_start(before, behind);
    struct middle m = {line_count(str_cut(before, 0, start)), visit, ctx};
    before = str_cut(before, start, before.len);
    behind = str_cut(behind, start, behind.len);
    size_t end = equal_at_end(before, behind);
    before.len -= end;
    behind.len -= end;
    if (!before.len || !behind.len) { /* nothing but added, or deleted */
        size_t deleted = line_count(before), added = line_count(behind);
        struct line_hunk hunk = {m.lines_before_it + (deleted > 0), deleted,
                                 m.lines_before_it + (added > 0), added};
        if (deleted || added)
            visit(ctx, &hunk);
        return;
    }
    diff_middle(before, behind, &m);
}
