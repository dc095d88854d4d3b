/* Commits as they come in, and what follows from all of them. */
#include "memory/history.h"

#include "memory/base/unicode.h"
#include "memory/history_follow.h"
#include "memory/history_reasons.h"
#include "memory/history_reverts.h"
#include "memory/history_symbols.h"
#include "memory/memory_state.h"
#include "memory/store_code.h"
#include "memory/store_history.h"
#include "memory/ties.h"

#include <math.h>

enum { MAX_COMMITS_PER_WRITE = 100, MAX_PATHS_INDEXED = 60 };

/* ---- one commit ---- */

static str joined(struct arena *a, const str *parts, size_t count)
{
    struct buf all = {0};
    for (size_t i = 0; i < count; i++)
        buf_printf(&all, "%s%.*s", i ? " " : "", FMT(parts[i]));
    str out = arena_str(a, buf_str(&all));
    buf_free(&all);
    return out;
}

static str paths_of(struct arena *a, const struct commit_record *c)
{
    struct buf all = {0};
    for (size_t i = 0; i < c->change_count && i < MAX_PATHS_INDEXED; i++)
        buf_printf(&all, "%.*s\n", FMT(c->changes[i].path));
    str out = arena_str(a, buf_str(&all));
    buf_free(&all);
    return out;
}

static bool touch(struct memory *m, int64_t commit, int64_t file, float weight, int64_t at_ms,
                  struct err *e)
{
    int64_t ignored;
    return store_put_edge(
        m->store,
        &(struct edge_full){
            .src = commit, .dst = file, .kind = EDGE_TOUCHES, .weight = weight, .at_ms = at_ms},
        &ignored, e);
}

/* A renamed file's history goes to where it is now: what touched the old path touches the new one.
 */
static bool follow_rename(struct memory *m, struct arena *a, const struct commit_change *change,
                          int64_t now, struct err *e)
{
    int64_t old;
    struct edge_full *edges;
    size_t count;
    if (!store_find_key(m->store, NODE_FILE, change->old_path, &old, e) || !old || old == now)
        return e->code == ERR_NONE;
    if (!store_edges(m->store, a, old, EDGE_TOUCHES, 20000, &edges, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (edges[i].dst == old &&
            (!touch(m, edges[i].src, now, edges[i].weight, edges[i].at_ms, e) ||
             !store_delete_edge(m->store, edges[i].id, e)))
            return false;
    return true;
}

/* Only files that are indexed have nodes: 0 for any other. A path that nothing has any more may
 * have been renamed since, and becomes what it is now: the history is read newest first, so that is
 * known already. */
static bool find_touched(struct memory *m, struct arena *a, str *path, int64_t *file, struct err *e)
{
    struct store *s = m->store;
    return store_find_current_file(s, *path, file, e) &&
           (*file ||
            (store_renamed(s, a, *path, path, e) && store_find_current_file(s, *path, file, e)));
}

static bool follow_lines(struct memory *m, const struct commit_record *c, size_t at, int64_t file,
                         struct changed_symbols *changed, struct err *e)
{
    return !file || c->changes_cut ||
           symbol_trace_follow(&m->lines, m->store, file, &c->changes[at], changed, e);
}

/* Of a commit that stands here already: it leads to the lines of older ones. */
static bool follow_again(struct memory *m, struct arena *a, const struct commit_record *c,
                         struct err *e)
{
    for (size_t i = 0; i < c->change_count; i++) {
        struct changed_symbols stand_already = {0};
        str path = c->changes[i].path;
        int64_t file;
        if (!find_touched(m, a, &path, &file, e) || !follow_lines(m, c, i, file, &stand_already, e))
            return false;
    }
    return true;
}

static bool put_touches(struct memory *m, struct arena *a, const struct commit_record *c,
                        int64_t commit, struct err *e)
{
    struct store *s = m->store;
    struct changed_symbols changed = {0};
    float weight = c->change_count ? 1 / sqrtf((float)c->change_count) : 0;
    bool sweep = c->change_count > MAX_TOUCHED || c->changes_cut;
    for (size_t i = 0; i < c->change_count; i++) {
        const struct commit_change *change = &c->changes[i];
        bool renamed = change->kind == CHANGE_RENAMED;
        str path = change->path;
        int64_t file;
        if (!find_touched(m, a, &path, &file, e) ||
            (renamed && !store_put_rename(s, change->old_path, path, e)) ||
            !follow_lines(m, c, i, file, &changed, e))
            return false;
        if (!file || sweep)
            continue;
        if ((renamed && !follow_rename(m, a, change, file, e)) ||
            !touch(m, commit, file, weight, c->commit_s * 1000, e))
            return false;
    }
    return sweep || changed_symbols_put(s, commit, c->commit_s * 1000, &changed, e);
}

static bool put_references(struct memory *m, const struct commit_record *c, int64_t commit,
                           struct err *e)
{
    for (size_t i = 0; i < c->reference_count; i++)
        if ((c->references[i].kind == COMMIT_REF_ISSUE ||
             c->references[i].kind == COMMIT_REF_TICKET) &&
            !store_put_reference(m->store, commit, c->references[i].text, e))
            return false;
    return true;
}

static bool put_commit(struct memory *m, const struct commit_record *c, struct commit_told *told,
                       int64_t now_ms, bool *added, struct err *e)
{
    struct arena scratch = {0};
    int64_t id;
    struct commit_row row = {.oid = c->id,
                             .at_ms = c->commit_s * 1000,
                             .changes = (int64_t)c->change_count,
                             .author = c->author,
                             .parents = joined(&scratch, c->parents, c->parent_count),
                             .is_merge = c->is_merge};
    str reverted; /* a subject: words of the message like any other */
    bool is_forgotten = false;
    bool ok = store_find_key(m->store, NODE_COMMIT, c->id, &id, e);
    *added = ok && !id;
    ok = ok &&
         (!*added ||
          (memory_redact(m, &scratch, c->subject, &row.subject, NULL, NULL, e) &&
           memory_redact(m, &scratch, utf8_prefix(c->body, MAX_STORED_MESSAGE), &row.text, NULL,
                         NULL, e) &&
           memory_redact(m, &scratch, c->reverts_subject, &reverted, NULL, NULL, e) &&
           store_find_tombstone(m->store, commit_tombstone(&scratch, c->id), &is_forgotten, e)));
    if (is_forgotten) {
        row.subject = S("(forgotten)");
        row.text = reverted = S("");
    }
    if (ok && *added)
        row.reverts = reverts_text(&scratch, c->reverts, reverted);
    ok = ok && (*added ? store_put_commit(m->store, &row, paths_of(&scratch, c), now_ms, &id, e) &&
                             put_touches(m, &scratch, c, id, e) && put_references(m, c, id, e) &&
                             history_reasons_put(m, told, id, e)
                       : follow_again(m, &scratch, c, e));
    arena_free(&scratch);
    return ok;
}

/* A stretch that goes into one transaction. */
struct slice {
    const struct commit_record *commits;
    size_t count, before; /* before: commits known of when it was read, and new ones in front */
    int64_t newest_ms;    /* of those known */
    bool stands[MAX_COMMITS_PER_WRITE]; /* as seen before the write: put_commit looks once more,
                                           another writer may have come between */
    struct commit_told told[MAX_COMMITS_PER_WRITE];
};

static bool find_standing(struct memory *m, struct slice *s, struct err *e)
{
    bool ok = store_read_begin(m->store, e);
    for (size_t i = 0; ok && i < s->count; i++) {
        int64_t id = 0;
        ok = store_find_key(m->store, NODE_COMMIT, s->commits[i].id, &id, e);
        s->stands[i] = id != 0;
    }
    store_read_end(m->store);
    return ok;
}

/* Of a history that is read for the first time only the newest commits give memories; later every
 * new one does. */
static bool prepare_slice(struct memory *m, struct arena *a, struct slice *s, int64_t now_ms,
                          struct err *e)
{
    size_t before = s->before;
    for (size_t i = 0; i < s->count; i++) {
        const struct commit_record *c = &s->commits[i];
        bool is_new = !s->stands[i];
        bool wanted = is_new && (before < MAX_REASON_COMMITS || c->commit_s * 1000 > s->newest_ms);
        before += is_new;
        if (wanted && !c->is_merge && !history_reasons_prepare(m, a, c, now_ms, &s->told[i], e))
            return false;
    }
    return true;
}

/* Where it fails behind its begin, lines stay followed past what was rolled back. No call tries
 * that slice again: only a lock that isn't free is waited for anew, and the begin takes it. The
 * next reading begins with no lines. */
static bool put_slice(struct memory *m, struct slice *s, int64_t now_ms, size_t *added,
                      struct err *e)
{
    size_t fresh = 0;
    if (!store_begin_derived(m->store, e))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < s->count; i++) {
        bool is_new;
        ok = put_commit(m, &s->commits[i], &s->told[i], now_ms, &is_new, e);
        fresh += is_new;
    }
    ok = ok && (!fresh || store_touch_history(m->store, fresh, e));
    ok = store_end(m->store, ok, e) && ok;
    *added += ok ? fresh : 0;
    return ok;
}

/* Asked once a reading: the store has no short way to the newest commit. */
static bool find_extent(struct memory *m, struct err *e)
{
    struct commit_extent *known = &m->commits;
    if (known->is_known)
        return true;
    known->is_known = store_read_begin(m->store, e) &&
                      store_commit_extent(m->store, &known->newest_ms, &known->count, e);
    store_read_end(m->store);
    return known->is_known;
}

static void grow_extent(struct memory *m, const struct commit_record *commits, size_t count,
                        size_t added)
{
    for (size_t i = 0; i < count; i++)
        if (commits[i].commit_s * 1000 > m->commits.newest_ms)
            m->commits.newest_ms = commits[i].commit_s * 1000;
    m->commits.count += (int64_t)added;
}

bool memory_history_put(struct memory *m, int64_t now_ms, const struct commit_record *commits,
                        size_t count, size_t *added, struct err *e)
{
    *added = 0;
    bool ok = find_extent(m, e);
    for (size_t from = 0; ok && from < count; from += MAX_COMMITS_PER_WRITE) {
        struct arena scratch = {0};
        struct slice *s = ARENA_NEW(&scratch, struct slice);
        s->commits = commits + from;
        s->count = count - from < MAX_COMMITS_PER_WRITE ? count - from : MAX_COMMITS_PER_WRITE;
        s->before = (size_t)m->commits.count + *added;
        s->newest_ms = m->commits.newest_ms;
        ok = find_standing(m, s, e) && prepare_slice(m, &scratch, s, now_ms, e) &&
             put_slice(m, s, now_ms, added, e);
        for (size_t i = 0; ok && i < s->count; i++)
            history_reasons_compare(m, &scratch, &s->told[i], now_ms);
        arena_free(&scratch);
    }
    grow_extent(m, commits, count, *added);
    m->commits.is_known &= ok;
    return ok;
}

bool memory_history_progress(struct memory *m, struct arena *a, const struct commit_history *read,
                             struct err *e)
{
    str frontier = joined(a, read->frontier, read->frontier_count);
    return store_begin_derived(m->store, e) &&
           store_end(m->store, store_set_history(m->store, frontier, read->note, e), e);
}

struct open_write {
    struct store *s;
    bool is_open;
};

static bool write_anew(void *ctx, struct err *e)
{
    struct open_write *w = ctx;
    w->is_open = store_end(w->s, true, e) && store_begin_derived(w->s, e);
    return w->is_open;
}

/* Texts may have named commits before these were read. */
static bool tie_names(struct memory *m, int64_t now_ms, struct err *e)
{
    struct arena scratch = {0};
    struct open_write w = {m->store, store_begin_derived(m->store, e)};
    bool ok = w.is_open && ties_put_all(m->store, &scratch, now_ms, write_anew, &w, e);
    if (w.is_open)
        ok = store_end(m->store, ok, e) && ok;
    arena_free(&scratch);
    return ok;
}

static bool end_reading(struct memory *m, str frontier, const struct commit_history *read,
                        struct err *e)
{
    return store_begin_derived(m->store, e) &&
           store_end(
               m->store,
               store_set_history(m->store, frontier, read->note, e) &&
                   (!read->has_tags || store_set_tags(m->store, read->tags, read->tag_count, e)),
               e);
}

bool memory_history_finish(struct memory *m, struct arena *a, str root,
                           const struct history_tips *tips, const struct commit_history *read,
                           int64_t now_ms, struct err *e)
{
    struct worktree_row worktree;
    struct history_row was;
    bool found;
    str frontier = joined(a, read->frontier, read->frontier_count);
    symbol_trace_free(m->lines);
    m->lines = NULL;
    if (!end_reading(m, frontier, read, e) || !store_read_begin(m->store, e))
        return false;
    bool ok = store_find_worktree(m->store, a, root, &worktree, &found, e) &&
              store_get_history(m->store, a, root, &was, e);
    store_read_end(m->store);
    bool has_grown = was.followed != was.revision;
    /* The tips last: a run that was killed before is made again. */
    return ok &&
           history_follow(m->store, found ? worktree.id : 0, tips->head, has_grown, now_ms, e) &&
           (!has_grown || (tie_names(m, now_ms, e) && store_merge_postings(m->store, e))) &&
           store_begin_derived(m->store, e) &&
           store_end(m->store,
                     store_set_history_tips(m->store, root, tips, e) &&
                         store_set_followed(m->store, was.revision, e),
                     e);
}

bool memory_history_reach(struct memory *m, const str *ids, const bool *reachable, size_t count,
                          struct err *e)
{
    if (!store_begin_derived(m->store, e))
        return false;
    bool ok = true, changed = false;
    for (size_t i = 0; ok && i < count; i++) {
        int64_t commit;
        ok = store_find_key(m->store, NODE_COMMIT, ids[i], &commit, e) &&
             (!commit || store_set_reachable(m->store, commit, reachable[i], &changed, e));
    }
    ok = ok && (!changed || store_touch_history(m->store, 1, e));
    return store_end(m->store, ok, e) && ok;
}

static bool heads_aside(struct memory *m, struct arena *a, str root, size_t most, str *heads,
                        size_t *count, struct err *e)
{
    struct worktree_row worktree;
    size_t all = *count;
    bool found;
    *count = 0;
    if (!store_find_worktree(m->store, a, root, &worktree, &found, e) || !found)
        return e->code == ERR_NONE;
    for (size_t i = 0; i < all && *count < most; i++) {
        enum lineage relation;
        if (!store_get_lineage(m->store, worktree.id, heads[i], &relation, e))
            return false;
        if (relation == LINEAGE_OTHER || relation == LINEAGE_ABANDONED)
            heads[(*count)++] = heads[i];
    }
    return true;
}

bool memory_history_heads_aside(struct memory *m, struct arena *a, str root, size_t most, str **out,
                                size_t *count, struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_memory_heads(m->store, a, out, count, e) &&
              heads_aside(m, a, root, most, *out, count, e);
    store_read_end(m->store);
    return ok;
}

static bool put_lineage(struct memory *m, int64_t worktree, str head, enum lineage relation,
                        struct err *e)
{
    int64_t commit = 1;
    if (relation == LINEAGE_ABANDONED && !store_find_key(m->store, NODE_COMMIT, head, &commit, e))
        return false;
    return store_put_lineage(m->store, worktree, head, commit ? relation : LINEAGE_UNKNOWN, e);
}

bool memory_history_lineage(struct memory *m, struct arena *a, str root, const str *heads,
                            const enum lineage *relations, size_t count, struct err *e)
{
    struct worktree_row worktree;
    bool found;
    if (!store_begin_derived(m->store, e))
        return false;
    bool ok = store_find_worktree(m->store, a, root, &worktree, &found, e);
    for (size_t i = 0; ok && found && i < count; i++)
        ok = put_lineage(m, worktree.id, heads[i], relations[i], e);
    return store_end(m->store, ok, e) && ok;
}
