#include "memory/near_names.h"

#include "memory/base/hash.h"
#include "memory/text.h"

#include <stdlib.h>

enum {
    MAX_ONE_LETTER = 32, /* bytes of a name that is looked up without each of its letters */
    MIN_TWO_EDITS = 10,  /* bytes of a name that may be two letters off */
    SHORT_FORM = 3,      /* letters that a short form may lack */
    MIN_SHORT_FORM = 6,
    MAX_WORDS = 8, /* of a name whose order is looked at */
    MIN_INITIALS = 3,
    MAX_UTF8_BYTES = 4, /* of a code point */
};

/* ---- two names ---- */

static bool has_digit_difference(str a, str b)
{
    size_t i = 0, k = 0;
    for (;;) { /* the digits of both, in order */
        while (i < a.len && !(a.at[i] >= '0' && a.at[i] <= '9'))
            i++;
        while (k < b.len && !(b.at[k] >= '0' && b.at[k] <= '9'))
            k++;
        if (i == a.len || k == b.len)
            return i != a.len || k != b.len;
        if (a.at[i++] != b.at[k++])
            return true;
    }
}

static bool equal_without_spaces(str a, str b)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a.len && a.at[i] == ' ')
            i++;
        while (k < b.len && b.at[k] == ' ')
            k++;
        if (i == a.len || k == b.len)
            return i == a.len && k == b.len;
        if (a.at[i++] != b.at[k++])
            return false;
    }
}

static bool is_short_form(str a, str b)
{
    str small = a.len < b.len ? a : b, large = a.len < b.len ? b : a;
    return small.len >= MIN_SHORT_FORM && large.len - small.len <= SHORT_FORM &&
           str_starts(large, small) && large.at[small.len] != ' ';
}

static bool are_few_edits_apart(str a, str b)
{
    size_t small = a.len < b.len ? a.len : b.len, large = a.len < b.len ? b.len : a.len;
    int most = small >= MIN_TWO_EDITS ? 2 : 1;
    bool may_be = large - small <= (size_t)most * MAX_UTF8_BYTES; /* most pairs are told by that */
    return may_be && text_edit_distance(a, b, most) <= most;
}

bool near_names_are_near(str a, str b)
{
    if (str_eq(a, b) || a.len < MIN_NEAR_BYTES || b.len < MIN_NEAR_BYTES)
        return false;
    return (equal_without_spaces(a, b) || is_short_form(a, b) || are_few_edits_apart(a, b)) &&
           !has_digit_difference(a, b);
}

/* ---- pieces ---- */

/* Names that share a piece of one sort are looked at together. */
enum sort {
    WITHOUT_SPACES,
    ONE_LETTER_OUT, /* the name, and it without each of its letters: a letter off shares one */
    PREFIX,         /* the name, and it without its last letters */
    WORDS,          /* in byte order */
    INITIALS,       /* of some words, and the name that they may be */
    PART,           /* a third of a long name, and where the same may stand in another one */
    SORT_COUNT
};

struct piece {
    uint64_t hash;
    uint32_t name;
    bool probe; /* looks for the others, isn't found itself: two probes are no pair */
};

struct finding {
    struct arena *a;
    const struct near_name *names;
    struct piece *pieces;
    size_t count, capacity;
    struct near_pair *pairs;
    size_t pair_count, pair_capacity;
};

static void add_piece(struct finding *f, enum sort sort, size_t name, uint64_t hash, bool probe)
{
    HEAP_GROW(f->pieces, f->count, f->capacity);
    f->pieces[f->count++] = (struct piece){hash * SORT_COUNT + sort, (uint32_t)name, probe};
}

static void add_letters(struct finding *f, size_t at, str name)
{
    char rest[MAX_ONE_LETTER];
    if (name.len < MIN_NEAR_BYTES - 1 || name.len > MAX_ONE_LETTER)
        return;
    add_piece(f, ONE_LETTER_OUT, at, hash64(name), false);
    for (size_t out = 0; out < name.len; out++) {
        if (out && name.at[out] == name.at[out - 1])
            continue; /* the same rest again */
        memcpy(rest, name.at, out);
        memcpy(rest + out, name.at + out + 1, name.len - out - 1);
        add_piece(f, ONE_LETTER_OUT, at, hash64(str_from(rest, name.len - 1)), false);
    }
}

static void add_prefixes(struct finding *f, size_t at, str name)
{
    if (name.len < MIN_SHORT_FORM)
        return;
    add_piece(f, PREFIX, at, hash64(name), false);
    for (size_t out = 1; out <= SHORT_FORM && name.len - out >= MIN_SHORT_FORM; out++)
        add_piece(f, PREFIX, at, hash64(str_cut(name, 0, name.len - out)), true);
}

static void add_words(struct finding *f, size_t at, str name)
{
    str rest = name, word, words[MAX_WORDS];
    char initials[MAX_WORDS], joined[MAX_NAME_BYTES];
    size_t count = 0, len = 0;
    while (count < MAX_WORDS && str_next_word(&rest, &word)) {
        initials[count] = word.at[0];
        words[count++] = word;
    }
    for (size_t i = 0; i < name.len && i < sizeof joined; i++)
        if (name.at[i] != ' ')
            joined[len++] = name.at[i];
    add_piece(f, WITHOUT_SPACES, at, hash64(str_from(joined, len)), false);
    if (count >= MIN_INITIALS)
        add_piece(f, INITIALS, at, hash64(str_from(initials, count)), true);
    if (count == 1 && name.len >= MIN_INITIALS && name.len <= MAX_WORDS)
        add_piece(f, INITIALS, at, hash64(name), false);
    uint64_t sum = count; /* order plays no part in a sum */
    for (size_t i = 0; i < count; i++)
        sum += hash64(words[i]);
    if (count > 1)
        add_piece(f, WORDS, at, sum, false);
}

/* A name that is two edits off leaves one of its three thirds whole, moved by two bytes at the
 * most: of the same bounds in a name whose length differs by no more. */
static void add_parts(struct finding *f, size_t at, str name)
{
    enum { PARTS = 3, EDITS = 2 };
    if (name.len < MIN_TWO_EDITS)
        return;
    for (size_t p = 0; p < PARTS; p++) {
        str part = str_cut(name, p * name.len / PARTS, (p + 1) * name.len / PARTS);
        uint64_t bounds = (uint64_t)name.len * PARTS + p;
        add_piece(f, PART, at, hash64(part) + bounds * 0x9e3779b97f4a7c15u, false);
    }
    for (size_t other = name.len - EDITS; other <= name.len; other++) {
        for (size_t p = 0; p < PARTS; p++) {
            size_t from = p * other / PARTS, to = (p + 1) * other / PARTS;
            uint64_t bounds = (uint64_t)other * PARTS + p;
            for (size_t start = from > EDITS ? from - EDITS : 0; start <= from + EDITS; start++) {
                str part = str_cut(name, start, start + to - from);
                if (part.len == to - from && (other != name.len || start != from))
                    add_piece(f, PART, at, hash64(part) + bounds * 0x9e3779b97f4a7c15u, true);
            }
        }
    }
}

/* ---- pairs ---- */

static bool same_words(str a, str b)
{
    str rest = a, word;
    if (a.len != b.len)
        return false;
    while (str_next_word(&rest, &word)) {
        str others = b, other;
        bool found = false;
        while (!found && str_next_word(&others, &other))
            found = str_eq(word, other);
        if (!found)
            return false;
    }
    return true;
}

static bool initials_are(str words, str initials)
{
    str word;
    size_t i = 0;
    while (str_next_word(&words, &word))
        if (i == initials.len || word.at[0] != initials.at[i++])
            return false;
    return i == initials.len && i >= MIN_INITIALS;
}

static bool is_pair(str a, str b, enum near_why *why)
{
    *why = near_names_are_near(a, b) ? NEAR_SPELLING
           : same_words(a, b)        ? NEAR_ORDER
                                     : NEAR_INITIALS;
    return !str_eq(a, b) && (*why != NEAR_INITIALS || initials_are(a, b) || initials_are(b, a));
}

static void look_at(struct finding *f, const struct piece *x, const struct piece *y)
{
    const struct near_name *a = &f->names[x->name], *b = &f->names[y->name];
    enum near_why why;
    if (a->entity == b->entity || (x->probe && y->probe) || !is_pair(a->normal, b->normal, &why))
        return;
    bool in_order = a->entity < b->entity;
    HEAP_GROW(f->pairs, f->pair_count, f->pair_capacity);
    f->pairs[f->pair_count++] =
        (struct near_pair){in_order ? a->entity : b->entity, in_order ? b->entity : a->entity, why};
}

static int by_hash(const void *x, const void *y)
{
    const struct piece *a = x, *b = y;
    return a->hash != b->hash ? (a->hash > b->hash) - (a->hash < b->hash)
                              : (a->name > b->name) - (a->name < b->name);
}

static int by_entities(const void *x, const void *y)
{
    const struct near_pair *a = x, *b = y;
    return a->a != b->a   ? (a->a > b->a) - (a->a < b->a)
           : a->b != b->b ? (a->b > b->b) - (a->b < b->b)
                          : (int)a->why - (int)b->why;
}

static void look_at_blocks(struct finding *f)
{
    qsort(f->pieces, f->count, sizeof *f->pieces, by_hash);
    for (size_t from = 0, to; from < f->count; from = to) {
        for (to = from + 1; to < f->count && f->pieces[to].hash == f->pieces[from].hash;)
            to++;
        if (to - from > MAX_NEAR_BLOCK)
            continue;
        for (size_t i = from; i < to; i++)
            for (size_t k = i + 1; k < to; k++)
                look_at(f, &f->pieces[i], &f->pieces[k]);
    }
}

void near_names_find(struct arena *a, const struct near_name *names, size_t count,
                     struct near_pair **out, size_t *pair_count)
{
    struct finding f = {.a = a, .names = names};
    for (size_t i = 0; i < count; i++) {
        str name = names[i].normal;
        if (name.len > MAX_NAME_BYTES || name.len < MIN_INITIALS)
            continue;
        add_letters(&f, i, name);
        add_prefixes(&f, i, name);
        add_words(&f, i, name);
        add_parts(&f, i, name);
    }
    if (f.count)
        look_at_blocks(&f);
    if (f.pair_count)
        qsort(f.pairs, f.pair_count, sizeof *f.pairs, by_entities);
    *out = ARENA_ARRAY(a, struct near_pair, f.pair_count + 1);
    *pair_count = 0;
    for (size_t i = 0; i < f.pair_count; i++)
        if (!i || f.pairs[i].a != f.pairs[i - 1].a || f.pairs[i].b != f.pairs[i - 1].b)
            (*out)[(*pair_count)++] = f.pairs[i];
    heap_free(f.pieces);
    heap_free(f.pairs);
}
