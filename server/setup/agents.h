/* The agents that `engram setup` knows, a row each: how an installed one is told, which files it
 * reads, and what engram puts into them. */
#ifndef ENGRAM_SETUP_AGENTS_H
#define ENGRAM_SETUP_AGENTS_H

#include "server/setup/edit.h"

enum setup_scope { SCOPE_USER, SCOPE_PROJECT, SCOPE_COUNT };

/* What can be set up of an agent. */
enum setup_part { PART_SERVER, PART_HOOKS, PART_INSTRUCTIONS, PART_COUNT };
extern const char *const setup_part_name[PART_COUNT];

/* An edit as a template. In its texts stand for the program:
 *   $STRING  a text of JSON or TOML      $SCALAR  a plain or quoted text of YAML
 *   $SHELL   a word of a shell, within a text of JSON; $TAIL: its end, without folders */
struct edit_row {
    const char *keys[MAX_EDIT_KEYS + 1];
    bool is_element;
    const char *value;
    const char *project_value; /* NULL: the same */
    const char *own;           /* "" where the keys alone tell it */
    const char *current;
};

struct agent_part {
    /* Below "~/" or "$CONFIG/"; for a project from its top. NULL: not in this scope. */
    const char *files[SCOPE_COUNT];
    const char *moved; /* the user's in the folder that the agent's variable names; NULL: stays */
    const struct edit_format *format;
    const char *fresh; /* NULL: the format's own */
    const struct edit_row *edits;
    size_t edit_count;
    const char *note; /* what else the user has to do; NULL: nothing */
};

enum { MAX_OWN_WORDS = 12 };

struct agent {
    const char *name, *title;
    const char *program;    /* on PATH where it is installed; NULL: none */
    const char *folders[2]; /* any of them is there where it is installed; as files above */
    const char *variable;   /* names the folder of its files; NULL: none does */
    bool is_desktop;        /* started without the shell's PATH */
    struct agent_part parts[PART_COUNT]; /* edit_count 0: it has no such part */
    /* Its own commands for the user's server, used where the program is on PATH; $PROGRAM is ours.
     * Only for a file that the agent itself keeps writing: everywhere else an edit keeps more. */
    const char *add[MAX_OWN_WORDS], *remove[MAX_OWN_WORDS];
};

extern const struct agent setup_agents[];
extern const size_t setup_agent_count;

/* NULL: none is called so. */
const struct agent *setup_agent_find(str name);

/* The edit of a row, for a program at `program`. */
struct edit setup_edit_fill(struct arena *a, const struct agent_part *part,
                            const struct edit_row *row, enum setup_scope scope, str program);

#endif
