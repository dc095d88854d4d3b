#include "server/cli_command.h"

#include "memory/base/unicode.h"
#include "server/confine.h"
#include "server/fetch.h"
#include "server/model_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- opening ---- */

bool cli_configure(struct cli *c, struct err *e)
{
    struct models checked;
    if (!config_load(&c->arena, &c->config, e))
        return false;
    config_hide_secrets(&c->config);
    if (!model_settings(&c->arena, &c->config, &checked, e))
        return false;
    if (c->project.len)
        c->config.project = c->project;
    return true;
}

static bool is_beneath(struct arena *a, str path, str folder)
{
    return str_starts(path, arena_printf(a, "%.*s/", FMT(folder)));
}

/* A file outside of the project, which the user has named; only our own data are out of bounds.
 * Confined to its own folder, so that the same checks hold as for any other file. */
static bool open_outside(struct cli *c, struct arena *a, str real, int *fd, str *relative,
                         struct err *e)
{
    str home, name;
    if (!projects_home(c->projects, a, &home, e))
        return false;
    if (is_beneath(a, real, home))
        return fail(e, ERR_INPUT, "%.*s is one of engram's own files; wanted: a document",
                    FMT(real));
    size_t slash = real.len;
    while (slash > 1 && real.at[slash - 1] != '/')
        slash--;
    *relative = real;
    return confine_open(a, slash > 1 ? str_cut(real, 0, slash - 1) : S("/"), real, fd, &name, e);
}

/* What the user names within the project is confined to it, links included; what lies elsewhere may
 * be opened too. */
static bool open_users_file(void *ctx, struct arena *a, str path, int *fd, str *relative,
                            struct err *e)
{
    struct cli *c = ctx;
    struct services project = projects_services(c->projects, a, NULL, NULL);
    struct place place;
    char real[PATH_MAX];
    if (!projects_place(c->projects, a, &place, e))
        return false;
    if (!str_starts(path, S("/")) || is_beneath(a, path, place.root))
        return project.open_file(project.ctx, a, path, fd, relative, e);
    if (!realpath(arena_cstr(a, path), real))
        return fail(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_INPUT, "path is %.*s: %s", FMT(path),
                    strerror(errno));
    if (is_beneath(a, str_of(real), place.root))
        return project.open_file(project.ctx, a, str_of(real), fd, relative, e);
    return open_outside(c, a, arena_str(a, str_of(real)), fd, relative, e);
}

static bool lend_project(void *ctx, str wanted, struct memory **memory, struct project_ref *ref,
                         struct err *e)
{
    struct cli *c = ctx;
    struct services s = projects_services(c->projects, &c->arena, NULL, NULL);
    return s.project(s.ctx, wanted, memory, ref, e);
}

static void blame(void *ctx, struct arena *a, str root, str path, uint32_t line,
                  struct line_origin *out)
{
    struct cli *c = ctx;
    struct services s = projects_services(c->projects, a, NULL, NULL);
    s.blame(s.ctx, a, root, path, line, out);
}

bool cli_open(struct cli *c, struct err *e)
{
    if (c->request.arena)
        return true;
    if (!c->projects) {
        if (!cli_configure(c, e))
            return false;
        c->projects = projects_open(&c->config);
    }
    struct place place;
    if (!projects_place(c->projects, &c->arena, &place, e))
        return false;
    c->services = (struct services){.ctx = c,
                                    .project = lend_project,
                                    .open_file = open_users_file,
                                    .blame = blame,
                                    .fetches = c->config.urls != URLS_OFF};
    const struct config *g = &c->config;
    c->request = (struct request){
        .arena = &c->arena,
        .now_ms = config_now_ms(g),
        .origin = ORIGIN_USER,
        .session = g->claude_session.len ? g->claude_session : g->copilot_session,
        .branch = place.branch,
        .head = place.head,
        .services = &c->services,
        .features = cli_value(c, "features") != NULL,
    };
    return true;
}

void cli_close(struct cli *c)
{
    if (c->projects)
        projects_close(c->projects);
    arena_free(&c->arena);
}

bool cli_memory(struct cli *c, struct memory **memory, struct project_ref *ref, struct err *e)
{
    return cli_open(c, e) && lend_project(c, S(""), memory, ref, e);
}

bool cli_read_stdin(struct cli *c, const char *what, str *out, struct err *e)
{
    if (!read_fd(&c->arena, STDIN_FILENO, MAX_STDIN_BYTES, out, e))
        return fail_context(e, "%s from standard input", what);
    if (!utf8_valid(*out))
        return fail(e, ERR_INPUT,
                    "%s from standard input isn't valid UTF-8; wanted: text, or the path of a file",
                    what);
    return true;
}

/* ---- parsing what a tool ordered ---- */

struct progress {
    bool shown;
    int64_t start_ms;
    str name;
};

/* fetch_and_parse asks this about every 100 ms; on a terminal it draws how long it has been, after
 * half a second. */
static bool show_progress(void *ctx)
{
    struct progress *p = ctx;
    int64_t tenths = (monotonic_ms() - p->start_ms) / 100;
    if (tenths >= 5 && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\rreading %.*s  %d.%d s ", FMT(p->name), (int)(tenths / 10),
                (int)(tenths % 10));
        p->shown = true;
    }
    return false;
}

static void clear_progress(const struct progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
}

static bool run_order(struct cli *c, const struct tool *tool, struct parse_order *order,
                      struct tool_reply *reply, struct err *e)
{
    struct facts facts = {0};
    struct err trouble = {0};
    struct progress progress = {.start_ms = monotonic_ms(),
                                .name = unicode_visible(&c->arena, order->name)};
    bool parsed = fetch_and_parse(order->arena, order, &c->config, show_progress, &progress, &facts,
                                  &trouble);
    clear_progress(&progress);
    if (order->fd >= 0)
        close(order->fd);
    bool ok;
    do {
        *reply = (struct tool_reply){0};
        ok = tool->resume(&c->request, order, parsed ? &facts : NULL, parsed ? NULL : &trouble,
                          reply, e);
    } while (ok && reply->again);
    struct arena *arena = order->arena; /* `order` lies in it */
    arena_free(arena);
    heap_free(arena);
    return ok;
}

/* ---- running a tool ---- */

/* A command has nothing better to do than to wait for the models that its call wants to hear. */
static bool call_tool(struct cli *c, const struct tool *tool, const json_t *arguments,
                      struct tool_reply *reply, struct err *e)
{
    bool ok;
    c->request.models = model_query_new(&c->arena);
    for (;;) {
        *reply = (struct tool_reply){0};
        ok = tool->call(&c->request, arguments, reply, e);
        if (!ok || !reply->waits)
            return ok;
        model_query_ask(c->request.models, projects_transport(c->projects),
                        model_query_budget_ms(c->request.models));
    }
}

bool cli_call_tool(struct cli *c, const char *name, json_t *arguments, struct tool_reply *reply,
                   struct err *e)
{
    const struct tool *tool = tool_find(str_of(name));
    json_t *checked = NULL;
    *reply = (struct tool_reply){0};
    bool ok = cli_open(c, e) && tool_check_arguments(tool, arguments, &checked, e) &&
              call_tool(c, tool, checked, reply, e) &&
              (!reply->order || run_order(c, tool, reply->order, reply, e));
    json_decref(checked);
    json_decref(arguments);
    return ok;
}

int cli_run_tool(struct cli *c, const char *name, json_t *arguments, json_t **structured)
{
    struct err e = {0};
    struct tool_reply reply;
    if (!cli_call_tool(c, name, arguments, &reply, &e))
        return cli_fail(c, &e);
    if (c->json)
        cli_print_json(reply.structured);
    else if (strcmp(name, "recall") != 0 || !cli_show_recall(c, reply.structured))
        cli_print(c, reply.text);
    if (structured)
        *structured = json_incref(reply.structured);
    json_decref(reply.structured);
    return CLI_DONE;
}

/* ---- printing ---- */

void cli_print(struct cli *c, str text)
{
    str shown = unicode_visible(&c->arena, text);
    fwrite(shown.at, 1, shown.len, stdout);
    if (!str_ends(shown, S("\n")))
        putchar('\n');
}

/* For a person indented and in ASCII, so that nothing in it can steer the terminal; for a program
 * as it is. */
void cli_print_json(const json_t *json)
{
    size_t flags = isatty(STDOUT_FILENO) ? JSON_INDENT(2) | JSON_ENSURE_ASCII : JSON_COMPACT;
    char *text = json_dumps(json, flags);
    puts(text ? text : "null");
    heap_free(text);
}

static void print_value(struct buf *out, const json_t *value)
{
    if (json_is_string(value)) {
        buf_add(out, str_from(json_string_value(value), json_string_length(value)));
        return;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
    buf_add(out, str_of(text));
    heap_free(text);
}

static bool is_nested(const json_t *value)
{
    return (json_is_object(value) && json_object_size(value)) ||
           (json_is_array(value) && json_array_size(value));
}

static void add_indent(struct buf *out, int depth)
{
    buf_printf(out, "%*s", 2 * depth, "");
}

/* Depth is that of replies of ours, a handful. */
static void add_fields(struct buf *out, const json_t *json, int depth)
{
    const char *key;
    json_t *value;
    size_t i;
    json_object_foreach((json_t *)json, key, value)
    {
        add_indent(out, depth);
        buf_printf(out, "%s:", key);
        if (is_nested(value)) {
            buf_add_char(out, '\n');
            add_fields(out, value, depth + 1);
            continue;
        }
        buf_add_char(out, ' ');
        print_value(out, value);
        buf_add_char(out, '\n');
    }
    json_array_foreach(json, i, value)
    {
        add_indent(out, depth);
        buf_add(out, S("- "));
        print_value(out, value);
        buf_add_char(out, '\n');
    }
}

void cli_print_fields(struct cli *c, const json_t *json)
{
    struct buf out = {0};
    add_fields(&out, json, 0);
    cli_print(c, buf_str(&out));
    buf_free(&out);
}

/* ---- failing ---- */

static const struct {
    const char *name;
    int exit_code;
} codes[] = {
    [ERR_NONE] = {"bug", CLI_TROUBLE},
    [ERR_INPUT] = {"input", CLI_REFUSED},
    [ERR_NOT_FOUND] = {"not_found", CLI_REFUSED},
    [ERR_LIMIT] = {"limit", CLI_REFUSED},
    [ERR_CONFLICT] = {"conflict", CLI_REFUSED},
    [ERR_BUSY] = {"busy", CLI_TROUBLE},
    [ERR_IO] = {"io", CLI_TROUBLE},
    [ERR_DB] = {"database", CLI_TROUBLE},
    [ERR_NET] = {"network", CLI_TROUBLE},
    [ERR_CANCELLED] = {"cancelled", CLI_TROUBLE},
};

static void print_error(struct cli *c, str text, const char *code)
{
    text = unicode_visible(&c->arena, text);
    fflush(stdout);
    fprintf(stderr, "engram%s%s: %.*s\n", c->command ? " " : "", c->command ? c->command->name : "",
            FMT(text));
    if (!c->json)
        return;
    json_t *json = json_pack("{s:s%, s:s}", "error", text.at, text.len, "code", code);
    cli_print_json(json);
    json_decref(json);
}

int cli_fail(struct cli *c, const struct err *e)
{
    print_error(c, str_of(e->text), codes[e->code].name);
    return codes[e->code].exit_code;
}

int cli_usage(struct cli *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str text = arena_vprintf(&c->arena, format, args);
    va_end(args);
    if (c->command)
        text = arena_printf(&c->arena, "%.*s; `engram help %s` tells more", FMT(text),
                            c->command->name);
    else
        text = arena_printf(&c->arena, "%.*s; `engram help` lists the commands", FMT(text));
    print_error(c, text, "usage");
    return CLI_USAGE;
}
