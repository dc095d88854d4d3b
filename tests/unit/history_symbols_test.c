/* Which symbols commits touch: lines are followed from the newest commit back. */
#include "memory/store_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/history_world.h"

/* pay.c of twenty lines: "charge" in 3 to 8, "refund" in 11 to 18. */
static void index_symbols(const char *blob, uint64_t charge_hash, uint64_t refund_hash)
{
    struct err e = {0};
    struct code_report report;
    static struct source_symbol symbols[2];
    static struct source_chunk chunk;
    chunk = (struct source_chunk){NO_SYMBOL, 1, 20, S("int x;")};
    symbols[0] = (struct source_symbol){.name = S("charge"),
                                        .kind = SYMBOL_FUNCTION,
                                        .line_start = 3,
                                        .line_end = 8,
                                        .body_hash = charge_hash,
                                        .parent = NO_SYMBOL};
    symbols[1] = (struct source_symbol){.name = S("refund"),
                                        .kind = SYMBOL_FUNCTION,
                                        .line_start = 11,
                                        .line_end = 18,
                                        .body_hash = refund_hash,
                                        .parent = NO_SYMBOL};
    struct source_file file = {.path = S("pay.c"),
                               .blob = str_of(blob),
                               .facts = {.language = S("c"),
                                         .lines = 20,
                                         .symbols = symbols,
                                         .symbol_count = 2,
                                         .chunks = &chunk,
                                         .chunk_count = 1}};
    struct worktree_entry entry = {.path = file.path};
    struct worktree_files listing = {
        .is_git = true, .head = oid("c3"), .entries = &entry, .entry_count = 1};
    if (!memory_code_put(m, ROOT, 1000, &file, 1, &e) ||
        !memory_code_finish(m, &arena, ROOT, 1000, &listing, NULL, NULL, &report, &e))
        fail_msg("%s", e.text);
}

static struct commit_record change(const char *id, int64_t second, const char *subject,
                                   const char *before, const char *behind, struct commit_hunk hunk)
{
    struct commit_record c = commit(id, "c0", second, subject, "pay.c");
    struct commit_hunk *copy = ARENA_NEW(&arena, struct commit_hunk);
    *copy = hunk;
    c.changes[0].old_blob = str_of(before);
    c.changes[0].blob = str_of(behind);
    c.changes[0].hunks = copy;
    c.changes[0].hunk_count = 1;
    return c;
}

/* Subjects of the commits that touch a symbol of pay.c, newest first. */
static const char *changes_of(const char *symbol)
{
    struct err e = {0};
    struct edge_full *edges;
    size_t count;
    int64_t id;
    struct buf text = {0};
    str key = arena_printf(&arena, "pay.c#%s", symbol);
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_find_key(m->store, NODE_SYMBOL, key, &id, &e));
    assert_true(store_edges(m->store, &arena, id, EDGE_TOUCHES, 10, &edges, &count, &e));
    for (size_t i = count; i-- > 0;) {
        struct node_row row;
        bool found;
        assert_true(store_get_node(m->store, &arena, edges[i].src, &row, &found, &e));
        buf_printf(&text, "%s%.*s", text.len ? ", " : "", FMT(row.name));
    }
    store_read_end(m->store);
    const char *all = arena_cstr(&arena, buf_str(&text));
    buf_free(&text);
    return all;
}

static void a_commit_touches_the_symbols_whose_lines_it_changed(void **state)
{
    (void)state;
    index_symbols("b3", 1, 2);
    struct commit_record commits[] = {
        change("c3", 300, "three lines more", "b2", "b3", (struct commit_hunk){4, 0, 5, 3, S("")}),
        change("c2", 200, "then at 9", "b1", "b2", (struct commit_hunk){9, 2, 9, 1, S("")}),
        change("c1", 100, "at the top", "b0", "b1", (struct commit_hunk){1, 1, 1, 1, S("")}),
    };
    put(commits, 3);
    finish("c3");
    assert_string_equal(changes_of("charge"), "three lines more");
    assert_string_equal(changes_of("refund"), "then at 9"); /* line 12 by now */
    assert_int_equal(touches_of("pay.c"), 3);
}

static void lines_are_followed_through_what_a_killed_reading_stored(void **state)
{
    (void)state;
    index_symbols("b3", 1, 2);
    struct commit_record commits[] = {
        change("c3", 300, "three lines more", "b2", "b3", (struct commit_hunk){4, 0, 5, 3, S("")}),
        change("c2", 200, "then at 9", "b1", "b2", (struct commit_hunk){9, 2, 9, 1, S("")}),
    };
    put(commits, 1);
    open_anew();
    assert_int_equal(put(commits, 2), 1);
    finish("c3");
    assert_string_equal(changes_of("charge"), "three lines more");
    assert_string_equal(changes_of("refund"), "then at 9");
}

static void taken_away_lines_touch_the_symbol_around_them(void **state)
{
    (void)state;
    index_symbols("b2", 1, 2);
    struct commit_record commits[] = {
        change("c2", 200, "inside", "b1", "b2", (struct commit_hunk){13, 2, 12, 0, S("")}),
        change("c1", 100, "between", "b0", "b1", (struct commit_hunk){10, 4, 9, 0, S("")}),
    };
    put(commits, 2);
    finish("c2");
    assert_string_equal(changes_of("charge"), "");
    assert_string_equal(changes_of("refund"), "inside");
}

static void without_the_version_only_the_hunks_heading_tells(void **state)
{
    (void)state;
    index_symbols("b9", 1, 2);
    struct commit_record commits[] = {
        change("c3", 300, "by its name", "b2", "b3",
               (struct commit_hunk){4, 1, 4, 1, S("int refund(int cents)")}),
        change("c2", 200, "by none", "b1", "b2", (struct commit_hunk){4, 1, 4, 1, S("int x;")}),
    };
    put(commits, 2);
    finish("c3");
    assert_string_equal(changes_of("charge"), "");
    assert_string_equal(changes_of("refund"), "by its name");
}

/* What no reader tells: beyond the file, out of order, apart by other distances. */
static void hunks_that_cannot_be_break_the_line_and_nothing_else(void **state)
{
    (void)state;
    static const struct commit_hunk bad[] = {
        {4, 1, 4, 40, {0}},         {4, 1, 5, 1, {0}},          {0, 1, 0, 1, {0}},
        {4, UINT32_MAX, 4, 1, {0}}, {4, 1, UINT32_MAX, 1, {0}}, {UINT32_MAX, 0, UINT32_MAX, 0, {0}},
    };
    index_symbols("b3", 1, 2);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char id[] = {'d', (char)('0' + i), 0};
        struct commit_record c = change(id, 300, "never", "b2", "b3", bad[i]);
        put(&c, 1);
        finish(id);
    }
    assert_string_equal(changes_of("charge"), "");
    assert_string_equal(changes_of("refund"), "");
}

static void a_changed_place_says_by_which_commit(void **state)
{
    (void)state;
    struct err e = {0};
    struct recall_result out;
    index_symbols("b2", 1, 2);
    struct commit_record commits[] = {
        change("c2", 86400 * 3, "Refund at once", "b1", "b2",
               (struct commit_hunk){12, 1, 12, 1, S("")}),
    };
    struct anchor_input anchor = {.path = S("pay.c"), .symbol = S("refund")};
    struct remember_input in = {.from = {.origin = ORIGIN_USER, .now_ms = 2000},
                                .text = S("Refunds wait a day."),
                                .anchors = &anchor,
                                .anchor_count = 1};
    struct remember_result made;
    index_symbols("b1", 1, 1);
    assert_true(memory_remember(m, &arena, &in, &made, &e));
    index_symbols("b1", 1, 1); /* binds it */
    index_symbols("b2", 1, 2);
    str id = node_id_format(&arena, NODE_MEMORY, made.id);
    struct recall_input ask = {
        .now_ms = 5000, .ids = &id, .id_count = 1, .root = ROOT, .budget_tokens = 1000};
    assert_true(memory_recall(m, &arena, &ask, no_size, NULL, &out, &e));
    assert_string_equal(arena_cstr(&arena, out.items[0].stale_note),
                        "refund in pay.c is no longer what it was");
    put(commits, 1);
    finish("c2");
    assert_true(memory_recall(m, &arena, &ask, no_size, NULL, &out, &e));
    str note = out.items[0].stale_note;
    assert_true(str_starts(note, S("refund in pay.c is no longer what it was; changed by c")));
    assert_true(str_ends(note, S("(c20000000000, 1970-01-04): Refund at once")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(a_commit_touches_the_symbols_whose_lines_it_changed),
        PROMISE(lines_are_followed_through_what_a_killed_reading_stored),
        PROMISE(taken_away_lines_touch_the_symbol_around_them),
        PROMISE(without_the_version_only_the_hunks_heading_tells),
        PROMISE(hunks_that_cannot_be_break_the_line_and_nothing_else),
        PROMISE(a_changed_place_says_by_which_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
