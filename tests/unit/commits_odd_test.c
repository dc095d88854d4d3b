/* Histories that are large, broken, foreign or cut. */
#include "parsers/commit_object.h"
#include "parsers/object_cache.h"
#include "parsers/parsers.h"
#include "parsers/repository.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/support/commits_world.h"

/* ---- bounds ---- */

static void a_commit_of_too_many_files_lists_none(void **state)
{
    (void)state;
    sh("git init -q . && mkdir d && for i in $(seq 1000); do echo $i >d/$i; done\n"
       "git add . && git commit -qm bound\n"
       "for i in $(seq 1000); do echo x >d/$i; done && echo x >one && git add . && git commit -qm "
       "over");
    struct commit_history h = read_all();
    assert_int_equal(h.commits[0].change_count, 0);
    assert_true(h.commits[0].changes_cut);
    assert_int_equal(h.commits[1].change_count, MAX_COMMIT_CHANGES);
    assert_false(h.commits[1].changes_cut);
}

/* Ten trees in each of ten, twelve times: a million million paths, none of them a file's. */
static void a_tree_that_explodes_is_cut(void **state)
{
    (void)state;
    sh("git init -q . && t=$(git mktree </dev/null)\n"
       "for i in $(seq 12); do\n"
       "t=$(for k in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\t%s\\n' $t $k; done | git "
       "mktree)\n"
       "done\n"
       "git update-ref HEAD $(git commit-tree -m bomb $t)");
    alarm(60);
    struct commit_history h = read_all();
    alarm(0);
    assert_int_equal(h.commit_count, 1);
    assert_true(h.commits[0].changes_cut);
    assert_int_equal(h.commits[0].change_count, 0);
}

static void a_tree_too_deep_is_cut(void **state)
{
    (void)state;
    sh("git init -q . && b=$(echo x | git hash-object -w --stdin)\n"
       "t=$(printf '100644 blob %s\\tf\\n' $b | git mktree)\n"
       "for i in $(seq 260); do t=$(printf '040000 tree %s\\td\\n' $t | git mktree); done\n"
       "t=$(printf '040000 tree %s\\td\\n100644 blob %s\\tz\\n' $t $b | git mktree)\n"
       "git update-ref HEAD $(git commit-tree -m deep $t)");
    struct commit_history h = read_all();
    assert_string_equal(changes_of(&h.commits[0]), "added z\n");
    assert_true(h.commits[0].changes_cut);
}

static void paths_that_no_file_can_have_are_left_out(void **state)
{
    (void)state;
    sh("git init -q . && b=$(echo x | git hash-object -w --stdin)\n"
       "raw=$(printf $b | sed 's/../\\\\x&/g')\n"
       "t=$(bash -c \"printf '100644 ..\\0$raw''100644 a/b\\0$raw''100644 ok\\0$raw'\" | "
       "git hash-object -t tree -w --literally --stdin)\n"
       "git update-ref HEAD $(git commit-tree -m odd $t)");
    struct commit_history h = read_all();
    assert_string_equal(changes_of(&h.commits[0]), "added ok\n");
    assert_true(h.commits[0].changes_cut);
}

static void a_message_of_5_mb_is_cut(void **state)
{
    (void)state;
    sh("git init -q . && { echo subject; echo; yes 'some words of a body' | head -c 5000000; echo; "
       "echo 'Signed-off-by: Ann <ann@example.org>'; } >../message\n"
       "echo x >a && git add . && git commit -qF ../message");
    struct commit_history h = read_all();
    assert_string_equal(subjects_of(&h), "subject\n");
    assert_true(h.commits[0].message_cut);
    assert_in_range(h.commits[0].body.len, MAX_COMMIT_BODY_BYTES - 4, MAX_COMMIT_BODY_BYTES);
    assert_string_equal(changes_of(&h.commits[0]), "added a\n");
}

static void a_commit_beyond_the_bound_is_as_good_as_missing(void **state)
{
    (void)state;
    make_commit_of(MAX_COMMIT_BYTES);
    struct commit_history h = read_all();
    assert_string_equal(subjects_of(&h), "later\nlarge\n");
    assert_string_equal(changes_of(&h.commits[0]), "modified f\n");
    assert_string_equal(changes_of(&h.commits[1]), "added f\n");
    assert_false(h.is_shallow);
    make_commit_of(MAX_COMMIT_BYTES + 1);
    h = read_all();
    assert_string_equal(subjects_of(&h), "later\n");
    assert_true(h.is_shallow && h.commits[0].changes_cut);
}

static void objects_of_another_type_or_too_large_are_as_good_as_missing(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        git_object_t type, other;
    } rows[] = {{"HEAD", GIT_OBJECT_COMMIT, GIT_OBJECT_TREE},
                {"HEAD:", GIT_OBJECT_TREE, GIT_OBJECT_BLOB},
                {"HEAD:f", GIT_OBJECT_BLOB, GIT_OBJECT_TREE}};
    sh("git init -q . && echo x >f && git add . && git commit -qm 1");
    str note;
    git_repository *r = repository_open(&arena, str_of(at("")), &note);
    git_odb *odb;
    assert_int_equal(git_repository_odb(&odb, r), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        git_oid id;
        const char *hex = told_by(arena_printf(&arena, "git rev-parse %s", rows[i].name).at);
        size_t bytes =
            (size_t)atoi(told_by(arena_printf(&arena, "git cat-file -s %s", rows[i].name).at));
        assert_true(oid_parse(str_from(hex, GIT_OID_HEXSZ), &id));
        git_odb_object *object = object_read(odb, &id, rows[i].type, bytes);
        assert_non_null(object);
        git_odb_object_free(object);
        assert_null(object_read(odb, &id, rows[i].type, bytes - 1));
        assert_null(object_read(odb, &id, rows[i].other, bytes));
    }
    git_odb_free(odb);
    git_repository_free(r);
}

/* ---- odd texts ---- */

static void what_is_no_utf8_is_repaired_or_converted(void **state)
{
    (void)state;
    sh("git init -q . && touch \"$(printf 'n\\377.c')\" && git add . && t=$(git write-tree)\n"
       "c=$(printf 'tree %s\\nauthor A <a> 1 +0000\\ncommitter A <a> 1 +0000\\n\\ncaf\\351 \\200' "
       "$t |"
       " git hash-object -t commit -w --stdin) && git update-ref HEAD $c && printf 'gr\\374n' "
       ">../raw\n"
       "git -c i18n.commitEncoding=ISO-8859-1 commit -q --allow-empty -F ../raw "
       "--author=\"$(printf 'J\\366rg <j@example.org>')\"");
    struct commit_history h = read_all();
    assert_string_equal(subjects_of(&h), "gr\xC3\xBCn\ncaf\xEF\xBF\xBD \xEF\xBF\xBD\n");
    assert_true(str_eq(h.commits[0].author, S("J\xC3\xB6rg")));
    assert_string_equal(changes_of(&h.commits[1]), "added n\xEF\xBF\xBD.c\n");
}

static void headers_that_are_odd_are_read(void **state)
{
    (void)state;
    sh("git init -q . && t=$(git mktree </dev/null)\n"
       "write() { git update-ref HEAD $(git hash-object -t commit -w --literally --stdin); }\n"
       "printf 'tree %s\\nauthor nobody\\ncommitter Ann <a@b> 99999999999999999 +0000\\n\\nodd\\n' "
       "$t | write");
    struct commit_history h = read_all();
    assert_string_equal(subjects_of(&h), "odd\n");
    assert_true(str_eq(h.commits[0].author, S("nobody")));
    assert_int_equal(h.commits[0].commit_s, 0);
    sh("printf 'tree x\\n\\nno tree\\n' | git hash-object -t commit -w --literally --stdin "
       ">../bad\n"
       "cp ../bad .git/refs/heads/bad");
    h = read_at(at(""), (struct commits_ask){.from_head = true, .all_branches = true});
    assert_string_equal(subjects_of(&h), "odd\n");
}

static void a_mailmap_in_a_fifo_or_behind_a_link_is_not_read(void **state)
{
    (void)state;
    sh("git init -q . && git commit -q --allow-empty -m 1 && mkfifo .mailmap");
    alarm(20);
    struct commit_history h = read_all();
    alarm(0);
    assert_true(str_eq(h.commits[0].author, S("Ann")));
    sh("echo 'Eve <eve@example.org> <ann@example.org>' >../map && rm .mailmap && ln -s ../map "
       ".mailmap");
    h = read_all();
    assert_true(str_eq(h.commits[0].author, S("Ann")));
}

/* ---- odd repositories ---- */

static void a_shallow_clone_ends_where_its_parents_are_missing(void **state)
{
    (void)state;
    sh(arena_printf(&arena, "%sgit clone -q --depth 2 $full .", five_commits).at);
    struct commit_history h = read_all();
    assert_string_equal(subjects_of(&h), "5\n4\n");
    assert_true(h.is_shallow);
    assert_string_equal(changes_of(&h.commits[0]), "modified f\n");
    assert_int_equal(h.commits[1].change_count, 0); /* not: everything was added */
    assert_true(h.commits[1].changes_cut);
    assert_int_equal(h.commits[1].parent_count, 1);
}

/* How it is cloned, and what is missing there. */
static void clones_of_all_kinds_are_read(void **state)
{
    (void)state;
    sh(five_commits);
    static const struct {
        const char *options;
        bool trees_missing;
    } rows[] = {{"", false},
                {"--bare", false},
                {"--shared ../full --", false}, /* by alternates */
                {"--filter=blob:none", false},
                {"--bare --filter=tree:0", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *from = strstr(rows[i].options, "--shared") ? "" : "file://$(cd ../full && pwd)";
        sh(arena_printf(&arena, "rm -rf ../clone; git clone -q %s %s ../clone", rows[i].options,
                        from)
               .at);
        struct commit_history h = read_at(at("../clone"), (struct commits_ask){.from_head = true});
        assert_string_equal(subjects_of(&h), "5\n4\n3\n2\n1\n");
        assert_int_equal(h.commits[0].changes_cut, rows[i].trees_missing);
        assert_string_equal(changes_of(&h.commits[0]), rows[i].trees_missing ? "" : "modified f\n");
        assert_false(h.is_shallow);
        assert_int_equal(h.note.len, 0);
    }
}

/* What git writes beside the objects, so that it needn't read them. */
static void a_commit_graph_changes_nothing_whole_or_broken(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "git commit-graph write --reachable --changed-paths",
        "chmod u+w .git/objects/info/commit-graph && truncate -s 100 "
        ".git/objects/info/commit-graph",
        "rm .git/objects/info/commit-graph && git commit-graph write --reachable --split",
    };
    sh(random_history);
    struct commits_ask ask = {.from_head = true, .all_branches = true};
    struct commit_history before = read_at(at(""), ask);
    assert_true(before.commit_count > 40);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        sh(scripts[i]);
        struct commit_history behind = read_at(at(""), ask);
        assert_string_equal(subjects_of(&behind), subjects_of(&before));
        assert_int_equal(behind.frontier_count, 0);
        assert_int_equal(behind.note.len, 0);
    }
}

/* Runs a script before the third commit. */
struct meddler {
    const char *script;
    int asked;
};

static bool meddle(void *ctx)
{
    struct meddler *m = ctx;
    if (++m->asked == 3)
        sh(m->script);
    return true;
}

static void a_branch_that_moves_while_it_is_read_is_read_as_it_was(void **state)
{
    (void)state;
    static const struct {
        const char *script, *then; /* what a second reading tells */
    } rows[] = {
        {"git commit -q --allow-empty -m 6", "6\n5\n4\n3\n2\n1\n"},
        {"git reset -q --hard HEAD~3 && git commit -q --allow-empty -m 6", "6\n2\n1\n"},
        {"git checkout -q --orphan other && git commit -q --allow-empty -m 6", "6\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sh("rm -rf .git; git init -q . && for i in 1 2 3 4 5; do git commit -q --allow-empty -m "
           "$i; done");
        struct meddler m = {.script = rows[i].script};
        struct commit_history h =
            read_at(at(""), (struct commits_ask){.from_head = true, .go_on = meddle, .ctx = &m});
        assert_string_equal(subjects_of(&h), "5\n4\n3\n2\n1\n");
        h = read_all();
        assert_string_equal(subjects_of(&h), rows[i].then);
    }
}

/* Who forces a branch back and clears up leaves holes under a reader. */
static void commits_that_go_while_they_are_read_end_the_reading(void **state)
{
    (void)state;
    sh("git init -q . && for i in 1 2 3 4 5 6; do git commit -q --allow-empty -m $i; done");
    struct meddler m = {.script = "git reset -q --hard HEAD~5 && git reflog expire --expire=now "
                                  "--all && git prune --expire=now"};
    struct commit_history h =
        read_at(at(""), (struct commits_ask){.from_head = true, .go_on = meddle, .ctx = &m});
    assert_true(str_starts(str_of(subjects_of(&h)), S("6\n5\n")));
    assert_true(h.commit_count < 6);
    h = read_all();
    assert_string_equal(subjects_of(&h), "1\n");
}

static void repositories_without_a_history_say_so_or_have_none(void **state)
{
    (void)state;
    static const struct {
        const char *script, *note;
    } rows[] = {
        {"", ""},
        {"git init -q .", ""},
        {"git init -q --object-format=sha256 . && git commit -q --allow-empty -m 1",
         "SHA-256 repository, which cannot be read"},
        {"git init -q . && git commit -q --allow-empty -m 1 && git config extensions.refStorage "
         "reftable && git config core.repositoryFormatVersion 1",
         "repository with a reftable, which cannot be read"},
        {"git init -q . && git commit -q --allow-empty -m 1 && rm -r .git/objects", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sh(arena_printf(&arena, "rm -rf .git\n%s", rows[i].script).at);
        struct commit_history h = read_all();
        assert_int_equal(h.commit_count, 0);
        if (rows[i].note)
            assert_string_equal(arena_cstr(&arena, h.note), rows[i].note);
    }
}

static void a_detached_head_and_other_branches_are_read(void **state)
{
    (void)state;
    sh("git init -q -b main . && git commit -q --allow-empty -m 1\n"
       "git checkout -q -b side && git commit -q --allow-empty -m side\n"
       "git checkout -q --detach main && git commit -q --allow-empty -m detached");
    struct commit_history h = read_all();
    assert_string_equal(subjects_of(&h), "detached\n1\n");
    h = read_at(at(""), (struct commits_ask){.from_head = true, .all_branches = true});
    assert_int_equal(h.commit_count, 3);
}

static void a_thousand_branches_are_read_at_once(void **state)
{
    (void)state;
    sh("git init -q -b main . && git commit -q --allow-empty -m 0 && t=$(git mktree </dev/null)\n"
       "for i in $(seq 1000); do printf 'commit refs/heads/b%s\\ncommitter Ann <a@b> %s +0000\\n"
       "data 1\\nx\\nfrom refs/heads/main^0\\n' $i $((1600000000 + i)); done | git fast-import "
       "--quiet");
    struct commit_history h =
        read_at(at(""), (struct commits_ask){.from_head = true, .all_branches = true});
    assert_int_equal(h.commit_count, 1001);
    assert_int_equal(read_all().commit_count, 1);
}

static void a_linked_worktree_reads_its_own_head(void **state)
{
    (void)state;
    sh("git init -q -b main . && git commit -q --allow-empty -m 1\n"
       "git worktree add -q ../linked -b side && git -C ../linked commit -q --allow-empty -m "
       "linked");
    struct commit_history h = read_at(at("../linked"), (struct commits_ask){.from_head = true});
    assert_string_equal(subjects_of(&h), "linked\n1\n");
}

static void a_repository_of_another_user_is_not_read(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* nobody else can give a file away */
    sh("git init -q . && git commit -q --allow-empty -m 1 && chown -R 65534 .");
    struct commit_history h = read_all();
    assert_int_equal(h.commit_count, 0);
    assert_string_equal(h.note.at, "the repository belongs to another user");
}

/* libgit2 may read such an object for ever: then the alarm ends it, as a worker's deadline does. It
 * must neither crash nor tell of a commit that isn't there. */
static void a_truncated_object_ends_or_is_ended(void **state)
{
    (void)state;
    sh("git init -q . && for i in 1 2; do echo $i >f && git add . && git commit -qm $i; done");
    static const int lengths[] = {0, 1, 2, 10, 30, 60, 100};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        sh(arena_printf(&arena,
                        "id=$(git rev-parse HEAD~1); f=.git/objects/${id%%${id#??}}/${id#??}\n"
                        "[ -f ../kept ] || cp $f ../kept; chmod u+w $f\n"
                        "head -c %d ../kept >../cut; cp ../cut $f",
                        lengths[i])
               .at);
        pid_t child = fork();
        if (child == 0) {
            alarm(1);
            struct commit_history h = read_all();
            _exit(h.commit_count == 1 && h.is_shallow ? 0 : 1);
        }
        int status;
        waitpid(child, &status, 0);
        bool ended = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
        if (!ended && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
            fail_msg("%d bytes: status %x", lengths[i], status);
    }
}

int main(void)
{
    scratch_set_up_git();
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_commit_of_too_many_files_lists_none),
        SCRATCH_TEST(a_tree_that_explodes_is_cut),
        SCRATCH_TEST(a_tree_too_deep_is_cut),
        SCRATCH_TEST(paths_that_no_file_can_have_are_left_out),
        SCRATCH_TEST(a_message_of_5_mb_is_cut),
        SCRATCH_TEST(what_is_no_utf8_is_repaired_or_converted),
        SCRATCH_TEST(a_commit_beyond_the_bound_is_as_good_as_missing),
        SCRATCH_TEST(objects_of_another_type_or_too_large_are_as_good_as_missing),
        SCRATCH_TEST(headers_that_are_odd_are_read),
        SCRATCH_TEST(a_mailmap_in_a_fifo_or_behind_a_link_is_not_read),
        SCRATCH_TEST(a_shallow_clone_ends_where_its_parents_are_missing),
        SCRATCH_TEST(clones_of_all_kinds_are_read),
        SCRATCH_TEST(a_commit_graph_changes_nothing_whole_or_broken),
        SCRATCH_TEST(a_branch_that_moves_while_it_is_read_is_read_as_it_was),
        SCRATCH_TEST(commits_that_go_while_they_are_read_end_the_reading),
        SCRATCH_TEST(repositories_without_a_history_say_so_or_have_none),
        SCRATCH_TEST(a_detached_head_and_other_branches_are_read),
        SCRATCH_TEST(a_thousand_branches_are_read_at_once),
        SCRATCH_TEST(a_linked_worktree_reads_its_own_head),
        SCRATCH_TEST(a_repository_of_another_user_is_not_read),
        SCRATCH_TEST(a_truncated_object_ends_or_is_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
