#include "server/blame_notes.h"

#include "memory/base/hash.h"
#include "server/file_write.h"
#include "server/small_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static str folder_of(struct arena *a, str directory)
{
    return arena_printf(a, "%.*s/blame", FMT(directory));
}

static str name_of(struct arena *a, str root, str path)
{
    return hash128_hex(a, arena_printf(a, "%.*s\n%.*s", FMT(root), FMT(path)));
}

bool blame_notes_find(struct arena *a, str directory, str root, str path, struct wire_blamed *out)
{
    str bytes, file = arena_printf(a, "%.*s/%.*s", FMT(folder_of(a, directory)),
                                   FMT(name_of(a, root, path)));
    struct err ignored = {0};
    return small_file_read(a, AT_FDCWD, file, O_NOFOLLOW, MAX_BLAMED_BYTES, NULL, &bytes,
                           &ignored) &&
           wire_read_blamed(a, bytes, out) && out->head.len;
}

/* One too many: the one that was written first goes. */
static void drop_oldest(int folder)
{
    char oldest[NAME_MAX + 1] = "";
    struct timespec first = {0};
    size_t count = 0;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir)
        return;
    for (const struct dirent *d; (d = readdir(dir)) != NULL;) {
        struct stat s;
        if (fstatat(folder, d->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode))
            continue;
        bool older = s.st_mtim.tv_sec != first.tv_sec ? s.st_mtim.tv_sec < first.tv_sec
                                                      : s.st_mtim.tv_nsec < first.tv_nsec;
        if (!count++ || older) {
            first = s.st_mtim;
            memcpy(oldest, d->d_name, strlen(d->d_name) + 1);
        }
    }
    closedir(dir);
    if (count > MAX_BLAME_NOTES)
        unlinkat(folder, oldest, 0);
}

void blame_notes_put(str directory, str root, str path, const struct wire_blamed *made)
{
    struct arena a = {0};
    struct buf bytes = {.max_bytes = MAX_BLAMED_BYTES};
    struct err ignored = {0};
    str folder = folder_of(&a, directory);
    wire_write_blamed(&bytes, made);
    int fd = -1;
    if (!bytes.overflow && file_write_folders(&a, folder, 0700, NULL, &ignored))
        fd = open(arena_cstr(&a, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        file_write_note(&a, fd, name_of(&a, root, path), buf_str(&bytes), &ignored);
        drop_oldest(fd);
        close(fd);
    }
    buf_free(&bytes);
    arena_free(&a);
}
