/* The encoder's weights and how they lie in their file, for the program that writes it and the
 * encoder that maps it.
 *
 *     struct weights_header       64 bytes, in the byte order of the machine that built it
 *     nodes, strange              the vocabulary (wordpiece.h), a byte for each piece
 *     positions, embeddings       [ENCODER_MAX_ROWS][384], [pieces][384]
 *     embedding_norm, layers      norms and matrices in the order of struct weights
 *     token, query_weight         what late interaction compares (encoder.h)
 *
 * Each array begins at a multiple of 64 bytes and has the size that header and model give it: there
 * is no offset that could be wrong. */
#ifndef ENGRAM_PROVIDER_ENCODER_WEIGHTS_H
#define ENGRAM_PROVIDER_ENCODER_WEIGHTS_H

#include "memory/provider/encoder_math.h"
#include "memory/provider/wordpiece.h"

enum { WEIGHTS_VERSION = 4, WEIGHTS_LAYERS = 6, WEIGHTS_HEADS = 12 };

enum weights_kind { WEIGHTS_BYTES = 1, WEIGHTS_FLOATS = 2 };

#define WEIGHTS_MAGIC                                                                              \
    UINT64_C(0x0A6D6172676E65EE) /* "engram", a newline, a byte that isn't text                    \
                                  */

struct weights_header {
    uint64_t magic;
    uint32_t version, kind;
    uint64_t file_bytes;
    uint64_t checksum; /* hash64 of what is behind the header */
    uint32_t pieces, nodes;
    uint32_t unused[6]; /* zero */
};

/* Each half ends with a norm (Devlin et al., NAACL 2019; "post-norm"). */
struct weights_layer {
    struct matrix qkv, attended;
    struct norm attention_norm;
    struct matrix inner, outer;
    struct norm outer_norm;
};

struct weights {
    struct wordpiece wordpiece;
    const uint8_t *strange; /* of each piece, not 0: unknown, or with letters of other scripts */
    const float *positions;
    struct matrix embeddings; /* without bias; floats are [out][in] here: a row for each piece */
    struct norm embedding_norm;
    struct weights_layer layers[WEIGHTS_LAYERS];
    struct matrix token;       /* to ENCODER_TOKEN_DIMENSIONS */
    const float *query_weight; /* [ENCODER_DIMENSIONS + 1], the last one is the bias */
};

/* Points *w into a file that begins at `file`; with NULL only sizes are set. What the file's size
 * has to be; the header's counts were checked before. */
size_t weights_place(const struct weights_header *header, const char *file, struct weights *w);

#endif
