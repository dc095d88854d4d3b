/* Which memories a session was told already, so that a hook tells nothing twice: a small file for
 * each session in the project's folder. Losing one costs a repetition. */
#ifndef ENGRAM_HOOK_TOLD_H
#define ENGRAM_HOOK_TOLD_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum {
    MAX_TOLD_FILE_BYTES = 64 * 1024, /* of one session's file; when it is full it begins anew */
    MAX_TOLD_SESSIONS = 1000,        /* files looked at when old ones are taken away */
    TOLD_DAYS = 14,                  /* an older file goes */
};

struct told {
    int folder; /* -1: there is none, and nothing is kept */
    str name;   /* of the file */
    str ids;    /* " m1 m2 ", between blanks */
};

/* `directory` is the project's data folder. */
struct told told_open(struct arena *a, str directory, str session);
bool told_has(const struct told *t, str id);
void told_add(struct arena *a, struct told *t, str id);

/* Writes what was added. */
void told_keep(struct arena *a, const struct told *t);

/* The session was told nothing so far; files of long ago go. */
void told_forget(struct told *t, int64_t now_s);

/* Did this session have a capture within so many seconds? If not, now it has. */
bool told_captured_lately(const struct told *t, int64_t now_s, int64_t within_s);
void told_close(struct told *t);

#endif
