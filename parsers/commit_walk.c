#include "parsers/commit_walk.h"

#include "memory/base/arena.h"
#include "parsers/object_cache.h"

static bool comes_before(const struct commit_waiting *a, const struct commit_waiting *b)
{
    return a->commit_s != b->commit_s ? a->commit_s > b->commit_s : a->order < b->order;
}

static void swap(struct commit_waiting *a, struct commit_waiting *b)
{
    struct commit_waiting kept = *a;
    *a = *b;
    *b = kept;
}

static void heap_push(struct commit_walk *w, struct commit_waiting item)
{
    HEAP_GROW(w->heap, w->count, w->capacity);
    size_t at = w->count++;
    w->heap[at] = item;
    for (; at && comes_before(&w->heap[at], &w->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&w->heap[at], &w->heap[(at - 1) / 2]);
}

static struct commit_waiting heap_pop(struct commit_walk *w)
{
    struct commit_waiting top = w->heap[0];
    w->heap[0] = w->heap[--w->count];
    for (size_t at = 0;;) {
        size_t first = at, left = 2 * at + 1, right = left + 1;
        if (left < w->count && comes_before(&w->heap[left], &w->heap[first]))
            first = left;
        if (right < w->count && comes_before(&w->heap[right], &w->heap[first]))
            first = right;
        if (first == at)
            return top;
        swap(&w->heap[at], &w->heap[first]);
        at = first;
    }
}

static str bytes_of(git_odb_object *object)
{
    return str_from(git_odb_object_data(object), git_odb_object_size(object));
}

static git_odb_object *read_commit(struct commit_walk *w, const git_oid *id)
{
    return object_read(w->odb, id, GIT_OBJECT_COMMIT, MAX_COMMIT_BYTES);
}

bool commit_walk_push(struct commit_walk *w, const git_oid *id)
{
    if (oid_set_has(&w->found, id))
        return true;
    git_odb_object *object = read_commit(w, id);
    if (!object)
        return false;
    struct arena parents = {0};
    struct commit_object commit;
    bool ok = commit_object_parse(&parents, bytes_of(object), &commit);
    if (ok && oid_set_add(&w->found, id))
        heap_push(w, (struct commit_waiting){*id, commit.commit_s, w->pushed++});
    arena_free(&parents);
    git_odb_object_free(object);
    return ok;
}

void commit_walk_push_references(struct commit_walk *w, git_repository *r, const char *glob)
{
    git_reference_iterator *all = NULL;
    git_reference *reference;
    if (git_reference_iterator_glob_new(&all, r, glob) != 0)
        return;
    while (w->count < MAX_HISTORY_FRONTIER && git_reference_next(&reference, all) == 0) {
        git_object *commit = NULL; /* behind a tag's own object, or a name */
        if (git_reference_peel(&commit, reference, GIT_OBJECT_COMMIT) == 0)
            commit_walk_push(w, git_object_id(commit));
        git_object_free(commit);
        git_reference_free(reference);
    }
    git_reference_iterator_free(all);
}

bool commit_walk_next(struct arena *a, struct commit_walk *w, struct commit_visit *visit)
{
    while (w->count) {
        git_odb_object_free(visit->object);
        *visit = (struct commit_visit){.id = heap_pop(w).id};
        visit->object = read_commit(w, &visit->id);
        if (!visit->object || !commit_object_parse(a, bytes_of(visit->object), &visit->commit))
            continue; /* it went since it was pushed */
        for (size_t i = 0; i < visit->commit.parent_count; i++)
            visit->parents_missing |= !commit_walk_push(w, &visit->commit.parents[i]);
        w->is_shallow |= visit->parents_missing;
        return true;
    }
    return false;
}

void commit_walk_close(struct commit_walk *w, struct commit_visit *visit)
{
    git_odb_object_free(visit->object);
    visit->object = NULL;
    heap_free(w->heap);
    oid_set_free(&w->found);
}
