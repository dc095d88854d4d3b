#include "memory/memory_views.h"
#include "server/cli_command.h"
#include "server/file_write.h"
#include "server/graph/page.h"
#include "server/spawn.h"

#include "memory/base/unicode.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    DEFAULT_NODES = 1500,
    MAX_RECALL_ITEMS = 20,
};

static const struct cli_option graph_options[] = {
    {"out", 'o', "FILE", "where to write the page; - is standard output", NULL, NULL},
    {"focus", 'f', "NAME|ID", "only what is around this", NULL, NULL},
    {"recall", 'r', "QUERY", "ask this, and show what came and the way there", NULL, NULL},
    {"nodes", 'n', "N", "at most N nodes, up to 5000 (1500)", NULL, NULL},
    {"open", 0, NULL, "show it in the browser", NULL, NULL},
    {0},
};

/* ---- a recall to show ---- */

static bool ask(struct cli *c, str query, json_t **reply, struct err *e)
{
    struct tool_reply answer = {0};
    json_t *arguments = json_pack("{s:s%, s:i, s:b}", "query", query.at, query.len, "limit",
                                  MAX_RECALL_ITEMS, "include_superseded", 1);
    if (!arguments)
        return fail(e, ERR_INPUT, "--recall isn't valid UTF-8");
    if (!cli_call_tool(c, "recall", arguments, &answer, e))
        return false;
    *reply = answer.structured;
    return true;
}

static void want(struct picture_input *in, int64_t *ids, const json_t *list)
{
    size_t i;
    json_t *one;
    enum node_kind kind;
    json_array_foreach(list, i, one)
    {
        const json_t *id = json_object_get(one, "id");
        str text = {json_string_value(id), json_string_length(id)};
        if (in->wanted_count < MAX_PICTURE_WANTED && text.len &&
            node_id_parse(text, &kind, &ids[in->wanted_count]))
            in->wanted_count++;
    }
}

/* ---- writing and showing ---- */

static bool write_page(struct cli *c, str path, str bytes, struct err *e)
{
    if (str_eq(path, S("-")))
        return (fwrite(bytes.at, 1, bytes.len, stdout) == bytes.len && fflush(stdout) == 0) ||
               fail(e, ERR_IO, "can't write the page: %s", strerror(errno));
    str name = str_file_name(path);
    str folder = name.len < path.len ? str_cut(path, 0, path.len - name.len) : S(".");
    int fd = open(arena_cstr(&c->arena, folder), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail(e, ERR_IO, "can't write to the folder %.*s: %s", FMT(folder), strerror(errno));
    bool ok = file_write_replace(&c->arena, fd, name, bytes, NULL, 0600, e);
    close(fd);
    return ok;
}

/* The desktop's own way to open a file; nothing waits for it. */
static bool open_in_browser(struct cli *c, str path, struct err *e)
{
    char *words[] = {"xdg-open", arena_cstr(&c->arena, path), NULL};
    posix_spawn_file_actions_t files;
    pid_t pid;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int fault =
        posix_spawnp(&pid, words[0], &files, NULL, words, spawn_users_environment(&c->arena));
    posix_spawn_file_actions_destroy(&files);
    return !fault || fail(e, ERR_IO, "can't start xdg-open: %s; open %.*s yourself",
                          strerror(fault), FMT(path));
}

/* ---- the command ---- */

static bool read_input(struct cli *c, struct picture_input *in, struct err *e)
{
    const struct cli_value *focus = cli_value(c, "focus"), *nodes = cli_value(c, "nodes");
    int64_t most = DEFAULT_NODES;
    if (nodes && (!str_to_int(nodes->first, &most) || most < 1 || most > MAX_PICTURE_NODES))
        return fail(e, ERR_INPUT, "--nodes is \"%.*s\"; wanted: 1 to %d",
                    FMT(utf8_prefix(nodes->first, 40)), MAX_PICTURE_NODES);
    in->most = (size_t)most;
    in->focus = focus ? focus->first : S("");
    return utf8_valid(in->focus) || fail(e, ERR_INPUT, "--focus isn't valid UTF-8");
}

static bool draw(struct cli *c, struct graph_page *page, struct picture *picture, str *path,
                 struct buf *html, struct err *e)
{
    const struct cli_value *recall = cli_value(c, "recall"), *out = cli_value(c, "out");
    struct memory *memory;
    struct project_ref ref;
    struct picture_input in = {0};
    json_t *reply = NULL;
    int64_t *wanted = ARENA_ARRAY(&c->arena, int64_t, MAX_PICTURE_WANTED);
    str folder;
    in.wanted = wanted;
    bool ok = read_input(c, &in, e) && (!recall || ask(c, recall->first, &reply, e)) &&
              cli_memory(c, &memory, &ref, e) &&
              projects_directory(c->projects, &c->arena, &folder, e);
    if (ok && reply) {
        want(&in, wanted, json_object_get(reply, "items"));
        want(&in, wanted, json_object_get(reply, "entities"));
    }
    ok = ok && memory_picture(memory, &c->arena, &in, picture, e);
    if (ok) {
        *path = out ? out->first : arena_printf(&c->arena, "%.*s/graph.html", FMT(folder));
        *page = (struct graph_page){ref.name, picture, reply, recall ? recall->first : S("")};
        graph_page_write(&c->arena, page, html);
        ok = write_page(c, *path, buf_str(html), e);
    }
    json_decref(reply);
    return ok;
}

static void tell(struct cli *c, const struct picture *p, str path, size_t bytes)
{
    json_t *json = json_pack(
        "{s:s%, s:I, s:I, s:I, s:I, s:I, s:I}", "page", path.at, path.len, "bytes",
        (json_int_t)bytes, "nodes", (json_int_t)p->node_count, "edges", (json_int_t)p->edge_count,
        "communities", (json_int_t)p->community_count, "nodes_left_out",
        (json_int_t)p->nodes_left_out, "edges_left_out", (json_int_t)p->edges_left_out);
    if (c->json) {
        cli_print_json(json);
    } else {
        str more = p->nodes_left_out || p->edges_left_out
                       ? arena_printf(&c->arena,
                                      " (%zu nodes and %zu edges more are not shown; --focus or "
                                      "--nodes)",
                                      p->nodes_left_out, p->edges_left_out)
                       : S("");
        cli_print(c, arena_printf(&c->arena, "%.*s: nodes: %zu, edges: %zu, communities: %zu%.*s",
                                  FMT(path), p->node_count, p->edge_count, p->community_count,
                                  FMT(more)));
    }
    json_decref(json);
}

static int run_graph(struct cli *c)
{
    struct err e = {0};
    struct graph_page page;
    struct picture picture;
    struct buf html = {0};
    str path;
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    const struct cli_value *out = cli_value(c, "out");
    if (out && !out->first.len)
        return cli_usage(c, "--out is empty; wanted: a file, or -");
    if (out && str_eq(out->first, S("-")) && cli_value(c, "open"))
        return cli_usage(c, "--open wants a file; --out is standard output");
    bool ok = draw(c, &page, &picture, &path, &html, &e);
    bool to_stdout = ok && str_eq(path, S("-"));
    if (ok && !to_stdout)
        tell(c, &picture, path, html.len);
    ok = ok && (to_stdout || !cli_value(c, "open") || open_in_browser(c, path, &e));
    buf_free(&html);
    return ok ? CLI_DONE : cli_fail(c, &e);
}

const struct command command_graph = {
    .name = "graph",
    .operands = "",
    .summary = "Write the graph as one web page to look at.",
    .help =
        "The page stands alone: it loads nothing, and works without a network. Without --out it\n"
        "goes to the project's data folder. Colours are communities; a click or the list of\n"
        "nodes shows a node's card with its text, its edges and its source.\n\n"
        "Examples:\n"
        "  engram graph --open\n"
        "  engram graph --focus PostgreSQL --out /tmp/graph.html\n"
        "  engram graph --recall \"which database did we choose\"\n",
    .options = graph_options,
    .run = run_graph,
};
