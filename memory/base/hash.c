#include "memory/base/hash.h"

#include <sys/random.h>
#include <xxhash.h>

uint64_t hash64(str s)
{
    return XXH3_64bits(s.at, s.len);
}

uint64_t hash64_seeded(str s, uint64_t seed)
{
    return XXH3_64bits_withSeed(s.at, s.len, seed);
}

uint64_t hash_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = (uintptr_t)&seed; /* where the stack lies is random, too, if less so */
    return seed | 1;
}

str hash128_hex(struct arena *a, str s)
{
    XXH128_hash_t h = XXH3_128bits(s.at, s.len);
    return arena_printf(a, "%016llx%016llx", (unsigned long long)h.high64,
                        (unsigned long long)h.low64);
}

static struct map_slot *probe(const struct map *m, str key, uint64_t hash)
{
    size_t mask = m->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct map_slot *slot = &m->slots[i];
        if (!slot->used || (slot->hash == hash && str_eq(slot->key, key)))
            return slot;
    }
}

int64_t *map_find(const struct map *m, str key)
{
    if (!m->count)
        return NULL;
    struct map_slot *slot = probe(m, key, hash64(key));
    return slot->used ? &slot->value : NULL;
}

static void grow(struct map *m)
{
    struct map old = *m;
    m->capacity = old.capacity ? old.capacity * 2 : 32;
    m->slots = heap_alloc(m->capacity, sizeof *m->slots);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].used)
            *probe(m, old.slots[i].key, old.slots[i].hash) = old.slots[i];
    heap_free(old.slots);
}

int64_t *map_put(struct map *m, str key, int64_t initial, bool *is_new)
{
    if (m->count * 4 >= m->capacity * 3)
        grow(m);
    uint64_t hash = hash64(key);
    struct map_slot *slot = probe(m, key, hash);
    bool fresh = !slot->used;
    if (fresh) {
        *slot = (struct map_slot){key, hash, initial, true};
        m->count++;
    }
    if (is_new)
        *is_new = fresh;
    return &slot->value;
}

void map_free(struct map *m)
{
    heap_free(m->slots);
    *m = (struct map){0};
}
