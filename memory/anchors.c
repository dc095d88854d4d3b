#include "memory/anchors.h"

#include "memory/last_change.h"

/* ---- what an anchor means ---- */

/* The innermost symbol around the line, or the one whose qualified name is `name`, or ends so. */
static const struct definition_row *meant(const struct definition_row *rows, size_t count,
                                          const struct anchor_row *anchor)
{
    const struct definition_row *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct definition_row *r = &rows[i];
        if (anchor->symbol.len) {
            bool whole = str_eq(r->name, anchor->symbol);
            bool tail = r->name.len > anchor->symbol.len && str_ends(r->name, anchor->symbol) &&
                        r->name.at[r->name.len - anchor->symbol.len - 1] == '.';
            if (whole)
                return r;
            if (tail && !best)
                best = r;
        } else if (anchor->line && r->line_start <= anchor->line && anchor->line <= r->line_end &&
                   (!best || r->line_start >= best->line_start))
            best = r;
    }
    return best;
}

static bool put_edge(struct store *s, int64_t memory, int64_t target, int64_t now_ms, struct err *e)
{
    int64_t ignored;
    return store_put_edge(s,
                          &(struct edge_full){.src = memory,
                                              .dst = target,
                                              .kind = EDGE_ANCHORS,
                                              .said_by = memory,
                                              .weight = 1,
                                              .at_ms = now_ms},
                          &ignored, e);
}

static bool bind(struct store *s, struct arena *a, int64_t worktree, struct binding_row *b,
                 int64_t now_ms, struct err *e)
{
    struct definition_row *rows;
    size_t count;
    if (!store_definitions(s, a, worktree, b->anchor.path, &rows, &count, e))
        return false;
    const struct definition_row *symbol = meant(rows, count, &b->anchor);
    if (symbol) {
        b->target = symbol->symbol;
        b->body_hash = symbol->body_hash;
        b->shape_hash = symbol->shape_hash;
    } else if (!store_find_key(s, NODE_FILE, b->anchor.path, &b->target, e) ||
               !store_blob_at(s, a, worktree, b->anchor.path, &b->blob, e))
        return false;
    return !b->target ||
           (store_put_binding(s, b, e) && put_edge(s, b->anchor.memory, b->target, now_ms, e));
}

/* ---- where a symbol went ---- */

/* The only symbol of the worktree with this body or shape; 0: none, or several. */
static bool only_twin(struct store *s, struct arena *a, int64_t worktree,
                      const struct binding_row *b, int64_t *twin, struct err *e)
{
    int64_t *ids;
    size_t count;
    *twin = 0;
    for (int shape = 0; shape < 2 && !*twin; shape++) {
        if (!store_symbols_of_hash(s, a, worktree, shape ? b->shape_hash : b->body_hash, shape, 2,
                                   &ids, &count, e))
            return false;
        if (count == 1)
            *twin = ids[0];
        if (count > 1)
            return true;
    }
    return true;
}

static bool drop_edge(struct store *s, struct arena *a, int64_t memory, int64_t target,
                      struct err *e)
{
    struct edge_full *edges;
    size_t count;
    bool ok = store_edges_said_by(s, a, memory, &edges, &count, e);
    for (size_t i = 0; ok && i < count; i++)
        if (edges[i].kind == EDGE_ANCHORS && edges[i].dst == target)
            ok = store_delete_edge(s, edges[i].id, e);
    return ok;
}

static bool follow(struct store *s, struct arena *a, int64_t worktree, struct binding_row *b,
                   int64_t now_ms, struct err *e)
{
    struct definition_row row;
    int64_t twin;
    bool found;
    if (!only_twin(s, a, worktree, b, &twin, e))
        return false;
    if (!twin)
        return true;
    if (!drop_edge(s, a, b->anchor.memory, b->target, e) ||
        !store_find_definition(s, a, worktree, twin, &row, &found, e))
        return false;
    b->target = twin;
    b->body_hash = row.body_hash;
    b->shape_hash = row.shape_hash;
    return store_put_binding(s, b, e) && put_edge(s, b->anchor.memory, twin, now_ms, e);
}

bool anchors_bind(struct store *s, struct arena *a, int64_t worktree, int64_t now_ms, struct err *e)
{
    struct binding_row *rows;
    size_t count;
    bool ok = store_unbound_anchors(s, a, worktree, &rows, &count, e);
    for (size_t i = 0; ok && i < count; i++)
        ok = bind(s, a, worktree, &rows[i], now_ms, e);
    ok = ok && store_lost_bindings(s, a, &rows, &count, e);
    for (size_t i = 0; ok && i < count; i++)
        ok = follow(s, a, worktree, &rows[i], now_ms, e);
    return ok;
}

/* ---- what became of it ---- */

/* Adds to the note by which commit. */
static bool tell_commit(struct store *s, struct arena *a, const struct binding_row *b, str path,
                        str *note, struct err *e)
{
    str by;
    if (!last_change_of_place(s, a, b->anchor.memory, b->target, path, &by, e))
        return false;
    if (by.len)
        *note = arena_printf(a, "%.*s; %.*s", FMT(*note), FMT(by));
    return true;
}

static bool symbol_state(struct store *s, struct arena *a, int64_t worktree,
                         const struct binding_row *b, str *stale, str *note, struct err *e)
{
    struct definition_row row;
    int64_t *ids;
    size_t count;
    bool found;
    if (!store_find_definition(s, a, worktree, b->target, &row, &found, e))
        return false;
    if (found) {
        if (row.body_hash != b->body_hash) {
            *stale = S("changed");
            *note = arena_printf(a, "%.*s in %.*s is no longer what it was", FMT(b->name),
                                 FMT(row.path));
            return tell_commit(s, a, b, row.path, note, e);
        }
        return true;
    }
    *stale = S("gone");
    *note = arena_printf(a, "%.*s of %.*s is gone", FMT(b->name), FMT(b->anchor.path));
    for (int shape = 0; shape < 2; shape++) {
        if (!store_symbols_of_hash(s, a, worktree, shape ? b->shape_hash : b->body_hash, shape, 2,
                                   &ids, &count, e))
            return false;
        if (!count)
            continue;
        if (!store_find_definition(s, a, worktree, ids[0], &row, &found, e))
            return false;
        *stale = S("moved");
        *note = arena_printf(a, "%.*s of %.*s: possibly moved to %.*s of %.*s%s", FMT(b->name),
                             FMT(b->anchor.path), FMT(row.name), FMT(row.path),
                             count > 1 ? ", or elsewhere" : "");
        return true;
    }
    return tell_commit(s, a, b, b->anchor.path, note, e);
}

static bool file_state(struct store *s, struct arena *a, int64_t worktree,
                       const struct binding_row *b, str *stale, str *note, struct err *e)
{
    str blob, path;
    if (!store_blob_at(s, a, worktree, b->name, &blob, e))
        return false;
    if (str_eq(blob, b->blob))
        return true;
    if (blob.len) {
        *stale = S("changed");
        *note = arena_printf(a, "%.*s is no longer what it was", FMT(b->name));
        return tell_commit(s, a, b, b->name, note, e);
    }
    if (!store_path_of_blob(s, a, worktree, b->blob, &path, e))
        return false;
    *stale = path.len ? S("moved") : S("gone");
    *note = path.len ? arena_printf(a, "%.*s: possibly moved to %.*s", FMT(b->name), FMT(path))
                     : arena_printf(a, "%.*s is gone", FMT(b->name));
    return true;
}

/* Of several places the worst news counts: gone, then moved, then changed. */
static int badness(str stale)
{
    return !stale.len ? 0 : str_eq(stale, S("changed")) ? 1 : str_eq(stale, S("moved")) ? 2 : 3;
}

bool anchors_state(struct store *s, struct arena *a, int64_t worktree, int64_t memory, str *stale,
                   str *note, struct err *e)
{
    struct binding_row *rows;
    size_t count;
    *stale = *note = S("");
    if (!store_bindings(s, a, memory, &rows, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        str one = S(""), words = S("");
        if (!(rows[i].kind == NODE_SYMBOL ? symbol_state(s, a, worktree, &rows[i], &one, &words, e)
                                          : file_state(s, a, worktree, &rows[i], &one, &words, e)))
            return false;
        if (badness(one) > badness(*stale)) {
            *stale = one;
            *note = words;
        }
    }
    return true;
}
