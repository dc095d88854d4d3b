#include "server/spawn.h"

#include "server/config.h"
#include "server/parse_wire.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_executable(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

bool spawn_worker_path(struct arena *a, str *out, struct err *e)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    str folder = str_from(self, length > 0 ? (size_t)length : 0);
    while (folder.len && folder.at[folder.len - 1] != '/')
        folder.len--;
    *out = arena_printf(a, "%.*sengram-worker", FMT(folder));
    if (folder.len && is_executable(out->at))
        return true;
    *out = S(ENGRAM_LIBEXEC_DIR "/engram-worker");
    return is_executable(out->at) ||
           fail(e, ERR_IO, "engram-worker is neither in %.*s nor in %s; install engram again",
                FMT(folder), ENGRAM_LIBEXEC_DIR);
}

static bool begins_with_one(const char *variable, const char *const *prefixes)
{
    for (; prefixes && *prefixes; prefixes++)
        if (strncmp(variable, *prefixes, strlen(*prefixes)) == 0)
            return true;
    return false;
}

static bool is_key(const char *variable)
{
    str text = str_of(variable);
    return config_is_secret(str_cut(text, 0, str_find_char(text, '=', 0)));
}

char **spawn_users_environment(struct arena *a)
{
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    char **out = ARENA_ARRAY(a, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!is_key(environ[i]))
            out[kept++] = environ[i];
    return out;
}

char **spawn_environment(struct arena *a, const char *const *also)
{
    static const char *const always[] = {"HOME=", "XDG_DATA_HOME=", "LANG=", "PATH=", NULL};
    static const char *const sanitizers[] = {
        "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "LSAN_OPTIONS=", NULL};
    char **out = spawn_users_environment(a);
    size_t kept = 0;
    for (size_t i = 0; out[i]; i++)
        if (begins_with_one(out[i], always) || begins_with_one(out[i], also) ||
            (UNDER_SANITIZER && begins_with_one(out[i], sanitizers)))
            out[kept++] = out[i];
    out[kept] = NULL;
    return out;
}
