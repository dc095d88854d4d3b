/* What calls of models have in common: a transport that counts, a gate that closes behind a failure
 * so that nobody waits for a dead endpoint again and again, and counts of what was sent, kept until
 * a write takes them along. */
#ifndef ENGRAM_MODEL_CALLS_H
#define ENGRAM_MODEL_CALLS_H

#include "memory/models.h"
#include "memory/store.h"

/* Whom a call was made for; the order is stored. */
enum model_purpose {
    MODEL_EMBED,
    MODEL_EXTRACT,
    MODEL_SUMMARISE,
    MODEL_CONTRADICT,
    MODEL_QUERY,
    MODEL_RERANK,
    MODEL_READ, /* of a query, by the language model */
    MODEL_PURPOSES
};
extern const char *const model_purpose_name[MODEL_PURPOSES];
extern const enum provider_purpose model_served_by[MODEL_PURPOSES];

struct model_use {
    int64_t calls, tokens_in, tokens_out, bytes_out;
};

/* Sends by another transport, counts, and keeps what the endpoint said last. */
struct counting {
    const struct transport *by;
    struct transport transport; /* what to give on */
    struct model_use use;
    long status; /* of the last answer; 0: there was none */
};
void counting_begin(struct counting *c, const struct transport *by);

/* Where an answer doesn't tell its tokens: four bytes are one, as a rule. */
int64_t counting_tokens(const struct counting *c, int64_t told);

/* ---- of one process, for calls that somebody waits for ---- */

enum { GATE_RETRIES = 6 /* closed behind a failure for as often the models' retry_ms */ };

struct model_calls {
    struct model_gate {
        int64_t closed_until_ms; /* of the monotonic clock */
        char why[ERR_TEXT_BYTES];
    } gates[PROVIDER_PURPOSES];
    struct model_use uses[MODEL_PURPOSES];
};

bool model_gate_is_open(const struct model_calls *c, enum provider_purpose purpose, int64_t now_ms);
void model_gate_close(struct model_calls *c, enum provider_purpose purpose, int64_t until_ms,
                      const struct err *why);

void model_calls_count(struct model_calls *c, enum model_purpose purpose,
                       const struct model_use *use);
bool model_calls_any(const struct model_calls *c);

/* Stores the counts under the day of now_ms and empties them. Inside a write. */
bool model_calls_flush(struct model_calls *c, const struct models *models, struct store *s,
                       int64_t now_ms, struct err *e);

#endif
