#include "memory/known_names.h"

#include "memory/base/ascii.h"
#include "memory/base/hash.h"

enum {
    FLAG_BITS = 3,
    MAX_PROBES = 1024, /* chance alone leads to some hundred among a million of names */
};

/* NULL: so many fall on one place that somebody chose them for it. */
static uint64_t *slot_of(const struct known_names *k, uint64_t hash)
{
    for (size_t i = 0; i < MAX_PROBES && i < k->capacity; i++) {
        uint64_t *slot = &k->slots[((hash >> 2) + i) & (k->capacity - 1)];
        if (!*slot || (*slot ^ hash) <= FLAG_BITS)
            return slot;
    }
    return NULL;
}

static void give_up(struct known_names *k)
{
    known_names_free(k);
    k->crowded = true;
}

static void grow(struct known_names *k)
{
    struct known_names larger = {.known = k->known, .count = k->count};
    larger.capacity = k->capacity ? 2 * k->capacity : 1024;
    larger.slots = heap_alloc(larger.capacity, sizeof *larger.slots);
    for (size_t i = 0; i < k->capacity && !larger.crowded; i++) {
        uint64_t *slot = k->slots[i] ? slot_of(&larger, k->slots[i]) : NULL;
        if (slot)
            *slot = k->slots[i];
        else if (k->slots[i])
            give_up(&larger);
    }
    heap_free(k->slots);
    *k = larger;
}

static void add(struct known_names *k, str text, uint64_t what)
{
    if (!k->crowded && 4 * (k->count + 1) > 3 * k->capacity)
        grow(k);
    if (k->crowded)
        return;
    uint64_t hash = hash64(text) & ~(uint64_t)FLAG_BITS;
    uint64_t *slot = slot_of(k, hash);
    if (!slot) {
        give_up(k);
        return;
    }
    k->count += !*slot;
    *slot |= hash | what;
}

static bool is_sign(char c)
{
    return !ascii_is_alnum(c) && (unsigned char)c < 0x80;
}

void known_names_add(struct known_names *k, str normal)
{
    k->known = !k->crowded;
    add(k, normal, NAME_IS);
    for (size_t to = 1; to < normal.len && k->known; to++) {
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
    k->known = ok && l.read <= most && !k->crowded;
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
    const uint64_t *slot = slot_of(k, hash64(normal) & ~(uint64_t)FLAG_BITS);
    return slot ? (int)(*slot & FLAG_BITS) : NAME_OPENS | NAME_IS;
}

void known_names_free(struct known_names *k)
{
    heap_free(k->slots);
    *k = (struct known_names){0};
}
