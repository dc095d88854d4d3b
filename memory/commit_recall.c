#include "memory/commit_recall.h"

#include "memory/store_history.h"
#include "memory/text.h"

enum { WINDOWS = 8, MAX_ECHOES = 24, MAX_NAME_TOKENS = 12 };

/* Words of names, the more windows are called so the heavier. */
struct echoes {
    str word[MAX_ECHOES];
    float weight[MAX_ECHOES];
    size_t count;
};

static bool is_asked(const struct code_hits *h, str word)
{
    for (size_t i = 0; i < h->term_count; i++)
        if (str_eq(h->terms[i].text, word))
            return true;
    return false;
}

static void add_echo(struct echoes *x, str word, float weight)
{
    size_t i = 0;
    while (i < x->count && !str_eq(x->word[i], word))
        i++;
    if (i == MAX_ECHOES)
        return;
    if (i == x->count) {
        x->word[x->count++] = word;
        x->weight[i] = 0;
    }
    x->weight[i] += weight;
}

static bool add_name(struct memory *m, struct arena *a, const struct code_hits *h, int64_t id,
                     float weight, struct echoes *x, struct err *e)
{
    struct node_row row;
    bool found;
    size_t count;
    if (!store_get_node(m->store, a, id, &row, &found, e))
        return false;
    struct token *token = text_token_list(a, found ? row.name : S(""), MAX_NAME_TOKENS, &count);
    for (size_t i = 0; i < count; i++) {
        str word = str_from(token[i].text, token[i].len);
        if (!token[i].stop && !is_asked(h, word))
            add_echo(x, word, weight);
    }
    return true;
}

/* What the question's words hit hardest is called something, and a commit about it may use that
 * name where the question doesn't. */
static bool echo(struct memory *m, struct arena *a, const struct code_hits *h, float **out,
                 struct err *e)
{
    struct echoes x = {.count = 0};
    size_t files, chunks;
    const struct code_file *file = code_leg_files(m->code, &files);
    const struct code_chunk *chunk = code_leg_chunks(m->code, &chunks);
    struct scored *best = ARENA_ARRAY(a, struct scored, h->touched_count + 1);
    for (size_t i = 0; i < h->touched_count; i++)
        best[i] = (struct scored){h->touched[i], h->best[h->touched[i]]};
    size_t count = best_first(best, h->touched_count, WINDOWS);
    for (size_t i = 0; i < count && best[i].score > 0; i++) {
        float share = best[i].score / best[0].score;
        int64_t symbol = chunk[h->best_chunk[best[i].at]].symbol;
        if (!add_name(m, a, h, symbol ? symbol : file[best[i].at].id, share * share, &x, e))
            return false;
    }
    return history_leg_echo(m->past, m->store, a, x.word, x.weight, x.count, out, e);
}

bool commit_recall(struct memory *m, struct arena *a, str query, const struct code_answer *answer,
                   const float *mass, size_t most, struct commit_candidate **out, size_t *count,
                   struct err *e)
{
    size_t commits;
    const struct history_commit *commit = history_leg_commits(m->past, &commits);
    float *echoed;
    if (!echo(m, a, &answer->hits, &echoed, e))
        return false;
    struct commit_rank_input in = {.leg = m->past,
                                   .words = &answer->hits,
                                   .hits = &answer->history,
                                   .query = query,
                                   .most = most,
                                   .mass = mass,
                                   .echo = echoed};
    *out = commit_candidates(a, &in, count);
    for (size_t i = 0; i < *count; i++) {
        struct commit_row row;
        bool found;
        if (!store_get_commit(m->store, a, commit[(*out)[i].commit].id, &row, &found, e))
            return false;
        (*out)[i].subject = found ? row.subject : S("");
        (*out)[i].text = found ? row.text : S("");
    }
    commit_rank(a, &in, *out, *count);
    return true;
}
