/* Commits in recall: by their words, of a place, and as what memories were made on. */
#include "memory/commit_rank.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/history_world.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(a_commit_is_found_by_its_words_and_put_once),
        PROMISE(who_asks_why_is_told_the_commit_that_gives_a_reason),
        PROMISE(a_commit_that_was_carried_to_another_branch_stands_behind_the_first),
        PROMISE(of_what_no_commit_speaks_nothing_is_told),
        PROMISE(a_reason_is_known_by_its_words),
        PROMISE(the_commit_that_made_a_line_leads_then_what_is_near_it),
        PROMISE(a_question_in_words_may_follow_one_of_a_place),
        PROMISE(a_line_that_no_commit_made_is_told_without_one),
        PROMISE(what_speaks_of_the_commit_or_its_issue_comes_with_it),
        PROMISE(a_place_in_the_question_is_found_where_the_worktree_has_the_file),
        PROMISE(what_was_said_on_another_line_of_history_steps_back_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
