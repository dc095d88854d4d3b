#include "parsers/languages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A line that is right in the language: the tree may hold no error. */
static const struct {
    const char *language, *line;
} samples[] = {
    {"bash", "greet() { echo \"hi $1\"; }\n"},
    {"c", "int add(int a, int b) { return a + b; }\n"},
    {"c_sharp", "class A { int Add(int a) => a + 1; }\n"},
    {"cpp", "template <class T> T add(T a) { return a; }\n"},
    {"css", "a.link > b { color: red; }\n"},
    {"dart", "int add(int a) { return a + 1; }\n"},
    {"elixir", "defmodule A do\n  def add(a), do: a + 1\nend\n"},
    {"go", "package a\n\nfunc Add(a int) int { return a }\n"},
    {"hcl", "resource \"a\" \"b\" {\n  c = 1\n}\n"},
    {"html", "<p class=\"a\">text</p>\n"},
    {"java", "class A { int add(int a) { return a; } }\n"},
    {"javascript", "export const add = (a) => a + 1;\n"},
    {"json", "{\"a\": [1, true, null]}\n"},
    {"kotlin", "fun add(a: Int): Int = a + 1\n"},
    {"lua", "local function add(a) return a + 1 end\n"},
    {"make", "all: a.o\n\tcc -o all a.o\n"},
    {"php", "<?php function add(int $a): int { return $a; }\n"},
    {"powershell", "function Add-One($a) { return $a + 1 }\n"},
    {"python", "def add(a: int) -> int:\n    return a\n"},
    {"r", "add <- function(a) a + 1\n"},
    {"ruby", "def add(a) = a + 1\n"},
    {"rust", "fn add(a: i32) -> i32 { a + 1 }\n"},
    {"scala", "object A { def add(a: Int): Int = a + 1 }\n"},
    {"swift", "func add(a: Int) -> Int { return a + 1 }\n"},
    {"toml", "[a]\nb = 1\n"},
    {"tsx", "const a = <b c={1}>text</b>;\n"},
    {"typescript", "const add = (a: number): number => a + 1;\n"},
    {"xml", "<a b=\"c\">text</a>\n"},
    {"zig", "fn add(a: i32) i32 { return a + 1; }\n"},
};

#define SAMPLE_COUNT (sizeof(samples) / sizeof(samples[0]))

static void every_grammar_parses_a_line_of_its_language(void **state)
{
    (void)state;
    size_t with_grammar = 0;
    for (size_t i = 0; i < language_count(); i++)
        with_grammar += language_at(i)->grammar != NULL;
    assert_int_equal(with_grammar, SAMPLE_COUNT);
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const struct language *language = language_by_name(str_of(samples[i].language));
        if (!language)
            fail_msg("%s is not in the table", samples[i].language);

        TSParser *parser = ts_parser_new();
        if (!ts_parser_set_language(parser, language->grammar()))
            fail_msg("the core refuses the grammar of %s", language->name);
        str line = str_of(samples[i].line);
        TSTree *tree = ts_parser_parse_string(parser, NULL, line.at, (uint32_t)line.len);
        if (!tree)
            fail_msg("%s: no tree", language->name);
        if (ts_node_has_error(ts_tree_root_node(tree)))
            fail_msg("%s: %s", language->name, ts_node_string(ts_tree_root_node(tree)));

        ts_tree_delete(tree);
        ts_parser_delete(parser);
    }
}

static void a_path_tells_its_language(void **state)
{
    (void)state;
    static const struct {
        const char *path, *language;
    } cases[] = {
        {"src/a.c", "c"},
        {"a.h", "c"},
        {"lib/x.test.ts", "typescript"},
        {"ui/App.tsx", "tsx"},
        {"a/b/c.pyi", "python"},
        {"stats.R", "r"},
        {"Makefile", "make"},
        {"sub/GNUmakefile", "make"},
        {"rules.mk", "make"},
        {"Gemfile", "ruby"},
        {"Cargo.lock", "toml"},
        {".gitlab-ci.yml", "yaml"},
        {"dir.py/notes", NULL},
        {"dir.py/", NULL},
        {"LICENSE", NULL},
        {"py", NULL},
        {".py", "python"},
        {"a.", NULL},
        {"a.unknown", NULL},
        {"a. ", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct language *found = language_by_path(str_of(cases[i].path));
        const char *name = found ? found->name : "none";
        const char *wanted = cases[i].language ? cases[i].language : "none";
        if (!str_eq(str_of(name), str_of(wanted)))
            fail_msg("%s: %s, wanted %s", cases[i].path, name, wanted);
    }
}

static void names_are_sorted_and_no_two_languages_share_a_file_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < language_count(); i++) {
        const struct language *language = language_at(i);
        if (i > 0)
            assert_true(str_cmp(str_of(language_at(i - 1)->name), str_of(language->name)) < 0);
        str rest = str_of(language->files), word;
        while (str_next_word(&rest, &word))
            assert_ptr_equal(language_by_path(word), language);
    }
}

static void an_unknown_name_has_no_language(void **state)
{
    (void)state;
    assert_null(language_by_name(S("cobol")));
    assert_null(language_by_name(S("")));
    assert_null(language_by_name(S("Python")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_grammar_parses_a_line_of_its_language),
        cmocka_unit_test(a_path_tells_its_language),
        cmocka_unit_test(names_are_sorted_and_no_two_languages_share_a_file_name),
        cmocka_unit_test(an_unknown_name_has_no_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
