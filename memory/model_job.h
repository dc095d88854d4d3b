/* A job of the queue, from what is to be asked to what came back: shared by who takes it out of the
 * queue and stores its answers (model_queue.c) and who makes its requests and asks (model_job.c).
 */
#ifndef ENGRAM_MODEL_JOB_H
#define ENGRAM_MODEL_JOB_H

#include "memory/model_queue.h"

struct model_job {
    struct arena a;
    enum model_purpose purpose;
    const struct models *models;
    const struct provider_settings *settings;
    bool is_clients; /* its own model is asked: one question, by who serves it */
    str host, model; /* model: as it is stored */
    str endpoint;    /* both: what one model of a host refuses says nothing of its others */
    struct vector_job vectors;
    struct model_question *questions;
    size_t count;
    struct counting counting;
    int64_t tokens_in, tokens_out, retry_after_ms;
    struct err failed; /* of the endpoint, or of a batch of texts */
    bool is_down;      /* it is the endpoint's */
};

/* For nothing yet. */
struct model_job *model_job_open(const struct models *models, const struct provider_settings *s,
                                 enum model_purpose purpose);

/* How many questions it may hold. */
size_t model_job_most(const struct model_job *j);

/* Makes the items its questions; inside a read. wanted[i] is false where there is nothing to ask.
 */
bool model_job_prepare(struct memory *m, struct model_job *j, const struct queue_item *items,
                       size_t count, bool *wanted, struct err *e);

#endif
