/* The engine: questions about entities, their answers and edits, and the taking back of both
 * (memory/review.c). */
#ifndef ENGRAM_MEMORY_REVIEW_H
#define ENGRAM_MEMORY_REVIEW_H

#include "memory/memory.h"

enum edit_action {
    EDIT_MERGE,
    EDIT_DISMISS,
    EDIT_RESTORE,
    EDIT_RENAME,
    EDIT_ALIAS,
    EDIT_SPLIT,
    EDIT_SET_TYPE,
    EDIT_ACTION_COUNT
};
extern const char *const edit_action_name[EDIT_ACTION_COUNT];

struct edit_input {
    enum edit_action action;
    str entity, into; /* an id or a name */
    str name, type;
};

struct answer_input {
    str question; /* "q3" */
    enum { VERDICT_YES, VERDICT_NO, VERDICT_LATER } verdict;
};

struct review_input {
    struct provenance from;
    struct answer_input *answers;
    size_t answer_count;
    struct edit_input *edits;
    size_t edit_count;
    str entity; /* show this card; empty: none */
    str undo;   /* "j4"; empty: none */
    size_t limit;
};

struct question {
    int64_t id;
    str kind, text, effect;
};

struct applied {
    int64_t journal;
    str action, text; /* in words */
    bool undone;
};

struct entity_card {
    int64_t id;
    str name, type, status;
    str *aliases;
    size_t alias_count;
    struct prop *props;
    size_t prop_count;
    size_t mentions, degree;
    struct fact_ref *relations;
    size_t relation_count;
    struct card_mention {
        enum node_kind kind;
        int64_t id;
        str text;
    } * latest;
    size_t latest_count;
};

struct review_result {
    struct question *questions;
    size_t question_count;
    struct applied *applied;
    size_t applied_count;
    bool has_card;
    struct entity_card card;
    size_t pending; /* open questions beyond those shown */
};

/* All of the call's answers, edits and its undo in one transaction, or none. */
bool memory_review(struct memory *m, struct arena *a, const struct review_input *in,
                   struct review_result *out, struct err *e);

#endif
