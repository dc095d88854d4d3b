/* Each folder of tests/lang is a case: the facts of input.* as text must be what `expected` holds.
 * With files as arguments it prints their facts instead: what a new case expects, once read. */
#include "parsers/languages.h"
#include "parsers/parsers.h"
#include "parsers/source_query.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static str read_file(struct arena *a, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return S("");
    char *bytes = arena_bytes(a, MAX_SOURCE_BYTES + 1);
    size_t length = fread(bytes, 1, MAX_SOURCE_BYTES + 1, file);
    fclose(file);
    return str_from(bytes, length);
}

/* A text that may have several lines, on one. */
static void add_text(struct buf *out, const char *what, str text)
{
    if (!text.len)
        return;
    buf_printf(out, "    %s: ", what);
    str line;
    for (bool first = true; str_next_line(&text, &line); first = false)
        buf_printf(out, "%s%.*s", first ? "" : " | ", FMT(line));
    buf_add_char(out, '\n');
}

static str name_of(const struct source_facts *f, uint32_t symbol)
{
    return symbol == NO_SYMBOL ? S("-") : f->symbols[symbol].name;
}

static void add_symbol(struct buf *out, const struct source_facts *f, const struct source_symbol *s)
{
    buf_printf(out, "%u-%u %s %.*s", s->line_start, s->line_end, symbol_kind_name[s->kind],
               FMT(s->name));
    if (s->parent != NO_SYMBOL)
        buf_printf(out, " in %.*s", FMT(name_of(f, s->parent)));
    buf_add(out, s->is_private ? S(", private\n") : S("\n"));
    add_text(out, "signature", s->signature);
    add_text(out, "doc", s->doc);
}

static void add_reference(struct buf *out, const struct source_facts *f,
                          const struct source_reference *r)
{
    static const char *const kinds[] = {"call", "inherit", "type", "import"};
    buf_printf(out, "%u %.*s: %s ", r->line, FMT(name_of(f, r->from)), kinds[r->kind]);
    if (r->kind == REF_IMPORT)
        buf_printf(out, "'%.*s' of '%.*s'", FMT(r->name), FMT(r->qualifier));
    else
        buf_printf(out, "%.*s%s%.*s", FMT(r->qualifier), r->qualifier.len ? " . " : "",
                   FMT(r->name));
    if (r->alias.len)
        buf_printf(out, " as '%.*s'", FMT(r->alias));
    if (r->count > 1)
        buf_printf(out, " x%u", r->count);
    buf_add_char(out, '\n');
}

static str dump(struct arena *a, struct source_reader *reader, const char *path)
{
    struct source_file file = {0};
    const struct source_facts *f = &file.facts;
    source_facts(reader, a, str_of(path), read_file(a, path), &file);
    struct buf out = {0};
    if (file.skipped.len)
        buf_printf(&out, "skipped: %.*s\n", FMT(file.skipped));
    buf_printf(&out, "language %.*s, %u lines%s\n", FMT(f->language), f->lines,
               f->has_errors ? ", with errors" : "");
    add_text(&out, "warning", f->warning);
    for (size_t i = 0; i < f->symbol_count; i++)
        add_symbol(&out, f, &f->symbols[i]);
    for (size_t i = 0; i < f->reference_count; i++)
        add_reference(&out, f, &f->references[i]);
    for (size_t i = 0; i < f->chunk_count; i++)
        buf_printf(&out, "window %u-%u %.*s\n", f->chunks[i].line_start, f->chunks[i].line_end,
                   FMT(name_of(f, f->chunks[i].symbol)));
    str text = arena_str(a, buf_str(&out));
    buf_free(&out);
    return text;
}

/* ---- tests ---- */

static const char *folder(void)
{
    const char *root = getenv("ENGRAM_SOURCE_DIR");
    static char path[4096];
    snprintf(path, sizeof path, "%s/tests/lang", root ? root : ".");
    return path;
}

/* The path of the folder's input.*, or NULL. */
static const char *input_of(struct arena *a, const char *directory)
{
    const char *found = NULL;
    DIR *opened = opendir(directory);
    for (struct dirent *entry; opened && (entry = readdir(opened));) {
        str name = str_of(entry->d_name);
        if (str_starts(name, S("input")) || str_starts(name, S("Dockerfile")) ||
            str_starts(name, S("Makefile")) || str_starts(name, S("CMakeLists")))
            found = arena_printf(a, "%s/%s", directory, entry->d_name).at;
    }
    if (opened)
        closedir(opened);
    return found;
}

static bool first_difference(str got, str wanted, str *got_line, str *wanted_line)
{
    bool more = true;
    while (more) {
        bool a = str_next_line(&got, got_line), b = str_next_line(&wanted, wanted_line);
        *got_line = a ? *got_line : S("(nothing)");
        *wanted_line = b ? *wanted_line : S("(nothing)");
        if (a != b || !str_eq(*got_line, *wanted_line))
            return true;
        more = a;
    }
    return false;
}

static size_t check_case(struct arena *a, struct source_reader *reader, const char *directory)
{
    const char *input = input_of(a, directory);
    if (!input) {
        print_error("%s has no input\n", directory);
        return 1;
    }
    str wanted = read_file(a, arena_printf(a, "%s/expected", directory).at), got_line, wanted_line;
    if (!first_difference(dump(a, reader, input), wanted, &got_line, &wanted_line))
        return 0;
    print_error("%s\n  got    %.*s\n  wanted %.*s\n", input, FMT(got_line), FMT(wanted_line));
    return 1;
}

static void the_facts_of_each_input_are_the_expected_ones(void **state)
{
    (void)state;
    struct source_reader *reader = source_reader_open();
    struct arena a = {0};
    size_t wrong = 0, cases = 0;
    DIR *opened = opendir(folder());
    assert_non_null(opened);
    for (struct dirent *entry; (entry = readdir(opened));) {
        if (entry->d_name[0] == '.')
            continue;
        cases++;
        wrong += check_case(&a, reader, arena_printf(&a, "%s/%s", folder(), entry->d_name).at);
    }
    closedir(opened);
    source_reader_close(reader);
    arena_free(&a);
    assert_true(cases > 0);
    assert_int_equal(wrong, 0);
}

static void every_query_compiles_and_its_captures_are_known(void **state)
{
    (void)state;
    struct arena a = {0};
    size_t queries = 0;
    for (size_t i = 0; i < language_count(); i++) {
        const struct language *language = language_at(i);
        str text = source_query_text(&a, language);
        if (!text.len || !language->grammar)
            continue;
        struct err e = {0};
        struct source_query *query = source_query_compile(language->grammar(), text, &e);
        if (!query)
            fail_msg("%s: %s", language->name, e.text);
        source_query_free(query);
        queries++;
    }
    arena_free(&a);
    assert_true(queries > 0);
}

static int print_facts(int count, char **paths)
{
    struct source_reader *reader = source_reader_open();
    struct arena a = {0};
    for (int i = 0; i < count; i++) {
        if (count > 1)
            printf("== %s\n", paths[i]);
        str text = dump(&a, reader, paths[i]);
        fwrite(text.at, 1, text.len, stdout);
    }
    source_reader_close(reader);
    arena_free(&a);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_query_compiles_and_its_captures_are_known),
        cmocka_unit_test(the_facts_of_each_input_are_the_expected_ones),
    };
    return argc > 1 ? print_facts(argc - 1, argv + 1) : cmocka_run_group_tests(tests, NULL, NULL);
}
