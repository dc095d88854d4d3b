/* A job of the queue, from what is to be asked to what came back: shared by who takes it out of the
 * queue (model_queue.c), makes its requests (model_job.c), asks (model_ask.c) and stores what came
 * back (model_finish.c). */
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
    bool is_noted;     /* finish: all but the questions is stored, */
    size_t finished;   /* and so many of these */
};

/* For nothing yet. */
struct model_job *model_job_open(const struct models *models, const struct provider_settings *s,
                                 enum model_purpose purpose);

/* Begins a write. The thread of a server has calls to answer: it comes again where somebody else
 * writes. */
bool model_job_write(struct memory *m, const struct model_job *j, struct err *e);

/* How many questions it may hold. */
size_t model_job_most(const struct model_job *j);

/* Makes the items its questions; inside a read. wanted[i] is false where there is nothing to ask.
 */
bool model_job_prepare(struct memory *m, struct model_job *j, const struct queue_item *items,
                       size_t count, bool *wanted, struct err *e);

#endif
