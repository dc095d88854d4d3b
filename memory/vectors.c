/* From texts to vectors: reads what is pending, encodes it without holding anything, stores it. */
#include "memory/memory_state.h"
#include "memory/provider/encoder.h"
#include "memory/store_vector.h"

#include <math.h>

enum {
    MAX_SEGMENT_BYTES = 4096, /* encoded in one go, between two looks at `stopped` */
    MAX_SEGMENT_WINDOWS = 32,
    MAX_OUTDATED = 2000, /* vectors taken away in one transaction */
};

bool memory_open_encoder(struct encoder **out, struct err *e)
{
    struct arena scratch = {0};
    str path;
    *out = NULL;
    bool ok = encoder_path(&scratch, &path, e) && encoder_open(path.at, out, e);
    arena_free(&scratch);
    return ok;
}

bool memory_encoder_is_installed(void)
{
    struct arena scratch = {0};
    struct err ignored = {0};
    str path;
    bool is = encoder_path(&scratch, &path, &ignored);
    arena_free(&scratch);
    return is;
}

void memory_close_encoder(struct encoder *en)
{
    encoder_close(en);
}

/* ---- reading ---- */

/* Another program's model, or an older one: its vectors say nothing to ours. */
static bool outdate_others(struct memory *m, str model, struct err *e)
{
    bool left;
    if (!store_has_other_vectors(m->store, model, &left, e))
        return false;
    while (left && e->code == ERR_NONE) {
        int64_t number;
        if (!store_begin(m->store, e))
            return false;
        bool ok = store_put_vector_model(m->store, model, ENCODER_DIMENSIONS, &number, e) &&
                  store_outdate_vectors(m->store, number, MAX_OUTDATED, &left, e);
        store_end(m->store, ok, e);
    }
    return e->code == ERR_NONE;
}

bool memory_pending_texts(struct memory *m, struct arena *a, const struct encoder *en,
                          struct text_batch *out, struct err *e)
{
    *out = (struct text_batch){.model = encoder_model_name(en)};
    if (!outdate_others(m, out->model, e) || !store_read_begin(m->store, e))
        return false;
    bool ok = store_pending_texts(m->store, a, MAX_BATCH_TEXTS, &out->texts, &out->text_count, e);
    store_read_end(m->store);
    return ok;
}

/* ---- encoding ---- */

/* A byte for each dimension: the largest one takes all of it, so the error is at most half a scale.
 * false for what no vector is. */
static bool quantize(struct arena *a, const float *vector, int part, struct text_vector *out)
{
    float largest = 0;
    for (int i = 0; i < ENCODER_DIMENSIONS; i++) {
        if (!isfinite(vector[i]))
            return false;
        largest = fmaxf(largest, fabsf(vector[i]));
    }
    if (!(largest > 0))
        return false;
    *out =
        (struct text_vector){part, largest / INT8_MAX, ARENA_ARRAY(a, int8_t, ENCODER_DIMENSIONS)};
    for (int i = 0; i < ENCODER_DIMENSIONS; i++)
        out->data[i] = (int8_t)lrintf(vector[i] / out->scale);
    return true;
}

struct work {
    struct encoder *en;
    struct arena *a;
    bool (*stopped)(void *);
    void *ctx;
};

static bool is_stopped(const struct work *w)
{
    return w->stopped && w->stopped(w->ctx);
}

static void add_vector(struct work *w, struct text_vectors *v, const float *vector, int part)
{
    if (v->count < MAX_TEXT_VECTORS && quantize(w->a, vector, part, &v->at[v->count]))
        v->count++;
}

/* Up to the last space of what fits. */
static str next_segment(str *rest)
{
    size_t end = rest->len;
    if (end > MAX_SEGMENT_BYTES) {
        end = MAX_SEGMENT_BYTES;
        while (end > MAX_SEGMENT_BYTES / 2 && rest->at[end - 1] != ' ' && rest->at[end - 1] != '\n')
            end--;
    }
    str segment = str_cut(*rest, 0, end);
    *rest = str_cut(*rest, end, rest->len);
    return segment;
}

static void add_context(struct work *w, struct text_vectors *v)
{
    const struct pending_text *t = v->of;
    struct arena scratch = {0};
    float vector[ENCODER_DIMENSIONS];
    str together = arena_printf(&scratch, "%.*s %.*s", FMT(t->before), FMT(t->text));
    if (t->before.len && encoder_encode(w->en, &scratch, together, vector))
        add_vector(w, v, vector, VECTOR_IN_CONTEXT);
    arena_free(&scratch);
}

/* A passage is read behind its heading, which names what it speaks of. */
static bool add_windows(struct work *w, struct text_vectors *v)
{
    const struct pending_text *t = v->of;
    struct arena scratch = {0};
    str rest = t->heading.len ? arena_printf(&scratch, "%.*s\n%.*s", FMT(t->heading), FMT(t->text))
                              : t->text;
    int part = 0;
    bool ok = true;
    while (rest.len && v->count < MAX_TEXT_VECTORS && (ok = !is_stopped(w))) {
        struct arena mark = scratch;
        float(*windows)[ENCODER_DIMENSIONS];
        size_t n =
            encoder_windows(w->en, &scratch, next_segment(&rest), MAX_SEGMENT_WINDOWS, &windows);
        for (size_t i = 0; i < n; i++)
            add_vector(w, v, windows[i], part++);
        arena_rewind(&scratch, mark);
    }
    arena_free(&scratch);
    return ok;
}

static bool encode(struct work *w, const struct pending_text *t, struct text_vectors *out)
{
    *out = (struct text_vectors){.of = t,
                                 .at = ARENA_ARRAY(w->a, struct text_vector, MAX_TEXT_VECTORS),
                                 .dimensions = ENCODER_DIMENSIONS};
    add_context(w, out);
    return add_windows(w, out);
}

void memory_encode_texts(struct encoder *en, struct arena *a, struct text_batch *b,
                         bool (*stopped)(void *), void *ctx)
{
    struct work w = {en, a, stopped, ctx};
    size_t vectors = 0;
    b->vectors = ARENA_ARRAY(a, struct text_vectors, b->text_count);
    for (b->encoded = 0; b->encoded < b->text_count && vectors < MAX_BATCH_VECTORS; b->encoded++) {
        if (is_stopped(&w) || !encode(&w, &b->texts[b->encoded], &b->vectors[b->encoded]))
            return;
        vectors += b->vectors[b->encoded].count;
    }
}

/* ---- storing ---- */

bool memory_put_vectors(struct memory *m, const struct text_batch *b, struct err *e)
{
    struct arena scratch = {0};
    int64_t model;
    bool put;
    if (!b->encoded)
        return true;
    if (!store_begin(m->store, e))
        return false;
    bool ok = store_put_vector_model(m->store, b->model, ENCODER_DIMENSIONS, &model, e);
    for (size_t i = 0; ok && i < b->encoded; i++)
        ok = store_put_vectors(m->store, &scratch, model, &b->vectors[i], &put, e);
    ok = store_end(m->store, ok, e);
    arena_free(&scratch);
    return ok;
}

bool memory_count_vectors(struct memory *m, struct arena *a, struct vector_counts *out,
                          struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_vector_counts(m->store, a, out, e);
    store_read_end(m->store);
    return ok;
}
