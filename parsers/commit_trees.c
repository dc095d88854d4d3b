#include "parsers/commit_trees.h"

#include "memory/base/unicode.h"
#include "parsers/repository.h"

/* ---- entries: "mode name" NUL id ---- */

bool tree_entry_next(str *rest, struct tree_entry *out, bool *bad)
{
    if (!rest->len)
        return false;
    size_t nul = str_find_char(*rest, '\0', 0), blank = str_find_char(*rest, ' ', 0);
    if (blank >= nul || rest->len - nul < 1 + GIT_OID_RAWSZ) {
        *bad = true;
        return false;
    }
    str mode = str_cut(*rest, 0, blank);
    out->name = str_cut(*rest, blank + 1, nul);
    out->id = (const git_oid *)(const void *)(rest->at + nul + 1);
    out->is_tree = str_eq(mode, S("40000")) || str_eq(mode, S("040000"));
    out->is_submodule = str_eq(mode, S("160000"));
    *rest = str_cut(*rest, nul + 1 + GIT_OID_RAWSZ, rest->len);
    return true;
}

/* The byte behind the name in git's order, where a tree's name ends in a slash. */
static int byte_at(const struct tree_entry *e, size_t at)
{
    return at < e->name.len ? (unsigned char)e->name.at[at] : e->is_tree ? '/' : 0;
}

static int compare(const struct tree_entry *left, const struct tree_entry *right)
{
    size_t both = left->name.len < right->name.len ? left->name.len : right->name.len;
    int order = memcmp(left->name.at, right->name.at, both);
    return order ? order : byte_at(left, both) - byte_at(right, both);
}

/* ---- the walk ---- */

enum { MAX_DEPTH = 256 };

struct side {
    git_odb_object *tree; /* NULL: there is none on this side */
    str rest;
};

struct level {
    struct side before, behind;
    size_t path_bytes; /* with the '/' at its end */
};

struct walk {
    struct arena *a;
    struct object_cache *cache;
    struct commit_record *out;
    struct level stack[MAX_DEPTH];
    size_t depth, pairs;
    char path[MAX_COMMIT_PATH_BYTES];
    bool cut;      /* something is missing */
    bool too_many; /* nothing is to be listed */
};

static bool open_side(struct walk *w, const git_oid *id, struct side *out)
{
    *out = (struct side){0};
    if (!id)
        return true;
    out->tree = object_cache_get(w->cache, id);
    if (!out->tree)
        return false;
    out->rest = str_from(git_odb_object_data(out->tree), git_odb_object_size(out->tree));
    return true;
}

static void close_level(struct level *level)
{
    git_odb_object_free(level->before.tree);
    git_odb_object_free(level->behind.tree);
}

/* Either id may be NULL. */
static void push(struct walk *w, const git_oid *before, const git_oid *behind, size_t path_bytes)
{
    if (w->depth == MAX_DEPTH || ++w->pairs > MAX_TREE_PAIRS) {
        w->cut = true;
        w->too_many |= w->pairs > MAX_TREE_PAIRS;
        return;
    }
    struct level *level = &w->stack[w->depth];
    bool opened = open_side(w, before, &level->before);
    opened = open_side(w, behind, &level->behind) && opened;
    level->path_bytes = path_bytes;
    if (opened) {
        w->depth++;
        return;
    }
    w->cut = true;
    close_level(level);
}

/* The path of an entry of the top level; its length, 0 where it is none that a file can have. */
static size_t path_of(struct walk *w, const struct tree_entry *e)
{
    size_t at = w->stack[w->depth - 1].path_bytes, end = at + e->name.len;
    bool plain = e->name.len && end + 1 < sizeof w->path && !str_eq(e->name, S(".")) &&
                 !str_eq(e->name, S("..")) && str_find_char(e->name, '/', 0) == e->name.len;
    if (!plain) {
        w->cut = true;
        return 0;
    }
    memcpy(w->path + at, e->name.at, e->name.len);
    return end;
}

static str id_of(struct walk *w, const struct tree_entry *e)
{
    return e && !e->is_submodule ? oid_hex(w->a, e->id) : S("");
}

static void add_change(struct walk *w, const struct tree_entry *before,
                       const struct tree_entry *behind, size_t path_bytes)
{
    struct commit_record *out = w->out;
    if (out->change_count == MAX_COMMIT_CHANGES) {
        w->too_many = true;
        return;
    }
    str path = utf8_repair(w->a, arena_str(w->a, str_from(w->path, path_bytes)));
    if (path.len > MAX_COMMIT_PATH_BYTES) {
        w->cut = true;
        return;
    }
    ARENA_GROW(w->a, out->changes, out->change_count, out->change_capacity);
    out->changes[out->change_count++] = (struct commit_change){
        .path = path,
        .kind = !before   ? CHANGE_ADDED
                : !behind ? CHANGE_DELETED
                          : CHANGE_MODIFIED,
        .blob = id_of(w, behind ? behind : before),
        .old_blob = before && behind ? id_of(w, before) : S(""),
    };
}

/* Either entry may be NULL; both are of one kind. */
static void differ(struct walk *w, const struct tree_entry *before, const struct tree_entry *behind)
{
    const struct tree_entry *any = before ? before : behind;
    size_t end = path_of(w, any);
    if (!end)
        return;
    if (!any->is_tree) {
        add_change(w, before, behind, end);
        return;
    }
    w->path[end] = '/';
    push(w, before ? before->id : NULL, behind ? behind->id : NULL, end + 1);
}

/* Skips entries that are equal to the byte on both sides. */
static void skip_equal(struct level *level, bool *bad)
{
    struct tree_entry e;
    for (;;) {
        str rest = level->before.rest;
        if (!tree_entry_next(&rest, &e, bad))
            return;
        size_t bytes = level->before.rest.len - rest.len;
        if (level->behind.rest.len < bytes ||
            memcmp(level->before.rest.at, level->behind.rest.at, bytes) != 0)
            return;
        level->before.rest = rest;
        level->behind.rest = str_cut(level->behind.rest, bytes, level->behind.rest.len);
    }
}

/* One step at the top level: a difference, or its end. */
static void step(struct walk *w)
{
    struct level *level = &w->stack[w->depth - 1];
    struct tree_entry before, behind;
    bool bad = false;
    if (level->before.tree && level->behind.tree)
        skip_equal(level, &bad);
    str before_rest = level->before.rest, behind_rest = level->behind.rest;
    bool has_before = tree_entry_next(&before_rest, &before, &bad);
    bool has_behind = tree_entry_next(&behind_rest, &behind, &bad);
    if (bad || (!has_before && !has_behind)) {
        w->cut |= bad;
        close_level(level);
        w->depth--;
        return;
    }
    int order = !has_before ? 1 : !has_behind ? -1 : compare(&before, &behind);
    if (order <= 0)
        level->before.rest = before_rest;
    if (order >= 0)
        level->behind.rest = behind_rest;
    if (order == 0 && git_oid_equal(before.id, behind.id))
        return; /* the mode alone */
    differ(w, order <= 0 ? &before : NULL, order >= 0 ? &behind : NULL);
}

/* ---- renames ---- */

/* The deleted file with the content of this added one: one of the same name if there is; NULL. */
static struct commit_change *origin_of(struct commit_record *out, const struct commit_change *added)
{
    struct commit_change *found = NULL;
    for (size_t i = 0; i < out->change_count; i++) {
        struct commit_change *c = &out->changes[i];
        if (c->kind != CHANGE_DELETED || !c->path.len || !str_eq(c->blob, added->blob))
            continue;
        if (!found)
            found = c;
        if (str_eq(str_file_name(c->path), str_file_name(added->path)))
            return c;
    }
    return found;
}

static bool has_kind(const struct commit_record *c, enum commit_change_kind kind)
{
    for (size_t i = 0; i < c->change_count; i++)
        if (c->changes[i].kind == kind)
            return true;
    return false;
}

/* Joins a file that went with one of the same content that came; each only once. */
static void join_renames(struct commit_record *out)
{
    static const str empty_blob = {"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", GIT_OID_HEXSZ};
    if (!has_kind(out, CHANGE_DELETED) || !has_kind(out, CHANGE_ADDED))
        return;
    for (size_t i = 0; i < out->change_count; i++) {
        struct commit_change *added = &out->changes[i];
        if (added->kind != CHANGE_ADDED || !added->blob.len || str_eq(added->blob, empty_blob))
            continue;
        struct commit_change *origin = origin_of(out, added);
        if (!origin)
            continue;
        added->kind = CHANGE_RENAMED;
        added->old_path = origin->path;
        origin->path = S(""); /* taken */
    }
    size_t kept = 0;
    for (size_t i = 0; i < out->change_count; i++)
        if (out->changes[i].path.len)
            out->changes[kept++] = out->changes[i];
    out->change_count = kept;
}

void commit_changes_read(struct arena *a, struct object_cache *trees, const git_oid *before,
                         const git_oid *behind, struct commit_record *out)
{
    struct walk w = {.a = a, .cache = trees, .out = out};
    push(&w, before, behind, 0);
    while (w.depth && !w.too_many)
        step(&w);
    while (w.depth)
        close_level(&w.stack[--w.depth]);
    if (w.too_many)
        out->change_count = 0;
    out->changes_cut |= w.cut || w.too_many;
    join_renames(out);
}
