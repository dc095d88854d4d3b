#include "server/cli_command.h"

#include "memory/models.h"

#include <stdio.h>

static const struct cli_option queue_options[] = {
    {"retry", 'r', NULL, "ask again at once about what failed", NULL, NULL},
    {"drop", 'd', NULL, "forget what failed for good", NULL, NULL},
    {"dry-run", 'n', NULL, "show the requests that come next, byte for byte, and send nothing",
     NULL, NULL},
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

static json_t *text_list(const str *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_stringn(texts[i].at, texts[i].len));
    return list;
}

static json_t *preview_json(const struct model_preview *p)
{
    return json_pack("{s:s%, s:s%, s:s%, s:o, s:o, s:s%}", "purpose", p->purpose.at, p->purpose.len,
                     "host", p->host.at, p->host.len, "url", p->url.at, p->url.len, "headers",
                     text_list(p->headers, p->header_count), "ids", text_list(p->ids, p->id_count),
                     "body", p->body.at, p->body.len);
}

static void print_preview(struct cli *c, const struct model_preview *p)
{
    struct buf text = {0};
    buf_printf(&text, "%.*s of", FMT(p->purpose));
    for (size_t i = 0; i < p->id_count; i++)
        buf_printf(&text, " %.*s", FMT(p->ids[i]));
    buf_printf(&text, " to %.*s:\n", FMT(p->url.len ? p->url : p->host));
    for (size_t i = 0; i < p->header_count; i++)
        buf_printf(&text, "%.*s\n", FMT(p->headers[i]));
    buf_printf(&text, "%.*s\n", FMT(p->body));
    cli_print(c, buf_str(&text));
    buf_free(&text);
}

static bool show_next(struct cli *c, struct memory *memory, struct err *e)
{
    struct model_preview *requests;
    size_t count;
    if (!model_queue_preview(memory, &c->arena, c->request.now_ms, &requests, &count, e))
        return false;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        if (c->json)
            json_array_append_new(list, preview_json(&requests[i]));
        else
            print_preview(c, &requests[i]);
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
