/* Rows of consolidated memories and their members, and what sleep reads of working ones. */
#ifndef ENGRAM_STORE_CONSOLIDATE_H
#define ENGRAM_STORE_CONSOLIDATE_H

#include "memory/store.h"

struct working_row {
    int64_t id, stored_ms;
};

/* Current memories of the working tier with an id above `after`, by id; at most `most`. */
bool store_working(struct store *s, struct arena *a, int64_t after, size_t most,
                   struct working_row **out, size_t *count, struct err *e);

struct member_row {
    int64_t memory, consolidated;
    int64_t version; /* of the consolidated memory that first had it */
    enum node_state state;
    float weight;
};

/* Those of one consolidated memory by id; with consolidated 0 all, by consolidated memory and id.
 */
bool store_members(struct store *s, struct arena *a, int64_t consolidated, struct member_row **out,
                   size_t *count, struct err *e);

/* The consolidated memory that has a memory; 0: none. */
bool store_consolidated_of(struct store *s, int64_t memory, int64_t *out, struct err *e);

bool store_put_member(struct store *s, const struct member_row *row, struct err *e); /* replaces */
bool store_delete_member(struct store *s, int64_t memory, int64_t consolidated, struct err *e);

/* Its row: the version that its text is of, 0 where there is none. */
bool store_consolidated_version(struct store *s, int64_t id, int64_t *version, struct err *e);
bool store_put_consolidated(struct store *s, int64_t id, int64_t version,
                            struct err *e); /* inserts or replaces */

/* Where a node comes from, when it was so and its flags, anew. */
bool store_retell(struct store *s, const struct node_row *row, struct err *e);

bool store_set_tier(struct store *s, int64_t id, enum tier tier, struct err *e);

/* Consolidated memories that are current, with a member whose state isn't what the text says. */
bool store_outdated_consolidated(struct store *s, struct arena *a, int64_t **out, size_t *count,
                                 struct err *e);

/* Members of a consolidated memory that stepped back, and for whom. */
struct stepped_back {
    int64_t memory, by; /* by 0: nobody who is still there */
};
bool store_members_stepped_back(struct store *s, struct arena *a, int64_t consolidated,
                                struct stepped_back **out, size_t *count, struct err *e);

/* The steps of journal entries of an action that were taken back; by number. */
bool store_undone_steps(struct store *s, struct arena *a, str action, str **out, size_t *count,
                        struct err *e);

/* Sessions whose newest memory is an episode that was told of them: they are over. By id. */
bool store_ended_sessions(struct store *s, struct arena *a, int64_t **out, size_t *count,
                          struct err *e);

/* The newest memory, and the newest working one of kind episode behind `since`; 0: none. */
bool store_newest_memory(struct store *s, int64_t since, int64_t *memory, int64_t *episode,
                         struct err *e);

/* The first vector of a node's text, of the model that is whole if it has one; data NULL: none. */
bool store_first_vector(struct store *s, struct arena *a, int64_t id, const int8_t **data,
                        size_t *dimensions, float *scale, struct err *e);

#endif
