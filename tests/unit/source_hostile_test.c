/* Sources that nobody wrote to be read: source_facts returns within its bounds for every language.
 * The receiver's own check of a record (source_file_read) is what tells that bounds hold.
 * `source_hostile_test BYTES` runs inputs of another size and prints what took over a second. */
#include "parsers/languages.h"
#include "parsers/parsers.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

/* Of a repeated input: some grammars take quadratic time for a few of them, which the worker's
 * deadline ends; what has no grammar, and brackets alone, may be long. */
static size_t input_bytes = 512, long_input_bytes = 16 << 10;

static struct source_reader *reader; /* one for all tests: its queries take long to compile */

/* What an input is made of, over and over; then what closes it as often. */
static const struct {
    const char *open, *close;
} repeated[] = {
    {"{", ""},
    {"(", ""},
    {"[", ""},
    {"\"", ""},
    {"'", ""},
    {"`", ""},
    {"<", ""},
    {"$", ""},
    {"#", ""},
    {"/*", ""},
    {"\\\n", ""},
    {"- ", ""},
    {"> ", ""},
    {"a.", ""},
    {"a(", ")"},
    {"{", "}"},
    {"[", "]"},
    {"{\"a\":", "}"},
    {"a: {", "}"},
    {"<a id=\"b\">", "</a>"},
    {"if a {\n", ""},
    {"begin ", "end "},
    {"function a() ", ""},
    {"$a$ ", ""},
    {"a b c\n", ""},
    {"=begin\n", ""},
    {"a = [", "]"},
    {"a\n  b:\n", ""},
    {"do\n", "end\n"},
    {"class A { ", "} "},
};

#define REPEATED_COUNT (sizeof repeated / sizeof *repeated)

static str repeat(struct arena *a, const char *open, const char *close, size_t bytes)
{
    size_t each = strlen(open) + strlen(close), times = bytes / each;
    struct buf b = {0};
    for (size_t i = 0; i < times; i++)
        buf_add(&b, str_of(open));
    for (size_t i = 0; i < times; i++)
        buf_add(&b, str_of(close));
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static str random_bytes(struct arena *a, uint64_t *state, size_t bytes)
{
    static const char common[] = " \n\t(){}[]<>\"'`#/*-+=:;,.$@\\|&%!?~^_aZ09defclsnu";
    char *at = arena_bytes(a, bytes);
    for (size_t i = 0; i < bytes; i++)
        at[i] = next_random(state) % 50 ? common[next_random(state) % (sizeof common - 1)]
                                        : (char)(1 + next_random(state) % 255);
    return str_from(at, bytes);
}

/* A written source with bytes lost, doubled and changed, and its end cut off. */
static str damaged(struct arena *a, uint64_t *state, str text)
{
    struct buf b = {0};
    size_t end = text.len ? 1 + next_random(state) % text.len : 0;
    for (size_t i = 0; i < end; i++) {
        uint32_t chance = next_random(state) % 100;
        if (chance != 0)
            buf_add_char(&b, chance == 1 ? "{}()[]\"'\n#"[next_random(state) % 10] : text.at[i]);
        if (chance == 2)
            buf_add_char(&b, text.at[i]);
    }
    str made = arena_str(a, buf_str(&b));
    buf_free(&b);
    return made;
}

/* The language's first file name or ending as a name. */
static const char *path_of(struct arena *a, const struct language *language)
{
    str files = str_of(language->files), word;
    if (!str_next_word(&files, &word))
        return NULL;
    return arena_printf(a, "%s%.*s", word.at[0] == '.' ? "input" : "", FMT(word)).at;
}

static void check(const char *path, str text, const char *what)
{
    struct arena a = {0};
    struct source_file file = {.path = str_of(path), .blob = S(""), .skipped = S("")}, back;
    struct err e = {0};
    clock_t begin = clock();
    source_facts(reader, &a, str_of(path), text, &file);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (seconds > 1)
        print_message("%s, %s: %.1f s, %zu symbols, %zu references %.*s\n", path, what, seconds,
                      file.facts.symbol_count, file.facts.reference_count, FMT(file.facts.warning));
    struct buf record = {0};
    source_file_write(&record, &file);
    if (!source_file_read(&a, buf_str(&record), &back, &e))
        fail_msg("%s, %s: %s", path, what, e.text);
    buf_free(&record);
    arena_free(&a);
}

static void for_each_language(void (*run)(struct arena *, const char *, const struct language *))
{
    for (size_t i = 0; i < language_count(); i++) {
        struct arena a = {0};
        const char *path = path_of(&a, language_at(i));
        if (path)
            run(&a, path, language_at(i));
        arena_free(&a);
    }
}

static void run_repeated(struct arena *a, const char *path, const struct language *language)
{
    for (size_t i = 0; i < REPEATED_COUNT; i++) {
        const char *open = repeated[i].open, *close = repeated[i].close;
        bool is_long = !language->grammar || (strchr("{([", open[0]) && !open[1]);
        check(path, repeat(a, open, close, is_long ? long_input_bytes : input_bytes), open);
    }
}

static void run_random(struct arena *a, const char *path, const struct language *language)
{
    (void)language;
    uint64_t state = 7;
    for (int i = 0; i < 2; i++)
        check(path, random_bytes(a, &state, 4 * input_bytes), "random bytes");
}

/* The text of tests/lang/NAME/input.* or of the one other file there; empty where there is none. */
static str written_source(struct arena *a, const char *name)
{
    const char *root = getenv("ENGRAM_SOURCE_DIR");
    const char *folder = arena_printf(a, "%s/tests/lang/%s", root ? root : ".", name).at;
    DIR *opened = opendir(folder);
    str text = S("");
    for (struct dirent *entry; opened && (entry = readdir(opened));) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "expected") == 0)
            continue;
        FILE *file = fopen(arena_printf(a, "%s/%s", folder, entry->d_name).at, "rb");
        char *bytes = arena_bytes(a, MAX_SOURCE_BYTES);
        if (file) {
            text = str_from(bytes, fread(bytes, 1, MAX_SOURCE_BYTES, file));
            fclose(file);
        }
    }
    if (opened)
        closedir(opened);
    return text;
}

static void run_damaged(struct arena *a, const char *path, const struct language *language)
{
    uint64_t state = 11;
    str text = written_source(a, language->name);
    assert_true(text.len > 0);
    for (int i = 0; i < 4; i++)
        check(path, damaged(a, &state, text), "a damaged source");
}

static void repeated_openings_keep_the_bounds(void **state)
{
    (void)state;
    for_each_language(run_repeated);
}

static void random_bytes_keep_the_bounds(void **state)
{
    (void)state;
    for_each_language(run_random);
}

static void damaged_sources_keep_the_bounds(void **state)
{
    (void)state;
    for_each_language(run_damaged);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        input_bytes = long_input_bytes = strtoul(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_openings_keep_the_bounds),
        cmocka_unit_test(random_bytes_keep_the_bounds),
        cmocka_unit_test(damaged_sources_keep_the_bounds),
    };
    reader = source_reader_open();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    source_reader_close(reader);
    return failed;
}
