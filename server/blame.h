/* Which commit made a line: asked of a parse worker. The first question on a file walks its history
 * and may take seconds; what was found is kept, and under another HEAD a walk ends at it. Lines of
 * an edited file are matched with HEAD's. One walk at a time: a question on another file takes its
 * place. */
#ifndef ENGRAM_BLAME_H
#define ENGRAM_BLAME_H

#include "memory/memory.h"

enum {
    MAX_BLAMED_FILES = 16, /* kept; the longest unused goes first */
    BLAME_WAIT_MS = 2000,  /* that a server's call waits; the worker goes on, for the next call */
    BLAME_MOST_MS = 30000, /* that a worker may take; also what a one-shot command waits */
    BLAME_SLACK_MS = 500, /* behind the wait, to take an answer that has begun and match its line */
};

struct blame; /* heap; one thread uses it, by which its worker lives */
struct blame *blame_open(void);
void blame_close(struct blame *b); /* ends the worker; NULL is fine */

struct blame_ask {
    str directory;  /* where what is found may be noted; empty: nowhere */
    str root, head; /* of the worktree */
    str path;       /* below it */
    uint32_t line;  /* from 1, as the file is now */
    int64_t wait_ms;
    bool (*cancelled)(void *); /* NULL, or asked about every 100 ms */
    void *ctx;
};

/* *out is empty where no commit made the line, and where that can't be told: no git, a line that
 * isn't committed, a worker that fails or needs longer (is_late: it goes on). Texts live in `a`. */
void blame_line(struct blame *b, struct arena *a, const struct blame_ask *ask,
                struct line_origin *out);

#endif
