#include "server/setup/target.h"

#include "server/file_write.h"
#include "server/setup/edit.h"
#include "server/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* "/a/b" of "/a/b/c"; "/" of "/a". */
static str folder_of(str path)
{
    size_t slash = path.len;
    while (slash > 1 && path.at[slash - 1] != '/')
        slash--;
    return str_cut(path, 0, slash > 1 ? slash - 1 : 1);
}

/* Without links as far as it exists, the rest as it is written. */
static bool real_path(struct arena *a, str path, str *out, struct err *e)
{
    char real[PATH_MAX];
    struct stat info;
    for (str there = path;; there = folder_of(there)) {
        const char *c = arena_cstr(a, there);
        if (realpath(c, real)) {
            str rest = str_cut(path, there.len, path.len);
            *out = arena_printf(a, "%s%.*s", real, FMT(rest));
            return true;
        }
        if (errno != ENOENT || there.len <= 1)
            return fail(e, ERR_IO, "%s: %s", c, strerror(errno));
        if (lstat(c, &info) == 0)
            return fail(e, ERR_INPUT, "%s is a link that leads nowhere", c);
    }
}

static bool is_beneath(str path, str folder)
{
    return str_starts(path, folder) && path.len > folder.len && path.at[folder.len] == '/';
}

bool target_read(struct arena *a, str shown, str below, struct target *out, struct err *e)
{
    *out = (struct target){.shown = shown};
    if (!real_path(a, shown, &out->real, e))
        return false;
    if (below.len && !is_beneath(out->real, below))
        return fail(e, ERR_INPUT, "%.*s leads out of the project", FMT(shown));
    struct err missing = {0};
    if (small_file_read(a, AT_FDCWD, out->real, 0, MAX_EDIT_BYTES, &out->info, &out->text,
                        &missing))
        return true;
    out->text = (str){NULL, 0};
    if (missing.code != ERR_NOT_FOUND)
        *e = missing;
    return missing.code == ERR_NOT_FOUND;
}

/* Is it still what target_read saw? */
static bool is_unchanged(struct arena *a, const struct target *t, struct err *e)
{
    struct target now;
    if (!target_read(a, t->real, S(""), &now, e))
        return false;
    return ((now.text.at != NULL) == (t->text.at != NULL) && str_eq(now.text, t->text)) ||
           fail(e, ERR_CONFLICT, "%.*s was written meanwhile; run it again", FMT(t->shown));
}

bool target_write(struct arena *a, const struct target *t, str text, bool is_private,
                  size_t *folders, struct err *e)
{
    bool is_there = t->text.at != NULL;
    str folder = folder_of(t->real);
    *folders = 0;
    if (!is_unchanged(a, t, e) ||
        (!is_there && !file_write_folders(a, folder, is_private ? 0700 : 0777, folders, e)))
        return false;
    int fd = open(arena_cstr(a, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail(e, ERR_IO, "%.*s: %s", FMT(folder), strerror(errno));
    bool ok = file_write_replace(a, fd, str_file_name(t->real), text, is_there ? &t->info : NULL,
                                 is_private ? 0600 : 0666, e);
    close(fd);
    return ok || fail_context(e, "%.*s", FMT(folder));
}

bool target_remove(struct arena *a, const struct target *t, size_t folders, struct err *e)
{
    if (!is_unchanged(a, t, e))
        return false;
    if (unlink(arena_cstr(a, t->real)) != 0)
        return fail(e, ERR_IO, "can't remove %.*s: %s", FMT(t->real), strerror(errno));
    for (str folder = folder_of(t->real); folders > 0 && rmdir(arena_cstr(a, folder)) == 0;
         folders--)
        folder = folder_of(folder);
    return true;
}
