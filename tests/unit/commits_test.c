/* What a history is told as: commits, what they changed, where they stand to the head. */
#include "parsers/parsers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/commits_world.h"

/* ---- commits ---- */

static void a_commit_tells_who_when_and_what_changed(void **state)
{
    (void)state;
    sh("git init -q -b main . && mkdir d && echo a >a.c && echo b >d/b.c && echo same >old.c\n"
       "git add . && GIT_AUTHOR_DATE='1600000000 +0200' GIT_COMMITTER_DATE='1600000100 +0000' "
       "git commit -qm 'first: one' -m 'The body.' -m 'Fixes: #12'\n"
       "echo A >a.c && git rm -q d/b.c && mkdir n && git mv old.c n/new.c && echo c >c.c && git "
       "add .\n"
       "printf 'Bea <bea@example.org> <ann@example.org>\\n' >.mailmap\n"
       "GIT_COMMITTER_DATE='1600000200 +0000' git commit -qm second");
    struct commit_history h = read_all();
    assert_string_equal(subjects_of(&h), "second\nfirst: one\n");
    const struct commit_record *second = &h.commits[0], *first = &h.commits[1];
    assert_string_equal(changes_of(second), "modified a.c\n"
                                            "added c.c\n"
                                            "deleted d/b.c\n"
                                            "renamed n/new.c from old.c\n");
    assert_string_equal(changes_of(first), "added a.c\nadded d/b.c\nadded old.c\n");
    assert_true(str_eq(second->changes[0].old_blob, first->changes[0].blob));
    assert_true(str_eq(second->changes[2].blob, first->changes[1].blob));
    assert_true(str_eq(second->changes[3].blob, first->changes[2].blob));
    assert_int_equal(second->parent_count, 1);
    assert_true(str_eq(second->parents[0], first->id));
    assert_true(str_eq(first->author, S("Bea")));
    assert_true(str_eq(first->author_email, S("bea@example.org")));
    assert_int_equal(first->author_s, 1600000000);
    assert_int_equal(first->commit_s, 1600000100);
    assert_true(str_eq(first->body, S("The body.")));
    assert_int_equal(first->trailer_count, 1);
    assert_false(first->changes_cut || second->changes_cut || second->is_merge);
    assert_string_equal(told_by("git rev-parse HEAD"),
                        arena_printf(&arena, "%.*s\n", FMT(second->id)).at);
}

static void random_histories_are_told_as_git_tells_them(void **state)
{
    (void)state;
    sh(random_history);
    struct commit_history h =
        read_at(at(""), (struct commits_ask){.from_head = true, .all_branches = true});
    str ours = S("");
    for (size_t i = 0; i < h.commit_count; i++)
        ours = arena_printf(&arena, "%.*scommit %.*s\n%s", FMT(ours), FMT(h.commits[i].id),
                            changes_of(&h.commits[i]));
    const char *git =
        told_by("git log --branches --format='commit %H' --name-status -M100% | sed -E "
                "'/^$/d; s/^A\\t/added /; s/^M\\t/modified /; s/^D\\t/deleted /; "
                "s/^R100\\t([^\\t]*)\\t(.*)/renamed \\2 from \\1/'");
    assert_true(h.commit_count > 40);
    assert_string_equal(ours.at, git);
}

static bool is_among(const struct commit_history *h, str id)
{
    for (size_t i = 0; i < h->commit_count; i++)
        if (str_eq(h->commits[i].id, id))
            return true;
    return false;
}

static void a_history_read_in_pieces_is_the_whole_history(void **state)
{
    (void)state;
    sh(random_history);
    struct commit_history whole =
        read_at(at(""), (struct commits_ask){.from_head = true, .all_branches = true});
    struct commits_ask ask = {.from_head = true, .all_branches = true, .most = 7};
    size_t pieces = 0;
    struct commit_history all = {0};
    do {
        struct commit_history piece = read_at(at(""), ask);
        assert_true(piece.commit_count <= 7);
        for (size_t i = 0; i < piece.commit_count; i++)
            if (!is_among(&all, piece.commits[i].id)) {
                ARENA_GROW(&arena, all.commits, all.commit_count, all.commit_capacity);
                all.commits[all.commit_count++] = piece.commits[i];
            }
        ask = (struct commits_ask){
            .tips = piece.frontier, .tip_count = piece.frontier_count, .most = 7};
        pieces++;
    } while (ask.tip_count);
    assert_int_equal(all.commit_count, whole.commit_count);
    assert_true(pieces >= whole.commit_count / 7);
    for (size_t i = 0; i < whole.commit_count; i++)
        assert_true(is_among(&all, whole.commits[i].id));
}

static struct commit_history read_behind(str known)
{
    char bytes[COMMIT_ID_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)strtol(arena_cstr(&arena, str_cut(known, 2 * i, 2 * i + 2)), NULL, 16);
    return read_at(at(""),
                   (struct commits_ask){.from_head = true, .known = str_from(bytes, sizeof bytes)});
}

static void what_is_known_is_not_read_again(void **state)
{
    (void)state;
    sh("git init -q . && for i in 1 2 3 4 5; do git commit -q --allow-empty -m $i; done");
    struct commit_history all = read_all();
    assert_int_equal(all.commit_count, 5);
    struct commit_history news = read_behind(all.commits[2].id);
    assert_string_equal(subjects_of(&news), "5\n4\n");
    assert_int_equal(news.frontier_count, 0);
    news = read_behind(all.commits[0].id);
    assert_int_equal(news.commit_count, 0);
}

static bool twice(void *ctx)
{
    return ++*(int *)ctx <= 2;
}

static void reading_ends_when_it_is_told_to(void **state)
{
    (void)state;
    sh("git init -q . && for i in 1 2 3 4 5; do git commit -q --allow-empty -m $i; done");
    int asked = 0;
    struct commit_history h =
        read_at(at(""), (struct commits_ask){.from_head = true, .go_on = twice, .ctx = &asked});
    assert_int_equal(h.commit_count, 2);
    assert_int_equal(h.frontier_count, 1);
}

static void tips_must_be_ids_and_may_be_gone(void **state)
{
    (void)state;
    sh("git init -q . && git commit -q --allow-empty -m 1");
    str gone[] = {S("0123456789abcdef0123456789abcdef01234567")}, bad[] = {S("HEAD")};
    struct commit_history h = read_at(at(""), (struct commits_ask){.tips = gone, .tip_count = 1});
    assert_int_equal(h.commit_count, 0);
    struct err e = {0};
    struct commits_ask ask = {.tips = bad, .tip_count = 1, .most = 1};
    assert_false(commits_read(&arena, str_of(at("")), &ask, keep, &h, &h, &e));
    assert_int_equal(e.code, ERR_INPUT);
}

static void a_merge_is_told_by_its_parents(void **state)
{
    (void)state;
    sh("git init -q -b main . && echo 0 >0 && git add . && git commit -qm 0\n"
       "for i in 1 2 3 4; do git checkout -q -b b$i main && echo $i >$i && git add . && "
       "git commit -qm $i; done\n"
       "git checkout -q main && git merge -q -m octopus b1 b2 b3 b4 >/dev/null");
    struct commit_history h = read_all();
    assert_int_equal(h.commit_count, 6);
    assert_true(h.commits[0].is_merge);
    assert_int_equal(h.commits[0].parent_count, 5 - 1); /* main is an ancestor of all */
    assert_int_equal(h.commits[0].change_count, 0);
    assert_false(h.commits[0].changes_cut);
}

/* ---- lines ---- */

static void changed_lines_are_told_with_what_they_stand_in(void **state)
{
    (void)state;
    sh("git init -q . && printf 'int f(void)\\n{\\n    a;\\n    b;\\n}\\n\\nint g(void)\\n{\\n    "
       "c;\\n"
       "}\\n' >a.c && printf 'a\\0b' >bin && printf 'x' >end && git add . && git commit -qm 1\n"
       "printf 'int f(void)\\n{\\n    A;\\n    b;\\n    b2;\\n}\\n\\nint g(void)\\n{\\n}\\n' >a.c\n"
       "printf 'a\\0c' >bin && printf 'x\\ny' >end && git add . && git commit -qm 2");
    struct commit_history h =
        read_at(at(""), (struct commits_ask){.from_head = true, .lines_for = 1});
    const struct commit_change *changes = h.commits[0].changes;
    static const struct commit_hunk wanted[] = {
        {3, 1, 3, 1, {"int f(void)", 11}},
        {4, 0, 5, 1, {"int f(void)", 11}},
        {9, 1, 9, 0, {"int g(void)", 11}},
    };
    assert_int_equal(changes[0].hunk_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_memory_equal(&changes[0].hunks[i], &wanted[i], offsetof(struct commit_hunk, inside));
        assert_true(str_eq(changes[0].hunks[i].inside, wanted[i].inside));
    }
    assert_int_equal(changes[1].hunk_count, 0);
    assert_int_equal(changes[2].hunk_count, 1);
    assert_int_equal(h.commits[1].changes[0].hunk_count, 0);
}

static void lines_of_too_much_are_cut(void **state)
{
    (void)state;
    sh("git init -q . && seq 600 >many && git add . && git commit -qm 1\n"
       "seq 600 | sed 's/[02468]$/&x/' >many && git add . && git commit -qm 2");
    struct commit_history h =
        read_at(at(""), (struct commits_ask){.from_head = true, .lines_for = 1});
    assert_int_equal(h.commits[0].changes[0].hunk_count, MAX_COMMIT_HUNKS);
    assert_true(h.commits[0].changes_cut);
}

static void files_up_to_a_bound_are_compared(void **state)
{
    (void)state;
    sh("git init -q . && for n in 1 2; do\n"
       "for f in most:1048576 more:1048577; do\n"
       "{ echo $n && yes | head -c ${f#*:}; } | head -c ${f#*:} >${f%:*}\n"
       "done && git add . && git commit -qm $n; done");
    struct commit_history h =
        read_at(at(""), (struct commits_ask){.from_head = true, .lines_for = 1});
    assert_string_equal(changes_of(&h.commits[0]), "modified more\nmodified most\n");
    assert_int_equal(h.commits[0].changes[0].hunk_count, 0);
    assert_int_equal(h.commits[0].changes[1].hunk_count, 1);
    assert_false(h.commits[0].changes_cut);
}

/* ---- ancestry ---- */

static void a_commit_stands_before_head_beside_it_or_nowhere(void **state)
{
    (void)state;
    sh("git init -q -b main . && c() { git commit -q --allow-empty -m \"$1\" && git rev-parse HEAD "
       ">>../ids; }\n"
       "c base; git checkout -q -b side && c side; git checkout -q --detach && c tagged\n"
       "git tag -a -m t v1; c abandoned; git checkout -q main && c head\n"
       "printf '0123456789abcdef0123456789abcdef01234567\\n' >>../ids");
    static const enum commit_ancestry wanted[] = {ANCESTRY_HEAD, ANCESTRY_OTHER, ANCESTRY_OTHER,
                                                  ANCESTRY_NONE, ANCESTRY_HEAD,  ANCESTRY_NONE};
    enum { COUNT = sizeof wanted / sizeof *wanted };
    str ids[COUNT], rest = str_of(told_by("cat ../ids")), note;
    enum commit_ancestry out[COUNT];
    struct err e = {0};
    for (size_t i = 0; i < COUNT; i++)
        assert_true(str_next_line(&rest, &ids[i]));
    assert_true(commits_ancestry(&arena, str_of(at("")), ids, COUNT, out, &note, &e));
    assert_memory_equal(out, wanted, sizeof wanted);
    assert_int_equal(note.len, 0);

    sh("rm -rf .git");
    assert_true(commits_ancestry(&arena, str_of(at("")), ids, COUNT, out, &note, &e));
    assert_int_equal(out[0], ANCESTRY_NONE);
    ids[0] = S("main");
    assert_false(commits_ancestry(&arena, str_of(at("")), ids, 1, out, &note, &e));
    assert_int_equal(e.code, ERR_INPUT);
}

int main(void)
{
    scratch_set_up_git();
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_commit_tells_who_when_and_what_changed),
        SCRATCH_TEST(random_histories_are_told_as_git_tells_them),
        SCRATCH_TEST(a_history_read_in_pieces_is_the_whole_history),
        SCRATCH_TEST(what_is_known_is_not_read_again),
        SCRATCH_TEST(reading_ends_when_it_is_told_to),
        SCRATCH_TEST(tips_must_be_ids_and_may_be_gone),
        SCRATCH_TEST(a_merge_is_told_by_its_parents),
        SCRATCH_TEST(changed_lines_are_told_with_what_they_stand_in),
        SCRATCH_TEST(lines_of_too_much_are_cut),
        SCRATCH_TEST(files_up_to_a_bound_are_compared),
        SCRATCH_TEST(a_commit_stands_before_head_beside_it_or_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
