#include "memory/facts_commit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ID "0123456789abcdef0123456789abcdef01234567"

static void fill(struct arena *a, struct commit_history *h)
{
    static str parents[] = {{ID, 40}, {ID, 40}}, frontier[] = {{ID, 40}};
    static struct commit_trailer trailers[] = {{{"Fixes", 5}, {"#12", 3}}};
    static struct commit_reference references[] = {{COMMIT_REF_ISSUE, {"#12", 3}},
                                                   {COMMIT_REF_COMMIT, {"0123456", 7}}};
    static struct commit_reason reasons[] = {{true, {"It waits, so that none is lost.", 31}}};
    static struct commit_hunk hunks[] = {{1, 0, 2, 3, {"int f(void)", 11}}};
    static struct commit_change changes[] = {
        {.path = {"a.c", 3},
         .kind = CHANGE_MODIFIED,
         .blob = {ID, 40},
         .old_blob = {ID, 40},
         .hunks = hunks,
         .hunk_count = 1},
        {.path = {"b.c", 3}, .kind = CHANGE_RENAMED, .old_path = {"c.c", 3}, .blob = {ID, 40}}};
    h->commit_count = 2;
    h->commits = ARENA_ARRAY(a, struct commit_record, 2);
    h->commits[0] = (struct commit_record){.id = S(ID),
                                           .parents = parents,
                                           .parent_count = 2,
                                           .author = S("Ann"),
                                           .author_email = S("ann@example.org"),
                                           .author_s = -5,
                                           .commit_s = 1700000000,
                                           .subject = S("fix(queue)!: wait"),
                                           .body = S("It waits.\n"),
                                           .type = S("fix"),
                                           .scope = S("queue"),
                                           .is_breaking = true,
                                           .trailers = trailers,
                                           .trailer_count = 1,
                                           .references = references,
                                           .reference_count = 2,
                                           .reasons = reasons,
                                           .reason_count = 1,
                                           .reverts = S("0123456 89abcdef"),
                                           .reverts_subject = S("queue: don't wait"),
                                           .changes = changes,
                                           .change_count = 2,
                                           .is_merge = true,
                                           .message_cut = true,
                                           .changes_cut = true};
    h->commits[1] = (struct commit_record){.id = S(ID)};
    h->frontier = frontier;
    h->frontier_count = 1;
    static struct commit_tag tags[] = {{{"v1.0", 4}, {ID, 40}, -5}, {{"v1.1", 4}, {ID, 40}, 7}};
    h->tags = tags;
    h->tag_count = 2;
    h->has_tags = true;
    h->is_shallow = true;
    h->note = S("a note");
}

static str pack(struct arena *a, const struct commit_history *h)
{
    struct buf out = {0};
    commit_history_write(&out, h);
    str bytes = arena_str(a, buf_str(&out));
    buf_free(&out);
    return bytes;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct arena a = {0};
    struct commit_history h = {0}, again;
    struct err e = {0};
    fill(&a, &h);
    str bytes = pack(&a, &h);
    assert_true(commit_history_read(&a, bytes, &again, &e));
    assert_true(str_eq(pack(&a, &again), bytes));
    const struct commit_record *c = &again.commits[0];
    assert_int_equal(again.commit_count, 2);
    assert_int_equal(c->author_s, -5);
    assert_int_equal(c->commit_s, 1700000000);
    assert_true(c->is_merge && c->is_breaking && c->message_cut && c->changes_cut);
    assert_true(str_eq(c->changes[1].old_path, S("c.c")));
    assert_true(str_eq(c->changes[0].hunks[0].inside, S("int f(void)")));
    assert_true(str_eq(c->reasons[0].text, S("It waits, so that none is lost.")));
    assert_false(again.commits[1].is_merge);
    assert_true(again.is_shallow);
    assert_true(str_eq(again.note, S("a note")));
    arena_free(&a);
}

static void a_time_is_one_of_a_calendar(void **state)
{
    (void)state;
    static const int64_t said[] = {INT64_MAX, INT64_MIN, 253402300799, -1},
                         read[] = {253402300799, -253402300799, 253402300799, -1};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct arena a = {0};
        struct buf bytes = {0};
        struct err e = {0};
        struct commit_history h = {0}, back;
        fill(&a, &h);
        h.commits[0].author_s = h.commits[0].commit_s = said[i];
        commit_history_write(&bytes, &h);
        assert_true(commit_history_read(&a, buf_str(&bytes), &back, &e));
        assert_int_equal(back.commits[0].author_s, read[i]);
        assert_int_equal(back.commits[0].commit_s, read[i]);
        buf_free(&bytes);
        arena_free(&a);
    }
}

/* Whatever byte is changed or missing, reading ends within bounds: the sanitizers watch. */
static void damage_is_refused_or_harmless(void **state)
{
    (void)state;
    struct arena a = {0};
    struct commit_history h = {0};
    fill(&a, &h);
    str bytes = pack(&a, &h);
    for (size_t i = 0; i <= bytes.len; i++) {
        struct arena mark = a;
        struct commit_history out;
        struct err e = {0};
        bool whole = commit_history_read(&a, str_cut(bytes, 0, i), &out, &e);
        assert_int_equal(whole, i == bytes.len);
        for (int bit = 0; bit < 8 && i < bytes.len; bit++) {
            char *copy = arena_cstr(&a, bytes);
            copy[i] = (char)(copy[i] ^ 1 << bit);
            struct err other = {0};
            if (!commit_history_read(&a, str_from(copy, bytes.len), &out, &other))
                assert_int_equal(other.code, ERR_INPUT);
        }
        arena_rewind(&a, mark);
    }
    arena_free(&a);
}

/* Each row makes one thing wrong. */
static void bounds_are_held(void **state)
{
    (void)state;
    static const struct {
        size_t parents, body, trailers, references, reasons, changes, hunks;
        bool read;
    } rows[] = {
        {MAX_COMMIT_PARENTS, MAX_COMMIT_BODY_BYTES, MAX_COMMIT_TRAILERS, MAX_COMMIT_REFERENCES,
         MAX_COMMIT_REASONS, MAX_COMMIT_CHANGES, MAX_COMMIT_HUNKS, true},
        {MAX_COMMIT_PARENTS + 1, 0, 0, 0, 0, 0, 0, false},
        {0, MAX_COMMIT_BODY_BYTES + 1, 0, 0, 0, 0, 0, false},
        {0, 0, MAX_COMMIT_TRAILERS + 1, 0, 0, 0, 0, false},
        {0, 0, 0, MAX_COMMIT_REFERENCES + 1, 0, 0, 0, false},
        {0, 0, 0, 0, MAX_COMMIT_REASONS + 1, 0, 0, false},
        {0, 0, 0, 0, 0, MAX_COMMIT_CHANGES + 1, 0, false},
        {0, 0, 0, 0, 0, 1, MAX_COMMIT_HUNKS + 1, false},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct commit_record c = {.id = S(ID),
                                  .parent_count = rows[i].parents,
                                  .trailer_count = rows[i].trailers,
                                  .reference_count = rows[i].references,
                                  .reason_count = rows[i].reasons,
                                  .change_count = rows[i].changes};
        char *body = arena_bytes(&a, rows[i].body);
        memset(body, 'x', rows[i].body);
        c.body = str_from(body, rows[i].body);
        c.parents = ARENA_ARRAY(&a, str, rows[i].parents);
        for (size_t k = 0; k < rows[i].parents; k++)
            c.parents[k] = S(ID);
        c.trailers = ARENA_ARRAY(&a, struct commit_trailer, rows[i].trailers);
        for (size_t k = 0; k < rows[i].trailers; k++)
            c.trailers[k].key = S("Key");
        c.references = ARENA_ARRAY(&a, struct commit_reference, rows[i].references);
        for (size_t k = 0; k < rows[i].references; k++)
            c.references[k].text = S("#1");
        c.reasons = ARENA_ARRAY(&a, struct commit_reason, rows[i].reasons);
        for (size_t k = 0; k < rows[i].reasons; k++)
            c.reasons[k].text = S("Because.");
        c.changes = ARENA_ARRAY(&a, struct commit_change, rows[i].changes);
        for (size_t k = 0; k < rows[i].changes; k++)
            c.changes[k].path = S("a");
        if (rows[i].changes) {
            c.changes[0].hunk_count = rows[i].hunks;
            c.changes[0].hunks = ARENA_ARRAY(&a, struct commit_hunk, rows[i].hunks);
        }
        struct buf out = {0};
        struct commit_record again;
        struct err e = {0};
        commit_record_write(&out, &c);
        if (commit_record_read(&a, buf_str(&out), &again, &e) != rows[i].read)
            fail_msg("row %zu: wanted %d", i, rows[i].read);
        buf_free(&out);
    }
    arena_free(&a);
}

static void what_contradicts_itself_is_refused(void **state)
{
    (void)state;
    static struct commit_change unnamed[] = {{.path = {"", 0}}},
                                renamed[] = {{.path = {"a", 1}, .kind = CHANGE_RENAMED}},
                                blob[] = {{.path = {"a", 1}, .blob = {"abc", 3}}};
    static const struct commit_record rows[] = {
        {.id = {"", 0}},
        {.id = {"0123", 4}},
        {.id = {"X123456789abcdef0123456789abcdef01234567", 40}},
        {.id = {ID, 40}, .subject = {"\xFF", 1}},
        {.id = {ID, 40}, .reverts = {"01234", 5}},
        {.id = {ID, 40}, .reverts = {"0123456 012345z", 15}},
        {.id = {ID, 40}, .changes = unnamed, .change_count = 1},
        {.id = {ID, 40}, .changes = renamed, .change_count = 1},
        {.id = {ID, 40}, .changes = blob, .change_count = 1},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf out = {0};
        struct commit_record again;
        struct err e = {0};
        commit_record_write(&out, &rows[i]);
        if (commit_record_read(&a, buf_str(&out), &again, &e))
            fail_msg("row %zu is taken", i);
        buf_free(&out);
    }
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_time_is_one_of_a_calendar),
        cmocka_unit_test(damage_is_refused_or_harmless),
        cmocka_unit_test(bounds_are_held),
        cmocka_unit_test(what_contradicts_itself_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
