/* The second step of a job: asking, on any thread, and reading what came back. Whose fault a
 * failure is decides what becomes of it: an endpoint's makes everything wait, an item's own brings
 * the item nearer to its end. */
#include "memory/model_job.h"
#include "memory/provider/llm_extract.h"

static const str CONTROL = {"Ann Lee looks after checkout in Berlin.", 39};

/* Nobody was reached, or nothing will pass until something changes there. */
static bool is_of_the_endpoint(const struct err *e)
{
    return e->code == ERR_NET || e->code == ERR_CONFLICT || e->code == ERR_CANCELLED ||
           e->code == ERR_IO;
}

/* Else, where a question that any model can answer fails, too. The client's own model is asked one
 * thing at a time. */
static bool is_down(struct model_job *j, const struct err *e,
                    bool (*answers_control)(struct model_job *))
{
    return is_of_the_endpoint(e) || (j->is_clients ? j->counting.status == 0 : !answers_control(j));
}

/* ---- a language model ---- */

static bool ask_llm(struct model_job *j, const struct llm_ask *ask, struct llm_answer *got,
                    struct err *e)
{
    struct counting one;
    *got = (struct llm_answer){0};
    counting_begin(&one, &j->counting.transport);
    bool ok = provider_llm(&j->a, j->settings, &one.transport, ask, j->models->batch_ms, got,
                           &j->retry_after_ms, e);
    j->tokens_in += counting_tokens(&one, got->tokens_in); /* a failure may be paid for, too */
    j->tokens_out += got->tokens_out;
    return ok;
}

static bool read_answer(struct model_job *j, struct model_question *q, struct err *e)
{
    return model_task_of(j->purpose)->read(&j->a, q, e);
}

static bool ask_question(struct model_job *j, struct model_question *q)
{
    struct llm_answer got;
    bool ok = ask_llm(j, &q->ask, &got, &q->err);
    q->is_cached = false;
    q->is_refused = ok && got.is_refused;
    q->answer = ok && !got.is_refused ? got.json : S("");
    if (q->answer.len && !read_answer(j, q, &q->err)) {
        q->answer = S("");
        ok = false;
    }
    return ok;
}

static bool answers_control(struct model_job *j)
{
    struct llm_ask ask = llm_extract_ask(&j->a, CONTROL);
    struct llm_extraction read;
    struct llm_answer got;
    struct err why = {0};
    return ask_llm(j, &ask, &got, &why) &&
           (got.is_refused || llm_extract_read(&j->a, CONTROL, got.json, &read, &why));
}

static void ask_questions(struct model_job *j)
{
    bool is_sound = false; /* it has answered something of this job */
    for (size_t i = 0; i < j->count && !j->is_down; i++) {
        struct model_question *q = &j->questions[i];
        if (q->is_cached && read_answer(j, q, &(struct err){0}))
            continue;
        bool ok = ask_question(j, q);
        if (!ok) {
            j->failed = q->err;
            j->is_down =
                is_sound ? is_of_the_endpoint(&q->err) : is_down(j, &q->err, answers_control);
        }
        is_sound |= !j->is_down;
    }
}

/* ---- an embedder ---- */

static bool embeds_control(struct model_job *j)
{
    struct embed_ask ask = {.texts = &CONTROL, .count = 1};
    struct embeddings got = {0};
    struct counting one;
    struct err why = {0};
    counting_begin(&one, &j->counting.transport);
    bool ok = provider_embed(&j->a, j->settings, &one.transport, &ask, j->models->batch_ms, &got,
                             &j->retry_after_ms, &why);
    j->tokens_in += counting_tokens(&one, ok ? got.tokens : 0);
    return ok;
}

static void ask_vectors(struct model_job *j)
{
    bool ok = model_vectors_ask(&j->a, j->models, &j->counting.transport, &j->vectors,
                                &j->retry_after_ms, &j->failed);
    j->tokens_in = j->vectors.tokens;
    if (!ok)
        j->is_down = is_down(j, &j->failed, embeds_control);
}

void model_job_ask(struct model_job *j, const struct transport *t)
{
    counting_begin(&j->counting, t);
    if (j->purpose == MODEL_EMBED)
        ask_vectors(j);
    else
        ask_questions(j);
}

/* What was sent and came back already, as a transport gives it. */
struct answered {
    str result;
    const struct err *why;
};

static bool give_answer(void *ctx, struct arena *a, const struct provider_request *request,
                        int64_t budget_ms, struct provider_response *out, struct err *e)
{
    const struct answered *answer = ctx;
    enum { HTTP_OK = 200 };
    (void)a, (void)budget_ms;
    *out = (struct provider_response){.bytes_sent = (int64_t)request->body.len};
    if (answer->why->code != ERR_NONE)
        return fail(e, answer->why->code, "%s", answer->why->text);
    out->status = HTTP_OK;
    out->body = answer->result;
    return true;
}

void model_job_answer(struct model_job *j, str result, const struct err *why)
{
    struct answered answer = {result, why};
    struct transport t = {give_answer, &answer};
    model_job_ask(j, &t);
}
