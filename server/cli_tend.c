#include "server/cli_command.h"

#include <stdio.h>

static const struct cli_option tend_options[] = {
    {"dry-run", 'n', NULL, "only tell what would be done", NULL, NULL},
    {0},
};

static void print_json(struct cli *c, const struct tend_report *reports, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct tend_report *r = &reports[i];
        json_t *row =
            json_pack("{s:s%, s:I, s:s%}", "pass", r->pass.at, r->pass.len, "changed",
                      (json_int_t)r->changed, "text", r->text.len ? r->text.at : "", r->text.len);
        if (r->journal)
            json_object_set_new(
                row, "journal",
                json_string(arena_printf(&c->arena, "j%lld", (long long)r->journal).at));
        json_array_append_new(list, row);
    }
    json_t *json = json_pack("{s:o}", "passes", list);
    cli_print_json(json);
    json_decref(json);
}

static void print_lines(struct cli *c, const struct tend_report *reports, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct tend_report *r = &reports[i];
        str entry =
            r->journal ? arena_printf(&c->arena, " (undo: j%lld)", (long long)r->journal) : S("");
        cli_print(c, arena_printf(&c->arena, "%-14.*s %.*s%.*s", FMT(r->pass),
                                  FMT(r->text.len ? r->text : S("nothing to do")), FMT(entry)));
    }
}

static int run_tend(struct cli *c)
{
    struct err e = {0};
    struct memory *memory;
    struct project_ref ref;
    struct tend_report *reports;
    size_t count;
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    if (!cli_memory(c, &memory, &ref, &e))
        return cli_fail(c, &e);
    struct tend_input in = {.from = {.origin = ORIGIN_USER, .now_ms = c->request.now_ms},
                            .dry_run = cli_value(c, "dry-run") != NULL};
    if (!memory_tend(memory, &c->arena, &in, &reports, &count, &e))
        return cli_fail(c, &e);
    if (c->json)
        print_json(c, reports, count);
    else
        print_lines(c, reports, count);
    return CLI_DONE;
}

const struct command command_tend = {
    .name = "tend",
    .operands = "",
    .summary = "Let the graph grow and fade as its use says.",
    .help = "Ties what is used together, dismisses names that are too general, asks about names\n"
            "that look the same, finds communities and hubs, and archives what nobody used for\n"
            "long. The background does the same by itself. What is archived stays reachable and\n"
            "comes back when it is used; `engram review --undo j4` takes an entry back.\n",
    .options = tend_options,
    .run = run_tend,
};
