#include "server/cli_command.h"

#include "memory/base/unicode.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* ---- paths: tools take them from the project's root, a person gives them from where they are ----
 */

/* An absolute path without empty, . and .. parts; links aren't looked at. */
static str plain_path(struct arena *a, str path)
{
    char *plain = arena_bytes(a, path.len + 1);
    size_t len = 0;
    while (path.len) {
        size_t slash = str_find_char(path, '/', 0);
        str part = str_cut(path, 0, slash);
        path = str_cut(path, slash + 1, path.len);
        if (str_eq(part, S(".."))) {
            while (len && plain[--len] != '/')
                continue;
        } else if (part.len && !str_eq(part, S("."))) {
            plain[len++] = '/';
            memcpy(plain + len, part.at, part.len);
            len += part.len;
        }
    }
    return len ? str_from(plain, len) : S("/");
}

/* What the person means by `path`; empty with *e where the working directory is gone. */
static str absolute_path(struct arena *a, str path, struct err *e)
{
    char cwd[PATH_MAX];
    if (str_starts(path, S("/")))
        return plain_path(a, path);
    if (getcwd(cwd, sizeof cwd))
        return plain_path(a, arena_printf(a, "%s/%.*s", cwd, FMT(path)));
    fail(e, ERR_IO, "the working directory is gone; give an absolute path");
    return S("");
}

/* From the root where it lies beneath, else as it is. An anchor's ":LINE" or "#SYMBOL" goes along.
 */
static bool from_root(struct cli *c, str root, json_t *text, struct err *e)
{
    str given = str_from(json_string_value(text), json_string_length(text));
    str absolute = absolute_path(&c->arena, given, e);
    if (!absolute.len)
        return false;
    if (str_starts(absolute, arena_printf(&c->arena, "%.*s/", FMT(root)))) {
        str relative = str_cut(absolute, root.len + 1, absolute.len);
        json_string_setn(text, relative.at, relative.len);
    }
    return true;
}

/* The same for a text or an array of them in `field`, where it is given. */
static bool paths_from_root(struct cli *c, json_t *arguments, const char *field, struct err *e)
{
    json_t *given = json_object_get(arguments, field), *text;
    struct place place;
    size_t i;
    if (!given)
        return true;
    if (!cli_open(c, e) || !projects_place(c->projects, &c->arena, &place, e))
        return false;
    if (json_is_string(given))
        return from_root(c, place.root, given, e);
    json_array_foreach(given, i, text)
    {
        if (!from_root(c, place.root, text, e))
            return false;
    }
    return true;
}

/* Runs the tool once those paths are put right. */
static int run_with_paths(struct cli *c, const char *tool, const char *field, json_t *arguments,
                          json_t **reply)
{
    struct err e = {0};
    if (paths_from_root(c, arguments, field, &e))
        return cli_run_tool(c, tool, arguments, reply);
    json_decref(arguments);
    return cli_fail(c, &e);
}

/* ---- remember ---- */

static const struct cli_option remember_options[] = {
    {"kind", 'k', "KIND", "decision, fact, preference, identity, question, context or episode",
     take_text, "kind"},
    {"speaker", 's', "NAME", "who said it", take_text, "speaker"},
    {"topic", 't', "TOPIC", "replaces what is current under the same topic", take_text, "topic"},
    {"supersedes", 'S', "ID,...", "memories that this one replaces", take_list, "supersedes"},
    {"entity", 'e', "NAME[:TYPE]", "something it is about; may be repeated", take_entity,
     "entities"},
    {"relation", 'r', "A|rel|B", "a relation it states; may be repeated", take_relation,
     "relations"},
    {"file", 'f', "PATH[:LINE]", "a file it is about, or PATH#SYMBOL; may be repeated", take_each,
     "files"},
    {"session", 0, "ID", "the session it belongs to", take_text, "session"},
    {"at", 0, "TIME", "when it was so (RFC 3339); default: now", take_text, "at"},
    {"pin", 0, NULL, "never let it fade", take_switch, "pin"},
    {0},
};

static int run_remember(struct cli *c)
{
    struct err e = {0};
    str text = cli_joined_words(c);
    if (!c->word_count)
        return cli_usage(c, "there is no text to remember");
    if (str_eq(text, S("-")) && !cli_read_stdin(c, "the text", &text, &e))
        return cli_fail(c, &e);
    if (!utf8_valid(text))
        return cli_usage(c, "the text isn't valid UTF-8");
    json_t *arguments = cli_arguments(c, &e);
    if (!arguments)
        return cli_usage(c, "%s", e.text);
    json_object_set_new(arguments, "text", json_stringn(text.at, text.len));
    return run_with_paths(c, "remember", "files", arguments, NULL);
}

const struct command command_remember = {
    .name = "remember",
    .operands = "TEXT...|-",
    .summary = "Store a memory; - reads it from standard input.",
    .help = "Examples:\n"
            "  engram remember --kind decision 'We chose SQLite as the database: one file is easy "
            "to back up.'\n"
            "  engram remember --topic deploy-day --at 2026-05-08 'We deploy on Thursdays.'\n"
            "  engram remember -e 'Checkout:service' -r 'Mara|owns|Checkout' 'Mara owns the "
            "checkout.'\n"
            "  git log -1 --format=%B | engram remember --file src/cart.c:120 -\n",
    .options = remember_options,
    .run = run_remember,
};

/* ---- recall ---- */

static const struct cli_option recall_options[] = {
    {"ids", 'i', "ID,...", "show these whole", take_list, "ids"},
    {"file", 'f', "PATH", "ask why this file is as it is", take_text, "file"},
    {"line", 'l', "N", "... at this line", take_text, "line"},
    {"kinds", 'k', "KIND,...",
     "only these kinds: memory, decision, fact, document, passage, entity, ...", take_list,
     "kinds"},
    {"limit", 'n', "N", "at most N items (10)", take_text, "limit"},
    {"budget", 'b', "TOKENS", "at most so many tokens (1700)", take_text, "budget_tokens"},
    {"since", 0, "TIME", "only what was so from then on", take_text, "since"},
    {"until", 0, "TIME", "only what was so before; a bare date includes its day", take_text,
     "until"},
    {"min-score", 0, "SCORE", "the floor, 0 to 1; 0 lifts it", take_text, "min_score"},
    {"include-superseded", 0, NULL, "also what was replaced or has faded", take_switch,
     "include_superseded"},
    {"explain", 0, NULL, "show how the ranking came about", take_switch, "explain"},
    {"features", 0, NULL, "with --json: also the rows that the ranker is fitted from", NULL, NULL},
    {0},
};

static bool found_nothing(const json_t *reply)
{
    return json_is_true(json_object_get(reply, "abstained")) ||
           json_array_size(json_object_get(reply, "items")) == 0;
}

static int run_recall(struct cli *c)
{
    struct err e = {0};
    json_t *reply = NULL;
    str query = cli_joined_words(c);
    if (!c->word_count && !cli_value(c, "ids") && !cli_value(c, "file"))
        return cli_usage(c, "there is no question; give QUERY, --ids or --file");
    if (!utf8_valid(query))
        return cli_usage(c, "the question isn't valid UTF-8");
    json_t *arguments = cli_arguments(c, &e);
    if (!arguments)
        return cli_usage(c, "%s", e.text);
    if (c->word_count)
        json_object_set_new(arguments, "query", json_stringn(query.at, query.len));
    int code = run_with_paths(c, "recall", "file", arguments, &reply);
    if (code == CLI_DONE && found_nothing(reply))
        code = CLI_NOTHING;
    json_decref(reply);
    return code;
}

const struct command command_recall = {
    .name = "recall",
    .operands = "[QUERY...]",
    .summary = "Find what is known; exit code 1 where nothing is.",
    .help = "Examples:\n"
            "  engram recall which database did we choose and why\n"
            "  engram recall --kinds decision --since 2026-05-01 caching\n"
            "  engram recall --ids m12,d3\n"
            "  engram recall --file src/cart.c --line 120\n",
    .options = recall_options,
    .run = run_recall,
};

/* ---- attach ---- */

static const struct cli_option attach_options[] = {
    {"name", 0, "NAME", "name of what comes from standard input; its ending tells the format",
     take_text, "name"},
    {"title", 't', "TITLE", "title (default: the first heading, else the name)", take_text,
     "title"},
    {0},
};

static bool put_path(struct cli *c, json_t *arguments, str path, struct err *e)
{
    path = absolute_path(&c->arena, path, e);
    if (!path.len)
        return false;
    if (json_object_set_new(arguments, "path", json_stringn(path.at, path.len)) != 0)
        return fail(e, ERR_INPUT, "the path isn't valid UTF-8");
    return true;
}

static bool is_url(str word)
{
    return str_starts(word, S("http://")) || str_starts(word, S("https://"));
}

static bool put_url(json_t *arguments, str url, struct err *e)
{
    return json_object_set_new(arguments, "url", json_stringn(url.at, url.len)) == 0 ||
           fail(e, ERR_INPUT, "the URL isn't valid UTF-8");
}

static bool put_content(struct cli *c, json_t *arguments, struct err *e)
{
    str content;
    if (!cli_value(c, "name"))
        return fail(e, ERR_INPUT, "--name is missing; wanted with -: a name such as notes.md");
    if (!cli_read_stdin(c, "the document", &content, e))
        return false;
    json_object_set_new(arguments, "content", json_stringn(content.at, content.len));
    return true;
}

static int run_attach(struct cli *c)
{
    struct err e = {0};
    if (c->word_count != 1)
        return cli_usage(c, "one PATH, URL or - is wanted, not %zu", c->word_count);
    bool from_stdin = str_eq(c->words[0], S("-"));
    if (!from_stdin && cli_value(c, "name"))
        return cli_usage(c, "--name is for standard input; a file has its own");
    json_t *arguments = cli_arguments(c, &e);
    if (!arguments)
        return cli_usage(c, "%s", e.text);
    bool ok = from_stdin            ? put_content(c, arguments, &e)
              : is_url(c->words[0]) ? put_url(arguments, c->words[0], &e)
                                    : put_path(c, arguments, c->words[0], &e);
    if (!ok) {
        json_decref(arguments);
        return cli_fail(c, &e);
    }
    return cli_run_tool(c, "attach_document", arguments, NULL);
}

const struct command command_attach = {
    .name = "attach",
    .operands = "PATH|URL|-",
    .summary = "Attach a document, so that recall finds its passages.",
    .help = "A changed document replaces its earlier version. PATH counts from the working "
            "directory and may\n"
            "lie outside of the project. URL is a public page (http:// or https://), with "
            "ENGRAM_URLS=on.\n\n"
            "Examples:\n"
            "  engram attach docs/adr/0007-sessions.md\n"
            "  pandoc plan.odt -t markdown | engram attach --name plan.md -\n",
    .options = attach_options,
    .run = run_attach,
};

/* ---- forget ---- */

static const struct cli_option forget_options[] = {
    {"dry-run", 0, NULL, "only say what would go", take_switch, "dry_run"},
    {"reason", 'r', "TEXT", "why, for the record", take_text, "reason"},
    {"yes", 'y', NULL, "don't ask", NULL, NULL},
    {0},
};

/* Shows what would go and asks. false also where it can't be shown, with *code. */
static bool confirmed(struct cli *c, const json_t *arguments, int *code)
{
    struct err e = {0};
    struct tool_reply reply;
    json_t *dry = json_copy((json_t *)arguments);
    json_object_set_new(dry, "dry_run", json_true());
    if (!cli_call_tool(c, "forget", dry, &reply, &e)) {
        *code = cli_fail(c, &e);
        return false;
    }
    str shown = unicode_visible(&c->arena, reply.text);
    json_decref(reply.structured);
    fprintf(stderr, "%.*s\nForget this for good? [y/N] ", FMT(shown));
    char answer[16] = "";
    bool yes = fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
    if (!yes)
        fprintf(stderr, "Nothing was forgotten.\n");
    *code = yes ? CLI_DONE : CLI_NOTHING;
    return yes;
}

static int run_forget(struct cli *c)
{
    struct err e = {0};
    int code;
    if (!c->word_count)
        return cli_usage(c, "there is no ID to forget");
    json_t *arguments = cli_arguments(c, &e);
    if (!arguments)
        return cli_usage(c, "%s", e.text);
    json_t *ids = json_array();
    json_object_set_new(arguments, "ids", ids);
    for (size_t i = 0; i < c->word_count; i++)
        json_array_append_new(ids, json_stringn(c->words[i].at, c->words[i].len));
    bool ask = !cli_value(c, "yes") && !cli_value(c, "dry-run") && isatty(STDIN_FILENO) &&
               isatty(STDERR_FILENO);
    if (ask && !confirmed(c, arguments, &code)) {
        json_decref(arguments);
        return code;
    }
    return cli_run_tool(c, "forget", arguments, NULL);
}

const struct command command_forget = {
    .name = "forget",
    .operands = "ID...",
    .summary = "Remove memories, documents or sessions for good.",
    .help = "On a terminal it shows what would go and asks first. Unlike what fades or is "
            "replaced, this can't be\n"
            "undone: text, index and database file are cleared.\n\n"
            "Examples:\n"
            "  engram forget --dry-run d3\n"
            "  engram forget --yes --reason 'wrong customer' m12 m13\n",
    .options = forget_options,
    .run = run_forget,
};
