/* The source index through its header: what is read again, what stays, what goes, and what recall
 * answers from it. Sources here are hand-made records, as a reader of files would give them. */
#include "memory/code.h"
#include "memory/memory_state.h"

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
    open_memory_with((struct memory_options){.ppr = true, .neighbours = true, .ranker = true});
    return 0;
}

/* ---- a small shop ---- */

/* One function a file, its body as the window, a call where there is one. */
static struct source_file file_of(const char *path, const char *blob, const char *function,
                                  const char *body, const char *calls)
{
    struct source_symbol *symbol = ARENA_NEW(&arena, struct source_symbol);
    struct source_chunk *chunk = ARENA_NEW(&arena, struct source_chunk);
    struct source_reference *reference = ARENA_NEW(&arena, struct source_reference);
    *symbol = (struct source_symbol){.name = str_of(function),
                                     .kind = SYMBOL_FUNCTION,
                                     .signature = arena_printf(&arena, "int %s(void)", function),
                                     .doc = S("What it is for."),
                                     .line_start = 3,
                                     .line_end = 9,
                                     .parent = NO_SYMBOL};
    *chunk =
        (struct source_chunk){.symbol = 0, .line_start = 1, .line_end = 9, .text = str_of(body)};
    *reference = (struct source_reference){
        .kind = REF_CALL, .from = 0, .name = str_of(calls), .line = 5, .count = 1};
    return (struct source_file){.path = str_of(path),
                                .blob = str_of(blob),
                                .bytes = strlen(body),
                                .mtime_ns = 7,
                                .facts = {.language = S("c"),
                                          .lines = 9,
                                          .symbols = symbol,
                                          .symbol_count = 1,
                                          .references = reference,
                                          .reference_count = *calls != 0,
                                          .chunks = chunk,
                                          .chunk_count = 1}};
}

static void put(str root, const struct source_file *files, size_t count)
{
    struct err e = {0};
    if (!memory_code_put(m, root, 1000, files, count, &e))
        fail_msg("%s", e.text);
}

static struct worktree_files listing(const struct source_file *files, size_t count)
{
    struct worktree_files w = {.is_git = true, .head = S("abc"), .branch = S("main")};
    w.entries = ARENA_ARRAY(&arena, struct worktree_entry, count + 1);
    for (size_t i = 0; i < count; i++)
        w.entries[w.entry_count++] = (struct worktree_entry){
            .path = files[i].path, .bytes = files[i].bytes, .mtime_ns = files[i].mtime_ns};
    return w;
}

static struct code_report finish(str root, const struct source_file *files, size_t count)
{
    struct err e = {0};
    struct code_report report;
    struct worktree_files w = listing(files, count);
    if (!memory_code_finish(m, &arena, root, 1000, &w, NULL, NULL, &report, &e))
        fail_msg("%s", e.text);
    return report;
}

static struct code_plan plan(str root, const struct source_file *files, size_t count)
{
    struct err e = {0};
    struct code_plan out;
    struct worktree_files w = listing(files, count);
    if (!memory_code_plan(m, &arena, root, &w, &out, &e))
        fail_msg("%s", e.text);
    return out;
}

static size_t no_size(void *ctx, const struct item *item)
{
    (void)ctx;
    (void)item;
    return 1;
}

/* "path name, path name": what recall gives for a question, best first. */
static str recall(str root, const char *query)
{
    struct err e = {0};
    struct recall_result out;
    struct buf text = {0};
    struct recall_input in = {.now_ms = 5000,
                              .query = str_of(query),
                              .root = root,
                              .filter = {.node_kinds = 1u << NODE_SYMBOL | 1u << NODE_FILE},
                              .limit = 5,
                              .budget_tokens = 1000};
    if (!memory_recall(m, &arena, &in, no_size, NULL, &out, &e))
        fail_msg("%s: %s", query, e.text);
    for (size_t i = 0; i < out.item_count; i++)
        buf_printf(&text, "%s%.*s %.*s", i ? ", " : "", FMT(out.items[i].path),
                   FMT(out.items[i].name));
    str all = arena_str(&arena, buf_str(&text));
    buf_free(&text);
    return all;
}

#define ASSERT_RECALL(root, query, wanted)                                                         \
    assert_string_equal(arena_cstr(&arena, recall(root, query)), wanted)

static int64_t number(const char *name)
{
    struct err e = {0};
    struct status_line *lines;
    size_t count;
    assert_true(memory_status(m, &arena, 0, &lines, &count, &e));
    for (size_t i = 0; i < count; i++)
        if (str_eq(lines[i].name, str_of(name)))
            return lines[i].number;
    fail_msg("no %s in status", name);
    return -1;
}

static size_t make_shop(struct source_file *files)
{
    files[0] = file_of("src/cart.c", "b1", "cart_total", "sum of the prices in the cart", "");
    files[1] =
        file_of("src/pay.c", "b2", "pay_order", "charge the card for the order", "cart_total");
    files[2] = file_of("src/ship.c", "b3", "ship_parcel", "print a label for the parcel", "");
    put(ROOT, files, 3);
    finish(ROOT, files, 3);
    return 3;
}

/* ---- what it promises ---- */

static void a_question_finds_the_symbol_by_its_words(void **state)
{
    (void)state;
    struct source_file files[3];
    make_shop(files);
    ASSERT_RECALL(ROOT, "where is the parcel label printed", "src/ship.c ship_parcel");
    ASSERT_RECALL(ROOT, "who calls cart_total", "src/pay.c pay_order, src/cart.c cart_total");
}

static void what_did_not_change_is_not_read_again(void **state)
{
    (void)state;
    struct source_file files[3];
    size_t count = make_shop(files);
    assert_int_equal(plan(ROOT, files, count).read_count, 0);
    files[1].mtime_ns = 8;
    struct code_plan changed = plan(ROOT, files, count);
    assert_int_equal(changed.read_count, 1);
    assert_int_equal(changed.reads[0].entry, 1);
    assert_string_equal(arena_cstr(&arena, changed.reads[0].known), "b2");
}

static void a_symbol_keeps_its_number_when_its_file_changes(void **state)
{
    (void)state;
    struct err e = {0};
    struct source_file files[3];
    int64_t before, after;
    make_shop(files);
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_find_key(m->store, NODE_SYMBOL, S("src/pay.c#pay_order"), &before, &e));
    store_read_end(m->store);
    files[1] = file_of("src/pay.c", "b9", "pay_order", "refuse an order without an address", "");
    put(ROOT, files + 1, 1);
    struct code_report report = finish(ROOT, files, 3);
    assert_int_equal(report.forgotten, 1);
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_find_key(m->store, NODE_SYMBOL, S("src/pay.c#pay_order"), &after, &e));
    store_read_end(m->store);
    assert_int_equal(before, after);
    ASSERT_RECALL(ROOT, "order without an address", "src/pay.c pay_order");
    ASSERT_RECALL(ROOT, "charge the card", "");
    ASSERT_RECALL(ROOT, "who calls cart_total", "src/cart.c cart_total");
}

static void a_file_that_is_gone_is_told_no_more(void **state)
{
    (void)state;
    struct source_file files[3];
    make_shop(files);
    finish(ROOT, files, 2);
    ASSERT_RECALL(ROOT, "label for the parcel", "");
    assert_int_equal(number("files"), 2);
    assert_int_equal(number("symbols"), 2);
}

static void two_worktrees_share_what_is_the_same_and_see_only_their_own(void **state)
{
    (void)state;
    const str other = S("/home/me/shop-fix");
    struct source_file files[3], theirs[3];
    make_shop(files);
    memcpy(theirs, files, sizeof theirs);
    struct code_plan fresh = plan(other, files, 3);
    assert_int_equal(fresh.read_count, 3);
    assert_string_equal(arena_cstr(&arena, fresh.reads[0].known), "b1");
    theirs[0].known = theirs[1].known = true;
    theirs[2] = file_of("src/ship.c", "b7", "ship_parcel", "hand the drone its coordinates", "");
    put(other, theirs, 3);
    finish(other, theirs, 3);
    assert_int_equal(number("symbols"), 3);
    ASSERT_RECALL(other, "drone coordinates", "src/ship.c ship_parcel");
    ASSERT_RECALL(ROOT, "drone coordinates", "");
    ASSERT_RECALL(ROOT, "label for the parcel", "src/ship.c ship_parcel");
    ASSERT_RECALL(other, "print a label", "");
    struct err e = {0};
    assert_true(memory_code_drop_worktree(m, other, &e));
    ASSERT_RECALL(ROOT, "label for the parcel", "src/ship.c ship_parcel");
}

static void an_index_that_did_not_come_to_its_end_is_not_whole(void **state)
{
    (void)state;
    struct err e = {0};
    struct source_file files[3];
    struct code_worktree *worktrees;
    size_t count;
    files[0] = file_of("src/cart.c", "b1", "cart_total", "sum of the prices in the cart", "");
    put(ROOT, files, 1);
    assert_true(memory_code_worktrees(m, &arena, &worktrees, &count, &e));
    assert_int_equal(count, 1);
    assert_false(worktrees[0].is_whole);
    finish(ROOT, files, 1);
    assert_true(memory_code_worktrees(m, &arena, &worktrees, &count, &e));
    assert_true(worktrees[0].is_whole);
    assert_int_equal(worktrees[0].files, 1);
}

static void a_file_that_is_skipped_says_why_and_is_known_by_its_name(void **state)
{
    (void)state;
    struct err e = {0};
    struct code_worktree *worktrees;
    size_t count;
    struct source_file file = {
        .path = S("img/logo.bin"), .bytes = 4, .mtime_ns = 7, .skipped = S("binary")};
    put(ROOT, &file, 1);
    finish(ROOT, &file, 1);
    assert_int_equal(plan(ROOT, &file, 1).read_count, 0);
    assert_true(memory_code_worktrees(m, &arena, &worktrees, &count, &e));
    assert_int_equal(worktrees[0].skipped, 1);
    assert_int_equal(worktrees[0].files, 0);
    ASSERT_RECALL(ROOT, "img/logo.bin",
                  "img/logo.bin img/logo.bin"); /* its name is known all the same */
}

/* ---- memories and the places that they speak of ---- */

static int64_t remember_place(const char *text, const char *path, const char *symbol, uint32_t line)
{
    struct err e = {0};
    struct anchor_input anchor = {.path = str_of(path), .symbol = str_of(symbol), .line = line};
    struct remember_input in = {.from = {.origin = ORIGIN_USER, .now_ms = 2000},
                                .text = str_of(text),
                                .anchors = &anchor,
                                .anchor_count = 1};
    struct remember_result out;
    if (!memory_remember(m, &arena, &in, &out, &e))
        fail_msg("%s", e.text);
    return out.id;
}

static str state_of(int64_t memory, str *note)
{
    struct err e = {0};
    struct recall_result out;
    str id = node_id_format(&arena, NODE_MEMORY, memory);
    struct recall_input in = {
        .now_ms = 5000, .ids = &id, .id_count = 1, .root = ROOT, .budget_tokens = 1000};
    if (!memory_recall(m, &arena, &in, no_size, NULL, &out, &e))
        fail_msg("%s", e.text);
    *note = out.items[0].stale_note;
    return out.items[0].stale;
}

#define ASSERT_STATE(memory, wanted, noted)                                                        \
    do {                                                                                           \
        str note_, state_ = state_of((memory), &note_);                                            \
        assert_string_equal(arena_cstr(&arena, state_), wanted);                                   \
        assert_string_equal(arena_cstr(&arena, note_), noted);                                     \
    } while (0)

static void set_hashes(struct source_file *f, uint64_t body, uint64_t shape)
{
    f->facts.symbols[0].body_hash = body;
    f->facts.symbols[0].shape_hash = shape;
}

static void a_memory_says_when_the_code_that_it_speaks_of_changed(void **state)
{
    (void)state;
    struct source_file files[3];
    make_shop(files);
    int64_t by_line = remember_place("the total leaves out gifts", "src/cart.c", "", 5);
    int64_t by_name = remember_place("cards are charged once a day", "src/pay.c", "pay_order", 0);
    finish(ROOT, files, 3);
    ASSERT_STATE(by_line, "", "");
    ASSERT_STATE(by_name, "", "");
    files[0] = file_of("src/cart.c", "b8", "cart_total", "sum of all prices", "");
    set_hashes(&files[0], 77, 78);
    put(ROOT, files, 1);
    finish(ROOT, files, 3);
    ASSERT_STATE(by_line, "changed", "cart_total in src/cart.c is no longer what it was");
    ASSERT_STATE(by_name, "", "");
}

static void an_anchor_follows_a_renamed_function_where_only_one_can_be_meant(void **state)
{
    (void)state;
    struct source_file files[3];
    make_shop(files);
    set_hashes(&files[2], 5, 6);
    files[2].blob = S("b4");
    put(ROOT, files, 3);
    finish(ROOT, files, 3);
    int64_t memory = remember_place("labels are A6", "src/ship.c", "ship_parcel", 0);
    finish(ROOT, files, 3);
    files[2] = file_of("src/send.c", "b5", "send_parcel", "print a label for the parcel", "");
    set_hashes(&files[2], 9, 6); /* another name, else the same */
    put(ROOT, files + 2, 1);
    struct source_file now[] = {files[0], files[1], files[2]};
    now[0].path = S("src/cart.c");
    finish(ROOT, now, 3);
    ASSERT_STATE(memory, "", "");
}

static void a_memory_says_when_the_code_is_gone_or_may_have_moved(void **state)
{
    (void)state;
    struct source_file files[4];
    make_shop(files);
    set_hashes(&files[2], 5, 6);
    files[2].blob = S("b4");
    put(ROOT, files, 3);
    finish(ROOT, files, 3);
    int64_t memory = remember_place("labels are A6", "src/ship.c", "ship_parcel", 0);
    finish(ROOT, files, 3);
    finish(ROOT, files, 2);
    ASSERT_STATE(memory, "gone", "ship_parcel of src/ship.c is gone");
    files[2] = file_of("src/send.c", "b5", "ship_parcel", "print", "");
    files[3] = file_of("src/mail.c", "b6", "ship_parcel", "print", "");
    set_hashes(&files[2], 5, 6);
    set_hashes(&files[3], 5, 6);
    struct source_file now[] = {files[0], files[3], files[1], files[2]};
    put(ROOT, now, 4);
    finish(ROOT, now, 4);
    ASSERT_STATE(memory, "moved",
                 "ship_parcel of src/ship.c: possibly moved to ship_parcel of src/mail.c, or"
                 " elsewhere");
}

static void a_name_in_a_memory_leads_to_the_symbol_that_it_means(void **state)
{
    (void)state;
    struct err e = {0};
    struct source_file files[3];
    struct edge_full *edges;
    size_t count;
    int64_t symbol, entity;
    make_shop(files);
    remember_place("cart_total() leaves out gifts", "README", "", 0);
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_find_key(m->store, NODE_SYMBOL, S("src/cart.c#cart_total"), &symbol, &e));
    assert_true(entity_find(m, &arena, S("cart_total"), &entity, &e));
    assert_true(store_edges(m->store, &arena, entity, EDGE_SAME_AS, 5, &edges, &count, &e));
    store_read_end(m->store);
    assert_int_equal(count, 1);
    assert_int_equal(edges[0].dst, symbol);
}

static void secrets_in_sources_are_not_stored(void **state)
{
    (void)state;
    struct err e = {0};
    struct source_file file =
        file_of("a.c", "b1", "login", "key = \"ghp_0123456789abcdefghijklmnopqrstuvwxyzAB\"", "");
    file.facts.symbols[0].signature = S("login(ghp_0123456789abcdefghijklmnopqrstuvwxyzAB)");
    put(ROOT, &file, 1);
    finish(ROOT, &file, 1);
    memory_close(m);
    char command[256];
    snprintf(command, sizeof command, "! grep -rqa ghp_0123456789 '%s'", directory);
    assert_int_equal(system(command), 0);
    struct memory_options options = {
        .directory = str_of(directory), .monotonic_ms = tick, .sleep_ms = pass};
    assert_true(memory_open(&options, &m, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(a_question_finds_the_symbol_by_its_words),
        TEST(what_did_not_change_is_not_read_again),
        TEST(a_symbol_keeps_its_number_when_its_file_changes),
        TEST(a_file_that_is_gone_is_told_no_more),
        TEST(two_worktrees_share_what_is_the_same_and_see_only_their_own),
        TEST(an_index_that_did_not_come_to_its_end_is_not_whole),
        TEST(a_file_that_is_skipped_says_why_and_is_known_by_its_name),
        TEST(a_memory_says_when_the_code_that_it_speaks_of_changed),
        TEST(an_anchor_follows_a_renamed_function_where_only_one_can_be_meant),
        TEST(a_memory_says_when_the_code_is_gone_or_may_have_moved),
        TEST(a_name_in_a_memory_leads_to_the_symbol_that_it_means),
        TEST(secrets_in_sources_are_not_stored),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
