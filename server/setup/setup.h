/* Sets up agents: puts engram into the files that they read, and takes it out again. */
#ifndef ENGRAM_SETUP_H
#define ENGRAM_SETUP_H

#include "server/setup/agents.h"
#include "server/setup/state.h"

/* Where everything is; nothing of it is looked up in the environment here. */
struct setup_world {
    str home;        /* absolute */
    str config_home; /* absolute: XDG_CONFIG_HOME or ~/.config */
    str project;     /* top of the project; empty where the scope isn't the project's */
    str program;     /* the running executable's path */
    str path;        /* PATH */
    str (*variable)(const char *name); /* of the environment; empty where it isn't set */
};

struct setup_wish {
    enum setup_scope scope;
    bool uninstall;
    bool dry_run; /* nothing is written */
};

enum setup_status {
    SETUP_NOTHING,  /* the agent has no such part in this scope */
    SETUP_ALREADY,  /* it is there */
    SETUP_DONE,     /* put in (in a dry run: would be) */
    SETUP_ABSENT,   /* uninstall: it isn't there */
    SETUP_SHARED,   /* uninstall: it stays, as another agent that was set up reads it too */
    SETUP_TAKEN,    /* uninstall: taken out */
    SETUP_RESTORED, /* uninstall: the file is as it was before, byte for byte */
    SETUP_FAILED,   /* see err; the file is as it was */
};

struct setup_outcome {
    enum setup_status status;
    str file;       /* as the agent knows it */
    str diff;       /* of what was done or would be */
    str backup;     /* path of the copy from before; empty: there was no file */
    str by;         /* the agent's own command that does it; empty: an edit */
    str instead_of; /* how that command failed, where an edit had to do it */
    struct err err;
};

/* Is the agent's program on PATH, or one of its folders there? */
bool setup_is_installed(struct arena *a, const struct setup_world *w, const struct agent *agent);

/* The entry by which the agent starts our server, as it stands in the user's own file; empty where
 * there is none. A project's file is somebody else's word, and isn't read. */
bool setup_entry_find(struct arena *a, const struct setup_world *w, const struct agent *agent,
                      str *file, str *entry, struct err *e);

/* The path of a program by PATH; a path stays as it is. Empty where it isn't there. */
str setup_program_find(struct arena *a, const struct setup_world *w, str name);

/* One part of one agent. Unless it is a dry run, `state` was opened to write. */
void setup_part_run(struct arena *a, const struct setup_world *w, struct setup_state *state,
                    const struct setup_wish *wish, const struct agent *agent, enum setup_part part,
                    struct setup_outcome *out);

#endif
