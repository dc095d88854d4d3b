/* The statements of a text: its clauses, and what each word does in one (a determiner, a
 * preposition, a word of change, an environment, ...). English, by tables of words; no grammar, no
 * model. Pure. */
#ifndef ENGRAM_CLAUSES_H
#define ENGRAM_CLAUSES_H

#include "memory/base/arena.h"

enum { MAX_CLAUSES = 16, MAX_CLAUSE_WORDS = 40 };

enum word_role {
    ROLE_STOP = 1u << 0,       /* says nothing alone */
    ROLE_NAME = 1u << 1,       /* capitalised, an identifier, a known technology */
    ROLE_NUMBER = 1u << 2,     /* 16, v2.3, 9:30, 30s, nine */
    ROLE_BE = 1u << 3,         /* is, was, ... */
    ROLE_HAVE = 1u << 4,       /* has, there */
    ROLE_NEGATION = 1u << 5,   /* not, never, stopped */
    ROLE_CHANGE = 1u << 6,     /* moved, now, instead: what was so before is over */
    ROLE_FILLER = 1u << 7,     /* still, exactly, set: changes nothing that is said */
    ROLE_LIMIT = 1u << 8,      /* staging, daily, ios: what is said holds there alone */
    ROLE_CONDITION = 1u << 9,  /* if, unless, when */
    ROLE_TIME = 1u << 10,      /* since, after, this: opens when it is so, not what */
    ROLE_AGENT = 1u << 11,     /* owns, leads: one does it for many, so who does it is the value */
    ROLE_PAST = 1u << 12,      /* reviewed, was, paid: an event or what was so */
    ROLE_COUNTED = 1u << 13,   /* issue, week: a number behind it is a name */
    ROLE_STATE = 1u << 14,     /* enabled, forbidden: rules out another of them */
    ROLE_JOINT = 1u << 15,     /* and, or */
    ROLE_FIRST = 1u << 16,     /* I, my: who speaks */
    ROLE_ATTRIBUTE = 1u << 17, /* limit, colour: has one value at a time */
    ROLE_PLACE = 1u << 18,     /* in, on, at, to */
    ROLE_MEANS = 1u << 19,     /* with, by, through */
    ROLE_FROM = 1u << 20,      /* from, by */
    ROLE_AS = 1u << 21,        /* as */
    ROLE_RELATION = 1u << 22,  /* about, of, for: prepositions of what may be many */
    ROLE_REPORT = 1u << 23,    /* agreed, said: what follows "that" is the statement */
    ROLE_DETERMINER = 1u << 24,
    ROLE_POSSIBLE = 1u << 26, /* can: so can another */
    ROLE_NEWS = 1u << 25,     /* new, update: in front of a colon, says nothing of what follows */
};

enum { ROLE_PREPOSITION = ROLE_PLACE | ROLE_MEANS | ROLE_FROM | ROLE_AS | ROLE_RELATION };

struct word {
    str key;         /* the stem; joints left out, numbers in digits */
    size_t from, to; /* bytes of the text */
    uint32_t roles;
};

struct clause {
    struct word *words;
    size_t count;
};

/* The first MAX_CLAUSES clauses of at most MAX_CLAUSE_WORDS words; longer ones are left out. A
 * clause that begins with a pronoun comes with the one before it, which says what "it" is. */
struct clause *clauses_of(struct arena *a, str text, size_t *count);

/* Whether a word, or one with the preposition behind it ("depend-on"), takes several values side by
 * side. */
bool clause_is_plural(str verb, str preposition);

#endif
