/* Hashes of content, by xxHash: 64 bits for tables in memory, 128 bits for identities that are
 * stored. */
#ifndef ENGRAM_BASE_HASH_H
#define ENGRAM_BASE_HASH_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

uint64_t hash64(str s);

/* For a table whose texts somebody may choose: without the seed nobody can tell which of them fall
 * on one place. */
uint64_t hash64_seeded(str s, uint64_t seed);
uint64_t hash_seed(void); /* random, never 0 */

/* 32 lower-case hexadecimal digits of XXH3-128. Not cryptographic: it finds changes, it proves
 * nothing. */
str hash128_hex(struct arena *a, str s);

/* Maps texts to numbers. Open addressing, keys borrowed (they must outlive the map), heap-held.
 * Zeroed is empty. */
struct map {
    struct map_slot {
        str key;
        uint64_t hash;
        int64_t value;
        bool used;
    } * slots;
    size_t count, capacity; /* capacity is a power of two */
};

/* NULL where the key isn't there. The pointer lives until the next map_put. */
int64_t *map_find(const struct map *m, str key);

/* The value's place, made with `initial` where the key is new; *is_new may be NULL. */
int64_t *map_put(struct map *m, str key, int64_t initial, bool *is_new);
void map_free(struct map *m);

#endif
