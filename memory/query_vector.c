#include "memory/query_vector.h"

#include "memory/memory_vectors.h"
#include "memory/store_vector.h"
#include "memory/text_chars.h"

#include <math.h>

/* Has this entity said something? Who did is joined to it, mostly to what they said: the first
 * edges tell. */
static bool is_speaker(const struct snapshot *snap, node entity)
{
    enum { MOST_EDGES = 64 };
    const struct half_edge *edge;
    int seen = 0;
    for (struct row_walk w = graph_row(&snap->graph, entity);
         seen < MOST_EDGES && (edge = row_next(&snap->graph, &w)); seen++)
        if (snap->meta[edge->to].speaker == entity)
            return true;
    return false;
}

static bool name_stands_at(str query, size_t at, str name)
{
    return name.len && str_starts(str_cut(query, at, query.len), name) &&
           (at == 0 || !word_at(query, at - 1)) && !word_at(query, at + name.len);
}

/* The length of a speaker's name at `at`, whole or the first word alone; 0: none stands there. */
static size_t speaker_at(const struct snapshot *snap, str query, size_t at,
                         const struct resolved *r, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        str first, rest = r[i].name;
        if (!is_speaker(snap, r[i].at))
            continue;
        if (name_stands_at(query, at, r[i].name))
            return r[i].name.len;
        if (str_next_word(&rest, &first) && name_stands_at(query, at, first))
            return first.len;
    }
    return 0;
}

str query_as_said(struct memory *m, struct arena *a, str query, const struct resolved *r,
                  size_t count)
{
    struct buf out = {0};
    bool named = false;
    for (size_t at = 0; at < query.len;) {
        size_t name = speaker_at(&m->snap, query, at, r, count), end = at + name;
        if (!name) {
            buf_add_char(&out, query.at[at]);
            at++;
            continue;
        }
        size_t mark = apostrophe(query, end);
        bool owns = mark && end + mark < query.len && query.at[end + mark] == 's';
        buf_add(&out, owns ? S("my") : S("I"));
        at = owns ? end + mark + 1 : end;
        named = true;
    }
    str said = named ? arena_str(a, buf_str(&out)) : S("");
    buf_free(&out);
    return said;
}

void query_vector_between(float *vector, const float *other, size_t dimensions)
{
    float square = 0;
    for (size_t d = 0; d < dimensions; d++) {
        vector[d] += other[d];
        square += vector[d] * vector[d];
    }
    float length = sqrtf(square);
    for (size_t d = 0; d < dimensions && length > 0; d++)
        vector[d] /= length;
}

float *query_vector_local(struct memory *m, struct arena *a, str query,
                          const struct resolved *resolved, size_t resolved_count,
                          struct encoder_tokens *tokens)
{
    float *out = ARENA_ARRAY(a, float, ENCODER_DIMENSIONS), said[ENCODER_DIMENSIONS];
    *tokens = (struct encoder_tokens){0};
    if (!query.len || !encoder_encode_tokens(m->encoder, a, query, out, tokens))
        return NULL;
    str spoken = query_as_said(m, a, query, resolved, resolved_count);
    if (spoken.len && encoder_encode(m->encoder, a, spoken, said))
        query_vector_between(out, said, ENCODER_DIMENSIONS);
    return out;
}

/* ---- whose vectors ---- */

static bool has_encoder(struct memory *m)
{
    struct err ignored = {0}; /* recall goes on without the leg */
    if (!m->options.encoder || m->encoder_failed)
        return false;
    m->encoder_failed = !m->encoder && !memory_open_encoder(&m->encoder, &ignored);
    return !m->encoder_failed;
}

/* Who asks one question reads all vectors for it. */
static bool may_read_all(struct memory *m, bool *out, struct err *e)
{
    *out = true;
    return !m->options.most_vectors ||
           store_vectors_within(m->store, m->options.most_vectors, out, e);
}

static bool is_local(struct memory *m, str name)
{
    return has_encoder(m) && str_eq(name, encoder_model_name(m->encoder));
}

/* Another model of the same provider: its name stands behind the provider's. */
static bool is_of_the_same(const struct provider_settings *s, str name)
{
    size_t row = strlen(s->row->name);
    return str_starts(name, str_of(s->row->name)) && name.len > row + 1 && name.at[row] == '/';
}

bool leg_model_choose(struct memory *m, struct arena *a, struct leg_model *out, struct err *e)
{
    const struct provider_settings *s = models_settings(m->options.models, PROVIDER_EMBED);
    str whole;
    *out = (struct leg_model){.name = S("")};
    if (!s) {
        bool may;
        if (!may_read_all(m, &may, e))
            return false;
        out->is_local = may && has_encoder(m);
        out->name = out->is_local ? encoder_model_name(m->encoder) : S("");
        return true;
    }
    out->name = models_name(a, s, PROVIDER_EMBED);
    out->settings = *s;
    if (!store_whole_model(m->store, a, &whole, e))
        return false;
    if (!whole.len || str_eq(whole, out->name))
        return true;
    if (is_local(m, whole)) {
        out->is_local = true;
        out->name = whole;
    } else if (is_of_the_same(s, whole)) {
        out->name = whole;
        out->settings.model = str_cut(whole, strlen(s->row->name) + 1, whole.len);
    }
    return true;
}
