#include "server/cli_command.h"

#include "memory/base/hash.h"
#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"
#include "server/confine.h"
#include "server/init_files.h"
#include "server/init_turn.h"
#include "tools/adr.h"
#include "tools/profile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SHOWN_ENTITIES = 12 };

static const struct cli_option init_options[] = {
    {"dry-run", 0, NULL, "only say what would be read", NULL, NULL},
    {"profile", 0, "FILE", "also pin what this file says of you: lines of text", NULL, NULL},
    {0},
};

/* A decision record of the project, and the memory of it. */
struct record {
    str path, hash;
    struct adr adr;
    bool current;
    int64_t document, memory;
};

struct init {
    struct cli *cli;
    struct memory *memory; /* NULL: dry run */
    bool dry_run, shows;
    int turn; /* -1: not taken */
    struct record *records;
    size_t record_count, record_capacity;
    json_t *documents, *decisions, *profile, *left_out;
    size_t passages, changes;
};

static void set_text(json_t *object, const char *key, str s)
{
    json_object_set_new(object, key, json_stringn(s.at, s.len));
}

static void set_id(struct init *x, json_t *object, const char *key, enum node_kind kind, int64_t id)
{
    if (id)
        set_text(object, key, node_id_format(&x->cli->arena, kind, id));
}

static void leave_out(struct init *x, str path, str why)
{
    json_t *row = json_object();
    set_text(row, "path", path);
    set_text(row, "why", why);
    json_array_append_new(x->left_out, row);
}

/* Trouble with one file leaves that file out; trouble with the memory ends it all. */
static bool is_of_the_file(const struct err *e)
{
    return e->code == ERR_INPUT || e->code == ERR_NOT_FOUND || e->code == ERR_LIMIT ||
           e->code == ERR_IO || e->code == ERR_CONFLICT; /* forgotten, or somebody else's now */
}

static struct provenance provenance_of(const struct init *x)
{
    const struct request *r = &x->cli->request;
    return (struct provenance){r->origin, r->now_ms, r->branch, r->head};
}

/* Fails with the reason where the memory is only read. */
static bool is_writable(struct init *x, struct err *e)
{
    struct status_line *lines;
    size_t count;
    bool ok = memory_status(x->memory, &x->cli->arena, x->cli->request.now_ms, &lines, &count, e);
    for (size_t i = 0; ok && i < count; i++)
        if (str_eq(lines[i].name, S("read_only")))
            ok = fail(e, ERR_DB, "the memory can't be written: %.*s", FMT(lines[i].text));
    return ok;
}

/* ---- documents ---- */

static bool read_text(struct init *x, str path, str *text, struct err *e)
{
    struct cli *c = x->cli;
    int fd;
    str relative;
    if (!c->services.open_file(c->services.ctx, &c->arena, path, &fd, &relative, e))
        return false;
    bool ok = read_fd(&c->arena, fd, MAX_INIT_FILE_BYTES, text, e);
    close(fd);
    return ok;
}

static bool read_record(struct init *x, str path, int64_t document, struct err *e)
{
    struct cli *c = x->cli;
    struct record r = {.path = path, .document = document, .current = true};
    str text;
    bool ok = read_text(x, path, &text, e);
    if (!ok || !utf8_valid(text) || !adr_read(&c->arena, str_file_name(path), text, &r.adr))
        return ok;
    r.hash = hash128_hex(&c->arena, text);
    ARENA_GROW(&c->arena, x->records, x->record_count, x->record_capacity);
    x->records[x->record_count++] = r;
    return true;
}

/* The document that somebody attaches who began later, and stores it: *document is 0 where it, or
 * what is in it, was forgotten instead. */
static bool find_taken_over(struct init *x, str path, int64_t *document, struct err *e)
{
    struct arena *a = &x->cli->arena;
    struct document_input in = {.from = provenance_of(x),
                                .source = arena_printf(a, "file:%.*s", FMT(path)),
                                .path = path,
                                .title = S("")};
    struct document_result stored;
    str text;
    bool known;
    if (!is_writable(x, e) || !read_text(x, path, &text, e))
        return false;
    in.hash = hash128_hex(a, text);
    return memory_document_known(x->memory, a, &in, &known, &stored, e) &&
           memory_document_find(x->memory, a, &in, document, e);
}

/* Says what became of a file that can't be attached; false where that ends it all. Takes the row.
 */
static bool get_over(struct init *x, str path, json_t *row, int64_t *document, struct err *e)
{
    struct err trouble = {0};
    if (e->code == ERR_CONFLICT && !find_taken_over(x, path, document, &trouble) &&
        !is_of_the_file(&trouble))
        *e = trouble;
    if (*document) {
        json_object_set_new(row, "status", json_string("taken over"));
        set_id(x, row, "id", NODE_DOCUMENT, *document);
        json_array_append_new(x->documents, row);
    } else {
        json_decref(row);
        if (!is_of_the_file(e))
            return false;
        leave_out(x, path, arena_str(&x->cli->arena, str_of(e->text)));
    }
    *e = (struct err){0};
    return true;
}

/* Attaches it; *document is 0 where it was left out. */
static bool attach(struct init *x, str path, int64_t *document, struct err *e)
{
    struct tool_reply reply = {0};
    enum node_kind kind;
    json_t *row = json_object();
    *document = 0;
    set_text(row, "path", path);
    if (x->dry_run) {
        json_object_set_new(row, "status", json_string("would be read"));
        json_array_append_new(x->documents, row);
        return true;
    }
    json_t *arguments = json_object();
    set_text(arguments, "path", path);
    if (!cli_call_tool(x->cli, "attach_document", arguments, &reply, e))
        return get_over(x, path, row, document, e);
    json_object_update_missing(row, reply.structured);
    json_object_del(row, "project");
    node_id_parse(str_of(json_string_value(json_object_get(row, "id"))), &kind, document);
    x->passages += (size_t)json_integer_value(json_object_get(row, "passages"));
    x->changes += strcmp(json_string_value(json_object_get(row, "status")), "unchanged") != 0;
    json_array_append_new(x->documents, row);
    json_decref(reply.structured);
    return true;
}

static bool read_documents(struct init *x, str root, struct err *e)
{
    struct init_file *files;
    size_t count, unseen;
    if (!init_files_list(&x->cli->arena, root, &files, &count, &unseen, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        int64_t document;
        str path = files[i].path, seen = unicode_visible(&x->cli->arena, path);
        if (files[i].why.len) {
            leave_out(x, path, files[i].why);
            continue;
        }
        if (x->shows)
            fprintf(stderr, "\r\033[Kreading %zu of %zu  %.*s", i + 1, count, FMT(seen));
        if (!attach(x, path, &document, e))
            return false;
        if (files[i].may_be_decision && (document || x->dry_run) &&
            !read_record(x, path, document, e))
            return false;
    }
    if (unseen)
        leave_out(x, S("..."), arena_printf(&x->cli->arena, "%zu more files or folders", unseen));
    return true;
}

/* ---- decisions ---- */

static struct record *record_of(struct init *x, const struct adr_ref *ref,
                                const struct record *other)
{
    for (size_t i = 0; i < x->record_count; i++)
        if (&x->records[i] != other &&
            adr_means(ref, str_file_name(x->records[i].path), x->records[i].adr.number))
            return &x->records[i];
    return NULL;
}

/* Calls `each` with every pair in which one record takes the place of the other. A record that was
 * only proposed, or rejected, replaces nothing. */
static bool for_successions(struct init *x,
                            bool (*each)(struct init *, struct record *old, struct record *by,
                                         struct err *),
                            struct err *e)
{
    for (size_t i = 0; i < x->record_count; i++) {
        struct record *r = &x->records[i], *other;
        bool holds = r->adr.status != ADR_PROPOSED && r->adr.status != ADR_REJECTED;
        for (size_t k = 0; holds && k < r->adr.supersedes_count; k++)
            if ((other = record_of(x, &r->adr.supersedes[k], r)) && !each(x, other, r, e))
                return false;
        for (size_t k = 0; k < r->adr.superseded_by_count; k++)
            if ((other = record_of(x, &r->adr.superseded_by[k], r)) && !each(x, r, other, e))
                return false;
    }
    return true;
}

static bool step_back(struct init *x, struct record *old, struct record *by, struct err *e)
{
    (void)x, (void)by, (void)e;
    old->current = false;
    old->adr.status = ADR_SUPERSEDED;
    return true;
}

static bool link_successor(struct init *x, struct record *old, struct record *by, struct err *e)
{
    bool is_new = false;
    bool ok = !old->memory || !by->memory ||
              memory_put_successor(x->memory, &x->cli->arena, old->memory, by->memory,
                                   x->cli->request.now_ms, &is_new, e);
    x->changes += is_new;
    return ok;
}

static bool remember(struct init *x, const struct remember_input *in, bool current, int64_t *id,
                     json_t *row, struct err *e)
{
    static const char *const words[] = {"new", "unchanged", "changed", "forgotten"};
    enum written_status status;
    if (x->dry_run) {
        json_object_set_new(row, "status", json_string("would be remembered"));
        return true;
    }
    if (!memory_put_written(x->memory, &x->cli->arena, in, current, id, &status, e))
        return false;
    x->changes += status == WRITTEN_NEW || status == WRITTEN_CHANGED;
    json_object_set_new(row, "status", json_string(words[status]));
    set_id(x, row, "id", NODE_MEMORY, *id);
    return true;
}

static bool put_record(struct init *x, struct record *r, struct err *e)
{
    struct anchor_input anchor = {.path = r->path, .file_hash = r->hash, .symbol = S("")};
    struct remember_input in = {.from = provenance_of(x),
                                .text = adr_sentence(&x->cli->arena, &r->adr),
                                .has_kind = true,
                                .kind =
                                    r->adr.status == ADR_PROPOSED ? KIND_QUESTION : KIND_DECISION,
                                .topic = r->path,
                                .anchors = &anchor,
                                .anchor_count = 1};
    in.has_at = r->adr.date.len && iso_parse(r->adr.date, &in.at_ms, NULL);
    json_t *row = json_object();
    set_text(row, "path", r->path);
    set_text(row, "title", r->adr.title);
    json_object_set_new(row, "decision", json_string(adr_status_name[r->adr.status]));
    set_id(x, row, "document", NODE_DOCUMENT, r->document);
    json_array_append_new(x->decisions, row);
    return remember(x, &in, r->current, &r->memory, row, e);
}

/* The passages of a record that no longer holds step behind what does. */
static bool mark_documents(struct init *x, struct err *e)
{
    for (size_t i = 0; i < x->record_count; i++) {
        bool changed = false;
        if (x->records[i].document &&
            !memory_document_set_replaced(x->memory, &x->cli->arena, x->records[i].document,
                                          !x->records[i].current, &changed, e))
            return false;
        x->changes += changed;
    }
    return true;
}

static bool put_records(struct init *x, struct err *e)
{
    for (size_t i = 0; i < x->record_count; i++) {
        enum adr_status status = x->records[i].adr.status;
        x->records[i].current = status == ADR_ACCEPTED || status == ADR_PROPOSED;
    }
    if (!for_successions(x, step_back, e))
        return false;
    for (size_t i = 0; i < x->record_count; i++)
        if (!put_record(x, &x->records[i], e))
            return false;
    return x->dry_run || (for_successions(x, link_successor, e) && mark_documents(x, e));
}

/* ---- the profile ---- */

static bool read_profile(struct init *x, const char *path, str *text, struct err *e)
{
    struct cli *c = x->cli;
    char real[PATH_MAX];
    int fd;
    str relative;
    if (!realpath(path, real))
        return fail(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_INPUT, "--profile is %s: %s", path,
                    strerror(errno));
    if (!c->services.open_file(c->services.ctx, &c->arena, arena_str(&c->arena, str_of(real)), &fd,
                               &relative, e))
        return fail_context(e, "--profile");
    bool ok =
        read_fd(&c->arena, fd, MAX_PROFILE_BYTES, text, e) || fail_context(e, "--profile %s", path);
    close(fd);
    if (ok && !utf8_valid(*text))
        ok = fail(e, ERR_INPUT, "%s isn't valid UTF-8; wanted: lines of text", path);
    return ok;
}

static bool put_profile(struct init *x, struct err *e)
{
    const struct cli_value *given = cli_value(x->cli, "profile");
    struct arena *a = &x->cli->arena;
    struct profile_line *lines = ARENA_ARRAY(a, struct profile_line, MAX_PROFILE_LINES);
    size_t count;
    str text;
    if (!given)
        return true;
    if (!read_profile(x, arena_cstr(a, given->first), &text, e) ||
        !profile_read(a, text, lines, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        int64_t id = 0;
        struct remember_input in = {.from = provenance_of(x),
                                    .text = lines[i].text,
                                    .has_kind = true,
                                    .kind = lines[i].identity ? KIND_IDENTITY : KIND_PREFERENCE,
                                    .topic = lines[i].topic,
                                    .pin = true};
        in.from.origin = ORIGIN_USER;
        json_t *row = json_object();
        set_text(row, "text", lines[i].text);
        json_object_set_new(row, "kind", json_string(memory_kind_name[in.kind]));
        json_array_append_new(x->profile, row);
        if (!remember(x, &in, true, &id, row, e))
            return false;
    }
    return true;
}

/* ---- telling ---- */

static bool heaviest(struct init *x, json_t *list, struct err *e)
{
    str *names = NULL;
    size_t count = 0;
    if (x->memory &&
        !memory_heaviest_names(x->memory, &x->cli->arena, SHOWN_ENTITIES, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_stringn(names[i].at, names[i].len));
    return true;
}

static const char *next_step(const struct init *x)
{
    if (x->dry_run)
        return "`engram init` reads them";
    if (!json_array_size(x->documents))
        return "`engram attach FILE` for what tells of this project, `engram remember` for what "
               "you know";
    return "`engram index` reads the sources and the history; then ask: `engram recall QUESTION`";
}

static json_t *result_json(struct init *x, struct err *e)
{
    json_t *entities = json_array();
    if (!heaviest(x, entities, e)) {
        json_decref(entities);
        return NULL;
    }
    return json_pack("{s:b, s:I, s:I, s:O, s:O, s:O, s:O, s:o, s:s}", "dry_run", x->dry_run,
                     "changes", (json_int_t)x->changes, "passages", (json_int_t)x->passages,
                     "documents", x->documents, "decisions", x->decisions, "profile", x->profile,
                     "left_out", x->left_out, "entities", entities, "next", next_step(x));
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

static void add_rows(struct buf *out, const char *title, const json_t *rows, const char *first,
                     const char *second)
{
    size_t i;
    json_t *row;
    if (!json_array_size(rows))
        return;
    buf_printf(out, "%s:\n", title);
    json_array_foreach(rows, i, row)
    {
        buf_printf(out, "  %-10s %s", text_of(row, first), text_of(row, second));
        if (*text_of(row, "decision"))
            buf_printf(out, " (%s)", text_of(row, "decision"));
        if (json_object_get(row, "passages"))
            buf_printf(out, "  %lld passages",
                       (long long)json_integer_value(json_object_get(row, "passages")));
        buf_add_char(out, '\n');
    }
}

static void print_result(struct init *x, const json_t *json)
{
    struct buf out = {0};
    const json_t *entities = json_object_get(json, "entities");
    add_rows(&out, "Documents", x->documents, "status", "path");
    add_rows(&out, "Decisions", x->decisions, "status", "title");
    add_rows(&out, "Profile", x->profile, "status", "text");
    add_rows(&out, "Left out", x->left_out, "path", "why");
    buf_printf(&out, "%zu documents with %zu passages, %zu decisions; %zu changes.\n",
               json_array_size(x->documents), x->passages, json_array_size(x->decisions),
               x->changes);
    for (size_t i = 0; i < json_array_size(entities); i++)
        buf_printf(&out, "%s%s", i ? ", " : "They speak most of: ",
                   json_string_value(json_array_get(entities, i)));
    buf_printf(&out, "%sNext: %s\n", json_array_size(entities) ? "\n" : "", next_step(x));
    cli_print(x->cli, buf_str(&out));
    buf_free(&out);
}

/* The last one may have been killed, with a document half stored. */
static bool take_turn(struct init *x, struct err *e)
{
    struct err trouble = {0};
    str directory;
    if (!projects_directory(x->cli->projects, &x->cli->arena, &directory, e))
        return false;
    x->turn = init_turn_take(directory, MAX_INIT_WAIT_MS, e);
    if (x->turn < 0 && e->code == ERR_IO && !is_writable(x, &trouble))
        *e = trouble; /* why rather than where */
    if (x->turn < 0)
        return false;
    x->cli->request.now_ms = config_now_ms(&x->cli->config); /* it may have waited for long */
    return memory_documents_tidy(x->memory, x->cli->request.now_ms, e);
}

static bool learn(struct init *x, struct err *e)
{
    struct place place;
    struct project_ref ref;
    return projects_place(x->cli->projects, &x->cli->arena, &place, e) &&
           (x->dry_run || (cli_memory(x->cli, &x->memory, &ref, e) && take_turn(x, e))) &&
           read_documents(x, place.root, e) && put_records(x, e) && put_profile(x, e);
}

static int finish(struct init *x, bool ok, struct err *e)
{
    if (x->shows)
        fprintf(stderr, "\r\033[K");
    json_t *json = ok ? result_json(x, e) : NULL;
    if (!json)
        return cli_fail(x->cli, e);
    if (x->cli->json)
        cli_print_json(json);
    else
        print_result(x, json);
    bool nothing = !json_array_size(x->documents) && !json_array_size(x->profile);
    json_decref(json);
    return nothing ? CLI_NOTHING : CLI_DONE;
}

static int run_init(struct cli *c)
{
    struct err e = {0};
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    if (!cli_open(c, &e))
        return cli_fail(c, &e);
    struct init x = {.cli = c,
                     .dry_run = cli_value(c, "dry-run") != NULL,
                     .shows = !c->json && isatty(STDERR_FILENO),
                     .turn = -1,
                     .documents = json_array(),
                     .decisions = json_array(),
                     .profile = json_array(),
                     .left_out = json_array()};
    c->request.origin = ORIGIN_DOCUMENT; /* nobody's own hand: what was forgotten stays so */
    int code = finish(&x, learn(&x, &e), &e);
    init_turn_end(x.turn);
    json_decref(x.documents);
    json_decref(x.decisions);
    json_decref(x.profile);
    json_decref(x.left_out);
    return code;
}

const struct command command_init = {
    .name = "init",
    .operands = "",
    .summary = "Read what the project says of itself, so that no agent starts cold.",
    .help = "README, documentation, change log, instructions for agents and decision records "
            "become documents;\n"
            "what the records decided becomes memories that hold, or no longer hold, as their "
            "status says. A\n"
            "further run follows what changed. Exit code 1 where there is nothing to read.\n\n"
            "Examples:\n"
            "  engram init --dry-run\n"
            "  engram init --profile ~/me.md\n",
    .options = init_options,
    .run = run_init,
};
