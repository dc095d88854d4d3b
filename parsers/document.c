/* The formats of documents: which one some bytes are in, and their text out of them. */
#include "parsers/document.h"

#include "memory/base/unicode.h"
#include "parsers/legacy_text.h"
#include "parsers/parsers.h"

#include <ctype.h>

/* THE TABLE. What has the magic of a row is in that format, and its name may tell no other one.
 * Else the first row counts whose endings fit the name, else the first one whose sniff fits the
 * content, else the last. */
static const struct document_format {
    const char *name;          /* with its article */
    const char *endings;       /* and whole names, separated by spaces; without case */
    bool (*by_name)(str name); /* instead of endings; may be NULL */
    bool (*magic)(str bytes);  /* NULL: text. A format with one reads bytes */
    bool (*sniff)(str name, const struct lines *text); /* NULL: never chosen by content */
    document_parse *parse;
    const char *media_type; /* unless the format sets its own */
    bool reads_bytes;       /* in whatever encoding they are */
} formats[] = {
    {"a PDF", ".pdf", NULL, pdf_magic, NULL, document_pdf, "application/pdf", true},
    {"a DOCX document", ".docx .docm .dotx", NULL, docx_magic, NULL, document_docx,
     "application/vnd.openxmlformats-officedocument.wordprocessingml.document", true},
    {"an OpenDocument text", ".odt .ott", NULL, odt_magic, NULL, document_odt,
     "application/vnd.oasis.opendocument.text", true},
    {"an EPUB book", ".epub", NULL, epub_magic, NULL, document_epub, "application/epub+zip", true},
    {"an HTML page", ".html .htm .xhtml", NULL, NULL, html_sniff, document_html, "text/html", true},
    {"Markdown", ".md .markdown .mdown .mkd .mkdn .mdx .mdc .qmd .rmd", NULL, NULL, markdown_sniff,
     document_markdown, "text/markdown", false},
    {"a message", ".eml", NULL, NULL, NULL, document_mail, "message/rfc822", true},
    {"reStructuredText", ".rst .rest", NULL, NULL, NULL, document_rst, "text/x-rst", false},
    {"AsciiDoc", ".adoc .asciidoc", NULL, NULL, NULL, document_adoc, "text/asciidoc", false},
    {"a table", ".csv .tsv", NULL, NULL, NULL, document_table, "text/csv", false},
    {"a notebook", ".ipynb", NULL, NULL, NULL, document_notebook, "application/x-ipynb+json",
     false},
    {"a source file", "", source_by_name, NULL, source_sniff, document_source, "text/x-source",
     false},
    {"a text", ".txt .text .log .org", NULL, NULL, NULL, document_text, "text/plain", false},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

/* What isn't text, by its first bytes. A row that becomes readable moves to the table above. */
static const struct {
    const char *magic;
    size_t length;
    const char *what, *why;
} foreign[] = {
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8, "an old Word, Excel or PowerPoint file",
     "it isn't read"},
    {"{\\rtf", 5, "an RTF document", "RTF isn't read"},
    {"SQLite format 3", 16, "an SQLite database", "databases aren't read"},
    {"\x89PNG\r\n\x1A\n", 8, "a PNG image", "images aren't read"},
    {"\xFF\xD8\xFF", 3, "a JPEG image", "images aren't read"},
    {"GIF8", 4, "a GIF image", "images aren't read"},
    {"\x1F\x8B", 2, "gzip-compressed data", "unpack it first"},
    {"BZh", 3, "bzip2-compressed data", "unpack it first"},
    {"\xFD\x37zXZ", 6, "xz-compressed data", "unpack it first"},
    {"\x28\xB5\x2F\xFD", 4, "zstd-compressed data", "unpack it first"},
    {"7z\xBC\xAF\x27\x1C", 6, "a 7-Zip archive", "unpack it first"},
    {"\x7F\x45LF", 4, "an ELF executable", "executables aren't read"},
    {"\xFF\xFE\0\0", 4, "UTF-32 text", "UTF-32 isn't read"},
    {"\0\0\xFE\xFF", 4, "UTF-32 text", "UTF-32 isn't read"},
};

/* What is in a ZIP archive, by the name that its first entries carry. */
static const struct {
    const char *entry, *what, *why;
} zipped[] = {
    {"xl/", "an XLSX workbook", "XLSX isn't read"},
    {"ppt/", "a PPTX presentation", "PPTX isn't read"},
    {"opendocument", "an OpenDocument file", "of these only text is read"},
    {"META-INF/", "a Java archive", "archives aren't read"},
    {"", "a ZIP archive", "unpack it first"},
};

static const char WANTED[] =
    "wanted: Markdown, HTML, PDF, DOCX, ODT, EPUB, or any text in UTF-8 or UTF-16";

enum {
    MAX_NAME_SHOWN = 80,
    ZIP_HEAD_BYTES = 64 << 10,
    MAX_CONTROL_PERCENT = 3, /* of control characters in a text */
    MAX_BAD_PERCENT = 20,    /* of bad bytes: French in Latin-1 has about 5, Korean in EUC-KR 80 */
};

str document_file_name(str path)
{
    while (path.len && path.at[path.len - 1] == '/')
        path.len--;
    return str_file_name(path);
}

bool document_name_ends(str name, str endings)
{
    str file = document_file_name(name), ending;
    while (str_next_word(&endings, &ending)) {
        size_t from = ending.at[0] == '.' && file.len > ending.len ? file.len - ending.len : 0;
        if (str_eq_nocase(str_cut(file, from, file.len), ending))
            return true;
    }
    return false;
}

/* ---- what isn't text ---- */

static bool refuse(str shown, const char *what, const char *why, struct err *e)
{
    return fail(e, ERR_INPUT, "'%.*s' is %s; %s; %s", FMT(shown), what, why, WANTED);
}

static bool refuse_zip(str shown, str bytes, struct err *e)
{
    str head = str_cut(bytes, 0, ZIP_HEAD_BYTES);
    size_t i = 0;
    while (str_find(head, str_of(zipped[i].entry), 0) == head.len && zipped[i].entry[0])
        i++;
    return refuse(shown, zipped[i].what, zipped[i].why, e);
}

static bool check_signature(str shown, str bytes, struct err *e)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (str_starts(bytes, str_from(foreign[i].magic, foreign[i].length)))
            return refuse(shown, foreign[i].what, foreign[i].why, e);
    return !str_starts(bytes, S("PK\3\4")) || refuse_zip(shown, bytes, e);
}

/* ESC colours logs, \f and \b are in old manuals. */
static bool is_control(unsigned char c)
{
    return (c < 0x20 && !strchr("\t\n\v\f\r\b\x1B", c)) || c == 0x7F;
}

static bool check_controls(str shown, str bytes, struct err *e)
{
    size_t nul = str_find_char(bytes, '\0', 0), count = 0;
    if (nul < bytes.len)
        return fail(e, ERR_INPUT, "'%.*s' is binary data: byte %zu is NUL; %s", FMT(shown), nul,
                    WANTED);
    for (size_t i = 0; i < bytes.len; i++)
        count += is_control((unsigned char)bytes.at[i]);
    if (count * 100 > bytes.len * MAX_CONTROL_PERCENT)
        return fail(e, ERR_INPUT,
                    "'%.*s' is binary data: %zu of %zu bytes are control characters; %s",
                    FMT(shown), count, bytes.len, WANTED);
    return true;
}

/* ---- to UTF-8 ---- */

/* Counts lines with bad sequences (*bad_lines), remembers the first one (1-based). */
static size_t count_bad(str bytes, size_t *first_line, size_t *bad_lines)
{
    size_t bad = 0, line = 1, last = 0;
    *first_line = *bad_lines = 0;
    for (size_t at = 0, length; at < bytes.len; at += length) {
        if (utf8_decode(bytes, at, &length) < 0) {
            bad++;
            *bad_lines += last != line;
            *first_line = *first_line ? *first_line : line;
            last = line;
        }
        line += bytes.at[at] == '\n';
    }
    return bad;
}

static void warn_of_lines(struct arena *a, struct facts *out, size_t first_line, size_t lines,
                          const char *what)
{
    str more = lines > 1
                   ? arena_printf(a, " (and in %zu more line%s)", lines - 1, lines > 2 ? "s" : "")
                   : S("");
    facts_add_warning(a, out, arena_printf(a, "line %zu: %s%.*s", first_line, what, FMT(more)));
}

static bool from_utf8(struct arena *a, str shown, str bytes, size_t max_bad_percent, str *text,
                      struct facts *out, struct err *e)
{
    if (!check_controls(shown, bytes, e))
        return false;
    const char *encoding;
    *text = bytes;
    if (utf8_valid(bytes))
        return true;
    if (legacy_text_decode(a, bytes, text, &encoding)) {
        facts_add_warning(a, out, arena_printf(a, "isn't UTF-8; read as %s", encoding));
        return true;
    }
    size_t first_line, lines, bad = count_bad(bytes, &first_line, &lines);
    if (bad * 100 > bytes.len * max_bad_percent)
        return fail(e, ERR_INPUT,
                    "'%.*s' isn't UTF-8: %zu of its %zu bytes are bad, the first in line %zu; "
                    "convert it; %s",
                    FMT(shown), bad, bytes.len, first_line, WANTED);
    *text = utf8_repair(a, bytes);
    warn_of_lines(a, out, first_line, lines, "invalid UTF-8 replaced by U+FFFD");
    return true;
}

static uint32_t unit_at(str bytes, size_t i, bool big)
{
    unsigned char a = (unsigned char)bytes.at[2 * i], b = (unsigned char)bytes.at[2 * i + 1];
    return big ? (uint32_t)(a << 8 | b) : (uint32_t)(b << 8 | a);
}

static bool from_utf16(struct arena *a, str shown, str bytes, bool big, str *text,
                       struct facts *out, struct err *e)
{
    size_t count = bytes.len / 2, line = 1, first_line = 0, bad_lines = 0, last = 0;
    char *begin = arena_bytes(a, count * 3 + 4), *to = begin; /* at most three bytes a unit */
    for (size_t i = 0; i < count; i++) {
        uint32_t c = unit_at(bytes, i, big);
        uint32_t next = i + 1 < count ? unit_at(bytes, i + 1, big) : 0;
        if (c >= 0xD800 && c < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (next - 0xDC00);
            i++;
        } else if (c >= 0xD800 && c < 0xE000) {
            c = 0xFFFD;
            bad_lines += last != line;
            first_line = first_line ? first_line : line;
            last = line;
        }
        to += utf8_encode((int32_t)c, to);
        line += c == '\n';
    }
    *text = str_from(begin, (size_t)(to - begin));
    if (bad_lines)
        warn_of_lines(a, out, first_line, bad_lines, "lone UTF-16 surrogate replaced by U+FFFD");
    if (bytes.len % 2)
        facts_add_warning(a, out, S("half a UTF-16 character at the end left out"));
    return check_controls(shown, *text, e);
}

bool document_decode(struct arena *a, str shown, str bytes, size_t max_bad_percent, str *text,
                     struct facts *out, struct err *e)
{
    bool little = str_starts(bytes, S("\xFF\xFE")), big = str_starts(bytes, S("\xFE\xFF"));
    if (little || big)
        return from_utf16(a, shown, str_cut(bytes, 2, bytes.len), big, text, out, e);
    if (str_starts(bytes, S("\xEF\xBB\xBF")))
        bytes = str_cut(bytes, 3, bytes.len);
    return from_utf8(a, shown, bytes, max_bad_percent, text, out, e);
}

bool document_check_text(str shown, str bytes, struct err *e)
{
    return str_starts(bytes, S("\xFF\xFE")) || str_starts(bytes, S("\xFE\xFF")) ||
           check_controls(shown, bytes, e);
}

str document_title(struct arena *a, str s)
{
    return utf8_prefix(unicode_squeeze(a, utf8_repair(a, s)), MAX_HEADING_BYTES);
}

str document_unify_line_ends(struct arena *a, str text)
{
    if (str_find_char(text, '\r', 0) == text.len)
        return text;
    bool old_mac = str_find_char(text, '\n', 0) == text.len;
    char *begin = arena_bytes(a, text.len), *to = begin;
    for (size_t i = 0; i < text.len; i++) {
        bool pair = text.at[i] == '\r' && i + 1 < text.len && text.at[i + 1] == '\n';
        if (!pair)
            *to++ = old_mac && text.at[i] == '\r' ? '\n' : text.at[i];
    }
    return str_from(begin, (size_t)(to - begin));
}

/* ---- which format ---- */

static const struct document_format *by_magic(str bytes)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].magic && formats[i].magic(bytes))
            return &formats[i];
    return NULL;
}

static const struct document_format *by_name(str name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (document_name_ends(name, str_of(formats[i].endings)) ||
            (formats[i].by_name && formats[i].by_name(name)))
            return &formats[i];
    return NULL;
}

static const struct document_format *by_sniff(const struct document *d)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].sniff && formats[i].sniff(d->name, &d->lines))
            return &formats[i];
    return &formats[FORMAT_COUNT - 1];
}

static str first_ending(const struct document_format *format)
{
    str rest = str_of(format->endings), ending = {"", 0};
    str_next_word(&rest, &ending);
    return ending;
}

/* By magic and name; NULL where the text has to tell. false where the two don't agree. */
static bool choose(const struct document *d, const struct document_format **format, struct err *e)
{
    const struct document_format *is = by_magic(d->bytes), *named = by_name(d->name);
    *format = is ? is : named;
    if (is && named && named != is)
        return fail(e, ERR_INPUT,
                    "'%.*s' is %s, but its name is one of %s; rename it to end in %.*s",
                    FMT(d->shown), is->name, named->name, FMT(first_ending(is)));
    if (is)
        return true;
    if (!check_signature(d->shown, d->bytes, e))
        return false;
    if (named && named->magic)
        return fail(e, ERR_INPUT,
                    "'%.*s' is named as %s, but it isn't one: it doesn't begin as one does; %s",
                    FMT(d->shown), named->name, WANTED);
    return true;
}

static bool read_text(struct arena *a, struct document *d, struct facts *out, struct err *e)
{
    str text;
    if (!document_decode(a, d->shown, d->bytes, MAX_BAD_PERCENT, &text, out, e))
        return false;
    if (str_trim(text).len == 0)
        return fail(e, ERR_INPUT, "'%.*s' holds no text; %s", FMT(d->shown), WANTED);
    if (text.len > MAX_TEXT_BYTES)
        return fail(e, ERR_LIMIT, "'%.*s' has %zu bytes of text, at most %d; attach it in parts",
                    FMT(d->shown), text.len, MAX_TEXT_BYTES);
    d->lines = lines_find(a, document_unify_line_ends(a, text));
    return true;
}

bool document_facts(struct arena *a, str name, str bytes, struct facts *out, struct err *e)
{
    *out = (struct facts){0};
    str shown = utf8_prefix(unicode_visible(a, utf8_prefix(name, MAX_NAME_SHOWN)), MAX_NAME_SHOWN);
    if (bytes.len > MAX_DOCUMENT_BYTES)
        return fail(e, ERR_LIMIT, "'%.*s' has %zu bytes, at most %d; attach it in parts",
                    FMT(shown), bytes.len, MAX_DOCUMENT_BYTES);
    struct document d = {.name = utf8_repair(a, name), .bytes = bytes, .shown = shown};
    const struct document_format *format;
    if (!choose(&d, &format, e))
        return false;
    bool by_bytes = format && (format->magic || format->reads_bytes);
    if (!by_bytes && !read_text(a, &d, out, e))
        return false;
    if (!format)
        format = by_sniff(&d);
    out->media_type = str_of(format->media_type);
    return format->parse(a, &d, out, e) ||
           (by_bytes ? fail_context(e, "'%.*s'", FMT(shown)) : false);
}
