#include "parsers/object_cache.h"

void object_cache_open(struct object_cache *c, git_odb *odb, git_object_t type,
                       size_t max_object_bytes, size_t max_bytes)
{
    *c = (struct object_cache){
        .odb = odb, .type = type, .max_object_bytes = max_object_bytes, .max_bytes = max_bytes};
}

static void drop(struct object_cache *c, size_t slot)
{
    if (!c->slots[slot])
        return;
    c->held_bytes -= git_odb_object_size(c->slots[slot]);
    git_odb_object_free(c->slots[slot]);
    c->slots[slot] = NULL;
}

void object_cache_close(struct object_cache *c)
{
    for (size_t i = 0; i < CACHED_OBJECTS; i++)
        drop(c, i);
}

static void keep(struct object_cache *c, size_t slot, git_odb_object *object)
{
    size_t bytes = git_odb_object_size(object);
    drop(c, slot);
    if (bytes > c->max_bytes / 4)
        return;
    while (c->held_bytes + bytes > c->max_bytes)
        drop(c, c->hand++ % CACHED_OBJECTS);
    if (git_odb_object_dup(&c->slots[slot], object) == 0)
        c->held_bytes += bytes;
}

git_odb_object *object_read(git_odb *odb, const git_oid *id, git_object_t type, size_t max_bytes)
{
    git_odb_object *object = NULL;
    size_t bytes;
    git_object_t is;
    if (type == GIT_OBJECT_BLOB &&
        (git_odb_read_header(&bytes, &is, odb, id) != 0 || is != type || bytes > max_bytes))
        return NULL;
    if (git_odb_read(&object, odb, id) != 0)
        return NULL;
    if (git_odb_object_type(object) == type && git_odb_object_size(object) <= max_bytes)
        return object;
    git_odb_object_free(object);
    return NULL;
}

git_odb_object *object_cache_get(struct object_cache *c, const git_oid *id)
{
    size_t slot = (id->id[0] | (size_t)id->id[1] << 8) % CACHED_OBJECTS;
    git_odb_object *object = NULL;
    if (c->slots[slot] && git_oid_equal(git_odb_object_id(c->slots[slot]), id))
        return git_odb_object_dup(&object, c->slots[slot]) == 0 ? object : NULL;
    object = object_read(c->odb, id, c->type, c->max_object_bytes);
    if (object)
        keep(c, slot, object);
    return object;
}
