#include "server/small_file.h"

#include "server/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool small_file_read(struct arena *a, int dir, str path, int flags, size_t max_bytes,
                     struct stat *info, str *out, struct err *e)
{
    struct stat own;
    info = info ? info : &own;
    int fd = openat(dir, arena_cstr(a, path), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
    if (fd < 0)
        return fail(e, errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_IO, "%.*s: %s",
                    FMT(path), strerror(errno));
    bool ok = fstat(fd, info) == 0 || fail(e, ERR_IO, "%.*s: %s", FMT(path), strerror(errno));
    ok =
        ok && (S_ISREG(info->st_mode) || fail(e, ERR_INPUT, "%.*s: not a regular file", FMT(path)));
    ok = ok && (read_fd(a, fd, max_bytes, out, e) || fail_context(e, "%.*s", FMT(path)));
    close(fd);
    return ok;
}
