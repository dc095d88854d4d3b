/* `engram doctor`'s look at the agents: each entry that starts our server in the user's own files,
 * really started and spoken to. */
#ifndef ENGRAM_CLI_AGENTS_H
#define ENGRAM_CLI_AGENTS_H

#include "server/cli_command.h"
#include "server/setup/setup.h"

/* Where agents' files are for this user; of no project (server/cli_setup.c). */
bool cli_setup_world(struct cli *c, struct setup_world *out, struct err *e);

struct agents_found {
    str good;      /* "Codex (5 tools), ..."; empty: none */
    str bad;       /* "Zed: why; ..."; empty: none */
    str bad_names; /* as `engram setup` takes them */
};

/* Asks every agent that has an entry; each has ASK_DEADLINE_MS. */
bool cli_agents_ask(struct cli *c, struct agents_found *out, struct err *e);

#endif
