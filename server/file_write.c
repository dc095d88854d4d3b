#include "server/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

bool file_write_folders(struct arena *a, str path, mode_t mode, size_t *made, struct err *e)
{
    size_t count = 0;
    char *p = arena_cstr(a, path);
    for (size_t i = 1; i <= path.len; i++) {
        if (i < path.len && p[i] != '/')
            continue;
        p[i] = '\0';
        if (mkdir(p, mode) == 0)
            count++;
        else if (errno != EEXIST)
            return fail(e, ERR_IO, "can't make %s: %s", p, strerror(errno));
        if (i < path.len)
            p[i] = '/';
    }
    if (made)
        *made = count;
    return true;
}

static bool write_all(int fd, str bytes)
{
    while (bytes.len) {
        ssize_t n = write(fd, bytes.at, bytes.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes = str_cut(bytes, (size_t)n, bytes.len);
    }
    return true;
}

/* The owner is kept where that is possible: who may write another's file through a folder needn't
 * be allowed to give files away. */
static bool make_like(int fd, const struct stat *like)
{
    struct stat own;
    if (fstat(fd, &own) != 0)
        return false;
    if ((own.st_uid != like->st_uid || own.st_gid != like->st_gid) &&
        fchown(fd, like->st_uid, like->st_gid) != 0 && errno != EPERM)
        return false;
    return fchmod(fd, like->st_mode & 07777) == 0;
}

static bool replace(struct arena *a, int folder, str name, str bytes, const struct stat *like,
                    mode_t mode, bool flushes, struct err *e)
{
    const char *place = arena_cstr(a, name);
    const char *beside = arena_printf(a, ".%.*s.%ld", FMT(name), (long)getpid()).at;
    unlinkat(folder, beside, 0); /* left by a process of this number that died */
    int fd = openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        return fail(e, ERR_IO, "can't write %s: %s", place, strerror(errno));
    bool ok =
        (!like || make_like(fd, like)) && write_all(fd, bytes) && (!flushes || fsync(fd) == 0);
    int reason = errno;
    close(fd);
    if (ok && renameat(folder, beside, folder, place) != 0) {
        ok = false;
        reason = errno;
    }
    if (ok)
        return true;
    unlinkat(folder, beside, 0);
    return fail(e, ERR_IO, "can't write %s: %s", place, strerror(reason));
}

bool file_write_replace(struct arena *a, int folder, str name, str bytes, const struct stat *like,
                        mode_t mode, struct err *e)
{
    return replace(a, folder, name, bytes, like, mode, true, e);
}

bool file_write_note(struct arena *a, int folder, str name, str bytes, struct err *e)
{
    return replace(a, folder, name, bytes, NULL, 0600, false, e);
}

int file_write_memory(const char *name, str bytes, struct err *e)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0 && !write_all(fd, bytes)) {
        int fault = errno;
        close(fd);
        errno = fault;
        fd = -1;
    }
    if (fd < 0)
        fail(e, ERR_IO, "no file in memory: %s", strerror(errno));
    else
        lseek(fd, 0, SEEK_SET);
    return fd;
}
