#include "memory/provider/answer.h"

#include <float.h>
#include <math.h>

/* ---- bounds before parsing ---- */

/* Steps behind the string that begins at `at`; s.len where it never ends. */
static size_t skip_string(str s, size_t at)
{
    for (at++; at < s.len && s.at[at] != '"'; at++)
        at += s.at[at] == '\\';
    return at < s.len ? at + 1 : s.len;
}

/* Counts on the bytes alone, so that nothing is built of an answer that is out of bounds. */
static bool is_within_bounds(str s, struct err *e)
{
    if (s.len > MAX_ANSWER_BYTES)
        return fail(e, ERR_LIMIT, "the answer has more than %d bytes", MAX_ANSWER_BYTES);
    size_t depth = 0, containers = 0, values = 0;
    for (size_t at = 0; at < s.len;) {
        char c = s.at[at];
        if (c == '[' || c == '{')
            containers++, depth++;
        else if ((c == ']' || c == '}') && depth > 0)
            depth--;
        values += c == ',' || c == ':';
        if (depth > MAX_ANSWER_DEPTH)
            return fail(e, ERR_LIMIT, "the answer nests deeper than %d levels", MAX_ANSWER_DEPTH);
        if (containers > MAX_ANSWER_CONTAINERS || values > MAX_ANSWER_VALUES)
            return fail(e, ERR_LIMIT, "the answer holds more than %d values", MAX_ANSWER_VALUES);
        at = c == '"' ? skip_string(s, at) : at + 1;
    }
    return true;
}

bool answer_parse(str body, json_t **out, struct err *e)
{
    *out = NULL;
    if (!is_within_bounds(body, e))
        return false;
    json_error_t why;
    *out = json_loadb(body.at, body.len, 0, &why);
    return *out || fail(e, ERR_INPUT, "the answer is no JSON (%zu bytes; wrong at byte %d)",
                        body.len, why.position);
}

/* ---- vectors and scores ---- */

/* The place in what was asked that an item is for; each once. `taken` has `count` entries. */
static bool take_place(const json_t *item, size_t position, size_t count, bool *taken,
                       size_t *place, struct err *e)
{
    const json_t *index = json_object_get(item, "index");
    if (index && !json_is_integer(index))
        return fail(e, ERR_INPUT, "answer[%zu].index is no number", position);
    json_int_t at = index ? json_integer_value(index) : (json_int_t)position;
    if (at < 0 || (size_t)at >= count)
        return fail(e, ERR_INPUT, "answer[%zu].index is %lld, of %zu texts", position,
                    (long long)at, count);
    if (taken[at])
        return fail(e, ERR_INPUT, "the answer has index %lld twice", (long long)at);
    taken[at] = true;
    *place = (size_t)at;
    return true;
}

static bool check_count(const json_t *rows, size_t count, const char *what, struct err *e)
{
    if (!json_is_array(rows))
        return fail(e, ERR_INPUT, "the answer has no list of %s", what);
    size_t n = json_array_size(rows);
    return n == count || fail(e, ERR_INPUT, "the answer has %zu %s for %zu texts", n, what, count);
}

/* Lengths differ by orders of magnitude between models, so the sum is taken in double. */
static bool scale(float *v, size_t dimensions, size_t position, struct err *e)
{
    double sum = 0;
    for (size_t i = 0; i < dimensions; i++)
        sum += (double)v[i] * v[i];
    if (!(sum > 0) || !isfinite(sum))
        return fail(e, ERR_INPUT, "vector %zu has no length", position);
    double by = 1 / sqrt(sum);
    for (size_t i = 0; i < dimensions; i++)
        v[i] = (float)(v[i] * by);
    return true;
}

static bool read_number(const json_t *number, float *out)
{
    double value = json_number_value(number);
    bool ok = json_is_number(number) && fabs(value) <= FLT_MAX;
    *out = ok ? (float)value : 0;
    return ok;
}

static bool read_vector(const json_t *numbers, size_t position, float *out, size_t dimensions,
                        struct err *e)
{
    if (json_array_size(numbers) != dimensions)
        return fail(e, ERR_INPUT, "vector %zu has %zu dimensions, the first has %zu", position,
                    json_array_size(numbers), dimensions);
    for (size_t i = 0; i < dimensions; i++) {
        if (!read_number(json_array_get(numbers, i), &out[i]))
            return fail(e, ERR_INPUT, "vector %zu has something else than a number at %zu",
                        position, i);
    }
    return scale(out, dimensions, position, e);
}

static const json_t *numbers_of(const json_t *row, const char *member)
{
    return member ? json_object_get(row, member) : row;
}

bool answer_vectors(struct arena *a, const json_t *rows, const char *member, size_t count,
                    struct embeddings *out, struct err *e)
{
    if (!check_count(rows, count, "vectors", e))
        return false;
    size_t dimensions = json_array_size(numbers_of(json_array_get(rows, 0), member));
    if (dimensions < MIN_MODEL_DIMENSIONS || dimensions > MAX_MODEL_DIMENSIONS)
        return fail(e, ERR_INPUT, "a vector of %zu dimensions: %d to %d are wanted", dimensions,
                    MIN_MODEL_DIMENSIONS, MAX_MODEL_DIMENSIONS);
    bool *taken = ARENA_ARRAY(a, bool, count);
    out->values = ARENA_ARRAY(a, float, count *dimensions);
    out->count = count;
    out->dimensions = dimensions;
    for (size_t i = 0, place = 0; i < count; i++) {
        const json_t *row = json_array_get(rows, i);
        if (!take_place(row, i, count, taken, &place, e) ||
            !read_vector(numbers_of(row, member), i, out->values + place * dimensions, dimensions,
                         e))
            return false;
    }
    return true;
}

bool answer_scores(struct arena *a, const json_t *rows, const char *member, size_t count,
                   struct reranked *out, struct err *e)
{
    if (!check_count(rows, count, "scores", e))
        return false;
    bool *taken = ARENA_ARRAY(a, bool, count);
    out->scores = ARENA_ARRAY(a, float, count);
    for (size_t i = 0, place = 0; i < count; i++) {
        const json_t *row = json_array_get(rows, i), *score = json_object_get(row, member);
        if (!json_object_get(row, "index"))
            return fail(e, ERR_INPUT, "answer[%zu].index is missing", i);
        if (!take_place(row, i, count, taken, &place, e))
            return false;
        if (!read_number(score, &out->scores[place]))
            return fail(e, ERR_INPUT, "answer[%zu].%s is no number", i, member);
    }
    return true;
}

/* ---- a model's text ---- */

/* Behind the bracket that closes the one at `at`; s.len + 1 where none does. */
static size_t object_end(str s, size_t at)
{
    size_t depth = 0;
    while (at < s.len) {
        char c = s.at[at];
        depth += c == '{';
        depth -= c == '}';
        at = c == '"' ? skip_string(s, at) : at + 1;
        if (depth == 0)
            return at;
    }
    return s.len + 1;
}

/* Models that think aloud do it in front of the answer. */
static str behind_thoughts(str text)
{
    static const str end = {"</think>", 8};
    size_t at = 0, next;
    while ((next = str_find(text, end, at)) < text.len)
        at = next + end.len;
    return str_cut(text, at, text.len);
}

/* An opening bracket that is never closed means an answer that broke off: what stands inside of it
 * is a part of the answer and not taken for the whole. */
bool answer_object(struct arena *a, str text, struct llm_answer *out, struct err *e)
{
    enum { MAX_TRIES = 8 }; /* objects in the text that are no JSON, e.g. {curly} words */
    text = behind_thoughts(text);
    size_t at = str_find_char(text, '{', 0);
    for (int tries = 0; at < text.len && tries < MAX_TRIES; tries++) {
        size_t end = object_end(text, at);
        if (end > text.len)
            return fail(e, ERR_INPUT, "the model's answer breaks off (%zu bytes)", text.len);
        struct err ignored = {0};
        json_t *object;
        bool ok = answer_parse(str_cut(text, at, end), &object, &ignored);
        json_decref(object);
        if (ok) {
            out->json = arena_str(a, str_cut(text, at, end));
            return true;
        }
        at = str_find_char(text, '{', end);
    }
    return fail(e, ERR_INPUT, "the model answered without a JSON object (%zu bytes)", text.len);
}

str answer_string(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_string(value) ? str_from(json_string_value(value), json_string_length(value))
                                 : S("");
}

int64_t answer_tokens(const json_t *object, const char *name)
{
    enum { MAX_TOKENS = 100000000 }; /* of one exchange: more is a lie, and would eat the cap */
    json_int_t n = json_integer_value(json_object_get(object, name));
    return n < 0 || n > MAX_TOKENS ? 0 : n;
}

bool answer_cut(const struct llm_ask *ask, struct err *e)
{
    return fail(e, ERR_LIMIT, "the model's answer was cut at %zu tokens", ask->max_output_tokens);
}
