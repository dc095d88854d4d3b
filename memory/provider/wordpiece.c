#include "memory/provider/wordpiece.h"

#include "memory/base/ascii.h"
#include "memory/base/unicode.h"

#include <stdlib.h>

static const struct piece_node *find_child(const struct wordpiece *wp,
                                           const struct piece_node *node, unsigned char byte)
{
    size_t low = node->first_child, high = low + node->children;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (wp->nodes[middle].byte < byte)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < (size_t)node->first_child + node->children && wp->nodes[low].byte == byte;
    return found ? &wp->nodes[low] : NULL;
}

bool wordpiece_valid(const struct wordpiece *wp)
{
    if (!wp->node_count)
        return false;
    for (size_t i = 0; i < wp->node_count; i++) {
        const struct piece_node *node = &wp->nodes[i];
        bool behind = node->first_child > i && node->first_child <= wp->node_count &&
                      node->children <= wp->node_count - node->first_child;
        if ((node->children && !behind) || node->piece >= wp->piece_count)
            return false;
    }
    return true;
}

/* ---- building ---- */

struct entry {
    str text;
    uint16_t piece;
};

static int by_text_then_piece(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    size_t common = x->text.len < y->text.len ? x->text.len : y->text.len;
    int order = memcmp(x->text.at, y->text.at, common);
    if (order == 0 && x->text.len != y->text.len)
        order = x->text.len < y->text.len ? -1 : 1;
    return order != 0 ? order : (int)x->piece - (int)y->piece;
}

/* All but NO_PIECE. */
static struct entry *sorted_entries(struct arena *a, const str *pieces, size_t n)
{
    struct entry *entries = ARENA_ARRAY(a, struct entry, n);
    for (size_t i = NO_PIECE + 1; i < n; i++)
        entries[i - 1] = (struct entry){pieces[i], (uint16_t)i};
    qsort(entries, n - 1, sizeof *entries, by_text_then_piece);
    return entries;
}

/* The entries below a node: [from, to) share their first `depth` bytes. */
struct span {
    size_t from, to, depth;
};

struct builder {
    struct arena *a;
    const struct entry *entries;
    struct piece_node *nodes;
    struct span *spans; /* of each node */
    size_t count, node_capacity, span_capacity;
};

static void add_node(struct builder *b, unsigned char byte, struct span span)
{
    size_t count = b->count;
    ARENA_GROW(b->a, b->nodes, count, b->node_capacity);
    ARENA_GROW(b->a, b->spans, count, b->span_capacity);
    b->nodes[count] = (struct piece_node){.byte = byte};
    b->spans[count] = span;
    b->count++;
}

/* Entries that end at the node give its piece, the others its children. */
static void grow_node(struct builder *b, size_t at)
{
    struct span span = b->spans[at];
    for (; span.from < span.to && b->entries[span.from].text.len == span.depth; span.from++)
        b->nodes[at].piece = b->entries[span.from].piece;
    b->nodes[at].first_child = (uint32_t)b->count;
    for (size_t from = span.from, to; from < span.to; from = to) {
        char byte = b->entries[from].text.at[span.depth];
        for (to = from + 1; to < span.to && b->entries[to].text.at[span.depth] == byte; to++)
            continue;
        add_node(b, (unsigned char)byte, (struct span){from, to, span.depth + 1});
        b->nodes[at].children++; /* at most 255: no text holds byte 0xFF */
    }
}

bool wordpiece_build(struct arena *a, const str *pieces, size_t n, struct piece_node **nodes,
                     size_t *node_count)
{
    if (n == 0 || n > MAX_PIECES)
        return false;
    struct builder b = {.a = a, .entries = sorted_entries(a, pieces, n)};
    add_node(&b, 0, (struct span){0, n - 1, 0});
    for (size_t at = 0; at < b.count && b.count <= MAX_PIECE_NODES; at++)
        grow_node(&b, at);
    *nodes = b.nodes;
    *node_count = b.count;
    return b.count <= MAX_PIECE_NODES;
}

/* ---- cutting ---- */

#define CONTINUES "##" /* stands before a piece that goes on in a word */

enum {
    MAX_WORD_CHARS = 100, /* a longer word is unknown, as in the model's tokenizer */
    MAX_UTF8_BYTES = 4,
};

struct cutting {
    const struct wordpiece *wp;
    uint16_t *pieces;
    size_t count, most;
    char word[MAX_WORD_CHARS * MAX_UTF8_BYTES];
    size_t word_bytes, word_chars;
};

static const struct piece_node *node_of(const struct wordpiece *wp, str prefix)
{
    const struct piece_node *node = wp->nodes;
    for (size_t i = 0; node && i < prefix.len; i++)
        node = find_child(wp, node, (unsigned char)prefix.at[i]);
    return node;
}

/* The longest piece that `word` goes on with at `from`; its end in *to. */
static uint16_t longest_piece(const struct wordpiece *wp, str word, size_t from, size_t *to)
{
    const struct piece_node *node = from ? node_of(wp, S(CONTINUES)) : wp->nodes;
    uint16_t piece = NO_PIECE;
    for (size_t at = from; at < word.len && node;) {
        node = find_child(wp, node, (unsigned char)word.at[at++]);
        if (node && node->piece != NO_PIECE) {
            piece = node->piece;
            *to = at;
        }
    }
    return piece;
}

static void add_piece(struct cutting *c, uint16_t piece)
{
    if (c->count < c->most)
        c->pieces[c->count++] = piece;
}

/* A word is made up whole or not at all. */
static void end_word(struct cutting *c)
{
    str word = str_from(c->word, c->word_bytes);
    size_t before = c->count;
    bool known = c->word_chars <= MAX_WORD_CHARS;
    for (size_t at = 0; known && at < word.len;) {
        uint16_t piece = longest_piece(c->wp, word, at, &at);
        known = piece != NO_PIECE;
        if (known)
            add_piece(c, piece);
    }
    if (!known) {
        c->count = before;
        add_piece(c, UNKNOWN_PIECE);
    }
    c->word_bytes = c->word_chars = 0;
}

static void add_char(struct cutting *c, int32_t code_point)
{
    if (++c->word_chars <= MAX_WORD_CHARS)
        c->word_bytes += utf8_encode(code_point, c->word + c->word_bytes);
}

/* Blocks that the model was trained with, each character a word. */
static bool is_ideograph(int32_t c)
{
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

static bool stands_alone(int32_t c)
{
    if (c < 0x80)
        return c > ' ' && c < 0x7F && !ascii_is_alnum((char)c);
    return is_ideograph(c) || unicode_is_punctuation(c);
}

static void take_char(struct cutting *c, int32_t code_point)
{
    enum { REPLACEMENT = 0xFFFD };
    int32_t bare[MAX_BARE];
    if (unicode_class(code_point) == CHAR_SPACE) {
        end_word(c);
        return;
    }
    if (code_point == REPLACEMENT || unicode_is_control(code_point))
        return;
    size_t n = unicode_bare(code_point, bare);
    for (size_t i = 0; i < n; i++) {
        bool alone = stands_alone(bare[i]);
        if (alone)
            end_word(c);
        add_char(c, bare[i]);
        if (alone)
            end_word(c);
    }
}

size_t wordpiece_encode(const struct wordpiece *wp, struct arena *a, str text, size_t most,
                        uint16_t **pieces)
{
    struct cutting c = {.wp = wp, .pieces = ARENA_ARRAY(a, uint16_t, most), .most = most};
    for (size_t at = 0, bytes; at < text.len && c.count < most; at += bytes) {
        int32_t code_point = utf8_decode(text, at, &bytes);
        if (code_point >= 0)
            take_char(&c, code_point);
    }
    end_word(&c);
    *pieces = c.pieces;
    return c.count;
}
