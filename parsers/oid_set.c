#include "parsers/oid_set.h"

#include "memory/base/arena.h"

#include <string.h>

/* Where the id is, or where it would go. Its own bytes are hash enough. */
static size_t place_of(const struct oid_set *s, const git_oid *id)
{
    size_t at;
    memcpy(&at, id->id, sizeof at);
    while (!git_oid_is_zero(&s->slots[at & (s->capacity - 1)]) &&
           !git_oid_equal(&s->slots[at & (s->capacity - 1)], id))
        at++;
    return at & (s->capacity - 1);
}

bool oid_set_has(const struct oid_set *s, const git_oid *id)
{
    return s->count && git_oid_equal(&s->slots[place_of(s, id)], id);
}

static void grow(struct oid_set *s)
{
    enum { FIRST_CAPACITY = 1024 };
    struct oid_set larger = {.capacity = s->capacity ? 2 * s->capacity : FIRST_CAPACITY};
    larger.slots = heap_alloc(larger.capacity, sizeof *larger.slots);
    memset(larger.slots, 0, larger.capacity * sizeof *larger.slots);
    for (size_t i = 0; i < s->capacity; i++)
        if (!git_oid_is_zero(&s->slots[i]))
            larger.slots[place_of(&larger, &s->slots[i])] = s->slots[i];
    larger.count = s->count;
    heap_free(s->slots);
    *s = larger;
}

bool oid_set_add(struct oid_set *s, const git_oid *id)
{
    if (2 * s->count >= s->capacity)
        grow(s);
    size_t at = place_of(s, id);
    if (git_oid_is_zero(id) || git_oid_equal(&s->slots[at], id))
        return false;
    s->slots[at] = *id;
    s->count++;
    return true;
}

void oid_set_free(struct oid_set *s)
{
    heap_free(s->slots);
    *s = (struct oid_set){0};
}
