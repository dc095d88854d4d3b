/* DOCX: the text of word/document.xml; styles tell headings and code, numbering tells lists.
 * Footnotes stand below their paragraph. Comments, deletions, headers, footers and the table of
 * contents are left out. */
#include "parsers/document.h"
#include "parsers/office.h"

struct notes {
    struct map by_id; /* index of a note's text */
    str *at;          /* heap */
    size_t count, capacity;
};

struct reader {
    struct arena *arena;
    struct flow *flow;
    struct style_list styles;
    struct style *style; /* in work */
    struct notes notes;
    str note_kind; /* "f" or "e", in front of a note's id */
    str note_id;
    size_t referred;    /* notes so far: their numbers */
    struct buf pending; /* notes for below the paragraph in work */
    struct buf text;    /* of the note, or of the title, in work */
    str title;
    size_t skip; /* open elements from the outermost on that is left out */
    bool in_text, in_title, in_properties;
    struct style_effect effect; /* of the paragraph in work */
    bool is_item;
    size_t item_depth;
};

static str value_of(const unsigned char **attributes)
{
    return markup_attribute(attributes, "w:val");
}

static uint8_t level_of(str value)
{
    int64_t level;
    return str_to_int(value, &level) && level < MAX_HEADING_LEVEL ? (uint8_t)(level + 1) : 0;
}

/* ---- styles.xml ---- */

static void style_open(void *ctx, str name, const unsigned char **attributes)
{
    struct reader *r = ctx;
    if (str_eq(name, S("w:style")))
        r->style =
            styles_put(&r->styles, arena_str(r->arena, markup_attribute(attributes, "w:styleId")));
    else if (r->style && str_eq(name, S("w:name")))
        r->style->name = arena_str(r->arena, value_of(attributes));
    else if (r->style && str_eq(name, S("w:basedOn")))
        r->style->parent = arena_str(r->arena, value_of(attributes));
    else if (r->style && str_eq(name, S("w:outlineLvl")))
        r->style->level = level_of(value_of(attributes));
}

static void style_close(void *ctx, str name)
{
    struct reader *r = ctx;
    if (str_eq(name, S("w:style")))
        r->style = NULL;
}

static void ignore_text(void *ctx, str s)
{
    (void)ctx;
    (void)s;
}

/* ---- footnotes.xml, endnotes.xml ---- */

static bool is_note(str name)
{
    return str_eq(name, S("w:footnote")) || str_eq(name, S("w:endnote"));
}

static str note_key(struct reader *r, str kind, str id)
{
    return arena_printf(r->arena, "%.*s%.*s", FMT(kind), FMT(id));
}

static void note_open(void *ctx, str name, const unsigned char **attributes)
{
    struct reader *r = ctx;
    r->in_text |= str_eq(name, S("w:t"));
    if (is_note(name)) {
        r->note_id = note_key(r, r->note_kind, markup_attribute(attributes, "w:id"));
        buf_clear(&r->text);
    }
    if (str_eq(name, S("w:p")) || str_eq(name, S("w:tab")) || str_eq(name, S("w:br")))
        buf_add_char(&r->text, ' ');
}

static void note_close(void *ctx, str name)
{
    struct reader *r = ctx;
    r->in_text &= !str_eq(name, S("w:t"));
    if (!is_note(name))
        return;
    struct notes *n = &r->notes;
    *map_put(&n->by_id, r->note_id, 0, NULL) = (int64_t)n->count;
    HEAP_GROW(n->at, n->count, n->capacity);
    n->at[n->count++] = arena_str(r->arena, str_trim(buf_str(&r->text)));
}

static void note_text(void *ctx, str s)
{
    struct reader *r = ctx;
    if (r->in_text)
        buf_add(&r->text, s);
}

/* ---- document.xml ---- */

static bool is_left_out(str name)
{
    static const char *const names[] = {"mc:Fallback", "w:del",         "w:moveFrom", "w:pPrChange",
                                        "w:rPrChange", "w:tblPrChange", "w:sectPr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

static void refer_to_note(struct reader *r, str kind, str id)
{
    const int64_t *place = map_find(&r->notes.by_id, note_key(r, kind, id));
    if (!place || !r->notes.at[*place].len)
        return;
    flow_text(r->flow, arena_printf(r->arena, "[%zu]", ++r->referred));
    buf_printf(&r->pending, "[%zu] %.*s\n", r->referred, FMT(r->notes.at[*place]));
}

static void property(struct reader *r, str name, const unsigned char **attributes)
{
    str value = value_of(attributes);
    int64_t depth;
    if (str_eq(name, S("w:pStyle"))) {
        r->effect = styles_effect(&r->styles, value);
        r->is_item |= r->effect.is_item;
    } else if (str_eq(name, S("w:outlineLvl"))) {
        r->effect.level = level_of(value);
    } else if (str_eq(name, S("w:numPr"))) {
        r->is_item = true;
    } else if (str_eq(name, S("w:ilvl"))) {
        r->item_depth = str_to_int(value, &depth) && depth < 9 ? (size_t)depth : 0;
    } else if (str_eq(name, S("w:numId")) && str_eq(value, S("0"))) {
        r->is_item = false;
    }
}

static void begin_paragraph(struct reader *r)
{
    flow_end(r->flow);
    r->flow->list_depth = 0;
    r->effect = (struct style_effect){0};
    r->is_item = false;
    r->item_depth = 0;
}

/* Between its properties and its text. */
static void apply_properties(struct reader *r)
{
    struct flow *f = r->flow;
    f->level = office_level(&r->effect, r->effect.level, r->title);
    f->verbatim = r->effect.is_code && !f->level;
    f->list_depth = r->is_item && !f->level ? r->item_depth + 1 : 0;
    f->marked = f->list_depth > 0;
    r->in_title = r->effect.is_title && !r->title.len;
    buf_clear(&r->text);
}

static void end_paragraph(struct reader *r)
{
    flow_end(r->flow);
    r->flow->list_depth = 0;
    if (r->in_title)
        r->title = document_title(r->arena, buf_str(&r->text));
    r->in_title = false;
    office_put_notes(r->flow, &r->pending);
}

static void on_open(void *ctx, str name, const unsigned char **attributes)
{
    struct reader *r = ctx;
    struct flow *f = r->flow;
    if (r->skip || is_left_out(name)) {
        r->skip++;
    } else if (r->in_properties) {
        property(r, name, attributes);
    } else if (str_eq(name, S("w:p"))) {
        begin_paragraph(r);
    } else if (str_eq(name, S("w:pPr"))) {
        r->in_properties = true;
    } else if (str_eq(name, S("w:t"))) {
        r->in_text = true;
    } else if (str_eq(name, S("w:tab"))) {
        flow_text(f, S("\t"));
    } else if (str_eq(name, S("w:br")) || str_eq(name, S("w:cr"))) {
        flow_line_break(f);
    } else if (str_eq(name, S("w:noBreakHyphen"))) {
        flow_text(f, S("-"));
    } else if (str_eq(name, S("w:footnoteReference"))) {
        refer_to_note(r, S("f"), markup_attribute(attributes, "w:id"));
    } else if (str_eq(name, S("w:endnoteReference"))) {
        refer_to_note(r, S("e"), markup_attribute(attributes, "w:id"));
    } else if (str_eq(name, S("w:tbl"))) {
        flow_table_open(f);
    } else if (str_eq(name, S("w:tr"))) {
        flow_row(f);
    } else if (str_eq(name, S("w:tc"))) {
        flow_cell(f);
    }
}

static void on_close(void *ctx, str name)
{
    struct reader *r = ctx;
    if (r->skip) {
        r->skip--;
    } else if (str_eq(name, S("w:pPr"))) {
        r->in_properties = false;
        apply_properties(r);
    } else if (str_eq(name, S("w:p"))) {
        end_paragraph(r);
    } else if (str_eq(name, S("w:t"))) {
        r->in_text = false;
    } else if (str_eq(name, S("w:tbl"))) {
        flow_table_close(r->flow);
        office_put_notes(r->flow, &r->pending);
    }
}

static void on_text(void *ctx, str s)
{
    struct reader *r = ctx;
    if (r->skip || !r->in_text || r->effect.is_contents)
        return;
    flow_text(r->flow, s);
    if (r->in_title)
        buf_add(&r->text, s);
}

/* ---- the format ---- */

/* A part that may be missing. */
static bool read_part(struct archive *z, str part, bool is_optional, const struct markup *to,
                      struct err *e)
{
    struct buf xml = {0};
    bool ok = is_optional && !archive_has(z, part);
    ok = ok || (archive_read(z, part, &xml, e) &&
                (markup_read_xml(buf_str(&xml), to, e) || fail_context(e, "%.*s", FMT(part))));
    buf_free(&xml);
    return ok;
}

static bool read_parts(struct reader *r, struct archive *z, struct err *e)
{
    struct markup styles = {r, style_open, style_close, ignore_text};
    struct markup notes = {r, note_open, note_close, note_text};
    struct markup body = {r, on_open, on_close, on_text};
    bool ok = read_part(z, S("word/styles.xml"), true, &styles, e);
    r->note_kind = S("f");
    ok = ok && read_part(z, S("word/footnotes.xml"), true, &notes, e);
    r->note_kind = S("e");
    return ok && read_part(z, S("word/endnotes.xml"), true, &notes, e) &&
           read_part(z, S("word/document.xml"), false, &body, e);
}

bool document_docx(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    struct flow f = {.arena = a, .joins_code = true};
    struct reader r = {.arena = a, .flow = &f, .pending = {.max_bytes = MAX_INFLATED_BYTES}};
    struct archive z;
    if (!archive_open(&z, d->bytes, e))
        return false;
    bool ok = read_parts(&r, &z, e);
    out->title = r.title;
    if (!r.title.len && office_element(a, &z, S("docProps/core.xml"), S("dc:title"), &r.title))
        out->title = document_title(a, r.title);
    if (ok && flow_is_empty(&f))
        ok = fail(e, ERR_INPUT, "it holds no text");
    ok = ok && flow_passages(&f, document_file_name(d->name), out, e);
    archive_close(&z);
    styles_free(&r.styles);
    map_free(&r.notes.by_id);
    heap_free(r.notes.at);
    buf_free(&r.pending);
    buf_free(&r.text);
    flow_free(&f);
    return ok;
}

bool docx_magic(str bytes)
{
    return archive_names(bytes, S("word/")) && !archive_names(bytes, S("xl/")) &&
           !archive_names(bytes, S("ppt/"));
}
