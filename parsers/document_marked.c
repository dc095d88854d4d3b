/* reStructuredText and AsciiDoc: their headings, code and tables, told by their lines. */
#include "parsers/document.h"

#include <ctype.h>

enum { MAX_STYLES = MAX_HEADING_LEVEL };

static void add(struct outline *o, size_t first, size_t last, enum block_kind kind)
{
    outline_add(o, (struct block){.first = (uint32_t)first,
                                  .last = (uint32_t)last,
                                  .kind = (uint8_t)kind,
                                  .depth = 1});
}

static void add_heading(struct arena *a, struct outline *o, size_t first, size_t last, size_t level,
                        str text)
{
    outline_add(
        o, (struct block){.first = (uint32_t)first,
                          .last = (uint32_t)last,
                          .kind = BLOCK_HEADING,
                          .level = (uint8_t)(level > MAX_HEADING_LEVEL ? MAX_HEADING_LEVEL : level),
                          .heading = outline_add_heading(a, o, text)});
}

/* The last line from `first` on before a blank one. */
static size_t paragraph_end(const struct lines *l, size_t first)
{
    size_t last = first;
    while (last + 1 < l->count && !line_is_blank(l, last + 1))
        last++;
    return last;
}

static str line_at(const struct lines *l, size_t i)
{
    return i < l->count ? lines_text(l, i, i) : S("");
}

static bool is_indented(const struct lines *l, size_t i)
{
    str s = line_at(l, i);
    return s.len && (s.at[0] == ' ' || s.at[0] == '\t');
}

/* The last line that isn't blank of what is indented from `first` on. */
static size_t indented_end(const struct lines *l, size_t first)
{
    size_t last = first;
    for (size_t i = first; i < l->count && (line_is_blank(l, i) || is_indented(l, i)); i++)
        if (!line_is_blank(l, i))
            last = i;
    return last;
}

static bool finish(struct arena *a, const struct document *d, struct outline *o, struct facts *out,
                   struct err *e)
{
    const struct block *best = NULL;
    for (size_t i = 0; i < o->count; i++)
        if (o->blocks[i].kind == BLOCK_HEADING &&
            (!best || (o->blocks[i].level == 1 && best->level > 1)))
            best = &o->blocks[i];
    out->title = best ? o->headings[best->heading] : document_file_name(d->name);
    bool ok = passages_cut(a, &d->lines, o, out, e);
    outline_free(o);
    return ok;
}

/* ---- reStructuredText ---- */

/* A line of one repeated sign: what underlines a title. */
static char adornment(str line)
{
    str s = str_trim(line);
    if (s.len < 2 || !ispunct((unsigned char)s.at[0]))
        return '\0';
    for (size_t i = 1; i < s.len; i++)
        if (s.at[i] != s.at[0])
            return '\0';
    return s.at[0];
}

/* Which heading begins at a line: its lines, its text and its adornment, over and under apart. */
static size_t rst_heading(const struct lines *l, size_t i, str *text, int *style)
{
    char over = adornment(line_at(l, i));
    if (over && i + 2 < l->count && adornment(line_at(l, i + 2)) == over &&
        !line_is_blank(l, i + 1) && !adornment(line_at(l, i + 1))) {
        *text = str_trim(line_at(l, i + 1));
        *style = over + 256;
        return 3;
    }
    char under = i + 1 < l->count ? adornment(line_at(l, i + 1)) : '\0';
    if (!under || over || is_indented(l, i) || line_is_blank(l, i) ||
        str_trim(line_at(l, i + 1)).len + 2 < str_trim(line_at(l, i)).len)
        return 0;
    *text = str_trim(line_at(l, i));
    *style = under;
    return 2;
}

/* Adornments get their levels in the order in which they come. */
static size_t level_of(int style, int styles[MAX_STYLES], size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (styles[i] == style)
            return i + 1;
    if (*count < MAX_STYLES)
        styles[(*count)++] = style;
    return *count;
}

static bool is_rst_table(str line)
{
    str s = str_trim(line);
    return str_starts(s, S("+--")) || str_starts(s, S("+==")) ||
           (str_starts(s, S("==")) && str_find(s, S(" ="), 0) < s.len);
}

static bool leads_to_code(str line)
{
    str s = str_trim(line);
    return str_ends(s, S("::")) || str_starts(s, S(".. code")) || str_starts(s, S(".. sourcecode"));
}

static size_t table_end(const struct lines *l, size_t first)
{
    size_t last = paragraph_end(l, first);
    while (last + 2 < l->count && !is_rst_table(line_at(l, last)) && line_is_blank(l, last + 1))
        last = paragraph_end(l, last + 2);
    return last;
}

bool document_rst(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    const struct lines *l = &d->lines;
    struct outline o = {0};
    int styles[MAX_STYLES], style;
    size_t style_count = 0;
    bool code_next = false;
    for (size_t i = 0, last; i < l->count; i = last + 1) {
        last = i;
        str text;
        size_t heading = line_is_blank(l, i) ? 0 : rst_heading(l, i, &text, &style);
        if (line_is_blank(l, i))
            continue;
        if (heading) {
            last = i + heading - 1;
            add_heading(a, &o, i, last, level_of(style, styles, &style_count), text);
        } else if (code_next && is_indented(l, i)) {
            add(&o, i, last = indented_end(l, i), BLOCK_CODE);
        } else if (is_rst_table(line_at(l, i))) {
            last = table_end(l, i);
            while (line_is_blank(l, last))
                last--;
            add(&o, i, last, BLOCK_ROWS);
        } else {
            while (last + 1 < l->count && !line_is_blank(l, last + 1) &&
                   !rst_heading(l, last + 1, &text, &style))
                last++;
            add(&o, i, last, BLOCK_TEXT);
        }
        code_next = !heading && leads_to_code(line_at(l, last));
        code_next |= !heading && leads_to_code(line_at(l, i));
    }
    return finish(a, d, &o, out, e);
}

/* ---- AsciiDoc ---- */

static size_t adoc_level(str line, str *text)
{
    size_t marks = 0;
    while (marks < line.len && line.at[marks] == '=')
        marks++;
    if (!marks || marks > MAX_HEADING_LEVEL || marks >= line.len || line.at[marks] != ' ')
        return 0;
    *text = str_trim(str_cut(line, marks, line.len));
    return text->len ? marks : 0;
}

/* "----", "....", "|===": what bounds a block; its kind. */
static bool is_fence(str line, enum block_kind *kind)
{
    str s = str_trim(line);
    bool table = str_eq(s, S("|===")) || str_eq(s, S(",===")) || str_eq(s, S("!==="));
    bool code = s.len >= 4 && strchr("-.+`", s.at[0]) && adornment(s);
    *kind = table ? BLOCK_ROWS : BLOCK_CODE;
    return table || code || str_eq(s, S("```"));
}

/* The line that closes what opens at `first`, else the last one that isn't blank. */
static size_t fence_end(const struct lines *l, size_t first)
{
    str bound = str_trim(line_at(l, first));
    size_t last = first;
    for (size_t i = first + 1; i < l->count; i++) {
        if (!line_is_blank(l, i))
            last = i;
        if (str_eq(str_trim(line_at(l, i)), bound))
            break;
    }
    return last;
}

bool document_adoc(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    const struct lines *l = &d->lines;
    struct outline o = {0};
    enum block_kind kind;
    str text;
    for (size_t i = 0, last; i < l->count; i = last + 1) {
        last = i;
        size_t level;
        if (line_is_blank(l, i))
            continue;
        if ((level = adoc_level(line_at(l, i), &text))) {
            add_heading(a, &o, i, i, level, text);
        } else if (is_fence(line_at(l, i), &kind)) {
            add(&o, i, last = fence_end(l, i), kind);
        } else {
            while (last + 1 < l->count && !line_is_blank(l, last + 1) &&
                   !adoc_level(line_at(l, last + 1), &text) &&
                   !is_fence(line_at(l, last + 1), &kind))
                last++;
            add(&o, i, last, BLOCK_TEXT);
        }
    }
    return finish(a, d, &o, out, e);
}
