#include "server/place.h"

#include "memory/base/hash.h"
#include "memory/base/unicode.h"
#include "server/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MAX_LEVELS = 128,         /* directories looked at on the way up */
    MAX_POINTER_BYTES = 8192, /* .git file, commondir, gitdir: one path each */
    MAX_HEAD_BYTES = 1024,    /* HEAD and loose refs */
    MAX_REF_NAME_BYTES = 512,
    MAX_REF_HOPS = 5,                 /* symbolic refs that lead to symbolic refs */
    MAX_PACKED_REFS_BYTES = 16 << 20, /* a bigger one leaves `head` empty */
};

/* ---- paths ---- */

/* The real path, or empty with errno. */
static str real_path(struct arena *a, str path)
{
    char real[PATH_MAX];
    if (memchr(path.at, 0, path.len)) {
        errno = EINVAL;
        return S("");
    }
    return realpath(arena_cstr(a, path), real) ? arena_str(a, str_of(real)) : S("");
}

/* The directory above an absolute path; "/" is above itself. */
static str parent_of(str path)
{
    str parent = str_cut(path, 0, path.len - str_file_name(path).len);
    return parent.len > 1 ? str_cut(parent, 0, parent.len - 1) : S("/");
}

static str joined(struct arena *a, str dir, str name)
{
    if (str_starts(name, S("/")))
        return name;
    return arena_printf(a, "%.*s/%.*s", FMT(dir), FMT(name));
}

static bool stat_of(struct arena *a, str path, struct stat *info)
{
    return stat(arena_cstr(a, path), info) == 0;
}

static bool is_directory(struct arena *a, str path)
{
    struct stat info;
    return stat_of(a, path, &info) && S_ISDIR(info.st_mode);
}

static bool exists(struct arena *a, str path)
{
    struct stat info;
    return lstat(arena_cstr(a, path), &info) == 0;
}

/* The first line of a small file, without white space around it; false where it can't be had. */
static bool first_line(struct arena *a, str path, size_t max_bytes, str *line)
{
    struct err ignored = {0};
    str text;
    if (!small_file_read(a, AT_FDCWD, path, 0, max_bytes, NULL, &text, &ignored) ||
        !str_next_line(&text, line))
        return false;
    *line = str_trim(*line);
    return !memchr(line->at, 0, line->len);
}

/* ---- finding the repository ---- */

struct repository {
    str top;        /* the work tree's top, or the bare repository */
    str git_dir;    /* empty: a .git that leads nowhere we follow; top is a plain directory */
    str common_dir; /* the same as git_dir but in a linked worktree */
    bool bare;
};

static bool is_git_dir(struct arena *a, str dir)
{
    return exists(a, joined(a, dir, S("HEAD"))) &&
           (exists(a, joined(a, dir, S("commondir"))) ||
            (is_directory(a, joined(a, dir, S("objects"))) &&
             is_directory(a, joined(a, dir, S("refs")))));
}

/* Is git_dir the one that `common` keeps for the worktree at `top`? Git notes the worktree's .git
 * file there. A note of a place that is gone is a worktree moved by hand; one of another place that
 * exists is a copy, or a .git file made to read our memories. */
static bool is_worktree_of(struct arena *a, str top, str git_dir, str common)
{
    if (!str_eq(parent_of(git_dir), joined(a, common, S("worktrees"))))
        return false;
    str noted;
    if (!first_line(a, joined(a, git_dir, S("gitdir")), MAX_POINTER_BYTES, &noted))
        return false;
    str there = real_path(a, joined(a, git_dir, noted));
    return there.len ? str_eq(there, joined(a, top, S(".git")))
                     : errno == ENOENT || errno == ENOTDIR;
}

/* Fills git_dir and common_dir from the git directory that top/.git stands for, where that is
 * credible. */
static void follow(struct arena *a, str git_dir, struct repository *out)
{
    str pointer;
    if (!is_git_dir(a, git_dir))
        return;
    if (str_eq(git_dir, joined(a, out->top, S(".git")))) {
        out->git_dir = out->common_dir = git_dir;
        return;
    }
    if (first_line(a, joined(a, git_dir, S("commondir")), MAX_POINTER_BYTES, &pointer)) {
        str common = real_path(a, joined(a, git_dir, pointer));
        if (!common.len || !is_worktree_of(a, out->top, git_dir, common))
            return;
        out->git_dir = git_dir;
        out->common_dir = common;
        return;
    }
    /* A submodule's or a --separate-git-dir; git never makes a link to another work tree's own
     * .git. */
    if (!str_eq(str_file_name(git_dir), S(".git")))
        out->git_dir = out->common_dir = git_dir;
}

/* The git directory that dir/.git is or names; empty where it leads nowhere. */
static str git_dir_behind(struct arena *a, str dir, bool is_file)
{
    str dot_git = joined(a, dir, S(".git")), line;
    if (!is_file)
        return real_path(a, dot_git);
    if (!first_line(a, dot_git, MAX_POINTER_BYTES, &line) || !str_starts(line, S("gitdir:")))
        return S("");
    return real_path(a, joined(a, dir, str_trim(str_cut(line, S("gitdir:").len, line.len))));
}

/* Above the directory we start from, somebody else may have planted a repository (in /tmp, say) to
 * widen what we read. */
static bool is_trusted(const struct stat *info, const struct stat *start)
{
    return info->st_uid == start->st_uid || info->st_uid == geteuid() || info->st_uid == 0;
}

/* Is `dir` the top of a work tree, or a bare repository? */
static bool repository_at(struct arena *a, str dir, const struct stat *start, bool is_start,
                          struct repository *out)
{
    struct stat info;
    *out = (struct repository){.top = dir};
    if (stat_of(a, joined(a, dir, S(".git")), &info) && (is_start || is_trusted(&info, start))) {
        str git_dir = git_dir_behind(a, dir, S_ISREG(info.st_mode));
        if (S_ISREG(info.st_mode) ||
            (S_ISDIR(info.st_mode) && git_dir.len && is_git_dir(a, git_dir))) {
            if (git_dir.len)
                follow(a, git_dir, out);
            return true;
        }
    }
    if (str_eq(str_file_name(dir), S(".git")) || exists(a, joined(a, dir, S("commondir"))) ||
        !is_git_dir(a, dir))
        return false;
    if (!is_start && !(stat_of(a, dir, &info) && is_trusted(&info, start)))
        return false;
    out->git_dir = out->common_dir = dir;
    out->bare = true;
    return true;
}

/* From `start` upwards, staying below HOME and / and on one file system, as git does. */
static bool repository_find(struct arena *a, str start, str home, struct repository *out)
{
    struct stat first, info;
    if (!stat_of(a, start, &first))
        return false;
    str dir = start;
    for (int level = 0; level < MAX_LEVELS; level++, dir = parent_of(dir)) {
        if (str_eq(dir, S("/")) || str_eq(dir, home) || !stat_of(a, dir, &info) ||
            info.st_dev != first.st_dev)
            return false;
        if (repository_at(a, dir, &first, level == 0, out))
            return true;
    }
    return false;
}

/* ---- what follows from it ---- */

/* Where git_dir belongs to the common directory's own work tree, that is its top; else the best
 * that the path tells. */
static str main_root_of(const struct repository *r)
{
    if (r->bare || str_eq(r->git_dir, r->common_dir))
        return r->top;
    bool hidden = str_starts(str_file_name(r->common_dir), S(".")); /* x/.git, x/.bare */
    return hidden ? parent_of(r->common_dir) : r->common_dir;
}

static str name_of(struct arena *a, str path)
{
    str base = str_file_name(path);
    if (str_ends(base, S(".git")) && base.len > S(".git").len)
        base = str_cut(base, 0, base.len - S(".git").len);
    char *name = arena_bytes(a, MAX_PLACE_NAME_BYTES);
    size_t len = 0;
    for (size_t i = 0; i < base.len && len < MAX_PLACE_NAME_BYTES; i++) {
        char c = base.at[i];
        bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (plain || (len && (c == '.' || c == '-')))
            name[len++] = c;
        else if (len && name[len - 1] != '-')
            name[len++] = '-';
    }
    while (len && (name[len - 1] == '-' || name[len - 1] == '.'))
        len--;
    return len ? str_from(name, len) : S("project");
}

static void describe(struct arena *a, const struct repository *r, struct place *out)
{
    out->root = r->top;
    out->git_dir = r->git_dir;
    out->common_dir = r->common_dir;
    out->main_root = r->git_dir.len ? main_root_of(r) : r->top;
    out->identity = r->git_dir.len ? r->common_dir : r->top;
    if (str_eq(str_file_name(out->identity), S(".git")))
        out->identity = parent_of(out->identity);
    out->name = name_of(a, out->main_root);
    out->id = str_cut(hash128_hex(a, out->identity), 0, PLACE_ID_DIGITS);
}

static bool refuse(const char *source, str dir, const char *what, struct err *e)
{
    return fail(
        e, ERR_INPUT,
        "%s is %.*s, %s, which is no project: set ENGRAM_PROJECT or --project to the project's "
        "directory, or start the client in it",
        source, FMT(dir), what);
}

bool place_resolve(struct arena *a, const struct place_hints *hints, struct place *out,
                   struct err *e)
{
    const struct {
        str path;
        const char *source;
    } sources[] = {
        {hints->project, "--project or ENGRAM_PROJECT"},
        {hints->roots_path, "the client's root"},
        {hints->claude_dir, "CLAUDE_PROJECT_DIR"},
        {hints->cwd, "the working directory"},
    };
    size_t i = 0, count = sizeof(sources) / sizeof(sources[0]);
    while (i < count && !sources[i].path.len)
        i++;
    if (i == count)
        return fail(e, ERR_NOT_FOUND,
                    "the working directory is gone or can't be read: set ENGRAM_PROJECT or "
                    "--project to the "
                    "project's directory");

    const char *source = sources[i].source;
    str start = real_path(a, sources[i].path);
    if (!start.len)
        return fail(e, ERR_NOT_FOUND, "%s is %.*s: %s; wanted: the project's directory", source,
                    FMT(sources[i].path), strerror(errno));
    if (!is_directory(a, start))
        return fail(e, ERR_INPUT,
                    "%s is %.*s, which is no directory; wanted: the project's directory", source,
                    FMT(start));
    str home = hints->home.len ? real_path(a, hints->home) : S("");
    if (str_eq(start, S("/")))
        return refuse(source, start, "the root of the file system", e);
    if (home.len && str_eq(start, home))
        return refuse(source, start, "your home directory", e);

    struct repository r;
    if (!repository_find(a, start, home, &r))
        r = (struct repository){.top = start};
    *out = (struct place){.source = source};
    describe(a, &r, out);
    return true;
}

/* ---- HEAD ---- */

static bool is_object_id(str s)
{
    if (s.len != 40 && s.len != 64)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!((s.at[i] >= '0' && s.at[i] <= '9') || (s.at[i] >= 'a' && s.at[i] <= 'f')))
            return false;
    return true;
}

/* Strict enough that the name, put behind a directory, stays beneath it. */
static bool is_ref_name(str name)
{
    if (name.len > MAX_REF_NAME_BYTES || !str_starts(name, S("refs/")) ||
        str_find(name, S(".."), 0) < name.len)
        return false;
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.at[i] <= ' ' || name.at[i] == 0x7f)
            return false;
    return true;
}

/* Lines "ID SP NAME", comments, and "^ID" for what the tag before it points to. */
static str packed_ref(struct arena *a, str common_dir, str name)
{
    struct arena scratch = {0};
    struct err ignored = {0};
    str text = S(""), line, found = S("");
    small_file_read(&scratch, AT_FDCWD, joined(&scratch, common_dir, S("packed-refs")), 0,
                    MAX_PACKED_REFS_BYTES, NULL, &text, &ignored);
    while (!found.len && str_next_line(&text, &line)) {
        size_t space = str_find_char(line, ' ', 0);
        if (space < line.len && str_eq(str_cut(line, space + 1, line.len), name) &&
            is_object_id(str_cut(line, 0, space)))
            found = arena_str(a, str_cut(line, 0, space));
    }
    arena_free(&scratch);
    return found;
}

/* refs/heads/x is branch x; a store of refs that isn't files writes refs/heads/.invalid. */
static str branch_of(struct arena *a, str name)
{
    if (str_starts(name, S("refs/heads/")))
        name = str_cut(name, S("refs/heads/").len, name.len);
    return str_eq(name, S(".invalid")) ? S("") : utf8_repair(a, name);
}

void place_read_head(struct arena *a, struct place *p)
{
    p->branch = p->head = S("");
    if (!p->git_dir.len)
        return;
    str line, path = joined(a, p->git_dir, S("HEAD"));
    for (int hop = 0; hop < MAX_REF_HOPS && first_line(a, path, MAX_HEAD_BYTES, &line); hop++) {
        if (is_object_id(line)) {
            p->head = line;
            return;
        }
        str name =
            str_starts(line, S("ref:")) ? str_trim(str_cut(line, S("ref:").len, line.len)) : S("");
        if (!is_ref_name(name))
            return;
        if (hop == 0)
            p->branch = branch_of(a, name);
        path = joined(a, p->common_dir, name);
        if (!exists(a, path)) {
            p->head = packed_ref(a, p->common_dir, name);
            return;
        }
    }
}

/* ---- file URIs ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool place_from_file_uri(struct arena *a, str uri, str *path)
{
    if (!str_eq_nocase(str_cut(uri, 0, S("file:").len), S("file:")))
        return false;
    str rest = str_cut(uri, S("file:").len, uri.len);
    if (str_starts(rest, S("//"))) {
        rest = str_cut(rest, 2, rest.len);
        size_t slash = str_find_char(rest, '/', 0);
        str host = str_cut(rest, 0, slash);
        if (host.len && !str_eq_nocase(host, S("localhost")))
            return false;
        rest = str_cut(rest, slash, rest.len);
    }
    if (!str_starts(rest, S("/")))
        return false;

    char *decoded = arena_bytes(a, rest.len);
    size_t len = 0;
    for (size_t i = 0; i < rest.len; i++) {
        int high = i + 2 < rest.len && rest.at[i] == '%' ? hex_digit(rest.at[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(rest.at[i + 2]) : -1;
        decoded[len++] =
            low >= 0 ? (char)(high * 16 + low) : rest.at[i]; /* a lone % stands for itself */
        i += low >= 0 ? 2 : 0;
    }
    *path = str_from(decoded, len);
    return !memchr(decoded, 0, len);
}
