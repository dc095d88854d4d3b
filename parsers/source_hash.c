/* Hashes of symbols by their tokens, from one pass over the file: prefix hashes give any range in
 * one step, however deep symbols nest. */
#include "parsers/source.h"

#include "memory/base/ascii.h"

/* H(t0..tn-1) = sum of ti * BASE^(n-1-i), modulo 2^64, so that with P[i] = H of the first i tokens
 * a range [from, to) has P[to] - P[from] * BASE^(to-from). */
static const uint64_t BASE = 0x9E3779B97F4A7C15u;

enum { MAX_SCANNED = 50000000 }; /* tokens looked at for a symbol's own name, over all symbols */

struct tokens {
    uint32_t *starts;
    uint64_t *hashes, *prefix, *power;
    size_t count;
};

static bool is_word(unsigned char c)
{
    return ascii_is_alnum((char)c) || c == '_' || c >= 0x80;
}

static uint64_t hash_token(str token)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < token.len; i++)
        hash = (hash ^ (unsigned char)token.at[i]) * 0x100000001B3u;
    hash ^= hash >> 32;
    return hash * 0xD6E8FEB86659FD93u;
}

/* Words whole, other signs one by one; white space and comments are none. */
static void find_tokens(const struct source *s, struct tokens *t)
{
    const struct comment_range *comment = s->comments, *end = comment + s->comment_count;
    str text = s->text;
    for (size_t i = 0; i < text.len;) {
        while (comment < end && comment->end <= i)
            comment++;
        if (comment < end && comment->start <= i) {
            i = comment->end;
            continue;
        }
        unsigned char c = (unsigned char)text.at[i];
        if (c <= ' ') {
            i++;
            continue;
        }
        size_t from = i++;
        while (is_word(c) && i < text.len && is_word((unsigned char)text.at[i]))
            i++;
        t->starts[t->count] = (uint32_t)from;
        t->hashes[t->count++] = hash_token(str_cut(text, from, i));
    }
    t->power[0] = 1;
    for (size_t i = 0; i < t->count; i++) {
        t->prefix[i + 1] = t->prefix[i] * BASE + t->hashes[i];
        t->power[i + 1] = t->power[i] * BASE;
    }
}

/* The first token that starts at or behind the byte. */
static size_t token_at(const struct tokens *t, uint32_t byte)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->starts[middle] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The hash of [from, to) with the tokens that equal [name, name_end) left out. Only a name of one
 * token is looked for outside its own place. */
static uint64_t shape(const struct tokens *t, size_t from, size_t to, size_t name, size_t name_end,
                      uint64_t hash, size_t *scanned)
{
    bool everywhere = name_end == name + 1 && *scanned + (to - from) <= MAX_SCANNED;
    size_t first = everywhere ? from : name, last = everywhere ? to : name_end;
    *scanned += last - first;
    for (size_t i = first; i < last && i < to; i++)
        if (!everywhere || t->hashes[i] == t->hashes[name])
            hash -= t->hashes[i] * t->power[to - 1 - i];
    return hash;
}

void source_hashes_build(struct source *s)
{
    if (!s->facts->symbol_count)
        return;
    size_t most = s->text.len + 1;
    struct tokens t = {
        .starts = ARENA_ARRAY(&s->scratch, uint32_t, most),
        .hashes = ARENA_ARRAY(&s->scratch, uint64_t, most),
        .prefix = ARENA_ARRAY(&s->scratch, uint64_t, most),
        .power = ARENA_ARRAY(&s->scratch, uint64_t, most),
    };
    find_tokens(s, &t);
    size_t scanned = 0;
    for (size_t i = 0; i < s->facts->symbol_count; i++) {
        const struct symbol_place *p = &s->places[i];
        size_t from = token_at(&t, p->start), to = token_at(&t, p->end);
        size_t name = token_at(&t, p->name_start), name_end = token_at(&t, p->name_end);
        uint64_t hash = t.prefix[to] - t.prefix[from] * t.power[to - from];
        s->facts->symbols[i].body_hash = hash;
        s->facts->symbols[i].shape_hash = shape(&t, from, to, name, name_end, hash, &scanned);
    }
}
