#include "server/spawn.h"

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

char **spawn_environment(struct arena *a, const char *const *also)
{
    static const char *const always[] = {"HOME=", "XDG_DATA_HOME=", "LANG=", "PATH=", NULL};
    static const char *const sanitizers[] = {
        "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "LSAN_OPTIONS=", NULL};
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    char **out = ARENA_ARRAY(a, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (begins_with_one(environ[i], always) || begins_with_one(environ[i], also) ||
            (UNDER_SANITIZER && begins_with_one(environ[i], sanitizers)))
            out[kept++] = environ[i];
    return out;
}
