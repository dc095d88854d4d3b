#include "server/cli_command.h"

#include "memory/base/unicode.h"
#include "server/export_markdown.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The format: one JSON object a line. First {"engram_export":1,"project":{"id","name"},"version"},
 * then a line for each row,
 * {"table":"...","row":{column:value,...}}, in the order in which they can be read back. */
enum {
    EXPORT_FORMAT = 1,
    READ_BYTES = 64 * 1024,
};

/* ---- export ---- */

struct export_file {
    FILE *out;
    size_t rows;
};

static json_t *json_of_value(const struct value *v)
{
    switch (v->type) {
    case VALUE_INT:
        return json_integer(v->integer);
    case VALUE_REAL:
        return json_real(v->real);
    case VALUE_TEXT:
        return json_stringn(v->text.at, v->text.len);
    case VALUE_NULL:
        break;
    }
    return json_null();
}

static bool write_line(FILE *out, json_t *json, struct err *e)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(json);
    bool ok = text && fputs(text, out) >= 0 && putc('\n', out) != EOF;
    heap_free(text);
    return ok || fail(e, ERR_IO, "can't write the export: %s", strerror(errno));
}

static bool export_one(void *ctx, const char *table, const char *const *columns,
                       const struct value *values, size_t count, struct err *e)
{
    struct export_file *file = ctx;
    json_t *row = json_object();
    for (size_t i = 0; i < count; i++)
        if (json_object_set_new(row, columns[i], json_of_value(&values[i])) != 0) {
            json_decref(row);
            return fail(e, ERR_DB, "row %zu: %s.%s holds a value that JSON can't", file->rows + 1,
                        table, columns[i]);
        }
    file->rows++;
    return write_line(file->out, json_pack("{s:s, s:o}", "table", table, "row", row), e);
}

static bool export_to(struct cli *c, FILE *out, size_t *rows, struct err *e)
{
    struct memory *memory;
    struct project_ref ref;
    struct export_file file = {.out = out};
    if (!cli_memory(c, &memory, &ref, e))
        return false;
    json_t *header = json_pack("{s:i, s:{s:s%, s:s%}, s:s}", "engram_export", EXPORT_FORMAT,
                               "project", "id", ref.id.at, ref.id.len, "name", ref.name.at,
                               ref.name.len, "version", ENGRAM_VERSION);
    if (!write_line(out, header, e) || !memory_export(memory, export_one, &file, e))
        return false;
    *rows = file.rows;
    return fflush(out) == 0 || fail(e, ERR_IO, "can't write the export: %s", strerror(errno));
}

static bool markdown_to(struct cli *c, FILE *out, size_t *rows, struct err *e)
{
    struct memory *memory;
    struct project_ref ref;
    return cli_memory(c, &memory, &ref, e) && markdown_write(memory, ref.name, out, rows, e);
}

static bool markdown_to_folder(struct cli *c, str folder, size_t *rows, struct err *e)
{
    struct memory *memory;
    struct project_ref ref;
    return cli_memory(c, &memory, &ref, e) && markdown_write_folder(memory, folder, rows, e);
}

typedef bool export_writer(struct cli *c, FILE *out, size_t *rows, struct err *e);

/* Whole or not at all: written beside, then renamed over what was there. */
static bool export_to_path(struct cli *c, export_writer *write, str path, size_t *rows,
                           struct err *e)
{
    const char *name = arena_cstr(&c->arena, path);
    str beside = arena_printf(&c->arena, "%s.%ld.tmp", name, (long)getpid());
    int fd = open(beside.at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out)
        return fail(e, ERR_IO, "can't write %s: %s", beside.at, strerror(errno));
    bool ok = write(c, out, rows, e);
    ok = ok && (fsync(fd) == 0 || fail(e, ERR_IO, "can't write %s: %s", name, strerror(errno)));
    ok = (fclose(out) == 0 || fail(e, ERR_IO, "can't write %s: %s", name, strerror(errno))) && ok;
    ok = ok && (rename(beside.at, name) == 0 ||
                fail(e, ERR_IO, "can't write %s: %s", name, strerror(errno)));
    if (!ok)
        unlink(beside.at);
    return ok;
}

static int print_count(struct cli *c, const char *done, size_t rows)
{
    if (c->json) {
        json_t *json = json_pack("{s:I}", "rows", (json_int_t)rows);
        cli_print_json(json);
        json_decref(json);
    } else {
        printf("%s %zu row%s.\n", done, rows, rows == 1 ? "" : "s");
    }
    return CLI_DONE;
}

static int run_export(struct cli *c)
{
    struct err e = {0};
    size_t rows = 0;
    if (c->word_count > 1)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[1]));
    const struct cli_value *format = cli_value(c, "format");
    str name = format ? format->first : S("jsonl"), path = c->word_count ? c->words[0] : S("-");
    bool is_markdown = str_eq(name, S("markdown")), to_stdout = str_eq(path, S("-"));
    if (!is_markdown && !str_eq(name, S("jsonl")))
        return cli_usage(c, "--format is \"%.*s\"; wanted: jsonl or markdown",
                         FMT(utf8_prefix(name, 40)));
    export_writer *write = is_markdown ? markdown_to : export_to;
    bool ok = to_stdout                               ? write(c, stdout, &rows, &e)
              : is_markdown && str_ends(path, S("/")) ? markdown_to_folder(c, path, &rows, &e)
                                                      : export_to_path(c, write, path, &rows, &e);
    if (!ok)
        return cli_fail(c, &e);
    return to_stdout ? CLI_DONE : print_count(c, "Exported", rows);
}

static const struct cli_option export_options[] = {
    {"format", 0, "FORMAT", "jsonl (whole, for import) or markdown (to read)", NULL, NULL},
    {0},
};

const struct command command_export = {
    .name = "export",
    .operands = "[FILE|FOLDER/]",
    .summary = "Write the whole memory as JSON Lines, or to read as Markdown.",
    .help = "Without FILE to standard output. `engram import` reads JSON Lines back, in another "
            "version or on another\n"
            "machine. Markdown goes into one file, or with a / at the end into a new folder with a "
            "file for each topic,\n"
            "session and month.\n\n"
            "Examples:\n"
            "  engram export backup.jsonl\n"
            "  engram export --format markdown notes/\n",
    .options = export_options,
    .run = run_export,
};

/* ---- import ---- */

struct import_file {
    int fd;
    struct buf pending; /* read, and not yet given as a line */
    bool ended;
    size_t line_number, rows;
};

static bool read_more(struct import_file *file, struct err *e)
{
    if (file->pending.len > MAX_IMPORT_LINE_BYTES)
        return fail(e, ERR_LIMIT, "longer than %d bytes", MAX_IMPORT_LINE_BYTES);
    buf_reserve(&file->pending, READ_BYTES);
    ssize_t n;
    do
        n = read(file->fd, file->pending.at + file->pending.len, READ_BYTES);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return fail(e, ERR_IO, "can't read: %s", strerror(errno));
    file->pending.len += (size_t)n;
    file->ended = n == 0;
    return true;
}

/* The next line; without *found at the end. It lives until the next call. `eaten` is how much the
 * last one took. */
static bool next_line(struct import_file *file, size_t *eaten, str *line, bool *found,
                      struct err *e)
{
    buf_consume(&file->pending, *eaten);
    *eaten = 0;
    file->line_number++;
    size_t end, searched = 0;
    while ((end = str_find_char(buf_str(&file->pending), '\n', searched)) == file->pending.len &&
           !file->ended) {
        searched = end;
        if (!read_more(file, e))
            return false;
    }
    *line = str_cut(buf_str(&file->pending), 0, end);
    *found = file->pending.len > 0;
    *eaten = end < file->pending.len ? end + 1 : end;
    return true;
}

static json_t *object_of_line(str line, struct err *e)
{
    json_error_t why;
    json_t *json = json_loadb(line.at, line.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
    if (!json)
        fail(e, ERR_INPUT, "no JSON: %s", why.text);
    else if (!json_is_object(json)) {
        fail(e, ERR_INPUT, "wanted: a JSON object");
        json_decref(json);
        json = NULL;
    }
    return json;
}

static bool check_header(str line, struct err *e)
{
    json_t *json = object_of_line(line, e);
    if (!json)
        return fail_context(e, "no export of engram");
    json_int_t format = json_integer_value(json_object_get(json, "engram_export"));
    json_decref(json);
    if (!format)
        return fail(e, ERR_INPUT,
                    "no export of engram: the first line wants {\"engram_export\":%d,...}",
                    EXPORT_FORMAT);
    if (format != EXPORT_FORMAT)
        return fail(e, ERR_INPUT,
                    "engram_export is %lld, this version reads %d; use a newer engram",
                    (long long)format, EXPORT_FORMAT);
    return true;
}

static bool value_of_json(const json_t *json, struct value *out)
{
    switch (json_typeof(json)) {
    case JSON_NULL:
        *out = (struct value){.type = VALUE_NULL};
        return true;
    case JSON_INTEGER:
        *out = (struct value){.type = VALUE_INT, .integer = json_integer_value(json)};
        return true;
    case JSON_REAL:
        *out = (struct value){.type = VALUE_REAL, .real = json_real_value(json)};
        return true;
    case JSON_STRING:
        *out = (struct value){.type = VALUE_TEXT,
                              .text = str_from(json_string_value(json), json_string_length(json))};
        return true;
    default:
        return false;
    }
}

static bool import_object(struct memory *m, struct arena *a, const json_t *json, struct err *e)
{
    const json_t *table = json_object_get(json, "table");
    json_t *row = json_object_get(json, "row"), *value;
    if (!json_is_string(table) || !json_is_object(row) || json_object_size(json) != 2)
        return fail(e, ERR_INPUT, "wanted: {\"table\":\"...\",\"row\":{...}}");
    size_t count = 0;
    str *columns = ARENA_ARRAY(a, str, json_object_size(row));
    struct value *values = ARENA_ARRAY(a, struct value, json_object_size(row));
    const char *column;
    json_object_foreach(row, column, value)
    {
        columns[count] = str_of(column);
        if (!value_of_json(value, &values[count++]))
            return fail(e, ERR_INPUT, "%.*s is no number, text or null",
                        FMT(utf8_prefix(str_of(column), 80)));
    }
    return memory_import_row(m, str_of(json_string_value(table)), columns, values, count, e);
}

static bool import_line(struct memory *m, str line, struct err *e)
{
    struct arena scratch = {0};
    json_t *json = object_of_line(line, e);
    bool ok = json && import_object(m, &scratch, json, e);
    json_decref(json);
    arena_free(&scratch);
    return ok;
}

/* The first line is checked before the database is touched. */
static bool import_lines(struct cli *c, struct import_file *file, struct err *e)
{
    struct memory *memory;
    struct project_ref ref;
    size_t eaten = 0;
    str line;
    bool found;
    if (!next_line(file, &eaten, &line, &found, e) || !check_header(line, e))
        return fail_context(e, "line 1");
    if (!cli_memory(c, &memory, &ref, e) || !memory_import_begin(memory, e))
        return false;
    bool ok = true;
    while (ok && (ok = next_line(file, &eaten, &line, &found, e)) && found)
        if (str_trim(line).len) {
            ok = import_line(memory, line, e);
            file->rows += ok;
        }
    if (!ok)
        fail_context(e, "line %zu", file->line_number);
    return memory_import_end(memory, ok, e) && ok;
}

/* A pipe's writer may be slow, and the import holds the write lock: so its bytes are gathered in a
 * file without a name first. */
static bool gather(struct import_file *file, struct err *e)
{
    FILE *gathered = tmpfile();
    if (!gathered)
        return fail(e, ERR_IO, "can't make a temporary file: %s", strerror(errno));
    bool ok = true;
    while (ok && !file->ended) {
        ok = read_more(file, e);
        ok = ok && (fwrite(buf_str(&file->pending).at, 1, file->pending.len, gathered) ==
                        file->pending.len ||
                    fail(e, ERR_IO, "can't write a temporary file: %s", strerror(errno)));
        buf_clear(&file->pending);
    }
    ok = ok && (fflush(gathered) == 0 ||
                fail(e, ERR_IO, "can't write a temporary file: %s", strerror(errno)));
    file->fd = dup(fileno(gathered));
    file->ended = false;
    fclose(gathered);
    return ok && (lseek(file->fd, 0, SEEK_SET) == 0 ||
                  fail(e, ERR_IO, "can't read a temporary file: %s", strerror(errno)));
}

static bool is_regular(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

int cli_restore(struct cli *c, str path)
{
    struct err e = {0};
    struct import_file file = {.fd = STDIN_FILENO};
    if (!str_eq(path, S("-")))
        file.fd = open(arena_cstr(&c->arena, path), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    bool ok = file.fd >= 0 || fail(&e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%.*s: %s",
                                   FMT(path), strerror(errno));
    ok = ok && (is_regular(file.fd) || gather(&file, &e));
    ok = ok && (import_lines(c, &file, &e) || fail_context(&e, "nothing was imported"));
    if (file.fd > STDIN_FILENO)
        close(file.fd);
    buf_free(&file.pending);
    return ok ? print_count(c, "Imported", file.rows) : cli_fail(c, &e);
}
