#include "memory/diversity.h"

#include "memory/base/hash.h"
#include "memory/negation.h"
#include "memory/text.h"
#include "memory/words.h"

#include <stdlib.h>

enum { MIN_WORDS = 3 };

/* Of the chosen text's words as many must stand in the other one: what says only half of a text may
 * be the better answer, but is no copy of it. */
static const float MOST_OF_IT = 0.75f;
/* Of the pairs of neighbouring words: "Ann reports to Bob" is not what "Bob reports to Ann" says.
 */
static const float SAME_ORDER = 0.5f;

/* Words that may come and go, or follow the number of another. In byte order. */
static const char articles[] = "a an are is it its that the these this";

struct chosen_text {
    int kind;
    str speaker, text;
    uint64_t beginnings;
};

/* A bit for the first letters of each longer word: what lacks one of a text's bits can't hold all
 * of its words. Other bytes than ASCII letters part words here, on both sides alike. */
static uint64_t beginnings_of(str text)
{
    enum { LETTERS = 3 };
    uint64_t bits = 0;
    uint32_t word = 0;
    for (size_t i = 0, length = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.at[i] | 0x20;
        bool is_letter = c >= 'a' && c <= 'z';
        length = is_letter ? length + 1 : 0;
        word = length == 1 ? c : word * 31 + c;
        if (length == LETTERS)
            bits |= 1ull << (word * 2654435761u >> 26);
    }
    return bits;
}

/* The words of a text as hashes: in their order, and sorted. */
struct words {
    uint64_t ordered[MAX_DIVERSE_WORDS], sorted[MAX_DIVERSE_WORDS];
    size_t count;
    bool too_many;
};

static bool take_word(void *ctx, const struct token *t)
{
    struct words *w = ctx;
    str word = str_from(t->text, t->len);
    if (t->colocated || word_list_has(str_from(articles, sizeof articles - 1), word))
        return true;
    w->too_many = w->count == MAX_DIVERSE_WORDS;
    if (!w->too_many)
        w->ordered[w->count++] = hash64(word);
    return !w->too_many;
}

static int ascending(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static void words_of(str text, struct words *out)
{
    out->count = 0;
    out->too_many = false;
    text_tokens(text, take_word, out);
    memcpy(out->sorted, out->ordered, out->count * sizeof *out->sorted);
    qsort(out->sorted, out->count, sizeof *out->sorted, ascending);
}

/* Words of b that a has, each as often as it has it at most. Both sorted. */
static size_t shared_words(const struct words *a, const struct words *b)
{
    size_t shared = 0;
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        bool same = a->sorted[i] == b->sorted[k];
        shared += same;
        bool left = a->sorted[i] < b->sorted[k];
        i += same || left;
        k += same || !left;
    }
    return shared;
}

static size_t shared_pairs(const struct words *a, const struct words *b)
{
    size_t shared = 0;
    for (size_t k = 0; k + 1 < b->count; k++) {
        bool found = false;
        for (size_t i = 0; i + 1 < a->count && !found; i++)
            found = a->ordered[i] == b->ordered[k] && a->ordered[i + 1] == b->ordered[k + 1];
        shared += found;
    }
    return shared;
}

static bool says_as_much(str chosen, const struct words *mine, str text)
{
    struct words others;
    words_of(chosen, &others);
    return !others.too_many && shared_words(&others, mine) == mine->count &&
           (float)mine->count >= MOST_OF_IT * (float)others.count &&
           (float)shared_pairs(&others, mine) >= SAME_ORDER * (float)(mine->count - 1) &&
           text_negates(chosen) == text_negates(text);
}

bool diversity_repeats(const struct diversity *d, int kind, str speaker, str text)
{
    struct words mine = {.count = 0};
    uint64_t needed = beginnings_of(text) & ~beginnings_of(str_from(articles, sizeof articles - 1));
    for (size_t i = 0; i < d->count; i++) {
        const struct chosen_text *c = &d->chosen[i];
        if (c->kind != kind || !str_eq(c->speaker, speaker))
            continue;
        if (str_eq(c->text, text))
            return true;
        if (needed & ~c->beginnings || c->text.len > MAX_DIVERSE_BYTES ||
            text.len > MAX_DIVERSE_BYTES)
            continue;
        if (!mine.count)
            words_of(text, &mine);
        if (mine.count >= MIN_WORDS && !mine.too_many && says_as_much(c->text, &mine, text))
            return true;
    }
    return false;
}

void diversity_choose(struct diversity *d, int kind, str speaker, str text)
{
    ARENA_GROW(d->a, d->chosen, d->count, d->capacity);
    d->chosen[d->count++] = (struct chosen_text){kind, speaker, text, beginnings_of(text)};
}
