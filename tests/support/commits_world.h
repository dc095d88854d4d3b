/* Histories that git makes in a scratch folder, and what our reader tells of them. Included by one
 * unit test each, behind cmocka.h. */
#ifndef ENGRAM_TESTS_COMMITS_WORLD_H
#define ENGRAM_TESTS_COMMITS_WORLD_H

#include "tests/support/scratch.h"

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

static inline struct commit_history read_all(void)
{
    return read_at(at(""), (struct commits_ask){.from_head = true});
}

static inline const char *subjects_of(const struct commit_history *h)
{
    str out = S("");
    for (size_t i = 0; i < h->commit_count; i++)
        out = arena_printf(&arena, "%.*s%.*s\n", FMT(out), FMT(h->commits[i].subject));
    return arena_cstr(&arena, out);
}

static inline const char *changes_of(const struct commit_record *c)
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
static inline const char *told_by(const char *script)
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

static const char five_commits[] =
    "git init -q -b main ../full && (cd ../full && for i in 1 2 3 4 5; do "
    "echo $i >f && git add . && git commit -qm $i; done)\n"
    "git -C ../full config uploadpack.allowFilter true\n"
    "full=file://$(cd ../full && pwd)\n";

/* A history of two: a commit of that many bytes, that adds f, and a small one that adds a line
 * to it. */
static inline void make_commit_of(size_t bytes)
{
    sh(arena_printf(&arena,
                    "rm -rf .git; git init -q . && echo x >f && git add . && t=$(git write-tree)\n"
                    "printf 'tree %%s\\nauthor A <a> 1 +0000\\ncommitter A <a> 1 +0000\\n\\nlarge"
                    "\\n\\n' $t >../large && n=$(wc -c <../large)\n"
                    "head -c $((%zu - n)) /dev/zero | tr '\\0' x >>../large\n"
                    "git update-ref HEAD $(git hash-object -t commit -w ../large)\n"
                    "echo y >>f && git commit -qam later",
                    bytes)
           .at);
}

#endif
