/* ODT (OpenDocument text): the text of content.xml. Footnotes stand below their paragraph.
 * Comments, tracked changes and tables of contents are left out. */
#include "parsers/document.h"
#include "parsers/office.h"

enum { MAX_SPACES = 200 };

struct reader {
    struct arena *arena;
    struct flow *flow;
    struct style_list styles;
    struct buf pending; /* notes for below the paragraph in work */
    struct buf text;    /* of the title in work */
    str title;
    size_t skip;       /* open elements from the outermost on that is left out */
    size_t paragraphs; /* open ones */
    bool in_citation, in_note, in_title;
};

static bool is_left_out(str name)
{
    static const char *const names[] = {"office:annotation",
                                        "text:tracked-changes",
                                        "text:table-of-content",
                                        "text:alphabetical-index",
                                        "office:forms",
                                        "svg:title",
                                        "svg:desc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

static void put_style(struct reader *r, const unsigned char **attributes)
{
    struct style *style =
        styles_put(&r->styles, arena_str(r->arena, markup_attribute(attributes, "style:name")));
    style->parent = arena_str(r->arena, markup_attribute(attributes, "style:parent-style-name"));
    style->name = arena_str(r->arena, markup_attribute(attributes, "style:display-name"));
}

static void begin_paragraph(struct reader *r, bool is_heading, const unsigned char **attributes)
{
    struct flow *f = r->flow;
    int64_t level = 1;
    r->paragraphs++;
    if (r->in_note) {
        buf_add_char(&r->pending, ' ');
        return;
    }
    flow_end(f);
    struct style_effect effect =
        styles_effect(&r->styles, markup_attribute(attributes, "text:style-name"));
    if (is_heading && !str_to_int(markup_attribute(attributes, "text:outline-level"), &level))
        level = 1;
    f->level = office_level(&effect, is_heading ? (level > 0 ? level : 1) : 0, r->title);
    f->verbatim = effect.is_code && !f->level;
    r->in_title = effect.is_title && !r->title.len;
    buf_clear(&r->text);
}

static void end_paragraph(struct reader *r)
{
    r->paragraphs -= r->paragraphs > 0;
    if (r->in_note)
        return;
    flow_end(r->flow);
    if (r->in_title)
        r->title = document_title(r->arena, buf_str(&r->text));
    r->in_title = false;
    office_put_notes(r->flow, &r->pending);
}

static void take(struct reader *r, str s)
{
    if (r->in_citation)
        buf_add(&r->pending, s);
    if (r->in_note) {
        buf_add(&r->pending, s);
        return;
    }
    flow_text(r->flow, s);
    if (r->in_title)
        buf_add(&r->text, s);
}

static void take_spaces(struct reader *r, const unsigned char **attributes)
{
    int64_t count = 1;
    if (!str_to_int(markup_attribute(attributes, "text:c"), &count))
        count = 1;
    for (int64_t i = 0; i < count && i < MAX_SPACES; i++)
        take(r, S(" "));
}

static void note(struct reader *r, str name, bool opens)
{
    if (str_eq(name, S("text:note-citation"))) {
        if (opens)
            buf_add(&r->pending, S("["));
        flow_text(r->flow, opens ? S("[") : S("]"));
        r->in_citation = opens;
    } else if (str_eq(name, S("text:note-body"))) {
        buf_add(&r->pending, opens ? S("]") : S("\n"));
        r->in_note = opens;
    }
}

static void on_open(void *ctx, str name, const unsigned char **attributes)
{
    struct reader *r = ctx;
    struct flow *f = r->flow;
    if (r->skip || is_left_out(name)) {
        r->skip++;
    } else if (str_eq(name, S("style:style"))) {
        put_style(r, attributes);
    } else if (str_eq(name, S("text:p")) || str_eq(name, S("text:h"))) {
        begin_paragraph(r, str_eq(name, S("text:h")), attributes);
    } else if (str_eq(name, S("text:s"))) {
        take_spaces(r, attributes);
    } else if (str_eq(name, S("text:tab"))) {
        take(r, S("\t"));
    } else if (str_eq(name, S("text:line-break"))) {
        r->in_note ? take(r, S(" ")) : flow_line_break(f);
    } else if (r->in_note || str_starts(name, S("text:note"))) {
        note(r, name, true);
    } else if (str_eq(name, S("text:list"))) {
        flow_list_open(f);
    } else if (str_eq(name, S("text:list-item"))) {
        flow_item(f);
    } else if (str_eq(name, S("table:table"))) {
        flow_table_open(f);
    } else if (str_eq(name, S("table:table-row"))) {
        flow_row(f);
    } else if (str_eq(name, S("table:table-cell"))) {
        flow_cell(f);
    }
}

static void on_close(void *ctx, str name)
{
    struct reader *r = ctx;
    if (r->skip) {
        r->skip--;
    } else if (str_eq(name, S("text:p")) || str_eq(name, S("text:h"))) {
        end_paragraph(r);
    } else if (str_starts(name, S("text:note")) || r->in_note) {
        note(r, name, false);
    } else if (str_eq(name, S("text:list"))) {
        flow_list_close(r->flow);
    } else if (str_eq(name, S("table:table"))) {
        flow_table_close(r->flow);
        office_put_notes(r->flow, &r->pending);
    }
}

static void on_text(void *ctx, str s)
{
    struct reader *r = ctx;
    if (!r->skip && r->paragraphs)
        take(r, s);
}

static bool read_part(struct reader *r, struct archive *z, str part, struct err *e)
{
    struct buf xml = {0};
    struct markup to = {r, on_open, on_close, on_text};
    bool ok = archive_read(z, part, &xml, e) &&
              (markup_read_xml(buf_str(&xml), &to, e) || fail_context(e, "%.*s", FMT(part)));
    buf_free(&xml);
    return ok;
}

/* Page headers and footers stand in styles.xml: only its styles count. */
static bool read_styles(struct reader *r, struct archive *z, struct err *e)
{
    struct flow ignored = {.arena = r->arena}, *body = r->flow;
    r->flow = &ignored;
    bool ok = !archive_has(z, S("styles.xml")) || read_part(r, z, S("styles.xml"), e);
    flow_free(&ignored);
    r->flow = body;
    r->title = S("");
    buf_clear(&r->pending);
    return ok;
}

static bool is_encrypted(struct archive *z)
{
    struct buf xml = {0};
    struct err ignored = {0};
    bool found = archive_read(z, S("META-INF/manifest.xml"), &xml, &ignored) &&
                 str_find(buf_str(&xml), S("manifest:encryption-data"), 0) < xml.len;
    buf_free(&xml);
    return found;
}

bool document_odt(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    struct flow f = {.arena = a, .joins_code = true};
    struct reader r = {.arena = a, .flow = &f, .pending = {.max_bytes = MAX_INFLATED_BYTES}};
    struct archive z;
    if (!archive_open(&z, d->bytes, e))
        return false;
    bool ok = !is_encrypted(&z) || fail(e, ERR_INPUT, "it is encrypted; remove the password first");
    ok = ok && read_styles(&r, &z, e) && read_part(&r, &z, S("content.xml"), e);
    out->title = r.title;
    if (!r.title.len && office_element(a, &z, S("meta.xml"), S("dc:title"), &r.title))
        out->title = document_title(a, r.title);
    if (ok && flow_is_empty(&f))
        ok = fail(e, ERR_INPUT, "it holds no text");
    ok = ok && flow_passages(&f, document_file_name(d->name), out, e);
    archive_close(&z);
    styles_free(&r.styles);
    buf_free(&r.pending);
    buf_free(&r.text);
    flow_free(&f);
    return ok;
}

bool odt_magic(str bytes)
{
    return archive_names(bytes, S("mimetypeapplication/vnd.oasis.opendocument.text"));
}
