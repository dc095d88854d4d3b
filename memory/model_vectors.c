#include "memory/model_vectors.h"

#include "memory/model_calls.h"
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

bool model_vectors_plan(struct memory *m, struct arena *a, int64_t now_ms, struct vector_job *out,
                        struct err *e)
{
    const struct provider_settings *s = models_settings(m->options.models, PROVIDER_EMBED);
    *out = (struct vector_job){0};
    if (!s || !vectors_pending(m, a, models_name(a, s, PROVIDER_EMBED), 0, now_ms, &out->batch, e))
        return s == NULL;
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

/* ---- asking ---- */

/* One request's worth of inputs; the first one tells the dimensions. */
static bool ask_some(struct arena *a, const struct models *models, struct vector_job *j,
                     size_t from, size_t count, int64_t *retry_after_ms, struct err *e)
{
    const struct provider_settings *s = models_settings(models, PROVIDER_EMBED);
    struct embed_ask ask = {.texts = j->inputs + from, .count = count};
    struct embeddings got;
    struct counting one;
    counting_begin(&one, models->transport);
    bool ok = provider_embed(a, s, &one.transport, &ask, BATCH_MS, &got, retry_after_ms, e);
    j->tokens += counting_tokens(&one, got.tokens); /* a failure may be paid for, too */
    if (!ok)
        return false;
    if (!j->batch.dimensions)
        j->batch.dimensions = got.dimensions;
    if (got.count != count || got.dimensions != j->batch.dimensions)
        return fail(e, ERR_INPUT, "%s gave %zu vectors of %zu dimensions, not %zu of %zu",
                    s->row->name, got.count, got.dimensions, count, j->batch.dimensions);
    for (size_t i = 0; i < count; i++) {
        const struct vector_input *of = &j->of[from + i];
        struct text_vectors *v = &j->batch.vectors[of->text];
        if (vectors_quantize(a, got.values + i * got.dimensions, got.dimensions, of->part,
                             &v->at[v->count]))
            v->count++;
    }
    return true;
}

bool model_vectors_ask(struct arena *a, const struct models *models, struct vector_job *j,
                       int64_t *retry_after_ms, struct err *e)
{
    const struct provider_settings *s = models_settings(models, PROVIDER_EMBED);
    size_t most = provider_max_texts(s->row, PROVIDER_EMBED);
    j->batch.vectors = ARENA_ARRAY(a, struct text_vectors, j->batch.text_count + 1);
    for (size_t i = 0; i < j->batch.text_count; i++)
        j->batch.vectors[i] =
            (struct text_vectors){.of = &j->batch.texts[i],
                                  .at = ARENA_ARRAY(a, struct text_vector, MAX_TEXT_WINDOWS + 1)};
    for (size_t from = 0; from < j->input_count; from += most) {
        size_t left = j->input_count - from;
        if (!ask_some(a, models, j, from, left < most ? left : most, retry_after_ms, e))
            return false;
    }
    for (size_t i = 0; i < j->batch.text_count; i++)
        j->batch.vectors[i].dimensions = j->batch.dimensions;
    j->batch.encoded = j->batch.text_count;
    return true;
}
