#include "parsers/repository.h"

#include "memory/base/unicode.h"

#include <sys/stat.h>
#include <unistd.h>

/* A worker has 512 MiB of address space and 16 descriptors (server/worker/limits.h). */
enum {
    WINDOW_BYTES = 16 << 20,  /* of a pack, mapped at once */
    WINDOWS_BYTES = 96 << 20, /* of all packs */
    OPEN_PACKS = 6,
    CACHED_BYTES = 16 << 20, /* of objects; we keep what we need ourselves */
};

static void set_up_once(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    static const int levels[] = {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM,
                                 GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL};
    git_libgit2_init();
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "");
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, (size_t)WINDOW_BYTES);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, (size_t)WINDOWS_BYTES);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_FILE_LIMIT, (size_t)OPEN_PACKS);
    git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, (ssize_t)CACHED_BYTES);
    /* What changes nothing for a reader. A partial clone misses objects, as a shallow one does. */
    static const char *const extensions[] = {"partialclone", "worktreeconfig", "preciousobjects"};
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions, sizeof extensions / sizeof *extensions);
    /* Objects are read to be told of, not to be trusted: their hashes need no second look. */
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
}

static str last_error(struct arena *a)
{
    const git_error *error = git_error_last();
    enum { MAX_SHOWN_BYTES = 160 };
    str text = str_of(error ? error->message : "unknown error");
    return utf8_prefix(unicode_visible(a, utf8_prefix(text, MAX_SHOWN_BYTES)), MAX_SHOWN_BYTES);
}

/* Without the user's settings libgit2 tells of a foreign owner as of settings that it misses. */
static bool is_foreign(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && s.st_uid != geteuid();
}

static bool owner_is_foreign(struct arena *a, str root, int error)
{
    return error == GIT_EOWNER ||
           (error == GIT_ENOTFOUND && (is_foreign(arena_cstr(a, root)) ||
                                       is_foreign(arena_printf(a, "%.*s/.git", FMT(root)).at)));
}

/* A folder without any sign of a repository is no failure. */
static bool looks_like_one(struct arena *a, str root)
{
    struct stat s;
    return lstat(arena_printf(a, "%.*s/.git", FMT(root)).at, &s) == 0 ||
           (lstat(arena_printf(a, "%.*s/objects", FMT(root)).at, &s) == 0 &&
            lstat(arena_printf(a, "%.*s/HEAD", FMT(root)).at, &s) == 0);
}

/* What libgit2 says of extensions that it doesn't know, in words that tell more. */
static str explained(struct arena *a, str failure)
{
    static const struct {
        const char *extension, *note;
    } rows[] = {
        {"objectformat", "SHA-256 repository, which cannot be read"},
        {"refstorage", "repository with a reftable, which cannot be read"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_find(failure, str_of(rows[i].extension), 0) < failure.len)
            return str_of(rows[i].note);
    return arena_printf(a, "the repository cannot be opened: %.*s", FMT(failure));
}

git_repository *repository_open(struct arena *a, str root, str *why_not)
{
    set_up_once();
    *why_not = S("");
    git_repository *r = NULL;
    int error =
        git_repository_open_ext(&r, arena_cstr(a, root), GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
    if (error == 0)
        return r;
    str text = last_error(a);
    if (!looks_like_one(a, root))
        return NULL;
    if (owner_is_foreign(a, root, error))
        *why_not = S("the repository belongs to another user");
    else
        *why_not = explained(a, text);
    return NULL;
}

void repository_head(struct arena *a, git_repository *r, str *id, str *branch)
{
    static const str prefix = {"refs/heads/", 11};
    *id = *branch = S("");
    git_reference *head = NULL;
    git_oid oid;
    if (git_reference_lookup(&head, r, "HEAD") == 0 &&
        git_reference_type(head) == GIT_REFERENCE_SYMBOLIC) {
        str name = utf8_repair(a, arena_str(a, str_of(git_reference_symbolic_target(head))));
        *branch = str_starts(name, prefix) ? str_cut(name, prefix.len, name.len) : name;
    }
    if (git_reference_name_to_id(&oid, r, "HEAD") == 0)
        *id = oid_hex(a, &oid);
    git_reference_free(head);
}

bool repository_fail(struct err *e, const char *what)
{
    struct arena a = {0};
    str text = last_error(&a);
    fail(e, ERR_INPUT, "%s: %.*s", what, FMT(text));
    arena_free(&a);
    return false;
}

str oid_hex(struct arena *a, const git_oid *id)
{
    char *hex = arena_bytes(a, GIT_OID_HEXSZ + 1);
    git_oid_tostr(hex, GIT_OID_HEXSZ + 1, id);
    return str_from(hex, GIT_OID_HEXSZ);
}

bool oid_parse(str hex, git_oid *out)
{
    return hex.len == GIT_OID_HEXSZ && git_oid_fromstrn(out, hex.at, hex.len) == 0;
}
