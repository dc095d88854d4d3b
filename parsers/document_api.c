/* OpenAPI (Swagger) and JSON Schema in JSON: one passage an operation or definition. */
#include "parsers/document.h"

#include <jansson.h>
#include <stdlib.h>

static str text_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return str_from(json_string_value(value) ? json_string_value(value) : "",
                    json_string_length(value));
}

/* Its title, its summary and description, and all of it. */
static void put(struct flow *f, str title, const json_t *what)
{
    char *dump = json_dumps(what, JSON_INDENT(2) | JSON_ENCODE_ANY);
    flow_block(f, BLOCK_HEADING, 2, true, 1, title);
    flow_block(f, BLOCK_TEXT, 0, false, 1, text_of(what, "summary"));
    flow_block(f, BLOCK_TEXT, 0, false, 1, text_of(what, "description"));
    flow_block(f, BLOCK_CODE, 0, false, 1, str_of(dump));
    free(dump);
}

static void put_operations(struct arena *a, struct flow *f, json_t *paths)
{
    const char *path, *method;
    json_t *operations, *operation;
    json_object_foreach(paths, path, operations)
    {
        json_object_foreach(operations, method, operation)
            put(f, arena_printf(a, "%s %s", method, path), operation);
    }
}

static void put_definitions(struct flow *f, json_t *definitions)
{
    const char *name;
    json_t *definition;
    json_object_foreach(definitions, name, definition) put(f, str_of(name), definition);
}

bool document_api(struct arena *a, const struct document *d, bool *is_api, struct facts *out,
                  struct err *e)
{
    struct flow f = {.arena = a};
    json_t *json = json_loadb(d->lines.text.at, d->lines.text.len, 0, NULL);
    json_t *info = json_object_get(json, "info"), *paths = json_object_get(json, "paths");
    bool schema = json_is_string(json_object_get(json, "$schema"));
    bool ok = true;
    *is_api = json_is_object(paths) &&
              (json_object_get(json, "openapi") || json_object_get(json, "swagger"));
    if (*is_api || schema) {
        str title = text_of(*is_api ? info : json, "title");
        out->title = document_title(a, title);
        flow_block(&f, BLOCK_HEADING, 1, false, 1, title);
        flow_block(&f, BLOCK_TEXT, 0, false, 1, text_of(*is_api ? info : json, "description"));
        put_operations(a, &f, paths);
        put_definitions(&f, json_object_get(json_object_get(json, "components"), "schemas"));
        put_definitions(&f, json_object_get(json, "definitions"));
        put_definitions(&f, json_object_get(json, "$defs"));
        if (schema)
            put_definitions(&f, json_object_get(json, "properties"));
        *is_api = f.outline.count > 2;
    }
    if (*is_api)
        ok = flow_passages(&f, document_file_name(d->name), out, e);
    json_decref(json);
    flow_free(&f);
    return ok;
}
