/* The projects that this process has open, and the caller's place among them. Lends tools their
 * services. */
#ifndef ENGRAM_PROJECTS_H
#define ENGRAM_PROJECTS_H

#include "server/config.h"
#include "server/place.h"
#include "server/registry.h"
#include "tools/tool.h"

enum {
    MAX_OPEN_PROJECTS = 8, /* the one longest unused is closed for a ninth */
    HEAD_FRESH_MS = 2000,  /* how old HEAD and branch may be */
    ASK_INDEX_MS = 2000,   /* between two requests to look at a worktree's files */
};

struct projects; /* heap; one thread (the engine's) uses it */

/* `config` is borrowed for as long. The hints are at first those of the settings and the working
 * directory. */
struct projects *projects_open(const struct config *config);

/* Of memories that are opened from now on: with more vectors than these the leg is off (0: never).
 */
void projects_limit_vectors(struct projects *p, size_t most);
void projects_close(struct projects *p); /* closes every memory */

/* Where the caller is; resolved again at the next call when `hints` differ from the last ones.
 * Copies what it needs. */
void projects_set_hints(struct projects *p, const struct place_hints *hints);

/* This process is a server: it makes itself known to the background processes of the projects that
 * it has open, and starts those that are missing. */
void projects_serve(struct projects *p);

/* What a server does behind each call, and at the time that this gives: INT64_MAX where there is
 * none. */
int64_t projects_tend(struct projects *p);

/* The caller's place now (HEAD and branch are read afresh at most every 2 s, never with
 * ENGRAM_INDEX=off). Once resolved it stays, also when the directory goes. */
bool projects_place(struct projects *p, struct arena *a, struct place *out, struct err *e);

/* Services for one request; valid while p and `a` are. `cancelled` may be NULL. A project is wanted
 * by id or name; the caller's own comes first among equal names. A memory lent stays open for this
 * request only: ask again in the next. */
struct services projects_services(struct projects *p, struct arena *a, bool (*cancelled)(void *),
                                  void *cancel_ctx);

/* For who asks models on the thread that p is of; where none is set up, nothing is ever asked. */
const struct transport *projects_transport(const struct projects *p);

/* A memory that some call opened, without using it; NULL where it isn't open (any more). An empty
 * id becomes that of the caller's place. */
struct memory *projects_opened(struct projects *p, char id[PLACE_ID_DIGITS + 1]);

/* What registry_home, registry_list and registry_folder give for these settings and the caller's
 * project. */
bool projects_home(struct projects *p, struct arena *a, str *out, struct err *e);
bool projects_list(struct projects *p, struct arena *a, struct project_entry **out, size_t *count,
                   struct err *e);
bool projects_directory(struct projects *p, struct arena *a, str *out, struct err *e);

#endif
