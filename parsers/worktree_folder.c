#include "parsers/worktree_folder.h"

#include "parsers/patterns.h"
#include "parsers/worktree_rules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
    FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
};

static int open_beneath(int root, const char *path)
{
    enum { TRIES = 8 }; /* EAGAIN: something was renamed meanwhile */
    struct open_how how = {.flags = FOLDER_FLAGS,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
                                      RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
    long fd = -1;
    for (int i = 0; i < TRIES; i++) {
        fd = syscall(SYS_openat2, root, path, &how, sizeof how);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return (int)fd;
}

/* For systems without openat2. */
static int open_step_by_step(struct arena *a, int root, const char *path)
{
    str rest = str_of(path);
    int fd = openat(root, ".", FOLDER_FLAGS);
    for (size_t at = 0; fd >= 0 && at < rest.len;) {
        size_t end = str_find_char(rest, '/', at);
        int next = openat(fd, arena_cstr(a, str_cut(rest, at, end)), FOLDER_FLAGS);
        int error = errno;
        close(fd);
        errno = error;
        fd = next;
        at = end + 1;
    }
    struct stat top, s;
    if (fd >= 0 && (fstat(root, &top) != 0 || fstat(fd, &s) != 0 || top.st_dev != s.st_dev)) {
        close(fd);
        errno = EXDEV;
        return -1;
    }
    return fd;
}

static enum folder_result result_of(int error)
{
    switch (error) {
    case ENOENT:
        return FOLDER_GONE;
    case ELOOP:
    case ENOTDIR: /* O_NOFOLLOW and O_DIRECTORY on a link */
        return FOLDER_IS_LINK;
    case EXDEV:
        return FOLDER_ELSEWHERE;
    default:
        return FOLDER_UNREADABLE;
    }
}

/* ---- what is in it ---- */

static enum place_type type_of_mode(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return PLACE_FILE;
    case S_IFDIR:
        return PLACE_FOLDER;
    case S_IFLNK:
        return PLACE_LINK;
    default:
        return PLACE_OTHER;
    }
}

static int64_t nanoseconds(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Fills type, size and times; false where it is gone. */
static bool look_at(int folder, struct place_name *name)
{
    struct stat s;
    if (fstatat(folder, name->text.at, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    name->type = type_of_mode(s.st_mode);
    name->bytes = (uint64_t)s.st_size;
    name->mtime_ns = nanoseconds(s.st_mtim);
    name->ctime_ns = nanoseconds(s.st_ctim);
    return true;
}

static bool is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Types that the folder itself tells are taken; PLACE_OTHER must be looked at. */
static void read_names(struct arena *a, DIR *stream, struct worktree_folder *out)
{
    const struct dirent *entry;
    while ((entry = readdir(stream))) {
        str name = str_of(entry->d_name);
        if (is_dot(entry->d_name))
            continue;
        out->is_repository |= str_eq(name, S(".git"));
        out->is_generated |= name_marks_generated(name);
        if (name_is_internal(name))
            continue;
        if (out->count == MAX_FOLDER_ENTRIES) {
            out->beyond++;
            continue;
        }
        ARENA_GROW(a, out->names, out->count, out->capacity);
        out->names[out->count++] =
            (struct place_name){.text = arena_str(a, name),
                                .type = entry->d_type == DT_DIR ? PLACE_FOLDER : PLACE_OTHER};
    }
}

static void look_at_all(int folder, struct worktree_folder *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        struct place_name *name = &out->names[i];
        if (name->type == PLACE_FOLDER || look_at(folder, name))
            out->names[kept++] = *name;
    }
    out->count = kept;
}

/* What follows the name in a path: nothing, or a slash. */
static int byte_at(const struct place_name *n, size_t at)
{
    return at < n->text.len ? (unsigned char)n->text.at[at] : n->type == PLACE_FOLDER ? '/' : -1;
}

static int compare(const void *a, const void *b)
{
    const struct place_name *left = a, *right = b;
    size_t both = left->text.len < right->text.len ? left->text.len : right->text.len;
    int order = memcmp(left->text.at, right->text.at, both);
    return order ? order : byte_at(left, both) - byte_at(right, both);
}

/* ---- the rules in it ---- */

str read_rules_file(struct arena *a, int folder, const char *path)
{
    int fd = openat(folder, path, FILE_FLAGS);
    if (fd < 0)
        return S("");
    struct stat s;
    size_t len = 0;
    char *bytes = NULL;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
        size_t want =
            s.st_size < MAX_PATTERN_FILE_BYTES ? (size_t)s.st_size : MAX_PATTERN_FILE_BYTES;
        bytes = arena_bytes(a, want + 1);
        ssize_t n = 1;
        while (len < want && n > 0) {
            n = read(fd, bytes + len, want - len);
            len += n > 0 ? (size_t)n : 0;
        }
    }
    close(fd);
    return str_from(len ? bytes : "", len);
}

static void read_rules(struct arena *a, int folder, struct worktree_folder *out)
{
    const struct {
        const char *name;
        str *to;
    } files[] = {{".gitignore", &out->gitignore},
                 {".engramignore", &out->engramignore},
                 {".gitattributes", &out->gitattributes}};
    for (size_t i = 0; i < out->count; i++)
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            if (str_eq(out->names[i].text, str_of(files[k].name)))
                *files[k].to = read_rules_file(a, folder, files[k].name);
}

enum folder_result worktree_folder_read(struct arena *a, int root, const char *path,
                                        struct worktree_folder *out)
{
    *out = (struct worktree_folder){0};
    int fd = open_beneath(root, path[0] ? path : ".");
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = open_step_by_step(a, root, path);
    if (fd < 0)
        return result_of(errno);
    DIR *stream = fdopendir(fd);
    if (!stream) {
        close(fd);
        return FOLDER_UNREADABLE;
    }
    read_names(a, stream, out);
    look_at_all(fd, out);
    if (out->count)
        qsort(out->names, out->count, sizeof *out->names, compare);
    read_rules(a, fd, out);
    closedir(stream);
    return FOLDER_READ;
}
