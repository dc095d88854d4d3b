/* What a name is tied to as the sources change under it. Sources here are records, as a reader of
 * files would give them; each state of them is indexed to its end. */
#include "memory/code.h"
#include "memory/memory_review.h"
#include "memory/store_tie.h"
#include "memory/ties.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/memory_world.h"

#define ROOT S("/home/me/shop")
enum { MOST = MAX_CALLED_SO + 1 };

static int set_up(void **state)
{
    (void)state;
    make_directory();
    open_memory_with((struct memory_options){0});
    return 0;
}

/* ---- the sources ---- */

/* A file with one function: its name, a hash of its tokens, one of those without its name. */
struct source {
    const char *path, *function;
    uint64_t body, shape;
};

static struct source_file file_of(const struct source *from)
{
    struct source_symbol *symbol = ARENA_NEW(&arena, struct source_symbol);
    *symbol = (struct source_symbol){.name = str_of(from->function),
                                     .kind = SYMBOL_FUNCTION,
                                     .signature = S("int f(void)"),
                                     .line_start = 1,
                                     .line_end = 9,
                                     .parent = NO_SYMBOL,
                                     .body_hash = from->body,
                                     .shape_hash = from->shape};
    return (struct source_file){
        .path = str_of(from->path),
        .blob = arena_printf(&arena, "%s %llu", from->function, (unsigned long long)from->body),
        .facts = {.language = S("c"), .lines = 9, .symbols = symbol, .symbol_count = 1}};
}

static void index_all(const struct source *sources, size_t count)
{
    struct err e = {0};
    struct code_report report;
    struct worktree_files w = {.is_git = true, .head = S("abc"), .branch = S("main")};
    struct source_file *files = ARENA_ARRAY(&arena, struct source_file, count + 1);
    w.entries = ARENA_ARRAY(&arena, struct worktree_entry, count + 1);
    for (size_t i = 0; i < count; i++) {
        files[i] = file_of(&sources[i]);
        w.entries[w.entry_count++] = (struct worktree_entry){.path = files[i].path};
    }
    if (!memory_code_put(m, ROOT, 1000, files, count, &e) ||
        !memory_code_finish(m, &arena, ROOT, 1000, &w, NULL, NULL, &report, &e))
        fail_msg("%s", e.text);
}

enum { SOME = 3 };

static void index_some(const struct source sources[SOME])
{
    size_t count = 0;
    while (count < SOME && sources[count].path)
        count++;
    index_all(sources, count);
}

/* ---- names ---- */

static int64_t name_put(const char *name, const char *type)
{
    struct err e = {0};
    struct entity_ref ref = {0};
    struct provenance from = {.origin = ORIGIN_AGENT, .now_ms = 1000};
    bool ok = memory_write(m, &e);
    ok = ok &&
         store_end(m->store,
                   entity_put(m, &arena, &from, str_of(name), str_of(type), false, 1000, &ref, &e),
                   &e);
    if (!ok || !ref.id)
        fail_msg("%s: %s", name, e.text);
    return ref.id;
}

/* Paths and "path#symbol" of what it is tied to, the newest first. */
static str tied_to(int64_t entity)
{
    struct err e = {0};
    struct edge_full *edges;
    struct node_row row;
    size_t count;
    bool found;
    str all = S("");
    if (!memory_read(m, &e) ||
        !store_edges(m->store, &arena, entity, EDGE_SAME_AS, 8, &edges, &count, &e))
        fail_msg("%s", e.text);
    for (size_t i = 0; i < count; i++) {
        assert_true(store_get_node(m->store, &arena, edges[i].dst, &row, &found, &e) && found);
        all = arena_printf(&arena, "%.*s%s%.*s", FMT(all), i ? " " : "", FMT(row.key));
    }
    store_read_end(m->store);
    return all;
}

static void assert_tied(const char *what, int64_t entity, const char *expected)
{
    str got = tied_to(entity);
    if (!str_eq(got, str_of(expected)))
        fail_msg("%s: tied to '%.*s', not to '%s'", what, FMT(got), expected);
}

/* ---- promises ---- */

/* Name, type, before and first of most histories. */
#define PARCEL "weigh_parcel", "identifier", {{"a.c", "weigh_parcel", 1, 5}}, "a.c#weigh_parcel"

static const struct history {
    const char *what, *name, *type;
    struct source before[SOME];
    const char *first;
    struct source after[SOME];
    const char *then;
} histories[] = {
    {"what is renamed is followed to the only one of its shape",
     PARCEL,
     {{"a.c", "weigh_package", 2, 5}, {"b.c", "open_door", 3, 6}},
     "a.c#weigh_package"},
    {"what has the very body is meant before what has its shape",
     PARCEL,
     {{"b.c", "weigh_package", 2, 5}, {"c.c", "Scale.weigh_parcel", 1, 6}},
     "c.c#Scale.weigh_parcel"},
    {"two of its shape are neither",
     PARCEL,
     {{"b.c", "weigh_package", 2, 5}, {"c.c", "weigh_letter", 3, 5}},
     ""},
    {"two of its body are neither, nor is one of its shape alone",
     PARCEL,
     {{"b.c", "weigh_package", 1, 5}, {"c.c", "weigh_letter", 1, 6}},
     ""},
    {"what is gone is tied to nothing", PARCEL, {{"b.c", "open_door", 3, 6}}, ""},
    {"what is called so elsewhere takes the place of what is gone",
     PARCEL,
     {{"b.c", "weigh_parcel", 2, 6}},
     "b.c#weigh_parcel"},
    {"a file that is gone is tied to nothing",
     "cart.c",
     "path",
     {{"src/cart.c", "weigh_parcel", 1, 5}},
     "src/cart.c",
     {{"src/basket.c", "weigh_parcel", 1, 5}},
     ""},
    {"a file of that name elsewhere takes the place of one that is gone",
     "cart.c",
     "path",
     {{"src/cart.c", "weigh_parcel", 1, 5}},
     "src/cart.c",
     {{"lib/cart.c", "open_door", 3, 6}},
     "lib/cart.c"},
    {"what is still there keeps its name, whoever is called so, too",
     PARCEL,
     {{"a.c", "weigh_parcel", 2, 6}, {"b.c", "weigh_parcel", 3, 7}},
     "a.c#weigh_parcel"},
};
enum { HISTORY_COUNT = sizeof histories / sizeof *histories };

static void a_name_of_sources_that_came_behind_it_follows_them(void **state)
{
    for (size_t i = 0; i < HISTORY_COUNT; i++) {
        const struct history *h = &histories[i];
        int64_t entity = name_put(h->name, h->type);
        assert_tied(h->what, entity, "");
        index_some(h->before);
        assert_tied(h->what, entity, h->first);
        index_some(h->after);
        assert_tied(h->what, entity, h->then);
        assert_int_equal(tear_down(state), 0);
        assert_int_equal(set_up(state), 0);
    }
}

static void a_name_of_sources_that_were_there_before_it_follows_them(void **state)
{
    for (size_t i = 0; i < HISTORY_COUNT; i++) {
        const struct history *h = &histories[i];
        index_some(h->before);
        int64_t entity = name_put(h->name, h->type);
        assert_tied(h->what, entity, h->first);
        index_some(h->after);
        assert_tied(h->what, entity, h->then);
        assert_int_equal(tear_down(state), 0);
        assert_int_equal(set_up(state), 0);
    }
}

static void what_a_symbol_was_is_known_from_its_last_index(void **state)
{
    (void)state;
    static const struct source states[][SOME] = {{{"a.c", "weigh_parcel", 1, 5}},
                                                 {{"a.c", "weigh_parcel", 2, 6}},
                                                 {{"a.c", "weigh_package", 3, 6}}};
    int64_t entity = name_put("weigh_parcel", "identifier");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        index_some(states[i]);
    assert_tied("a changed body", entity, "a.c#weigh_package");
}

static const struct source shop[SOME] = {{"a.c", "weigh_parcel", 1, 5}, {"b.c", "open_door", 2, 6}};
static const struct source renamed[SOME] = {{"a.c", "weigh_package", 3, 5},
                                            {"b.c", "open_gate", 4, 6}};

static str review(const struct edit_input *edit, str undo)
{
    struct err e = {0};
    struct review_result out;
    struct edit_input one = edit ? *edit : (struct edit_input){0};
    struct review_input in = {.from = {.origin = ORIGIN_USER, .now_ms = 2000},
                              .edits = &one,
                              .edit_count = edit != NULL,
                              .undo = undo};
    if (!memory_review(m, &arena, &in, &out, &e))
        fail_msg("%s", e.text);
    assert_int_equal(out.applied_count, 1);
    return arena_printf(&arena, "j%lld", (long long)out.applied[0].journal);
}

static const struct edit_input merge = {
    .action = EDIT_MERGE, .entity = {"weigh_parcel", 12}, .into = {"open_door", 9}};

static void an_entity_that_another_was_merged_into_follows_the_symbols_of_both(void **state)
{
    (void)state;
    index_some(shop);
    int64_t merged = name_put("weigh_parcel", "identifier");
    int64_t into = name_put("open_door", "identifier");
    review(&merge, S(""));
    assert_tied("merged", into, "b.c#open_door a.c#weigh_parcel");
    index_some(renamed);
    assert_tied("merged and renamed", into, "b.c#open_gate a.c#weigh_package");
    index_some(shop);
    assert_tied("and back", into, "b.c#open_door a.c#weigh_parcel");
    assert_tied("the other", merged, "");
}

static void a_merge_that_is_undone_gives_the_ties_back(void **state)
{
    (void)state;
    index_some(shop);
    int64_t merged = name_put("weigh_parcel", "identifier");
    int64_t into = name_put("open_door", "identifier");
    review(NULL, review(&merge, S("")));
    index_some(renamed);
    assert_tied("merged and undone", merged, "a.c#weigh_package");
    assert_tied("the other", into, "b.c#open_gate");
}

/* `count` files that are called the same, each with a function of the same name. */
static void index_many(size_t count)
{
    struct source all[MOST];
    for (size_t i = 0; i < count; i++)
        all[i] = (struct source){arena_printf(&arena, "m%03zu/index.js", i).at, "start_up", i + 1,
                                 i + 1};
    all[7].path = "m007/util/index.js";
    all[8].path = "m008/core/index.js";
    index_all(all, count);
}

static void of_names_that_too_many_share_only_a_whole_path_says_something(void **state)
{
    (void)state;
    static const struct {
        size_t files;
        const char *name, *type, *expected;
    } cases[] = {
        {MAX_CALLED_SO - 1, "index.js", "path", ""},
        {MAX_CALLED_SO - 1, "util/index.js", "path", "m007/util/index.js"},
        {MAX_CALLED_SO - 1, "m007::start_up", "identifier", "m007/util/index.js#start_up"},
        {MAX_CALLED_SO, "core/index.js", "path", ""},
        {MAX_CALLED_SO, "m008::start_up", "identifier", ""},
        {MAX_CALLED_SO + 1, "m400/index.js", "path", "m400/index.js"},
    };
    size_t indexed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].files != indexed)
            index_many(indexed = cases[i].files);
        assert_tied(cases[i].name, name_put(cases[i].name, cases[i].type), cases[i].expected);
    }
}

/* ---- others between two rounds ---- */

struct others {
    int64_t forget; /* an entity that they take away at the first pause; 0: none */
    size_t pauses;
};

static bool let_others_write(void *ctx, struct err *e)
{
    struct others *o = ctx;
    bool ok = store_end(m->store, true, e) && store_begin(m->store, e);
    if (o->pauses++ == 0 && o->forget)
        ok = ok && store_delete_node(m->store, o->forget, e);
    return ok;
}

static void tie_all(struct others *others)
{
    struct err e = {0};
    if (!memory_write(m, &e) ||
        !store_end(m->store, ties_put_all(m->store, &arena, 1000, let_others_write, others, &e),
                   &e))
        fail_msg("%s", e.text);
}

static void untie(int64_t entity)
{
    struct err e = {0};
    struct edge_full *edges;
    size_t count;
    bool ok = memory_write(m, &e) &&
              store_edges(m->store, &arena, entity, EDGE_SAME_AS, 2, &edges, &count, &e);
    assert_true(ok && count == 1);
    assert_true(store_end(m->store, store_delete_edge(m->store, edges[0].id, &e), &e));
}

static void a_name_that_goes_away_between_two_rounds_is_passed_over(void **state)
{
    (void)state;
    index_some(shop);
    for (size_t i = 0; i < TIES_AT_ONCE; i++)
        name_put(arena_printf(&arena, "carrier %03zu", i).at, "quoted");
    int64_t gone = name_put("weigh_parcel", "identifier");
    int64_t stays = name_put("open_door", "identifier");
    untie(gone);
    untie(stays);
    struct others others = {.forget = gone};
    tie_all(&others);
    assert_int_equal(others.pauses, 1);
    assert_tied("the one that went away", gone, "");
    assert_tied("the one behind it", stays, "b.c#open_door");
}

/* Ties of one entity to `count` symbols that nothing defines. */
static void lose_ties(int64_t entity, size_t count)
{
    struct err e = {0};
    bool ok = memory_write(m, &e);
    for (size_t i = 0; ok && i < count; i++) {
        struct node_row symbol = {
            .kind = NODE_SYMBOL, .key = arena_printf(&arena, "gone.c#f%zu", i), .name = S("f")};
        int64_t id;
        ok = store_put_node(m->store, &symbol, &id, &e) &&
             store_put_tie(m->store, entity, id, 1000, &e);
    }
    if (!store_end(m->store, ok, &e))
        fail_msg("%s", e.text);
}

static void however_many_ties_are_lost_others_may_write_behind_each_round(void **state)
{
    (void)state;
    static const struct {
        size_t lost, pauses;
    } cases[] = {{TIES_AT_ONCE - 1, 0}, {TIES_AT_ONCE, 1}, {2 * TIES_AT_ONCE + 1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct others others = {0};
        int64_t entity = name_put("weigh_parcel", "identifier");
        lose_ties(entity, cases[i].lost);
        tie_all(&others);
        assert_int_equal(others.pauses, cases[i].pauses);
        assert_tied("nothing is left", entity, "");
        assert_int_equal(tear_down(state), 0);
        assert_int_equal(set_up(state), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(a_name_of_sources_that_came_behind_it_follows_them),
        PROMISE(a_name_of_sources_that_were_there_before_it_follows_them),
        PROMISE(what_a_symbol_was_is_known_from_its_last_index),
        PROMISE(an_entity_that_another_was_merged_into_follows_the_symbols_of_both),
        PROMISE(a_merge_that_is_undone_gives_the_ties_back),
        PROMISE(of_names_that_too_many_share_only_a_whole_path_says_something),
        PROMISE(a_name_that_goes_away_between_two_rounds_is_passed_over),
        PROMISE(however_many_ties_are_lost_others_may_write_behind_each_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
