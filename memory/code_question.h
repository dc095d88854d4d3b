/* What a question asks of the sources beside their words: names that it gives, and how they should
 * hang together. Pure. */
#ifndef ENGRAM_CODE_QUESTION_H
#define ENGRAM_CODE_QUESTION_H

#include "memory/base/arena.h"

enum code_relation {
    ASKS_NOTHING,
    ASKS_DEFINITION, /* where is X defined? */
    ASKS_CALLERS,    /* who calls X? where is X used? */
    ASKS_CALLEES,    /* what does X call? what does X use? */
    ASKS_DEPENDENTS, /* what breaks if I change X? what depends on X? */
    ASKS_SUBTYPES,   /* what implements X? */
};

enum { MAX_CODE_NAMES = 24 };

struct code_name {
    str written;        /* as in the question, without () and quotes */
    str simple;         /* its last part */
    bool is_identifier; /* no plain word: snake_case, camelCase, a.b, f(), `quoted` */
};

struct code_question {
    enum code_relation relation;
    struct code_name names[MAX_CODE_NAMES];
    size_t name_count;
    bool is_lookup; /* hardly more than a name */
};

void code_question_read(struct arena *a, str query, struct code_question *out);

#endif
