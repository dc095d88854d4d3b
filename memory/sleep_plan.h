/* What sleep would do now: reads working memory and what it belongs to, writes nothing. */
#ifndef ENGRAM_SLEEP_PLAN_H
#define ENGRAM_SLEEP_PLAN_H

#include "memory/consolidate.h"
#include "memory/sleep.h"

enum {
    TTL_MS = 24 * 3600 * 1000, /* of a working memory, from when it was stored or last used */
    MAX_WORKING = 20000,       /* looked at in one run */
    /* Taking part in one run, with long-term memories that speak of the same: what is beyond has to
     * wait for another occasion. Those of a consolidated memory come together and may exceed it. */
    MAX_AWAKE = 30000,
};

/* Why a working memory becomes long-term. */
enum sleep_reason { NO_REASON, IMPORTANT, DAY_OVER, SESSION_OVER };
extern const char *const sleep_reason_words[];

struct sleep_plan {
    struct awake { /* a memory that takes part */
        int64_t id;
        node at;
        float importance;
        enum sleep_reason reason; /* of a working one that is ready */
        int64_t within;           /* the consolidated memory that has it; 0: none */
    } * awake;                    /* by id */
    size_t awake_count;
    struct cluster *clusters; /* `added` are indices into awake */
    size_t cluster_count;
    struct awake *promoted, *archived; /* ready and in no cluster; chatter whose day is over */
    size_t promoted_count, archived_count;
    int64_t *outdated; /* consolidated memories whose members stepped back or came back */
    size_t outdated_count;
    size_t looked_at; /* working memories */
    bool is_cut;      /* there are more */
};

bool sleep_plan_make(struct memory *m, struct arena *a, int64_t now_ms, struct sleep_plan *out,
                     struct err *e);

#endif
