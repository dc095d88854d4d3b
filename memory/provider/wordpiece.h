/* Cuts a text into the pieces of a vocabulary as BERT does (Devlin et al., NAACL 2019, section 3;
 * Wu et al., arXiv:1609.08144, section 4.1): words without case and accents, each by the longest
 * pieces that it begins with, cut for cut as the tokenizer of the encoder's model does it, but that
 * a form feed parts words and "[SEP]" in a text is four of them. */
#ifndef ENGRAM_PROVIDER_WORDPIECE_H
#define ENGRAM_PROVIDER_WORDPIECE_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

enum {
    NO_PIECE = 0,        /* the vocabulary's first entry pads batches: it is in no text */
    UNKNOWN_PIECE = 100, /* a word that no pieces make up */
    FIRST_PIECE = 101,   /* "[CLS]", before a text, and */
    LAST_PIECE = 102,    /* "[SEP]", behind it; a text cannot hold them, since '[' is a word */
    MAX_PIECES = 1 << 15,
    MAX_PIECE_NODES = 1 << 20,
};

/* A byte of a prefix of pieces. Its children stand in a row, by rising byte, behind it; node 0 is
 * the root. As it stands in the weights file. */
struct piece_node {
    uint32_t first_child;
    uint16_t piece; /* that ends here, or NO_PIECE */
    uint8_t children;
    uint8_t byte;
};

/* Borrowed, read-only. */
struct wordpiece {
    const struct piece_node *nodes;
    size_t node_count, piece_count;
};

/* Can the trie be walked without leaving it? Linear in its nodes. */
bool wordpiece_valid(const struct wordpiece *wp);

/* The trie of a vocabulary, for the weights file: nodes in `a`, which borrow nothing. Pieces that
 * go on in a word begin with "##". false where it has more than MAX_PIECES or MAX_PIECE_NODES. */
bool wordpiece_build(struct arena *a, const str *pieces, size_t n, struct piece_node **nodes,
                     size_t *node_count);

/* The text's first pieces, `most` at most. How many there are in *pieces, which is in `a`. Bad
 * UTF-8 is left out, as U+FFFD and control characters are. */
size_t wordpiece_encode(const struct wordpiece *wp, struct arena *a, str text, size_t most,
                        uint16_t **pieces);

#endif
