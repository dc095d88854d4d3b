#include "memory/memory_import.h"
#include "server/cli_command.h"

#include "memory/base/unicode.h"
#include "server/import_feed.h"
#include "server/import_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FAULTS = 20 /* files that are told with their reason */ };

struct fault {
    str path, why;
};

struct importing {
    struct cli *cli;
    struct arena *arena; /* for the whole run */
    struct memory *memory;
    struct project_ref project;
    struct place place;
    str folder_path; /* absolute */
    int folder;
    bool dry_run, any_project, shows;

    str path; /* of the file that is being read, below the folder */
    struct import_from from;
    struct import_counts counts;
    size_t files, unreadable, other_project, by_format[IMPORT_FORMAT_COUNT];
    size_t attached, replaced, unchanged; /* documents */
    struct import_skip skips[MAX_IMPORT_SKIPS * 2];
    size_t skip_count;
    struct fault faults[MAX_FAULTS];
    size_t fault_count;
};

/* ---- whose items ---- */

static bool is_at_or_beneath(str path, str folder)
{
    return folder.len && str_starts(path, folder) &&
           (path.len == folder.len || path.at[folder.len] == '/');
}

/* Other tools keep all projects in one store: taken is what names this one, or none. */
static bool is_ours(const struct importing *x, str project)
{
    if (x->any_project || !project.len)
        return true;
    if (project.at[0] == '/')
        return is_at_or_beneath(project, x->project.root) ||
               is_at_or_beneath(project, x->place.root);
    return str_eq_nocase(project, x->project.name) ||
           str_eq_nocase(project, str_file_name(x->project.root)) ||
           str_eq_nocase(project, str_file_name(x->place.root));
}

/* ---- one file ---- */

static void show_progress(const struct importing *x, size_t done, size_t all)
{
    if (x->shows)
        fprintf(stderr, "\r\033[Kimporting  %zu of %zu files, %zu stored ", done, all,
                x->counts.stored);
}

static bool take(void *ctx, struct arena *a, const struct import_batch *batch, struct err *e)
{
    struct importing *x = ctx;
    struct import_batch ours = {ARENA_ARRAY(a, struct import_item, batch->count), 0};
    str refused = x->counts.first_refused;
    for (size_t i = 0; i < batch->count; i++)
        if (is_ours(x, batch->items[i].project))
            ours.items[ours.count++] = batch->items[i];
        else
            x->other_project++;
    bool ok = memory_take_items(x->memory, a, &x->from, &ours, &x->counts, e);
    if (!refused.len) /* it lies in `a` */
        x->counts.first_refused = arena_str(x->arena, x->counts.first_refused);
    show_progress(x, x->files, x->files + 1);
    return ok;
}

static void add_skip(struct importing *x, const struct import_skip *skip)
{
    size_t i = 0, most = sizeof x->skips / sizeof *x->skips;
    while (i < x->skip_count && !str_eq(x->skips[i].why, skip->why))
        i++;
    if (i == most)
        return;
    if (i == x->skip_count)
        x->skips[x->skip_count++] = (struct import_skip){
            arena_str(x->arena, skip->why), 0,
            arena_printf(x->arena, "%.*s: %.*s", FMT(x->path), FMT(skip->example))};
    x->skips[i].count += skip->count;
}

static void add_fault(struct importing *x, const struct err *why)
{
    x->unreadable++;
    if (x->fault_count < MAX_FAULTS)
        x->faults[x->fault_count++] =
            (struct fault){arena_str(x->arena, x->path), arena_str(x->arena, str_of(why->text))};
}

/* A note's text is a document, as if it had been attached; what the user forgot stays out. */
static bool attach(struct importing *x, struct err *e)
{
    struct cli *c = x->cli;
    struct arena mark = c->arena;
    struct tool_reply reply;
    str path = arena_printf(&c->arena, "%.*s/%.*s", FMT(x->folder_path), FMT(x->path));
    json_t *arguments = json_pack("{s:s%}", "path", path.at, path.len);
    bool ok = cli_call_tool(c, "attach_document", arguments, &reply, e);
    if (ok) {
        const char *status = json_string_value(json_object_get(reply.structured, "status"));
        x->attached += strcmp(status, "attached") == 0;
        x->replaced += strcmp(status, "replaced") == 0;
        x->unchanged += strcmp(status, "unchanged") == 0;
        json_decref(reply.structured);
    } else if (e->code == ERR_CONFLICT) {
        x->counts.forgotten++;
        *e = (struct err){0};
        ok = true;
    }
    arena_rewind(&c->arena, mark);
    return ok;
}

static bool is_of_file(const struct err *e)
{
    return e->code == ERR_INPUT || e->code == ERR_LIMIT || e->code == ERR_NOT_FOUND ||
           e->code == ERR_IO;
}

/* false where the whole import can't go on. */
static bool import_one(struct importing *x, str path, str format, struct err *e)
{
    struct import_rest rest = {0};
    struct arena scratch = {0};
    struct err why = {0};
    x->path = path;
    x->from.path = arena_printf(&scratch, "%.*s/%.*s", FMT(x->folder_path), FMT(path));
    x->from.format = format;
    struct import_file file = {x->folder, path, format};
    bool ok = import_file_read(&scratch, &file, take, x, &rest, &why);
    if (ok && str_eq(rest.format, S("markdown")) && !x->dry_run)
        ok = attach(x, &why);
    for (size_t i = 0; i < rest.skip_count; i++)
        add_skip(x, &rest.skips[i]);
    for (size_t i = 0; i < IMPORT_FORMAT_COUNT; i++)
        x->by_format[i] += str_eq(rest.format, str_of(import_format_name[i]));
    arena_free(&scratch);
    x->files++;
    if (ok)
        return true;
    if (is_of_file(&why)) {
        add_fault(x, &why);
        return true;
    }
    *e = why;
    return fail_context(e, "%.*s", FMT(path));
}

/* ---- the files ---- */

/* Our own databases are read by nobody else, and by us only through SQLite. */
static bool check_place(struct importing *x, str real, struct err *e)
{
    str home;
    if (!projects_home(x->cli->projects, x->arena, &home, e))
        return false;
    return !is_at_or_beneath(real, home) ||
           fail(e, ERR_INPUT, "%.*s is one of engram's own files", FMT(real));
}

static bool open_folder(struct importing *x, str path, bool *is_folder, str *name, struct err *e)
{
    char real[PATH_MAX];
    struct stat status;
    if (!realpath(arena_cstr(x->arena, path), real) || stat(real, &status) != 0)
        return fail(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%.*s: %s", FMT(path),
                    strerror(errno));
    x->folder_path = arena_str(x->arena, str_of(real));
    if (!check_place(x, x->folder_path, e))
        return false;
    *is_folder = S_ISDIR(status.st_mode);
    *name = str_file_name(x->folder_path);
    if (!*is_folder)
        x->folder_path = str_cut(x->folder_path, 0, x->folder_path.len - name->len - 1);
    x->folder = open(x->folder_path.len ? arena_cstr(x->arena, x->folder_path) : "/",
                     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return x->folder >= 0 || fail(e, ERR_IO, "%.*s: %s", FMT(path), strerror(errno));
}

static bool import_folder(struct importing *x, str format, struct err *e)
{
    struct import_listing found;
    if (!import_files_list(x->arena, x->folder, &found, e))
        return false;
    if (!found.count)
        return fail(e, ERR_NOT_FOUND,
                    "%.*s: no file there that an import reads; wanted: .jsonl, .json, .md, .db",
                    FMT(x->folder_path));
    for (size_t i = 0; i < found.count; i++) {
        show_progress(x, i, found.count);
        if (!import_one(x, found.paths[i], format, e))
            return false;
    }
    x->path = x->folder_path;
    if (found.links)
        add_skip(x, &(struct import_skip){S("links aren't followed"), found.links, S("")});
    return true;
}

static bool import_path(struct importing *x, str path, str format, struct err *e)
{
    bool is_folder = false;
    str name = S("");
    if (!open_folder(x, path, &is_folder, &name, e))
        return false;
    if (is_folder)
        return import_folder(x, format, e);
    if (!import_one(x, name, format, e))
        return false;
    return !x->unreadable || fail(e, ERR_INPUT, "%.*s: %.*s", FMT(path), FMT(x->faults[0].why));
}

/* ---- telling ---- */

static json_t *text(struct arena *a, str s)
{
    s = s.len ? unicode_visible(a, s) : S("");
    return json_stringn(s.at, s.len);
}

static json_t *summary(const struct importing *x)
{
    const struct import_counts *n = &x->counts;
    json_t *formats = json_object(), *skipped = json_array(), *faults = json_array();
    for (size_t i = 0; i < IMPORT_FORMAT_COUNT; i++)
        if (x->by_format[i])
            json_object_set_new(formats, import_format_name[i],
                                json_integer((json_int_t)x->by_format[i]));
    for (size_t i = 0; i < x->skip_count; i++)
        json_array_append_new(skipped,
                              json_pack("{s:o, s:I, s:o}", "why", text(x->arena, x->skips[i].why),
                                        "count", (json_int_t)x->skips[i].count, "first",
                                        text(x->arena, x->skips[i].example)));
    for (size_t i = 0; i < x->fault_count; i++)
        json_array_append_new(faults,
                              json_pack("{s:o, s:o}", "path", text(x->arena, x->faults[i].path),
                                        "why", text(x->arena, x->faults[i].why)));
    return json_pack("{s:b, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o,"
                     " s:{s:I, s:I, s:I}, s:o, s:o}",
                     "dry_run", x->dry_run, "files", (json_int_t)x->files, "unreadable",
                     (json_int_t)x->unreadable, "formats", formats, "stored", (json_int_t)n->stored,
                     "replaced", (json_int_t)n->replaced, "known", (json_int_t)n->known,
                     "forgotten", (json_int_t)n->forgotten, "refused", (json_int_t)n->refused,
                     "other_project", (json_int_t)x->other_project, "turns", (json_int_t)n->turns,
                     "redacted", (json_int_t)n->redacted, "first_refused",
                     text(x->arena, n->first_refused), "documents", "attached",
                     (json_int_t)x->attached, "replaced", (json_int_t)x->replaced, "unchanged",
                     (json_int_t)x->unchanged, "skipped", skipped, "faults", faults);
}

static void add_line(struct buf *out, size_t count, const char *what)
{
    if (count)
        buf_printf(out, "%8zu  %s\n", count, what);
}

static void print_summary(struct importing *x)
{
    const struct import_counts *n = &x->counts;
    struct buf out = {0};
    buf_printf(&out, "%s from %zu file%s:\n", x->dry_run ? "Would import" : "Imported", x->files,
               x->files == 1 ? "" : "s");
    buf_printf(&out, "%8zu  stored\n", n->stored);
    add_line(&out, n->replaced, "changed there, and replaced here");
    add_line(&out, n->known, "known already");
    add_line(&out, n->forgotten, "left out: forgotten here");
    add_line(&out, x->other_project, "left out: of another project (--any-project takes them)");
    add_line(&out, n->refused, "refused");
    if (n->first_refused.len)
        buf_printf(&out, "          first: %.*s\n", FMT(n->first_refused));
    add_line(&out, x->attached, "documents attached");
    add_line(&out, x->replaced, "documents replaced");
    add_line(&out, x->unchanged, "documents unchanged");
    add_line(&out, n->turns, "turns of conversations looked at");
    add_line(&out, n->redacted, "secrets or private blocks redacted");
    for (size_t i = 0; i < x->skip_count; i++)
        buf_printf(&out, "%8llu  skipped: %.*s (first: %.*s)\n",
                   (unsigned long long)x->skips[i].count, FMT(x->skips[i].why),
                   FMT(x->skips[i].example));
    for (size_t i = 0; i < x->fault_count; i++)
        buf_printf(&out, "%s%.*s: %.*s\n", i ? "" : "Files that weren't read:\n",
                   FMT(x->faults[i].path), FMT(x->faults[i].why));
    cli_print(x->cli, buf_str(&out));
    buf_free(&out);
}

static int tell(struct importing *x)
{
    if (x->cli->json) {
        json_t *json = summary(x);
        cli_print_json(json);
        json_decref(json);
    } else {
        print_summary(x);
    }
    return x->files > x->unreadable ? CLI_DONE : CLI_NOTHING;
}

/* ---- the command ---- */

static int run_foreign(struct cli *c, str path, str format)
{
    struct err e = {0};
    struct importing x = {.cli = c,
                          .arena = &c->arena,
                          .folder = -1,
                          .dry_run = cli_value(c, "dry-run") != NULL,
                          .any_project = cli_value(c, "any-project") != NULL,
                          .shows = !c->json && isatty(STDERR_FILENO)};
    bool ok = cli_memory(c, &x.memory, &x.project, &e) &&
              projects_place(c->projects, &c->arena, &x.place, &e);
    c->request.origin = ORIGIN_AGENT; /* nobody said it by hand, now */
    x.from = (struct import_from){.from = {.origin = ORIGIN_AGENT, .now_ms = c->request.now_ms},
                                  .dry_run = x.dry_run};
    ok = ok && import_path(&x, path, format, &e);
    if (x.folder >= 0)
        close(x.folder);
    if (x.shows)
        fprintf(stderr, "\r\033[K");
    return ok ? tell(&x) : cli_fail(c, &e);
}

/* Does the file begin as an export of ours does? A pipe is only ever read once, as one. */
static bool is_export(struct cli *c, str path)
{
    char head[256];
    struct stat status;
    const char *name = arena_cstr(&c->arena, path);
    if (stat(name, &status) != 0 || S_ISDIR(status.st_mode))
        return false;
    if (!S_ISREG(status.st_mode))
        return true;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    return str_starts(str_trim(str_from(head, n > 0 ? (size_t)n : 0)), S(EXPORT_MARK));
}

static bool is_format(str name)
{
    for (size_t i = 0; i < IMPORT_FORMAT_COUNT; i++)
        if (str_eq(name, str_of(import_format_name[i])))
            return true;
    return false;
}

static int run_import(struct cli *c)
{
    const struct cli_value *from = cli_value(c, "from");
    str format = from && !str_eq(from->first, S("auto")) ? from->first : S("");
    if (c->word_count != 1)
        return cli_usage(c, "one PATH or - is wanted, not %zu", c->word_count);
    if (str_eq(format, S("engram")) || str_eq(c->words[0], S("-")) ||
        (!format.len && is_export(c, c->words[0]))) {
        if (cli_value(c, "dry-run") || cli_value(c, "any-project"))
            return cli_usage(c, "an export of engram's is taken whole or not at all, without "
                                "--dry-run or --any-project");
        return cli_restore(c, c->words[0]);
    }
    if (format.len && !is_format(format)) {
        str known = S("auto, engram");
        for (int i = 0; i < IMPORT_FORMAT_COUNT; i++)
            known = arena_printf(&c->arena, "%.*s, %s", FMT(known), import_format_name[i]);
        str shown = utf8_prefix(format, 40);
        return cli_usage(c, "--from is \"%.*s\"; wanted: one of %.*s", FMT(shown), FMT(known));
    }
    return run_foreign(c, c->words[0], format);
}

static const struct cli_option import_options[] = {
    {"from", 0, "FORMAT", "the format, where it shouldn't be found out (auto)", NULL, NULL},
    {"dry-run", 'n', NULL, "tell what would be stored, and store nothing", NULL, NULL},
    {"any-project", 0, NULL, "also what other tools have of other projects", NULL, NULL},
    {0},
};

const struct command command_import = {
    .name = "import",
    .operands = "PATH|-",
    .summary = "Take in what another tool remembers, or read an export back.",
    .help = "PATH is a file or a folder. Formats: server-memory (memory.jsonl), claude-code, "
            "codex and opencode (transcripts),\n"
            "claude-mem and engram-go (database or export), markdown (basic-memory, Serena, memory "
            "banks), chatgpt\n"
            "and claude-ai (conversations.json), engram (what `engram export` wrote). A second "
            "import adds only\n"
            "what is new. Of conversations only decisions, preferences and telling facts are kept, "
            "and an episode\n"
            "for each; secrets and <private> blocks are left out, and so is what was forgotten "
            "here.\n\n"
            "An export of engram is taken whole or not at all, into a project without memories.\n\n"
            "Examples:\n"
            "  engram import --dry-run ~/.claude/projects/-home-me-shop\n"
            "  engram import --from server-memory memory.jsonl\n"
            "  engram import .serena/memories\n"
            "  engram import backup.jsonl\n",
    .options = import_options,
    .run = run_import,
};
