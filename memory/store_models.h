/* Models in the store: the queue of what is to be asked of them, whether endpoints answer, what was
 * sent, what was answered. Everything that changes something is called inside a write. */
#ifndef ENGRAM_STORE_MODELS_H
#define ENGRAM_STORE_MODELS_H

#include "memory/model_calls.h"

enum {
    QUEUE_PURPOSES = MODEL_CONTRADICT + 1, /* the first ones of enum model_purpose */
    MAX_CACHED_ANSWERS = 20000,
};

/* ---- the queue ----
 *
 * An item is asked about by whoever holds its lease, taken by compare-and-set and void behind its
 * end, and goes in the transaction that stores the answer. What is to be embedded isn't put here:
 * vector_pending says it, and an item of that purpose only tells of failures. */

struct queue_item {
    int64_t id;
    enum model_purpose purpose;
    int64_t node, other; /* other: what the node is compared with, else itself */
    int attempts, faults;
};

/* Once: what is there already, dead or not, stays as it is. */
bool store_queue_put(struct store *s, enum model_purpose purpose, int64_t id, int64_t other,
                     struct err *e);

/* Is there a memory or passage behind the purpose's mark? */
bool store_queue_has_new(struct store *s, enum model_purpose purpose, bool *out, struct err *e);

/* Puts the next `most` memories and passages behind the purpose's mark whose text is somebody's
 * own: no chatter, nothing that was built from others. *put: how many nodes were passed. */
bool store_queue_gather(struct store *s, enum model_purpose purpose, size_t most, size_t *passed,
                        struct err *e);

/* The same with consolidated memories, for which nothing was put since they were built. */
bool store_consolidated_behind(struct store *s, enum model_purpose purpose, bool *out,
                               struct err *e);
bool store_queue_gather_consolidated(struct store *s, enum model_purpose purpose, size_t most,
                                     size_t *passed, struct err *e);

/* Up to where memories were looked through; for purposes that find their items themselves. */
bool store_queue_mark(struct store *s, enum model_purpose purpose, int64_t *id, struct err *e);
bool store_queue_set_mark(struct store *s, enum model_purpose purpose, int64_t id, struct err *e);
/* Current memories behind a node, by id. */
bool store_memories_behind(struct store *s, struct arena *a, int64_t id, size_t most, int64_t **out,
                           size_t *count, struct err *e);

/* Takes leases of the next ones that are due, by id, at most `most`. One that failed by itself
 * comes alone. */
bool store_queue_claim(struct store *s, struct arena *a, enum model_purpose purpose, int64_t owner,
                       int64_t now_ms, int64_t until_ms, size_t most, struct queue_item **out,
                       size_t *count, struct err *e);

/* Is there one that is due? Reads only. */
bool store_queue_is_due(struct store *s, enum model_purpose purpose, int64_t now_ms, bool *out,
                        struct err *e);

/* Is there one that is leased or due? Of embedding: a text that doesn't wait for another try. */
bool store_queue_moves(struct store *s, enum model_purpose purpose, int64_t now_ms, bool *out,
                       struct err *e);

/* The item goes. *ours is false where it isn't there or another one's: then its answer is void. */
bool store_queue_done(struct store *s, const struct queue_item *item, int64_t owner, bool *ours,
                      struct err *e);

/* Gives the lease back. next_try_ms, is_dead and `why` as of the failure; why empty: it wasn't
 * asked about. */
struct queue_failure {
    bool is_fault, is_dead;
    int64_t next_try_ms;
    str why;
};
bool store_queue_failed(struct store *s, const struct queue_item *item, int64_t owner,
                        const struct queue_failure *f, struct err *e);

/* The same of a text that couldn't be embedded; a dead one isn't pending any more. */
bool store_queue_embed_failed(struct store *s, int64_t id, const struct queue_failure *f,
                              struct err *e);

/* All leases of owners above 0 are void: for who has just become the only one of these. */
bool store_queue_free_leases(struct store *s, struct err *e);

/* The items that a claim would take. Reads only. */
bool store_queue_peek(struct store *s, struct arena *a, enum model_purpose purpose, int64_t now_ms,
                      size_t most, struct queue_item **out, size_t *count, struct err *e);

/* Everything is due at once, endpoints are asked again; or what is dead goes. */
bool store_queue_retry(struct store *s, size_t *count, struct err *e);
bool store_queue_drop(struct store *s, size_t *count, struct err *e);

struct queue_counts {
    size_t pending, dead;
    str why; /* of the last dead one; empty: none */
};
bool store_queue_count(struct store *s, struct arena *a, enum model_purpose purpose,
                       struct queue_counts *out, struct err *e);

/* Grows whenever a node's text or state changes, and when one goes. */
bool store_last_change(struct store *s, int64_t *out, struct err *e);

/* What is done between the two is undone alone, where it isn't ok. */
bool store_savepoint(struct store *s, struct err *e);
bool store_savepoint_end(struct store *s, bool ok, struct err *e);

/* ---- endpoints ---- */

struct endpoint_row {
    str name, why; /* name: models_endpoint(); the column is of a time when hosts alone were told */
    int failures;  /* in a row */
    int64_t closed_ms;
};
bool store_get_endpoint(struct store *s, struct arena *a, str name, struct endpoint_row *out,
                        struct err *e); /* no failures where it isn't known */
bool store_put_endpoint(struct store *s, const struct endpoint_row *row, struct err *e);

/* ---- what was sent ---- */

bool store_add_model_use(struct store *s, int64_t now_ms, int purpose, str host,
                         const struct model_use *use, struct err *e);

/* Tokens of a day, of the purposes that nobody waits for. */
bool store_tokens_of_day(struct store *s, int64_t now_ms, int64_t *out, struct err *e);

/* Calls of a day to one host, for whatever purpose. */
bool store_calls_of_day(struct store *s, int64_t now_ms, str host, int64_t *out, struct err *e);

struct use_row {
    str host;
    struct model_use all, today;
};
/* By host, or by purpose. */
bool store_uses_by_host(struct store *s, struct arena *a, int64_t now_ms, struct use_row **out,
                        size_t *count, struct err *e);
bool store_use_of_purpose(struct store *s, int64_t now_ms, int purpose, struct use_row *out,
                          struct err *e);

/* ---- what was answered ---- */

bool store_find_answer(struct store *s, struct arena *a, str hash, str *out,
                       struct err *e); /* empty: none */
/* It goes with any of these, whose texts it was made of; at least one. */
bool store_put_answer(struct store *s, str hash, const int64_t *nodes, size_t count, int64_t now_ms,
                      str answer, struct err *e);

struct work_row {
    enum model_purpose purpose;
    int64_t node, at_ms;
    str model, prompt;
    size_t kept, dropped;
};
bool store_put_work(struct store *s, const struct work_row *row, int64_t *id, struct err *e);
bool store_count_work(struct store *s, int64_t work, size_t kept, size_t dropped, struct err *e);
bool store_put_model_edge(struct store *s, int64_t edge, int64_t work, struct err *e);
bool store_is_model_edge(struct store *s, int64_t edge, bool *out, struct err *e);

#endif
