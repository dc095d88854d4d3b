#include "memory/memory_review.h"
#include "server/cli_command.h"
#include "server/terminal.h"

#include "memory/base/unicode.h"

#include <stdio.h>
#include <unistd.h>

static const struct cli_option review_options[] = {
    {"yes", 'y', "Q,...", "answer these questions with yes", take_answer, NULL},
    {"no", 'n', "Q,...", "... with no", take_answer, NULL},
    {"later", 0, "Q,...", "... with later", take_answer, NULL},
    {"entity", 'e', "E", "show what is known of an entity (id or name)", take_text, "entity"},
    {"undo", 0, "J", "take back a decision by its journal id", take_text, "undo"},
    {"limit", 0, "N", "show at most N questions (5)", take_text, "limit"},
    {"merge", 0, "E INTO", "E is the same as INTO", take_edit, "into"},
    {"dismiss", 0, "E", "E is no entity, or too general", take_edit, NULL},
    {"restore", 0, "E", "take E back in", take_edit, NULL},
    {"rename", 0, "E NAME", "E is called NAME", take_edit, "name"},
    {"alias", 0, "E NAME", "E is also called NAME", take_edit, "name"},
    {"split", 0, "E NAME", "NAME is an entity of its own, not E", take_edit, "name"},
    {"set-type", 0, "E TYPE", "E is a TYPE", take_edit, "type"},
    {0},
};

/* ---- asking ---- */

/* The word that a line begins, or NULL. */
static const char *verdict_of(str line)
{
    static const char *const words[] = {"yes", "no", "later", "quit"};
    for (size_t i = 0; line.len && i < sizeof words / sizeof *words; i++)
        if (line.len <= strlen(words[i]) &&
            str_eq_nocase(line, str_cut(str_of(words[i]), 0, line.len)))
            return words[i];
    return NULL;
}

/* Until the answer is one; NULL to stop, as at the end of input. */
static const char *ask_verdict(void)
{
    char line[64];
    for (;;) {
        fputs("   [y]es, [n]o, [l]ater, [q]uit? ", stdout);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            return NULL;
        const char *verdict = verdict_of(str_trim(str_of(line)));
        if (verdict)
            return strcmp(verdict, "quit") == 0 ? NULL : verdict;
    }
}

static void show_question(struct cli *c, const struct terminal *t, const json_t *question)
{
    struct buf out = {0};
    const char *text = json_string_value(json_object_get(question, "text")),
               *effect = json_string_value(json_object_get(question, "effect"));
    terminal_wrap(t, &out, PAINT_STRONG, 0, str_of(text ? text : ""));
    if (effect && *effect)
        terminal_wrap(t, &out, PAINT_DIM, 3, str_of(effect));
    str shown = arena_str(&c->arena, buf_str(&out));
    fwrite(shown.at, 1, shown.len, stdout);
    buf_free(&out);
}

/* Says what an answer did, and how to take it back. */
static void show_applied(struct cli *c, const json_t *reply)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(reply, "applied"), i, one)
    {
        const char *journal = json_string_value(json_object_get(one, "journal")),
                   *text = json_string_value(json_object_get(one, "text"));
        if (journal && text)
            cli_print(c, arena_printf(&c->arena, "   %s (take back: engram review --undo %s)", text,
                                      journal));
    }
    putchar('\n');
}

static bool answer(struct cli *c, const json_t *question, const char *verdict, struct err *e)
{
    struct tool_reply reply;
    json_t *arguments = json_pack("{s:[{s:O, s:s}]}", "answers", "question",
                                  json_object_get(question, "id"), "verdict", verdict);
    if (!cli_call_tool(c, "review_entities", arguments, &reply, e))
        return false;
    show_applied(c, reply.structured);
    json_decref(reply.structured);
    return true;
}

static int ask_all(struct cli *c, const struct terminal *t)
{
    struct err e = {0};
    struct tool_reply reply;
    bool ok = cli_call_tool(c, "review_entities", json_object(), &reply, &e);
    if (!ok)
        return cli_fail(c, &e);
    size_t i;
    json_t *question, *questions = json_object_get(reply.structured, "questions");
    if (!json_array_size(questions))
        puts("There is nothing to ask.");
    json_array_foreach(questions, i, question)
    {
        show_question(c, t, question);
        const char *verdict = ask_verdict();
        if (!verdict || !(ok = answer(c, question, verdict, &e)))
            break;
    }
    json_decref(reply.structured);
    return ok ? CLI_DONE : cli_fail(c, &e);
}

/* ---- the command ---- */

static int run_review(struct cli *c)
{
    struct err e = {0};
    struct terminal terminal;
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    if (!c->json && !c->value_count && isatty(STDIN_FILENO) && terminal_of_stdout(&terminal))
        return ask_all(c, &terminal);
    json_t *arguments = cli_arguments(c, &e);
    return arguments ? cli_run_tool(c, "review_entities", arguments, NULL)
                     : cli_usage(c, "%s", e.text);
}

const struct command command_review = {
    .name = "review",
    .operands = "",
    .summary = "Answer open questions on entities, and mend them.",
    .help =
        "Without options it asks the questions whose answers would help most; where nobody can\n"
        "answer, it prints them. All of a call is done, or none.\n\n"
        "Examples:\n"
        "  engram review --yes q1,q4 --no q2\n"
        "  engram review --merge Postgres PostgreSQL --set-type PostgreSQL technology\n"
        "  engram review --undo j4\n",
    .options = review_options,
    .run = run_review,
};
