#include "server/confine.h"

#include "memory/base/buf.h"
#include "memory/base/unicode.h"
#include "memory/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MAX_SHOWN_BYTES = 80 };

/* What one call to confine_open knows. */
struct confined {
    struct arena *arena;
    str root, path; /* as given */
    str relative;
    struct err *err;
};

/* A path in an error text: visible, and bounded. */
static str shown(struct arena *a, str path)
{
    str head = utf8_prefix(unicode_visible(a, utf8_prefix(path, MAX_SHOWN_BYTES)), MAX_SHOWN_BYTES);
    return head.len < path.len ? arena_printf(a, "%.*s...", FMT(head)) : head;
}

static bool refuse(struct confined *c, enum err_code code, const char *what)
{
    return fail(c->err, code, "path: '%.*s' %s; wanted: a file below %.*s",
                FMT(shown(c->arena, c->path)), what, FMT(shown(c->arena, c->root)));
}

static bool refuse_errno(struct confined *c, int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return refuse(c, ERR_NOT_FOUND, "isn't there");
    case ELOOP:
        return refuse(c, ERR_INPUT, "runs in a circle of symbolic links");
    case ENAMETOOLONG:
        return refuse(c, ERR_INPUT, "is too long a name");
    case EACCES:
    case EPERM:
        return refuse(c, ERR_IO, "may not be read (permissions)");
    default:
        return refuse(c, ERR_IO, strerror(error));
    }
}

/* ---- names ---- */

/* Absolute, without empty, "." and ".." components, without a final slash (so "/" is empty). */
static str normalize(struct arena *a, str path)
{
    char *begin = arena_bytes(a, path.len + 1), *to = begin;
    for (size_t at = 0; at < path.len;) {
        size_t end = str_find_char(path, '/', at);
        str component = str_cut(path, at, end);
        at = end + 1;
        if (str_eq(component, S(".."))) {
            while (to > begin && *--to != '/')
                continue;
        } else if (component.len && !str_eq(component, S("."))) {
            *to++ = '/';
            memcpy(to, component.at, component.len);
            to += component.len;
        }
    }
    return str_from(begin, (size_t)(to - begin));
}

/* What is left of `path` below `root`, both normalised; empty where it is the root itself. */
static bool strip_root(str path, str root, str *rest)
{
    bool below = str_starts(path, root) && (path.len == root.len || path.at[root.len] == '/');
    if (below)
        *rest = str_cut(path, root.len + 1, path.len);
    return below;
}

static bool real_path(struct arena *a, str path, str *out)
{
    char real[PATH_MAX];
    if (!realpath(arena_cstr(a, path), real))
        return false;
    *out = normalize(a, str_of(real));
    return true;
}

static bool find_relative(struct confined *c)
{
    if (c->path.len == 0)
        return refuse(c, ERR_INPUT, "is empty");
    if (c->path.len > MAX_PATH_BYTES)
        return refuse(c, ERR_INPUT, "is too long a path");
    if (str_find_char(c->path, '\0', 0) < c->path.len)
        return refuse(c, ERR_INPUT, "holds a NUL byte");

    bool absolute = c->path.at[0] == '/';
    str joined =
        absolute ? c->path : arena_printf(c->arena, "%.*s/%.*s", FMT(c->root), FMT(c->path));
    str normal = normalize(c->arena, joined), real_root;
    bool inside = strip_root(normal, normalize(c->arena, c->root), &c->relative) ||
                  (absolute && real_path(c->arena, c->root, &real_root) &&
                   strip_root(normal, real_root, &c->relative));
    if (!inside)
        return refuse(c, ERR_INPUT, "is outside");
    return c->relative.len || refuse(c, ERR_INPUT, "is the root itself, a directory");
}

/* ---- descriptors; -1 and errno where there is none ---- */

static int close_keeping_errno(int fd)
{
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

static int open_beneath(int root, const char *relative, int flags, unsigned resolve)
{
    enum { TRIES = 8 }; /* EAGAIN: something was renamed meanwhile */
    struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | resolve};
    long fd = -1;
    for (int i = 0; i < TRIES; i++) {
        fd = syscall(SYS_openat2, root, relative, &how, sizeof how);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return (int)fd;
}

static int open_root(struct arena *a, str root)
{
    return open(arena_cstr(a, root.len ? root : S("/")), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Component by component from `fd`, which it closes; no link followed, no "..". */
static int open_step_by_step(struct arena *a, int fd, str relative, int flags)
{
    for (size_t at = 0; fd >= 0 && at < relative.len;) {
        size_t end = str_find_char(relative, '/', at);
        str name = str_cut(relative, at, end);
        at = end + 1;
        int step = end < relative.len ? O_PATH | O_DIRECTORY : flags;
        errno = EXDEV;
        int next = str_eq(name, S(".."))
                       ? -1
                       : openat(fd, arena_cstr(a, name), step | O_NOFOLLOW | O_CLOEXEC);
        close_keeping_errno(fd);
        fd = next;
    }
    return fd;
}

/* For absolute links, which RESOLVE_BENEATH never follows, and for systems without openat2: the
 * real path must be below the real root, and is then walked without following links, so that a link
 * put there meanwhile leads nowhere. */
static int open_real_path(struct confined *c, int flags)
{
    struct arena *a = c->arena;
    str root, real, rest;
    if (!real_path(a, c->root, &root) ||
        !real_path(a, arena_printf(a, "%.*s/%.*s", FMT(root), FMT(c->relative)), &real))
        return -1;
    if (!strip_root(real, root, &rest)) {
        errno = EXDEV;
        return -1;
    }
    return open_step_by_step(a, open_root(a, root), rest, flags);
}

static int open_confined(struct confined *c, int flags)
{
    struct arena *a = c->arena;
    int root = open_root(a, c->root);
    if (root < 0)
        return -1;
    int fd = open_beneath(root, arena_cstr(a, c->relative), flags, 0);
    close_keeping_errno(root);
    bool by_hand = errno == EXDEV || errno == ELOOP || errno == ENOSYS || errno == EPERM ||
                   errno == EINVAL || errno == EAGAIN;
    return fd >= 0 || !by_hand ? fd : open_real_path(c, flags);
}

int confine_open_plain(struct arena *a, int root, str path)
{
    enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW };
    bool whole = path.len && path.at[0] != '/' && path.len <= MAX_PATH_BYTES &&
                 str_find_char(path, '\0', 0) == path.len;
    errno = EINVAL;
    int fd = whole ? open_beneath(root, arena_cstr(a, path), FLAGS, RESOLVE_NO_SYMLINKS) : -1;
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = open_step_by_step(a, fcntl(root, F_DUPFD_CLOEXEC, 0), path, FLAGS);
    return fd;
}

/* ---- what may be read ---- */

static struct {
    pthread_mutex_t lock;
    str *databases; /* heap, for the life of the process */
    size_t count, capacity;
} protected = {.lock = PTHREAD_MUTEX_INITIALIZER};

void confine_protect(str database)
{
    pthread_mutex_lock(&protected.lock);
    bool known = false;
    for (size_t i = 0; i < protected.count; i++)
        known |= str_eq(protected.databases[i], database);
    if (!known) {
        HEAP_GROW(protected.databases, protected.count, protected.capacity);
        char *copy = heap_alloc(database.len + 1, 1);
        memcpy(copy, database.at, database.len);
        protected.databases[protected.count++] = str_from(copy, database.len);
    }
    pthread_mutex_unlock(&protected.lock);
}

static bool is_same_file(struct arena *a, str database, const char *suffix, const struct stat *s)
{
    struct stat other;
    const char *path = arena_printf(a, "%.*s%s", FMT(database), suffix).at;
    return stat(path, &other) == 0 && other.st_dev == s->st_dev && other.st_ino == s->st_ino;
}

static bool is_protected(struct arena *a, const struct stat *s)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    bool hit = false;
    pthread_mutex_lock(&protected.lock);
    for (size_t i = 0; i < protected.count; i++)
        for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++)
            hit |= is_same_file(a, protected.databases[i], suffixes[k], s);
    pthread_mutex_unlock(&protected.lock);
    return hit;
}

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "is a directory";
    case S_IFIFO:
        return "is a FIFO";
    case S_IFCHR:
    case S_IFBLK:
        return "is a device";
    case S_IFSOCK:
        return "is a socket";
    case S_IFLNK:
        return "is a symbolic link that was just put there";
    default:
        return "is no regular file";
    }
}

static bool check_kind(struct confined *c, int fd, struct stat *s)
{
    struct statfs system;
    if (fstat(fd, s) != 0 || fstatfs(fd, &system) != 0)
        return refuse_errno(c, errno);
    if (!S_ISREG(s->st_mode))
        return refuse(c, ERR_INPUT, kind_of(s->st_mode));
    if (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC)
        return refuse(c, ERR_INPUT, "is the kernel's own");
    if (is_protected(c->arena, s))
        return refuse(c, ERR_INPUT, "is a database of engram");
    return true;
}

/* Opens for reading what `place`, an O_PATH descriptor, stands for. */
static int open_for_reading(struct confined *c, int place, const struct stat *s)
{
    enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
    int fd = open(arena_printf(c->arena, "/proc/self/fd/%d", place).at, FLAGS);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    struct stat again; /* no /proc: the same way a second time must lead to the same file */
    fd = open_confined(c, FLAGS);
    if (fd >= 0 &&
        (fstat(fd, &again) != 0 || again.st_dev != s->st_dev || again.st_ino != s->st_ino)) {
        errno = EBUSY;
        return close_keeping_errno(fd);
    }
    return fd;
}

bool confine_open(struct arena *a, str root, str path, int *fd, str *relative, struct err *e)
{
    struct confined c = {.arena = a, .root = root, .path = path, .err = e};
    *fd = -1;
    if (!find_relative(&c))
        return false;
    int place = open_confined(&c, O_PATH);
    if (place < 0)
        return errno == EXDEV ? refuse(&c, ERR_INPUT, "leads outside by a symbolic link")
                              : refuse_errno(&c, errno);

    struct stat s;
    bool ok = check_kind(&c, place, &s);
    if (ok) {
        *fd = open_for_reading(&c, place, &s);
        ok = *fd >= 0 || refuse_errno(&c, errno);
    }
    close(place);
    if (ok)
        *relative = c.relative;
    return ok;
}

/* ---- reading ---- */

/* As read, or as pread where the file has a size; waits where fd is non-blocking. */
static ssize_t read_some(int fd, bool regular, char *to, size_t bytes, off_t at)
{
    for (;;) {
        ssize_t n = regular ? pread(fd, to, bytes, at) : read(fd, to, bytes);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN))
            return n;
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (errno == EAGAIN)
            poll(&ready, 1, -1);
    }
}

bool read_fd(struct arena *a, int fd, size_t max_bytes, str *out, struct err *e)
{
    enum { CHUNK_BYTES = 64 << 10 };
    struct stat s;
    if (fstat(fd, &s) != 0)
        return fail(e, ERR_IO, "can't be read: %s", strerror(errno));
    if (S_ISREG(s.st_mode) && (uintmax_t)s.st_size > max_bytes)
        return fail(e, ERR_LIMIT, "has %jd bytes, at most %zu", (intmax_t)s.st_size, max_bytes);

    struct buf bytes = {0};
    size_t first =
        S_ISREG(s.st_mode) ? (size_t)s.st_size + 1 : CHUNK_BYTES; /* one more shows its end */
    ssize_t n = 1;
    while (n > 0 && bytes.len <= max_bytes) {
        size_t want = bytes.len ? CHUNK_BYTES : first;
        buf_reserve(&bytes, want);
        n = read_some(fd, S_ISREG(s.st_mode), bytes.at + bytes.len, want, (off_t)bytes.len);
        bytes.len += n > 0 ? (size_t)n : 0;
    }
    bool ok =
        n >= 0 ? bytes.len <= max_bytes || fail(e, ERR_LIMIT, "has more than %zu bytes", max_bytes)
               : fail(e, ERR_IO, "can't be read: %s", strerror(errno));
    if (ok)
        *out = arena_str(a, buf_str(&bytes));
    buf_free(&bytes);
    return ok;
}
