#include "server/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

/* A folder of the test with this in it:
 *   secret.txt                       outside
 *   root/a.txt  root/sub/b.txt       inside
 *   root/...                         links and what else a path may lead to
 *   alias -> root */
static char base[64];
static struct arena arena;

static const char *at(const char *name)
{
    return arena_printf(&arena, "%s/%s", base, name).at;
}

static void write_file(const char *name, const char *text)
{
    int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void make_link(const char *name, const char *target)
{
    assert_int_equal(symlink(target, at(name)), 0);
}

static void make_socket(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", at(name));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(base, "/tmp/engram-confine-XXXXXX");
    assert_non_null(mkdtemp(base));
    assert_int_equal(mkdir(at("root"), 0700), 0);
    assert_int_equal(mkdir(at("root/sub"), 0700), 0);
    assert_int_equal(mkdir(at("root/sub/deeper"), 0700), 0);
    assert_int_equal(mkdir(at("rootless"), 0700), 0);
    make_link("alias", "root");
    write_file("secret.txt", "secret");
    write_file("rootless/c.txt", "secret");
    write_file("root/a.txt", "inside");
    write_file("root/sub/b.txt", "inside");
    write_file("root/sp ace.txt", "inside");
    write_file("root/%2e%2e", "inside");
    write_file("root/...", "inside");
    write_file("root/bad\xFFname", "inside");
    write_file("root/-rf", "inside");
    make_link("root/in", "a.txt");
    make_link("root/in_sub", "sub/../a.txt");
    make_link("root/in_absolute", at("root/a.txt"));
    make_link("root/in_dir", "sub");
    make_link("root/sub/up", "../a.txt");
    make_link("root/chain1", "chain2");
    make_link("root/chain2", "chain3");
    make_link("root/chain3", "sub/up");
    make_link("root/out", "../secret.txt");
    make_link("root/out_absolute", at("secret.txt"));
    make_link("root/out_chain", "out");
    make_link("root/out_dir", "..");
    make_link("root/sub/out_and_in", "../../root/a.txt");
    make_link("root/etc", "/etc/passwd");
    make_link("root/dangling", "nothing");
    make_link("root/dangling_out", "/nonexistent/x");
    make_link("root/loop", "loop");
    make_link("root/loop1", "loop2");
    make_link("root/loop2", "loop1");
    make_link("root/proc", "/proc/self/root");
    make_link("root/proc_fd", "/proc/self/fd/0");
    make_link("root/zero", "/dev/zero");
    make_link("root/sub/self", ".");
    assert_int_equal(mkfifo(at("root/fifo"), 0600), 0);
    make_socket("root/socket");
    return 0;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *walk)
{
    (void)s;
    (void)kind;
    (void)walk;
    return remove(path);
}

static int tear_down(void **state)
{
    (void)state;
    nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    arena_free(&arena);
    return 0;
}

/* Opens; the file's bytes, or the error's code in *code. */
static str open_and_read(const char *root, str path, enum err_code *code, char text[ERR_TEXT_BYTES],
                         str *relative)
{
    struct err e = {0};
    int fd;
    str bytes = S("");
    *relative = S("");
    if (confine_open(&arena, str_of(root), path, &fd, relative, &e)) {
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
        assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
        assert_true(read_fd(&arena, fd, 1000, &bytes, &e));
        close(fd);
    } else {
        assert_int_equal(fd, -1);
    }
    *code = e.code;
    memcpy(text, e.text, ERR_TEXT_BYTES);
    return bytes;
}

#define NONE ERR_NONE, "", NULL

/* "@" stands for the test's folder. */
static const struct path_case {
    const char *path;
    enum err_code code;
    const char *text;     /* in the error */
    const char *relative; /* where it opens; NULL: as path */
} path_cases[] = {
    /* inside */
    {"a.txt", NONE},
    {"sub/b.txt", NONE},
    {"./a.txt", ERR_NONE, "", "a.txt"},
    {"sub//b.txt", ERR_NONE, "", "sub/b.txt"},
    {"sub/./b.txt", ERR_NONE, "", "sub/b.txt"},
    {"sub/../a.txt", ERR_NONE, "", "a.txt"},
    {"sub/deeper/../../a.txt", ERR_NONE, "", "a.txt"},
    {"missing/../a.txt", ERR_NONE, "", "a.txt"},
    {"../root/a.txt", ERR_NONE, "", "a.txt"},
    {"a.txt/", ERR_NONE, "", "a.txt"},
    {"sp ace.txt", NONE},
    {"%2e%2e", NONE},
    {"...", NONE},
    {"bad\xFFname", NONE},
    {"-rf", NONE},
    {"@/root/a.txt", ERR_NONE, "", "a.txt"},
    {"@//root///sub/b.txt", ERR_NONE, "", "sub/b.txt"},
    {"@/root/../root/a.txt", ERR_NONE, "", "a.txt"},
    /* links that stay inside */
    {"in", NONE},
    {"in_sub", NONE},
    {"in_absolute", NONE},
    {"in_dir/b.txt", NONE},
    {"sub/up", NONE},
    {"sub/self/self/b.txt", NONE},
    {"chain1", NONE},
    {"sub/out_and_in", NONE},
    /* outside */
    {"../secret.txt", ERR_INPUT, "'../secret.txt' is outside; wanted: a file below @/root", NULL},
    {"..", ERR_INPUT, "is outside", NULL},
    {"../..", ERR_INPUT, "is outside", NULL},
    {"../../../../../../../../etc/passwd", ERR_INPUT, "is outside", NULL},
    {"sub/../../secret.txt", ERR_INPUT, "is outside", NULL},
    {"../rootless/c.txt", ERR_INPUT, "is outside", NULL},
    {"@/rootless/c.txt", ERR_INPUT, "is outside", NULL},
    {"@/secret.txt", ERR_INPUT, "is outside", NULL},
    {"@/root/../secret.txt", ERR_INPUT, "is outside", NULL},
    {"/etc/passwd", ERR_INPUT, "is outside", NULL},
    {"//etc/passwd", ERR_INPUT, "is outside", NULL},
    {"/proc/self/root/etc/passwd", ERR_INPUT, "is outside", NULL},
    {"/dev/zero", ERR_INPUT, "is outside", NULL},
    {"/", ERR_INPUT, "is outside", NULL},
    {"out", ERR_INPUT, "leads outside by a symbolic link", NULL},
    {"out_absolute", ERR_INPUT, "leads outside", NULL},
    {"out_chain", ERR_INPUT, "leads outside", NULL},
    {"out_dir/secret.txt", ERR_INPUT, "leads outside", NULL},
    {"etc", ERR_INPUT, "leads outside", NULL},
    {"proc/etc/passwd", ERR_INPUT, "leads outside", NULL},
    {"proc@/secret.txt", ERR_INPUT, "leads outside", NULL},
    {"zero", ERR_INPUT, "leads outside", NULL},
    /* nothing there */
    {"missing", ERR_NOT_FOUND, "'missing' isn't there; wanted: a file below", NULL},
    {"missing/a.txt", ERR_NOT_FOUND, "isn't there", NULL},
    {"a.txt/b", ERR_NOT_FOUND, "isn't there", NULL},
    {"%2e%2e/secret.txt", ERR_NOT_FOUND, "isn't there", NULL},
    {"..%2fsecret.txt", ERR_NOT_FOUND, "isn't there", NULL},
    {"..\\secret.txt", ERR_NOT_FOUND, "isn't there", NULL},
    {"~/a.txt", ERR_NOT_FOUND, "isn't there", NULL},
    {"A.TXT", ERR_NOT_FOUND, "isn't there", NULL},
    {" a.txt", ERR_NOT_FOUND, "isn't there", NULL},
    {"dangling", ERR_NOT_FOUND, "isn't there", NULL},
    {"dangling_out", ERR_NOT_FOUND, "isn't there", NULL},
    {"\xE2\x80\xAE"
     "evil\x1B[31m",
     ERR_NOT_FOUND, "\\u{", NULL},
    /* not a file */
    {"", ERR_INPUT, "'' is empty", NULL},
    {".", ERR_INPUT, "is the root itself, a directory", NULL},
    {"@/root", ERR_INPUT, "is the root itself", NULL},
    {"sub", ERR_INPUT, "'sub' is a directory; wanted: a file below", NULL},
    {"in_dir", ERR_INPUT, "is a directory", NULL},
    {"fifo", ERR_INPUT, "is a FIFO", NULL},
    {"socket", ERR_INPUT, "is a socket", NULL},
    {"loop", ERR_INPUT, "circle of symbolic links", NULL},
    {"loop1", ERR_INPUT, "circle of symbolic links", NULL},
};

static str with_base(const char *text)
{
    const char *mark = strchr(text, '@');
    if (!mark)
        return str_of(text);
    return arena_printf(&arena, "%.*s%s%s", (int)(mark - text), text, base, mark + 1);
}

static bool is_as_wanted(const char *root, const struct path_case *c)
{
    enum err_code code;
    char text[ERR_TEXT_BYTES];
    str relative, bytes = open_and_read(root, with_base(c->path), &code, text, &relative);
    str where = str_of(c->relative ? c->relative : c->path);
    bool opened = code == ERR_NONE && str_eq(bytes, S("inside")) && str_eq(relative, where);
    bool ok = code == c->code && strstr(text, with_base(c->text).at) && (code || opened);
    if (!ok)
        print_error("'%s': code %d, '%s', bytes '%.*s', relative '%.*s'\n", c->path, code, text,
                    FMT(bytes), FMT(relative));
    return ok;
}

static void check_case(const char *root, const struct path_case *c)
{
    assert_true(is_as_wanted(root, c));
}

static void every_path_leads_below_the_root_or_nowhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof path_cases / sizeof *path_cases; i++)
        check_case(at("root"), &path_cases[i]);
}

/* openat2 gives ENOSYS in this thread from now on, as on an old kernel. */
static bool take_openat2_away(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
           syscall(SYS_openat2, -1, "", NULL, 0) == -1 && errno == ENOSYS;
}

static void *count_wrong_without_openat2(void *ctx)
{
    size_t *wrong = ctx;
    if (!take_openat2_away())
        *wrong = SIZE_MAX;
    for (size_t i = 0; *wrong != SIZE_MAX && i < sizeof path_cases / sizeof *path_cases; i++)
        *wrong += !is_as_wanted(at("root"), &path_cases[i]);
    return NULL;
}

static void the_same_holds_without_openat2(void **state)
{
    (void)state;
    size_t wrong = 0;
    pthread_t thread; /* the filter is the thread's own */
    assert_int_equal(pthread_create(&thread, NULL, count_wrong_without_openat2, &wrong), 0);
    pthread_join(thread, NULL);
    if (wrong == SIZE_MAX)
        skip(); /* no seccomp here */
    assert_int_equal(wrong, 0);
}

static void a_root_by_a_link_takes_both_of_its_names(void **state)
{
    (void)state;
    static const struct path_case cases[] = {
        {"a.txt", NONE},
        {"@/alias/a.txt", ERR_NONE, "", "a.txt"},
        {"@/root/a.txt", ERR_NONE, "", "a.txt"},
        {"in_absolute", NONE},
        {"out", ERR_INPUT, "leads outside", NULL},
        {"@/secret.txt", ERR_INPUT, "is outside", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(at("alias"), &cases[i]);
    const struct path_case slash = {"a.txt", NONE};
    check_case(at("root/"), &slash);
}

static void what_is_no_path_at_all_is_refused(void **state)
{
    (void)state;
    enum err_code code;
    char text[ERR_TEXT_BYTES];
    str relative;
    open_and_read(at("root"), S("a.txt\0.md"), &code, text, &relative);
    assert_int_equal(code, ERR_INPUT);
    assert_non_null(strstr(text, "NUL"));

    char path[5000];
    memset(path, 'a', sizeof path);
    open_and_read(at("root"), str_from(path, sizeof path), &code, text, &relative);
    assert_int_equal(code, ERR_INPUT);
    assert_non_null(strstr(text, "too long"));
    assert_null(strstr(text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                             "aaaaaaaaaaaaa"));                             /* 81 */
    open_and_read(at("root"), str_from(path, 300), &code, text, &relative); /* over NAME_MAX */
    assert_int_equal(code, ERR_INPUT);

    open_and_read(at("nowhere"), S("a.txt"), &code, text, &relative);
    assert_int_equal(code, ERR_NOT_FOUND);
}

static void proc_is_not_the_project(void **state)
{
    (void)state;
    enum err_code code;
    char text[ERR_TEXT_BYTES];
    str relative;
    open_and_read("/proc", S("version"), &code, text, &relative);
    assert_int_equal(code, ERR_INPUT);
    assert_non_null(strstr(text, "kernel"));
    open_and_read("/", S("dev/null"), &code, text, &relative);
    assert_int_equal(code, ERR_INPUT);
    assert_non_null(strstr(text, "is a device"));
    assert_true(
        open_and_read("/", str_cut(str_of(at("root/a.txt")), 1, SIZE_MAX), &code, text, &relative)
            .len == 6);
}

static void the_database_is_refused_under_any_name(void **state)
{
    (void)state;
    enum err_code code;
    char text[ERR_TEXT_BYTES];
    str relative;
    write_file("root/memory.db", "x");
    write_file("root/memory.db-wal", "x");
    assert_int_equal(link(at("root/memory.db"), at("root/copy")), 0);
    confine_protect(str_of(at("root/memory.db")));
    confine_protect(str_of(at("root/memory.db")));
    static const char *const names[] = {"memory.db", "memory.db-wal", "copy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        open_and_read(at("root"), str_of(names[i]), &code, text, &relative);
        assert_int_equal(code, ERR_INPUT);
        assert_non_null(strstr(text, "database"));
    }
}

/* ---- a race: a name swaps between a file inside and a link to the outside ---- */

struct swap {
    volatile bool stop;
};

static void *swap_names(void *ctx)
{
    struct swap *s = ctx;
    int dir = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (!s->stop)
        syscall(SYS_renameat2, dir, "root/race", dir, "root/race_link", 2 /* RENAME_EXCHANGE */);
    close(dir);
    return NULL;
}

static void a_swapped_link_never_gives_what_is_outside(void **state)
{
    (void)state;
    enum { ROUNDS = 3000 };
    write_file("root/race", "inside");
    make_link("root/race_link", at("secret.txt"));
    struct swap swap = {false};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, swap_names, &swap), 0);
    int seen = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct arena mark = arena;
        enum err_code code;
        char text[ERR_TEXT_BYTES];
        str relative, bytes = open_and_read(at("root"), S("race"), &code, text, &relative);
        assert_true(code ? bytes.len == 0 : str_eq(bytes, S("inside")));
        seen += code == ERR_NONE;
        arena_rewind(&arena, mark);
    }
    swap.stop = true;
    pthread_join(thread, NULL);
    assert_true(seen > 0);
}

/* ---- reading ---- */

static void a_file_over_the_bound_is_named_with_it(void **state)
{
    (void)state;
    struct err e = {0};
    str out;
    int fd = open(at("root/a.txt"), O_RDONLY | O_CLOEXEC);
    char byte;
    assert_int_equal(read(fd, &byte, 1), 1); /* the offset doesn't matter */
    assert_true(read_fd(&arena, fd, 6, &out, &e));
    assert_true(str_eq(out, S("inside")));
    assert_false(read_fd(&arena, fd, 5, &out, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    assert_string_equal(e.text, "has 6 bytes, at most 5");
    close(fd);
}

static void a_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    struct err e = {0};
    str out;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    assert_int_equal(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    assert_true(read_fd(&arena, ends[0], 5, &out, &e));
    assert_true(str_eq(out, S("piped")));
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_leads_below_the_root_or_nowhere),
        cmocka_unit_test(the_same_holds_without_openat2),
        cmocka_unit_test(a_root_by_a_link_takes_both_of_its_names),
        cmocka_unit_test(what_is_no_path_at_all_is_refused),
        cmocka_unit_test(proc_is_not_the_project),
        cmocka_unit_test(the_database_is_refused_under_any_name),
        cmocka_unit_test(a_swapped_link_never_gives_what_is_outside),
        cmocka_unit_test(a_file_over_the_bound_is_named_with_it),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
