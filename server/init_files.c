#include "server/init_files.h"

#include "memory/base/unicode.h"
#include "server/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the tables ---- */

/* Files at fixed places: the folder, what the name is or begins with ("*"). */
static const struct {
    const char *folder, *name;
} named[] = {
    {"", "README*"},
    {"", "CLAUDE.md"},
    {"", "AGENTS.md"},
    {"", "GEMINI.md"},
    {"", ".cursorrules"},
    {"", ".windsurfrules"},
    {".github", "copilot-instructions.md"},
    {".claude", "CLAUDE.md"},
    {"", "CONTRIBUTING*"},
    {".github", "CONTRIBUTING*"},
    {"", "SECURITY*"},
    {".github", "SECURITY*"},
    {"", "ARCHITECTURE*"},
    {"", "CHANGELOG*"},
    {"", "CHANGES*"},
    {"", "HISTORY*"},
    {"", "NEWS*"},
};

/* Folders in which every document counts, with what lies below. */
static const char *const folders[] = {
    "docs", "doc", "documentation", "adr", "adrs", "decisions", ".cursor/rules",
};

static const char *const decision_folders[] = {
    "adr",
    "adrs",
    "decisions",
    "decision-records",
    "architecture-decisions",
    "architecture_decisions",
};

static const char *const endings[] = {
    ".md",  ".markdown", ".mdx", ".mdc",  ".rst", ".adoc", ".asciidoc",
    ".txt", ".html",     ".pdf", ".docx", ".odt", ".epub", ".ipynb",
};

/* Written by programs, or somebody else's. */
static const char *const skipped_folders[] = {
    "node_modules", "vendor",     "third_party", "_build", "build", "dist",
    "_static",      "_templates", "venv",        "target", "site",
};

#define ROWS(table) (sizeof(table) / sizeof *(table))

static bool is_one_of(const char *name, const char *const *table, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (strcasecmp(name, table[i]) == 0)
            return true;
    return false;
}

static bool has_document_ending(const char *name)
{
    for (size_t i = 0; i < ROWS(endings); i++) {
        size_t length = strlen(name), end = strlen(endings[i]);
        if (length > end && strcasecmp(name + length - end, endings[i]) == 0)
            return true;
    }
    return false;
}

/* "README*" is README, README.md or README.de.md, never READMEs or readme.c. */
static bool fits(const char *name, const char *pattern)
{
    size_t length = strlen(pattern);
    if (pattern[length - 1] != '*')
        return strcmp(name, pattern) == 0;
    if (strncasecmp(name, pattern, length - 1) != 0)
        return false;
    const char *rest = name + length - 1;
    return !*rest || (*rest == '.' && has_document_ending(name));
}

/* The row of a file, -1 where none wants it. */
static int rank_of(const char *folder, const char *name, bool in_documents)
{
    for (size_t i = 0; i < ROWS(named); i++)
        if (strcmp(folder, named[i].folder) == 0 && fits(name, named[i].name))
            return (int)i;
    return in_documents && has_document_ending(name) ? (int)ROWS(named) : -1;
}

/* ---- looking ---- */

struct looking {
    struct arena *a;
    int root;
    struct init_file *files;
    size_t count, capacity, entries, unseen;
};

static void add_file(struct looking *l, str path, size_t bytes, int rank, bool decision)
{
    ARENA_GROW(l->a, l->files, l->count, l->capacity);
    l->files[l->count++] = (struct init_file){
        .path = path, .bytes = bytes, .rank = rank, .may_be_decision = decision, .why = S("")};
}

static void look_into(struct looking *l, const char *folder, int depth, bool in_documents,
                      bool decisions);

/* Is a named file or a folder of documents below this one? */
static bool leads_on(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < ROWS(named); i++)
        if (strcmp(named[i].folder, path) == 0)
            return true;
    for (size_t i = 0; i < ROWS(folders); i++)
        if (strncmp(folders[i], path, length) == 0 && folders[i][length] == '/')
            return true;
    return false;
}

/* Files, or folders with what lies below: a folder's own files come first, so that what is beyond
 * MAX_INIT_ENTRIES is what lies deepest. */
static void look_at(struct looking *l, int at, const char *folder, const struct dirent *entry,
                    int depth, bool in_documents, bool decisions, bool wants_folders)
{
    struct stat status;
    const char *name = entry->d_name;
    if (!utf8_valid(str_of(name)) || fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) ||
        S_ISDIR(status.st_mode) != wants_folders)
        return;
    str path = *folder ? arena_printf(l->a, "%s/%s", folder, name) : arena_str(l->a, str_of(name));
    if (S_ISREG(status.st_mode)) {
        int rank = rank_of(folder, name, in_documents);
        if (rank >= 0)
            add_file(l, path, (size_t)status.st_size, rank, decisions);
    } else if (S_ISDIR(status.st_mode)) {
        const char *below = arena_cstr(l->a, path);
        bool named_here = is_one_of(below, folders, ROWS(folders));
        bool plain = name[0] != '.' && !is_one_of(name, skipped_folders, ROWS(skipped_folders));
        bool is_wanted = named_here || leads_on(below) || (in_documents && plain);
        if (is_wanted && depth == MAX_INIT_DEPTH)
            l->unseen++;
        else if (is_wanted)
            look_into(l, below, depth + 1, in_documents || named_here,
                      is_one_of(name, decision_folders, ROWS(decision_folders)));
    }
}

static void look_into(struct looking *l, const char *folder, int depth, bool in_documents,
                      bool decisions)
{
    int fd = *folder ? confine_open_plain(l->a, l->root, str_of(folder)) : dup(l->root);
    DIR *open_folder = fd < 0 ? NULL : fdopendir(fd);
    if (!open_folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (int folders_too = 0; folders_too < 2; folders_too++) {
        rewinddir(open_folder);
        for (struct dirent *entry; (entry = readdir(open_folder));) {
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                continue;
            if (l->entries++ >= MAX_INIT_ENTRIES) {
                l->unseen++;
                break;
            }
            look_at(l, fd, folder, entry, depth, in_documents, decisions, folders_too);
        }
    }
    closedir(open_folder);
}

static int by_rank_and_path(const void *x, const void *y)
{
    const struct init_file *a = x, *b = y;
    return a->rank != b->rank ? a->rank - b->rank : str_cmp(a->path, b->path);
}

static int by_wanted(const void *x, const void *y)
{
    const struct init_file *a = x, *b = y;
    int left = a->why.len > 0, right = b->why.len > 0;
    return left != right ? left - right : by_rank_and_path(x, y);
}

/* Says of each file whether the bounds leave it in. */
static void bound(struct looking *l)
{
    size_t bytes = 0, wanted = 0;
    for (size_t i = 0; i < l->count; i++) {
        struct init_file *f = &l->files[i];
        if (!f->bytes)
            f->why = S("empty");
        else if (f->bytes > MAX_INIT_FILE_BYTES)
            f->why = S("larger than 2 MiB; `engram attach` takes it");
        else if (wanted == MAX_INIT_FILES)
            f->why = S("beyond 300 files");
        else if (bytes + f->bytes > MAX_INIT_BYTES)
            f->why = S("beyond 24 MiB together");
        if (f->why.len)
            continue;
        bytes += f->bytes;
        wanted++;
    }
}

bool init_files_list(struct arena *a, str root, struct init_file **out, size_t *count,
                     size_t *unseen, struct err *e)
{
    struct looking l = {.a = a};
    l.root = open(arena_cstr(a, root), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (l.root < 0)
        return fail(e, ERR_IO, "the project's root: %s", strerror(errno));
    look_into(&l, "", 0, false, false);
    close(l.root);
    if (l.count)
        qsort(l.files, l.count, sizeof *l.files, by_rank_and_path);
    bound(&l);
    if (l.count)
        qsort(l.files, l.count, sizeof *l.files, by_wanted);
    if (l.count > (size_t)MAX_INIT_FILES * 2) {
        l.unseen += l.count - (size_t)MAX_INIT_FILES * 2;
        l.count = (size_t)MAX_INIT_FILES * 2;
    }
    *out = l.files;
    *count = l.count;
    *unseen = l.unseen;
    return true;
}
