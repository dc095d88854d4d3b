/* Jupyter notebooks: their cells of text, read as Markdown is, and of code; no outputs. */
#include "parsers/document.h"
#include "parsers/parsers.h"

#include <jansson.h>

/* A cell's source: one text, or a list of lines. */
static void add_source(const json_t *source, struct buf *out)
{
    if (json_is_string(source))
        buf_add(out, str_from(json_string_value(source), json_string_length(source)));
    for (size_t i = 0; i < json_array_size(source); i++)
        add_source(json_is_string(json_array_get(source, i)) ? json_array_get(source, i) : NULL,
                   out);
}

static size_t marks_of(str line)
{
    size_t n = 0;
    while (n < line.len && line.at[n] == '#')
        n++;
    return n && n <= MAX_HEADING_LEVEL && n < line.len && line.at[n] == ' ' ? n : 0;
}

static void put_markdown(struct flow *f, str text)
{
    struct buf paragraph = {0};
    str line;
    bool fenced = false;
    while (str_next_line(&text, &line)) {
        size_t marks = fenced ? 0 : marks_of(line);
        bool is_fence = str_starts(str_trim(line), S("```"));
        if (marks || (!fenced && !str_trim(line).len) || (is_fence && !fenced)) {
            flow_block(f, BLOCK_TEXT, 0, false, 1, buf_str(&paragraph));
            buf_clear(&paragraph);
        }
        if (marks) {
            flow_block(f, BLOCK_HEADING, (int)marks, false, 1,
                       str_trim(str_cut(line, marks, line.len)));
            continue;
        }
        buf_add(&paragraph, line);
        buf_add_char(&paragraph, '\n');
        if (is_fence && fenced) {
            flow_block(f, BLOCK_CODE, 0, false, 1, buf_str(&paragraph));
            buf_clear(&paragraph);
        }
        fenced ^= is_fence;
    }
    flow_block(f, fenced ? BLOCK_CODE : BLOCK_TEXT, 0, false, 1, buf_str(&paragraph));
    buf_free(&paragraph);
}

static void put_cell(struct flow *f, const json_t *cell)
{
    const char *type = json_string_value(json_object_get(cell, "cell_type"));
    struct buf source = {.max_bytes = MAX_TEXT_BYTES};
    add_source(json_object_get(cell, "source"), &source);
    if (!source.len)
        add_source(json_object_get(cell, "input"), &source); /* before version 4 */
    if (type && strcmp(type, "markdown") == 0)
        put_markdown(f, buf_str(&source));
    else if (type && strcmp(type, "code") == 0)
        flow_block(f, BLOCK_CODE, 0, false, 1, buf_str(&source));
    buf_free(&source);
}

bool document_notebook(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    struct flow f = {.arena = a};
    json_error_t error;
    json_t *json = json_loadb(d->lines.text.at, d->lines.text.len, 0, &error);
    json_t *cells = json_object_get(json, "cells");
    if (!cells) /* before version 4 */
        cells = json_object_get(json_array_get(json_object_get(json, "worksheets"), 0), "cells");
    bool ok =
        json || fail(e, ERR_INPUT, "'%.*s' is no notebook: its JSON ends or breaks in line %d",
                     FMT(d->shown), error.line);
    for (size_t i = 0; i < json_array_size(cells); i++)
        put_cell(&f, json_array_get(cells, i));
    json_decref(json);
    if (ok && flow_is_empty(&f))
        ok = fail(e, ERR_INPUT, "'%.*s' is no notebook, or has no cells with text", FMT(d->shown));
    ok = ok && flow_passages(&f, document_file_name(d->name), out, e);
    flow_free(&f);
    return ok;
}
