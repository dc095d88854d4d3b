#include "server/worker/blame.h"

#include "memory/base/hash.h"
#include "parsers/parsers.h"
#include "server/confine.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* *is_there false: the worktree has none, and HEAD's counts. false where it can't be compared. */
static bool read_content(struct arena *a, int root, str path, str *content, bool *is_there)
{
    struct stat s;
    struct err ignored = {0};
    int fd = confine_open_plain(a, root, path);
    *is_there = fd >= 0;
    if (fd < 0)
        return errno == ENOENT;
    bool ok = fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size <= MAX_SOURCE_BYTES &&
              read_fd(a, fd, MAX_SOURCE_BYTES, content, &ignored);
    close(fd);
    return ok;
}

static bool find_line(struct arena *a, int root, const struct wire_blame *ask,
                      struct wire_blamed *out, struct err *e)
{
    str content = S(""), note;
    bool is_there;
    size_t line = 0;
    if (!read_content(a, root, ask->path, &content, &is_there))
        return true;
    if (!commits_line_at_head(a, ask->root, ask->path, is_there ? &content : NULL, ask->line, &line,
                              &note, e))
        return false;
    out->line_at_head = (uint32_t)line;
    return true;
}

/* The place of a maker in the list, new where it isn't in it. */
static uint32_t maker_of(struct arena *a, struct map *known, struct wire_blamed *out,
                         const struct commit_blame *made)
{
    bool is_new;
    str key = arena_printf(a, "%.*s %.*s", FMT(made->id), FMT(made->path));
    int64_t *place = map_put(known, key, (int64_t)out->maker_count, &is_new);
    if (is_new)
        out->makers[out->maker_count++] = (struct wire_maker){made->id, made->path, made->is_cut};
    return (uint32_t)*place;
}

/* An answer of before; nothing where there is none that can be read. */
static struct blame_known read_known(struct arena *a, int fd)
{
    str bytes;
    struct wire_blamed was;
    struct err ignored = {0};
    if (!read_fd(a, fd, MAX_BLAMED_BYTES, &bytes, &ignored) || !wire_read_blamed(a, bytes, &was) ||
        !was.head.len)
        return (struct blame_known){0};
    struct commit_blame *lines = ARENA_ARRAY(a, struct commit_blame, was.line_count);
    for (size_t i = 0; i < was.line_count; i++) {
        const struct wire_made *made = &was.lines[i];
        if (made->maker == NO_MAKER)
            continue;
        const struct wire_maker *maker = &was.makers[made->maker];
        lines[i] = (struct commit_blame){maker->id, maker->path, made->line, maker->is_cut};
    }
    return (struct blame_known){was.head, lines, was.line_count};
}

static bool find_makers(struct arena *a, int was, const struct wire_blame *ask,
                        struct wire_blamed *out, struct err *e)
{
    str note;
    size_t *lines = ARENA_ARRAY(a, size_t, MAX_BLAMED_LINES);
    struct commit_blame *made = ARENA_ARRAY(a, struct commit_blame, MAX_BLAMED_LINES);
    for (size_t i = 0; i < MAX_BLAMED_LINES; i++)
        lines[i] = i + 1;
    struct blame_ask asked = {.root = ask->root,
                              .path = ask->path,
                              .lines = lines,
                              .count = MAX_BLAMED_LINES,
                              .known = read_known(a, was)};
    if (!commits_blame(a, &asked, made, &out->head, &note, e))
        return false;
    struct map known = {0};
    out->makers = ARENA_ARRAY(a, struct wire_maker, MAX_BLAMED_LINES);
    out->lines = ARENA_ARRAY(a, struct wire_made, MAX_BLAMED_LINES);
    for (size_t i = 0; i < MAX_BLAMED_LINES; i++) {
        out->lines[i] = (struct wire_made){NO_MAKER, 0};
        if (!made[i].id.len)
            continue;
        out->lines[i] =
            (struct wire_made){maker_of(a, &known, out, &made[i]), (uint32_t)made[i].line};
        out->line_count = i + 1;
    }
    map_free(&known);
    return true;
}

bool blame_file(struct arena *a, const struct parse_job *job, struct buf *reply, struct err *e)
{
    struct wire_blame ask;
    struct wire_blamed answer = {0};
    if (!wire_read_blame(job->name, &ask))
        return fail(e, ERR_INPUT, "this asks for no line");
    if (!(ask.line ? find_line(a, job->fd, &ask, &answer, e)
                   : find_makers(a, job->fd, &ask, &answer, e)))
        return false;
    wire_write_blamed(reply, &answer);
    return true;
}
