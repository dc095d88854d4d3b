#include "server/hooks/hook_told.h"

#include "memory/base/hash.h"
#include "server/confine.h"
#include "server/file_write.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct told told_open(struct arena *a, str directory, str session)
{
    struct err ignored = {0};
    struct told t = {.folder = -1, .ids = S(" ")};
    str path = arena_printf(a, "%.*s/hooks", FMT(directory));
    if (!session.len || !file_write_folders(a, path, 0700, NULL, &ignored))
        return t;
    t.folder = open(arena_cstr(a, path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    t.name = hash128_hex(a, session);
    int fd = t.folder < 0 ? -1
                          : openat(t.folder, arena_cstr(a, t.name),
                                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    str kept;
    if (fd >= 0 && read_fd(a, fd, MAX_TOLD_FILE_BYTES, &kept, &ignored) &&
        str_starts(kept, S(" ")) && str_ends(kept, S(" ")))
        t.ids = kept;
    if (fd >= 0)
        close(fd);
    return t;
}

static str spaced(struct arena *a, str id)
{
    return arena_printf(a, " %.*s ", FMT(id));
}

bool told_has(const struct told *t, str id)
{
    struct arena scratch = {0};
    bool has = str_find(t->ids, spaced(&scratch, id), 0) < t->ids.len;
    arena_free(&scratch);
    return has;
}

void told_add(struct arena *a, struct told *t, str id)
{
    if (t->ids.len + id.len + 1 > MAX_TOLD_FILE_BYTES)
        t->ids = S(" ");
    t->ids = arena_printf(a, "%.*s%.*s ", FMT(t->ids), FMT(id));
}

void told_keep(struct arena *a, const struct told *t)
{
    struct err ignored = {0};
    if (t->folder >= 0)
        file_write_note(a, t->folder, t->name, t->ids, &ignored);
}

void told_forget(struct told *t, int64_t now_s)
{
    struct arena scratch = {0};
    int again = t->folder < 0 ? -1 : fcntl(t->folder, F_DUPFD_CLOEXEC, 0);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    t->ids = S(" ");
    if (t->folder >= 0)
        unlinkat(t->folder, arena_cstr(&scratch, t->name), 0);
    for (int i = 0; list && i < MAX_TOLD_SESSIONS; i++) {
        struct stat about;
        const struct dirent *entry = readdir(list);
        if (!entry)
            break;
        if (fstatat(t->folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode) && now_s - about.st_mtime > (int64_t)TOLD_DAYS * 24 * 3600)
            unlinkat(t->folder, entry->d_name, 0);
    }
    if (list)
        closedir(list);
    else if (again >= 0)
        close(again);
    arena_free(&scratch);
}

bool told_captured_lately(const struct told *t, int64_t now_s, int64_t within_s)
{
    struct arena scratch = {0};
    struct err ignored = {0};
    struct stat about;
    if (t->folder < 0)
        return false;
    str name = arena_printf(&scratch, "%.*s.captured", FMT(t->name));
    bool lately = fstatat(t->folder, name.at, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
                  now_s - about.st_mtime < within_s && now_s >= about.st_mtime;
    if (!lately)
        file_write_note(&scratch, t->folder, name, S(""), &ignored);
    arena_free(&scratch);
    return lately;
}

void told_close(struct told *t)
{
    if (t->folder >= 0)
        close(t->folder);
    t->folder = -1;
}
