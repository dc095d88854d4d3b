/* Vectors from a provider: what is to be sent for a batch of texts, and what came back as vectors.
 * In three steps, so that nothing is held while the network is waited for. */
#ifndef ENGRAM_MODEL_VECTORS_H
#define ENGRAM_MODEL_VECTORS_H

#include "memory/memory_state.h"
#include "memory/memory_vectors.h"
#include "memory/models.h"

enum {
    MAX_WINDOW_BYTES = 2000, /* of a text in one vector: what small models read, too */
    MAX_TEXT_WINDOWS = 40,   /* the first ones of a longer text */
};

struct vector_job {
    struct text_batch batch; /* the texts that `inputs` cover */
    str *inputs;             /* without secrets; at most MAX_EMBED_TEXTS */
    size_t input_count;
    struct vector_input { /* of each */
        size_t text;      /* index in the batch */
        int part;
    } * of;
    int64_t tokens; /* as the answers say, else estimated */
};

/* The next texts; none: nothing is due. A text that a provider would have none of before goes
 * alone. Reads, but for a change of model. */
bool model_vectors_plan(struct memory *m, struct arena *a, int64_t now_ms, struct vector_job *out,
                        struct err *e);

/* The same without the change: what a plan would give. Inside a read. */
bool model_vectors_peek(struct memory *m, struct arena *a, int64_t now_ms, struct vector_job *out,
                        struct err *e);

/* The request that begins with the input `from`. */
struct embed_ask model_vectors_request(const struct provider_settings *s,
                                       const struct vector_job *j, size_t from);

/* Asks, and fills in the batch's vectors; touches no memory. */
bool model_vectors_ask(struct arena *a, const struct models *models, const struct transport *t,
                       struct vector_job *job, int64_t *retry_after_ms, struct err *e);

#endif
