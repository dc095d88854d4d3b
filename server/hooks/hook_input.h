/* What an agent hands to a hook on standard input, whatever it calls things: one table of events,
 * one of names for each field. Pure. */
#ifndef ENGRAM_HOOK_INPUT_H
#define ENGRAM_HOOK_INPUT_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

enum {
    MAX_HOOK_BYTES = 4 * 1024 * 1024, /* of the input */
    MAX_HOOK_PROMPT_BYTES = 4096,     /* of a prompt; the rest isn't asked about */
    MAX_HOOK_PATH_BYTES = 4096,
};

enum hook_deed {
    HOOK_NOTHING,
    HOOK_BRIEF,   /* a session begins: what is known */
    HOOK_ANSWER,  /* a prompt: what is known of it */
    HOOK_EDITED,  /* a file was changed */
    HOOK_CAPTURE, /* a turn or a session is over, or will be compacted */
};

struct hook_input {
    enum hook_deed deed;
    bool now;   /* a capture that does not wait for a better time */
    bool fresh; /* what was told before is no longer in the model's context */
    str event;  /* as the agent calls it, for the reply */
    str session, cwd, prompt, transcript, path; /* empty where there is none */
};

/* `event`: of the command line; one in the input wins. What isn't JSON, or isn't known, is
 * HOOK_NOTHING. */
struct hook_input hook_input_read(struct arena *a, str event, str json);

#endif
