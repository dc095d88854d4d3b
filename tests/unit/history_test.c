/* Commits through the header: what they say of files, of each other and of the heads at which
 * memories were made. Records here are hand-made, as a reader of repositories would give them. */
#include "memory/store_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/history_world.h"

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

/* ---- how far it was read ---- */

static size_t known(bool again)
{
    struct err e = {0};
    struct buf ids = {0};
    assert_true(memory_history_known(m, again, &ids, &e));
    size_t count = ids.len / COMMIT_ID_BYTES;
    buf_free(&ids);
    return count;
}

static const char *ends(bool again)
{
    struct err e = {0};
    str *ids = NULL;
    size_t count = 0;
    assert_true(memory_history_ends(m, &arena, again, &ids, &count, &e));
    return count == 1 ? arena_cstr(&arena, ids[0]) : count ? "several" : "";
}

static void what_a_reading_stored_that_was_cut_off_is_told_again(void **state)
{
    (void)state;
    struct commit_record commits[] = {commit("c3", "c2", 300, "Three", "pay.c"),
                                      commit("c2", "c1", 200, "Two", "pay.c")};
    put(commits, 1);
    finish("c3");
    assert_int_equal(known(true), 1);
    put(commits, 2);
    assert_int_equal(known(true), 1);
    assert_int_equal(known(false), 2);
    assert_string_equal(ends(true), "");
    assert_string_equal(ends(false), arena_cstr(&arena, oid("c1")));
    finish("c3");
    assert_int_equal(known(true), 2);
    assert_string_equal(ends(true), arena_cstr(&arena, oid("c1")));
}

static void no_more_is_told_again_than_tells_its_lines(void **state)
{
    (void)state;
    struct commit_record *commits = ARENA_ARRAY(&arena, struct commit_record, MAX_LINE_COMMITS + 1);
    for (size_t i = 0; i <= MAX_LINE_COMMITS; i++) {
        commits[i] = commit("", "", (int64_t)(MAX_LINE_COMMITS + 1 - i), "Change", "");
        commits[i].id = arena_printf(&arena, "%040zx", i);
    }
    put(commits, MAX_LINE_COMMITS);
    assert_int_equal(known(true), 0);
    put(commits, MAX_LINE_COMMITS + 1);
    assert_int_equal(known(true), 1);
    assert_int_equal(known(false), MAX_LINE_COMMITS + 1);
}

/* ---- renames ---- */

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

/* ---- what takes back ---- */

static void take_charge_twice_back(void)
{
    struct commit_record commits[] = {
        commit("c3", "c2", 300, "Revert \"Charge twice\"", "pay.c"),
        commit("c2", "c1", 200, "Charge twice", "pay.c"),
    };
    commits[0].reverts = oid("c2");
    put(commits, 2);
    finish("c3");
}

static void a_revert_supersedes_and_a_revert_of_it_brings_back(void **state)
{
    (void)state;
    take_charge_twice_back();
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
    take_charge_twice_back();
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
        PROMISE(what_a_reading_stored_that_was_cut_off_is_told_again),
        PROMISE(no_more_is_told_again_than_tells_its_lines),
        PROMISE(a_renamed_file_keeps_its_history),
        PROMISE(a_file_that_is_renamed_later_takes_its_history_along),
        PROMISE(a_revert_supersedes_and_a_revert_of_it_brings_back),
        PROMISE(a_commit_taken_back_twice_and_brought_back_once_stays_away),
        PROMISE(an_id_that_nothing_has_leaves_the_subject),
        PROMISE(what_a_merge_brought_goes_and_comes_back_with_it),
        PROMISE(a_revert_that_no_branch_has_any_more_takes_nothing_back),
        PROMISE(a_reason_becomes_a_memory_that_stands_and_falls_with_its_commit),
        PROMISE(a_memory_knows_how_its_head_stands_to_the_worktrees),
        PROMISE(files_that_change_together_are_joined),
        PROMISE(a_sweep_over_the_tree_touches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
