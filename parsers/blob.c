#include "parsers/parsers.h"

#include <git2.h>
#include <pthread.h>

static void start_git(void)
{
    git_libgit2_init(); /* of the process: hashing needs it */
}

str source_blob_id(struct arena *a, str bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    git_oid id;
    pthread_once(&once, start_git);
    if (git_odb_hash(&id, bytes.at, bytes.len, GIT_OBJECT_BLOB) != 0)
        return S("");
    char *text = arena_bytes(a, GIT_OID_HEXSZ);
    git_oid_fmt(text, &id);
    return str_from(text, GIT_OID_HEXSZ);
}
