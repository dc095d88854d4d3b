/* A memory in a folder of its own, and commits made by hand, as a reader of repositories would give
 * them. Included by one unit test each, behind cmocka.h. */
#ifndef ENGRAM_TESTS_HISTORY_WORLD_H
#define ENGRAM_TESTS_HISTORY_WORLD_H

#include "memory/code.h"
#include "memory/history.h"
#include "memory/store_code.h"
#include "tests/support/memory_world.h"

#define ROOT S("/home/me/shop")

static void open_memory(void)
{
    open_memory_with(
        (struct memory_options){.ppr = true, .neighbours = true, .ranker = true, .history = true});
}

/* What a killed process left, opened by the next. */
static inline void open_anew(void)
{
    open_memory();
}

static int set_up(void **state)
{
    (void)state;
    clock_ms = 0;
    arena = (struct arena){0};
    make_directory();
    open_memory();
    return 0;
}

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

static inline void index_files(const char *const *paths, size_t count)
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

static inline size_t no_size(void *ctx, const struct item *item)
{
    (void)ctx;
    (void)item;
    return 1;
}

/* Ids of the commits that touch a path. */
static inline size_t touches_of(const char *path)
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

#endif
