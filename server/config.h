/* Every setting of engram in one table: name, type, default, help. Read from the environment and
 * the user's file
 * ($XDG_CONFIG_HOME/engram/config, lines NAME=VALUE; the environment wins), never from the project.
 */
#ifndef ENGRAM_CONFIG_H
#define ENGRAM_CONFIG_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum {
    MAX_CONFIG_BYTES = 64 * 1024,  /* of the user's file */
    MAX_SETTING_BYTES = 4096,      /* of one value */
    MAX_SETTING_NUMBER = 86400000, /* a day, for the settings in milliseconds */
};

/* X(field, environment name, type, default as text, help). Types: SWITCH (on|off), NUMBER, TEXT
 * (bad UTF-8 repaired), PATH (bytes as they are), TIME (RFC 3339), LEVEL (of the log). An empty
 * value counts as none. */
#define CONFIG_SETTINGS(X)                                                                         \
    X(project, "ENGRAM_PROJECT", PATH, "",                                                         \
      "directory whose memory is used (default: found from the client)")                           \
    X(data_home, "XDG_DATA_HOME", PATH, "", "where databases lie (default: ~/.local/share)")       \
    X(config_home, "XDG_CONFIG_HOME", PATH, "",                                                    \
      "where the user's settings lie (default: ~/.config)")                                        \
    X(home, "HOME", PATH, "", "the user's home; refused as a project")                             \
    X(claude_project_dir, "CLAUDE_PROJECT_DIR", PATH, "", "set by Claude Code")                    \
    X(claude_session, "CLAUDE_CODE_SESSION_ID", TEXT, "", "set by Claude Code")                    \
    X(copilot_session, "COPILOT_AGENT_SESSION_ID", TEXT, "", "set by Copilot CLI")                 \
    X(now, "ENGRAM_NOW", TIME, "", "RFC 3339 time taken for now, for tests and simulations")       \
    X(log, "ENGRAM_LOG", LEVEL, "warn", "error, warn, info or debug, to stderr")                   \
    X(weights, "ENGRAM_WEIGHTS", PATH, "", "file with another set of ranking weights")             \
    X(ppr, "ENGRAM_PPR", SWITCH, "on", "the graph leg of recall (Personalized PageRank)")          \
    X(neighbours, "ENGRAM_NEIGHBOURS", SWITCH, "on", "neighbouring turns lend their score")        \
    X(ranker, "ENGRAM_RANKER", SWITCH, "on", "the fitted ranker")                                  \
    X(encoder, "ENGRAM_ENCODER", SWITCH, "on", "the local sentence encoder")                       \
    X(history, "ENGRAM_HISTORY", SWITCH, "on", "commits in the graph")                             \
    X(index, "ENGRAM_INDEX", SWITCH, "on", "reading of files and commits, HEAD checks")            \
    X(consolidate, "ENGRAM_CONSOLIDATE", SWITCH, "on", "consolidation by itself")                  \
    X(usage, "ENGRAM_USAGE", SWITCH, "on", "use counts and what follows from them")                \
    X(write_deadline_ms, "ENGRAM_WRITE_DEADLINE_MS", NUMBER, "30000",                              \
      "how long a write waits for other processes")                                                \
    X(attach_wait_ms, "ENGRAM_ATTACH_WAIT_MS", NUMBER, "20000",                                    \
      "how long attach_document waits before it answers pending")                                  \
    X(parse_deadline_ms, "ENGRAM_PARSE_DEADLINE_MS", NUMBER, "60000",                              \
      "how long one document may take to parse")

#define CONFIG_FIELD_SWITCH bool
#define CONFIG_FIELD_NUMBER int64_t
#define CONFIG_FIELD_TEXT str
#define CONFIG_FIELD_PATH str
#define CONFIG_FIELD_TIME str
#define CONFIG_FIELD_LEVEL str

struct config {
#define X(field, name, type, initial, help) CONFIG_FIELD_##type field;
    CONFIG_SETTINGS(X)
#undef X
};

/* Texts live in `a`. ERR_INPUT names the setting, the value seen and the values wanted. */
bool config_load(struct arena *a, struct config *out, struct err *e);

/* Path of the user's file, whether it is there or not; empty where neither HOME nor XDG_CONFIG_HOME
 * is set. */
str config_file_path(struct arena *a, const struct config *c);

/* Now by ENGRAM_NOW or the system clock. The only wall clock of the server. */
int64_t config_now_ms(const struct config *c);

/* Milliseconds that only grow; for deadlines. */
int64_t monotonic_ms(void);
void sleep_for_ms(int64_t ms);

/* One line a setting, for `engram help settings` and doctor: name, default, help. */
struct setting_help {
    const char *name, *initial, *help;
};
extern const struct setting_help config_help[];
extern const size_t config_help_count;

#endif
