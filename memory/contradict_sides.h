/* A clause laid beside another: what the two share, what is left of each, and whether that stands
 * where a value stands. For memory/contradict.c. Pure. */
#ifndef ENGRAM_CONTRADICT_SIDES_H
#define ENGRAM_CONTRADICT_SIDES_H

#include "memory/clauses.h"

/* One clause laid beside the other. */
struct side {
    const struct clause *clause;
    str text;
    bool matched[MAX_CLAUSE_WORDS]; /* the other has the word, too */
    bool skipped[MAX_CLAUSE_WORDS]; /* part of a phrase on the time, or of what was so before */
    bool changes;                   /* announces a change */
    bool fresh;                     /* says "new" */
};

/* Words [from, to) of a clause. */
struct span {
    size_t from, to;
};

static inline uint32_t side_roles(const struct side *s, size_t i)
{
    return i < s->clause->count ? s->clause->words[i].roles : 0;
}

static inline str side_key(const struct side *s, size_t i)
{
    return i < s->clause->count ? s->clause->words[i].key : S("");
}

/* Whether a word of these roles says something by itself. */
bool side_is_content(uint32_t roles);

/* Whether any word has one of the roles. */
bool side_has(const struct side *s, uint32_t roles);

/* Marks what the newer clause says of before ("from Jenkins", "instead of Jenkins"); call it before
 * side_match. */
void side_skip_former(struct side *s);

/* Marks the words that both have. */
void side_match(struct side *x, struct side *y);

/* Marks phrases that tell since when; call it behind side_match. */
void side_skip_times(struct side *s);

/* The first of the articles in front of word i, i itself where there are none. */
size_t side_front(const struct side *s, size_t i);

/* The runs of words that the other hasn't; at most `most`, their number is told in full. */
size_t side_left_over(struct side *s, struct span *out, size_t most);

bool span_has(const struct side *s, struct span v, uint32_t roles);
bool span_is_number(const struct side *s, struct span v);

/* The preposition that governs a span, in front of its articles; the clause's count where there is
 * none. */
size_t span_preposition(const struct side *s, struct span v);

/* "switched to X", "moved from W to X", "went with X", "joined X". */
bool span_behind_change(const struct side *s, struct span v);

/* Who does it: a name in front, followed by the verb of an agent or by "is the". */
bool span_is_agent(const struct side *s, struct span v);

/* Whether it stands where a thing's value stands, not its name. */
bool span_is_value(const struct side *s, struct span v);

#endif
