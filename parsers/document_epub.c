/* EPUB: the chapters, pages of XHTML, in the order of the spine. */
#include "memory/base/unicode.h"
#include "parsers/document.h"
#include "parsers/office.h"

enum { MAX_CHAPTERS = MAX_ARCHIVE_ENTRIES };

struct reader {
    struct arena *arena;
    str package; /* path of the file that lists all others */
    struct map hrefs;
    str paths[MAX_CHAPTERS];
    size_t path_count;
    str spine[MAX_CHAPTERS]; /* ids */
    size_t spine_count;
};

static str local_name(str name)
{
    size_t colon = str_find_char(name, ':', 0);
    return colon < name.len ? str_cut(name, colon + 1, name.len) : name;
}

static bool is_word_of(str rest, str wanted)
{
    str word;
    while (str_next_word(&rest, &word))
        if (str_eq(word, wanted))
            return true;
    return false;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* `href`, relative to the folder of the package, as a name in the archive. */
static str resolve(struct arena *a, str package, str href)
{
    size_t folder = package.len;
    while (folder && package.at[folder - 1] != '/')
        folder--;
    href = str_cut(href, 0, str_find_char(href, '#', 0));
    str all = arena_printf(a, "%.*s%.*s", FMT(str_cut(package, 0, folder)), FMT(href));
    char *out = arena_bytes(a, all.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < all.len; i++) {
        bool escaped = all.at[i] == '%' && i + 2 < all.len && hex_digit(all.at[i + 1]) >= 0 &&
                       hex_digit(all.at[i + 2]) >= 0;
        out[n++] =
            escaped ? (char)(16 * hex_digit(all.at[i + 1]) + hex_digit(all.at[i + 2])) : all.at[i];
        i += escaped ? 2 : 0;
        if (n >= 4 && memcmp(out + n - 4, "/../", 4) == 0) { /* drop the folder before it */
            n -= 4;
            while (n && out[n - 1] != '/')
                n--;
        }
    }
    return str_from(out, n);
}

static void container_open(void *ctx, str name, const unsigned char **attributes)
{
    struct reader *r = ctx;
    if (str_eq(local_name(name), S("rootfile")) && !r->package.len)
        r->package = arena_str(r->arena, markup_attribute(attributes, "full-path"));
}

static void package_open(void *ctx, str name, const unsigned char **attributes)
{
    struct reader *r = ctx;
    str element = local_name(name);
    bool is_html = str_eq(markup_attribute(attributes, "media-type"), S("application/xhtml+xml"));
    if (str_eq(element, S("item")) && is_html && r->path_count < MAX_CHAPTERS &&
        !is_word_of(markup_attribute(attributes, "properties"), S("nav"))) {
        str id = arena_str(r->arena, markup_attribute(attributes, "id"));
        *map_put(&r->hrefs, id, 0, NULL) = (int64_t)r->path_count;
        r->paths[r->path_count++] =
            resolve(r->arena, r->package, markup_attribute(attributes, "href"));
    } else if (str_eq(element, S("itemref")) && r->spine_count < MAX_CHAPTERS) {
        r->spine[r->spine_count++] = arena_str(r->arena, markup_attribute(attributes, "idref"));
    }
}

static void ignore_close(void *ctx, str name)
{
    (void)ctx;
    (void)name;
}

static bool read_part(struct archive *z, str part, const struct markup *to, struct err *e)
{
    struct buf xml = {0};
    bool ok = archive_read(z, part, &xml, e) &&
              (markup_read_xml(buf_str(&xml), to, e) || fail_context(e, "%.*s", FMT(part)));
    buf_free(&xml);
    return ok;
}

static bool read_chapter(struct archive *z, const struct document *d, str path, struct flow *f,
                         struct err *e)
{
    struct buf page = {0}, title = {0};
    bool ok = archive_read(z, path, &page, e);
    if (ok && archive_has(z, S("META-INF/encryption.xml")) && !utf8_valid(buf_str(&page)))
        ok = fail(e, ERR_INPUT, "it is encrypted (copy protection)");
    ok = ok && document_check_text(d->shown, buf_str(&page), e) &&
         document_read_html(f, buf_str(&page), &title, e);
    buf_free(&page);
    buf_free(&title);
    return ok;
}

static bool read_book(struct reader *r, struct archive *z, const struct document *d, struct flow *f,
                      struct err *e)
{
    struct markup container = {r, container_open, ignore_close, ignore_close};
    struct markup package = {r, package_open, ignore_close, ignore_close};
    bool ok = read_part(z, S("META-INF/container.xml"), &container, e) &&
              read_part(z, r->package, &package, e);
    for (size_t i = 0; ok && i < r->spine_count; i++) {
        const int64_t *place = map_find(&r->hrefs, r->spine[i]);
        if (place)
            ok = read_chapter(z, d, r->paths[*place], f, e);
    }
    return ok;
}

bool document_epub(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    struct flow f = {.arena = a};
    struct archive z;
    if (!archive_open(&z, d->bytes, e))
        return false;
    struct reader *r = ARENA_NEW(a, struct reader);
    r->arena = a;
    bool ok = read_book(r, &z, d, &f, e);
    str title;
    if (ok && office_element(a, &z, r->package, S("dc:title"), &title))
        out->title = document_title(a, title);
    if (ok && flow_is_empty(&f))
        ok = fail(e, ERR_INPUT, "it holds no text");
    ok = ok && flow_passages(&f, document_file_name(d->name), out, e);
    archive_close(&z);
    map_free(&r->hrefs);
    flow_free(&f);
    return ok;
}

bool epub_magic(str bytes)
{
    return archive_names(bytes, S("mimetypeapplication/epub+zip")) ||
           archive_names(bytes, S("META-INF/container.xml"));
}
