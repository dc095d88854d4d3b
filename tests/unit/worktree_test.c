#include "parsers/parsers.h"

#include "parsers/worktree_folder.h"

#include <linux/fs.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/scratch.h"

static void make_folders_of(const char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static void write_file(const char *name, const char *text)
{
    const char *path = at(name);
    make_folders_of(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static int set_up(void **state)
{
    scratch_make(state);
    write_file("../outside/secret.txt", "secret");
    return 0;
}

static struct worktree_files list_at(const char *root)
{
    struct worktree_files out;
    struct err e = {0};
    if (!worktree_list(&arena, str_of(root), &out, &e))
        fail_msg("not listed: %s", e.text);
    for (size_t i = 1; i < out.entry_count; i++)
        assert_true(str_cmp(out.entries[i - 1].path, out.entries[i].path) < 0);

    struct buf packed = {0}; /* what is listed can be handed over */
    struct worktree_files again;
    worktree_files_write(&packed, &out);
    assert_true(worktree_files_read(&arena, buf_str(&packed), &again, &e));
    buf_free(&packed);
    return out;
}

static struct worktree_files list(void)
{
    return list_at(at(""));
}

/* A line for each entry: its path, and behind ": " why it is skipped. */
static const char *lines_of(const struct worktree_files *w)
{
    struct buf text = {0};
    for (size_t i = 0; i < w->entry_count; i++) {
        const struct worktree_entry *entry = &w->entries[i];
        buf_add(&text, entry->path);
        if (entry->skipped.len)
            buf_printf(&text, ": %.*s", FMT(entry->skipped));
        buf_add_char(&text, '\n');
    }
    const char *kept = arena_cstr(&arena, buf_str(&text));
    buf_free(&text);
    return kept;
}

static void assert_lists(const char *wanted)
{
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), wanted);
}

/* ---- names ---- */

static void names_alone_tell_what_is_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *path, *listed; /* NULL: as itself, not skipped */
    } rows[] = {
        {".env", ": secret"},
        {".env.production", ": secret"},
        {"a/.ENV.local", ": secret"},
        {"a/server.PEM", ": secret"},
        {"a/tls.key", ": secret"},
        {"a/id_rsa", ": secret"},
        {"a/id_ed25519.pub", ": secret"},
        {"a/id_map.c", NULL},
        {"a/environment.ts", NULL},
        {"a/.npmrc", ": secret"},
        {"a/.netrc", ": secret"},
        {"a/.pgpass", ": secret"},
        {"a/store.p12", ": secret"},
        {"a/store.pfx", ": secret"},
        {"a/credentials.json", ": secret"},
        {"a/credentials.go", NULL},
        {"a/secrets.yml", ": secret"},
        {"a/service-account-prod.json", ": secret"},
        {"a/infra.tfstate", ": secret"},
        {"a/package-lock.json", ": generated"},
        {"a/yarn.lock", ": generated"},
        {"a/Cargo.lock", ": generated"},
        {"a/go.sum", ": generated"},
        {"a/app.min.js", ": generated"},
        {"a/app.js.map", ": generated"},
        {"a/libx.map", NULL},
        {"a/api.pb.go", ": generated"},
        {"a/api_pb2.py", ": generated"},
        {"a/model.g.dart", ": generated"},
        {"a/zz_generated.deepcopy.go", ": generated"},
        {"a/parser.tab.c", ": generated"},
        {"a/jquery.js", ": vendored"},
        {"a/jquery-3.7.1.js", ": vendored"},
        {"a/gradlew", ": vendored"},
        {"a/logo.PNG", ": binary"},
        {"a/lib.so", ": binary"},
        {"a/lib.so.1.2", ": binary"},
        {"a/app.jar", ": binary"},
        {"a/font.woff2", ": binary"},
        {"a/data.sqlite3", ": binary"},
        {"a/.DS_Store", ": binary"},
        {"a/main.c", NULL},
        {"a/README", NULL},
        {"hand/configure", NULL},
        {"auto/configure", ": generated"},
        {"auto/configure.ac", NULL},
        {"hand/missing", NULL},
        {"auto/missing", ": vendored"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        write_file(rows[i].path, "");
    const char *lines =
        arena_printf(&arena, "\n%s", lines_of(&(struct worktree_files[]){list()}[0])).at;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *listed = rows[i].listed ? rows[i].listed : "";
        if (!strstr(lines, arena_printf(&arena, "\n%s%s\n", rows[i].path, listed).at))
            fail_msg("%s%s isn't in%s", rows[i].path, listed, lines);
    }
}

static void whole_folders_are_one_entry(void **state)
{
    (void)state;
    sh("for f in .ssh/config a/node_modules/x/y.js a/vendor/b/c.go a/third_party/x.c deps/x.c "
       "a/deps/y.c __pycache__/x.pyc Pods/x.m target/x.rs rust/target/x.d rust/Cargo.toml "
       "build/out.js cache/CACHEDIR.TAG cache/x.c myenv/pyvenv.cfg myenv/x.py tree/CMakeCache.txt "
       "tree/x.c x.egg-info/PKG a/CVS/Root .hg/store web/.next/x.js lib/.yarn/x.js; do\n"
       "mkdir -p $(dirname $f); touch $f; done");
    assert_lists(".ssh/: secret\n"
                 "Pods/: vendored\n"
                 "__pycache__/: generated\n"
                 "a/deps/y.c\n"
                 "a/node_modules/: vendored\n"
                 "a/third_party/: vendored\n"
                 "a/vendor/: vendored\n"
                 "build/: generated\n"
                 "cache/: generated\n"
                 "deps/: vendored\n"
                 "lib/.yarn/: vendored\n"
                 "myenv/: generated\n"
                 "rust/Cargo.toml\n"
                 "rust/target/: generated\n"
                 "target/x.rs\n"
                 "tree/: generated\n"
                 "web/.next/: generated\n"
                 "x.egg-info/: generated\n");
}

static void a_file_of_1_mib_is_listed_and_a_byte_more_is_not(void **state)
{
    (void)state;
    write_file("one.c", "");
    write_file("more.c", "");
    assert_int_equal(truncate(at("one.c"), MAX_SOURCE_BYTES), 0);
    assert_int_equal(truncate(at("more.c"), MAX_SOURCE_BYTES + 1), 0);
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), "more.c: over 1 MiB\none.c\n");
    struct stat s;
    assert_int_equal(stat(at("one.c"), &s), 0);
    assert_int_equal(w.entries[1].bytes, MAX_SOURCE_BYTES);
    assert_int_equal(w.entries[1].mtime_ns, s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec);
    assert_int_equal(w.entries[1].ctime_ns, s.st_ctim.tv_sec * 1000000000 + s.st_ctim.tv_nsec);
}

static void names_that_are_no_utf8_are_told_and_not_entered(void **state)
{
    (void)state;
    write_file("a\xFFz.c", "");
    write_file("a\xFEz.c", "");
    write_file("dir\xC3/x.c", "");
    write_file("b.c", "");
    write_file("\xEA\xB0\x80.c", "");
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), "a\xEF\xBF\xBDz.c: name is not UTF-8\n"
                                      "b.c\n"
                                      "dir\xEF\xBF\xBD/: name is not UTF-8\n"
                                      "\xEA\xB0\x80.c\n");
    assert_int_equal(w.beyond, 1); /* the two became one */
}

static void entries_are_in_the_order_of_whole_paths(void **state)
{
    (void)state;
    sh("touch a.c a-b.c a0 && mkdir a && touch a/z a/b && mkdir a/b.d && touch a/b.d/x");
    assert_lists("a-b.c\na.c\na/b\na/b.d/x\na/z\na0\n");
}

/* ---- rules of the project's own ---- */

static void git_lists_what_it_tracks_and_what_it_does_not_ignore(void **state)
{
    (void)state;
    sh("git init -q -b main .\n"
       "mkdir -p src out/deep keep/x\n"
       "printf '*.o\\nout/\\n/keep/*\\n!/keep/x\\n*.log\\n' >.gitignore\n"
       "printf '!debug.log\\n' >src/.gitignore\n"
       "touch src/a.c src/a.o src/debug.log src/x.log out/deep/gen.c keep/no keep/x/yes new.c\n"
       "echo excluded.c >.git/info/exclude && touch excluded.c\n"
       "mkdir mixed && touch mixed/in.o mixed/un.o && git add -f mixed/in.o\n"
       "mkdir build && touch build/rules.mk build/new.mk\n"
       "git add .gitignore src/a.c build/rules.mk && git commit -qm one\n"
       "touch gone.c && git add gone.c && rm gone.c");
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), ".gitignore\n"
                                      "build/new.mk\n"
                                      "build/rules.mk\n"
                                      "excluded.c: ignored\n"
                                      "keep/no: ignored\n"
                                      "keep/x/yes\n"
                                      "mixed/in.o: binary\n"
                                      "mixed/un.o: ignored\n"
                                      "new.c\n"
                                      "out/: ignored\n"
                                      "src/.gitignore\n"
                                      "src/a.c\n"
                                      "src/a.o: ignored\n"
                                      "src/debug.log\n"
                                      "src/x.log: ignored\n");
    assert_true(w.is_git);
    assert_true(str_eq(w.branch, S("main")));
    assert_int_equal(w.head.len, 40);
    assert_int_equal(w.note.len, 0);
}

static void tracked_files_of_an_ignored_folder_are_listed(void **state)
{
    (void)state;
    sh("git init -q . && mkdir gen && touch gen/in.c gen/out.c && git add gen/in.c\n"
       "printf 'gen/\\n!gen/out.c\\n' >.gitignore");
    assert_lists(".gitignore\ngen/in.c\ngen/out.c: ignored\n");
}

static void without_git_gitignore_counts_all_the_same(void **state)
{
    (void)state;
    sh("mkdir -p a/tmp b && printf 'tmp/\\n*.o\\n' >.gitignore && printf '!x.o\\n' >b/.gitignore\n"
       "touch a/x.o a/tmp/x.c a/y.c b/x.o b/y.o");
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), ".gitignore\n"
                                      "a/tmp/: ignored\n"
                                      "a/x.o: ignored\n"
                                      "a/y.c\n"
                                      "b/.gitignore\n"
                                      "b/x.o: binary\n"
                                      "b/y.o: ignored\n");
    assert_false(w.is_git);
    assert_int_equal(w.head.len + w.branch.len + w.note.len, 0);
}

static void engramignore_leaves_out_and_brings_back(void **state)
{
    (void)state;
    sh("git init -q .\n"
       "mkdir -p docs/old src vendor/ours vendor/theirs\n"
       "touch docs/old/x.md docs/y.md src/a.c src/b.c src/big.gen.go vendor/ours/a.go "
       "vendor/theirs/b.go local.c .env\n"
       "echo local.c >.gitignore && git add .\n"
       "printf 'docs/old/\\n!vendor/ours/\\n!local.c\\n!.env\\n!*.gen.go\\n' >.engramignore\n"
       "echo /b.c >src/.engramignore");
    assert_lists(".engramignore\n"
                 ".env: secret\n"
                 ".gitignore\n"
                 "docs/old/: .engramignore\n"
                 "docs/y.md\n"
                 "local.c\n"
                 "src/.engramignore\n"
                 "src/a.c\n"
                 "src/b.c: .engramignore\n"
                 "src/big.gen.go\n"
                 "vendor/ours/a.go\n"
                 "vendor/theirs/b.go: vendored\n");
}

static void linguist_attributes_count(void **state)
{
    (void)state;
    sh("mkdir -p gen sub vendor/ours vendor/theirs\n"
       "touch gen/a.c gen/hand.c copied.c sub/x.c sub/y.c yarn.lock vendor/ours/x.c "
       "vendor/theirs/y.c\n"
       "printf 'gen/** linguist-generated\\ngen/hand.c -linguist-generated\\n"
       "copied.c linguist-vendored=true\\nyarn.lock linguist-generated=false\\n"
       "vendor/ours/** -linguist-vendored\\n' >.gitattributes\n"
       "printf 'x.c linguist-vendored\\n' >sub/.gitattributes");
    assert_lists(".gitattributes\n"
                 "copied.c: vendored\n"
                 "gen/a.c: generated\n"
                 "gen/hand.c\n"
                 "sub/.gitattributes\n"
                 "sub/x.c: vendored\n"
                 "sub/y.c\n"
                 "vendor/ours/x.c\n"
                 "vendor/theirs/y.c: vendored\n"
                 "yarn.lock\n");
}

/* Random trees under random rules: git itself says what is ignored. */
static void random_trees_are_listed_as_git_lists_them(void **state)
{
    (void)state;
    static const char *const words[] = {"a", "b", "ab", "a.c", "b.c", "c.o", "x", "doc", "a b"};
    static const char *const rules[] = {"*.c",   "!a.c", "a",       "/a",     "b/",     "a/b",
                                        "**/x",  "x/**", "doc/*",   "!doc/x", "a/**/b", "[ab].c",
                                        "?.o",   "/*/x", "!/b/",    "*b",     "!*",     "/a/*",
                                        "\\a b", "a b",  "doc/**/", "*/",     "!*/",    "x*"};
    enum {
        TREES = 25,
        FILES = 60,
        WORDS = sizeof words / sizeof *words,
        RULES = sizeof rules / sizeof *rules
    };
    srand(7);
    for (int tree = 0; tree < TREES; tree++) {
        sh("rm -rf ./* .git .gitignore && git init -q .");
        for (int i = 0; i < FILES; i++) {
            const char *path = words[rand() % WORDS];
            for (int depth = rand() % 4; depth > 0; depth--)
                path = arena_printf(&arena, "%s/%s", words[rand() % WORDS], path).at;
            make_folders_of(at(path));
            int fd = open(at(path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
            if (fd >= 0) /* else a folder is in its way, or a file */
                close(fd);
        }
        if (tree % 2)
            sh("git add . && git commit -qm some -- $(git ls-files | grep b | head -20 | grep -v ' "
               "') "
               "|| true; git reset -q");
        static const char *const places[] = {".gitignore", "a/.gitignore", "doc/.gitignore"};
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            struct stat s;
            const char *folder = arena_printf(&arena, "%s/..", at(places[i])).at;
            str lines = S("");
            for (int n = rand() % 6; n >= 0; n--)
                lines = arena_printf(&arena, "%.*s%s\n", FMT(lines), rules[rand() % RULES]);
            *strrchr(arena_cstr(&arena, str_of(folder)), '/') = '\0';
            if (i == 0 || (stat(at(i == 1 ? "a" : "doc"), &s) == 0 && S_ISDIR(s.st_mode)))
                write_file(places[i], lines.at);
        }
        sh("git -c core.quotePath=false ls-files -co --exclude-standard | LC_ALL=C sort -u "
           ">../wanted");
        struct worktree_files w = list();
        struct buf listed = {0};
        for (size_t i = 0; i < w.entry_count; i++)
            if (!str_eq(w.entries[i].skipped, S("ignored")))
                buf_printf(&listed, "%.*s\n", FMT(w.entries[i].path));
        int fd = open(at("../wanted"), O_RDONLY | O_CLOEXEC);
        char wanted[8192] = {0};
        assert_true(read(fd, wanted, sizeof wanted - 1) >= 0);
        close(fd);
        if (strcmp(listed.at ? listed.at : "", wanted) != 0)
            fail_msg("tree %d:\n%s\ngit:\n%s", tree, listed.at, wanted);
        buf_free(&listed);
    }
}

/* ---- what is no file ---- */

static void nothing_but_files_is_opened(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(at("fifo.c"), 0600), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", at("socket.c"));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    sh("ln -s /dev/zero zero.c && ln -s loop loop && ln -s . self && ln -s .. up && "
       "ln -s ../outside out && ln -s ../outside/secret.txt secret.c && ln -s / rootlink && "
       "touch a.c && ln -s a.c b.c");
    assert_lists("a.c\n"
                 "b.c: link\n"
                 "fifo.c: not a file\n"
                 "loop: link\n"
                 "out: link\n"
                 "rootlink: link\n"
                 "secret.c: link\n"
                 "self: link\n"
                 "socket.c: not a file\n"
                 "up: link\n"
                 "zero.c: link\n");
}

static void rules_in_a_fifo_or_behind_a_link_are_not_read(void **state)
{
    (void)state;
    sh("git init -q . && mkdir a && touch a/x.c y.c && echo y.c >../outside/rules\n"
       "mkfifo .gitignore .gitattributes a/.gitignore .engramignore && rm -r .git/info\n"
       "mkdir .git/info && mkfifo .git/info/exclude && ln -s ../../outside/rules a/.engramignore\n"
       "mkdir b && ln -s ../../outside/rules b/.gitignore && touch b/y.c");
    alarm(20); /* opening one of them would wait for ever */
    assert_lists(".engramignore: not a file\n"
                 ".gitattributes: not a file\n"
                 ".gitignore: not a file\n"
                 "a/.engramignore: link\n"
                 "a/.gitignore: not a file\n"
                 "a/x.c\n"
                 "b/.gitignore: link\n"
                 "b/y.c\n"
                 "y.c\n");
    alarm(0);
}

/* Another process swaps a/b with a link, as fast as it can. */
static void list_while_swapping(const char *target)
{
    sh(arena_printf(&arena, "rm -rf a && mkdir -p a/b && touch a/b/in.c && ln -s %s a/swap", target)
           .at);
    const char *one = at("a/b"), *other = at("a/swap");
    pid_t racer = fork();
    if (racer == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0)
        for (;;)
            syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
    enum { ROUNDS = 500 };
    int inside = 0, outside = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct arena mark = arena;
        struct worktree_files w = list();
        const char *lines = lines_of(&w);
        outside += strstr(lines, "secret.txt") != NULL;
        inside += strstr(lines, "in.c") != NULL;
        arena_rewind(&arena, mark);
    }
    kill(racer, SIGKILL);
    waitpid(racer, NULL, 0);
    assert_int_equal(outside, 0);
    assert_true(inside > 0);
}

static void a_folder_swapped_by_a_link_leads_nowhere(void **state)
{
    (void)state;
    list_while_swapping("../../outside");
    sh("mkdir .ssh && touch .ssh/secret.txt"); /* inside, and not for anyone either */
    list_while_swapping("../.ssh");
}

static void depth_ends_at_its_bound(void **state)
{
    (void)state;
    enum { DEEP = 10000 };
    int fd = open(at(""), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < DEEP; i++) {
        assert_int_equal(mkdirat(fd, "d", 0700), 0);
        int next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = next;
        if (i < 2 || i == MAX_TREE_DEPTH - 1 || i == MAX_TREE_DEPTH)
            close(openat(fd, "x.c", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    close(fd);
    struct worktree_files w = list();
    assert_int_equal(w.entry_count, 4); /* three files, and the folder that is too deep */
    assert_string_equal(w.entries[0].skipped.at, "too deep");
    assert_int_equal(w.entries[0].path.len, 2 * (MAX_TREE_DEPTH + 1));
    assert_int_equal(w.entries[1].path.len, 2 * MAX_TREE_DEPTH + 3);
}

static void make_files(const char *folder, int count)
{
    assert_int_equal(mkdir(at(folder), 0700), 0);
    int fd = open(at(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%06d", i);
        int file = openat(fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_true(file >= 0);
        close(file);
    }
    close(fd);
}

/* The tracked file comes last in the order, and is listed all the same. */
static void folders_and_lists_end_at_their_bounds(void **state)
{
    (void)state;
    sh("git init -q . && mkdir z && touch z/tracked.c && git add .");
    make_files("a", MAX_FOLDER_ENTRIES + 1);
    make_files("b", MAX_FOLDER_ENTRIES);
    struct worktree_files w = list();
    assert_int_equal(w.entry_count, MAX_WORKTREE_FILES);
    assert_int_equal(w.beyond, 2);
    assert_string_equal(w.entries[MAX_WORKTREE_FILES - 1].path.at, "z/tracked.c");
}

/* ---- odd repositories ---- */

static void a_repository_without_commits_has_a_branch_and_no_head(void **state)
{
    (void)state;
    sh("git init -q -b trunk . && touch a.c");
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), "a.c\n");
    assert_true(w.is_git);
    assert_int_equal(w.head.len, 0);
    assert_true(str_eq(w.branch, S("trunk")));
}

static void a_detached_head_has_no_branch(void **state)
{
    (void)state;
    sh("git init -q . && touch a.c && git add . && git commit -qm one && git checkout -q --detach");
    struct worktree_files w = list();
    assert_int_equal(w.head.len, 40);
    assert_int_equal(w.branch.len, 0);
}

static void a_thousand_branches_change_nothing(void **state)
{
    (void)state;
    sh("git init -q -b main . && touch a.c && git add . && git commit -qm one\n"
       "head=$(git rev-parse HEAD)\n"
       "for i in $(seq 1000); do echo create refs/heads/b/$i $head; done | git update-ref --stdin\n"
       "git checkout -q b/500");
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), "a.c\n");
    assert_true(str_eq(w.branch, S("b/500")));
}

static void a_linked_worktree_is_listed_by_its_own_index(void **state)
{
    (void)state;
    sh("git init -q -b main . && touch a.c && git add . && git commit -qm one\n"
       "echo x.c >.git/info/exclude\n"
       "git worktree add -q ../linked -b side && touch ../linked/new.c ../linked/x.c");
    struct worktree_files w = list_at(at("../linked"));
    assert_string_equal(lines_of(&w), "a.c\nnew.c\nx.c: ignored\n");
    assert_true(str_eq(w.branch, S("side")));
}

static void nested_repositories_and_submodules_are_one_entry_each(void **state)
{
    (void)state;
    sh("git init -q ../other && (cd ../other && touch o.c && git add . && git commit -qm o)\n"
       "git init -q . && touch a.c sub.c && git add .\n"
       "git -c protocol.file.allow=always submodule add -q ../other sub 2>/dev/null\n"
       "git init -q nested && touch nested/n.c && mkdir linked && echo 'gitdir: x' >linked/.git\n"
       "git commit -qm one");
    assert_lists(".gitmodules\n"
                 "a.c\n"
                 "linked/: nested repository\n"
                 "nested/: nested repository\n"
                 "sub.c\n"
                 "sub/: submodule\n");
}

static void a_bare_repository_has_no_files(void **state)
{
    (void)state;
    sh("git init -q -b main ../full && (cd ../full && touch a && git add . && git commit -qm o)\n"
       "git clone -q --bare ../full ../bare");
    struct worktree_files w = list_at(at("../bare"));
    assert_int_equal(w.entry_count, 0);
    assert_true(w.is_git);
    assert_int_equal(w.head.len, 40);
    assert_string_equal(w.note.at, "bare repository: it has no files");
}

static void a_sha256_repository_is_listed_without_git(void **state)
{
    (void)state;
    sh("git init -q --object-format=sha256 . && touch a.c x.o && git add a.c && echo '*.o' "
       ">.gitignore && mkdir build && touch build/rules.mk");
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), ".gitignore\na.c\nbuild/rules.mk\nx.o: ignored\n");
    assert_false(w.is_git);
    assert_string_equal(w.note.at, "SHA-256 repository, which cannot be read");
}

static void a_partial_clone_is_read_with_git(void **state)
{
    (void)state;
    sh("git init -q ../full && (cd ../full && touch a.c && git add . && git commit -qm o &&\n"
       "git config uploadpack.allowFilter true)\n"
       "git clone -q --filter=blob:none file://$(cd .. && pwd)/full ../partial 2>/dev/null");
    struct worktree_files w = list_at(at("../partial"));
    assert_string_equal(lines_of(&w), "a.c\n");
    assert_true(w.is_git);
}

static void a_repository_of_another_user_is_listed_without_git(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* nobody else can give a file away */
    sh("git init -q . && touch a.c x.o && echo '*.o' >.gitignore && chown -R 65534 .");
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), ".gitignore\na.c\nx.o: ignored\n");
    assert_false(w.is_git);
    assert_string_equal(w.note.at, "the repository belongs to another user");
}

static void a_damaged_repository_is_listed_and_says_why(void **state)
{
    (void)state;
    sh("git init -q . && touch a.c && git add . && echo garbage >.git/index");
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), "a.c\n");
    assert_true(w.note.len > 0);
    sh("rm .git/HEAD .git/index");
    w = list();
    assert_string_equal(lines_of(&w), "a.c\n");
    assert_false(w.is_git);
    sh("echo 'gitdir: /nonexistent' >x && rm -rf .git && mv x .git");
    w = list();
    assert_string_equal(lines_of(&w), "a.c\n");
    assert_true(w.note.len > 0);
}

static void a_work_tree_elsewhere_is_not_read(void **state)
{
    (void)state;
    sh("git init -q . && touch a.c && git config core.worktree ../../outside");
    struct worktree_files w = list();
    assert_string_equal(lines_of(&w), "a.c\n");
    assert_false(w.is_git);
}

static void a_root_that_is_no_folder_is_refused(void **state)
{
    (void)state;
    write_file("a.c", "");
    static const char *const bad[] = {"nothing", "a.c"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct worktree_files w;
        struct err e = {0};
        assert_false(worktree_list(&arena, str_of(at(bad[i])), &w, &e));
        assert_int_equal(e.code, ERR_NOT_FOUND);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, scratch_remove)

int main(void)
{
    scratch_set_up_git();
    const struct CMUnitTest tests[] = {
        TEST(names_alone_tell_what_is_left_out),
        TEST(whole_folders_are_one_entry),
        TEST(a_file_of_1_mib_is_listed_and_a_byte_more_is_not),
        TEST(names_that_are_no_utf8_are_told_and_not_entered),
        TEST(entries_are_in_the_order_of_whole_paths),
        TEST(git_lists_what_it_tracks_and_what_it_does_not_ignore),
        TEST(tracked_files_of_an_ignored_folder_are_listed),
        TEST(without_git_gitignore_counts_all_the_same),
        TEST(engramignore_leaves_out_and_brings_back),
        TEST(linguist_attributes_count),
        TEST(random_trees_are_listed_as_git_lists_them),
        TEST(nothing_but_files_is_opened),
        TEST(rules_in_a_fifo_or_behind_a_link_are_not_read),
        TEST(a_folder_swapped_by_a_link_leads_nowhere),
        TEST(depth_ends_at_its_bound),
        TEST(folders_and_lists_end_at_their_bounds),
        TEST(a_repository_without_commits_has_a_branch_and_no_head),
        TEST(a_detached_head_has_no_branch),
        TEST(a_thousand_branches_change_nothing),
        TEST(a_linked_worktree_is_listed_by_its_own_index),
        TEST(nested_repositories_and_submodules_are_one_entry_each),
        TEST(a_bare_repository_has_no_files),
        TEST(a_sha256_repository_is_listed_without_git),
        TEST(a_partial_clone_is_read_with_git),
        TEST(a_repository_of_another_user_is_listed_without_git),
        TEST(a_damaged_repository_is_listed_and_says_why),
        TEST(a_work_tree_elsewhere_is_not_read),
        TEST(a_root_that_is_no_folder_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
