/* PDF: the text that pdftotext gives in reading order, with its pages. Headers and footers that
 * most pages carry are left out, words divided at the end of a line are joined, numbered lines of
 * their own head sections. */
#include "memory/base/hash.h"
#include "memory/base/unicode.h"
#include "parsers/document.h"
#include "parsers/parsers.h"
#include "parsers/pdftotext.h"

#include <ctype.h>

enum {
    MAX_PDF_PAGES = 500,
    EDGE_LINES = 3,       /* at the top and the bottom of a page that may be running ones */
    RUNNING_PERCENT = 40, /* of pages: left and right ones may differ */
    MIN_RUNNING_PAGES = 3,
    MAX_PDF_HEADING_BYTES = 80,
    MAX_PDF_TITLE_BYTES = 160,
    MIN_CAPITALS = 4, /* letters of a heading in capitals */
};

/* One that isn't blank. */
struct line {
    str text;
    uint32_t page;
    bool behind_gap; /* a blank line or a page's bound is before it */
    bool running;
};

struct page_lines {
    struct line *at; /* heap */
    size_t count, capacity, pages;
};

static void split(str text, struct page_lines *l)
{
    bool gap = true;
    uint32_t page = 1;
    for (size_t from = 0; from < text.len;) {
        size_t to = from;
        while (to < text.len && text.at[to] != '\n' && text.at[to] != '\f')
            to++;
        str line = str_trim(str_cut(text, from, to));
        if (line.len) {
            HEAP_GROW(l->at, l->count, l->capacity);
            l->at[l->count++] = (struct line){line, page, gap, false};
        }
        bool ends_page = to < text.len && text.at[to] == '\f';
        gap = ends_page || !line.len;
        page += ends_page;
        from = to + 1;
    }
    l->pages = page - 1;
}

/* ---- running headers and footers ---- */

/* Numbers are the same: they count pages. */
static str running_key(struct arena *a, str line)
{
    char *out = arena_bytes(a, line.len);
    size_t n = 0;
    for (size_t i = 0; i < line.len; i++) {
        bool digit = isdigit((unsigned char)line.at[i]);
        if (!digit || !n || out[n - 1] != '#')
            out[n++] = digit ? '#' : line.at[i];
    }
    return str_from(out, n);
}

/* Calls for each line at an edge of its page. */
static void each_edge(struct page_lines *l, void (*visit)(void *ctx, struct line *line), void *ctx)
{
    for (size_t from = 0, to; from < l->count; from = to) {
        for (to = from; to < l->count && l->at[to].page == l->at[from].page;)
            to++;
        for (size_t i = from; i < to; i++)
            if (i < from + EDGE_LINES || i + EDGE_LINES >= to)
                visit(ctx, &l->at[i]);
    }
}

struct running {
    struct arena *arena;
    struct map pages; /* by key: on how many */
    size_t most;
};

static void count_edge(void *ctx, struct line *line)
{
    struct running *r = ctx;
    ++*map_put(&r->pages, running_key(r->arena, line->text), 0, NULL);
}

static void mark_edge(void *ctx, struct line *line)
{
    struct running *r = ctx;
    const int64_t *pages = map_find(&r->pages, running_key(r->arena, line->text));
    line->running =
        pages && *pages >= MIN_RUNNING_PAGES && (size_t)*pages * 100 >= r->most * RUNNING_PERCENT;
}

/* Pages that are all alike keep what they say. */
static void mark_running(struct arena *a, struct page_lines *l)
{
    struct running r = {.arena = a, .most = l->pages};
    each_edge(l, count_edge, &r);
    each_edge(l, mark_edge, &r);
    map_free(&r.pages);
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        kept += !l->at[i].running;
    for (size_t i = 0; !kept && i < l->count; i++)
        l->at[i].running = false;
}

/* ---- paragraphs ---- */

static int32_t first_char(str s)
{
    size_t length;
    return s.len ? utf8_decode(s, 0, &length) : -1;
}

static bool begins_lower(str s)
{
    return unicode_class(first_char(s)) == CHAR_LOWER;
}

/* "exam-" before "ple": the hyphen is the printer's. */
static bool is_divided(str before, str next)
{
    static const str SOFT = {"\xC2\xAD", 2};
    if (str_ends(before, SOFT))
        return true;
    return before.len > 2 && before.at[before.len - 1] == '-' && begins_lower(next) &&
           (isalpha((unsigned char)before.at[before.len - 2]) || before.at[before.len - 2] < 0);
}

static void join(struct buf *paragraph, str next)
{
    str before = buf_str(paragraph);
    if (!before.len) {
        buf_add(paragraph, next);
    } else if (is_divided(before, next)) {
        paragraph->len -= str_ends(before, S("-")) ? 1 : 2;
        buf_add(paragraph, next);
    } else {
        buf_add_char(paragraph, '\n');
        buf_add(paragraph, next);
    }
}

/* Does a paragraph go on over a page's bound? */
static bool goes_on(str before, const struct line *next, uint32_t page)
{
    return next->page != page && before.len && begins_lower(next->text) &&
           !strchr(".!?:;", before.at[before.len - 1]);
}

static size_t numbers_of(str s, size_t *end)
{
    size_t count = 0, i = 0;
    while (i < s.len && isdigit((unsigned char)s.at[i])) {
        size_t digits = i;
        while (i < s.len && isdigit((unsigned char)s.at[i]))
            i++;
        if (i - digits > 2)
            return 0;
        count++;
        if (i < s.len && s.at[i] == '.')
            i++;
    }
    *end = i;
    return count;
}

static bool is_in_capitals(str s)
{
    size_t letters = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] < 0 || islower((unsigned char)s.at[i]) || strchr("=<>{}[]()", s.at[i]))
            return false;
        letters += isupper((unsigned char)s.at[i]) != 0;
    }
    return letters >= MIN_CAPITALS && letters * 2 > s.len;
}

/* "3.2 The protocol", "Chapter 4", "SYNOPSIS": its level; 0 for what heads nothing. */
static uint8_t heading_level(str s)
{
    if (!s.len || s.len > MAX_PDF_HEADING_BYTES || strchr(".,;:", s.at[s.len - 1]) ||
        str_find(s, S(". . "), 0) < s.len || str_find(s, S("...."), 0) < s.len)
        return 0;
    if (str_starts(s, S("Chapter ")) || str_starts(s, S("Appendix ")) || str_starts(s, S("Part ")))
        return 1;
    size_t end, count = numbers_of(s, &end);
    if (!count)
        return is_in_capitals(s) ? 1 : 0;
    if (end >= s.len || s.at[end] != ' ')
        return 0;
    enum char_class class = unicode_class(first_char(str_trim(str_cut(s, end, s.len))));
    bool is_word = class == CHAR_UPPER || class == CHAR_CJK || class == CHAR_LETTER;
    return is_word ? (uint8_t)(count > MAX_HEADING_LEVEL ? MAX_HEADING_LEVEL : count) : 0;
}

static void put_paragraph(struct flow *f, struct buf *paragraph)
{
    flow_block(f, BLOCK_TEXT, 0, false, 1, buf_str(paragraph));
    buf_clear(paragraph);
}

static bool ends_sentence(str s)
{
    return s.len && strchr(".!?", s.at[s.len - 1]);
}

/* A heading stands behind a gap or a sentence: pdftotext gives no gap for what is set close. */
static void put_lines(struct flow *f, const struct page_lines *l)
{
    struct buf paragraph = {.max_bytes = MAX_TEXT_BYTES};
    bool behind_heading = true;
    f->page = 1;
    for (size_t i = 0; i < l->count; i++) {
        const struct line *line = &l->at[i];
        if (line->running)
            continue;
        bool gap = line->behind_gap || line->page != f->page || behind_heading ||
                   (i && l->at[i - 1].running);
        bool fresh = gap && !goes_on(buf_str(&paragraph), line, f->page);
        uint8_t level = fresh || ends_sentence(buf_str(&paragraph)) ? heading_level(line->text) : 0;
        if (fresh || level || !paragraph.len) {
            put_paragraph(f, &paragraph);
            f->page = line->page;
        }
        behind_heading = level > 0;
        if (level)
            flow_block(f, BLOCK_HEADING, level, false, 1, line->text);
        else
            join(&paragraph, line->text);
    }
    put_paragraph(f, &paragraph);
    buf_free(&paragraph);
}

/* ---- the format ---- */

/* "ﬁ" and its like become letters. */
static void split_ligatures(str text, struct buf *out)
{
    static const char *const letters[] = {"ff", "fi", "fl", "ffi", "ffl"};
    size_t from = 0;
    for (size_t i = 0; i + 2 < text.len; i++) {
        unsigned char last = (unsigned char)text.at[i + 2];
        if (memcmp(text.at + i, "\xEF\xAC", 2) != 0 || last < 0x80 || last > 0x84)
            continue;
        buf_add(out, str_cut(text, from, i));
        buf_add(out, str_of(letters[last - 0x80]));
        from = i + 3;
    }
    buf_add(out, str_cut(text, from, text.len));
}

/* What stands first, up to a gap, if it is short enough for one. */
static str title_of(struct arena *a, const struct page_lines *l)
{
    struct buf title = {.max_bytes = MAX_PDF_TITLE_BYTES + 1};
    for (size_t i = 0; i < l->count && (i == 0 || !l->at[i].behind_gap); i++) {
        buf_add(&title, i ? S(" ") : S(""));
        buf_add(&title, l->at[i].text);
    }
    str whole = title.len <= MAX_PDF_TITLE_BYTES ? buf_str(&title) : l->at[0].text;
    str out = document_title(a, whole);
    buf_free(&title);
    return out;
}

static bool read_pages(struct arena *a, str text, struct flow *f, str *title, struct err *e)
{
    struct page_lines l = {0};
    split(text, &l);
    bool ok = l.pages <= MAX_PDF_PAGES ||
              fail(e, ERR_LIMIT, "it has more than %d pages; attach it in parts", MAX_PDF_PAGES);
    if (ok && !l.count)
        ok = fail(e, ERR_INPUT,
                  "its %zu pages hold no text: scanned? run text recognition (OCR) first", l.pages);
    if (ok) {
        *title = title_of(a, &l);
        mark_running(a, &l);
        put_lines(f, &l);
    }
    heap_free(l.at);
    return ok;
}

bool document_pdf(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    struct flow f = {.arena = a};
    struct buf raw = {.max_bytes = MAX_TEXT_BYTES}, text = {0};
    bool ok = pdftotext_run(d->bytes, MAX_PDF_PAGES + 1, &raw, e);
    if (ok && raw.overflow)
        ok = fail(e, ERR_LIMIT, "it holds more than %d bytes of text; attach it in parts",
                  MAX_TEXT_BYTES);
    if (ok) {
        split_ligatures(utf8_repair(a, buf_str(&raw)), &text);
        ok = read_pages(a, buf_str(&text), &f, &out->title, e);
    }
    ok = ok && flow_passages(&f, document_file_name(d->name), out, e);
    buf_free(&raw);
    buf_free(&text);
    flow_free(&f);
    return ok;
}

bool pdf_magic(str bytes)
{
    return str_starts(bytes, S("%PDF-"));
}
