#include "server/place.h"

#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ID_1 "1111111111111111111111111111111111111111"
#define ID_2 "2222222222222222222222222222222222222222"

/* ---- a folder of fixtures ---- */

struct world {
    struct arena arena;
    str top; /* real path */
};

static str at(struct world *w, const char *path)
{
    return *path ? arena_printf(&w->arena, "%.*s/%s", FMT(w->top), path) : w->top;
}

static void make_dir(struct world *w, const char *path)
{
    char *p = arena_cstr(&w->arena, at(w, path));
    for (char *slash = p + w->top.len + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(p, 0700);
    }
    mkdir(p, 0700);
}

/* %s in `text` stands for the world's top. */
static void make_file(struct world *w, const char *path, const char *text)
{
    char *folder = arena_cstr(&w->arena, str_of(path)), *slash = strrchr(folder, '/');
    if (slash) {
        *slash = '\0';
        make_dir(w, folder);
    }
    const char *here = strstr(text, "%s");
    str whole = !here ? str_of(text)
                      : arena_printf(&w->arena, "%.*s%.*s%s", (int)(here - text), text, FMT(w->top),
                                     here + 2);
    FILE *f = fopen(at(w, path).at, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(whole.at, 1, whole.len, f), whole.len);
    assert_int_equal(fclose(f), 0);
}

static void make_git_dir(struct world *w, const char *path, const char *head)
{
    make_dir(w, arena_printf(&w->arena, "%s/objects", path).at);
    make_dir(w, arena_printf(&w->arena, "%s/refs/heads", path).at);
    make_file(w, arena_printf(&w->arena, "%s/HEAD", path).at, head);
}

/* A worktree at `path` of the repository whose common directory is `common`, as git makes it. */
static void make_worktree(struct world *w, const char *common, const char *name, const char *path,
                          const char *head)
{
    str git_dir = arena_printf(&w->arena, "%s/worktrees/%s", common, name);
    make_file(w, arena_printf(&w->arena, "%.*s/HEAD", FMT(git_dir)).at, head);
    make_file(w, arena_printf(&w->arena, "%.*s/commondir", FMT(git_dir)).at, "../..\n");
    make_file(w, arena_printf(&w->arena, "%.*s/gitdir", FMT(git_dir)).at,
              arena_printf(&w->arena, "%%s/%s/.git\n", path).at);
    make_file(w, arena_printf(&w->arena, "%s/.git", path).at,
              arena_printf(&w->arena, "gitdir: %%s/%.*s\n", FMT(git_dir)).at);
}

static void make_everything(struct world *w)
{
    make_git_dir(w, "plain/.git", "ref: refs/heads/main\n");
    make_file(w, "plain/.git/refs/heads/main", ID_1 "\n");
    make_dir(w, "plain/src/deep");
    make_worktree(w, "plain/.git", "one", "trees/one", "ref: refs/heads/feature/x\n");
    make_file(w, "plain/.git/refs/heads/feature/x", ID_2 "\n");
    make_worktree(w, "plain/.git", "two", "trees/two", ID_2 "\n");
    make_worktree(w, "plain/.git", "three", "plain/inside", "ref: refs/heads/packed\n");
    make_file(w, "plain/.git/packed-refs",
              "# pack-refs with: peeled fully-peeled sorted \n" ID_1 " refs/heads/other\n" ID_2
              " refs/heads/packed\n"
              "^" ID_1 "\n");
    make_worktree(w, "plain/.git", "moved", "moved-from", "ref: refs/heads/main\n");
    rename(at(w, "moved-from").at, at(w, "moved-to").at);

    make_git_dir(w, "plain/.git/modules/lib", "ref: refs/heads/main\n");
    make_file(w, "plain/lib/.git", "gitdir: ../.git/modules/lib\n");
    make_git_dir(w, "unborn/.git", "ref: refs/heads/main\n");
    make_git_dir(w, "detached/.git", ID_1 "\n");
    make_git_dir(w, "bare/tool.git", "ref: refs/heads/main\n");
    make_git_dir(w, "layout/.bare", "ref: refs/heads/main\n");
    make_file(w, "layout/.git", "gitdir: ./.bare\n");
    make_worktree(w, "layout/.bare", "dev", "layout/dev", "ref: refs/heads/dev\n");
    make_git_dir(w, "stores/apart", "ref: refs/heads/main\n");
    make_file(w, "apart/.git", "gitdir: %s/stores/apart\n");
    make_git_dir(w, "reftable/.git", "ref: refs/heads/.invalid\n");

    make_dir(w, "nogit/sub");
    make_dir(w, "odd \xc3\xa9 name!/x");
    make_file(w, "lost/.git", "gitdir: %s/nowhere\n");
    make_file(w, "thief/.git", "gitdir: %s/plain/.git\n");
    make_file(w, "copy/.git", "gitdir: %s/plain/.git/worktrees/one\n");
    make_git_dir(w, "planted/.git", "ref: refs/heads/main\n");
    make_file(w, "planted/.git/commondir", "%s/plain/.git\n");
    make_git_dir(w, "climber/.git", "ref: refs/heads/../../../plain/.git/refs/heads/main\n");
    make_git_dir(w, "pipe/.git", "");
    unlink(at(w, "pipe/.git/HEAD").at);
    mkfifo(at(w, "pipe/.git/HEAD").at, 0600);
    make_dir(w, "empty/.git");

    make_git_dir(w, "home/.git", "ref: refs/heads/dotfiles\n");
    make_dir(w, "home/scratch/deep");
    make_git_dir(w, "home/work/.git", "ref: refs/heads/main\n");
}

static int set_up(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    char top[PATH_MAX] = "/tmp/engram-place-XXXXXX", real[PATH_MAX];
    if (!mkdtemp(top) || !realpath(top, real))
        return -1;
    w->top = arena_str(&w->arena, str_of(real));
    make_everything(w);
    *state = w;
    return 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static int tear_down(void **state)
{
    struct world *w = *state;
    nftw(w->top.at, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    arena_free(&w->arena);
    free(w);
    return 0;
}

static bool resolve_in(struct world *w, const char *cwd, struct place *p, struct err *e)
{
    struct place_hints hints = {.cwd = at(w, cwd), .home = at(w, "home")};
    *e = (struct err){0};
    bool ok = place_resolve(&w->arena, &hints, p, e);
    if (ok)
        place_read_head(&w->arena, p);
    return ok;
}

static struct place resolved(struct world *w, const char *cwd)
{
    struct place p;
    struct err e;
    if (!resolve_in(w, cwd, &p, &e))
        fail_msg("%s: %s", cwd, e.text);
    return p;
}

static void check(const char *cwd, const char *what, str found, str wanted)
{
    if (!str_eq(found, wanted))
        fail_msg("%s: %s is \"%.*s\", wanted \"%.*s\"", cwd, what, FMT(found), FMT(wanted));
}

/* ---- tests ---- */

static void a_directory_tells_its_project(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *cwd, *root, *identity, *name, *branch, *head;
    } cases[] = {
        {"plain", "plain", "plain", "plain", "main", ID_1},
        {"plain/src/deep", "plain", "plain", "plain", "main", ID_1},
        {"plain/.git", "plain", "plain", "plain", "main", ID_1},
        {"plain/.git/objects", "plain", "plain", "plain", "main", ID_1},
        {"trees/one", "trees/one", "plain", "plain", "feature/x", ID_2},
        {"trees/two", "trees/two", "plain", "plain", "", ID_2},
        {"plain/inside", "plain/inside", "plain", "plain", "packed", ID_2},
        {"moved-to", "moved-to", "plain", "plain", "main", ID_1},
        {"plain/lib", "plain/lib", "plain/.git/modules/lib", "lib", "main", ""},
        {"unborn", "unborn", "unborn", "unborn", "main", ""},
        {"detached", "detached", "detached", "detached", "", ID_1},
        {"bare/tool.git", "bare/tool.git", "bare/tool.git", "tool", "main", ""},
        {"bare/tool.git/refs", "bare/tool.git", "bare/tool.git", "tool", "main", ""},
        {"layout", "layout", "layout/.bare", "layout", "main", ""},
        {"layout/dev", "layout/dev", "layout/.bare", "layout", "dev", ""},
        {"apart", "apart", "stores/apart", "apart", "main", ""},
        {"reftable", "reftable", "reftable", "reftable", "", ""},
        {"nogit", "nogit", "nogit", "nogit", "", ""},
        {"nogit/sub", "nogit/sub", "nogit/sub", "sub", "", ""},
        {"odd \xc3\xa9 name!", "odd \xc3\xa9 name!", "odd \xc3\xa9 name!", "odd-name", "", ""},
        {"home/scratch/deep", "home/scratch/deep", "home/scratch/deep", "deep", "", ""},
        {"home/work", "home/work", "home/work", "work", "main", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *cwd = cases[i].cwd;
        struct place p = resolved(w, cwd);
        check(cwd, "root", p.root, at(w, cases[i].root));
        check(cwd, "identity", p.identity, at(w, cases[i].identity));
        check(cwd, "name", p.name, str_of(cases[i].name));
        check(cwd, "branch", p.branch, str_of(cases[i].branch));
        check(cwd, "head", p.head, str_of(cases[i].head));
        assert_int_equal(p.id.len, PLACE_ID_DIGITS);
    }
}

static void what_is_no_honest_repository_is_a_directory_of_its_own(void **state)
{
    struct world *w = *state;
    static const char *const cases[] = {"lost",    "thief", "copy", "planted",
                                        "climber", "pipe",  "empty"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct place p = resolved(w, cases[i]);
        check(cases[i], "root", p.root, at(w, cases[i]));
        check(cases[i], "identity", p.identity, at(w, cases[i]));
        check(cases[i], "head", p.head, S(""));
    }
}

static void worktrees_share_an_id_and_others_have_their_own(void **state)
{
    struct world *w = *state;
    str main = resolved(w, "plain").id;
    static const char *const same[] = {"plain/src", "trees/one", "trees/two", "plain/inside",
                                       "moved-to"};
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        check(same[i], "id", resolved(w, same[i]).id, main);
    static const char *const other[] = {"plain/lib", "unborn", "detached", "nogit",
                                        "thief",     "copy",   "planted"};
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
        assert_false(str_eq(resolved(w, other[i]).id, main));
}

static void worktrees_agree_on_the_main_root(void **state)
{
    struct world *w = *state;
    check("trees/one", "main root", resolved(w, "trees/one").main_root, at(w, "plain"));
    check("layout/dev", "main root", resolved(w, "layout/dev").main_root, at(w, "layout"));
    check("plain", "main root", resolved(w, "plain").main_root, at(w, "plain"));
    check("plain/lib", "main root", resolved(w, "plain/lib").main_root, at(w, "plain/lib"));
}

static void git_init_keeps_the_id_of_a_directory(void **state)
{
    struct world *w = *state;
    make_dir(w, "fresh");
    str before = resolved(w, "fresh").id;
    make_git_dir(w, "fresh/.git", "ref: refs/heads/main\n");
    struct place after = resolved(w, "fresh");
    check("fresh", "id", after.id, before);
    check("fresh", "branch", after.branch, S("main"));
}

static void a_renamed_branch_is_read_afresh(void **state)
{
    struct world *w = *state;
    make_git_dir(w, "renamed/.git", "ref: refs/heads/old\n");
    make_file(w, "renamed/.git/refs/heads/old", ID_1 "\n");
    struct place p = resolved(w, "renamed");
    str id = p.id;
    check("renamed", "branch", p.branch, S("old"));
    rename(at(w, "renamed/.git/refs/heads/old").at, at(w, "renamed/.git/refs/heads/new").at);
    make_file(w, "renamed/.git/HEAD", "ref: refs/heads/new\n");
    place_read_head(&w->arena, &p);
    check("renamed", "branch", p.branch, S("new"));
    check("renamed", "head", p.head, S(ID_1));
    check("renamed", "id", resolved(w, "renamed").id, id);
}

static void home_and_root_are_refused_with_what_to_do(void **state)
{
    struct world *w = *state;
    struct place p;
    struct err e;
    assert_false(resolve_in(w, "home", &p, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_non_null(strstr(e.text, "home directory"));
    assert_non_null(strstr(e.text, "ENGRAM_PROJECT"));

    struct place_hints hints = {.project = S("/"), .cwd = at(w, "plain")};
    e = (struct err){0};
    assert_false(place_resolve(&w->arena, &hints, &p, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_non_null(strstr(e.text, "root of the file system"));
    assert_non_null(strstr(e.text, "--project"));
}

static void a_link_to_home_is_home(void **state)
{
    struct world *w = *state;
    struct place p;
    struct err e;
    assert_int_equal(symlink(at(w, "home").at, at(w, "link").at), 0);
    assert_false(resolve_in(w, "link", &p, &e));
    assert_int_equal(e.code, ERR_INPUT);
}

static void the_first_hint_decides(void **state)
{
    struct world *w = *state;
    struct place_hints hints = {
        .project = at(w, "plain/src"),
        .roots_path = at(w, "unborn"),
        .claude_dir = at(w, "nogit"),
        .cwd = at(w, "detached"),
    };
    static const char *const names[] = {"plain", "unborn", "nogit", "detached"};
    str *fields[] = {&hints.project, &hints.roots_path, &hints.claude_dir, &hints.cwd};
    struct place p;
    struct err e = {0};
    for (size_t i = 0; i < 4; i++) {
        assert_true(place_resolve(&w->arena, &hints, &p, &e));
        check(names[i], "name", p.name, str_of(names[i]));
        *fields[i] = S("");
    }
    assert_false(place_resolve(&w->arena, &hints, &p, &e));
    assert_int_equal(e.code, ERR_NOT_FOUND);
}

static void a_missing_directory_or_a_file_is_refused_by_name(void **state)
{
    struct world *w = *state;
    struct place p;
    struct err e;
    assert_false(resolve_in(w, "gone", &p, &e));
    assert_int_equal(e.code, ERR_NOT_FOUND);
    assert_non_null(strstr(e.text, "/gone"));
    assert_false(resolve_in(w, "plain/.git/HEAD", &p, &e));
    assert_int_equal(e.code, ERR_INPUT);
}

static void file_uris_are_decoded(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *uri, *path; /* NULL: refused */
    } cases[] = {
        {"file:///home/me/x", "/home/me/x"},
        {"file://localhost/x", "/x"},
        {"FILE:/x", "/x"},
        {"file:///a%20b%C3%a9", "/a b\xc3\xa9"},
        {"file:///100%", "/100%"},
        {"file:///a%zz", "/a%zz"},
        {"file:///c#/x?y", "/c#/x?y"},
        {"file:///a%00b", NULL},
        {"file://host/x", NULL},
        {"file://", NULL},
        {"file:x", NULL},
        {"https://x/y", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        str path = S("");
        bool ok = place_from_file_uri(&w->arena, str_of(cases[i].uri), &path);
        if (ok != !!cases[i].path)
            fail_msg("%s: %s", cases[i].uri, ok ? "taken" : "refused");
        if (ok)
            check(cases[i].uri, "path", path, str_of(cases[i].path));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_tells_its_project),
        cmocka_unit_test(what_is_no_honest_repository_is_a_directory_of_its_own),
        cmocka_unit_test(worktrees_share_an_id_and_others_have_their_own),
        cmocka_unit_test(worktrees_agree_on_the_main_root),
        cmocka_unit_test(git_init_keeps_the_id_of_a_directory),
        cmocka_unit_test(a_renamed_branch_is_read_afresh),
        cmocka_unit_test(home_and_root_are_refused_with_what_to_do),
        cmocka_unit_test(a_link_to_home_is_home),
        cmocka_unit_test(the_first_hint_decides),
        cmocka_unit_test(a_missing_directory_or_a_file_is_refused_by_name),
        cmocka_unit_test(file_uris_are_decoded),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
