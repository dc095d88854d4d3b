/* What the queue's steps (model_job.h) and what a language model is asked (model_extract.c,
 * model_summarise.c, model_contradict.c) share. */
#ifndef ENGRAM_MODEL_QUEUE_H
#define ENGRAM_MODEL_QUEUE_H

#include "memory/model_vectors.h"
#include "memory/store_models.h"

enum {
    MAX_JOB_QUESTIONS = 8,      /* of a language model, asked one after the other */
    LEASE_MS = 15 * 60 * 1000,  /* longer than a job takes: at least this, */
    LEASE_REQUESTS = 15,        /* and as many of the longest requests */
    MAX_FAULTS = 5,             /* of one item, then it is dead */
    MAX_RETRY_MS = 3600 * 1000, /* behind many failures; a quarter more or less, by chance */
    MAX_GATHERED = 2000,        /* nodes looked at in one transaction */
    CLIENT_WRITE_MS = 50,       /* that a server's thread waits for the write lock */
};

struct model_question {
    struct queue_item item;
    struct llm_ask ask;
    void *state;            /* the task's own, from prepare to apply */
    const int64_t *sources; /* the nodes whose texts are asked about; of prepare */
    size_t source_count;
    str hash;   /* of everything that decides the answer */
    str answer; /* JSON; empty: none (yet) */
    void *said; /* the task's own, what the answer says */
    bool is_cached, is_refused;
    struct err err;                         /* why there is none */
    enum { STANDS, CHANGED, UNWANTED } now; /* what was asked about; of finish */
};

/* Inside a write: who proposes what. */
struct model_work {
    struct memory *m;
    struct arena *a;
    struct provenance from; /* of origin model */
    int64_t id;             /* of its row */
    size_t kept, dropped;   /* of what was proposed: the text bears it out, or not */
};

/* What a language model is asked: a row. */
struct model_task {
    const char *prompt; /* its name and version: another one asks again */
    bool (*is_on)(const struct models *models);
    /* Puts what is new into the queue, in a write of its own. *more: there may be more. */
    bool (*gather)(struct memory *m, struct arena *a, bool *more, struct err *e);
    /* Inside a read: fills in ask, state and sources. *wanted is false where there is nothing to
     * ask. */
    bool (*prepare)(struct memory *m, struct arena *a, struct model_question *q, bool *wanted,
                    struct err *e);
    /* Pure: what the answer says of what was prepared, in q->said. ERR_INPUT: it isn't what was
     * asked for. */
    bool (*read)(struct arena *a, struct model_question *q, struct err *e);
    /* Inside a write, what was prepared being still so. ERR_INPUT, ERR_LIMIT: it can't be stored.
     */
    bool (*apply)(struct model_work *w, const struct model_question *q, struct err *e);
};
extern const struct model_task model_extract, model_summarise, model_contradict;

/* Inside a write: a consolidated memory's text was built by rule, so a model may write it. */
bool model_summary_due(struct memory *m, int64_t consolidated, struct err *e);

/* NULL: it has none (embedding). */
const struct model_task *model_task_of(enum model_purpose purpose);

/* NULL: no model is set up for it, or it isn't to be asked this. */
const struct provider_settings *model_settings_of(const struct models *models,
                                                  enum model_purpose purpose);

/* Lines of status, behind those that are there. */
bool model_status(struct memory *m, struct arena *a, int64_t now_ms, struct status_line **lines,
                  size_t *count, struct err *e);

/* A job as model_queue_next would take it now, without taking anything; inside a read. NULL: there
 * is nothing to ask. */
bool model_job_plan(struct memory *m, int64_t now_ms, enum model_purpose purpose,
                    struct model_job **out, struct err *e);

/* What it sends, in its arena: of a job that is planned or taken. */
struct model_request {
    struct provider_request request;
    const int64_t *nodes; /* whose texts are in it */
    size_t node_count;
};
bool model_job_requests(struct model_job *j, struct model_request **out, size_t *count,
                        struct err *e);

/* Puts what is new into the queue, in short writes. */
bool model_queue_gather(struct memory *m, struct err *e);

/* A task's gather of what stands behind its mark: a write only where `has_some` finds any. */
bool model_gather_behind(struct memory *m, enum model_purpose purpose,
                         bool (*has_some)(struct store *s, enum model_purpose purpose, bool *out,
                                          struct err *e),
                         bool (*put)(struct store *s, enum model_purpose purpose, size_t most,
                                     size_t *passed, struct err *e),
                         bool *more, struct err *e);

/* When to try again behind so many failures in a row: first_ms, then twice as long each time, `id`
 * deciding by chance; not before the endpoint wants it. Pure. */
int64_t model_retry_ms(int64_t now_ms, int64_t first_ms, int failures, int64_t id,
                       int64_t retry_after_ms);

#endif
