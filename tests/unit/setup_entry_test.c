#include "memory/base/buf.h"
#include "server/setup/entry_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

/* The words of an entry with a bar between them. */
static str words_of(str entry)
{
    str words[MAX_ENTRY_WORDS], all = S("");
    size_t count = entry_words(&arena, entry, words);
    for (size_t i = 0; i < count; i++)
        all = arena_printf(&arena, "%.*s%s%.*s", FMT(all), i ? "|" : "", FMT(words[i]));
    return all;
}

static const struct {
    const char *entry, *words;
} cases[] = {
    {"{\"command\": \"engram\", \"args\": [\"serve\"]}", "engram|serve"},
    {"{\n  // \"command\": \"old\"\n  \"args\": [\n    \"serve\", // as ever\n    \"-x\",\n  ],\n"
     "  \"command\": \"/opt/a b/engram\"\n}",
     "/opt/a b/engram|serve|-x"},
    {"{\"type\": \"local\", \"command\": [\"/bin/\\u0065ngram\", \"serve\"], \"enabled\": true}",
     "/bin/engram|serve"},
    {"{\"env\": {\"no_command\": \"x\"}, \"command\" : \"engram\"}", "engram"},
    {"[mcp_servers.engram]\n# command = \"old\"\ncommand = '/opt/x\\y/engram' # mine\n"
     "args = [ 'serve', # why\n  \"--project\", \"/p\" ]\nenv_vars = [\"A\"]\n",
     "/opt/x\\y/engram|serve|--project|/p"},
    {"- name: engram\n  command: /opt/a b/engram # mine\n  args:\n    # why\n    - serve\n    - "
     "\"-x\"\n"
     "  env: {}\n",
     "/opt/a b/engram|serve|-x"},
    {"engram:\n  type: stdio\n  cmd: 'engram'\n  args: [serve, -x]\n  timeout: 300\n",
     "engram|serve|-x"},
    /* The key that lies least deep counts, wherever it stands. */
    {"{\"env\": {\"command\": \"x\", \"args\": [\"y\"]}, \"command\": \"engram\", \"args\": "
     "[\"-x\"]}",
     "engram|-x"},
    {"{\"env\": {\"a\": \"}\", \"args\": [\"y\"]}, \"command\": \"engram\"}", "engram"},
    {"{/* \"command\": \"old\", */ \"command\": \"engram\"}", "engram"},
    {"{\"a\": [{\"command\": \"x\"}], \"cmd\": \"engram\"}", "engram"},
    {"- name: engram\n  env:\n    command: x\n  note: Alice's {own\n  command: engram\n  args: "
     "[serve]\n",
     "engram|serve"},
    {"engram:\n  envs: {command: x}\n  pre-command: y\n  # 'tis\n  cmd: engram\n", "engram"},
    {"- env:\n    - command: x\n  cmd: engram\n", "engram"},
    {"[mcp_servers.engram.env]\ncommand = \"x\"\n[mcp_servers.engram]\n  command = \"engram\"\n"
     "args = [\"-x\"]\n[mcp_servers.engram.other]\nargs = [\"y\"]\n",
     "engram|-x"},
    {"[mcp_servers.engram]\nenv = { command = 'x' }\nenv.command = 'y'\ncommand = 'engram'\n",
     "engram"},
    /* YAML doubles a quote within single ones. */
    {"command: '/opt/it''s/engram'\nargs: ['''a', '', 'b''', \"c''d\"]\n",
     "/opt/it's/engram|'a||b'|c''d"},
    {"command: '/opt/it''s\n", ""},
    {"{\"args\": [\"serve\"]}", ""},
    {"{\"command\": \"engram", ""},
    {"{\"command\": [\"engram\"", ""},
    {"{\"command\": \"\\u12\"}", ""},
    {"", ""},
    {"command", ""},
    {"command:", ""},
};

static void commands_of_every_shape_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str words = words_of(str_of(cases[i].entry));
        if (!str_eq(words, str_of(cases[i].words)))
            fail_msg("case %zu: \"%.*s\", wanted \"%s\"", i, FMT(words), cases[i].words);
    }
}

/* It is a letter of the plain text that it stands in, behind which no key begins. */
static void a_nul_byte_begins_nothing(void **state)
{
    (void)state;
    assert_true(str_eq(words_of(S("note: \0command: x\n")), S("")));
    assert_true(str_eq(words_of(S("note: \0'tis\ncommand: x\n")), S("x")));
    assert_true(str_eq(words_of(S("note: \0- command: x\n")), S("")));
}

static size_t count_with(size_t args, size_t bytes)
{
    struct buf text = {0};
    str words[MAX_ENTRY_WORDS];
    buf_printf(&text, "{\"command\": \"");
    for (size_t i = 0; i < bytes; i++)
        buf_add_char(&text, 'x');
    buf_printf(&text, "\", \"args\": [");
    for (size_t i = 0; i < args; i++)
        buf_printf(&text, "%s\"a\"", i ? "," : "");
    buf_printf(&text, "]}");
    size_t count = entry_words(&arena, buf_str(&text), words);
    buf_free(&text);
    return count;
}

static void entries_at_the_limits_are_read_and_beyond_them_not(void **state)
{
    (void)state;
    assert_int_equal(count_with(MAX_ENTRY_WORDS - 1, 6), MAX_ENTRY_WORDS);
    assert_int_equal(count_with(MAX_ENTRY_WORDS, 6), 0);
    assert_int_equal(count_with(1, MAX_ENTRY_WORD_BYTES), 2);
    assert_int_equal(count_with(1, MAX_ENTRY_WORD_BYTES + 1), 0);
}

static int free_arena(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_of_every_shape_are_read),
        cmocka_unit_test(a_nul_byte_begins_nothing),
        cmocka_unit_test(entries_at_the_limits_are_read_and_beyond_them_not),
    };
    return cmocka_run_group_tests(tests, NULL, free_arena);
}
