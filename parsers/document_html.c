/* HTML: headings, lists, tables and code out of the elements; what only surrounds the text
 * (navigation, footers, scripts, forms) is left out. Also the chapters of EPUB. */
#include "parsers/document.h"
#include "parsers/markup.h"

enum what { INLINE, SKIP, BLOCK, HEADING, LIST, ITEM, TABLE, ROW, CELL, PRE, BREAK, TITLE, IMAGE };

/* An element that isn't here is part of its line. */
static const struct {
    const char *names; /* separated by spaces */
    enum what what;
} elements[] = {
    {"script style nav footer template noscript iframe object svg canvas form button select option "
     "textarea audio video dialog",
     SKIP},
    {"p div section article main header aside blockquote address figure figcaption details summary "
     "fieldset dl dt dd hr center body caption hgroup",
     BLOCK},
    {"h1 h2 h3 h4 h5 h6", HEADING},
    {"ul ol menu dir", LIST},
    {"li", ITEM},
    {"table", TABLE},
    {"tr", ROW},
    {"td th", CELL},
    {"pre listing xmp", PRE},
    {"br", BREAK},
    {"title", TITLE},
    {"img", IMAGE},
};

/* Values of attributes, word by word, of elements that surround the text. */
static const struct {
    const char *attribute, *words;
} surroundings[] = {
    {"role", "navigation search contentinfo banner menu menubar tablist"},
    {"aria-hidden", "true"},
    {"class", "nav navbar navigation sidebar sphinxsidebar breadcrumb breadcrumbs toc footer "
              "headerlink anchor-link skip-link noprint mw-editsection cookie-banner related"},
    {"id", "nav navbar navigation sidebar toc footer breadcrumbs"},
    {"epub:type", "toc pagebreak landmarks"},
};

enum { MAX_TITLE_BYTES = 400, MAX_TABLES = 64 };

struct reader {
    struct flow *flow;
    struct buf *title;
    size_t skip; /* open elements from the outermost on that is left out */
    size_t pre;
    uint8_t level;
    bool in_title;
    size_t tables;   /* open ones */
    uint64_t layout; /* bit i: table i only lays out the page */
};

static bool has_word(const char *words, str wanted)
{
    str rest = str_of(words), word;
    while (str_next_word(&rest, &word))
        if (str_eq(word, wanted))
            return true;
    return false;
}

static enum what what_is(str name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (has_word(elements[i].names, name))
            return elements[i].what;
    return INLINE;
}

static bool has_any(const unsigned char **attributes, const char *name, const char *words)
{
    str rest = markup_attribute(attributes, name), word;
    while (str_next_word(&rest, &word))
        if (has_word(words, word))
            return true;
    return false;
}

static bool surrounds(str name, const unsigned char **attributes)
{
    if (!attributes || has_word("html body main article", name))
        return false;
    for (size_t i = 0; i < sizeof surroundings / sizeof *surroundings; i++)
        if (has_any(attributes, surroundings[i].attribute, surroundings[i].words))
            return true;
    return false;
}

static bool in_layout(const struct reader *r)
{
    return r->tables && (r->tables > MAX_TABLES || r->layout >> (r->tables - 1) & 1);
}

static void open_table(struct reader *r, const unsigned char **attributes)
{
    bool layout = has_any(attributes, "role", "presentation none") ||
                  has_any(attributes, "class", "highlighttable rouge-table");
    if (r->tables++ < MAX_TABLES) {
        uint64_t bit = (uint64_t)1 << (r->tables - 1);
        r->layout = layout ? r->layout | bit : r->layout & ~bit;
    }
    if (in_layout(r))
        flow_end(r->flow);
    else
        flow_table_open(r->flow);
}

static void close_table(struct reader *r)
{
    if (in_layout(r))
        flow_end(r->flow);
    else
        flow_table_close(r->flow);
    r->tables -= r->tables > 0;
}

static void on_open(void *ctx, str name, const unsigned char **attributes)
{
    struct reader *r = ctx;
    struct flow *f = r->flow;
    enum what what = what_is(name);
    if (r->skip || what == SKIP || surrounds(name, attributes)) {
        r->skip++;
        return;
    }
    switch (what) {
    case INLINE:
    case SKIP:
        break;
    case BLOCK:
        flow_end(f);
        break;
    case HEADING:
        flow_end(f);
        r->level = (uint8_t)(name.at[1] - '0');
        break;
    case LIST:
        flow_list_open(f);
        break;
    case ITEM:
        flow_item(f);
        break;
    case TABLE:
        open_table(r, attributes);
        break;
    case ROW:
        in_layout(r) ? flow_end(f) : flow_row(f);
        break;
    case CELL:
        in_layout(r) ? flow_end(f) : flow_cell(f);
        break;
    case PRE:
        flow_end(f);
        r->pre++;
        break;
    case BREAK:
        flow_line_break(f);
        break;
    case TITLE:
        r->in_title = true;
        break;
    case IMAGE:
        flow_text(f, markup_attribute(attributes, "alt"));
        break;
    }
}

static void on_close(void *ctx, str name)
{
    struct reader *r = ctx;
    struct flow *f = r->flow;
    if (r->skip) {
        r->skip--;
        return;
    }
    switch (what_is(name)) {
    case BLOCK:
    case ITEM:
    case ROW:
    case CELL:
        flow_end(f);
        break;
    case HEADING:
        flow_end(f);
        r->level = 0;
        break;
    case LIST:
        flow_list_close(f);
        break;
    case TABLE:
        close_table(r);
        break;
    case PRE:
        flow_end(f);
        r->pre -= r->pre > 0;
        break;
    case TITLE:
        r->in_title = false;
        break;
    default:
        break;
    }
}

static void on_text(void *ctx, str s)
{
    struct reader *r = ctx;
    if (r->in_title) {
        buf_add(r->title, s);
    } else if (!r->skip) {
        r->flow->verbatim = r->pre > 0;
        r->flow->level = r->pre ? 0 : r->level;
        flow_text(r->flow, s);
    }
}

bool document_read_html(struct flow *f, str bytes, struct buf *title, struct err *e)
{
    title->max_bytes = MAX_TITLE_BYTES;
    struct reader r = {.flow = f, .title = title};
    struct markup to = {&r, on_open, on_close, on_text};
    bool ok = markup_read_html(bytes, &to, e);
    flow_end(f);
    while (f->table_depth) /* of what broke off */
        flow_table_close(f);
    f->list_depth = 0;
    f->marked = false;
    return ok;
}

bool document_html(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    struct flow f = {.arena = a};
    struct buf title = {0};
    bool ok =
        document_check_text(d->shown, d->bytes, e) && document_read_html(&f, d->bytes, &title, e);
    out->title = document_title(a, buf_str(&title));
    if (ok && flow_is_empty(&f))
        ok = fail(e, ERR_INPUT, "it holds no text outside of navigation and scripts");
    ok = ok && flow_passages(&f, document_file_name(d->name), out, e);
    buf_free(&title);
    flow_free(&f);
    return ok;
}

/* "<!DOCTYPE html", "<html": what begins with a comment or a declaration of XML needs its name. */
bool html_sniff(str name, const struct lines *l)
{
    (void)name;
    str head = str_trim(l->text);
    return str_eq_nocase(str_cut(head, 0, 14), S("<!doctype html")) ||
           str_eq_nocase(str_cut(head, 0, 5), S("<html"));
}
