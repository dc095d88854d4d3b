/* The engine at rest: working memory becomes long-term memory (memory/sleep.c), and what is not
 * used fades (memory/tend.c). */
#ifndef ENGRAM_MEMORY_SLEEP_H
#define ENGRAM_MEMORY_SLEEP_H

#include "memory/memory_review.h"

/* ---- sleep: working memory becomes long-term memory ---- */

enum sleep_action {
    SLEEP_CONSOLIDATED, /* a cluster became one memory */
    SLEEP_UPDATED,      /* new members joined a consolidated memory */
    SLEEP_REWRITTEN,    /* a member stepped back since, or came back */
    SLEEP_PROMOTED,     /* became long-term as they are */
    SLEEP_ARCHIVED,     /* chatter whose day is over */
    SLEEP_ACTION_COUNT
};
extern const char *const sleep_action_name[SLEEP_ACTION_COUNT];

struct sleep_input {
    struct provenance from;
    bool dry_run;            /* only tells what it would do */
    bool (*stopped)(void *); /* asked between two transactions; NULL: never */
    void *ctx;
};

struct sleep_step {
    enum sleep_action action;
    int64_t id;       /* the consolidated memory; 0: a dry run's new one, or none */
    int64_t *members; /* what was read for it: those that joined, were promoted, were archived */
    size_t member_count;
    int64_t journal; /* what takes it back; 0: nothing needs to */
    str why, text;   /* text: of a consolidated memory */
};

struct sleep_result {
    struct sleep_step *steps;
    size_t step_count;
    size_t looked_at; /* working memories */
    bool is_cut;      /* stopped, or more than one run looks at: the next one goes on */
    int64_t longest_lock_ms;
};

/* Looks at working memories and writes in short transactions, a cluster whole or not at all. A
 * killed run leaves what it wrote; the next one does the rest. ERR_BUSY where the write lock isn't
 * free in time: what was written before stays. */
bool memory_consolidate(struct memory *m, struct arena *a, const struct sleep_input *in,
                        struct sleep_result *out, struct err *e);

/* Takes steps back by their journal ids, the last of the list first; all or none. What was taken
 * back isn't done by itself again. */
bool memory_consolidate_undo(struct memory *m, struct arena *a, const str *journal_ids,
                             size_t count, int64_t now_ms, struct applied **out, struct err *e);

/* Cheaply: the newest memory, and whether one of kind episode, which tells that a session is over,
 * came behind the memory `since`. */
struct sleep_signs {
    int64_t newest;
    bool has_ended;
};
bool memory_sleep_signs(struct memory *m, int64_t since, struct sleep_signs *out, struct err *e);

/* ---- growth and decay ---- */

struct tend_input {
    struct provenance from;
    bool dry_run;            /* only tells what would be done */
    bool (*stopped)(void *); /* asked between two passes or transactions; NULL: never */
    void *ctx;
};

struct tend_report { /* of one pass */
    str pass;
    size_t changed;
    str text;        /* in words; empty: nothing to tell */
    int64_t journal; /* the entry that takes it back; 0: nothing to take back */
};

/* What nobody waits for, pass after pass in the order of a table (memory/tend.c): ties what is used
 * together, dismisses names that tell nothing, asks about names that look the same, finds the shape
 * of the graph, archives what faded. Each pass writes in short transactions; one that is cut short
 * goes on next time. Running it again at once changes nothing. */
bool memory_tend(struct memory *m, struct arena *a, const struct tend_input *in,
                 struct tend_report **out, size_t *count, struct err *e);

/* Did something happen in a cycle of six hours since the last whole run? */
bool memory_tend_is_due(struct memory *m, struct err *e);

#endif
