#include "server/projects.h"

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

/* A temporary directory with projects in work/, data in data/, and a home of its own; new for every
 * test. */
struct world {
    struct arena arena;
    str top;
    struct config config;
    struct projects *projects;
    struct err e;
};

static str at(struct world *w, const char *path)
{
    return arena_printf(&w->arena, "%.*s/%s", FMT(w->top), path);
}

static void make_file(struct world *w, str path, const char *text)
{
    FILE *f = fopen(arena_cstr(&w->arena, path), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static str read_file(struct world *w, str path)
{
    char text[4096];
    FILE *f = fopen(arena_cstr(&w->arena, path), "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    return arena_str(&w->arena, str_from(text, n));
}

static void make_project(struct world *w, const char *name)
{
    static const char *const parts[] = {"", "/.git", "/.git/objects", "/.git/refs"};
    for (size_t i = 0; i < 4; i++)
        mkdir(arena_printf(&w->arena, "%.*s/work/%s%s", FMT(w->top), name, parts[i]).at, 0700);
    make_file(w, arena_printf(&w->arena, "%.*s/work/%s/.git/HEAD", FMT(w->top), name),
              "ref: refs/heads/main\n");
}

static int set_up(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    char top[PATH_MAX] = "/tmp/engram-projects-XXXXXX", real[PATH_MAX];
    if (!mkdtemp(top) || !realpath(top, real))
        return -1;
    w->top = arena_str(&w->arena, str_of(real));
    mkdir(at(w, "work").at, 0700);
    mkdir(at(w, "home").at, 0700);
    make_project(w, "alpha");
    make_project(w, "beta");
    w->config = (struct config){
        .project = at(w, "work/alpha"),
        .data_home = at(w, "data"),
        .home = at(w, "home"),
        .now = S("2026-05-08T13:56:00Z"),
        .index = true,
    };
    w->projects = projects_open(&w->config);
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
    projects_close(w->projects);
    nftw(w->top.at, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    arena_free(&w->arena);
    free(w);
    return 0;
}

static void move_to(struct world *w, const char *path)
{
    projects_set_hints(w->projects,
                       &(struct place_hints){.project = at(w, path), .home = w->config.home});
}

static void open_again(struct world *w)
{
    projects_close(w->projects);
    w->projects = projects_open(&w->config);
}

/* The memory of `wanted`, or NULL with w->e. */
static struct memory *ask(struct world *w, const char *wanted, struct project_ref *ref)
{
    struct services s = projects_services(w->projects, &w->arena, NULL, NULL);
    struct memory *m = NULL;
    w->e = (struct err){0};
    return s.project(s.ctx, str_of(wanted), &m, ref, &w->e) ? m : NULL;
}

static struct memory *asked(struct world *w, const char *wanted, struct project_ref *ref)
{
    struct memory *m = ask(w, wanted, ref);
    if (!m)
        fail_msg("%s", w->e.text);
    return m;
}

static void refused(struct world *w, const char *wanted, enum err_code code, const char *words)
{
    struct project_ref ref;
    assert_null(ask(w, wanted, &ref));
    if (w->e.code != code || !strstr(w->e.text, words))
        fail_msg("code %d, \"%s\", wanted %d, \"%s\"", w->e.code, w->e.text, code, words);
}

static void equals(str found, str wanted)
{
    if (!str_eq(found, wanted))
        fail_msg("\"%.*s\", wanted \"%.*s\"", FMT(found), FMT(wanted));
}

static str folder(struct world *w)
{
    str out;
    assert_true(projects_directory(w->projects, &w->arena, &out, &w->e));
    return out;
}

static unsigned mode_of(str path)
{
    struct stat info;
    assert_int_equal(stat(path.at, &info), 0);
    return info.st_mode & 0777;
}

/* ---- tests ---- */

static void the_first_use_makes_a_private_folder_with_its_entry(void **state)
{
    struct world *w = *state;
    struct project_ref ref;
    asked(w, "", &ref);
    equals(ref.name, S("alpha"));
    equals(ref.root, at(w, "work/alpha"));
    equals(folder(w),
           arena_printf(&w->arena, "%.*s/data/engram/alpha-%.*s", FMT(w->top), FMT(ref.id)));
    assert_int_equal(mode_of(folder(w)), 0700);
    assert_int_equal(mode_of(at(w, "data/engram")), 0700);
    str path = arena_printf(&w->arena, "%.*s/project.json", FMT(folder(w)));
    assert_int_equal(mode_of(path), 0600);
    equals(read_file(w, path),
           arena_printf(
               &w->arena,
               "{\n  \"id\": \"%.*s\",\n  \"name\": \"alpha\",\n  \"root\": \"%.*s/work/alpha\",\n"
               "  \"identity\": \"%.*s/work/alpha\",\n  \"created\": \"2026-05-08T13:56:00Z\",\n"
               "  \"last_used\": \"2026-05-08\"\n}\n",
               FMT(ref.id), FMT(w->top), FMT(w->top)));
}

static void the_entry_is_rewritten_only_when_something_changed(void **state)
{
    struct world *w = *state;
    struct project_ref ref;
    asked(w, "", &ref);
    str path = arena_printf(&w->arena, "%.*s/project.json", FMT(folder(w)));
    struct stat before, same, later;
    stat(path.at, &before);

    w->config.now = S("2026-05-08T23:00:00Z");
    open_again(w);
    asked(w, "", &ref);
    stat(path.at, &same);
    assert_int_equal(before.st_ino, same.st_ino);

    w->config.now = S("2026-05-09T01:00:00Z");
    open_again(w);
    asked(w, "", &ref);
    stat(path.at, &later);
    assert_int_not_equal(before.st_ino, later.st_ino);
    str text = read_file(w, path);
    assert_true(str_find(text, S("\"created\": \"2026-05-08T13:56:00Z\""), 0) < text.len);
    assert_true(str_find(text, S("\"last_used\": \"2026-05-09\""), 0) < text.len);
}

static void a_folder_of_an_earlier_name_is_used_again(void **state)
{
    struct world *w = *state;
    struct project_ref ref;
    asked(w, "", &ref);
    str renamed = arena_printf(&w->arena, "%.*s/data/engram/was-%.*s", FMT(w->top), FMT(ref.id));
    str now = folder(w);
    open_again(w);
    assert_int_equal(rename(now.at, renamed.at), 0);
    asked(w, "", &ref);
    equals(folder(w), renamed);
    equals(ref.name, S("alpha"));
}

static void a_folder_that_others_may_write_is_refused(void **state)
{
    struct world *w = *state;
    struct project_ref ref;
    asked(w, "", &ref);
    open_again(w);
    chmod(folder(w).at, 0770);
    refused(w, "", ERR_IO, "chmod go-w");
    chmod(folder(w).at, 0700);
    chmod(at(w, "data/engram").at, 0777);
    refused(w, "", ERR_IO, "chmod go-w");
    chmod(at(w, "data/engram").at, 0755);
    asked(w, "", &ref);
}

static void a_link_in_place_of_a_folder_is_refused(void **state)
{
    struct world *w = *state;
    mkdir(at(w, "data").at, 0700);
    mkdir(at(w, "data/engram").at, 0700);
    mkdir(at(w, "elsewhere").at, 0700);
    assert_int_equal(symlink(at(w, "elsewhere").at, folder(w).at), 0);
    refused(w, "", ERR_IO, "wanted: a folder");
}

static void a_folder_of_another_user_is_refused(void **state)
{
    struct world *w = *state;
    if (geteuid() != 0)
        skip(); /* only root can give a folder away */
    struct project_ref ref;
    asked(w, "", &ref);
    open_again(w);
    assert_int_equal(chown(folder(w).at, 12345, 0), 0);
    refused(w, "", ERR_IO, "belongs to user 12345");
    struct project_entry *all;
    size_t count;
    assert_true(projects_list(w->projects, &w->arena, &all, &count, &w->e));
    assert_int_equal(count, 0);
}

static void without_a_place_for_data_the_error_says_what_to_set(void **state)
{
    struct world *w = *state;
    w->config.data_home = w->config.home = S("");
    refused(w, "", ERR_INPUT, "set XDG_DATA_HOME or HOME");
    w->config.data_home = S("data");
    refused(w, "", ERR_INPUT, "absolute path");
    w->config.data_home = S("");
    w->config.home = at(w, "home");
    struct project_ref ref;
    asked(w, "", &ref);
    assert_int_equal(mode_of(at(w, "home/.local/share/engram")), 0700);
}

static void another_project_is_found_by_id_and_by_name(void **state)
{
    struct world *w = *state;
    struct project_ref alpha, ref;
    struct memory *own = asked(w, "", &alpha);
    move_to(w, "work/beta");
    struct memory *beta = asked(w, "", &ref);
    assert_ptr_not_equal(beta, own);
    assert_ptr_equal(asked(w, "alpha", &ref), own);
    equals(ref.root, at(w, "work/alpha"));
    assert_ptr_equal(asked(w, arena_cstr(&w->arena, alpha.id), &ref), own);
    assert_ptr_equal(asked(w, "beta", &ref), beta);
}

static void an_unknown_project_is_answered_with_the_known_ones(void **state)
{
    struct world *w = *state;
    struct project_ref ref;
    refused(w, "gamma", ERR_NOT_FOUND, "none yet");
    asked(w, "", &ref);
    refused(w, "gamma", ERR_NOT_FOUND, "alpha (");
    refused(w, "../alpha", ERR_NOT_FOUND, "alpha (");
    for (int i = 0; i < 12; i++) {
        mkdir(
            arena_printf(&w->arena, "%.*s/data/engram/p%02d-0000000000%02d", FMT(w->top), i, i).at,
            0700);
    }
    refused(w, "gamma", ERR_NOT_FOUND, "and 3 more");
}

static void an_ambiguous_name_is_answered_with_the_ids(void **state)
{
    struct world *w = *state;
    struct project_ref first, second, ref;
    mkdir(at(w, "work/x").at, 0700);
    make_project(w, "x/alpha");
    asked(w, "", &first);
    move_to(w, "work/x/alpha");
    struct memory *own = asked(w, "", &second);
    assert_ptr_equal(asked(w, "alpha", &ref), own); /* one's own comes first */
    move_to(w, "work/beta");
    refused(w, "alpha", ERR_INPUT, arena_cstr(&w->arena, first.id));
    assert_non_null(strstr(w->e.text, arena_cstr(&w->arena, second.id)));
}

static void bad_folders_are_left_out_of_the_list(void **state)
{
    struct world *w = *state;
    struct project_ref ref;
    asked(w, "", &ref);
    mkdir(at(w, "data/engram/other").at, 0700);
    mkdir(at(w, "data/engram/loose-0123456789ab").at, 0700);
    chmod(at(w, "data/engram/loose-0123456789ab").at, 0777);
    make_file(w, at(w, "data/engram/file-0123456789ab"), "");
    mkdir(at(w, "data/engram/torn-00000000000f").at, 0700);
    make_file(w, at(w, "data/engram/torn-00000000000f/project.json"), "{\"id\":");
    mkdir(at(w, "data/engram/lying-00000000000e").at, 0700);
    make_file(w, at(w, "data/engram/lying-00000000000e/project.json"),
              "{\"id\":\"00000000000d\",\"name\":\"alpha\",\"root\":\"/x\"}");
    struct project_entry *all;
    size_t count;
    assert_true(projects_list(w->projects, &w->arena, &all, &count, &w->e));
    assert_int_equal(count, 3);
    equals(all[0].name, S("alpha"));
    equals(all[0].last_used, S("2026-05-08"));
    equals(all[1].name, S("lying")); /* by its folder, since its entry is about another */
    equals(all[1].root, S(""));
    equals(all[2].name, S("torn"));
}

static void more_projects_than_stay_open_can_be_used_in_turn(void **state)
{
    struct world *w = *state;
    struct project_ref ref;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MAX_OPEN_PROJECTS + 2; i++) {
            str name = arena_printf(&w->arena, "p%d", i);
            make_project(w, name.at);
            move_to(w, arena_printf(&w->arena, "work/%s", name.at).at);
            asked(w, "", &ref);
            equals(ref.name, name);
        }
}

static void head_is_read_unless_the_index_is_off(void **state)
{
    struct world *w = *state;
    struct place p;
    assert_true(projects_place(w->projects, &w->arena, &p, &w->e));
    equals(p.branch, S("main"));
    w->config.index = false;
    open_again(w);
    assert_true(projects_place(w->projects, &w->arena, &p, &w->e));
    equals(p.branch, S(""));
}

static void a_place_stays_when_its_directory_goes(void **state)
{
    struct world *w = *state;
    struct project_ref before, after;
    asked(w, "", &before);
    assert_int_equal(rename(at(w, "work/alpha").at, at(w, "work/gone").at), 0);
    asked(w, "", &after);
    equals(after.id, before.id);
}

static void a_place_that_fails_is_tried_again(void **state)
{
    struct world *w = *state;
    struct project_ref ref;
    move_to(w, "work/late");
    refused(w, "", ERR_NOT_FOUND, "work/late");
    make_project(w, "late");
    asked(w, "", &ref);
    equals(ref.name, S("late"));
}

static bool always(void *ctx)
{
    return *(bool *)ctx;
}

static void cancellation_is_passed_on(void **state)
{
    struct world *w = *state;
    bool yes = true;
    struct services s = projects_services(w->projects, &w->arena, always, &yes);
    assert_true(s.cancelled(s.ctx));
    yes = false;
    assert_false(s.cancelled(s.ctx));
    assert_null(projects_services(w->projects, &w->arena, NULL, NULL).cancelled);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_use_makes_a_private_folder_with_its_entry),
        TEST(the_entry_is_rewritten_only_when_something_changed),
        TEST(a_folder_of_an_earlier_name_is_used_again),
        TEST(a_folder_that_others_may_write_is_refused),
        TEST(a_link_in_place_of_a_folder_is_refused),
        TEST(a_folder_of_another_user_is_refused),
        TEST(without_a_place_for_data_the_error_says_what_to_set),
        TEST(another_project_is_found_by_id_and_by_name),
        TEST(an_unknown_project_is_answered_with_the_known_ones),
        TEST(an_ambiguous_name_is_answered_with_the_ids),
        TEST(bad_folders_are_left_out_of_the_list),
        TEST(more_projects_than_stay_open_can_be_used_in_turn),
        TEST(head_is_read_unless_the_index_is_off),
        TEST(a_place_stays_when_its_directory_goes),
        TEST(a_place_that_fails_is_tried_again),
        TEST(cancellation_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
