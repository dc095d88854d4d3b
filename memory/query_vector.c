#include "memory/query_vector.h"

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

/* The query as a speaker whom it names would put it; empty where it names none. */
static str as_said(struct memory *m, struct arena *a, str query, const struct resolved *r,
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

static void put_between(float vector[ENCODER_DIMENSIONS], const float other[ENCODER_DIMENSIONS])
{
    float square = 0;
    for (int d = 0; d < ENCODER_DIMENSIONS; d++) {
        vector[d] += other[d];
        square += vector[d] * vector[d];
    }
    float length = sqrtf(square);
    for (int d = 0; d < ENCODER_DIMENSIONS && length > 0; d++)
        vector[d] /= length;
}

bool query_vector(struct memory *m, struct arena *a, str query, const struct resolved *resolved,
                  size_t resolved_count, float out[ENCODER_DIMENSIONS])
{
    struct err ignored = {0}; /* recall goes on without the leg */
    float said[ENCODER_DIMENSIONS];
    if (!m->options.encoder || m->encoder_failed || !query.len)
        return false;
    if (!m->encoder && !memory_open_encoder(&m->encoder, &ignored)) {
        m->encoder_failed = true;
        return false;
    }
    if (!encoder_encode(m->encoder, a, query, out))
        return false;
    str spoken = as_said(m, a, query, resolved, resolved_count);
    if (spoken.len && encoder_encode(m->encoder, a, spoken, said))
        put_between(out, said);
    return true;
}
