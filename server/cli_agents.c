#include "server/cli_agents.h"

#include "memory/base/unicode.h"
#include "server/setup/entry_words.h"
#include "server/setup/own_command.h"

/* A client's first words, in one go: our server answers them and ends with its input. */
static const char QUESTIONS[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"engram-doctor\",\"version\":"
    "\"1\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n";

/* The result of the answer with this id; NULL where there is none. Owned by the caller. */
static json_t *result_of(str said, json_int_t id)
{
    str line;
    while (str_next_line(&said, &line)) {
        json_t *answer = json_loadb(line.at, line.len, 0, NULL), *result = NULL;
        if (json_integer_value(json_object_get(answer, "id")) == id)
            result = json_incref(json_object_get(answer, "result"));
        json_decref(answer);
        if (result)
            return result;
    }
    return NULL;
}

static bool read_answers(str said, size_t *count, struct err *e)
{
    json_t *hello = result_of(said, 1), *list = result_of(said, 2);
    *count = json_array_size(json_object_get(list, "tools"));
    bool is_server = json_is_object(json_object_get(hello, "serverInfo"));
    json_decref(hello);
    json_decref(list);
    return (is_server && *count) ||
           fail(e, ERR_IO, is_server ? "it lists no tools" : "it doesn't answer as a server does");
}

static bool ask_entry(struct cli *c, const struct setup_world *w, str entry, size_t *listed,
                      struct err *e)
{
    struct arena *a = &c->arena;
    str words[MAX_ENTRY_WORDS], said;
    const char *argv[MAX_ENTRY_WORDS + 1] = {NULL};
    size_t count = entry_words(a, entry, words);
    if (!count)
        return fail(e, ERR_INPUT, "the entry names no command");
    for (size_t i = 0; i < count; i++)
        argv[i] = arena_cstr(a, words[i]);
    str program = setup_program_find(a, w, words[0]);
    if (!program.len)
        return fail(e, ERR_NOT_FOUND, "there is no program %s", argv[0]);
    return own_command_ask(a, program, argv, str_of(QUESTIONS), &said, e) &&
           read_answers(said, listed, e);
}

static str joined(struct arena *a, str list, const char *between, str more)
{
    return arena_printf(a, "%.*s%s%.*s", FMT(list), list.len ? between : "", FMT(more));
}

bool cli_agents_ask(struct cli *c, struct agents_found *out, struct err *e)
{
    struct arena *a = &c->arena;
    struct setup_world world;
    *out = (struct agents_found){S(""), S(""), S("")};
    if (!cli_setup_world(c, &world, e))
        return false;
    for (size_t i = 0; i < setup_agent_count; i++) {
        const struct agent *agent = &setup_agents[i];
        struct err why = {0};
        str file, entry;
        size_t listed = 0;
        bool is_read = setup_entry_find(a, &world, agent, &file, &entry, &why);
        if (is_read && !entry.len)
            continue;
        if (is_read && ask_entry(c, &world, entry, &listed, &why)) {
            out->good = joined(a, out->good, ", ",
                               arena_printf(a, "%s (%zu tools)", agent->title, listed));
            continue;
        }
        out->bad = joined(
            a, out->bad, "; ",
            arena_printf(a, "%s (%.*s): %s", agent->title, FMT(utf8_repair(a, file)), why.text));
        out->bad_names = joined(a, out->bad_names, " ", str_of(agent->name));
    }
    return true;
}
