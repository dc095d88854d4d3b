#include "parsers/parsers.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/support/scratch.h"

/* ---- reading ---- */

/* Keeps what it is told, by way of the packed form, so that this is tested as well. */
static bool keep(void *ctx, const struct commit_record *c)
{
    struct commit_history *h = ctx;
    struct buf packed = {0};
    struct err e = {0};
    ARENA_GROW(&arena, h->commits, h->commit_count, h->commit_capacity);
    commit_record_write(&packed, c);
    str bytes = arena_str(&arena, buf_str(&packed));
    if (!commit_record_read(&arena, bytes, &h->commits[h->commit_count++], &e))
        fail_msg("%.*s: %s", FMT(c->id), e.text);
    buf_free(&packed);
    return true;
}

static struct commit_history read_at(const char *root, struct commits_ask ask)
{
    struct commit_history kept = {0}, out;
    struct err e = {0};
    ask.most = ask.most ? ask.most : MAX_HISTORY_COMMITS;
    if (!commits_read(&arena, str_of(root), &ask, keep, &kept, &out, &e))
        fail_msg("not read: %s", e.text);
    out.commits = kept.commits;
    out.commit_count = kept.commit_count;
    return out;
}

static struct commit_history read_all(void)
{
    return read_at(at(""), (struct commits_ask){.from_head = true});
}

static const char *subjects_of(const struct commit_history *h)
{
    str out = S("");
    for (size_t i = 0; i < h->commit_count; i++)
        out = arena_printf(&arena, "%.*s%.*s\n", FMT(out), FMT(h->commits[i].subject));
    return arena_cstr(&arena, out);
}

static const char *changes_of(const struct commit_record *c)
{
    str out = S("");
    for (size_t i = 0; i < c->change_count; i++) {
        const struct commit_change *change = &c->changes[i];
        out = arena_printf(&arena, "%.*s%s %.*s%s%.*s\n", FMT(out),
                           commit_change_name[change->kind], FMT(change->path),
                           change->old_path.len ? " from " : "", FMT(change->old_path));
    }
    return arena_cstr(&arena, out);
}

/* What the shell says, with its last line's end. */
static const char *told_by(const char *script)
{
    sh(arena_printf(&arena, "(%s\n) >../told", script).at);
    int fd = open(at("../told"), O_RDONLY | O_CLOEXEC);
    struct stat s;
    assert_int_equal(fstat(fd, &s), 0);
    char *text = arena_bytes(&arena, (size_t)s.st_size + 1);
    ssize_t n = read(fd, text, (size_t)s.st_size);
    assert_int_equal(n, s.st_size);
    text[n] = '\0';
    close(fd);
    return text;
}

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

/* Random edits on random branches: git itself says what each commit changed. */
static const char random_history[] =
    "git init -q -b main . && echo 0 >0.c && git add . && git commit -qm 0\n"
    "seed=7; n() { seed=$(( (seed * 1103515245 + 12345) % 2147483648 )); r=$(( seed / 65536 % $1 "
    ")); }\n"
    "for i in $(seq 60); do\n"
    "  export GIT_COMMITTER_DATE=\"$((1600000000 + i * 60)) +0000\"\n"
    "  n 6; case $r in\n"
    "  0) n 3; git checkout -q -B b$r ;;\n"
    "  1) n 3; git checkout -q b$r 2>/dev/null || git checkout -q main ;;\n"
    "  2) n 3; git merge -q --no-ff -X ours -m \"merge $i\" b$r 2>/dev/null || git reset -q --hard "
    ";;\n"
    "  esac\n"
    "  for k in 1 2 3; do\n"
    "    n 4; d=d$r; n 4; d=$d/e$r; mkdir -p $d; n 9; f=$d/$r.c\n"
    "    n 4; case $r in\n"
    "    0) rm -f $f ;;\n"
    "    1) [ -f $f ] && mkdir -p moved && mv $f moved/$i-$k.c || true ;;\n"
    "    *) echo $i $k $f >>$f ;;\n"
    "    esac\n"
    "  done\n"
    "  git add -A && git commit -qm $i >/dev/null || true\n"
    "done\n"
    "git checkout -q main && git merge -q -X ours -m last b0 b1 2>/dev/null || git reset -q "
    "--hard\n";

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

static const char five_commits[] =
    "git init -q -b main ../full && (cd ../full && for i in 1 2 3 4 5; do "
    "echo $i >f && git add . && git commit -qm $i; done)\n"
    "git -C ../full config uploadpack.allowFilter true\n"
    "full=file://$(cd ../full && pwd)\n";

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

/* ---- blame ---- */

enum { MAX_BLAMED = 64 };

/* *was: what is known of an earlier version; gets what is found. */
static struct commit_blame *blame_behind(const char *root, const char *path, const str *content,
                                         size_t count, struct blame_known *was)
{
    size_t lines[MAX_BLAMED];
    struct commit_blame *out = ARENA_ARRAY(&arena, struct commit_blame, MAX_BLAMED);
    str note;
    struct err e = {0};
    struct blame_ask ask = {str_of(root), str_of(path), content, lines, count, *was};
    assert_true(count <= MAX_BLAMED);
    for (size_t i = 0; i < count; i++)
        lines[i] = i + 1;
    if (!commits_blame(&arena, &ask, out, &was->id, &note, &e))
        fail_msg("%s: %s", path, e.text);
    was->lines = out;
    was->count = count;
    return out;
}

/* "commit path line" for each of the lines 1 to `count`; "-" for one without an answer, "cut"
 * behind one whose history ends. */
static const char *told(const struct commit_blame *out, size_t count)
{
    str text = S("");
    for (size_t i = 0; i < count; i++)
        text = out[i].id.len
                   ? arena_printf(&arena, "%.*s%.*s %.*s %zu%s\n", FMT(text), FMT(out[i].id),
                                  FMT(out[i].path), out[i].line, out[i].is_cut ? " cut" : "")
                   : arena_printf(&arena, "%.*s-\n", FMT(text));
    return arena_cstr(&arena, text);
}

static const char *blamed(const char *root, const char *path, const str *content, size_t count)
{
    return told(blame_behind(root, path, content, count, &(struct blame_known){0}), count);
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static const char git_blame[] = "git blame --line-porcelain %s -- %.*s | awk "
                                "'/^\t/ {print id, file, line; next} length($1) == 40 {id = $1; "
                                "line = $2} /^filename / {file = $2}'";

static size_t line_at_head(const char *path, const str *content, size_t line)
{
    size_t out;
    str note;
    struct err e = {0};
    if (!commits_line_at_head(&arena, str_of(at("")), str_of(path), content, line, &out, &note, &e))
        fail_msg("%s: %s", path, e.text);
    return out;
}

/* No two lines of these histories are the same, so that there is one right answer. */
static void lines_are_blamed_as_git_blames_them(void **state)
{
    (void)state;
    sh(random_history);
    str files = str_of(told_by("git ls-files")), file;
    size_t blamed_lines = 0, moved = 0;
    while (str_next_line(&files, &file)) {
        const char *git = told_by(arena_printf(&arena, git_blame, "", FMT(file)).at);
        assert_string_equal(blamed(at(""), arena_cstr(&arena, file), NULL, count_lines(git)), git);
        blamed_lines += count_lines(git);
        moved += strstr(arena_cstr(&arena, file), "moved/") != NULL;
    }
    assert_true(blamed_lines > 30 && moved > 0);
}

static void what_is_known_of_an_earlier_version_is_what_is_found_anyway(void **state)
{
    (void)state;
    sh(random_history);
    str files = str_of(told_by("git ls-files")), file;
    sh("git checkout -q --detach main~2");
    size_t known = 0, lines = count_lines(told_by("git ls-files"));
    struct blame_known *was = ARENA_ARRAY(&arena, struct blame_known, 1000);
    for (str rest = files; str_next_line(&rest, &file); known++)
        blame_behind(at(""), arena_cstr(&arena, file), NULL, MAX_BLAMED, &was[known]);
    sh("git checkout -q main");
    known = 0;
    for (str rest = files; str_next_line(&rest, &file); known++) {
        const char *git = told_by(arena_printf(&arena, git_blame, "", FMT(file)).at);
        size_t count = count_lines(git);
        const char *path = arena_cstr(&arena, file);
        assert_string_equal(told(blame_behind(at(""), path, NULL, count, &was[known]), count), git);
    }
    assert_true(known > 3 && lines > 3);
}

static void the_way_back_ends_at_what_is_known(void **state)
{
    (void)state;
    sh("git init -q . && printf 'a\nb\n' >f && git add . && git commit -qm 1");
    struct commit_blame lines[] = {{S("x"), S("f"), 7, false}};
    str before = str_of(told_by("printf %s $(git rev-parse HEAD)"));
    struct blame_known was = {before, lines, 1};
    sh("printf 'new\na\nb\n' >f && git commit -qam 2");
    const char *head = told_by("git rev-parse HEAD");
    assert_string_equal(told(blame_behind(at(""), "f", NULL, 3, &was), 3),
                        arena_printf(&arena, "%.40s f 1\nx f 7\n%.*s f 2\n", head, FMT(before)).at);
    assert_true(str_eq(was.id, str_from(head, 40)));
}

static void a_file_that_changed_as_it_moved_is_followed(void **state)
{
    (void)state;
    sh("git init -q . && printf '1\\n2\\n3\\n4\\n5\\n6\\n' >a.c && printf 'x\\ny\\nz\\n' >b.c\n"
       "git add . && git commit -qm 1 && mkdir d && git mv a.c d/new.c && git rm -q b.c\n"
       "printf '1\\n2\\nthree\\n4\\n5\\n6\\n' >d/new.c && git add . && git commit -qm 2");
    const char *git = told_by(arena_printf(&arena, git_blame, "", FMT(S("d/new.c"))).at);
    assert_non_null(strstr(git, " a.c 4"));
    assert_string_equal(blamed(at(""), "d/new.c", NULL, 6), git);
}

static void lines_that_are_not_committed_have_no_commit(void **state)
{
    (void)state;
    sh("git init -q . && printf 'a\\nb\\nc\\n' >f && git add . && git commit -qm 1");
    const char *head = told_by("git rev-parse HEAD");
    str content = S("new\na\nB\nc\nlast\n");
    assert_string_equal(
        blamed(at(""), "f", &content, 7),
        arena_printf(&arena, "-\n%.40s f 1\n-\n%.40s f 3\n-\n-\n-\n", head, head).at);
    static const size_t wanted[] = {0, 1, 0, 3, 0, 0};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(line_at_head("f", &content, i + 1), wanted[i]);
    assert_int_equal(line_at_head("f", NULL, 3), 3);
    assert_int_equal(line_at_head("f", NULL, 4), 0);
    assert_int_equal(line_at_head("nothing", NULL, 1), 0);
    assert_string_equal(blamed(at(""), "nothing", NULL, 1), "-\n");
    assert_string_equal(blamed(at(""), "", NULL, 1), "-\n");
    assert_string_equal(blamed(at("../nowhere"), "f", NULL, 1), "-\n");
}

static void a_line_older_than_a_shallow_clone_is_cut(void **state)
{
    (void)state;
    sh(arena_printf(&arena,
                    "%s(cd ../full && echo 6 >>f && git commit -qam 6)\n"
                    "git clone -q --depth 2 $full .",
                    five_commits)
           .at);
    const char *ids = told_by("git rev-parse HEAD~1 HEAD");
    assert_string_equal(blamed(at(""), "f", NULL, 2),
                        arena_printf(&arena, "%.40s f 1 cut\n%.40s f 2\n", ids, ids + 41).at);
}

static void what_was_cut_is_looked_for_again(void **state)
{
    (void)state;
    sh(arena_printf(&arena,
                    "%s(cd ../full && for i in 6 7; do echo $i >>f && git commit -qam $i; done)\n"
                    "git clone -q --depth 2 $full .",
                    five_commits)
           .at);
    struct blame_known was = {0};
    assert_non_null(strstr(told(blame_behind(at(""), "f", NULL, 3, &was), 3), " f 1 cut\n"));
    sh("git fetch -q --unshallow && echo 8 >>f && git commit -qam 8");
    const char *git = told_by(arena_printf(&arena, git_blame, "", FMT(S("f"))).at);
    assert_string_equal(told(blame_behind(at(""), "f", NULL, 4, &was), 4), git);
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
        SCRATCH_TEST(a_commit_of_too_many_files_lists_none),
        SCRATCH_TEST(a_tree_that_explodes_is_cut),
        SCRATCH_TEST(a_tree_too_deep_is_cut),
        SCRATCH_TEST(paths_that_no_file_can_have_are_left_out),
        SCRATCH_TEST(a_message_of_5_mb_is_cut),
        SCRATCH_TEST(what_is_no_utf8_is_repaired_or_converted),
        SCRATCH_TEST(headers_that_are_odd_are_read),
        SCRATCH_TEST(a_mailmap_in_a_fifo_or_behind_a_link_is_not_read),
        SCRATCH_TEST(a_shallow_clone_ends_where_its_parents_are_missing),
        SCRATCH_TEST(clones_of_all_kinds_are_read),
        SCRATCH_TEST(repositories_without_a_history_say_so_or_have_none),
        SCRATCH_TEST(a_detached_head_and_other_branches_are_read),
        SCRATCH_TEST(a_thousand_branches_are_read_at_once),
        SCRATCH_TEST(a_linked_worktree_reads_its_own_head),
        SCRATCH_TEST(a_repository_of_another_user_is_not_read),
        SCRATCH_TEST(a_truncated_object_ends_or_is_ended),
        SCRATCH_TEST(changed_lines_are_told_with_what_they_stand_in),
        SCRATCH_TEST(lines_of_too_much_are_cut),
        SCRATCH_TEST(files_up_to_a_bound_are_compared),
        SCRATCH_TEST(a_commit_stands_before_head_beside_it_or_nowhere),
        SCRATCH_TEST(lines_are_blamed_as_git_blames_them),
        SCRATCH_TEST(what_is_known_of_an_earlier_version_is_what_is_found_anyway),
        SCRATCH_TEST(the_way_back_ends_at_what_is_known),
        SCRATCH_TEST(a_file_that_changed_as_it_moved_is_followed),
        SCRATCH_TEST(lines_that_are_not_committed_have_no_commit),
        SCRATCH_TEST(a_line_older_than_a_shallow_clone_is_cut),
        SCRATCH_TEST(what_was_cut_is_looked_for_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
