/* What the commands of the command line share: the shape of a command's row, its options, running a
 * tool, and printing. */
#ifndef ENGRAM_CLI_COMMAND_H
#define ENGRAM_CLI_COMMAND_H

#include "server/cli.h"
#include "server/config.h"
#include "server/projects.h"

#include <jansson.h>

enum {
    MAX_WORDS = 4096,                  /* operands, and options given, of one command line */
    MAX_STDIN_BYTES = 8 * 1024 * 1024, /* read for remember - and attach - */
};

struct cli_option;

/* An option as given: its operands, "" where it takes fewer than two. */
struct cli_value {
    const struct cli_option *option;
    str first, second;
};

/* Puts a given option into the arguments of a tool. */
typedef bool cli_take(json_t *arguments, const struct cli_value *v, struct err *e);

struct cli_option {
    const char *name;    /* without its dashes; NULL ends a table */
    char letter;         /* 0: none */
    const char *operand; /* as help shows it; NULL: a switch; with a space in it: two operands */
    const char *help;
    cli_take *take;    /* NULL: the command looks for it itself */
    const char *field; /* of the tool's arguments, for `take` */
};

struct cli;

struct command {
    const char *name, *operands, *summary;
    const char *help; /* paragraphs and examples below the options */
    const struct cli_option *options;
    int (*run)(struct cli *c);
    /* What is done, and the exit code, where options can't be read. NULL: told as wrong usage. */
    int (*misused)(struct cli *c, const struct err *why);
};

/* One run of the program. */
struct cli {
    struct arena arena;
    struct config config;
    str project; /* --project, over the settings; empty: none */
    bool json;
    const struct command *command;
    str *words; /* operands */
    size_t word_count;
    struct cli_value *values;
    size_t value_count;
    struct projects *projects; /* NULL until cli_open */
    struct services services;
    struct request request;
};

extern const struct command command_remember, command_recall, command_attach, command_review,
    command_forget, command_status, command_index, command_consolidate, command_queue,
    command_export, command_import, command_graph, command_doctor, command_setup,
    command_setup_model, command_hook, command_init, command_completion,
    command_man; /* cli_init.c */

/* The table: every command in the order of help (cli.c). */
extern const struct command *const cli_commands[];
extern const size_t cli_command_count;

/* ---- options (cli_options.c) ---- */

/* Those that every command has. */
extern const struct cli_option cli_common_options[];

/* Reads the command's options and operands, argv[0] being the command's name. false with *e for a
 * wrong one; *help is set by --help. */
bool cli_read_options(struct cli *c, int argc, char **argv, bool *help, struct err *e);

/* Reads those in front of the command; *at is where it stands, argc where there is none. *version
 * is set by --version. */
bool cli_read_global_options(struct cli *c, int argc, char **argv, int *at, bool *help,
                             bool *version, struct err *e);

/* The last value given of an option, or NULL. */
const struct cli_value *cli_value(const struct cli *c, const char *name);

/* All operands with a space between them. */
str cli_joined_words(struct cli *c);

/* {} filled by every option that has a `take`; new reference, NULL with *e. */
json_t *cli_arguments(struct cli *c, struct err *e);

/* One text, a true, one more text of an array, "a,b" as texts of an array, NAME:TYPE,
 * FROM|relation|TO, an answer or an edit of review. */
cli_take take_text, take_switch, take_each, take_list, take_entity, take_relation, take_answer,
    take_edit;

/* Help of a command, and the overview; to stdout. */
void cli_print_help(const struct command *command);
void cli_print_overview(void);

/* ---- running (cli_run.c) ---- */

/* Loads the settings; cli_open also lends services and a request (and opens no database yet). */
bool cli_configure(struct cli *c, struct err *e);
bool cli_open(struct cli *c, struct err *e);
void cli_close(struct cli *c);

/* Runs the tool to its end, parsing what it orders on the way, and prints its reply. `arguments` is
 * stolen. *structured may be NULL; else it gets a new reference to what was replied. Returns the
 * exit code. */
int cli_run_tool(struct cli *c, const char *name, json_t *arguments, json_t **structured);

/* The same without printing: *reply is the caller's (json_decref its structured). */
bool cli_call_tool(struct cli *c, const char *name, json_t *arguments, struct tool_reply *reply,
                   struct err *e);

/* The caller's memory and project. */
bool cli_memory(struct cli *c, struct memory **memory, struct project_ref *ref, struct err *e);

/* Standard input to its end, valid UTF-8 of at most MAX_STDIN_BYTES; `what` names it in errors. */
bool cli_read_stdin(struct cli *c, const char *what, str *out, struct err *e);

/* Reads an export of ours back (cli_data.c); "-": from standard input. The exit code. */
int cli_restore(struct cli *c, str file);

/* What recall answered, where standard output is a terminal; false where it isn't (cli_show.c). */
bool cli_show_recall(struct cli *c, const json_t *reply);

/* ---- printing (cli_run.c) ---- */

/* Text made safe for a terminal, with a line's end. */
void cli_print(struct cli *c, str text);
void cli_print_json(const json_t *json);

/* An object as indented "name: value" lines. */
void cli_print_fields(struct cli *c, const json_t *json);

/* One line to stderr, with --json an object to stdout too. The exit code that fits. */
int cli_fail(struct cli *c, const struct err *e);

/* A wrong call of the command: says so and where help is. */
int cli_usage(struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
