/* An answer as it grows: candidates become items in order of score, until the limit or the budget
 * is reached. For memory/recall*.c. */
#ifndef ENGRAM_RECALL_ANSWER_H
#define ENGRAM_RECALL_ANSWER_H

#include "memory/code_recall.h"
#include "memory/diversity.h"
#include "memory/model_query.h"
#include "memory/query_time.h"
#include "memory/recall_item.h"

/* One recall on its way: what is asked, what was found out, what has been chosen. */
struct answer {
    struct memory *m;
    struct arena *a;
    const struct recall_input *in;
    struct recall_result *out;
    render_size *size;
    void *size_ctx;
    const struct lexical *lexical;
    const struct resolved *resolved;
    size_t resolved_count;
    const float *named;
    const struct rank_input *rank;
    struct query_time time;
    bool vectors_answered;
    struct diversity said; /* by the items so far */
    size_t item_capacity;
    int64_t worktree;           /* the caller's; 0: not indexed */
    int64_t titled;             /* the document whose title is the query; 0: none */
    struct model_query *models; /* what they said */
    size_t rerank_most;         /* not 0: only the texts for a reranker are wanted */
    struct reranking *reranking;
    size_t reranking_count;
};

/* The score below which nothing is shown. */
float answer_floor(const struct recall_input *in);

/* Whether the filter, the states and the times asked for let a node out. */
bool answer_may_show(const struct answer *w, node n);

/* As many facts as a third of the budget holds, in their order. */
void answer_budget_facts(struct answer *w);

/* Adds what is above the floor in order of score: two lists, each best first, become one. Without
 * any, the nearest is told. */
bool answer_choose(struct answer *w, struct candidate *c, size_t count,
                   const struct code_answer *code, struct err *e);

/* Adds one item that was asked for by its id: whole where it is the only one, else while it fits.
 */
bool answer_add_asked(struct answer *w, struct item *item, struct err *e);

#endif
