#include "parsers/parsers.h"

#include "memory/base/hash.h"
#include "memory/text.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- helpers ---- */

static str read_file(struct arena *a, const char *path)
{
    struct buf bytes = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s can't be opened", path);
    for (size_t n = 1; n;) {
        buf_reserve(&bytes, 1 << 16);
        n = fread(bytes.at + bytes.len, 1, 1 << 16, file);
        bytes.len += n;
    }
    fclose(file);
    str out = arena_str(a, buf_str(&bytes));
    buf_free(&bytes);
    return out;
}

static struct facts facts_of(struct arena *a, const char *name, str bytes)
{
    struct facts out;
    struct err e = {0};
    if (!document_facts(a, str_of(name), bytes, &out, &e))
        fail_msg("%s: %s", name, e.text);
    return out;
}

/* By its lines; one that has none, since it isn't the file's own text, by its page and with that
 * text. */
static void dump_passage(struct buf *out, const struct fact_node *n)
{
    if (n->line_start) {
        buf_printf(out, "%u-%u: %.*s\n", n->line_start, n->line_end, FMT(n->heading));
        return;
    }
    if (n->page)
        buf_printf(out, "page %u: ", n->page);
    buf_printf(out, "%.*s\n", FMT(n->heading));
    str rest = n->body, line;
    while (str_next_line(&rest, &line))
        buf_printf(out, line.len ? "    %.*s\n" : "\n", FMT(line));
}

/* The document as text: one line a fact, a passage by its lines and headings. */
static str dump(struct arena *a, const char *name, str bytes)
{
    struct buf out = {0};
    struct facts f;
    struct err e = {0};
    if (document_facts(a, str_of(name), bytes, &f, &e)) {
        buf_printf(&out, "title: %.*s\nmedia type: %.*s\n", FMT(f.title), FMT(f.media_type));
        for (size_t i = 0; i < f.warning_count; i++)
            buf_printf(&out, "warning: %.*s\n", FMT(f.warnings[i]));
        for (size_t i = 0; i < f.node_count; i++)
            dump_passage(&out, &f.nodes[i]);
    } else {
        buf_printf(&out, "refused: %s\n", e.text);
    }
    str text = arena_str(a, buf_str(&out));
    buf_free(&out);
    return text;
}

static str without_space(struct arena *a, str s)
{
    char *to = arena_bytes(a, s.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < s.len; i++)
        if (!strchr(" \t\n\v\f\r", s.at[i]))
            to[length++] = s.at[i];
    return str_from(to, length);
}

/* With \n for each \r\n. */
static str unified(struct arena *a, str s)
{
    char *to = arena_bytes(a, s.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < s.len; i++)
        if (s.at[i] != '\r' || i + 1 == s.len || s.at[i + 1] != '\n')
            to[length++] = s.at[i];
    return str_from(to, length);
}

/* What every document promises, whatever is in it. `text` is the source with \n as its line ends.
 */
static void check_promises(struct arena *a, const char *name, str text, const struct facts *f)
{
    struct buf all = {0};
    struct map keys = {0};
    uint32_t line = 1;
    size_t at = 0; /* nothing but white space is left out before this */
    for (size_t i = 0; i < f->node_count; i++) {
        const struct fact_node *n = &f->nodes[i];
        bool is_new;
        map_put(&keys, n->key, 0, &is_new);
        assert_true(is_new);
        assert_int_equal(n->kind, NODE_PASSAGE);
        assert_true(n->name.len > 0);
        if (text_estimate_tokens(n->body) > MAX_PASSAGE_TOKENS || n->body.len > MAX_PASSAGE_BYTES)
            fail_msg("%s: passage %zu has %zu tokens, %zu bytes", name, i,
                     text_estimate_tokens(n->body), n->body.len);

        size_t found = str_find(text, n->body, at);
        if (found == text.len)
            fail_msg("%s: passage %zu isn't the source's text", name, i);
        for (; at < found; at++)
            line += text.at[at] == '\n';
        assert_int_equal(n->line_start, line);
        for (; at < found + n->body.len; at++)
            line += text.at[at] == '\n';
        assert_int_equal(n->line_end, line);
        buf_add(&all, n->body);
    }
    if (!str_eq(without_space(a, buf_str(&all)), without_space(a, text)))
        fail_msg("%s: passages together aren't the whole text", name);
    assert_int_equal(f->edge_count, f->node_count ? f->node_count - 1 : 0);
    for (uint32_t i = 0; i < f->edge_count; i++) {
        assert_int_equal(f->edges[i].kind, EDGE_NEXT);
        assert_int_equal(f->edges[i].from, i);
        assert_int_equal(f->edges[i].to, i + 1);
    }
    map_free(&keys);
    buf_free(&all);
}

/* ---- documents with what is expected of them ---- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* tests/documents/NAME and NAME.expected. A changed dump is shown whole, ready to be looked at and
 * copied. */
static void documents_give_the_expected_passages(void **state)
{
    (void)state;
    const char *root = getenv("ENGRAM_SOURCE_DIR");
    struct arena a = {0};
    const char *folder = arena_printf(&a, "%s/tests/documents", root ? root : ".").at;
    struct dirent **files;
    int count = scandir(folder, &files, NULL, by_name), seen = 0, wrong = 0;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        const char *name = files[i]->d_name;
        if (name[0] != '.' && !str_ends(str_of(name), S(".expected"))) {
            str bytes = read_file(&a, arena_printf(&a, "%s/%s", folder, name).at);
            str expected = read_file(&a, arena_printf(&a, "%s/%s.expected", folder, name).at);
            str actual = dump(&a, name, bytes);
            if (!str_eq(expected, actual)) {
                print_message("--- %s.expected is not\n%.*s", name, FMT(actual));
                wrong++;
            }
            seen++;
        }
        free(files[i]);
    }
    free(files);
    arena_free(&a);
    assert_int_equal(wrong, 0);
    assert_true(seen >= 30);
}

static void the_bodies_are_the_source(void **state)
{
    (void)state;
    static const char *const names[] = {"blocks.md",
                                        "cjk.md",
                                        "data.json",
                                        "front_matter.md",
                                        "front_matter_toml.md",
                                        "hard_wrapped.txt",
                                        "log.txt",
                                        "lone_cr.md",
                                        "long_code.md",
                                        "long_paragraphs.md",
                                        "no_front_matter.md",
                                        "notes",
                                        "script",
                                        "tiny_sections.md",
                                        "worker.c",
                                        "handbook.rst",
                                        "handbook.adoc"};
    const char *root = getenv("ENGRAM_SOURCE_DIR");
    struct arena a = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        str bytes = read_file(
            &a, arena_printf(&a, "%s/tests/documents/%s", root ? root : ".", names[i]).at);
        struct facts f = facts_of(&a, names[i], bytes);
        check_promises(&a, names[i], bytes, &f);
    }
    arena_free(&a);
}

/* ---- random documents ---- */

static uint64_t next_random(uint64_t *rng)
{
    *rng ^= *rng << 13;
    *rng ^= *rng >> 7;
    *rng ^= *rng << 17;
    return *rng;
}

static size_t pick(uint64_t *rng, size_t below)
{
    return (size_t)(next_random(rng) % below);
}

static const char *const fragments[] = {
    "# One\n",
    "## Two\n",
    "### Three *x*\n",
    "#### Four ####\n",
    "Title\n=====\n",
    "Second\n---\n",
    "#\n",
    "\n",
    "\n\n",
    "   \n",
    "a word",
    "Some words here. And more of them! ",
    "line\n",
    "- item\n",
    "  - nested\n",
    "      - deep\n",
    "1. first\n",
    "10) tenth\n",
    "> quote\n",
    "> > deeper\n",
    ">\n",
    "```\n",
    "```c\nint x;\n```\n",
    "~~~\n# no\n~~~\n",
    "    code\n",
    "\tcode\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "***\n",
    "---\n",
    "+++\n",
    "<div>\n",
    "</div>\n",
    "<!-- c\n",
    "-->\n",
    "<script>\n",
    "</script>\n",
    "[a]: http://x\n",
    "[a][b] ",
    "`code` ",
    "\xE8\xA8\x98\xE6\x86\xB6\xE3\x80\x82",
    "caf\xC3\xA9 ",
    "\xF0\x9F\x98\x80",
    "{\n",
    "}\n",
    "  return x;\n",
    "e.g. this ",
    "\\",
    "&amp;",
    "<",
    "]]>",
    "<![CDATA[\n",
    "%PDF-",
    "title: x\n",
    "\r",
    "* ",
    "-\n",
    "*\n",
    "1.\n",
};

/* Fragments, some of them repeated often, so that bounds are met. */
static str random_document(struct arena *a, uint64_t *rng)
{
    struct buf out = {0};
    size_t parts = 1 + pick(rng, 80);
    buf_add(&out, S("x\n")); /* else \r might be its line's end */
    for (size_t i = 0; i < parts; i++) {
        const char *fragment = fragments[pick(rng, sizeof fragments / sizeof *fragments)];
        size_t times = pick(rng, 20) ? 1 + pick(rng, 3) : 1 + pick(rng, 900);
        for (size_t k = 0; k < times; k++)
            buf_add(&out, str_of(fragment));
    }
    str text = arena_str(a, buf_str(&out));
    buf_free(&out);
    return text;
}

static void no_random_document_breaks_a_promise(void **state)
{
    (void)state;
    enum { ROUNDS = 600 };
    static const char *const names[] = {"a.md", "a.txt", "a.c", "a", "a.rst", "a.adoc"};
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        uint64_t rng = seed * 0x9E3779B97F4A7C15u;
        struct arena a = {0};
        char label[64];
        const char *name = names[seed % 6];
        str text = random_document(&a, &rng);
        struct facts f = facts_of(&a, name, text);
        snprintf(label, sizeof label, "seed %llu as %s", (unsigned long long)seed, name);
        check_promises(&a, label, unified(&a, text), &f);
        arena_free(&a);
    }
}

static void any_bytes_are_read_or_refused(void **state)
{
    (void)state;
    enum { ROUNDS = 2000, MOST = 600 };
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        uint64_t rng = seed * 0x9E3779B97F4A7C15u;
        struct arena a = {0};
        size_t length = pick(&rng, MOST);
        char *bytes =
            arena_bytes(&a, length); /* exactly as long, so that the sanitizer sees what reads on */
        unsigned bits = seed % 2 ? 0x7F : 0xFF;
        for (size_t i = 0; i < length; i++)
            bytes[i] = (char)(next_random(&rng) & bits);
        if (length > 2 && seed % 5 == 0)
            memcpy(bytes, "\xFF\xFE", 2);
        struct facts f;
        struct err e = {0};
        bool ok = document_facts(&a, S("a"), str_from(bytes, length), &f, &e);
        assert_int_equal(ok, e.code == ERR_NONE);
        arena_free(&a);
    }
}

/* ---- keys ---- */

static str sections(struct arena *a, int changed, int more)
{
    struct buf out = {0};
    buf_add(&out, S("# Top\n"));
    for (int i = 0; i < 8 + more; i++) {
        buf_printf(&out, "\n## Section %d\n", i);
        for (int k = 0; k < 60; k++)
            buf_printf(&out, "%sSentence %d of section %d %s.%s", k % 6 ? " " : "\n", k, i,
                       i == changed && k == 40 ? "was changed" : "is as it was",
                       k % 6 == 5 ? "\n" : "");
    }
    str text = arena_str(a, buf_str(&out));
    buf_free(&out);
    return text;
}

/* How many passages of `after` have a key that no passage of `before` has. */
static size_t new_keys(const struct facts *before, const struct facts *after)
{
    struct map keys = {0};
    size_t count = 0;
    for (size_t i = 0; i < before->node_count; i++)
        map_put(&keys, before->nodes[i].key, 0, NULL);
    for (size_t i = 0; i < after->node_count; i++)
        count += map_find(&keys, after->nodes[i].key) == NULL;
    map_free(&keys);
    return count;
}

static void a_change_gives_new_keys_only_where_it_is(void **state)
{
    (void)state;
    struct arena a = {0};
    struct facts before = facts_of(&a, "a.md", sections(&a, -1, 0));
    struct facts changed = facts_of(&a, "a.md", sections(&a, 3, 0));
    struct facts longer = facts_of(&a, "a.md", sections(&a, -1, 1));
    struct facts same = facts_of(&a, "other.md", sections(&a, -1, 0));
    assert_true(before.node_count >= 16);
    assert_in_range(new_keys(&before, &changed), 1, 2);
    assert_int_equal(new_keys(&before, &longer), longer.node_count - before.node_count);
    assert_int_equal(new_keys(&before, &same), 0);
    arena_free(&a);
}

static void repeated_text_gets_keys_of_its_own(void **state)
{
    (void)state;
    struct arena a = {0};
    struct facts f = facts_of(&a, "a.md", S("# A\n\nsame\n\n# A\n\nsame\n\n# A\n\nother\n"));
    assert_int_equal(f.node_count, 3);
    assert_false(str_eq(f.nodes[0].key, f.nodes[1].key));
    assert_true(str_starts(f.nodes[1].key, f.nodes[0].key));
    struct facts crlf = facts_of(
        &a, "a.md", S("# A\r\n\r\nsame\r\n\r\n# A\r\n\r\nsame\r\n\r\n# A\r\n\r\nother\r\n"));
    assert_int_equal(new_keys(&f, &crlf), 0);
    arena_free(&a);
}

/* ---- bounds ---- */

static void what_is_too_much_is_refused(void **state)
{
    (void)state;
    struct arena a = {0};
    struct facts f;
    struct err e = {0};
    char *bytes = arena_bytes(&a, MAX_DOCUMENT_BYTES + 1);
    memset(bytes, 'a', MAX_DOCUMENT_BYTES + 1);
    assert_false(document_facts(&a, S("a.md"), str_from(bytes, MAX_DOCUMENT_BYTES + 1), &f, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    assert_non_null(strstr(e.text, "33554433 bytes, at most 33554432"));
    e = (struct err){0};
    memset(bytes, '\n', MAX_DOCUMENT_BYTES);
    memcpy(bytes, "words", 5);
    assert_true(document_facts(&a, S("a.txt"), str_from(bytes, MAX_DOCUMENT_BYTES), &f, &e));

    struct buf headings = {0};
    for (int i = 0; i <= MAX_PASSAGES; i++)
        buf_add(&headings, S("# A\n\nb\n\n"));
    e = (struct err){0};
    assert_false(document_facts(&a, S("a.md"), buf_str(&headings), &f, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    assert_non_null(strstr(e.text, "more than 30000 passages"));
    buf_free(&headings);
    arena_free(&a);
}

/* Patterns on which parsers of Markdown take quadratic time. At 512 KiB that would be minutes; a
 * test has ten. */
static void hostile_patterns_take_no_time(void **state)
{
    (void)state;
    enum { BYTES = 512 << 10 };
    static const char *const patterns[] = {"#",
                                           ">",
                                           "[",
                                           "`",
                                           "a",
                                           "[x]\n",
                                           "[a](",
                                           "*_",
                                           "<",
                                           "&",
                                           "- a\n",
                                           "1. ",
                                           "> a\n\n",
                                           "|",
                                           "a|b\n-|-\n",
                                           "<![CDATA[x]]>\n",
                                           "a\n    <![CDATA[x]]>\n",
                                           "\t- ",
                                           "a\n=\n",
                                           "## *\n",
                                           "\xE4\xB8\xAD",
                                           ". ",
                                           "\n",
                                           "\r"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct arena a = {0};
        char *bytes = arena_bytes(&a, BYTES);
        size_t length = strlen(patterns[i]), whole = BYTES / length * length;
        for (size_t k = 0; k < whole; k++)
            bytes[k] = patterns[i][k % length];
        struct facts f;
        struct err e = {0};
        document_facts(&a, S("a.md"), str_from(bytes, whole), &f, &e);
        arena_free(&a);
    }
}

/* List marks on the first line open as many lists as columns allow; each blank line behind visits
 * all of them. */
static void deep_nesting_is_bounded(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    struct arena a = {0};
    struct facts f;
    struct err e = {0};
    char *bytes = arena_bytes(&a, BYTES);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = i < BYTES / 2 ? "1. "[i % 3] : '\n';
    bytes[BYTES - 1] = 'x';
    assert_true(document_facts(&a, S("a.md"), str_from(bytes, BYTES), &f, &e));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_give_the_expected_passages),
        cmocka_unit_test(the_bodies_are_the_source),
        cmocka_unit_test(no_random_document_breaks_a_promise),
        cmocka_unit_test(any_bytes_are_read_or_refused),
        cmocka_unit_test(a_change_gives_new_keys_only_where_it_is),
        cmocka_unit_test(repeated_text_gets_keys_of_its_own),
        cmocka_unit_test(what_is_too_much_is_refused),
        cmocka_unit_test(hostile_patterns_take_no_time),
        cmocka_unit_test(deep_nesting_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
