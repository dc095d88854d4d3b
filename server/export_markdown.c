#include "server/export_markdown.h"

#include "memory/base/hash.h"
#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"
#include "memory/memory_views.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SLUG_BYTES = 60, DAY_CHARS = 10, MONTH_CHARS = 7 };

/* Where sections go: all into one file, or each into its own. */
struct writing {
    FILE *out;
    int folder;           /* -1: one file */
    struct arena section; /* texts of the section that is open */
    str heading;
    size_t rows;
    bool begun;
};

/* ---- files and sections ---- */

static bool check(struct writing *w, struct err *e)
{
    return (w->out && !ferror(w->out)) ||
           fail(e, ERR_IO, "can't write the export: %s", strerror(errno));
}

/* Lower-case letters and digits of ASCII, and a bit of a hash: two names never share a file. */
static str slug(struct arena *a, str name)
{
    struct buf out = {.max_bytes = MAX_SLUG_BYTES};
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i] >= 'A' && name.at[i] <= 'Z' ? (char)(name.at[i] | 0x20) : name.at[i];
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            buf_add_char(&out, c);
        else if (out.len && out.at[out.len - 1] != '-')
            buf_add_char(&out, '-');
    }
    str text = arena_printf(a, "%.*s%s%.*s", FMT(buf_str(&out)), out.len ? "-" : "",
                            FMT(str_cut(hash128_hex(a, name), 0, 6)));
    buf_free(&out);
    return text;
}

static bool open_file(struct writing *w, const char *kind, str name, struct err *e)
{
    struct arena scratch = {0};
    if (w->out && fclose(w->out) != 0) {
        w->out = NULL;
        return check(w, e);
    }
    w->out = NULL;
    const char *path =
        arena_cstr(&scratch, *kind ? arena_printf(&scratch, "%s/%.*s.md", kind, FMT(name))
                                   : arena_printf(&scratch, "%.*s.md", FMT(name)));
    if (*kind && mkdirat(w->folder, kind, 0700) != 0 && errno != EEXIST)
        return check(w, e);
    int fd = openat(w->folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    w->out = fd < 0 ? NULL : fdopen(fd, "w");
    arena_free(&scratch);
    return check(w, e);
}

/* `file` names it in its folder `kind`. The same heading again goes on with the same section. */
static bool open_section(struct writing *w, const char *kind, str file, str heading, struct err *e)
{
    if (w->begun && str_eq(heading, w->heading))
        return true;
    arena_free(&w->section);
    w->heading = arena_str(&w->section, heading);
    w->begun = true;
    if (w->folder >= 0 && !open_file(w, kind, file, e))
        return false;
    str shown = unicode_visible(&w->section, heading);
    fprintf(w->out, w->folder >= 0 ? "# %.*s\n\n" : "\n## %.*s\n\n", FMT(shown));
    return check(w, e);
}

/* A text as one item of a list: further lines are indented, so that nothing in it ends the list. */
static void put_text(struct writing *w, str text)
{
    struct arena scratch = {0};
    str rest = unicode_visible(&scratch, str_trim(text)), line;
    for (bool first = true; str_next_line(&rest, &line); first = false)
        fprintf(w->out, "%s%.*s\n", first || !line.len ? "" : "  ", FMT(line));
    arena_free(&scratch);
}

/* ---- rows ---- */

static str day_of(struct arena *a, int64_t ms)
{
    return str_cut(iso_format(a, ms), 0, DAY_CHARS);
}

static void put_note(struct writing *w, const char *label, str text)
{
    struct arena scratch = {0};
    if (text.len)
        fprintf(w->out, ", %s%.*s", label, FMT(unicode_visible(&scratch, text)));
    arena_free(&scratch);
}

static bool put_memory(void *ctx, const struct outline_memory *row, struct err *e)
{
    struct writing *w = ctx;
    struct arena scratch = {0};
    str day = day_of(&scratch, row->at_ms), month = str_cut(day, 0, MONTH_CHARS);
    bool ok = row->topic.len
                  ? open_section(w, "topics", slug(&scratch, row->topic),
                                 arena_printf(&scratch, "Topic: %.*s", FMT(row->topic)), e)
              : row->session.len
                  ? open_section(w, "sessions", slug(&scratch, row->session),
                                 arena_printf(&scratch, "Session: %.*s", FMT(row->session)), e)
                  : open_section(w, "months", month, month, e);
    if (ok) {
        fprintf(w->out, "- **%s** %.*s (m%lld, %s", memory_kind_name[row->kind], FMT(day),
                (long long)row->id, origin_name[row->origin]);
        put_note(w, "said by ", row->speaker);
        put_note(w, "session ", row->topic.len ? row->session : S(""));
        put_note(w, "from ", row->format);
        if (row->is_pinned)
            fputs(", pinned", w->out);
        if (row->superseded_by)
            fprintf(w->out, ", superseded by m%lld", (long long)row->superseded_by);
        else if (!row->is_current)
            fputs(", no longer current", w->out);
        fputs("): ", w->out);
        put_text(w, row->text);
        w->rows++;
        ok = check(w, e);
    }
    arena_free(&scratch);
    return ok;
}

static bool put_document(void *ctx, const struct outline_document *row, struct err *e)
{
    struct writing *w = ctx;
    struct arena scratch = {0};
    bool ok = open_section(w, "", S("documents"), S("Documents"), e);
    if (ok) {
        fprintf(w->out, "- %.*s (d%lld, %.*s, %zu passages)\n",
                FMT(unicode_visible(&scratch, row->title)), (long long)row->id,
                FMT(unicode_visible(&scratch,
                                    row->path.len ? row->path : day_of(&scratch, row->at_ms))),
                row->passages);
        w->rows++;
        ok = check(w, e);
    }
    arena_free(&scratch);
    return ok;
}

static bool put_entity(void *ctx, const struct outline_entity *row, struct err *e)
{
    struct writing *w = ctx;
    struct arena scratch = {0};
    bool ok = open_section(w, "", S("entities"), S("Entities"), e);
    if (ok) {
        fprintf(w->out, "- %.*s (e%lld", FMT(unicode_visible(&scratch, row->name)),
                (long long)row->id);
        put_note(w, "", row->type);
        put_note(w, "also ", row->aliases);
        fputs(")\n", w->out);
        str rest = unicode_visible(&scratch, row->relations), line;
        while (str_next_line(&rest, &line))
            fprintf(w->out, "  - %.*s\n", FMT(line));
        w->rows++;
        ok = check(w, e);
    }
    arena_free(&scratch);
    return ok;
}

static bool put_all(struct writing *w, struct memory *m, struct err *e)
{
    struct outline_visitor v = {w, put_memory, put_document, put_entity};
    bool ok = memory_outline(m, &v, e);
    arena_free(&w->section);
    return ok;
}

bool markdown_write(struct memory *m, str project, FILE *out, size_t *rows, struct err *e)
{
    struct arena scratch = {0};
    struct writing w = {.out = out, .folder = -1};
    fprintf(out, "# What engram remembers of %.*s\n", FMT(unicode_visible(&scratch, project)));
    arena_free(&scratch);
    bool ok = put_all(&w, m, e) && (fflush(out) == 0 || check(&w, e));
    *rows = w.rows;
    return ok;
}

/* ---- a folder ---- */

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status, (void)type, (void)at;
    return remove(path);
}

static bool fill_folder(struct memory *m, const char *beside, size_t *rows, struct err *e)
{
    struct writing w = {.folder = open(beside, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    bool ok = w.folder >= 0 || fail(e, ERR_IO, "can't write %s: %s", beside, strerror(errno));
    ok = ok && put_all(&w, m, e);
    if (w.out && fclose(w.out) != 0)
        ok = fail(e, ERR_IO, "can't write %s: %s", beside, strerror(errno));
    if (w.folder >= 0)
        close(w.folder);
    *rows = w.rows;
    return ok;
}

bool markdown_write_folder(struct memory *m, str folder, size_t *rows, struct err *e)
{
    struct arena scratch = {0};
    struct stat status;
    while (folder.len > 1 && folder.at[folder.len - 1] == '/')
        folder.len--;
    const char *path = arena_cstr(&scratch, folder);
    const char *beside =
        arena_cstr(&scratch, arena_printf(&scratch, "%s.%ld.tmp", path, (long)getpid()));
    bool ok = lstat(path, &status) != 0 ||
              fail(e, ERR_CONFLICT, "%s is there already; wanted: a new folder", path);
    ok = ok && (mkdir(beside, 0700) == 0 ||
                fail(e, ERR_IO, "can't write %s: %s", beside, strerror(errno)));
    if (ok) {
        ok = fill_folder(m, beside, rows, e) &&
             (rename(beside, path) == 0 ||
              fail(e, ERR_IO, "can't write %s: %s", path, strerror(errno)));
        if (!ok)
            nftw(beside, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
    arena_free(&scratch);
    return ok;
}
