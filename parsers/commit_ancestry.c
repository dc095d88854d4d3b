#include "parsers/parsers.h"

#include "parsers/commit_walk.h"
#include "parsers/repository.h"

struct ancestry {
    struct commit_walk walk;
    struct oid_set wanted, of_head, of_others;
    size_t left; /* of the wanted ones, not found yet */
};

/* Goes on from what was pushed, noting what it meets that is wanted. */
static void walk(struct ancestry *s, struct oid_set *found)
{
    struct arena one = {0};
    struct commit_visit visit = {0};
    struct arena mark = one;
    while (s->left && commit_walk_next(&one, &s->walk, &visit)) {
        if (oid_set_has(&s->wanted, &visit.id) && oid_set_add(found, &visit.id))
            s->left--;
        arena_rewind(&one, mark);
    }
    git_odb_object_free(visit.object);
    arena_free(&one);
}

static bool read_wanted(struct ancestry *s, const str *ids, git_oid *parsed, size_t count,
                        struct err *e)
{
    for (size_t i = 0; i < count; i++) {
        if (!oid_parse(ids[i], &parsed[i]))
            return fail(e, ERR_INPUT, "'%.*s' is no object id", FMT(ids[i]));
        s->left += oid_set_add(&s->wanted, &parsed[i]);
    }
    return true;
}

static void walk_all(struct ancestry *s, git_repository *r)
{
    git_oid head;
    if (git_reference_name_to_id(&head, r, "HEAD") == 0)
        commit_walk_push(&s->walk, &head);
    walk(s, &s->of_head);
    static const char *const others[] = {"refs/heads/*", "refs/remotes/*", "refs/tags/*"};
    for (size_t i = 0; s->left && i < sizeof others / sizeof *others; i++)
        commit_walk_push_references(&s->walk, r, others[i]);
    walk(s, &s->of_others);
}

bool commits_ancestry(struct arena *a, str root, const str *ids, size_t count,
                      enum commit_ancestry *out, str *note, struct err *e)
{
    struct ancestry s = {0};
    git_oid *parsed = ARENA_ARRAY(a, git_oid, count);
    git_repository *r = repository_open(a, root, note);
    bool ok = read_wanted(&s, ids, parsed, count, e);
    if (ok && r && git_repository_odb(&s.walk.odb, r) == 0)
        walk_all(&s, r);
    for (size_t i = 0; ok && i < count; i++)
        out[i] = oid_set_has(&s.of_head, &parsed[i])     ? ANCESTRY_HEAD
                 : oid_set_has(&s.of_others, &parsed[i]) ? ANCESTRY_OTHER
                                                         : ANCESTRY_NONE;
    git_odb_free(s.walk.odb);
    git_repository_free(r);
    commit_walk_close(&s.walk, &(struct commit_visit){0});
    oid_set_free(&s.wanted);
    oid_set_free(&s.of_head);
    oid_set_free(&s.of_others);
    return ok;
}
