/* Commits through the header: what they say of files, of each other and of the heads at which
 * memories were made. Records here are hand-made, as a reader of repositories would give them. */
#include "memory/history.h"

#include "memory/code.h"
#include "memory/commit_rank.h"
#include "memory/memory_state.h"
#include "memory/store_code.h"
#include "memory/store_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/memory_world.h"

#define ROOT S("/home/me/shop")

static int set_up(void **state)
{
    (void)state;
    clock_ms = 0;
    make_directory();
    open_memory_with(
        (struct memory_options){.ppr = true, .neighbours = true, .ranker = true, .history = true});
    return 0;
}

/* ---- a repository ---- */

/* "abc" of 40 digits. */
static str oid(const char *digits)
{
    char *id = arena_bytes(&arena, 41);
    memset(id, '0', 40);
    memcpy(id, digits, strlen(digits));
    return str_from(id, 40);
}

static struct commit_record commit(const char *id, const char *parent, int64_t second,
                                   const char *subject, const char *path)
{
    struct commit_record c = {.id = oid(id),
                              .author = S("Ann"),
                              .commit_s = second,
                              .subject = str_of(subject),
                              .body = S("")};
    c.parents = ARENA_ARRAY(&arena, str, 1);
    if (*parent)
        c.parents[c.parent_count++] = oid(parent);
    c.changes = ARENA_ARRAY(&arena, struct commit_change, 4);
    str rest = str_of(path), one;
    while (str_next_word(&rest, &one))
        c.changes[c.change_count++] = (struct commit_change){.path = one, .kind = CHANGE_MODIFIED};
    return c;
}

static void index_files(const char *const *paths, size_t count)
{
    struct err e = {0};
    struct source_file files[4] = {0};
    struct worktree_entry entries[4] = {0};
    struct code_report report;
    for (size_t i = 0; i < count; i++) {
        struct source_chunk *chunk = ARENA_NEW(&arena, struct source_chunk);
        *chunk = (struct source_chunk){NO_SYMBOL, 1, 2, S("int x;")};
        files[i] = (struct source_file){.path = str_of(paths[i]),
                                        .blob = arena_printf(&arena, "b%zu", i),
                                        .facts = {.lines = 2, .chunks = chunk, .chunk_count = 1}};
        entries[i] = (struct worktree_entry){.path = str_of(paths[i])};
    }
    struct worktree_files listing = {
        .is_git = true, .head = oid("c3"), .entries = entries, .entry_count = count};
    if (!memory_code_put(m, ROOT, 1000, files, count, &e) ||
        !memory_code_finish(m, &arena, ROOT, 1000, &listing, NULL, NULL, &report, &e))
        fail_msg("%s", e.text);
}

static size_t put(const struct commit_record *commits, size_t count)
{
    struct err e = {0};
    size_t added;
    if (!memory_history_put(m, 1000, commits, count, &added, &e))
        fail_msg("%s", e.text);
    return added;
}

static void finish(const char *head)
{
    struct err e = {0};
    struct commit_history rest = {0};
    if (!memory_history_finish(m, &arena, ROOT, &(struct history_tips){oid(head), S("r")}, &rest,
                               1000, &e))
        fail_msg("%s", e.text);
}

static size_t no_size(void *ctx, const struct item *item)
{
    (void)ctx;
    (void)item;
    return 1;
}

/* Subjects or paths of what recall gives, best first, a comma between two. */
static str recall_above(const char *query, enum node_kind kind, float floor)
{
    struct err e = {0};
    struct recall_result out;
    struct buf text = {0};
    struct recall_input in = {.now_ms = 5000,
                              .query = str_of(query),
                              .root = ROOT,
                              .filter = {.node_kinds = 1u << kind},
                              .limit = 5,
                              .min_score = floor,
                              .budget_tokens = 1000};
    if (!memory_recall(m, &arena, &in, no_size, NULL, &out, &e))
        fail_msg("%s: %s", query, e.text);
    for (size_t i = 0; i < out.item_count; i++)
        buf_printf(&text, "%s%.*s", i ? ", " : "", FMT(out.items[i].name));
    str all = arena_str(&arena, buf_str(&text));
    buf_free(&text);
    return all;
}

static str recall(const char *query, enum node_kind kind)
{
    return recall_above(query, kind, 0);
}

#define ASSERT_RECALL(query, kind, wanted)                                                         \
    assert_string_equal(arena_cstr(&arena, recall(query, kind)), wanted)

static enum node_state state_of(const char *id)
{
    struct err e = {0};
    struct commit_row row;
    int64_t commit;
    bool found;
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_find_key(m->store, NODE_COMMIT, oid(id), &commit, &e));
    assert_true(store_get_commit(m->store, &arena, commit, &row, &found, &e));
    store_read_end(m->store);
    assert_true(found);
    return row.state;
}

/* Ids of the commits that touch a path. */
static size_t touches_of(const char *path)
{
    struct err e = {0};
    struct edge_full *edges;
    size_t count;
    int64_t file;
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_find_key(m->store, NODE_FILE, str_of(path), &file, &e));
    assert_true(store_edges(m->store, &arena, file, EDGE_TOUCHES, 10, &edges, &count, &e));
    store_read_end(m->store);
    return count;
}

/* ---- what it promises ---- */

static void a_commit_is_found_by_its_words_and_put_once(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c", "ship.c"};
    index_files(paths, 2);
    struct commit_record commits[] = {
        commit("c3", "c2", 300, "Refuse orders without an address", "ship.c"),
        commit("c2", "c1", 200, "Charge cards once a day", "pay.c"),
    };
    assert_int_equal(put(commits, 2), 2);
    assert_int_equal(put(commits, 2), 0);
    finish("c3");
    ASSERT_RECALL("why are cards charged once a day", NODE_COMMIT, "Charge cards once a day");
    ASSERT_RECALL("charge the cards", NODE_FILE, "pay.c");
}

static void who_asks_why_is_told_the_commit_that_gives_a_reason(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c"};
    index_files(paths, 1);
    struct commit_record commits[] = {
        commit("c3", "c2", 300, "Charge cards in one job", "pay.c"),
        commit("c2", "c1", 200, "Charge cards in batches", "pay.c"),
    };
    commits[0].body = S("Moves code around, adds two columns, renames a job.");
    commits[1].body = S("One by one is slow, because each opens a line.");
    put(commits, 2);
    finish("c3");
    ASSERT_RECALL("why do we charge cards", NODE_COMMIT,
                  "Charge cards in batches, Charge cards in one job");
    ASSERT_RECALL("charge cards job", NODE_COMMIT,
                  "Charge cards in one job, Charge cards in batches");
}

static void a_commit_that_was_carried_to_another_branch_stands_behind_the_first(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c"};
    index_files(paths, 1);
    struct commit_record commits[] = {
        commit("c4", "c1", 400, "Charge cards once a day", "pay.c"),
        commit("c3", "c2", 300, "Charge cards again", "pay.c"),
        commit("c2", "c1", 200, "Charge cards once a day", "pay.c"),
    };
    commits[0].body = S("Carried over for the next release.");
    put(commits, 3);
    finish("c4");
    ASSERT_RECALL("why are cards charged once a day", NODE_COMMIT,
                  "Charge cards once a day, Charge cards again, Charge cards once a day");
}

static void of_what_no_commit_speaks_nothing_is_told(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c"};
    index_files(paths, 1);
    struct commit_record commits[] = {
        commit("c3", "c2", 300, "Refuse orders without an address", "pay.c"),
        commit("c2", "c1", 200, "Charge cards once a day", "pay.c"),
    };
    put(commits, 2);
    finish("c3");
    str told = recall_above("why does the telephone ring at night when an elephant sends cards",
                            NODE_COMMIT, -1);
    assert_int_equal(told.len, 0);
    told = recall_above("why are orders without an address refused", NODE_COMMIT, -1);
    assert_string_equal(arena_cstr(&arena, told), "Refuse orders without an address");
}

static void a_reason_is_known_by_its_words(void **state)
{
    (void)state;
    assert_true(text_gives_reason(S("Held back BECAUSE the line is slow")));
    assert_true(text_gives_reason(S("Close it to avoid a leak")));
    assert_false(text_gives_reason(S("Adds a column")));
    assert_false(text_gives_reason(S("An abecause is no reason"))); /* words begin at a word */
    assert_false(text_gives_reason(S("to avoi")));
    assert_false(text_gives_reason(S("")));
}

static void a_renamed_file_keeps_its_history(void **state)
{
    (void)state;
    static const char *const paths[] = {"send.c"};
    index_files(paths, 1);
    struct commit_record rename = commit("c3", "c2", 300, "Rename", "send.c");
    rename.changes[0].kind = CHANGE_RENAMED;
    rename.changes[0].old_path = S("ship.c");
    struct commit_record older = commit("c2", "c1", 200, "Print labels", "ship.c");
    put(&rename, 1);
    put(&older, 1);
    assert_int_equal(touches_of("send.c"), 2);
}

static void a_file_that_is_renamed_later_takes_its_history_along(void **state)
{
    (void)state;
    static const char *const before[] = {"ship.c"}, *const after[] = {"send.c"};
    index_files(before, 1);
    struct commit_record older = commit("c2", "c1", 200, "Print labels", "ship.c");
    put(&older, 1);
    index_files(after, 1);
    struct commit_record rename = commit("c3", "c2", 300, "Rename", "send.c");
    rename.changes[0].kind = CHANGE_RENAMED;
    rename.changes[0].old_path = S("ship.c");
    put(&rename, 1);
    assert_int_equal(touches_of("send.c"), 2);
}

/* ---- symbols ---- */

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

static void a_revert_supersedes_and_a_revert_of_it_brings_back(void **state)
{
    (void)state;
    struct commit_record commits[] = {
        commit("c3", "c2", 300, "Revert \"Charge twice\"", "pay.c"),
        commit("c2", "c1", 200, "Charge twice", "pay.c"),
    };
    commits[0].reverts = oid("c2");
    put(commits, 2);
    finish("c3");
    assert_int_equal(state_of("c2"), STATE_SUPERSEDED);
    assert_int_equal(state_of("c3"), STATE_CURRENT);
    struct commit_record again =
        commit("c4", "c3", 400, "Revert \"Revert \"Charge twice\"\"", "pay.c");
    again.reverts_subject = S("Revert \"Charge twice\"");
    put(&again, 1);
    finish("c4");
    assert_int_equal(state_of("c2"), STATE_CURRENT);
    assert_int_equal(state_of("c3"), STATE_SUPERSEDED);
    assert_int_equal(state_of("c4"), STATE_CURRENT);
}

static void a_commit_taken_back_twice_and_brought_back_once_stays_away(void **state)
{
    (void)state;
    struct commit_record commits[] = {
        commit("c5", "c4", 500, "Revert \"Revert \"Charge twice\"\"", "pay.c"),
        commit("c4", "c3", 400, "Revert \"Charge twice\" for now", "pay.c"),
        commit("c3", "c2", 300, "Revert \"Charge twice\"", "pay.c"),
        commit("c2", "c1", 200, "Charge twice", "pay.c"),
    };
    commits[0].reverts = oid("c3");
    commits[1].reverts = oid("c2");
    commits[2].reverts = oid("c2");
    put(commits, 4);
    finish("c5");
    assert_int_equal(state_of("c3"), STATE_SUPERSEDED);
    assert_int_equal(state_of("c2"), STATE_SUPERSEDED);
}

static void an_id_that_nothing_has_leaves_the_subject(void **state)
{
    (void)state;
    struct commit_record commits[] = {
        commit("c4", "c3", 400, "Revert \"Charge twice\"", "pay.c"),
        commit("c3", "c2", 300, "Charge thrice", "pay.c"),
        commit("c2", "c1", 200, "Charge twice", "pay.c"),
    };
    commits[0].reverts = oid("ee"); /* as it was called before a rebase */
    commits[0].reverts_subject = S("Charge twice");
    put(commits, 3);
    finish("c4");
    assert_int_equal(state_of("c2"), STATE_SUPERSEDED);
    assert_int_equal(state_of("c3"), STATE_CURRENT);
}

static void what_a_merge_brought_goes_and_comes_back_with_it(void **state)
{
    (void)state;
    struct commit_record commits[] = {
        commit("c5", "c1", 500, "Merge branch 'bonus'", ""),
        commit("c4", "c3", 400, "Bonus for all", "pay.c"),
        commit("c3", "c0", 300, "Bonus for some", "pay.c"),
        commit("c1", "c0", 200, "Charge twice", "pay.c"),
        commit("c0", "", 100, "Begin", "pay.c"),
    };
    str parents[] = {oid("c1"), oid("c4")};
    commits[0].is_merge = true;
    commits[0].parents = parents;
    commits[0].parent_count = 2;
    put(commits, 5);
    struct commit_record back = commit("c6", "c5", 600, "Revert \"Merge branch 'bonus'\"", "pay.c");
    back.reverts = str_cut(oid("c5"), 0, 12);
    put(&back, 1);
    finish("c6");
    static const char *const brought[] = {"c3", "c4", "c5"}, *const others[] = {"c0", "c1", "c6"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(state_of(brought[i]), STATE_SUPERSEDED);
        assert_int_equal(state_of(others[i]), STATE_CURRENT);
    }
    struct commit_record again =
        commit("c7", "c6", 700, "Reapply \"Merge branch 'bonus'\"", "pay.c");
    again.reverts = oid("c6");
    put(&again, 1);
    finish("c7");
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(state_of(brought[i]), STATE_CURRENT);
    assert_int_equal(state_of("c6"), STATE_SUPERSEDED);
}

static void a_revert_that_no_branch_has_any_more_takes_nothing_back(void **state)
{
    (void)state;
    struct err e = {0};
    struct commit_record commits[] = {
        commit("c3", "c2", 300, "Revert \"Charge twice\"", "pay.c"),
        commit("c2", "c1", 200, "Charge twice", "pay.c"),
    };
    commits[0].reverts = oid("c2");
    put(commits, 2);
    finish("c3");
    assert_int_equal(state_of("c2"), STATE_SUPERSEDED);
    str left = oid("c3");
    bool reachable = false;
    assert_true(memory_history_reach(m, &left, &reachable, 1, &e));
    finish("c2");
    assert_int_equal(state_of("c2"), STATE_CURRENT);
}

static str said_by_commit; /* the id of the last that reasons() gave */

/* Texts of the current memories of origin commit. */
static str reasons(void)
{
    struct err e = {0};
    struct recall_result out;
    struct buf text = {0};
    struct recall_input in = {.now_ms = 5000,
                              .query = S("because the bank refuses"),
                              .root = ROOT,
                              .filter = {1u << NODE_MEMORY, ~0u},
                              .limit = 5,
                              .budget_tokens = 1000};
    if (!memory_recall(m, &arena, &in, no_size, NULL, &out, &e))
        fail_msg("%s", e.text);
    if (out.item_count)
        said_by_commit = node_id_format(&arena, NODE_MEMORY, out.items[0].id);
    for (size_t i = 0; i < out.item_count; i++)
        buf_printf(&text, "%s %.*s|", memory_kind_name[out.items[i].memory_kind],
                   FMT(out.items[i].text));
    str all = arena_str(&arena, buf_str(&text));
    buf_free(&text);
    return all;
}

static void a_reason_becomes_a_memory_that_stands_and_falls_with_its_commit(void **state)
{
    (void)state;
    struct commit_record charge = commit("c2", "c1", 200, "Charge once a day", "pay.c");
    charge.reasons = ARENA_ARRAY(&arena, struct commit_reason, 1);
    charge.reasons[charge.reason_count++] = (struct commit_reason){
        true, S("Charge once a day instead of at once, because the bank refuses small sums.")};
    put(&charge, 1);
    put(&charge, 1);
    finish("c2");
    const char *said =
        "decision Charge once a day instead of at once, because the bank refuses small sums.|";
    assert_string_equal(arena_cstr(&arena, reasons()), said);
    struct commit_record back = commit("c3", "c2", 300, "Revert \"Charge once a day\"", "pay.c");
    back.reverts = oid("c2");
    put(&back, 1);
    finish("c3");
    assert_string_equal(arena_cstr(&arena, reasons()), "");
    struct commit_record again = commit("c4", "c3", 400, "Revert \"Revert\"", "pay.c");
    again.reverts = oid("c3");
    put(&again, 1);
    finish("c4");
    assert_string_equal(arena_cstr(&arena, reasons()), said);
    /* What a person put in its place stays there, whatever the history says next. */
    struct err e = {0};
    struct remember_result out;
    struct remember_input in = {.from = {.now_ms = 6000},
                                .text = S("Charge at once, because the bank refuses no more."),
                                .supersedes = &said_by_commit,
                                .supersedes_count = 1};
    assert_int_equal(said_by_commit.len > 1, 1);
    assert_true(memory_remember(m, &arena, &in, &out, &e));
    finish("c4");
    assert_null(strstr(arena_cstr(&arena, reasons()), "once a day"));
}

static enum lineage lineage_of(const char *head)
{
    struct err e = {0};
    struct worktree_row worktree;
    enum lineage out;
    bool found;
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_find_worktree(m->store, &arena, ROOT, &worktree, &found, &e) && found);
    assert_true(store_get_lineage(m->store, worktree.id, oid(head), &out, &e));
    store_read_end(m->store);
    return out;
}

static void a_memory_knows_how_its_head_stands_to_the_worktrees(void **state)
{
    (void)state;
    struct err e = {0};
    static const char *const paths[] = {"pay.c"};
    static const char *const heads[] = {"c3", "c1", "d2", "99"};
    index_files(paths, 1);
    struct commit_record commits[] = {
        commit("c3", "c2", 300, "Three", "pay.c"), commit("d2", "c1", 250, "Aside", "pay.c"),
        commit("c2", "c1", 200, "Two", "pay.c"), commit("c1", "", 100, "One", "pay.c")};
    put(commits, 4);
    for (size_t i = 0; i < 4; i++) {
        struct remember_input in = {
            .from = {.origin = ORIGIN_USER, .now_ms = 2000, .head = oid(heads[i])},
            .text = arena_printf(&arena, "The note number %zu is here.", i)};
        struct remember_result out;
        assert_true(memory_remember(m, &arena, &in, &out, &e));
    }
    finish("c3");
    assert_int_equal(lineage_of("c3"), LINEAGE_SAME);
    assert_int_equal(lineage_of("c1"), LINEAGE_ANCESTOR);
    assert_int_equal(lineage_of("d2"), LINEAGE_OTHER);
    assert_int_equal(lineage_of("99"), LINEAGE_UNKNOWN);
}

static int64_t remember(const char *text, const char *head, const char *branch, const char *file,
                        uint32_t line)
{
    struct err e = {0};
    struct anchor_input anchor = {.path = str_of(file), .line = line};
    struct remember_input in = {
        .from = {.origin = ORIGIN_USER, .now_ms = 2000, .branch = str_of(branch)},
        .text = str_of(text),
        .anchors = &anchor,
        .anchor_count = *file != 0};
    struct remember_result out;
    if (*head)
        in.from.head = oid(head);
    if (!memory_remember(m, &arena, &in, &out, &e))
        fail_msg("%s: %s", text, e.text);
    return out.id;
}

/* What recall gives, best first: a line each of what it is, its score, and its first and last why.
 */
static const char *recall_all(struct recall_input in)
{
    struct err e = {0};
    struct recall_result out;
    in.now_ms = 5000;
    in.root = ROOT;
    in.filter = (struct recall_filter){(1u << NODE_MEMORY) | (1u << NODE_COMMIT), ~0u};
    in.limit = 20;
    in.budget_tokens = 10000;
    in.min_score = -1;
    if (!memory_recall(m, &arena, &in, no_size, NULL, &out, &e))
        fail_msg("%s", e.text);
    str text = S("");
    for (size_t i = 0; i < out.item_count; i++) {
        const struct item *item = &out.items[i];
        assert_true(i == 0 || item->score <= out.items[i - 1].score);
        text = arena_printf(&arena, "%.*s%.*s | %.*s\n", FMT(text),
                            FMT(item->kind == NODE_COMMIT ? item->name : item->text),
                            FMT(item->why_count ? item->why[item->why_count - 1] : S("")));
        if (item->kind == NODE_COMMIT)
            text = arena_printf(&arena, "%.*s  %.*s\n", FMT(text), FMT(item->why[0]));
    }
    return arena_cstr(&arena, text);
}

static void the_commit_that_made_a_line_leads_then_what_is_near_it(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c", "ship.c"};
    index_files(paths, 2);
    struct commit_record commits[] = {commit("c3", "c2", 300, "Newest", "pay.c"),
                                      commit("c2", "c1", 200, "Middle", "pay.c"),
                                      commit("c1", "", 100, "Charge once", "pay.c")};
    put(commits, 3);
    finish("c3");
    remember("Far below it rounds.", "", "", "pay.c", 400);
    remember("Cards are charged here.", "", "", "pay.c", 120);
    remember("Parcels leave at noon.", "", "", "ship.c", 120);
    struct recall_input in = {.file = S("pay.c"),
                              .line = 120,
                              .blamed = {.commit = oid("c1"), .path = S("cash.c"), .line = 80}};
    assert_string_equal(recall_all(in), "Charge once | touches pay.c\n"
                                        "  made line 120 of pay.c, then line 80 of cash.c\n"
                                        "Cards are charged here. | mentions pay.c\n"
                                        "Far below it rounds. | mentions pay.c\n"
                                        "Newest | touches pay.c\n  the last to touch pay.c\n"
                                        "Middle | touches pay.c\n  touched pay.c before that\n");
    in.blamed.path = S("pay.c");
    in.blamed.is_cut = true;
    const char *cut = recall_all(in);
    assert_non_null(strstr(cut, "made line 120 of pay.c or found it there: the history ends here"));
    assert_true(strstr(cut, "Charge once") > strstr(cut, "Cards are charged here."));
}

static void a_question_in_words_may_follow_one_of_a_place(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c", "ship.c"};
    index_files(paths, 2);
    remember("Cards are charged here.", "", "", "pay.c", 120);
    recall_all((struct recall_input){.file = S("pay.c"), .line = 3}); /* the first of its process */
    assert_string_equal(recall_all((struct recall_input){.query = S("where is pay.c?")}),
                        "Cards are charged here. | mentions pay.c\n");
}

static void a_line_that_no_commit_made_is_told_without_one(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c"};
    index_files(paths, 1);
    struct commit_record one = commit("c3", "", 100, "Charge once", "pay.c");
    put(&one, 1);
    finish("c3");
    remember("Cards are charged here.", "", "", "pay.c", 120);
    struct recall_input in = {.file = S("pay.c"), .line = 120};
    assert_string_equal(recall_all(in), "Cards are charged here. | mentions pay.c\n"
                                        "Charge once | touches pay.c\n  the last to touch pay.c\n");
    in.blamed = (struct line_origin){.commit = oid("77"), .path = S("pay.c"), .line = 1};
    assert_null(strstr(recall_all(in), "made line")); /* a commit that isn't known here */
}

static void what_speaks_of_the_commit_or_its_issue_comes_with_it(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c"};
    index_files(paths, 1);
    struct commit_record made = commit("c3abd12", "", 100, "Charge once", "pay.c");
    struct commit_reference issue = {COMMIT_REF_TICKET, S("SHOP-12")};
    made.references = &issue;
    made.reference_count = 1;
    put(&made, 1);
    finish("c3abd12");
    remember("In SHOP-12 a customer paid twice.", "", "", "", 0);
    remember("We will look again at c3abd12 after the summer.", "", "", "", 0);
    remember("Parcels leave at noon.", "", "", "", 0);
    struct recall_input in = {.file = S("pay.c"),
                              .line = 120,
                              .blamed = {.commit = oid("c3abd12"), .path = S("pay.c"), .line = 1}};
    const char *told = recall_all(in);
    const char *named = strstr(told, "c3abd12 after"), *issued = strstr(told, "paid twice");
    assert_true(named && issued && named < issued);
    assert_null(strstr(told, "Parcels"));
}

static void a_place_in_the_question_is_found_where_the_worktree_has_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *query, *file, *wanted;
        uint32_t line;
    } rows[] = {
        {"why is pay.c:120 so?", "", "pay.c", 120},
        {"why is /home/me/shop/pay.c:7 so?", "", "pay.c", 7},
        {"nothing.c:3 or pay.c:4", "", "pay.c", 4},
        {"localhost:8080 is down", "", "", 0},
        {"", "pay.c:9", "pay.c", 9},
        {"", "./pay.c", "pay.c", 0},
        {"", "/home/me/shop/pay.c", "pay.c", 0},
        {"", "/home/me/shopping/pay.c", "/home/me/shopping/pay.c", 0},
        {"", "other.c:9", "other.c:9", 0},
        {"see pay.c:3", "ship.c", "ship.c", 0},
    };
    static const char *const paths[] = {"pay.c", "ship.c"};
    struct err e = {0};
    index_files(paths, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct recall_input in = {
            .query = str_of(rows[i].query), .file = str_of(rows[i].file), .root = ROOT};
        assert_true(memory_find_place(m, &arena, &in, &e));
        assert_string_equal(arena_cstr(&arena, in.file), rows[i].wanted);
        assert_int_equal(in.line, rows[i].line);
    }
}

static void what_was_said_on_another_line_of_history_steps_back_and_says_so(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c"};
    struct err e = {0};
    index_files(paths, 1);
    struct commit_record commits[] = {
        commit("c3", "c2", 300, "Three", "pay.c"), commit("d2", "c1", 250, "Aside", "pay.c"),
        commit("e2", "c1", 240, "Tried", "pay.c"), commit("c2", "c1", 200, "Two", "pay.c"),
        commit("c1", "", 100, "One", "pay.c")};
    put(commits, 5);
    remember("The invoice colour is green.", "e2", "attempt", "", 0);
    remember("The invoice colour is blue.", "d2", "feature", "", 0);
    remember("The invoice colour is red.", "c1", "release", "", 0);
    remember("The invoice colour is grey.", "c3", "", "", 0);
    struct commit_history rest = {0};
    str ids[] = {oid("c3"), oid("c2"), oid("c1"), oid("d2"), oid("e2")};
    bool reachable[] = {true, true, true, true, false};
    assert_true(memory_history_reach(m, ids, reachable, 5, &e));
    assert_true(memory_history_finish(m, &arena, ROOT, &(struct history_tips){oid("c3"), S("r")},
                                      &rest, 1000, &e));
    struct recall_input in = {.query = S("invoice colour")};
    assert_string_equal(recall_all(in), "The invoice colour is grey. | holds: invoice, colour\n"
                                        "The invoice colour is red. | holds: invoice, colour\n"
                                        "The invoice colour is blue. | "
                                        "made on branch feature, which this worktree doesn't have\n"
                                        "The invoice colour is green. | "
                                        "made on a commit that no branch has any more\n");
}

static float joined(const char *one, const char *other)
{
    struct err e = {0};
    struct edge_full *edges;
    size_t count;
    int64_t a, b;
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_find_key(m->store, NODE_FILE, str_of(one), &a, &e));
    assert_true(store_find_key(m->store, NODE_FILE, str_of(other), &b, &e));
    assert_true(store_edges(m->store, &arena, a, EDGE_CO_OCCURS, 10, &edges, &count, &e));
    store_read_end(m->store);
    assert_int_equal(count, 1);
    assert_true(edges[0].src + edges[0].dst == a + b);
    return edges[0].weight;
}

static void files_that_change_together_are_joined(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c", "pay.h", "ship.c"};
    index_files(paths, 3);
    struct commit_record commits[] = {
        commit("c4", "c3", 400, "a", "pay.c pay.h"), commit("c3", "c2", 300, "b", "pay.c pay.h"),
        commit("c2", "c1", 200, "c", "pay.c pay.h"), commit("c1", "", 100, "d", "pay.c ship.c")};
    put(commits, 4);
    finish("c4");
    assert_float_equal(joined("pay.c", "pay.h"), 1.0, 1e-6);
    struct commit_record apart = commit("c5", "c4", 500, "e", "pay.h ship.c");
    put(&apart, 1);
    finish("c5");
    assert_float_equal(joined("pay.c", "pay.h"), 0.75, 1e-6);
    finish("c5");
    assert_float_equal(joined("pay.c", "pay.h"), 0.75, 1e-6);
}

static void a_sweep_over_the_tree_touches_nothing(void **state)
{
    (void)state;
    static const char *const paths[] = {"pay.c"};
    index_files(paths, 1);
    struct commit_record sweep = commit("c1", "", 100, "Reformat", "");
    sweep.changes = ARENA_ARRAY(&arena, struct commit_change, MAX_TOUCHED + 1);
    sweep.change_count = MAX_TOUCHED + 1;
    for (size_t i = 0; i < sweep.change_count; i++)
        sweep.changes[i] =
            (struct commit_change){.path = i ? S("other.c") : S("pay.c"), .kind = CHANGE_MODIFIED};
    put(&sweep, 1);
    assert_int_equal(touches_of("pay.c"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(a_commit_is_found_by_its_words_and_put_once),
        TEST(who_asks_why_is_told_the_commit_that_gives_a_reason),
        TEST(a_commit_that_was_carried_to_another_branch_stands_behind_the_first),
        TEST(of_what_no_commit_speaks_nothing_is_told),
        TEST(a_reason_is_known_by_its_words),
        TEST(a_renamed_file_keeps_its_history),
        TEST(a_file_that_is_renamed_later_takes_its_history_along),
        TEST(a_commit_touches_the_symbols_whose_lines_it_changed),
        TEST(taken_away_lines_touch_the_symbol_around_them),
        TEST(without_the_version_only_the_hunks_heading_tells),
        TEST(hunks_that_cannot_be_break_the_line_and_nothing_else),
        TEST(a_changed_place_says_by_which_commit),
        TEST(a_revert_supersedes_and_a_revert_of_it_brings_back),
        TEST(a_commit_taken_back_twice_and_brought_back_once_stays_away),
        TEST(an_id_that_nothing_has_leaves_the_subject),
        TEST(what_a_merge_brought_goes_and_comes_back_with_it),
        TEST(a_revert_that_no_branch_has_any_more_takes_nothing_back),
        TEST(a_reason_becomes_a_memory_that_stands_and_falls_with_its_commit),
        TEST(a_memory_knows_how_its_head_stands_to_the_worktrees),
        TEST(the_commit_that_made_a_line_leads_then_what_is_near_it),
        TEST(a_question_in_words_may_follow_one_of_a_place),
        TEST(a_line_that_no_commit_made_is_told_without_one),
        TEST(what_speaks_of_the_commit_or_its_issue_comes_with_it),
        TEST(a_place_in_the_question_is_found_where_the_worktree_has_the_file),
        TEST(what_was_said_on_another_line_of_history_steps_back_and_says_so),
        TEST(files_that_change_together_are_joined),
        TEST(a_sweep_over_the_tree_touches_nothing),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
