#include "server/cli_command.h"

#include "memory/models.h"

#include <stdio.h>

enum { SHOWN_TEXTS = 20 /* of a purpose, in a dry run */ };

static const struct cli_option queue_options[] = {
    {"retry", 'r', NULL, "ask again at once about what failed", NULL, NULL},
    {"drop", 'd', NULL, "forget what failed for good", NULL, NULL},
    {"dry-run", 'n', NULL, "show the texts that come next, and send nothing", NULL, NULL},
    {0},
};

/* ---- telling what waits ---- */

static json_t *line_json(const struct queue_line *l)
{
    json_t *row =
        json_pack("{s:s%, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "purpose", l->purpose.at,
                  l->purpose.len, "on", l->is_on, "pending", (json_int_t)l->pending, "dead",
                  (json_int_t)l->dead, "calls", (json_int_t)l->calls, "tokens",
                  (json_int_t)l->tokens, "bytes_out", (json_int_t)l->bytes_out, "calls_today",
                  (json_int_t)l->calls_today, "tokens_today", (json_int_t)l->tokens_today);
    json_object_set_new(row, "host", json_stringn(l->host.at, l->host.len));
    json_object_set_new(row, "model", json_stringn(l->model.at, l->model.len));
    json_object_set_new(row, "away", json_boolean(l->closed_ms));
    if (l->why.len)
        json_object_set_new(row, "why", json_stringn(l->why.at, l->why.len));
    return row;
}

static void print_json(const struct queue_line *lines, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, line_json(&lines[i]));
    json_t *json = json_pack("{s:o}", "queue", list);
    cli_print_json(json);
    json_decref(json);
}

static void print_lines(struct cli *c, const struct queue_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct queue_line *l = &lines[i];
        str what = l->is_on ? arena_printf(&c->arena, "%.*s at %.*s%s", FMT(l->model), FMT(l->host),
                                           l->closed_ms ? " (away)" : "")
                            : S("no model is set up");
        cli_print(c, arena_printf(&c->arena,
                                  "%-11.*s %6zu pending %4zu dead %6lld calls %9lld tokens %10lld "
                                  "bytes out  %.*s",
                                  FMT(l->purpose), l->pending, l->dead, (long long)l->calls,
                                  (long long)l->tokens, (long long)l->bytes_out, FMT(what)));
        if (l->why.len)
            cli_print(c, arena_printf(&c->arena, "            last failure: %.*s", FMT(l->why)));
    }
}

static bool show_queue(struct cli *c, struct memory *memory, struct err *e)
{
    struct queue_line *lines;
    size_t count;
    if (!model_queue_lines(memory, &c->arena, c->request.now_ms, &lines, &count, e))
        return false;
    if (c->json)
        print_json(lines, count);
    else
        print_lines(c, lines, count);
    return true;
}

/* ---- a dry run ---- */

static json_t *preview_json(struct cli *c, const struct model_preview *p)
{
    str id = node_id_format(&c->arena, p->kind, p->node);
    return json_pack("{s:s%, s:s%, s:s%, s:s%}", "purpose", p->purpose.at, p->purpose.len, "host",
                     p->host.at, p->host.len, "id", id.at, id.len, "text", p->text.at, p->text.len);
}

static bool show_next(struct cli *c, struct memory *memory, struct err *e)
{
    struct model_preview *texts;
    size_t count;
    if (!model_queue_preview(memory, &c->arena, c->request.now_ms, SHOWN_TEXTS, &texts, &count, e))
        return false;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        str id = node_id_format(&c->arena, texts[i].kind, texts[i].node);
        if (c->json)
            json_array_append_new(list, preview_json(c, &texts[i]));
        else
            cli_print(c, arena_printf(&c->arena, "%.*s of %.*s to %.*s:\n%.*s\n",
                                      FMT(texts[i].purpose), FMT(id), FMT(texts[i].host),
                                      FMT(texts[i].text)));
    }
    json_t *json = json_pack("{s:o}", "next", list);
    if (c->json)
        cli_print_json(json);
    else if (!count)
        puts("Nothing would be sent.");
    json_decref(json);
    return true;
}

/* ---- changing it ---- */

static bool change(struct cli *c, struct memory *memory, bool retries, struct err *e)
{
    size_t count;
    if (!(retries ? model_queue_retry : model_queue_drop)(memory, &count, e))
        return false;
    if (!c->json)
        printf("%zu item%s %s.\n", count, count == 1 ? "" : "s",
               retries ? "will be asked about again at once" : "dropped");
    return !c->json || show_queue(c, memory, e);
}

static int run_queue(struct cli *c)
{
    struct err e = {0};
    struct memory *memory;
    struct project_ref ref;
    bool retries = cli_value(c, "retry"), drops = cli_value(c, "drop"),
         is_dry = cli_value(c, "dry-run");
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    if (retries + drops + is_dry > 1)
        return cli_usage(c, "--retry, --drop and --dry-run: one of them at a time");
    if (!cli_memory(c, &memory, &ref, &e))
        return cli_fail(c, &e);
    bool ok = retries || drops ? change(c, memory, retries, &e)
              : is_dry         ? show_next(c, memory, &e)
                               : show_queue(c, memory, &e);
    return ok ? CLI_DONE : cli_fail(c, &e);
}

const struct command command_queue = {
    .name = "queue",
    .operands = "",
    .summary = "Show what waits for models that you set up, and what they cost.",
    .help =
        "Texts to embed and questions to a language model wait in a queue until the background\n"
        "process asks. What fails is tried again later and less and less often; behind five\n"
        "failures of its own an item is dead until --retry. Without a model nothing waits.\n",
    .options = queue_options,
    .run = run_queue,
};
