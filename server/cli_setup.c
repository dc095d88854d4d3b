#include "server/cli_agents.h"

#include "memory/base/unicode.h"
#include "server/registry.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const status_text[][2] = {
    /* done, in a dry run */
    [SETUP_NOTHING] = {"none in this scope", "none in this scope"},
    [SETUP_ALREADY] = {"already set up", "already set up"},
    [SETUP_DONE] = {"set up", "would be set up"},
    [SETUP_ABSENT] = {"not set up", "not set up"},
    [SETUP_SHARED] = {"left for another agent that is set up", "would be left for another agent"},
    [SETUP_TAKEN] = {"taken out", "would be taken out"},
    [SETUP_RESTORED] = {"as it was before", "would be as it was before"},
    [SETUP_FAILED] = {"failed", "would fail"},
};

/* One run: what is wished, and what came of it. */
struct run {
    struct setup_world world;
    struct setup_wish wish;
    struct setup_state state;
    bool parts[PART_COUNT];
    const struct agent **agents;
    size_t agent_count;
    json_t *rows; /* of --json; else NULL */
    struct err first_error;
    size_t told; /* outcomes that were told */
};

/* ---- what is asked for ---- */

static str variable(const char *name)
{
    return str_of(getenv(name));
}

bool cli_setup_world(struct cli *c, struct setup_world *out, struct err *e)
{
    const struct config *g = &c->config;
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    if (!str_starts(g->home, S("/")))
        return fail(e, ERR_INPUT, "set HOME to an absolute path");
    if (length <= 0)
        return fail(e, ERR_IO, "/proc/self/exe can't be read");
    bool moved = str_starts(g->config_home, S("/"));
    *out = (struct setup_world){
        .home = g->home,
        .config_home =
            moved ? g->config_home : arena_printf(&c->arena, "%.*s/.config", FMT(g->home)),
        .program = arena_str(&c->arena, str_from(self, (size_t)length)),
        .path = variable("PATH"),
        .variable = variable,
    };
    return true;
}

static bool read_world(struct cli *c, struct run *r, struct err *e)
{
    str home_folder;
    if (!cli_setup_world(c, &r->world, e) || !registry_home(&c->arena, &c->config, &home_folder, e))
        return false;
    r->state.folder = arena_printf(&c->arena, "%.*s/setup", FMT(home_folder));
    if (r->wish.scope == SCOPE_USER)
        return true;
    struct place place;
    c->projects = projects_open(&c->config);
    if (!projects_place(c->projects, &c->arena, &place, e))
        return false;
    r->world.project = arena_str(&c->arena, place.root);
    return true;
}

static bool read_wish(struct cli *c, struct run *r, struct err *e)
{
    const struct cli_value *scope = cli_value(c, "scope");
    bool hooks = cli_value(c, "hooks"), instructions = cli_value(c, "instructions");
    r->wish.dry_run = cli_value(c, "dry-run");
    r->wish.uninstall = cli_value(c, "uninstall");
    if (scope && str_eq(scope->first, S("project")))
        r->wish.scope = SCOPE_PROJECT;
    else if (scope && !str_eq(scope->first, S("user")))
        return fail(e, ERR_INPUT, "--scope is \"%.*s\", wanted: user or project",
                    FMT(utf8_prefix(scope->first, 40)));
    /* Uninstall takes everything out, or what it is told to; the server is set up in any case. */
    bool all = r->wish.uninstall && !hooks && !instructions;
    r->parts[PART_SERVER] = !r->wish.uninstall || all;
    r->parts[PART_HOOKS] = hooks || all;
    r->parts[PART_INSTRUCTIONS] = instructions || all;
    return true;
}

/* Has an earlier setup left something of the agent's? */
static bool is_in_state(const struct setup_state *s, const struct agent *agent)
{
    str name = str_of(agent->name);
    for (size_t i = 0; i < s->count; i++)
        for (size_t j = 0; j < s->records[i].item_count; j++) {
            str item = s->records[i].items[j];
            if (str_starts(item, name) && item.len > name.len && item.at[name.len] == ' ')
                return true;
        }
    return false;
}

static bool fail_unknown(struct cli *c, str word, struct err *e)
{
    str known = S("all"), shown = utf8_prefix(word, 40);
    for (size_t i = 0; i < setup_agent_count; i++)
        known = arena_printf(&c->arena, "%.*s, %s", FMT(known), setup_agents[i].name);
    return fail(e, ERR_INPUT, "no agent is called \"%.*s\"; wanted: %.*s", FMT(shown), FMT(known));
}

static bool read_agents(struct cli *c, struct run *r, struct err *e)
{
    r->agents = ARENA_ARRAY(&c->arena, const struct agent *, c->word_count + setup_agent_count);
    for (size_t i = 0; i < c->word_count; i++) {
        const struct agent *agent = setup_agent_find(c->words[i]);
        if (!agent && !str_eq(c->words[i], S("all")))
            return fail_unknown(c, c->words[i], e);
        if (agent)
            r->agents[r->agent_count++] = agent;
        for (size_t j = 0; !agent && j < setup_agent_count; j++)
            if (setup_is_installed(&c->arena, &r->world, &setup_agents[j]) ||
                (r->wish.uninstall && is_in_state(&r->state, &setup_agents[j])))
                r->agents[r->agent_count++] = &setup_agents[j];
    }
    return true;
}

/* ---- telling ---- */

/* A path as people write it. */
static str short_path(struct cli *c, const struct run *r, str path)
{
    str home = r->world.home;
    if (str_starts(path, home) && path.len > home.len && path.at[home.len] == '/')
        return arena_printf(&c->arena, "~%.*s", FMT(str_cut(path, home.len, path.len)));
    return path;
}

static void print_outcome(struct cli *c, struct run *r, const struct agent *agent,
                          enum setup_part part, const struct setup_outcome *o)
{
    str file = short_path(c, r, o->file);
    if (o->diff.len)
        cli_print(c, o->diff);
    struct buf line = {0};
    buf_printf(&line, "%-12s %-12s %.*s%s%s", agent->name, setup_part_name[part], FMT(file),
               file.len ? ": " : "", status_text[o->status][r->wish.dry_run]);
    if (o->status == SETUP_FAILED)
        buf_printf(&line, ": %s", o->err.text);
    if (o->by.len)
        buf_printf(&line, ", by %.*s", FMT(o->by));
    if (o->instead_of.len)
        buf_printf(&line, ", since %.*s", FMT(o->instead_of));
    if (o->backup.len)
        buf_printf(&line, " (before: %.*s)", FMT(short_path(c, r, o->backup)));
    cli_print(c, buf_str(&line));
    buf_free(&line);
    if (o->status == SETUP_DONE && agent->parts[part].note)
        cli_print(c, arena_printf(&c->arena, "%26s%s", "-> ", agent->parts[part].note));
}

static void set_text(json_t *row, const char *key, str text)
{
    if (text.len)
        json_object_set_new(row, key, json_stringn(text.at, text.len));
}

static void add_outcome(struct cli *c, struct run *r, const struct agent *agent,
                        enum setup_part part, const struct setup_outcome *o)
{
    json_t *row = json_pack("{s:s, s:s, s:s}", "agent", agent->name, "part", setup_part_name[part],
                            "status", status_text[o->status][r->wish.dry_run]);
    set_text(row, "file", unicode_visible(&c->arena, o->file));
    set_text(row, "diff", unicode_visible(&c->arena, o->diff));
    set_text(row, "by", unicode_visible(&c->arena, o->by));
    set_text(row, "instead_of", unicode_visible(&c->arena, o->instead_of));
    set_text(row, "backup", unicode_visible(&c->arena, o->backup));
    set_text(row, "error", unicode_visible(&c->arena, str_of(o->err.text)));
    if (o->status == SETUP_DONE)
        set_text(row, "note", str_of(agent->parts[part].note));
    json_array_append_new(r->rows, row);
}

static void run_part(struct cli *c, struct run *r, const struct agent *agent, enum setup_part part)
{
    struct setup_outcome o;
    setup_part_run(&c->arena, &r->world, &r->state, &r->wish, agent, part, &o);
    bool is_missing = o.status == SETUP_NOTHING || o.status == SETUP_ABSENT;
    if (is_missing && r->wish.uninstall && part != PART_SERVER)
        return;
    r->told += o.status != SETUP_NOTHING;
    if (o.status == SETUP_FAILED && !r->first_error.code)
        r->first_error = o.err;
    if (r->rows)
        add_outcome(c, r, agent, part, &o);
    else
        print_outcome(c, r, agent, part, &o);
}

/* Taking out goes backwards, so that a folder made for the first file is empty behind the last. */
static void run_agent(struct cli *c, struct run *r, const struct agent *agent)
{
    for (int i = 0; i < PART_COUNT; i++) {
        int part = r->wish.uninstall ? PART_COUNT - 1 - i : i;
        if (r->parts[part])
            run_part(c, r, agent, (enum setup_part)part);
    }
}

/* ---- the list of agents ---- */

static int print_agents(struct cli *c, struct run *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < setup_agent_count; i++) {
        const struct agent *agent = &setup_agents[i];
        struct setup_wish look = {.scope = r->wish.scope, .dry_run = true};
        struct setup_outcome o;
        setup_part_run(&c->arena, &r->world, &r->state, &look, agent, PART_SERVER, &o);
        bool found = setup_is_installed(&c->arena, &r->world, agent);
        bool is_set_up = o.status == SETUP_ALREADY;
        if (c->json)
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:b, s:b}", "agent", agent->name, "title",
                                            agent->title, "found", found, "set_up", is_set_up));
        else
            cli_print(c, arena_printf(&c->arena, "%-12s %-18s %s%s", agent->name, agent->title,
                                      found ? "found" : "not found", is_set_up ? ", set up" : ""));
    }
    if (c->json) {
        json_t *json = json_pack("{s:O}", "agents", list);
        cli_print_json(json);
        json_decref(json);
    } else {
        cli_print(c, S("Name one, or all for those found; --dry-run shows what would change."));
    }
    json_decref(list);
    return CLI_DONE;
}

/* ---- the command ---- */

static int run_agents(struct cli *c, struct run *r)
{
    r->rows = c->json ? json_array() : NULL;
    for (size_t i = 0; i < r->agent_count; i++)
        run_agent(c, r, r->agents[r->wish.uninstall ? r->agent_count - 1 - i : i]);
    if (c->json) {
        json_t *json = json_pack("{s:b, s:o}", "dry_run", r->wish.dry_run, "parts", r->rows);
        cli_print_json(json);
        json_decref(json);
    } else if (!r->agent_count) {
        cli_print(c, S("No agent was found; name one."));
    }
    if (r->first_error.code && c->json)
        return r->first_error.code == ERR_IO ? CLI_TROUBLE : CLI_REFUSED;
    if (r->first_error.code)
        return cli_fail(c, &r->first_error);
    return r->told ? CLI_DONE : CLI_NOTHING;
}

static int run_setup(struct cli *c)
{
    struct err e = {0};
    struct run r = {0};
    if (!cli_configure(c, &e))
        return cli_fail(c, &e);
    if (!read_wish(c, &r, &e))
        return cli_usage(c, "%s", e.text);
    if (!read_world(c, &r, &e))
        return cli_fail(c, &e);
    bool to_write = c->word_count && !r.wish.dry_run;
    str folder = r.state.folder;
    bool ok = setup_state_open(&c->arena, folder, to_write, &r.state, &e);
    int code;
    if (!ok)
        code = cli_fail(c, &e);
    else if (!c->word_count)
        code = print_agents(c, &r);
    else if (!read_agents(c, &r, &e))
        code = cli_usage(c, "%s", e.text);
    else
        code = run_agents(c, &r);
    setup_state_close(&r.state);
    return code;
}

static const struct cli_option setup_options[] = {
    {"scope", 0, "user|project", "for you everywhere (the default), or in the project's files",
     NULL, NULL},
    {"dry-run", 'n', NULL, "show what would change, and change nothing", NULL, NULL},
    {"uninstall", 0, NULL, "take it out again: all, or only --hooks, --instructions", NULL, NULL},
    {"hooks", 0, NULL, "also run engram at the agent's events", NULL, NULL},
    {"instructions", 0, NULL, "also tell the agent when to use it (CLAUDE.md, AGENTS.md, ...)",
     NULL, NULL},
    {0},
};

const struct command command_setup = {
    .name = "setup",
    .operands = "[AGENT...|all]",
    .summary = "Make agents use engram, or no longer.",
    .options = setup_options,
    .help =
        "Without an AGENT it lists them. Each change is shown as a diff and done to that one "
        "entry: "
        "comments, order\n"
        "and layout of the file stay. --uninstall brings a file that nobody else touched back byte "
        "for byte. Without\n"
        "--scope project nothing in the repository is written.\n\n"
        "Examples:\n"
        "  engram setup\n"
        "  engram setup --dry-run all\n"
        "  engram setup --hooks --instructions claude-code codex\n"
        "  engram setup --uninstall all\n",
    .run = run_setup,
};
