/* Arguments against a tool's own JSON schema (the subset of it that our schemas use), so that the
 * schema can't drift from the code. */
#include "tools/args.h"

#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"

#include <pthread.h>
#include <stdio.h>

enum { QUOTED_BYTES = 80, MAX_FIELD_BYTES = 160, MAX_TOOLS = 16 };

/* ---- checking ---- */

static str quoted(struct arena *a, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    str whole = arena_str(a, str_of(text ? text : "?"));
    heap_free(text);
    str out = unicode_visible(a, utf8_prefix(utf8_repair(a, whole), QUOTED_BYTES));
    return whole.len > QUOTED_BYTES ? arena_printf(a, "%.*s...", FMT(out)) : out;
}

static const char *schema_text(const json_t *schema, const char *key)
{
    return json_string_value(json_object_get(schema, key));
}

static bool has_type(const json_t *value, const char *type)
{
    if (strcmp(type, "string") == 0)
        return json_is_string(value);
    if (strcmp(type, "boolean") == 0)
        return json_is_boolean(value);
    if (strcmp(type, "integer") == 0)
        return json_is_integer(value) ||
               (json_is_real(value) &&
                json_real_value(value) == (double)(json_int_t)json_real_value(value));
    if (strcmp(type, "number") == 0)
        return json_is_number(value);
    return strcmp(type, "array") == 0 ? json_is_array(value) : json_is_object(value);
}

/* Some clients send arrays, objects and numbers as JSON in a string: read it where that gives what
 * is due. New reference. */
static json_t *put_right(json_t *value, const char *type)
{
    if (json_is_string(value) && strcmp(type, "string") != 0) {
        json_t *parsed = json_loadb(json_string_value(value), json_string_length(value),
                                    JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        if (parsed && has_type(parsed, type))
            return parsed;
        json_decref(parsed);
    }
    if (json_is_real(value) && strcmp(type, "integer") == 0 && has_type(value, type))
        return json_integer((json_int_t)json_real_value(value));
    return json_incref(value);
}

static bool check(struct arena *a, const char *field, const json_t *schema, json_t *value,
                  json_t **out, struct err *e);

static bool check_bounds(struct arena *a, const char *field, const json_t *schema, json_t *value,
                         struct err *e)
{
    json_t *low = json_object_get(schema, "minimum"), *high = json_object_get(schema, "maximum");
    if (!json_is_number(value))
        return true;
    double v = json_number_value(value);
    if ((low && v < json_number_value(low)) || (high && v > json_number_value(high)))
        return fail(e, ERR_INPUT, "%s: %.*s is out of range; wanted: %.10g to %.10g", field,
                    FMT(quoted(a, value)), low ? json_number_value(low) : 0,
                    high ? json_number_value(high) : 0);
    return true;
}

static bool check_string(struct arena *a, const char *field, const json_t *schema, json_t *value,
                         struct err *e)
{
    json_t *most = json_object_get(schema, "maxLength"), *allowed = json_object_get(schema, "enum"),
           *row;
    size_t i;
    if (most && json_string_length(value) > (size_t)json_integer_value(most))
        return fail(e, ERR_INPUT, "%s: %zu bytes; wanted: at most %lld%s", field,
                    json_string_length(value), (long long)json_integer_value(most),
                    strcmp(field, "text") == 0 ? " (attach_document takes longer texts)" : "");
    if (!allowed)
        return true;
    json_array_foreach(allowed, i, row) if (json_equal(row, value)) return true;
    char *list = json_dumps(allowed, JSON_COMPACT);
    fail(e, ERR_INPUT, "%s: %.*s is not known; wanted: one of %s", field, FMT(quoted(a, value)),
         list ? list : "");
    heap_free(list);
    return false;
}

static bool check_array(struct arena *a, const char *field, const json_t *schema, json_t *value,
                        json_t **out, struct err *e)
{
    json_t *most = json_object_get(schema, "maxItems"),
           *least = json_object_get(schema, "minItems");
    json_t *items = json_object_get(schema, "items"), *item;
    size_t i, count = json_array_size(value);
    if ((most && count > (size_t)json_integer_value(most)) ||
        (least && count < (size_t)json_integer_value(least)))
        return fail(e, ERR_INPUT, "%s: %zu items; wanted: %lld to %lld", field, count,
                    least ? (long long)json_integer_value(least) : 0LL,
                    most ? (long long)json_integer_value(most) : 0LL);
    *out = json_array();
    json_array_foreach(value, i, item)
    {
        char name[MAX_FIELD_BYTES];
        json_t *checked = NULL;
        snprintf(name, sizeof name, "%s[%zu]", field, i);
        if (!check(a, name, items, item, &checked, e))
            return false;
        json_array_append_new(*out, checked);
    }
    return true;
}

static bool check_object(struct arena *a, const char *field, const json_t *schema, json_t *value,
                         json_t **out, struct err *e)
{
    json_t *properties = json_object_get(schema, "properties"),
           *required = json_object_get(schema, "required"), *member;
    const char *dot = field[0] ? "." : "", *key;
    size_t i;
    if (!properties) {
        *out = json_incref(value);
        return true;
    }
    *out = json_object();
    json_object_foreach(value, key, member)
    {
        char name[MAX_FIELD_BYTES];
        json_t *member_schema = json_object_get(properties, key), *checked = NULL;
        str shown = unicode_visible(a, utf8_prefix(str_of(key), QUOTED_BYTES));
        snprintf(name, sizeof name, "%s%s%.*s", field, dot, FMT(shown));
        if (!member_schema) {
            struct buf known = {0};
            const char *other;
            json_t *ignored;
            json_object_foreach(properties, other, ignored)
                buf_printf(&known, "%s%s", known.len ? ", " : "", other);
            fail(e, ERR_INPUT, "%s: there is no such field; wanted: %.*s", name,
                 FMT(buf_str(&known)));
            buf_free(&known);
            return false;
        }
        if (json_is_null(member)) /* some clients send null for what they leave out */
            continue;
        if (!check(a, name, member_schema, member, &checked, e))
            return false;
        json_object_set_new(*out, key, checked);
    }
    json_array_foreach(
        required, i,
        member) if (!json_object_get(*out,
                                     json_string_value(
                                         member))) return fail(e, ERR_INPUT,
                                                               "%s%s%s: missing; it is required",
                                                               field, dot,
                                                               json_string_value(member));
    return true;
}

static bool check(struct arena *a, const char *field, const json_t *schema, json_t *value,
                  json_t **out, struct err *e)
{
    const char *type = schema_text(schema, "type");
    json_t *right = put_right(value, type ? type : "object");
    bool ok = !type || has_type(right, type) ||
              fail(e, ERR_INPUT, "%s: %.*s is of the wrong type; wanted: %s %s",
                   field[0] ? field : "arguments", FMT(quoted(a, right)),
                   strchr("aio", type[0]) ? "an" : "a", type);
    *out = NULL;
    if (ok && json_is_array(right))
        ok = check_array(a, field, schema, right, out, e);
    else if (ok && json_is_object(right))
        ok = check_object(a, field, schema, right, out, e);
    else if (ok) {
        ok = check_bounds(a, field, schema, right, e) &&
             (!json_is_string(right) || check_string(a, field, schema, right, e));
        *out = json_incref(right);
    }
    json_decref(right);
    if (!ok) {
        json_decref(*out);
        *out = NULL;
    }
    return ok;
}

/* Parsed once; the process keeps them. Borrowed values of theirs are only read, from whichever
 * thread. */
static json_t *schemas[MAX_TOOLS];

static void parse_schemas(void)
{
    for (size_t i = 0; i < tool_count && i < MAX_TOOLS; i++)
        schemas[i] = json_loads(tools[i].json, 0, NULL);
}

static const json_t *input_schema(const struct tool *t)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, parse_schemas);
    return json_object_get(schemas[t - tools], "inputSchema");
}

bool tool_check_arguments(const struct tool *t, json_t *arguments, json_t **checked, struct err *e)
{
    struct arena scratch = {0};
    json_t *empty = json_object();
    bool ok = check(&scratch, "", input_schema(t), arguments ? arguments : empty, checked, e);
    json_decref(empty);
    arena_free(&scratch);
    return ok;
}

/* ---- reading ---- */

static str value_str(const json_t *value)
{
    return json_is_string(value) ? str_from(json_string_value(value), json_string_length(value))
                                 : S("");
}

str arg_str(const json_t *args, const char *name)
{
    return value_str(json_object_get(args, name));
}

bool arg_bool(const json_t *args, const char *name)
{
    return json_is_true(json_object_get(args, name));
}

bool arg_int(const json_t *args, const char *name, int64_t *out)
{
    const json_t *value = json_object_get(args, name);
    if (!json_is_integer(value))
        return false;
    *out = json_integer_value(value);
    return true;
}

bool arg_real(const json_t *args, const char *name, double *out)
{
    const json_t *value = json_object_get(args, name);
    if (!json_is_number(value))
        return false;
    *out = json_number_value(value);
    return true;
}

const json_t *arg_array(const json_t *args, const char *name, size_t *count)
{
    const json_t *value = json_object_get(args, name);
    *count = json_array_size(value);
    return value;
}

str *arg_strs(struct arena *a, const json_t *args, const char *name, size_t *count)
{
    const json_t *array = arg_array(args, name, count);
    str *out = ARENA_ARRAY(a, str, *count);
    for (size_t i = 0; i < *count; i++)
        out[i] = value_str(json_array_get(array, i));
    return out;
}

bool arg_time(const json_t *args, const char *name, bool end_of_day, bool *given, int64_t *ms,
              struct err *e)
{
    str text = arg_str(args, name);
    bool is_date;
    *given = json_object_get(args, name) != NULL;
    if (!*given)
        return true;
    if (!iso_parse(text, ms, &is_date)) {
        struct arena scratch = {0};
        str shown = unicode_visible(&scratch, utf8_prefix(text, QUOTED_BYTES));
        fail(e, ERR_INPUT,
             "%s: '%.*s' is no time; wanted: RFC 3339, such as 2026-05-08 or 2026-05-08T13:56:00Z",
             name, FMT(shown));
        arena_free(&scratch);
        return false;
    }
    if (is_date && end_of_day)
        *ms += DAY_MS;
    return true;
}
