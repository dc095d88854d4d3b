#include "parsers/parsers.h"

#include "parsers/commit_lines.h"
#include "parsers/commit_object.h"
#include "parsers/commit_trees.h"
#include "parsers/line_diff.h"
#include "parsers/repository.h"

#include <stdlib.h>

enum {
    MAX_BLAME_STEPS = 200000,   /* commits */
    MAX_SUSPECTS = 4096,        /* at a time; the lines of further ones are cut */
    MAX_RENAME_CANDIDATES = 30, /* compared with one file */
};

struct traced {
    size_t answer; /* which one it will be */
    size_t line;   /* in the version that is looked at */
};

/* A version of the file, and the lines that are at least as old as it. */
struct suspect {
    git_oid commit, blob;
    int64_t commit_s;
    str path;
    struct traced *lines; /* heap; by line */
    size_t count, capacity;
};

struct blame {
    struct arena *a; /* of what is handed back */
    git_odb *odb;
    struct object_cache trees;
    struct suspect *suspects; /* heap; MAX_SUSPECTS at most */
    size_t count, capacity;
    struct commit_blame *out;
    const struct blame_ask *ask;
    git_oid known; /* its commit; zero: nothing is known */
};

/* One parent of the commit that is looked at. */
struct parent {
    git_oid commit, tree, blob;
    int64_t commit_s;
    str path;
    bool is_missing;
    bool has_file; /* by that path */
};

static str bytes_of(git_odb_object *object)
{
    return str_from(git_odb_object_data(object), git_odb_object_size(object));
}

/* ---- suspects ---- */

/* Lines whose way ends here. */
static void settle(struct blame *b, struct suspect *s, bool is_cut)
{
    str id = s->count ? oid_hex(b->a, &s->commit) : S("");
    for (size_t i = 0; i < s->count; i++)
        b->out[s->lines[i].answer] = (struct commit_blame){
            .id = id, .path = s->path, .line = s->lines[i].line, .is_cut = is_cut};
    s->count = 0;
}

static bool is_known(const struct blame *b, const struct suspect *s)
{
    return git_oid_equal(&s->commit, &b->known) && str_eq(s->path, b->ask->path);
}

/* *s keeps the others, and those that were cut: there may be more history than there was. */
static void settle_known(struct blame *b, struct suspect *s)
{
    const struct blame_known *known = &b->ask->known;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t line = s->lines[i].line;
        if (line <= known->count && !known->lines[line - 1].is_cut)
            b->out[s->lines[i].answer] = known->lines[line - 1];
        else
            s->lines[kept++] = s->lines[i];
    }
    s->count = kept;
}

static int compare_lines(const void *a, const void *b)
{
    size_t left = ((const struct traced *)a)->line, right = ((const struct traced *)b)->line;
    return (left > right) - (left < right);
}

/* Takes the lines of `from` over, which then has none. */
static void join(struct suspect *to, struct suspect *from)
{
    for (size_t i = 0; i < from->count; i++) {
        HEAP_GROW(to->lines, to->count, to->capacity);
        to->lines[to->count++] = from->lines[i];
    }
    qsort(to->lines, to->count, sizeof *to->lines, compare_lines);
    heap_free(from->lines);
}

/* Hands the lines of *s to a version of a parent; s->lines is that one's from then on. */
static void pass(struct blame *b, struct suspect *s, const struct parent *p)
{
    struct suspect next = *s;
    s->lines = NULL;
    s->count = s->capacity = 0;
    next.commit = p->commit;
    next.blob = p->blob;
    next.commit_s = p->commit_s;
    if (!str_eq(next.path, p->path))
        next.path = arena_str(b->a, p->path);
    for (size_t i = 0; i < b->count; i++) {
        struct suspect *other = &b->suspects[i];
        if (git_oid_equal(&other->commit, &next.commit) && str_eq(other->path, next.path)) {
            join(other, &next);
            return;
        }
    }
    if (b->count == MAX_SUSPECTS) {
        settle(b, &next, true);
        heap_free(next.lines);
        return;
    }
    HEAP_GROW(b->suspects, b->count, b->capacity);
    b->suspects[b->count++] = next;
}

/* Takes the newest one out: all lines that can still come to its commit have come then. */
static struct suspect take_newest(struct blame *b)
{
    size_t newest = 0;
    for (size_t i = 1; i < b->count; i++)
        if (b->suspects[i].commit_s > b->suspects[newest].commit_s)
            newest = i;
    struct suspect taken = b->suspects[newest];
    b->suspects[newest] = b->suspects[--b->count];
    return taken;
}

/* ---- lines ---- */

struct line_map {
    struct traced *lines;
    size_t count, next;          /* lines before `next` are mapped */
    size_t old_lines, new_lines; /* of the hunks so far */
};

/* Lines before this one of the text behind get their number in the text before. */
static void map_until(struct line_map *m, size_t line)
{
    for (; m->next < m->count && m->lines[m->next].line < line; m->next++)
        m->lines[m->next].line += m->old_lines - m->new_lines;
}

static bool map_hunk(void *ctx, const struct line_hunk *h)
{
    struct line_map *m = ctx;
    size_t first = h->new_start + (h->new_count == 0);
    map_until(m, first);
    for (; m->next < m->count && m->lines[m->next].line < first + h->new_count; m->next++)
        m->lines[m->next].line = 0; /* the text before has it not */
    m->old_lines += h->old_count;
    m->new_lines += h->new_count;
    return true;
}

static void map_lines(str before, str behind, struct traced *lines, size_t count)
{
    struct line_map m = {.lines = lines, .count = count};
    line_diff(before, behind, map_hunk, &m);
    map_until(&m, SIZE_MAX);
}

/* NULL for what is missing or too large to be compared. */
static git_odb_object *read_blob(struct blame *b, const git_oid *id)
{
    return object_read(b->odb, id, GIT_OBJECT_BLOB, MAX_DIFFED_BLOB_BYTES);
}

/* Hands the lines that a parent's version has to it; *s keeps the others. */
static void pass_older(struct blame *b, struct arena *scratch, struct suspect *s,
                       const struct parent *p)
{
    git_odb_object *behind = read_blob(b, &s->blob);
    git_odb_object *before = behind ? read_blob(b, &p->blob) : NULL;
    if (before) {
        struct traced *was = ARENA_ARRAY(scratch, struct traced, s->count);
        struct suspect younger = *s, older = *s;
        memcpy(was, s->lines, s->count * sizeof *was);
        map_lines(bytes_of(before), bytes_of(behind), older.lines, older.count);
        younger.lines = NULL;
        younger.count = younger.capacity = older.count = 0;
        for (size_t i = 0; i < s->count; i++) {
            if (s->lines[i].line) {
                older.lines[older.count++] = s->lines[i];
                continue;
            }
            HEAP_GROW(younger.lines, younger.count, younger.capacity);
            younger.lines[younger.count++] = was[i];
        }
        *s = younger;
        if (older.count)
            pass(b, &older, p);
        else
            heap_free(older.lines);
    }
    git_odb_object_free(behind);
    git_odb_object_free(before);
}

/* ---- trees ---- */

/* What a name stands for in a tree; false where it isn't in it. */
static bool find_entry(struct blame *b, const git_oid *tree, str name, git_oid *out, bool *is_tree)
{
    git_odb_object *object = object_cache_get(&b->trees, tree);
    if (!object)
        return false;
    str rest = bytes_of(object);
    struct tree_entry entry;
    bool bad = false, found = false;
    while (!found && tree_entry_next(&rest, &entry, &bad))
        found = str_eq(entry.name, name);
    if (found) {
        *out = *entry.id;
        *is_tree = entry.is_tree;
    }
    git_odb_object_free(object);
    return found;
}

static bool find_blob(struct blame *b, const git_oid *tree, str path, git_oid *out)
{
    git_oid at = *tree;
    bool is_tree = true;
    for (size_t from = 0; from < path.len;) {
        size_t slash = str_find_char(path, '/', from);
        git_oid folder = at;
        if (!is_tree || !find_entry(b, &folder, str_cut(path, from, slash), &at, &is_tree))
            return false;
        from = slash + 1;
    }
    *out = at;
    return !is_tree;
}

/* ---- renames ---- */

static bool count_deleted(void *ctx, const struct line_hunk *h)
{
    *(size_t *)ctx += h->old_count;
    return true;
}

/* How much of the file both versions have, of 100. */
static size_t likeness(struct blame *b, const git_oid *before, str behind)
{
    git_odb_object *object = read_blob(b, before);
    if (!object)
        return 0;
    size_t deleted = 0, old_lines = line_count(bytes_of(object));
    size_t lines = old_lines + line_count(behind);
    line_diff(bytes_of(object), behind, count_deleted, &deleted);
    git_odb_object_free(object);
    return lines ? 200 * (old_lines - deleted) / lines : 0;
}

static bool origin_by_likeness(struct blame *b, const struct suspect *s,
                               const struct commit_record *changes, struct parent *out)
{
    enum { LEAST = 50 }; /* as git has it */
    git_odb_object *behind = read_blob(b, &s->blob);
    size_t best = LEAST - 1, tried = 0;
    for (size_t i = 0; behind && i < changes->change_count && tried < MAX_RENAME_CANDIDATES; i++) {
        const struct commit_change *c = &changes->changes[i];
        git_oid id;
        if (c->kind != CHANGE_DELETED || !oid_parse(c->blob, &id))
            continue;
        tried++;
        size_t alike = likeness(b, &id, bytes_of(behind));
        if (alike > best) {
            best = alike;
            out->path = c->path;
            out->blob = id;
        }
    }
    git_odb_object_free(behind);
    return best >= LEAST;
}

/* What the file was called in a parent that has none of its name; false: it was new. */
static bool find_origin(struct blame *b, struct arena *scratch, const struct suspect *s,
                        const git_oid *tree, struct parent *out)
{
    struct commit_record changes = {0};
    commit_changes_read(scratch, &b->trees, &out->tree, tree, &changes);
    for (size_t i = 0; i < changes.change_count; i++) {
        const struct commit_change *c = &changes.changes[i];
        if (c->kind == CHANGE_RENAMED && str_eq(c->path, s->path)) {
            out->path = c->old_path;
            out->blob = s->blob;
            return true;
        }
    }
    return origin_by_likeness(b, s, &changes, out);
}

/* ---- the way back ---- */

/* `out` borrows from the object that is given back; NULL where it is no commit. */
static git_odb_object *read_commit(struct blame *b, struct arena *scratch, const git_oid *id,
                                   struct commit_object *out)
{
    git_odb_object *object = object_read(b->odb, id, GIT_OBJECT_COMMIT, MAX_COMMIT_BYTES);
    if (!object || commit_object_parse(scratch, bytes_of(object), out))
        return object;
    git_odb_object_free(object);
    return NULL;
}

static struct parent read_parent(struct blame *b, struct arena *scratch, const git_oid *id,
                                 const struct suspect *s)
{
    struct parent p = {.commit = *id, .path = s->path};
    struct commit_object c;
    git_odb_object *object = read_commit(b, scratch, id, &c);
    p.is_missing = !object;
    if (object) {
        p.tree = c.tree;
        p.commit_s = c.commit_s;
        p.has_file = find_blob(b, &p.tree, s->path, &p.blob);
    }
    git_odb_object_free(object);
    return p;
}

/* The lines go to the parent that has the same file; else each to the first that has it; what no
 * parent has the commit made. */
static void trace(struct blame *b, struct arena *scratch, struct suspect *s,
                  const struct commit_object *c)
{
    bool is_cut = c->parents_cut;
    struct parent *parents = ARENA_ARRAY(scratch, struct parent, c->parent_count);
    for (size_t i = 0; i < c->parent_count; i++) {
        parents[i] = read_parent(b, scratch, &c->parents[i], s);
        is_cut |= parents[i].is_missing;
        if (parents[i].has_file && git_oid_equal(&parents[i].blob, &s->blob)) {
            pass(b, s, &parents[i]);
            return;
        }
    }
    for (size_t i = 0; i < c->parent_count && s->count; i++)
        if (parents[i].has_file ||
            (!parents[i].is_missing && find_origin(b, scratch, s, &c->tree, &parents[i])))
            pass_older(b, scratch, s, &parents[i]);
    settle(b, s, is_cut);
}

static void trace_all(struct blame *b)
{
    struct arena scratch = {0};
    for (size_t steps = 0; b->count; steps++) {
        struct arena mark = scratch;
        struct suspect s = take_newest(b);
        struct commit_object c;
        if (is_known(b, &s))
            settle_known(b, &s);
        git_odb_object *object =
            s.count && steps < MAX_BLAME_STEPS ? read_commit(b, &scratch, &s.commit, &c) : NULL;
        if (object)
            trace(b, &scratch, &s, &c);
        settle(b, &s, true); /* what is left: the commit cannot be read, or the walk is too long */
        git_odb_object_free(object);
        heap_free(s.lines);
        arena_rewind(&scratch, mark);
    }
    arena_free(&scratch);
}

/* ---- where it begins ---- */

/* Lines of `text` that are asked for, as far as it has them. */
static void add_lines(struct suspect *s, str text, const size_t *lines, size_t count)
{
    size_t most = line_count(text);
    for (size_t i = 0; i < count; i++) {
        if (!lines[i] || lines[i] > most)
            continue;
        HEAP_GROW(s->lines, s->count, s->capacity);
        s->lines[s->count++] = (struct traced){i, lines[i]};
    }
}

/* Those that HEAD's version has, as they are numbered there. */
static void keep_committed(struct suspect *s, str head, str content)
{
    map_lines(head, content, s->lines, s->count);
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->lines[i].line)
            s->lines[kept++] = s->lines[i];
    s->count = kept;
}

/* HEAD's version with the lines that are asked for; without any where there is no such file. */
static void start(struct blame *b, git_repository *r, str path, const str *content,
                  const size_t *lines, size_t count)
{
    struct arena scratch = {0};
    struct suspect s = {.path = arena_str(b->a, path)};
    struct commit_object head;
    git_odb_object *commit = NULL, *blob = NULL;
    if (git_reference_name_to_id(&s.commit, r, "HEAD") == 0)
        commit = read_commit(b, &scratch, &s.commit, &head);
    if (commit && find_blob(b, &head.tree, path, &s.blob))
        blob = read_blob(b, &s.blob);
    if (blob) {
        s.commit_s = head.commit_s;
        add_lines(&s, content ? *content : bytes_of(blob), lines, count);
        if (content)
            keep_committed(&s, bytes_of(blob), *content);
        HEAP_GROW(b->suspects, b->count, b->capacity);
        b->suspects[b->count++] = s;
    }
    git_odb_object_free(blob);
    git_odb_object_free(commit);
    arena_free(&scratch);
}

bool commits_line_at_head(struct arena *a, str root, str path, const str *content, size_t line,
                          size_t *out, str *note, struct err *e)
{
    struct blame *b = ARENA_NEW(a, struct blame);
    b->a = a;
    *out = 0;
    git_repository *r = repository_open(a, root, note);
    if (!r)
        return true;
    bool ok = git_repository_odb(&b->odb, r) == 0 ||
              repository_fail(e, "the repository's objects cannot be read");
    if (ok) {
        object_cache_open(&b->trees, b->odb, GIT_OBJECT_TREE, MAX_TREE_BYTES,
                          MAX_CACHED_TREE_BYTES);
        start(b, r, path, content, &line, 1);
        if (b->count && b->suspects[0].count)
            *out = b->suspects[0].lines[0].line;
    }
    if (b->count)
        heap_free(b->suspects[0].lines);
    heap_free(b->suspects);
    object_cache_close(&b->trees);
    git_odb_free(b->odb);
    git_repository_free(r);
    return ok;
}

bool commits_blame(struct arena *a, const struct blame_ask *ask, struct commit_blame *out,
                   str *head, str *note, struct err *e)
{
    memset(out, 0, ask->count * sizeof *out);
    *head = S("");
    struct blame *b = ARENA_NEW(a, struct blame);
    b->a = a;
    b->out = out;
    b->ask = ask;
    if (ask->known.id.len && !oid_parse(ask->known.id, &b->known))
        return fail(e, ERR_INPUT, "'%.*s' is no object id", FMT(ask->known.id));
    git_repository *r = repository_open(a, ask->root, note);
    if (!r)
        return true;
    bool ok = git_repository_odb(&b->odb, r) == 0 ||
              repository_fail(e, "the repository's objects cannot be read");
    if (ok) {
        object_cache_open(&b->trees, b->odb, GIT_OBJECT_TREE, MAX_TREE_BYTES,
                          MAX_CACHED_TREE_BYTES);
        start(b, r, ask->path, ask->content, ask->lines, ask->count);
        if (b->count)
            *head = oid_hex(a, &b->suspects[0].commit);
        trace_all(b);
    }
    heap_free(b->suspects);
    object_cache_close(&b->trees);
    git_odb_free(b->odb);
    git_repository_free(r);
    return ok;
}
