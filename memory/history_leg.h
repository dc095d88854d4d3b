/* The search in history: BM25 over commits, and what past commits say of files: by the words of all
 * their subjects, by the votes of the commits nearest to the question, by how often and how lately
 * they changed. What is kept between queries is brought up to date at each. */
#ifndef ENGRAM_HISTORY_LEG_H
#define ENGRAM_HISTORY_LEG_H

#include "memory/code_leg.h"

enum { NO_COMMIT = UINT32_MAX };

struct history_leg;
struct history_leg *history_leg_new(void);
void history_leg_free(struct history_leg *h); /* NULL is fine */

/* Takes in what changed; inside a read, after the code leg's sync. false in *any without commits.
 */
bool history_leg_sync(struct history_leg *h, struct store *s, const struct code_leg *code,
                      bool *any, struct err *e);

struct history_commit {
    int64_t id, at_ms;
    uint32_t first_touch, touch_count; /* into history_leg_touches */
    uint32_t words;                    /* of subject and text */
    uint32_t changes;                  /* files that it changed, here or gone */
    bool is_merge;
    bool current; /* not taken back, and reachable */
};
const struct history_commit *history_leg_commits(const struct history_leg *h, size_t *count);
/* Files of the code leg by number, those of a commit together. */
const uint32_t *history_leg_touches(const struct history_leg *h);

/* Scores of one query; arrays in its arena. */
struct history_hits {
    float *commit;  /* per commit: BM25 of subject, text and paths */
    float *covered; /* per commit: share of the query's idf that it covers */
    uint32_t *touched;
    size_t touched_count;
    float best, mean_words;
    float idf[MAX_CODE_TERMS]; /* of the query's terms among commits */
    float idf_sum;             /* of those that count for coverage */
    /* per file of the code leg */
    float *subjects; /* BM25 of all subjects of its commits, as one text */
    float *near;     /* votes of the nearest commits, their scores squared */
    float *votes;    /* votes of more commits, the newer the more */
    float *recency;  /* 0..1: halves every half_life of last change behind the newest */
    float *churn;    /* ln(1 + changes) */
};
bool history_leg_search(struct history_leg *h, struct store *s, struct arena *a,
                        const struct code_hits *words, struct history_hits *out, struct err *e);

/* Does the commit hold the term? Only terms of the last search are known. */
bool history_leg_holds(const struct history_leg *h, str term, uint32_t commit);

/* How often it does, by column; of the last search's terms and echoes. */
struct history_counts {
    uint8_t subject, text, paths;
};
struct history_counts history_leg_counts(const struct history_leg *h, str term, uint32_t commit);

/* BM25 of further words, each with its weight, in messages; one value a commit, in the arena. */
bool history_leg_echo(struct history_leg *h, struct store *s, struct arena *a, const str *words,
                      const float *weights, size_t count, float **out, struct err *e);

#endif
