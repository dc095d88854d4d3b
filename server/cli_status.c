#include "server/cli_command.h"

#include "tools/resources.h"

#include <stdio.h>
#include <sys/stat.h>

/* ---- status ---- */

static const struct cli_option status_options[] = {
    {"all", 'a', NULL, "list every project", NULL, NULL},
    {0},
};

static int64_t database_bytes(struct arena *a, const struct project_entry *p)
{
    struct stat info;
    return stat(arena_cstr(a, arena_printf(a, "%.*s/memory.db", FMT(p->directory))), &info) == 0
               ? (int64_t)info.st_size
               : 0;
}

static void print_projects_json(struct cli *c, const struct project_entry *all, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct project_entry *p = &all[i];
        json_array_append_new(list, json_pack("{s:s%, s:s%, s:s%, s:s%, s:s%, s:I}", "id", p->id.at,
                                              p->id.len, "name", p->name.at, p->name.len, "root",
                                              p->root.at, p->root.len, "directory", p->directory.at,
                                              p->directory.len, "last_used", p->last_used.at,
                                              p->last_used.len, "bytes",
                                              (json_int_t)database_bytes(&c->arena, p)));
    }
    json_t *json = json_pack("{s:o}", "projects", list);
    cli_print_json(json);
    json_decref(json);
}

static void print_projects(struct cli *c, const struct project_entry *all, size_t count)
{
    if (!count)
        puts("There are no projects yet.");
    for (size_t i = 0; i < count; i++) {
        const struct project_entry *p = &all[i];
        cli_print(c, arena_printf(&c->arena, "%.*s  %-24.*s %8lld KiB  %-10.*s  %.*s", FMT(p->id),
                                  FMT(p->name), (long long)(database_bytes(&c->arena, p) / 1024),
                                  FMT(p->last_used), FMT(p->root.len ? p->root : p->directory)));
    }
}

static int status_of_all(struct cli *c)
{
    struct err e = {0};
    struct project_entry *all;
    size_t count;
    if (!cli_configure(c, &e))
        return cli_fail(c, &e);
    c->projects = projects_open(&c->config);
    if (!projects_list(c->projects, &c->arena, &all, &count, &e))
        return cli_fail(c, &e);
    if (c->json)
        print_projects_json(c, all, count);
    else
        print_projects(c, all, count);
    return CLI_DONE;
}

static int run_status(struct cli *c)
{
    struct err e = {0};
    json_t *status;
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    if (cli_value(c, "all"))
        return status_of_all(c);
    if (!cli_open(c, &e) || !status_json(&c->request, &status, &e))
        return cli_fail(c, &e);
    if (c->json)
        cli_print_json(status);
    else
        cli_print_fields(c, status);
    json_decref(status);
    return CLI_DONE;
}

const struct command command_status = {
    .name = "status",
    .operands = "",
    .summary = "Show what the project's memory holds.",
    .help = "",
    .options = status_options,
    .run = run_status,
};
