#include "parsers/parsers.h"

#include "memory/base/unicode.h"
#include "parsers/source_prepare.h"
#include "parsers/source_query.h"
#include "parsers/source_variables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* ---- helpers ---- */

struct read {
    struct arena arena;
    struct source_reader *reader;
    struct source_file file;
};

static void read_source(struct read *r, const char *path, str bytes)
{
    *r = (struct read){.reader = source_reader_open()};
    source_facts(r->reader, &r->arena, str_of(path), bytes, &r->file);
}

static void done(struct read *r)
{
    source_reader_close(r->reader);
    arena_free(&r->arena);
}

static const struct source_symbol *symbol(const struct read *r, const char *name)
{
    for (size_t i = 0; i < r->file.facts.symbol_count; i++)
        if (str_eq(r->file.facts.symbols[i].name, str_of(name)))
            return &r->file.facts.symbols[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static str repeated(struct arena *a, const char *what, size_t times)
{
    size_t length = strlen(what);
    char *begin = arena_bytes(a, length * times);
    for (size_t i = 0; i < times; i++)
        memcpy(begin + i * length, what, length);
    return str_from(begin, length * times);
}

/* What the background will read is what was found: every bound is kept. */
static void assert_can_be_handed_over(struct read *r)
{
    struct buf out = {0};
    struct source_file back;
    struct err e = {0};
    source_file_write(&out, &r->file);
    assert_true(out.len <= MAX_SOURCE_FACTS_BYTES);
    if (!source_file_read(&r->arena, buf_str(&out), &back, &e))
        fail_msg("%s", e.text);
    assert_int_equal(back.facts.symbol_count, r->file.facts.symbol_count);
    buf_free(&out);
}

/* ---- queries ---- */

static size_t marks_of(const char *query_text, const char *text)
{
    const struct language *python = language_by_name(S("python"));
    struct err e = {0};
    struct source_query *query = source_query_compile(python->grammar(), str_of(query_text), &e);
    if (!query)
        fail_msg("%s", e.text);
    struct arena a = {0};
    struct source_facts facts = {0};
    struct source s = {.arena = &a, .text = str_of(text), .facts = &facts};
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, python->grammar());
    TSTree *tree = ts_parser_parse_string(parser, NULL, text, (uint32_t)strlen(text));
    TSQueryCursor *cursor = ts_query_cursor_new();
    source_query_marks(query, cursor, tree, &s);
    size_t count = s.marks.count;
    ts_query_cursor_delete(cursor);
    ts_tree_delete(tree);
    ts_parser_delete(parser);
    source_query_free(query);
    arena_free(&s.scratch);
    arena_free(&a);
    return count;
}

static void predicates_choose_among_the_matches(void **state)
{
    (void)state;
    static const struct {
        const char *predicate;
        size_t marks;
    } cases[] = {
        {"", 4},
        {"(#eq? @name \"ab\")", 1},
        {"(#not-eq? @name \"ab\")", 3},
        {"(#match? @name \"^a\")", 2},
        {"(#match? @name \"b$\") (#not-eq? @name \"b\")", 1},
        {"(#not-match? @name \"^a\")", 2},
        {"(#any-of? @name \"a\" \"b\" \"x\")", 2},
        {"(#not-any-of? @name \"a\" \"b\")", 2},
        {"(#eq? @name @_first)", 2},
        {"(#not-eq? @name @_first)", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char query[300];
        snprintf(query, sizeof query,
                 "(call function: (identifier) @name arguments: (argument_list . (_) @_first) %s) "
                 "@reference.call",
                 cases[i].predicate);
        size_t marks = marks_of(query, "a(a)\nab(1)\nb(b)\nc(2)\n");
        if (marks != cases[i].marks)
            fail_msg("%s: %zu, wanted %zu", cases[i].predicate, marks, cases[i].marks);
    }
}

static void a_wrong_query_tells_where(void **state)
{
    (void)state;
    static const struct {
        const char *query, *told;
    } cases[] = {
        {"(call", "syntax"},
        {"(no_such_node) @comment", "no such node"},
        {"(call) @definition.nothing", "@definition.nothing"},
        {"(call) @called", "@called"},
        {"((call) @comment (#like? @comment \"x\"))", "#like?"},
        {"((call) @comment (#eq? @comment))", "#eq?"},
        {"((call) @comment (#match? @comment \"(\"))", "pattern 0"},
        {"((call) @comment (#set! colour \"red\"))", "#set!"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = {0};
        const struct language *python = language_by_name(S("python"));
        assert_null(source_query_compile(python->grammar(), str_of(cases[i].query), &e));
        if (!strstr(e.text, cases[i].told))
            fail_msg("%s: %s", cases[i].query, e.text);
    }
}

/* ---- hashes ---- */

static void space_and_comments_leave_a_hash_alone_and_code_changes_it(void **state)
{
    (void)state;
    struct read r;
    read_source(&r, "a.c",
                S("int one(int x) { return x + 1; } // same\n"
                  "int two(int x)\n{\n    return x + 1; /* why */\n}\n"
                  "int three(int x) { return x + 2; }\n"
                  "int four(int n) { return n ? four(n - 1) : 0; }\n"
                  "int five(int n) { return n ? five(n - 1) : 0; }\n"
                  "int six(int n) { return n ? five(n - 1) : 0; }\n"));
    assert_true(symbol(&r, "one")->shape_hash == symbol(&r, "two")->shape_hash);
    assert_true(symbol(&r, "one")->body_hash != symbol(&r, "two")->body_hash);
    assert_true(symbol(&r, "one")->shape_hash != symbol(&r, "three")->shape_hash);
    assert_true(symbol(&r, "four")->shape_hash == symbol(&r, "five")->shape_hash);
    assert_true(symbol(&r, "five")->shape_hash != symbol(&r, "six")->shape_hash);

    struct read moved;
    read_source(&moved, "b.c", S("/* elsewhere */ int\none( int x ){ return x+1; }\n"));
    assert_true(symbol(&r, "one")->body_hash == symbol(&moved, "one")->body_hash);
    done(&moved);
    done(&r);
}

/* ---- windows ---- */

static bool has_word(str text, str word)
{
    return str_find(text, word, 0) < text.len;
}

static void every_word_of_a_file_is_in_a_window_of_bounded_size(void **state)
{
    (void)state;
    enum { WORDS = 3000 };
    struct buf text = {0};
    buf_printf(&text, "/* licence first */\n#include <x.h>\n");
    for (int i = 0; i < WORDS; i++) {
        if (i % 500 == 0)
            buf_printf(&text, "%s\n/* leads%d */\nvoid f%d(void)\n{\n", i ? "}\nint tail;" : "", i,
                       i);
        buf_printf(&text, "    w%dx();\n", i);
    }
    buf_printf(&text, "}\n");
    struct read r;
    read_source(&r, "long.c", buf_str(&text));
    const struct source_facts *f = &r.file.facts;
    assert_true(f->chunk_count > WORDS / CHUNK_WORDS);
    assert_int_equal(f->chunks[0].symbol, NO_SYMBOL);
    assert_true(has_word(f->chunks[0].text, S("licence")));
    size_t found = 0;
    for (int i = 0; i < WORDS; i++)
        for (size_t j = 0; j < f->chunk_count; j++)
            if (has_word(f->chunks[j].text, arena_printf(&r.arena, "w%dx()", i))) {
                assert_int_not_equal(f->chunks[j].symbol, NO_SYMBOL);
                found++;
            }
    assert_int_equal(found, WORDS);
    for (size_t j = 0; j < f->chunk_count; j++) {
        assert_true(f->chunks[j].line_start <= f->chunks[j].line_end);
        assert_true(f->chunks[j].text.len < 2 * CHUNK_WORDS * 20);
    }
    assert_can_be_handed_over(&r);
    done(&r);
    buf_free(&text);
}

static void a_method_has_its_own_windows_and_its_class_the_rest(void **state)
{
    (void)state;
    struct read r;
    read_source(&r, "a.py",
                S("class Cart:\n    limit = 3\n\n    # adds\n    def add(self):\n"
                  "        return 1\n\n    size = 4\n"));
    const struct source_facts *f = &r.file.facts;
    assert_int_equal(f->chunk_count, 2);
    assert_true(has_word(f->chunks[0].text, S("limit")) && has_word(f->chunks[0].text, S("size")));
    assert_false(has_word(f->chunks[0].text, S("return")));
    assert_true(has_word(f->chunks[1].text, S("# adds")));
    assert_true(str_eq(f->symbols[f->chunks[1].symbol].name, S("Cart.add")));
    done(&r);
}

static void a_line_without_end_is_cut(void **state)
{
    (void)state;
    struct arena a = {0};
    struct read r;
    read_source(&r, "notes.unknown",
                repeated(&a, "word \xC3\xA9t\xC3\xA9 ", MAX_SOURCE_BYTES / 12));
    const struct source_facts *f = &r.file.facts;
    assert_int_equal(r.file.skipped.len, 0);
    assert_int_equal(f->lines, 1);
    assert_true(f->chunk_count > 1000);
    for (size_t i = 0; i < f->chunk_count; i++) {
        assert_true(f->chunks[i].text.len <= 4100);
        assert_true(utf8_valid(f->chunks[i].text));
    }
    assert_can_be_handed_over(&r);
    done(&r);
    arena_free(&a);
}

/* ---- variables ---- */

static void a_written_type_has_one_name(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"Cart", "Cart"},
        {"&'a mut Cart<'_, T>", "Cart"},
        {"Arc<Mutex<Cart>>", "Mutex"},
        {"Pin<&mut Self>", "Self"},
        {"Ref<'a, Cart>", "Cart"},
        {"Option<Box<Cart>>", "Option"},
        {"std::io::Error", "std.io.Error"},
        {"const std::string &", "std.string"},
        {"std::unique_ptr<sinks::sink>", "sinks.sink"},
        {"struct list *", "list"},
        {"impl AsyncRead + Unpin", "AsyncRead"},
        {"[u8; 4]", "[]"},
        {"(Cart, u32)", "[]"},
        {"auto", ""},
        {"T", ""},
        {"", ""},
        {"Box<Box<Box<Box<Box<Box<Box<Cart>>>>>>>", "Box"},
        {"'", "[]"},
        {"Box<", "Box"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(arena_cstr(&a, source_type(&a, str_of(rows[i][0]))), rows[i][1]);
    arena_free(&a);
}

/* "qualifier.name" of each call. */
static void assert_calls(const char *path, const char *source, const char *wanted)
{
    struct read r;
    struct buf found = {0};
    read_source(&r, path, str_of(source));
    for (size_t i = 0; i < r.file.facts.reference_count; i++) {
        const struct source_reference *ref = &r.file.facts.references[i];
        if (ref->kind == REF_CALL && ref->qualifier.len)
            buf_printf(&found, "%s%.*s.%.*s", found.len ? " " : "", FMT(ref->qualifier),
                       FMT(ref->name));
    }
    assert_true(str_eq(buf_str(&found), str_of(wanted)));
    buf_free(&found);
    done(&r);
}

static void a_call_is_told_with_the_type_that_the_file_says(void **state)
{
    (void)state;
    assert_calls("a.rs",
                 "struct Shop { till: Till }\n"
                 "impl Shop {\n"
                 "    fn sell<Goods: Any>(&self, cart: &Cart, any: Goods) {\n"
                 "        self.till.open();\n"
                 "        cart.add();\n"
                 "        any.weigh();\n"
                 "        let list = Vec::new();\n"
                 "        list.push(1);\n"
                 "        let cart = cart.next();\n"
                 "        cart.pay();\n"
                 "        cart::close();\n"
                 "    }\n"
                 "    fn rest(&self) { cart.add(); }\n"
                 "}\n",
                 "self.till:Till.open cart:Cart.add any.weigh Vec.new list:Vec.push cart.next"
                 " cart.pay cart.close cart.add");
    assert_calls("a.cpp",
                 "template <typename Out> void sell(const shop::Cart &cart, Out &out) {\n"
                 "    cart.add();\n"
                 "    out.put();\n"
                 "    std::string name;\n"
                 "    name.clear();\n"
                 "}\n"
                 "class Shop { void open() { till_->open(); } Till *till_; };\n",
                 "cart:shop.Cart.add out.put name:std.string.clear till_:Till.open");
}

/* ---- encodings ---- */

static void text_of_before_utf8_is_decoded_not_repaired(void **state)
{
    (void)state;
    static const struct {
        const char *encoding, *bytes, *wanted;
    } rows[] = {
        {"cp949",
         "\xC1\xD6\xB9\xAE\xC0\xBB \xC0\xFA\xC0\xE5\xC7\xCF\xB1\xE2 \xC0\xFC\xBF\xA1 "
         "\xC1\xD6\xBC\xD2\xB8\xA6 \xC8\xAE\xC0\xCE\xC7\xD1\xB4\xD9",
         "\xEC\xA3\xBC\xEB\xAC\xB8\xEC\x9D\x84 \xEC\xA0\x80\xEC\x9E\xA5\xED\x95\x98\xEA\xB8\xB0 "
         "\xEC\xA0\x84\xEC\x97\x90 \xEC\xA3\xBC\xEC\x86\x8C\xEB\xA5\xBC "
         "\xED\x99\x95\xEC\x9D\xB8\xED\x95\x9C\xEB\x8B\xA4"},
        {"euc_jp",
         "\xC3\xED\xCA\xB8\xA4\xF2\xCA\xDD\xC2\xB8\xA4\xB9\xA4\xEB\xC1\xB0\xA4\xCB\xBD\xBB\xBD\xEA"
         "\xA4\xF2\xB3\xCE\xA4\xAB\xA4\xE1\xA4\xEB",
         "\xE6\xB3\xA8\xE6\x96\x87\xE3\x82\x92\xE4\xBF\x9D\xE5\xAD\x98\xE3\x81\x99\xE3\x82\x8B\xE5"
         "\x89\x8D\xE3\x81\xAB\xE4\xBD\x8F\xE6\x89\x80\xE3\x82\x92\xE7\xA2\xBA\xE3\x81\x8B\xE3\x82"
         "\x81\xE3\x82\x8B"},
        {"shift_jis",
         "\x92\x8D\x95\xB6\x82\xF0\x95\xDB\x91\xB6\x82\xB7\x82\xE9\x91O\x82\xC9\x8FZ\x8F\x8A\x82"
         "\xF0\x8Am\x82\xA9\x82\xDF\x82\xE9",
         "\xE6\xB3\xA8\xE6\x96\x87\xE3\x82\x92\xE4\xBF\x9D\xE5\xAD\x98\xE3\x81\x99\xE3\x82\x8B\xE5"
         "\x89\x8D\xE3\x81\xAB\xE4\xBD\x8F\xE6\x89\x80\xE3\x82\x92\xE7\xA2\xBA\xE3\x81\x8B\xE3\x82"
         "\x81\xE3\x82\x8B"},
        {"gb2312",
         "\xB1\xA3\xB4\xE6\xB6\xA9\xB5\xA5\xD6\xAE\xC7\xB0\xCF\xC8\xBC\xEC\xB2\xE9\xB5\xD8\xD6\xB7",
         "\xE4\xBF\x9D\xE5\xAD\x98\xE8\xAE\xA2\xE5\x8D\x95\xE4\xB9\x8B\xE5\x89\x8D\xE5\x85\x88\xE6"
         "\xA3\x80\xE6\x9F\xA5\xE5\x9C\xB0\xE5\x9D\x80"},
        {"big5",
         "\xC0x\xA6s\xADq\xB3\xE6\xA4\xA7\xAB"
         "e\xA5\xFD\xC0\xCB\xAC"
         "d\xA6"
         "a\xA7}",
         "\xE5\x84\xB2\xE5\xAD\x98\xE8\xA8\x82\xE5\x96\xAE\xE4\xB9\x8B\xE5\x89\x8D\xE5\x85\x88\xE6"
         "\xAA\xA2\xE6\x9F\xA5\xE5\x9C\xB0\xE5\x9D\x80"},
        {"cp1251",
         "\xEF\xE5\xF0\xE5\xE4 \xF1\xEE\xF5\xF0\xE0\xED\xE5\xED\xE8\xE5\xEC "
         "\xE7\xE0\xEA\xE0\xE7\xE0 \xEF\xF0\xEE\xE2\xE5\xF0\xFF\xE5\xEC \xE0\xE4\xF0\xE5\xF1",
         "\xD0\xBF\xD0\xB5\xD1\x80\xD0\xB5\xD0\xB4 "
         "\xD1\x81\xD0\xBE\xD1\x85\xD1\x80\xD0\xB0\xD0\xBD\xD0\xB5\xD0\xBD\xD0\xB8\xD0\xB5\xD0\xBC "
         "\xD0\xB7\xD0\xB0\xD0\xBA\xD0\xB0\xD0\xB7\xD0\xB0 "
         "\xD0\xBF\xD1\x80\xD0\xBE\xD0\xB2\xD0\xB5\xD1\x80\xD1\x8F\xD0\xB5\xD0\xBC "
         "\xD0\xB0\xD0\xB4\xD1\x80\xD0\xB5\xD1\x81"},
        {"koi8_r",
         "\xD0\xC5\xD2\xC5\xC4 \xD3\xCF\xC8\xD2\xC1\xCE\xC5\xCE\xC9\xC5\xCD "
         "\xDA\xC1\xCB\xC1\xDA\xC1 \xD0\xD2\xCF\xD7\xC5\xD2\xD1\xC5\xCD \xC1\xC4\xD2\xC5\xD3",
         "\xD0\xBF\xD0\xB5\xD1\x80\xD0\xB5\xD0\xB4 "
         "\xD1\x81\xD0\xBE\xD1\x85\xD1\x80\xD0\xB0\xD0\xBD\xD0\xB5\xD0\xBD\xD0\xB8\xD0\xB5\xD0\xBC "
         "\xD0\xB7\xD0\xB0\xD0\xBA\xD0\xB0\xD0\xB7\xD0\xB0 "
         "\xD0\xBF\xD1\x80\xD0\xBE\xD0\xB2\xD0\xB5\xD1\x80\xD1\x8F\xD0\xB5\xD0\xBC "
         "\xD0\xB0\xD0\xB4\xD1\x80\xD0\xB5\xD1\x81"},
        {"cp1252",
         "v\xE9rifie l'adresse du client avant d'enregistrer la commande, l\xE0 o\xF9 c'est "
         "demand\xE9",
         "v\xC3\xA9rifie l'adresse du client avant d'enregistrer la commande, l\xC3\xA0 o\xC3\xB9 "
         "c'est demand\xC3\xA9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena a = {0};
        struct read r;
        char source[400];
        snprintf(source, sizeof source, "/* %s */\nint save(void)\n{\n    return 1;\n}\n",
                 rows[i].bytes);
        read_source(&r, "order.c", str_of(source));
        const struct source_facts *f = &r.file.facts;
        assert_int_equal(f->symbol_count, 1);
        if (!str_eq(f->symbols[0].doc, str_of(rows[i].wanted)))
            fail_msg("%s: '%.*s'", rows[i].encoding, FMT(f->symbols[0].doc));
        done(&r);
        arena_free(&a);
    }
}

/* A letter of Latin-1 in a file of UTF-8, bytes of a picture: nothing is guessed. */
static void damaged_utf8_is_repaired_not_decoded(void **state)
{
    (void)state;
    static const char *const sources[] = {
        "int a; /* \xC3\xA9t\xC3\xA9 \xC3\xA9t\xE9 */\n",
        "int a; /* \xB0\x20\x81\x20 */\n",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct read r;
        read_source(&r, "a.c", str_of(sources[i]));
        const struct source_facts *f = &r.file.facts;
        assert_int_equal(f->chunk_count, 1);
        str text = f->chunks[0].text;
        assert_true(str_find(text, S("\xEF\xBF\xBD"), 0) < text.len);
        done(&r);
    }
}

/* ---- which files ---- */

static void what_is_no_written_text_is_skipped(void **state)
{
    (void)state;
    struct arena a = {0};
    const struct {
        const char *path;
        str bytes;
        const char *skipped;
    } cases[] = {
        {"a.py", S("x = 1\n"), ""},
        {"a.py", S("\xEF\xBB\xBFx = 1\r\n"), ""},
        {"a.py", S("\xFF\xFEx\0=\0001\0"), ""},
        {"a.c", S("/* \xC7\xD1\xB1\xDB \xC1\xD6\xBC\xAE */\nint korean;\nint more, than, that;\n"),
         ""},
        {"a.py", S("x = \0\1\2"), "binary"},
        {"a.py", S("\x80\x81\x82\x83"), "binary"},
        {"a.py", S(" \n\t\n"), "empty"},
        {"a.py", S(""), "empty"},
        {"a.go", S("// Code generated by protoc. DO NOT EDIT.\npackage a\n"), "generated"},
        {"a.js", S("/* @generated */\nvar a\n"), "generated"},
        {"a.json", S("{\"engram_export\":1,\"project\":{}}\n"), "export of engram"},
        {"a.c", S("/* Do not edit this by hand. */\nint a;\n"), ""},
        {"a.c", S("/* Generated from x, do not edit. */\nint a;\n"), "generated"},
        {"a.min.js", repeated(&a, "var a=1;", 1000), "minified"},
        {"a.c", repeated(&a, "int a; ", 1000), ""},
        {"a.txt", repeated(&a, "a", MAX_SOURCE_BYTES), ""},
        {"a.txt", repeated(&a, "a", MAX_SOURCE_BYTES + 1), "over 1 MiB"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read r;
        read_source(&r, cases[i].path, cases[i].bytes);
        if (!str_eq(r.file.skipped, str_of(cases[i].skipped)))
            fail_msg("case %zu: '%.*s'", i, FMT(r.file.skipped));
        assert_can_be_handed_over(&r);
        done(&r);
    }
    arena_free(&a);
}

static void the_content_tells_a_language_where_the_name_doesnt(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text, *language;
    } cases[] = {
        {"tool", "#!/usr/bin/env python3\nx = 1\n", "python"},
        {"tool", "#!/bin/sh\nexit\n", "bash"},
        {"tool", "#!/usr/bin/env -S node --flag\nexit\n", "javascript"},
        {"tool", "#!/opt/strange\n", ""},
        {"a.h", "struct a { int b; };\n", "c"},
        {"a.h", "namespace a {\nint b;\n}\n", "cpp"},
        {"a.h", "  public:\n", "cpp"},
        {"LICENSE", "Permission is hereby granted\n", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read r;
        read_source(&r, cases[i].path, str_of(cases[i].text));
        if (!str_eq(r.file.facts.language, str_of(cases[i].language)))
            fail_msg("case %zu: '%.*s'", i, FMT(r.file.facts.language));
        done(&r);
    }
}

static void macros_that_hide_a_definition_are_blanked(void **state)
{
    (void)state;
    static const struct {
        const char *language, *text, *prepared;
    } cases[] = {
        {"cpp", "class API_X Cart {", "class       Cart {"},
        {"cpp", "class API_X;", "class API_X;"},
        {"cpp", "class CART {", "class CART {"},
        {"c", "INLINE static int f(void)", "       static int f(void)"},
        {"c", "DWORD f(void)", "DWORD f(void)"},
        {"c", "FILE *f(void)", "FILE *f(void)"},
        {"c", "ALIGNED(8) char *f(void)", "           char *f(void)"},
        {"cpp", "INLINE shop::Cart::~Cart()", "       shop::Cart::~Cart()"},
        {"cpp", "void INLINE Cart::add()", "void        Cart::add()"},
        {"cpp", "TRY {\n}\nCATCH_ALL\n}", "    {\n}\n         \n}"},
        {"c", "}\nVALUE\nrb_new(int a)\n{", "}\nVALUE\nrb_new(int a)\n{"},
        {"cpp", "enum x {\n ONE,\n TWO\n};", "enum x {\n ONE,\n TWO\n};"},
        {"rust", "cfg_rt! {\npub fn f() {}\n}\n", "         \npub fn f() {}\n \n"},
        {"rust", "    vec! { 1 }\n", "    vec! { 1 }\n"},
        {"rust", "x! { fn f() { '}'; \"}\"; } } y", "     fn f() { '}'; \"}\"; }   y"},
        {"rust", "x! { fn f() {", "x! { fn f() {"},
        {"python", "TRY {", "TRY {"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str got = source_prepare(&a, str_of(cases[i].language), str_of(cases[i].text));
        if (!str_eq(got, str_of(cases[i].prepared)))
            fail_msg("%s: %.*s", cases[i].text, FMT(got));
    }
    arena_free(&a);
}

/* ---- hostile ones ---- */

static void a_file_made_to_hurt_ends_within_its_bounds(void **state)
{
    (void)state;
    enum { BYTES = 1 << 18 };
    struct arena a = {0};
    const struct {
        const char *path;
        str bytes;
    } cases[] = {
        {"a.c", repeated(&a, "{", MAX_SOURCE_BYTES)},
        {"a.c", repeated(&a, "int f(){", BYTES / 8)},
        {"a.js", repeated(&a, "function a(){\n", BYTES / 14)},
        {"a.js", repeated(&a, "a.b(\n", BYTES / 5)},
        {"a.rs", repeated(&a, "a!{fn a(){\n", BYTES / 11)},
        {"a.py", repeated(&a, "((((", BYTES / 4)},
        {"a.py", repeated(&a, "def a():pass\n", BYTES / 13)},
        {"a.py", repeated(&a, "from a import b\n", BYTES / 16)},
        {"a.js", repeated(&a, "x+\n", BYTES / 3)},
        {"a.java", repeated(&a, "/**/", BYTES / 4)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read r;
        read_source(&r, cases[i].path, cases[i].bytes);
        assert_int_equal(r.file.skipped.len, 0);
        assert_true(r.file.facts.symbol_count <= MAX_SYMBOLS);
        assert_can_be_handed_over(&r);
        done(&r);
    }
    arena_free(&a);
}

static void more_symbols_than_the_bound_are_left_out_and_told(void **state)
{
    (void)state;
    struct buf text = {0};
    for (int i = 0; i <= MAX_SYMBOLS; i++)
        buf_printf(&text, "int v%d;\n", i);
    struct read r;
    read_source(&r, "a.c", buf_str(&text));
    assert_int_equal(r.file.facts.symbol_count, MAX_SYMBOLS);
    assert_true(has_word(r.file.facts.warning, S("too many symbols")));
    done(&r);
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicates_choose_among_the_matches),
        cmocka_unit_test(a_wrong_query_tells_where),
        cmocka_unit_test(space_and_comments_leave_a_hash_alone_and_code_changes_it),
        cmocka_unit_test(every_word_of_a_file_is_in_a_window_of_bounded_size),
        cmocka_unit_test(a_method_has_its_own_windows_and_its_class_the_rest),
        cmocka_unit_test(a_line_without_end_is_cut),
        cmocka_unit_test(a_written_type_has_one_name),
        cmocka_unit_test(a_call_is_told_with_the_type_that_the_file_says),
        cmocka_unit_test(text_of_before_utf8_is_decoded_not_repaired),
        cmocka_unit_test(damaged_utf8_is_repaired_not_decoded),
        cmocka_unit_test(what_is_no_written_text_is_skipped),
        cmocka_unit_test(the_content_tells_a_language_where_the_name_doesnt),
        cmocka_unit_test(macros_that_hide_a_definition_are_blanked),
        cmocka_unit_test(more_symbols_than_the_bound_are_left_out_and_told),
        cmocka_unit_test(a_file_made_to_hurt_ends_within_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
