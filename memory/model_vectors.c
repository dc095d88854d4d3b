#include "memory/model_vectors.h"

#include "memory/model_calls.h"
#include "memory/store_vector.h"
#include "memory/vectors.h"

static void add_input(struct vector_job *j, size_t text, int part, str input)
{
    j->of[j->input_count] = (struct vector_input){text, part};
    j->inputs[j->input_count++] = input;
}

/* All of one text, or nothing where it doesn't fit any more. */
static bool add_text(struct memory *m, struct arena *a, struct vector_job *j, size_t at, bool *fits,
                     struct err *e)
{
    const struct pending_text *t = &j->batch.texts[at];
    size_t had = j->input_count;
    int part = 0;
    str rest, context;
    *fits = true;
    if (!memory_redact(m, a, vectors_whole_text(a, t), &rest, NULL, NULL, e) ||
        !memory_redact(m, a, vectors_in_context(a, t), &context, NULL, NULL, e))
        return false;
    if (context.len && j->input_count < MAX_EMBED_TEXTS)
        add_input(j, at, VECTOR_IN_CONTEXT,
                  vectors_next_window(&context, (size_t)MAX_WINDOW_BYTES + MAX_WINDOW_BYTES / 4));
    rest = str_trim(rest);
    while (rest.len && part < MAX_TEXT_WINDOWS && j->input_count < MAX_EMBED_TEXTS)
        add_input(j, at, part++, vectors_next_window(&rest, MAX_WINDOW_BYTES));
    *fits = !rest.len || part == MAX_TEXT_WINDOWS;
    if (!*fits)
        j->input_count = had;
    return true;
}

/* As many of the batch's texts as fit. */
static bool add_texts(struct memory *m, struct arena *a, struct vector_job *out, struct err *e)
{
    size_t count = out->batch.text_count;
    out->inputs = ARENA_ARRAY(a, str, MAX_EMBED_TEXTS);
    out->of = ARENA_ARRAY(a, struct vector_input, MAX_EMBED_TEXTS);
    bool fits = true, is_alone = false;
    size_t taken = 0;
    while (taken < count && !is_alone) {
        is_alone = out->batch.texts[taken].faults > 0;
        if (is_alone && taken)
            break;
        if (!add_text(m, a, out, taken, &fits, e))
            return false;
        if (!fits)
            break;
        taken++;
    }
    out->batch.text_count = taken;
    return true;
}

bool model_vectors_plan(struct memory *m, struct arena *a, int64_t now_ms, struct vector_job *out,
                        struct err *e)
{
    const struct provider_settings *s = models_settings(m->options.models, PROVIDER_EMBED);
    *out = (struct vector_job){0};
    if (!s || !vectors_pending(m, a, models_name(a, s, PROVIDER_EMBED), 0, now_ms, &out->batch, e))
        return s == NULL;
    return add_texts(m, a, out, e);
}

bool model_vectors_peek(struct memory *m, struct arena *a, int64_t now_ms, struct vector_job *out,
                        struct err *e)
{
    *out = (struct vector_job){0};
    return store_pending_texts(m->store, a, MAX_BATCH_TEXTS, now_ms, &out->batch.texts,
                               &out->batch.text_count, e) &&
           add_texts(m, a, out, e);
}

/* ---- asking ---- */

struct embed_ask model_vectors_request(const struct provider_settings *s,
                                       const struct vector_job *j, size_t from)
{
    size_t left = j->input_count - from, most = provider_max_texts(s->row, PROVIDER_EMBED);
    return (struct embed_ask){.texts = j->inputs + from, .count = left < most ? left : most};
}

/* The request that begins with the input *from, which moves on behind it. The first answer tells
 * the dimensions. */
static bool ask_some(struct arena *a, const struct models *models, const struct transport *t,
                     struct vector_job *j, size_t *from, int64_t *retry_after_ms, struct err *e)
{
    const struct provider_settings *s = models_settings(models, PROVIDER_EMBED);
    struct embed_ask ask = model_vectors_request(s, j, *from);
    struct embeddings got;
    struct counting one;
    counting_begin(&one, t);
    bool ok = provider_embed(a, s, &one.transport, &ask, models->batch_ms, &got, retry_after_ms, e);
    j->tokens += counting_tokens(&one, got.tokens); /* a failure may be paid for, too */
    if (!ok)
        return false;
    if (!j->batch.dimensions)
        j->batch.dimensions = got.dimensions;
    if (got.count != ask.count || got.dimensions != j->batch.dimensions)
        return fail(e, ERR_INPUT, "%s gave %zu vectors of %zu dimensions, not %zu of %zu",
                    s->row->name, got.count, got.dimensions, ask.count, j->batch.dimensions);
    for (size_t i = 0; i < ask.count; i++) {
        const struct vector_input *of = &j->of[*from + i];
        struct text_vectors *v = &j->batch.vectors[of->text];
        if (vectors_quantize(a, got.values + i * got.dimensions, got.dimensions, of->part,
                             &v->at[v->count]))
            v->count++;
    }
    *from += ask.count;
    return true;
}

bool model_vectors_ask(struct arena *a, const struct models *models, const struct transport *t,
                       struct vector_job *j, int64_t *retry_after_ms, struct err *e)
{
    j->batch.vectors = ARENA_ARRAY(a, struct text_vectors, j->batch.text_count + 1);
    for (size_t i = 0; i < j->batch.text_count; i++)
        j->batch.vectors[i] =
            (struct text_vectors){.of = &j->batch.texts[i],
                                  .at = ARENA_ARRAY(a, struct text_vector, MAX_TEXT_WINDOWS + 1)};
    for (size_t from = 0; from < j->input_count;)
        if (!ask_some(a, models, t, j, &from, retry_after_ms, e))
            return false;
    for (size_t i = 0; i < j->batch.text_count; i++)
        j->batch.vectors[i].dimensions = j->batch.dimensions;
    j->batch.encoded = j->batch.text_count;
    return true;
}
