/* Formats of other tools' memories and transcripts: which one a file is in, and its items. */
#include "parsers/import.h"

#include "memory/base/unicode.h"
#include "memory/text.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* THE TABLE. Without a format given the first row counts that knows the file. */
static const struct import_format *const formats[] = {
    &import_server_memory, &import_codex,     &import_opencode,
    &import_claude_code,   &import_chatgpt,   &import_claude_ai,
    &import_claude_mem,    &import_engram_go, &import_markdown,
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats, HEAD_BYTES = 256 << 10 };
_Static_assert((int)FORMAT_COUNT == (int)IMPORT_FORMAT_COUNT, "each name has a reader");

/* ---- giving ---- */

static str clean(struct import_reader *r, str s)
{
    s = utf8_repair(r->item, s);
    if (str_find_char(s, '\0', 0) < s.len) {
        char *copy = arena_bytes(r->item, s.len);
        for (size_t i = 0; i < s.len; i++)
            copy[i] = s.at[i] ? s.at[i] : ' ';
        s = str_from(copy, s.len);
    }
    return utf8_prefix(s, MAX_IMPORT_TEXT_BYTES);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

bool import_give(struct import_reader *r, const struct import_item *given)
{
    struct import_item item = *given;
    if (r->items == MAX_IMPORT_ITEMS)
        return fail(r->err, ERR_LIMIT, "more than %d items", MAX_IMPORT_ITEMS);
    str *const texts[] = {&item.key,   &item.text,    &item.lead,
                          &item.topic, &item.session, &item.project};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = clean(r, *texts[i]);
    item.entity_count = least(given->entity_count, MAX_IMPORT_ENTITIES);
    item.entities = ARENA_ARRAY(r->item, struct import_entity, item.entity_count);
    for (size_t i = 0; i < item.entity_count; i++)
        item.entities[i] = (struct import_entity){clean(r, given->entities[i].name),
                                                  clean(r, given->entities[i].type)};
    item.relation_count = least(given->relation_count, MAX_IMPORT_RELATIONS);
    item.relations = ARENA_ARRAY(r->item, struct import_relation, item.relation_count);
    for (size_t i = 0; i < item.relation_count; i++)
        item.relations[i] = (struct import_relation){clean(r, given->relations[i].from),
                                                     clean(r, given->relations[i].label),
                                                     clean(r, given->relations[i].to)};
    r->items++;
    return r->sink(r->ctx, &item);
}

void import_skip(struct import_reader *r, const char *why, str where)
{
    struct import_rest *rest = r->rest;
    size_t i = 0;
    while (i < rest->skip_count && !str_eq(rest->skips[i].why, str_of(why)))
        i++;
    if (i == MAX_IMPORT_SKIPS)
        return;
    if (i == rest->skip_count)
        rest->skips[rest->skip_count++] = (struct import_skip){
            str_of(why), 0, arena_str(r->arena, utf8_repair(r->arena, str_cut(where, 0, 200)))};
    rest->skips[i].count++;
}

/* ---- the file ---- */

static bool read_head(struct import_reader *r, str *head)
{
    char *bytes = arena_bytes(r->arena, HEAD_BYTES);
    size_t len = 0;
    ssize_t n = 1;
    while (len < HEAD_BYTES && n > 0) {
        n = pread(r->fd, bytes + len, HEAD_BYTES - len, (off_t)len);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            len += (size_t)n;
    }
    *head = str_from(bytes, len);
    return n >= 0 || fail(r->err, ERR_IO, "can't read it: %s", strerror(errno));
}

static bool check_file(struct import_reader *r, bool is_database)
{
    struct stat status;
    long long most = is_database ? MAX_IMPORT_DATABASE_BYTES : MAX_IMPORT_FILE_BYTES;
    if (fstat(r->fd, &status) != 0 || !S_ISREG(status.st_mode))
        return fail(r->err, ERR_INPUT, "it is no regular file");
    return status.st_size <= most || fail(r->err, ERR_LIMIT, "%lld bytes; wanted: at most %lld",
                                          (long long)status.st_size, most);
}

static const struct import_format *format_of(struct import_reader *r, str wanted, str head,
                                             str tables)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (wanted.len ? str_eq(wanted, str_of(formats[i]->name))
                       : formats[i]->knows(r->name, head, tables))
            return formats[i];
    fail(r->err, ERR_INPUT,
         wanted.len ? "there is no format of that name"
                    : "it is in no format that is known; --from names one");
    return NULL;
}

static bool read_text(struct import_reader *r, const struct import_format *f)
{
    struct buf bytes = {.max_bytes = MAX_DOCUMENT_BYTES};
    ssize_t n = 1;
    while (n > 0 && buf_reserve(&bytes, 65536)) {
        do
            n = pread(r->fd, bytes.at + bytes.len, 65536, (off_t)bytes.len);
        while (n < 0 && errno == EINTR);
        bytes.len += n > 0 ? (size_t)n : 0;
    }
    bool ok = n == 0;
    if (n < 0)
        fail(r->err, ERR_IO, "%s", strerror(errno));
    else if (n > 0)
        fail(r->err, ERR_LIMIT, "it has more than %d bytes", MAX_DOCUMENT_BYTES);
    ok = ok && f->text(r, utf8_repair(r->arena, buf_str(&bytes)));
    buf_free(&bytes);
    return ok;
}

static bool read_file(struct import_reader *r, const struct import_format *f, bool is_database)
{
    bool (*const each[])(struct import_reader *, const struct import_format *) = {
        [FORM_LINES] = import_each_line,
        [FORM_ELEMENTS] = import_each_element,
        [FORM_DATABASE] = is_database ? import_each_row : import_each_element,
        [FORM_TEXT] = read_text};
    if (is_database && f->form != FORM_DATABASE)
        return fail(r->err, ERR_INPUT, "it is a database, which %s has none of", f->name);
    return each[f->form](r, f) && (!f->end || f->end(r));
}

bool import_read(struct arena *a, str format, str name, int fd, int wal, import_sink *sink,
                 void *ctx, struct import_rest *out, struct err *e)
{
    struct arena item = {0};
    struct import_reader r = {.arena = a,
                              .item = &item,
                              .name = name,
                              .fd = fd,
                              .wal = wal,
                              .sink = sink,
                              .ctx = ctx,
                              .rest = out,
                              .err = e};
    str head, tables = S("");
    out->skips = ARENA_ARRAY(a, struct import_skip, MAX_IMPORT_SKIPS);
    bool ok = read_head(&r, &head);
    bool is_database = import_is_database(head);
    ok = ok && check_file(&r, is_database);
    if (ok && is_database)
        tables = import_database_tables(&r);
    const struct import_format *f =
        ok && e->code == ERR_NONE ? format_of(&r, format, head, tables) : NULL;
    if (f)
        out->format = str_of(f->name);
    ok = f && read_file(&r, f, is_database);
    import_database_close(&r);
    arena_free(&item);
    return ok && e->code == ERR_NONE;
}
