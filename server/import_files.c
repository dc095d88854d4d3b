#include "server/import_files.h"

#include "memory/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const endings[] = {".jsonl", ".json",   ".md",     ".markdown",
                                      ".db",    ".sqlite", ".sqlite3"};

/* Hidden, but what somebody means who names the folder above them. */
static const char *const shown_folders[] = {".serena", ".memories",   ".claude",
                                            ".codex",  ".claude-mem", ".engram"};

struct folder {
    str path; /* below the top; empty: the top itself */
    int depth;
};

struct walk {
    struct arena *arena;
    int top;
    struct folder *waiting;
    size_t count, capacity, seen;
    struct import_listing *out;
};

static bool is_wanted(str name)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends(name, str_of(endings[i])) && name.at[0] != '.')
            return true;
    return false;
}

static bool is_open_folder(str name)
{
    for (size_t i = 0; i < sizeof shown_folders / sizeof *shown_folders; i++)
        if (str_eq(name, str_of(shown_folders[i])))
            return true;
    return name.at[0] != '.' && !str_eq(name, S("node_modules"));
}

static bool add_folder(struct walk *w, str path, int depth, struct err *e)
{
    if (depth > MAX_IMPORT_DEPTH)
        return fail(e, ERR_LIMIT, "%.*s is more than %d folders deep", FMT(path), MAX_IMPORT_DEPTH);
    if (w->seen == MAX_IMPORT_FOLDERS)
        return fail(e, ERR_LIMIT, "there are more than %d folders", MAX_IMPORT_FOLDERS);
    ARENA_GROW(w->arena, w->waiting, w->count, w->capacity);
    w->waiting[w->count++] = (struct folder){path, depth};
    w->seen++;
    return true;
}

static bool add_file(struct walk *w, str path, struct err *e)
{
    struct import_listing *out = w->out;
    if (out->count == MAX_IMPORT_FILES)
        return fail(e, ERR_LIMIT, "more than %d files", MAX_IMPORT_FILES);
    ARENA_GROW(w->arena, out->paths, out->count, out->capacity);
    out->paths[out->count++] = path;
    return true;
}

static bool add_entry(struct walk *w, const struct folder *in, int fd, const char *name,
                      struct err *e)
{
    struct stat status;
    str path = in->path.len ? arena_printf(w->arena, "%.*s/%s", FMT(in->path), name)
                            : arena_str(w->arena, str_of(name));
    if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return true; /* gone meanwhile */
    if (S_ISDIR(status.st_mode) && is_open_folder(str_of(name)))
        return add_folder(w, path, in->depth + 1, e);
    if (S_ISREG(status.st_mode) && is_wanted(str_of(name)) && path.len < MAX_PATH_BYTES)
        return add_file(w, path, e);
    w->out->links += S_ISLNK(status.st_mode);
    w->out->others += !S_ISLNK(status.st_mode);
    return true;
}

static bool read_folder(struct walk *w, const struct folder *in, struct err *e)
{
    const char *path = in->path.len ? arena_cstr(w->arena, in->path) : ".";
    int fd = openat(w->top, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && in->path.len) {
        w->out->others++;
        return true;
    }
    if (!dir)
        return fail(e, ERR_IO, "the folder can't be read: %s", strerror(errno));
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            ok = add_entry(w, in, fd, entry->d_name, e);
    closedir(dir);
    return ok;
}

static int by_path(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

bool import_files_list(struct arena *a, int folder, struct import_listing *out, struct err *e)
{
    struct walk w = {.arena = a, .top = folder, .out = out};
    *out = (struct import_listing){0};
    bool ok = add_folder(&w, S(""), 0, e);
    while (ok && w.count) {
        struct folder next = w.waiting[--w.count];
        ok = read_folder(&w, &next, e);
    }
    if (ok && out->count)
        qsort(out->paths, out->count, sizeof *out->paths, by_path);
    return ok;
}
