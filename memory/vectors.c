/* From texts to vectors: reads what is pending, encodes it without holding anything, stores it. */
#include "memory/vectors.h"

#include "memory/base/unicode.h"
#include "memory/late_interaction.h"
#include "memory/store_tokens.h"
#include "memory/store_vector.h"

#include <math.h>

enum {
    MAX_SEGMENT_BYTES = 4096, /* encoded in one go, between two looks at `stopped` */
    MAX_SEGMENT_WINDOWS = 32,
    MAX_CHANGED = 2000, /* texts made pending, or vectors taken away, in one transaction */
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

/* ---- a change of model ---- */

struct change {
    struct memory *m;
    str model;
    size_t dimensions; /* 0: not known before its first answer */
    int64_t number;
};

/* The first of it in one transaction: the model that was wanted before it isn't wanted any more. */
static bool begin_change(struct change *c, struct err *e)
{
    if (!store_begin(c->m->store, e))
        return false;
    bool ok = store_put_vector_model(c->m->store, c->model, c->dimensions, &c->number, e) &&
              store_set_vector_state(c->m->store, c->number, VECTORS_GATHERING, e) &&
              store_outdate_models(c->m->store, c->number, false, e);
    return store_end(c->m->store, ok, e);
}

static bool gather(struct change *c, struct err *e)
{
    int64_t last = 0;
    for (bool left = true; left;) {
        if (!store_begin(c->m->store, e))
            return false;
        bool ok = store_gather_texts(c->m->store, c->number, MAX_CHANGED, &last, &left, e) &&
                  (left || store_set_vector_state(c->m->store, c->number, VECTORS_ENCODING, e));
        if (!store_end(c->m->store, ok, e))
            return false;
    }
    return true;
}

static bool drop_outdated(struct memory *m, struct err *e)
{
    for (bool left = true; left;) {
        if (!store_begin(m->store, e) ||
            !store_end(m->store, store_drop_outdated_models(m->store, MAX_CHANGED, &left, e), e))
            return false;
    }
    return true;
}

/* Where the store has vectors of other models: what is to be done before texts are read. */
static bool settle(struct memory *m, str model, size_t dimensions, struct vector_standing *is,
                   struct err *e)
{
    struct change c = {m, model, dimensions, 0};
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_vector_standing(m->store, model, is, e);
    store_read_end(m->store);
    if (!ok || !is->has_others)
        return ok;
    bool is_settled = is->is_known && !is->has_unfinished &&
                      (is->state == VECTORS_ENCODING || is->state == VECTORS_WHOLE);
    if (is_settled)
        return is->state != VECTORS_WHOLE || !is->has_outdated || drop_outdated(m, e);
    if (!begin_change(&c, e) || !gather(&c, e))
        return false;
    is->state = VECTORS_ENCODING;
    return true;
}

static bool finish_change(struct memory *m, str model, struct err *e)
{
    int64_t number;
    bool is_empty = false;
    if (!store_begin(m->store, e))
        return false;
    bool ok = store_nothing_pending(m->store, &is_empty, e) &&
              (!is_empty || (store_put_vector_model(m->store, model, 0, &number, e) &&
                             store_set_vector_state(m->store, number, VECTORS_WHOLE, e) &&
                             store_outdate_models(m->store, number, true, e)));
    return store_end(m->store, ok, e) && (!is_empty || drop_outdated(m, e));
}

/* ---- reading ---- */

bool vectors_pending(struct memory *m, struct arena *a, str model, size_t dimensions,
                     int64_t now_ms, struct text_batch *out, struct err *e)
{
    struct vector_standing is;
    bool is_empty;
    *out = (struct text_batch){.model = model, .dimensions = dimensions};
    if (!settle(m, model, dimensions, &is, e) || !store_read_begin(m->store, e))
        return false;
    bool ok = store_pending_texts(m->store, a, MAX_BATCH_TEXTS, now_ms, &out->texts,
                                  &out->text_count, e) &&
              store_nothing_pending(m->store, &is_empty, e);
    store_read_end(m->store);
    if (!ok || !is_empty || !is.has_others || is.state != VECTORS_ENCODING)
        return ok;
    return finish_change(m, model, e);
}

bool memory_pending_texts(struct memory *m, struct arena *a, const struct encoder *en,
                          struct text_batch *out, struct err *e)
{
    return vectors_pending(m, a, encoder_model_name(en), ENCODER_DIMENSIONS, INT64_MAX, out, e);
}

/* ---- encoding ---- */

bool vectors_quantize(struct arena *a, const float *vector, size_t dimensions, int part,
                      struct text_vector *out)
{
    float largest = 0;
    for (size_t i = 0; i < dimensions; i++) {
        if (!isfinite(vector[i]))
            return false;
        largest = fmaxf(largest, fabsf(vector[i]));
    }
    if (!(largest > 0))
        return false;
    *out = (struct text_vector){part, largest / INT8_MAX, ARENA_ARRAY(a, int8_t, dimensions)};
    for (size_t i = 0; i < dimensions; i++)
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
    if (v->count < MAX_TEXT_VECTORS &&
        vectors_quantize(w->a, vector, ENCODER_DIMENSIONS, part, &v->at[v->count]))
        v->count++;
}

str vectors_next_window(str *rest, size_t max_bytes)
{
    size_t end = rest->len;
    if (end > max_bytes) {
        end = max_bytes;
        while (end > max_bytes / 2 && rest->at[end - 1] != ' ' && rest->at[end - 1] != '\n')
            end--;
        size_t start = utf8_back(*rest, end);
        end = start ? start : end; /* never nothing */
    }
    str segment = str_cut(*rest, 0, end);
    *rest = str_cut(*rest, end, rest->len);
    return segment;
}

str vectors_in_context(struct arena *a, const struct pending_text *t)
{
    return t->before.len ? arena_printf(a, "%.*s %.*s", FMT(t->before), FMT(t->text)) : S("");
}

/* A passage is read behind its heading, which names what it speaks of. */
str vectors_whole_text(struct arena *a, const struct pending_text *t)
{
    return t->heading.len ? arena_printf(a, "%.*s\n%.*s", FMT(t->heading), FMT(t->text)) : t->text;
}

static void add_context(struct work *w, struct text_vectors *v)
{
    const struct pending_text *t = v->of;
    struct arena scratch = {0};
    float vector[ENCODER_DIMENSIONS];
    str together = vectors_in_context(&scratch, t);
    if (together.len && encoder_encode(w->en, &scratch, together, vector))
        add_vector(w, v, vector, VECTOR_IN_CONTEXT);
    arena_free(&scratch);
}

/* A text of several parts has the rows of all, and those of the lead once. */
static void add_tokens(struct work *w, struct text_vectors *v, const struct encoder_tokens *tokens)
{
    str more = late_pack(w->a, tokens);
    size_t skipped = v->tokens.len ? tokens->lead_count * LATE_ROW_BYTES : 0;
    more = str_cut(more, skipped < more.len ? skipped : more.len, more.len);
    if (more.len > MAX_LATE_BYTES - v->tokens.len)
        more.len = MAX_LATE_BYTES - v->tokens.len;
    char *both = arena_bytes(w->a, v->tokens.len + more.len);
    memcpy(both, v->tokens.at, v->tokens.len);
    memcpy(both + v->tokens.len, more.at, more.len);
    v->tokens = str_from(both, v->tokens.len + more.len);
}

/* Each window of a passage is read behind its heading. */
static bool add_windows(struct work *w, struct text_vectors *v)
{
    const struct pending_text *t = v->of;
    struct arena scratch = {0};
    str rest = t->text;
    int part = 0;
    struct encoder_tokens tokens, *wanted = t->kind == NODE_PASSAGE ? &tokens : NULL;
    bool ok = true;
    while (rest.len && v->count < MAX_TEXT_VECTORS && (ok = !is_stopped(w))) {
        struct arena mark = scratch;
        float(*windows)[ENCODER_DIMENSIONS];
        wanted = v->tokens.len < MAX_LATE_BYTES ? wanted : NULL;
        size_t n = encoder_windows(w->en, &scratch, t->heading,
                                   vectors_next_window(&rest, MAX_SEGMENT_BYTES),
                                   MAX_SEGMENT_WINDOWS, &windows, wanted);
        for (size_t i = 0; i < n; i++)
            add_vector(w, v, windows[i], part++);
        if (wanted)
            add_tokens(w, v, &tokens);
        arena_rewind(&scratch, mark);
    }
    arena_free(&scratch);
    return ok;
}

static bool encode(struct work *w, const struct pending_text *t, struct text_vectors *out)
{
    *out = (struct text_vectors){.of = t,
                                 .tokens = S(""),
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
    bool ok = store_put_vector_model(m->store, b->model, b->dimensions, &model, e);
    for (size_t i = 0; ok && i < b->encoded; i++)
        ok = store_put_vectors(m->store, &scratch, model, &b->vectors[i], &put, e) &&
             (!put ||
              store_put_tokens(m->store, b->vectors[i].of->id, model, b->vectors[i].tokens, e));
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
