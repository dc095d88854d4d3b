/* The engine: vectors of texts by the local encoder. Nobody's call waits for them. */
#ifndef ENGRAM_MEMORY_VECTORS_H
#define ENGRAM_MEMORY_VECTORS_H

#include "memory/memory.h"

struct encoder; /* memory/provider/encoder.h; one thread at a time */

/* Cheap: only looks. */
bool memory_encoder_is_installed(void);

/* The local encoder that was installed. ERR_NOT_FOUND for a build without its weights. */
bool memory_open_encoder(struct encoder **out, struct err *e);
void memory_close_encoder(struct encoder *en); /* NULL is fine */

enum {
    MAX_BATCH_TEXTS = 64,
    MAX_BATCH_VECTORS = 64,
    MAX_TEXT_VECTORS = 256,
    VECTOR_IN_CONTEXT = -1, /* part of the vector of a text behind the tail of the one before */
};

struct pending_text { /* a memory or passage without vectors */
    int64_t id;
    enum node_kind kind;
    str heading; /* of a passage */
    str text;
    str before; /* tail of the turn before; empty: none */
    int faults; /* how often a provider would have none of it */
};

struct text_vectors {
    const struct pending_text *of;
    struct text_vector {
        int part; /* VECTOR_IN_CONTEXT, or the window's number; ascending */
        float scale;
        int8_t *data; /* element i is scale * data[i] */
    } * at;
    size_t count; /* 0: a text that the encoder can't read */
    size_t dimensions;
    str tokens; /* of a passage, by the local encoder: rows (late_interaction.h); empty: none */
};

struct text_batch {
    str model;
    size_t dimensions;
    struct pending_text *texts;
    size_t text_count;
    struct text_vectors *vectors; /* of the first texts; see memory_encode_texts */
    size_t encoded;
};

/* The next texts without vectors of the encoder's, by id, at most MAX_BATCH_TEXTS; none: nothing is
 * pending. Vectors of another model stay until all texts have some of the encoder's. */
bool memory_pending_texts(struct memory *m, struct arena *a, const struct encoder *en,
                          struct text_batch *out, struct err *e);

/* Encodes texts of the batch in their order, until all are done, there are MAX_BATCH_VECTORS
 * vectors, or `stopped` says so (asked about every 500 ms of work; NULL: never). Touches no memory:
 * for any thread. */
void memory_encode_texts(struct encoder *en, struct arena *a, struct text_batch *batch,
                         bool (*stopped)(void *), void *ctx);

/* Stores what is encoded, in one short transaction. A text that was forgotten, changed or encoded
 * by somebody else meanwhile is left out. ERR_BUSY: nothing was stored, the same batch may be put
 * again. */
bool memory_put_vectors(struct memory *m, const struct text_batch *batch, struct err *e);

struct vector_counts {
    size_t vectors, texts; /* all, and the memories and passages that have any */
    size_t pending;        /* texts; with the outdated ones */
    size_t outdated;       /* texts that have vectors only of another model than `model` */
    str model;             /* the newest; empty: none yet */
};
bool memory_count_vectors(struct memory *m, struct arena *a, struct vector_counts *out,
                          struct err *e);

#endif
