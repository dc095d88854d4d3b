#include "server/index_request.h"

#include "memory/base/hash.h"
#include "memory/memory.h"
#include "server/small_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const str FOLDER = {"index", 5}, ASK = {".ask", 4}, RUN = {".run", 4};

enum { NAME_DIGITS = 16 };

static const char *path_of(struct arena *a, str directory, str root, str end)
{
    str name = str_cut(hash128_hex(a, root), 0, NAME_DIGITS);
    return arena_printf(a, "%.*s/%.*s/%.*s%.*s", FMT(directory), FMT(FOLDER), FMT(name), FMT(end))
        .at;
}

/* Written aside and renamed: whoever sees it sees it whole. */
static bool write_file(struct arena *a, const char *path, str content)
{
    const char *aside = arena_printf(a, "%s.%d", path, (int)getpid()).at;
    int fd = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    bool ok = write(fd, content.at, content.len) == (ssize_t)content.len;
    ok = close(fd) == 0 && ok && rename(aside, path) == 0;
    if (!ok)
        unlink(aside);
    return ok;
}

bool index_request_put(str directory, str root, struct err *e)
{
    struct arena a = {0};
    const char *path = path_of(&a, directory, root, ASK);
    bool ok = write_file(&a, path, root);
    if (!ok && errno == ENOENT) {
        mkdir(arena_printf(&a, "%.*s/%.*s", FMT(directory), FMT(FOLDER)).at, 0700);
        ok = write_file(&a, path, root);
    }
    if (!ok)
        fail(e, ERR_IO, "asking for an index in %s: %s", path, strerror(errno));
    arena_free(&a);
    return ok;
}

bool index_request_is_open(str directory, str root)
{
    struct arena a = {0};
    bool open = access(path_of(&a, directory, root, ASK), F_OK) == 0 ||
                access(path_of(&a, directory, root, RUN), F_OK) == 0;
    arena_free(&a);
    return open;
}

/* ---- for the holder ---- */

static int by_text(const void *left, const void *right)
{
    return str_cmp(*(const str *)left, *(const str *)right);
}

static void add_root(struct arena *a, str directory, str name, str **roots, size_t *count)
{
    struct err ignored = {0};
    str path = arena_printf(a, "%.*s/%.*s/%.*s", FMT(directory), FMT(FOLDER), FMT(name)), root;
    if (!small_file_read(a, AT_FDCWD, path, O_NOFOLLOW, MAX_PATH_BYTES, NULL, &root, &ignored) ||
        !str_starts(root, S("/")) || memchr(root.at, 0, root.len))
        return;
    for (size_t i = 0; i < *count; i++)
        if (str_eq((*roots)[i], root))
            return;
    (*roots)[(*count)++] = root;
}

void index_request_list(struct arena *a, str directory, str **roots, size_t *count)
{
    *count = 0;
    *roots = NULL;
    DIR *dir = opendir(arena_printf(a, "%.*s/%.*s", FMT(directory), FMT(FOLDER)).at);
    if (!dir)
        return;
    *roots = ARENA_ARRAY(a, str, MAX_INDEX_REQUESTS);
    for (const struct dirent *d; *count < MAX_INDEX_REQUESTS && (d = readdir(dir)) != NULL;) {
        str name = str_of(d->d_name);
        if (str_ends(name, ASK) || str_ends(name, RUN))
            add_root(a, directory, name, roots, count);
    }
    closedir(dir);
    if (*count)
        qsort(*roots, *count, sizeof **roots, by_text);
}

void index_request_begin(str directory, str root)
{
    struct arena a = {0};
    rename(path_of(&a, directory, root, ASK), path_of(&a, directory, root, RUN));
    arena_free(&a);
}

void index_request_end(str directory, str root)
{
    struct arena a = {0};
    unlink(path_of(&a, directory, root, RUN));
    arena_free(&a);
}
