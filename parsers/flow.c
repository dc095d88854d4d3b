#include "parsers/flow.h"

#include "memory/base/unicode.h"
#include "parsers/parsers.h"

enum { MAX_INDENT_DEPTH = 10, MAX_DEPTH = 50 };

/* ---- blocks ---- */

/* Without control characters that end lines or texts elsewhere, and without blank lines at the
 * ends. */
static str clean(struct flow *f, str text)
{
    buf_clear(&f->scratch);
    buf_add(&f->scratch, text);
    char *at = f->scratch.at;
    for (size_t i = 0; i < f->scratch.len; i++)
        if ((unsigned char)at[i] < ' ' && at[i] != '\n' && at[i] != '\t')
            at[i] = ' ';
    str s = buf_str(&f->scratch), trimmed = str_trim(s);
    size_t from = trimmed.len ? (size_t)(trimmed.at - s.at) : 0, line = from;
    while (line && s.at[line - 1] != '\n')
        line--;
    return str_from(s.at + line, trimmed.len ? trimmed.len + (from - line) : 0);
}

static size_t count_breaks(str s)
{
    size_t count = 0;
    for (size_t at = str_find_char(s, '\n', 0); at < s.len; at = str_find_char(s, '\n', at + 1))
        count++;
    return count;
}

static void new_line(struct flow *f)
{
    buf_add_char(&f->text, '\n');
    f->lines++;
}

static void put_text(struct flow *f, str s, struct block *b)
{
    b->first = (uint32_t)f->lines;
    buf_add(&f->text, s);
    f->lines += count_breaks(s);
    b->last = (uint32_t)f->lines;
    new_line(f);
}

static bool continues_code(const struct flow *f, enum block_kind kind)
{
    return f->joins_code && kind == BLOCK_CODE && f->outline.count &&
           f->outline.blocks[f->outline.count - 1].kind == BLOCK_CODE;
}

void flow_block(struct flow *f, enum block_kind kind, int level, bool alone, size_t depth, str text)
{
    str s = clean(f, text);
    if (!s.len || f->text.overflow)
        return;
    struct block b = {.kind = (uint8_t)kind,
                      .level = (uint8_t)level,
                      .alone = alone,
                      .depth = (uint8_t)(depth > MAX_DEPTH ? MAX_DEPTH : depth)};
    struct outline *o = &f->outline;
    if (continues_code(f, kind)) {
        put_text(f, s, &b);
        o->blocks[o->count - 1].last = b.last;
        return;
    }
    bool in_list = depth > 1 && o->count && o->blocks[o->count - 1].depth > 1;
    if (o->count && !in_list)
        new_line(f);
    put_text(f, s, &b);
    if (kind == BLOCK_HEADING)
        b.heading = outline_add_heading(f->arena, o, utf8_repair(f->arena, s));
    HEAP_GROW(f->pages, o->count, f->page_capacity);
    f->pages[o->count] = f->page;
    outline_add(o, b);
}

bool flow_is_empty(const struct flow *f)
{
    return f->outline.count == 0;
}

/* ---- the paragraph in work ---- */

static bool is_space(str s, size_t at, size_t *length)
{
    *length = str_starts(str_cut(s, at, s.len), S("\xC2\xA0")) ? 2 : 1;
    return *length == 2 || strchr(" \t\n\r\f\v", s.at[at]);
}

void flow_text(struct flow *f, str s)
{
    f->line.max_bytes = MAX_TEXT_BYTES;
    if (f->verbatim) {
        buf_add(&f->line, s);
        return;
    }
    for (size_t at = 0, length; at < s.len;) {
        if (is_space(s, at, &length)) {
            f->space = true;
            at += length;
            continue;
        }
        size_t to = at;
        while (to < s.len && !is_space(s, to, &length))
            to++;
        bool first = !f->line.len || f->line.at[f->line.len - 1] == '\n';
        if (f->space && !first)
            buf_add_char(&f->line, ' ');
        f->space = false;
        buf_add(&f->line, str_cut(s, at, to));
        at = to;
    }
}

void flow_line_break(struct flow *f)
{
    f->space = false;
    buf_add_char(&f->line, '\n');
}

static str folded(struct flow *f, str s)
{
    return unicode_squeeze(f->arena, s);
}

/* "- " in front of an item's first line, the same width in front of its other ones. */
static void put_item(struct flow *f, str text)
{
    struct buf out = {.max_bytes = MAX_TEXT_BYTES};
    size_t depth = f->list_depth > MAX_INDENT_DEPTH ? MAX_INDENT_DEPTH : f->list_depth;
    str rest = str_trim(text), line;
    while (str_next_line(&rest, &line)) {
        for (size_t i = 1; i < depth; i++)
            buf_add(&out, S("  "));
        buf_add(&out, f->marked ? S("- ") : S("  "));
        buf_add(&out, line);
        buf_add_char(&out, '\n');
        f->marked = false;
    }
    flow_block(f, BLOCK_TEXT, 0, false, 1 + f->list_depth, buf_str(&out));
    buf_free(&out);
}

static void put_paragraph(struct flow *f, str text)
{
    struct arena mark = *f->arena;
    if (f->table_depth) {
        if (f->row.len && f->row.at[f->row.len - 1] != ' ')
            buf_add_char(&f->row, ' ');
        buf_add(&f->row, folded(f, text));
        arena_rewind(f->arena, mark);
    } else if (f->level) {
        flow_block(f, BLOCK_HEADING, f->level > MAX_HEADING_LEVEL ? MAX_HEADING_LEVEL : f->level,
                   false, 1, folded(f, text)); /* the heading stays in the arena */
        f->marked = false;
    } else if (f->verbatim) {
        flow_block(f, BLOCK_CODE, 0, false, 1 + f->list_depth, text);
    } else if (f->list_depth) {
        put_item(f, text);
    } else {
        flow_block(f, BLOCK_TEXT, 0, false, 1, text);
    }
}

void flow_end(struct flow *f)
{
    if (str_trim(buf_str(&f->line)).len)
        put_paragraph(f, buf_str(&f->line));
    f->text.overflow |= f->line.overflow;
    buf_clear(&f->line);
    f->space = f->verbatim = false;
    f->level = 0;
}

/* ---- lists and tables ---- */

void flow_list_open(struct flow *f)
{
    flow_end(f);
    f->list_depth++;
}

void flow_list_close(struct flow *f)
{
    flow_end(f);
    f->list_depth -= f->list_depth > 0;
    f->marked = false;
}

void flow_item(struct flow *f)
{
    flow_end(f);
    f->marked = true;
}

static void end_row(struct flow *f)
{
    str row = str_trim(buf_str(&f->row));
    bool has_text = false;
    for (size_t i = 0; i < row.len && !has_text; i++)
        has_text = row.at[i] != '|' && row.at[i] != ' ';
    if (has_text) {
        f->table.max_bytes = MAX_TEXT_BYTES;
        buf_add(&f->table, row);
        buf_add_char(&f->table, '\n');
    }
    buf_clear(&f->row);
    f->cells = 0;
}

void flow_table_open(struct flow *f)
{
    flow_end(f);
    f->table_depth++;
}

void flow_table_close(struct flow *f)
{
    flow_end(f);
    if (f->table_depth == 1) {
        end_row(f);
        f->table_depth = 0;
        flow_block(f, BLOCK_ROWS, 0, false, 1 + f->list_depth, buf_str(&f->table));
        f->text.overflow |= f->table.overflow;
        buf_clear(&f->table);
    } else if (f->table_depth) {
        f->table_depth--;
    }
}

void flow_row(struct flow *f)
{
    flow_end(f);
    if (f->table_depth == 1)
        end_row(f);
}

void flow_cell(struct flow *f)
{
    flow_end(f);
    f->row.max_bytes = MAX_TEXT_BYTES;
    if (f->table_depth == 1 && f->cells++)
        buf_add(&f->row, S(" | "));
}

/* ---- passages ---- */

static str title_of(const struct flow *f, str name)
{
    const struct block *best = NULL;
    const struct outline *o = &f->outline;
    for (size_t i = 0; i < o->count; i++) {
        const struct block *b = &o->blocks[i];
        if (b->kind == BLOCK_HEADING && (!best || (b->level == 1 && best->level > 1)))
            best = b;
    }
    return best ? o->headings[best->heading] : name;
}

/* Lines are of the text here, which nobody sees: pages take their place. */
static void lines_to_pages(const struct flow *f, struct facts *out)
{
    size_t block = 0;
    for (size_t i = 0; i < out->node_count; i++) {
        struct fact_node *n = &out->nodes[i];
        while (block + 1 < f->outline.count && f->outline.blocks[block + 1].first < n->line_start)
            block++;
        n->page = f->outline.count ? f->pages[block] : 0;
        n->line_start = n->line_end = 0;
    }
}

bool flow_passages(struct flow *f, str name, struct facts *out, struct err *e)
{
    flow_end(f);
    if (f->text.overflow || f->text.len > MAX_TEXT_BYTES)
        return fail(e, ERR_LIMIT,
                    "the document holds more than %d bytes of text; attach it in parts",
                    MAX_TEXT_BYTES);
    if (!out->title.len)
        out->title = title_of(f, name);
    str text = utf8_repair(f->arena, arena_str(f->arena, buf_str(&f->text)));
    struct lines lines = lines_find(f->arena, text);
    if (!passages_cut(f->arena, &lines, &f->outline, out, e))
        return false;
    lines_to_pages(f, out);
    return true;
}

void flow_free(struct flow *f)
{
    outline_free(&f->outline);
    heap_free(f->pages);
    buf_free(&f->text);
    buf_free(&f->line);
    buf_free(&f->row);
    buf_free(&f->table);
    buf_free(&f->scratch);
}
