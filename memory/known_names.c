#include "memory/known_names.h"

#include "memory/base/ascii.h"
#include "memory/base/hash.h"

enum { FLAG_BITS = 3 };

static uint64_t *slot_of(const struct known_names *k, uint64_t hash)
{
    for (size_t i = 0;; i++) { /* some are free: see add */
        uint64_t *slot = &k->slots[((hash >> 2) + i) & (k->capacity - 1)];
        if (!*slot || (*slot ^ hash) <= FLAG_BITS)
            return slot;
    }
}

static uint64_t hash_of(const struct known_names *k, str text)
{
    return hash64_seeded(text, k->seed) & ~(uint64_t)FLAG_BITS;
}

static void grow(struct known_names *k)
{
    struct known_names larger = *k;
    larger.capacity = k->capacity ? 2 * k->capacity : 1024;
    larger.slots = heap_alloc(larger.capacity, sizeof *larger.slots);
    for (size_t i = 0; i < k->capacity; i++)
        if (k->slots[i])
            *slot_of(&larger, k->slots[i]) = k->slots[i];
    heap_free(k->slots);
    *k = larger;
}

static void add(struct known_names *k, str text, uint64_t what)
{
    if (!k->seed)
        k->seed = hash_seed();
    if (4 * (k->count + 1) > 3 * k->capacity)
        grow(k);
    uint64_t hash = hash_of(k, text), *slot = slot_of(k, hash);
    k->count += !*slot;
    *slot |= hash | what;
}

static bool is_sign(char c)
{
    return !ascii_is_alnum(c) && (unsigned char)c < 0x80;
}

void known_names_add(struct known_names *k, str normal)
{
    k->known = true;
    add(k, normal, NAME_IS);
    for (size_t to = 1; to < normal.len; to++) {
        unsigned char c = (unsigned char)normal.at[to], before = (unsigned char)normal.at[to - 1];
        bool begins = c >= 0xC0 || (c < 0x80 && before >= 0x80); /* scripts without blanks */
        if (is_sign(normal.at[to]) || begins)
            add(k, str_cut(normal, 0, to), NAME_OPENS);
    }
}

struct loading {
    struct known_names *k;
    size_t read;
};

static void load_one(void *ctx, str normal)
{
    struct loading *l = ctx;
    l->read++;
    known_names_add(l->k, normal);
}

bool known_names_load(struct store *s, struct known_names *k, size_t most, struct err *e)
{
    struct loading l = {.k = k};
    known_names_free(k);
    bool ok = store_each_alias(s, most + 1, load_one, &l, e);
    k->known = ok && l.read <= most;
    if (!k->known)
        known_names_free(k);
    return ok;
}

int known_names_about(const struct known_names *k, str normal)
{
    if (!k->known)
        return NAME_OPENS | NAME_IS;
    if (!k->count)
        return 0;
    return (int)(*slot_of(k, hash_of(k, normal)) & FLAG_BITS);
}

void known_names_free(struct known_names *k)
{
    heap_free(k->slots);
    *k = (struct known_names){0};
}
