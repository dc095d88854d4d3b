#include "server/cli_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX_ARGC = 32 };

static struct cli c;

static int set_up(void **state)
{
    (void)state;
    c = (struct cli){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(&c.arena);
    return 0;
}

/* Reads a command line of words between spaces, ' standing for a space within one. */
static bool read_line(const struct command *command, const char *line, bool *help, struct err *e)
{
    char *argv[MAX_ARGC + 1] = {0};
    int argc = 0;
    str rest = str_of(line), word;
    while (argc < MAX_ARGC && str_next_word(&rest, &word)) {
        argv[argc] = arena_cstr(&c.arena, word);
        for (char *quote = argv[argc]; (quote = strchr(quote, '\''));)
            *quote = ' ';
        argc++;
    }
    c.command = command;
    c.value_count = c.word_count = 0;
    *help = false;
    *e = (struct err){0};
    return cli_read_options(&c, argc, argv, help, e);
}

static void gives(const struct command *command, const char *line, const char *wanted)
{
    bool help;
    struct err e;
    if (!read_line(command, line, &help, &e))
        fail_msg("%s: %s", line, e.text);
    json_t *arguments = cli_arguments(&c, &e);
    if (!arguments)
        fail_msg("%s: %s", line, e.text);
    char *text = json_dumps(arguments, JSON_COMPACT);
    if (strcmp(text, wanted) != 0)
        fail_msg("%s: %s, wanted %s", line, text, wanted);
    free(text);
    json_decref(arguments);
}

static void refuses(const struct command *command, const char *line, const char *words)
{
    bool help;
    struct err e;
    json_t *arguments = NULL;
    if (read_line(command, line, &help, &e) && (arguments = cli_arguments(&c, &e)))
        fail_msg("%s: taken", line);
    if (!strstr(e.text, words))
        fail_msg("%s: \"%s\", wanted \"%s\"", line, e.text, words);
}

static void options_become_arguments(void **state)
{
    (void)state;
    gives(&command_remember, "remember x", "{}");
    gives(&command_remember, "remember -k decision --speaker=Mara'Lind --pin x",
          "{\"kind\":\"decision\",\"speaker\":\"Mara Lind\",\"pin\":true}");
    gives(&command_remember, "remember --file a.c:1 x --file b.c#f -S m1,m2 -S 'm3",
          "{\"files\":[\"a.c:1\",\"b.c#f\"],\"supersedes\":[\"m1\",\"m2\",\"m3\"]}");
    gives(&command_recall,
          "recall -n 5 --min-score 0.2 --kinds decision,'fact, --include-superseded q",
          "{\"limit\":\"5\",\"min_score\":\"0.2\",\"kinds\":[\"decision\",\"fact\"],\"include_"
          "superseded\":true}");
    gives(&command_recall, "recall --lim 5", "{\"limit\":\"5\"}");
    gives(&command_forget, "forget --dry-run --yes m1", "{\"dry_run\":true}");
}

static void an_entity_is_a_name_and_perhaps_a_type(void **state)
{
    (void)state;
    static const struct {
        const char *given, *wanted;
    } cases[] = {
        {"Redis", "{\"name\":\"Redis\"}"},
        {"Redis:technology", "{\"name\":\"Redis\",\"type\":\"technology\"}"},
        {"Mara'Lind:team'lead", "{\"name\":\"Mara Lind\",\"type\":\"team lead\"}"},
        {"std::vector", "{\"name\":\"std::vector\"}"},
        {"std::vector:type", "{\"name\":\"std::vector\",\"type\":\"type\"}"},
        {"http://x:8080", "{\"name\":\"http://x:8080\"}"},
        {"Note:Big", "{\"name\":\"Note:Big\"}"},
        {":x", "{\"name\":\":x\"}"},
        {"x:", "{\"name\":\"x:\"}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        gives(&command_remember, arena_printf(&c.arena, "remember -e %s x", cases[i].given).at,
              arena_printf(&c.arena, "{\"entities\":[%s]}", cases[i].wanted).at);
}

static void a_relation_has_three_parts(void **state)
{
    (void)state;
    gives(&command_remember, "remember -r Mara'|'works_on|Checkout x",
          "{\"relations\":[{\"from\":\"Mara\",\"relation\":\"works_on\",\"to\":\"Checkout\"}]}");
    refuses(&command_remember, "remember --relation Mara|owns x",
            "--relation: \"Mara|owns\", wanted: 'FROM|relation|TO'");
    refuses(&command_remember, "remember --relation a|b|c|d x", "wanted");
    refuses(&command_remember, "remember --relation x x", "wanted");
}

static void answers_and_edits_are_collected_in_order(void **state)
{
    (void)state;
    gives(&command_review, "review --yes q1,q4 --no q2 --later q3",
          "{\"answers\":[{\"question\":\"q1\",\"verdict\":\"yes\"},{\"question\":\"q4\","
          "\"verdict\":\"yes\"},"
          "{\"question\":\"q2\",\"verdict\":\"no\"},{\"question\":\"q3\",\"verdict\":\"later\"}]}");
    gives(&command_review,
          "review --merge A'B C --dismiss e4 --rename e5 New --set-type e6 team --alias e7 X "
          "--split e8 Y "
          "--restore e9",
          "{\"edits\":[{\"action\":\"merge\",\"entity\":\"A "
          "B\",\"into\":\"C\"},{\"action\":\"dismiss\",\"entity\":\"e4\"},"
          "{\"action\":\"rename\",\"entity\":\"e5\",\"name\":\"New\"},{\"action\":\"set_type\","
          "\"entity\":\"e6\",\"type\":"
          "\"team\"},{\"action\":\"alias\",\"entity\":\"e7\",\"name\":\"X\"},{\"action\":\"split\","
          "\"entity\":\"e8\","
          "\"name\":\"Y\"},{\"action\":\"restore\",\"entity\":\"e9\"}]}");
    gives(&command_review, "review word --merge=A C",
          "{\"edits\":[{\"action\":\"merge\",\"entity\":\"A\",\"into\":\"C\"}]}");
    assert_int_equal(c.word_count, 1);
    refuses(&command_review, "review --merge A", "--merge wants two values: E INTO");
}

static void wrong_options_are_named(void **state)
{
    (void)state;
    refuses(&command_recall, "recall --nope=3 q", "--nope is no option here");
    refuses(&command_recall, "recall -z q", "-z is no option here");
    refuses(&command_recall, "recall --limit", "--limit wants a value");
    refuses(&command_recall, "recall -n", "-n wants a value");
    refuses(&command_recall, "recall --i q",
            "--i is no option here"); /* ids or include-superseded? */
}

static void operands_keep_their_order_and_a_double_dash_ends_options(void **state)
{
    (void)state;
    bool help;
    struct err e;
    assert_true(read_line(&command_recall, "recall why -n 3 is it -- --so", &help, &e));
    assert_true(str_eq(cli_joined_words(&c), S("why is it --so")));
    assert_false(help);
}

static void common_options_work_everywhere(void **state)
{
    (void)state;
    bool help;
    struct err e;
    assert_true(read_line(&command_status, "status --json --help -C /x", &help, &e));
    assert_true(help && c.json);
    assert_true(str_eq(c.project, S("/x")));
    assert_int_equal(c.value_count, 0);
    assert_null(cli_value(&c, "all"));
    assert_true(read_line(&command_status, "status -a", &help, &e));
    assert_non_null(cli_value(&c, "all"));
}

static void every_command_is_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < cli_command_count; i++) {
        const struct command *row = cli_commands[i];
        assert_non_null(row->run);
        assert_true(str_ends(str_of(row->summary), S(".")));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(row->name, cli_commands[j]->name);
        for (const struct cli_option *o = row->options; o && o->name; o++) {
            assert_true(*o->help);
            for (const struct cli_option *p = row->options; p < o; p++)
                assert_true(strcmp(o->name, p->name) != 0 &&
                            (!o->letter || o->letter != p->letter));
            assert_true(o->letter != 'C' && o->letter != 'h');
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(options_become_arguments),
        TEST(an_entity_is_a_name_and_perhaps_a_type),
        TEST(a_relation_has_three_parts),
        TEST(answers_and_edits_are_collected_in_order),
        TEST(wrong_options_are_named),
        TEST(operands_keep_their_order_and_a_double_dash_ends_options),
        TEST(common_options_work_everywhere),
        TEST(every_command_is_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
