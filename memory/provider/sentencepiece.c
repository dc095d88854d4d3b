#include "memory/provider/sentencepiece.h"

#include "memory/base/unicode.h"

#include <stdlib.h>

/* Stands before a text and for each space in it. */
#define WORD_MARK "\xE2\x96\x81"

static const struct piece_node *find_child(const struct sentencepiece *sp,
                                           const struct piece_node *node, unsigned char byte)
{
    size_t low = node->first_child, high = low + node->children;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sp->nodes[middle].byte < byte)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < (size_t)node->first_child + node->children && sp->nodes[low].byte == byte;
    return found ? &sp->nodes[low] : NULL;
}

bool sentencepiece_valid(const struct sentencepiece *sp)
{
    if (!sp->node_count)
        return false;
    for (size_t i = 0; i < sp->node_count; i++) {
        const struct piece_node *node = &sp->nodes[i];
        bool behind = node->first_child > i && node->first_child <= sp->node_count &&
                      node->children <= sp->node_count - node->first_child;
        if ((node->children && !behind) || node->piece >= sp->piece_count)
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

/* All but the reserved ones. */
static struct entry *sorted_entries(struct arena *a, const str *pieces, size_t n)
{
    struct entry *entries = ARENA_ARRAY(a, struct entry, n);
    for (size_t i = RESERVED_PIECES; i < n; i++)
        entries[i - RESERVED_PIECES] = (struct entry){pieces[i], (uint16_t)i};
    qsort(entries, n - RESERVED_PIECES, sizeof *entries, by_text_then_piece);
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

bool sentencepiece_build(struct arena *a, const str *pieces, size_t n, struct piece_node **nodes,
                         size_t *node_count)
{
    if (n < RESERVED_PIECES || n > MAX_PIECES)
        return false;
    struct builder b = {.a = a, .entries = sorted_entries(a, pieces, n)};
    add_node(&b, 0, (struct span){0, n - RESERVED_PIECES, 0});
    for (size_t at = 0; at < b.count && b.count <= MAX_PIECE_NODES; at++)
        grow_node(&b, at);
    *nodes = b.nodes;
    *node_count = b.count;
    return b.count <= MAX_PIECE_NODES;
}

/* ---- cutting ---- */

static str with_word_marks(struct arena *a, str s)
{
    const size_t mark_bytes = sizeof WORD_MARK - 1;
    char *out = arena_bytes(a, (s.len + 1) * mark_bytes), *at = out;
    at = mempcpy(at, WORD_MARK, mark_bytes);
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] == ' ')
            at = mempcpy(at, WORD_MARK, mark_bytes);
        else
            *at++ = s.at[i];
    }
    return str_from(out, (size_t)(at - out));
}

/* The best way to the byte where it stands. A byte that no piece ends at is reached by an unknown
 * character for nothing, as in the package. */
struct step {
    double score; /* 0 also means: none yet */
    uint16_t piece;
    uint8_t bytes; /* of the piece */
};

static void reach(struct step *to, double score, uint16_t piece, size_t bytes)
{
    if (to->score == 0 || score >= to->score)
        *to = (struct step){score, piece, (uint8_t)bytes};
}

/* All pieces at `from`, or one unknown character where there is none. */
static void extend(const struct sentencepiece *sp, str s, size_t from, size_t char_bytes,
                   struct step *steps)
{
    bool found = false;
    double before = steps[from].score;
    const struct piece_node *node = sp->nodes;
    for (size_t at = from; at < s.len && at - from < UINT8_MAX;) {
        node = find_child(sp, node, (unsigned char)s.at[at++]);
        if (!node)
            break;
        if (node->piece == UNKNOWN_PIECE)
            continue;
        reach(&steps[at], before + sp->scores[node->piece], node->piece, at - from);
        found = true;
    }
    if (!found)
        reach(&steps[from + char_bytes], before, UNKNOWN_PIECE, char_bytes);
}

static size_t last_char_bytes(str s, size_t end)
{
    size_t from = end - 1;
    while (from > 0 && ((unsigned char)s.at[from] & 0xC0) == 0x80)
        from--;
    return end - from;
}

/* The way back from the end, without repeated unknown ones, into the end of out[0, s.len); how
 * many. */
static size_t walk_back(str s, const struct step *steps, uint16_t *out)
{
    size_t n = 0;
    for (size_t at = s.len; at > 0;) {
        uint16_t piece = steps[at].piece;
        if (piece != UNKNOWN_PIECE || n == 0 || out[s.len - n] != UNKNOWN_PIECE)
            out[s.len - ++n] = piece;
        at -= piece == UNKNOWN_PIECE ? last_char_bytes(s, at) : steps[at].bytes;
    }
    return n;
}

size_t sentencepiece_encode(const struct sentencepiece *sp, struct arena *a, str text,
                            uint16_t **pieces)
{
    *pieces = NULL;
    text = unicode_nfkc(a, text);
    if (!text.len)
        return 0;
    str s = with_word_marks(a, text);
    uint16_t *out = ARENA_ARRAY(a, uint16_t, s.len);
    struct arena mark = *a;
    struct step *steps = ARENA_ARRAY(a, struct step, s.len + 1);
    for (size_t at = 0, bytes; at < s.len; at += bytes) {
        utf8_decode(s, at, &bytes);
        extend(sp, s, at, bytes, steps);
    }
    size_t n = walk_back(s, steps, out);
    arena_rewind(a, mark);
    *pieces = out + s.len - n;
    return n;
}
