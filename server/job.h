/* One request that needs the memory: what the session asks for, how it is run against the tools,
 * and what came out. Made by the session, run by the engine, answered by the session. */
#ifndef ENGRAM_JOB_H
#define ENGRAM_JOB_H

#include "memory/models.h"
#include "tools/tool.h"

#include <stdatomic.h>

enum job_kind { JOB_CALL_TOOL, JOB_READ_RESOURCE, JOB_GET_PROMPT, JOB_COMPLETE };

struct job {
    struct job *next; /* in whatever list it is */
    uint64_t number;  /* by which the session knows it again */
    enum job_kind kind;
    const struct tool *tool;    /* of JOB_CALL_TOOL */
    json_t *params;             /* of the request, checked; owned */
    str session;                /* hint; in arena */
    struct model_query *models; /* what models said to it; in arena */
    bool wants_progress;
    size_t bytes; /* of the request's line: what waiting costs */

    atomic_bool cancelled; /* set by any thread, never unset */

    json_t *result;     /* the answer: a whole result object, or */
    struct err failure; /* why there is none */

    struct arena arena; /* the job's own; gone with it */
};

/* Copies session, takes its own reference to params. */
struct job *job_new(enum job_kind kind, uint64_t number, json_t *params, str session);
void job_free(struct job *job);

/* Fills in the answer and returns NULL, or returns the document that must be parsed first. Where it
 * then waits for a model, ask job->models and run it again. r->arena is the job's. */
struct parse_order *job_run(struct job *job, struct request *r);
bool job_waits(const struct job *job);

/* The answer after all, from what the parse gave: facts, or NULL and why not. false: only some of
 * the work is done, it wants to be called again. */
bool job_resume(struct job *job, struct request *r, struct parse_order *order,
                const struct facts *facts, const struct err *parse_error);

/* The answer meanwhile, when the wait was too long. */
void job_pend(struct job *job, struct request *r, struct parse_order *order);

/* A tool's failure as the result that tells the model what to change. New reference. */
json_t *job_tool_error(str text);

#endif
