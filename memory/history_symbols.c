#include "memory/history_symbols.h"

#include "memory/base/ascii.h"
#include "memory/base/hash.h"
#include "memory/store_code.h"

#include <math.h>

/* A file as it was behind the commit that is looked at next. Lines count from 1. */
struct followed {
    str blob;            /* of that version; empty: its lines can't be followed any further */
    uint32_t *now;       /* heap; per line of that version: the line that it is now, or came to */
    uint32_t lines;      /* of that version */
    uint32_t *symbol_at; /* heap; per line as it is now: the innermost symbol + 1 among `symbols` */
    uint32_t lines_now;
    struct symbol_lines *symbols;
    size_t symbol_count;
};

struct symbol_trace {
    struct arena arena;
    struct map files; /* bytes of a node's number -> index + 1 */
    struct followed *all;
    size_t count, capacity;
    size_t lines; /* of all files */
};

void symbol_trace_free(struct symbol_trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++) {
        heap_free(t->all[i].now);
        heap_free(t->all[i].symbol_at);
    }
    heap_free(t->all);
    map_free(&t->files);
    arena_free(&t->arena);
    heap_free(t);
}

/* ---- a file as it is now ---- */

static void lose(struct followed *f)
{
    f->blob = S("");
}

/* Symbols come in order of where they begin, an inner one behind the outer one. */
static void index_lines(struct followed *f)
{
    f->symbol_at = heap_alloc(f->lines_now + 2, sizeof *f->symbol_at);
    f->now = heap_alloc(f->lines_now + 2, sizeof *f->now);
    for (uint32_t i = 0; i < f->lines_now + 2; i++)
        f->now[i] = i;
    f->lines = f->lines_now;
    for (uint32_t i = 0; i < f->symbol_count; i++)
        for (uint32_t l = f->symbols[i].line_start;
             l <= f->symbols[i].line_end && l <= f->lines_now; l++)
            f->symbol_at[l] = i + 1;
}

static struct followed *find_file(struct symbol_trace *t, struct store *s, int64_t file, str blob,
                                  struct err *e)
{
    str key = str_from((const char *)&file, sizeof file);
    const int64_t *at = map_find(&t->files, key);
    if (at)
        return &t->all[*at - 1];
    HEAP_GROW(t->all, t->count, t->capacity);
    map_put(&t->files, arena_str(&t->arena, key), (int64_t)t->count + 1, NULL);
    struct followed *f = &t->all[t->count++];
    *f = (struct followed){.blob = S("")};
    if (!store_symbol_lines(s, &t->arena, file, blob, &f->symbols, &f->symbol_count, &f->blob,
                            &f->lines_now, e))
        return NULL;
    t->lines += f->lines_now;
    if (t->lines > MAX_FOLLOWED_LINES)
        lose(f);
    else
        index_lines(f);
    return f;
}

/* ---- one change ---- */

static void add_symbol(struct changed_symbols *out, int64_t id)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->ids[i] == id)
            return;
    if (out->count == MAX_TOUCHED_SYMBOLS)
        out->is_sweep = true;
    else
        out->ids[out->count++] = id;
}

static uint32_t symbol_of_line(const struct followed *f, uint32_t line)
{
    uint32_t now = f->now[line];
    return now <= f->lines_now ? f->symbol_at[now] : 0;
}

/* Lines that were only taken away tell a symbol where it stands on both sides of them. */
static void add_hunk(const struct followed *f, const struct commit_hunk *h,
                     struct changed_symbols *out)
{
    uint32_t last = 0;
    if (!h->new_count) {
        uint32_t before = symbol_of_line(f, h->new_start);
        if (before && before == symbol_of_line(f, h->new_start + 1))
            add_symbol(out, f->symbols[before - 1].symbol);
        return;
    }
    for (uint32_t l = h->new_start; l < h->new_start + h->new_count; l++) {
        uint32_t at = symbol_of_line(f, l);
        if (at && at != last)
            add_symbol(out, f->symbols[at - 1].symbol);
        last = at;
    }
}

/* In order, apart by as many lines on both sides, and within the file. */
static bool are_hunks_in(const struct followed *f, const struct commit_change *c)
{
    uint64_t end_old = 1, end_new = 1; /* the first line that the next hunk may have */
    for (size_t i = 0; i < c->hunk_count; i++) {
        const struct commit_hunk *h = &c->hunks[i];
        uint64_t old_start = (uint64_t)h->old_start + (h->old_count == 0);
        uint64_t new_start = (uint64_t)h->new_start + (h->new_count == 0);
        if (new_start < end_new || old_start != new_start - end_new + end_old)
            return false;
        end_old = old_start + h->old_count;
        end_new = new_start + h->new_count;
        if (end_new > (uint64_t)f->lines + 1 || end_old > MAX_FOLLOWED_LINES)
            return false;
    }
    return true;
}

/* From the version behind the change to the one before it. A line that is there no more came to
 * what took its place. */
static void step_back(struct followed *f, const struct commit_change *c, struct arena *a)
{
    int64_t grown = 0;
    for (size_t i = 0; i < c->hunk_count; i++)
        grown += (int64_t)c->hunks[i].old_count - (int64_t)c->hunks[i].new_count;
    uint32_t lines = (uint32_t)((int64_t)f->lines + grown), to = 1, from = 1;
    uint32_t *before = heap_alloc((size_t)lines + 2, sizeof *before);
    for (size_t i = 0; i < c->hunk_count; i++) {
        const struct commit_hunk *h = &c->hunks[i];
        uint32_t start = h->new_start + (h->new_count == 0);
        while (from < start)
            before[to++] = f->now[from++];
        for (uint32_t k = 0; k < h->old_count; k++) {
            uint32_t last = h->new_count ? h->new_count - 1 : 0;
            uint32_t same = start + (k < last ? k : last);
            before[to++] = f->now[h->new_count ? same : start - (start > 1)];
        }
        from += h->new_count;
    }
    while (to <= lines + 1)
        before[to++] = f->now[from++];
    heap_free(f->now);
    f->now = before;
    f->lines = lines;
    f->blob = arena_str(a, c->old_blob);
}

/* ---- by name ---- */

/* The only symbol of this name; NULL: none, or several. */
static const struct symbol_lines *only_named(const struct followed *f, str name)
{
    const struct symbol_lines *found = NULL;
    for (size_t i = 0; i < f->symbol_count; i++) {
        if (!str_eq(f->symbols[i].simple, name))
            continue;
        if (found)
            return NULL;
        found = &f->symbols[i];
    }
    return found;
}

/* The symbol that a line opens: a name with an argument list, else any. */
static const struct symbol_lines *opened_by(const struct followed *f, str line)
{
    for (int called = 1; called >= 0; called--)
        for (size_t i = 0; i < line.len;) {
            size_t end = i;
            while (end < line.len && ascii_is_word(line.at[end]))
                end++;
            bool fits = end > i && (!called || (end < line.len && line.at[end] == '('));
            const struct symbol_lines *found = fits ? only_named(f, str_cut(line, i, end)) : NULL;
            if (found)
                return found;
            i = end > i ? end : i + 1;
        }
    return NULL;
}

static void add_opened(const struct followed *f, const struct commit_change *c,
                       struct changed_symbols *out)
{
    for (size_t i = 0; i < c->hunk_count; i++) {
        const struct symbol_lines *found = opened_by(f, c->hunks[i].inside);
        if (found)
            add_symbol(out, found->symbol);
    }
}

/* ---- all of it ---- */

bool symbol_trace_follow(struct symbol_trace **t, struct store *s, int64_t file,
                         const struct commit_change *change, struct changed_symbols *out,
                         struct err *e)
{
    if (!change->hunk_count)
        return true;
    if (!*t)
        *t = heap_alloc(1, sizeof **t);
    struct followed *f = find_file(*t, s, file, change->blob, e);
    if (!f)
        return false;
    if (!f->blob.len || !str_eq(f->blob, change->blob)) {
        add_opened(f, change, out);
        return true;
    }
    if (!are_hunks_in(f, change)) {
        lose(f);
        return true;
    }
    for (size_t i = 0; i < change->hunk_count; i++)
        add_hunk(f, &change->hunks[i], out);
    step_back(f, change, &(*t)->arena);
    return true;
}

bool changed_symbols_put(struct store *s, int64_t commit, int64_t at_ms,
                         const struct changed_symbols *c, struct err *e)
{
    int64_t ignored;
    float weight = c->count ? 1 / sqrtf((float)c->count) : 0;
    for (size_t i = 0; i < c->count && !c->is_sweep; i++)
        if (!store_put_edge(s,
                            &(struct edge_full){.src = commit,
                                                .dst = c->ids[i],
                                                .kind = EDGE_TOUCHES,
                                                .weight = weight,
                                                .at_ms = at_ms},
                            &ignored, e))
            return false;
    return true;
}
