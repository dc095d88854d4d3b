#include "parsers/parsers.h"

#include "memory/base/unicode.h"
#include "parsers/commit_lines.h"
#include "parsers/commit_message.h"
#include "parsers/commit_tags.h"
#include "parsers/commit_trees.h"
#include "parsers/commit_walk.h"
#include "parsers/repository.h"
#include "parsers/worktree_folder.h"

#include <fcntl.h>
#include <unistd.h>

struct history {
    git_repository *repository;
    git_odb *odb;
    git_mailmap *mailmap; /* NULL: none */
    struct commit_walk walk;
    struct object_cache trees, blobs;
    size_t lines_left; /* commits that still get their changed lines */
};

/* ---- where it begins and ends ---- */

/* The .mailmap of the work tree, opened by us: libgit2 would follow a link and wait for a FIFO. */
static git_mailmap *read_mailmap(git_repository *r)
{
    const char *folder = git_repository_workdir(r);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        return NULL;
    struct arena a = {0};
    git_mailmap *out = NULL;
    str bytes = read_rules_file(&a, fd, ".mailmap");
    if (bytes.len && git_mailmap_from_buffer(&out, bytes.at, bytes.len) != 0)
        out = NULL;
    arena_free(&a);
    close(fd);
    return out;
}

/* The tips, without what is known; a tip that is gone is left out. */
static bool push_tips(struct history *h, const struct commits_ask *ask, struct err *e)
{
    git_oid id;
    for (str rest = ask->known; rest.len >= sizeof id.id;
         rest = str_cut(rest, sizeof id.id, rest.len)) {
        memcpy(id.id, rest.at, sizeof id.id);
        oid_set_add(&h->walk.found, &id);
    }
    for (size_t i = 0; i < ask->tip_count; i++) {
        if (!oid_parse(ask->tips[i], &id))
            return fail(e, ERR_INPUT, "'%.*s' is no object id", FMT(ask->tips[i]));
        commit_walk_push(&h->walk, &id);
    }
    if (ask->from_head && git_reference_name_to_id(&id, h->repository, "HEAD") == 0)
        commit_walk_push(&h->walk, &id);
    if (ask->all_branches) {
        commit_walk_push_references(&h->walk, h->repository, "refs/heads/*");
        commit_walk_push_references(&h->walk, h->repository, "refs/remotes/*");
    }
    return true;
}

/* Ids of what waits, newest first. */
static void read_frontier(struct arena *a, struct history *h, struct commit_history *out)
{
    size_t count = h->walk.count < MAX_HISTORY_FRONTIER ? h->walk.count : MAX_HISTORY_FRONTIER;
    out->frontier = ARENA_ARRAY(a, str, count);
    out->frontier_count = out->frontier_capacity = count;
    for (size_t i = 0; i < count; i++)
        out->frontier[i] = oid_hex(a, &h->walk.heap[i].id);
}

/* ---- one commit ---- */

static str person(struct arena *a, const struct commit_object *c, str text)
{
    enum { MAX_READ_BYTES = 2 * MAX_COMMIT_PERSON_BYTES };
    str whole = commit_object_text(a, c, str_cut(text, 0, MAX_READ_BYTES));
    return utf8_prefix(whole, MAX_COMMIT_PERSON_BYTES);
}

static void read_author(struct arena *a, const git_mailmap *mailmap, const struct commit_object *c,
                        struct commit_record *out)
{
    out->author = person(a, c, c->author);
    out->author_email = person(a, c, c->author_email);
    const char *name, *email;
    if (mailmap && git_mailmap_resolve(&name, &email, mailmap, arena_cstr(a, out->author),
                                       arena_cstr(a, out->author_email)) == 0) {
        out->author = person(a, c, str_of(name));
        out->author_email = person(a, c, str_of(email));
    }
}

static bool read_tree_id(git_odb *odb, const git_oid *commit, git_oid *out)
{
    struct arena a = {0};
    struct commit_object parsed;
    git_odb_object *object = object_read(odb, commit, GIT_OBJECT_COMMIT, MAX_COMMIT_BYTES);
    if (!object)
        return false;
    str bytes = str_from(git_odb_object_data(object), git_odb_object_size(object));
    bool ok = commit_object_parse(&a, bytes, &parsed);
    if (ok)
        *out = parsed.tree;
    git_odb_object_free(object);
    arena_free(&a);
    return ok;
}

/* What it changed against its one parent, or everything where it has none. */
static void read_changes(struct arena *a, struct history *h, const struct commit_visit *v,
                         struct commit_record *out)
{
    git_oid before = {{0}};
    bool has_parent = v->commit.parent_count > 0;
    if (v->parents_missing ||
        (has_parent && !read_tree_id(h->odb, &v->commit.parents[0], &before))) {
        out->changes_cut = true;
        return;
    }
    commit_changes_read(a, &h->trees, has_parent ? &before : NULL, &v->commit.tree, out);
    if (h->lines_left) {
        h->lines_left--;
        commit_lines_read(a, &h->blobs, out);
    }
}

static void read_commit(struct arena *a, struct history *h, const struct commit_visit *v,
                        struct commit_record *out)
{
    const struct commit_object *c = &v->commit;
    *out = (struct commit_record){.id = oid_hex(a, &v->id),
                                  .author_s = c->author_s,
                                  .commit_s = c->commit_s,
                                  .parent_count = c->parent_count,
                                  .is_merge = c->parent_count > 1,
                                  .changes_cut = c->parents_cut};
    out->parents = ARENA_ARRAY(a, str, c->parent_count);
    for (size_t i = 0; i < c->parent_count; i++)
        out->parents[i] = oid_hex(a, &c->parents[i]);
    read_author(a, h->mailmap, c, out);
    commit_message_read(a, commit_object_text(a, c, c->message), out);
    if (!out->is_merge)
        read_changes(a, h, v, out);
}

static void read_all(struct history *h, const struct commits_ask *ask, commit_sink *sink, void *ctx)
{
    struct arena one = {0};
    struct commit_visit visit = {0};
    bool more = true;
    for (size_t n = 0; more && n < ask->most && (!ask->go_on || ask->go_on(ask->ctx)); n++) {
        struct arena mark = one;
        struct commit_record record;
        more = commit_walk_next(&one, &h->walk, &visit);
        if (more) {
            read_commit(&one, h, &visit, &record);
            more = sink(ctx, &record);
        }
        arena_rewind(&one, mark);
    }
    git_odb_object_free(visit.object);
    arena_free(&one);
}

bool commits_read(struct arena *a, str root, const struct commits_ask *ask, commit_sink *sink,
                  void *ctx, struct commit_history *out, struct err *e)
{
    *out = (struct commit_history){0};
    struct history *h = ARENA_NEW(a, struct history);
    h->lines_left = ask->lines_for;
    h->repository = repository_open(a, root, &out->note);
    if (!h->repository)
        return true;
    bool ok = git_repository_odb(&h->odb, h->repository) == 0 ||
              repository_fail(e, "the repository's objects cannot be read");
    if (ok) {
        h->walk.odb = h->odb;
        object_cache_open(&h->trees, h->odb, GIT_OBJECT_TREE, MAX_TREE_BYTES,
                          MAX_CACHED_TREE_BYTES);
        object_cache_open(&h->blobs, h->odb, GIT_OBJECT_BLOB, MAX_DIFFED_BLOB_BYTES,
                          MAX_CACHED_BLOB_BYTES);
        h->mailmap = read_mailmap(h->repository);
        ok = push_tips(h, ask, e);
    }
    if (ok) {
        read_all(h, ask, sink, ctx);
        read_frontier(a, h, out);
        out->is_shallow = h->walk.is_shallow;
        if (ask->from_head)
            commit_tags_read(a, h->repository, out);
    }
    commit_walk_close(&h->walk, &(struct commit_visit){0});
    object_cache_close(&h->trees);
    object_cache_close(&h->blobs);
    git_mailmap_free(h->mailmap);
    git_odb_free(h->odb);
    git_repository_free(h->repository);
    return ok;
}
