/* Rows that review asks about: what the questions are found by. Private to memory/. */
#ifndef ENGRAM_STORE_REVIEW_FIND_H
#define ENGRAM_STORE_REVIEW_FIND_H

#include "memory/store.h"

/* Active entities that one text alone mentions, which no consolidated memory has, and that nothing
 * else says anything of: untyped, not related, not tied to code, not kept by a "no". Only those
 * stored between two times; by id, at most `most`. */
bool store_named_once(struct store *s, struct arena *a, int64_t from_ms, int64_t to_ms, size_t most,
                      int64_t **out, size_t *count, struct err *e);

/* When the last question of a kind that was answered with no was asked; 0: there is none. And is
 * one open? */
bool store_last_no(struct store *s, str kind, int64_t *asked_ms, struct err *e);
bool store_was_asked(struct store *s, str kind, int64_t a, bool *asked, struct err *e);
bool store_has_open(struct store *s, str kind, bool *open, struct err *e);

/* How many questions of a kind were answered with yes and with no. */
bool store_verdicts(struct store *s, str kind, int64_t *yes, int64_t *no, struct err *e);

/* Current decisions that only a commit says, and about which nobody was asked; newest first. */
bool store_commit_decisions(struct store *s, struct arena *a, size_t most, int64_t **out,
                            size_t *count, struct err *e);

/* Current memories that are bound to code, by id. */
bool store_bound_memories(struct store *s, struct arena *a, size_t most, int64_t **out,
                          size_t *count, struct err *e);

/* Current memories and passages that mention an entity, each with its community of the last pass
 * and that one's label; by community, then id. */
struct meaning_row {
    int64_t id, community;
    str label;
};
bool store_meanings(struct store *s, struct arena *a, int64_t entity, size_t most,
                    struct meaning_row **out, size_t *count, struct err *e);

/* Names that texts of two communities share beside an entity, hubs of more than `most_mentions`
 * left out: what tells that the entity has one meaning. */
bool store_shared_between(struct store *s, int64_t entity, int64_t community, int64_t other,
                          size_t most_mentions, int64_t *shared, struct err *e);

bool store_set_trust(struct store *s, int64_t id, float trust, struct err *e);
bool store_set_question_weight(struct store *s, int64_t id, float weight, struct err *e);

/* The question of a kind about the same nodes as `like`. */
bool store_find_question(struct store *s, struct arena *a, const struct question_row *like,
                         struct question_row *out, bool *found, struct err *e);

/* Ids and states of the open questions about a node. */
bool store_open_questions_about(struct store *s, struct arena *a, int64_t about,
                                struct question_row **out, size_t *count, struct err *e);

#endif
