/* Cuts a text into the pieces of a vocabulary so that the sum of their scores is the best one: the
 * unigram model of SentencePiece (Kudo, "Subword Regularization", ACL 2018, section 3.2), cut for
 * cut as the tokenizer of the encoder's package does it. */
#ifndef ENGRAM_PROVIDER_SENTENCEPIECE_H
#define ENGRAM_PROVIDER_SENTENCEPIECE_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

enum {
    UNKNOWN_PIECE = 0,
    RESERVED_PIECES = 6, /* the first ones of the vocabulary: never found in a text */
    MAX_PIECES = 1 << 15,
    MAX_PIECE_NODES = 1 << 20,
};

/* A byte of a prefix of pieces. Its children stand in a row, by rising byte, behind it; node 0 is
 * the root. As it stands in the weights file. */
struct piece_node {
    uint32_t first_child;
    uint16_t piece; /* that ends here, or UNKNOWN_PIECE */
    uint8_t children;
    uint8_t byte;
};

/* Borrowed, read-only. */
struct sentencepiece {
    const struct piece_node *nodes;
    const double *scores; /* of each piece: log probability */
    size_t node_count, piece_count;
};

/* Can the trie be walked without leaving it? Linear in its nodes. */
bool sentencepiece_valid(const struct sentencepiece *sp);

/* The trie of a vocabulary, for the weights file: nodes in `a`, which borrow nothing. Of equal
 * pieces the last one counts. false where it has more than MAX_PIECE_NODES. */
bool sentencepiece_build(struct arena *a, const str *pieces, size_t n, struct piece_node **nodes,
                         size_t *node_count);

/* The pieces of the text's NFKC form; each run of unknown characters is one UNKNOWN_PIECE. Linear.
 * How many there are in *pieces, which is in `a`. */
size_t sentencepiece_encode(const struct sentencepiece *sp, struct arena *a, str text,
                            uint16_t **pieces);

#endif
