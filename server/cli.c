#include "server/cli_command.h"

#include "memory/base/unicode.h"
#include "server/serve.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* ---- serve, version, help ---- */

static int run_serve(struct cli *c)
{
    struct err e = {0};
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    if (!cli_configure(c, &e))
        return cli_fail(c, &e);
    return serve(&c->config);
}

static int run_version(struct cli *c)
{
    if (c->json) {
        json_t *json = json_pack("{s:s}", "version", ENGRAM_VERSION);
        cli_print_json(json);
        json_decref(json);
    } else {
        puts("engram " ENGRAM_VERSION);
    }
    return CLI_DONE;
}

static void print_settings(void)
{
    printf("Settings come from the environment and from $XDG_CONFIG_HOME/engram/config (else\n"
           "~/.config/engram/config), lines NAME=VALUE and # comments; the environment wins.\n\n");
    for (size_t i = 0; i < config_help_count; i++) {
        const struct setting_help *s = &config_help[i];
        printf("  %-27s %s%s%s%s\n", s->name, s->help, *s->initial ? " [" : "", s->initial,
               *s->initial ? "]" : "");
    }
}

static const struct command *command_find(str name)
{
    for (size_t i = 0; i < cli_command_count; i++)
        if (str_eq(name, str_of(cli_commands[i]->name)))
            return cli_commands[i];
    return NULL;
}

static size_t common_prefix(str a, str b)
{
    size_t n = 0;
    while (n < a.len && n < b.len && a.at[n] == b.at[n])
        n++;
    return n;
}

/* The command that shares the longest beginning of at least two letters, or NULL. */
static const struct command *command_like(str name)
{
    const struct command *best = NULL;
    size_t longest = 1;
    for (size_t i = 0; i < cli_command_count; i++) {
        size_t n = common_prefix(name, str_of(cli_commands[i]->name));
        if (n > longest) {
            longest = n;
            best = cli_commands[i];
        }
    }
    return best;
}

static int unknown_command(struct cli *c, str name)
{
    const struct command *like = command_like(name);
    name = utf8_prefix(name, 40);
    c->command = NULL;
    if (like)
        return cli_usage(c, "there is no command \"%.*s\", did you mean \"%s\"", FMT(name),
                         like->name);
    return cli_usage(c, "there is no command \"%.*s\"", FMT(name));
}

static int run_help(struct cli *c)
{
    if (c->word_count > 1)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[1]));
    if (c->word_count == 0) {
        cli_print_overview();
        return CLI_DONE;
    }
    if (str_eq(c->words[0], S("settings"))) {
        print_settings();
        return CLI_DONE;
    }
    const struct command *command = command_find(c->words[0]);
    if (!command)
        return unknown_command(c, c->words[0]);
    cli_print_help(command);
    return CLI_DONE;
}

static const struct command command_serve = {
    .name = "serve",
    .operands = "",
    .summary = "Serve MCP on standard input and output; what agents start.",
    .help = "Ends at the end of the input. `engram` alone does the same where standard input is no "
            "terminal.\n",
    .run = run_serve,
};
static const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND|settings]",
    .summary = "Print help on a command or on the settings.",
    .help = "",
    .run = run_help,
};
static const struct command command_version = {
    .name = "version",
    .operands = "",
    .summary = "Print the version.",
    .help = "",
    .run = run_version,
};

const struct command *const cli_commands[] = {
    &command_init,        &command_remember, &command_recall, &command_attach,      &command_review,
    &command_forget,      &command_status,   &command_index,  &command_consolidate, &command_queue,
    &command_export,      &command_import,   &command_graph,  &command_doctor,      &command_setup,
    &command_setup_model, &command_hook,     &command_serve,  &command_completion,  &command_man,
    &command_help,        &command_version,
};
const size_t cli_command_count = sizeof(cli_commands) / sizeof(cli_commands[0]);

/* ---- dispatch ---- */

static int run_command(struct cli *c, int argc, char **argv)
{
    struct err e = {0};
    bool help = false;
    c->command = command_find(str_of(argv[0]));
    if (!c->command)
        return unknown_command(c, str_of(argv[0]));
    if (!cli_read_options(c, argc, argv, &help, &e))
        return c->command->misused ? c->command->misused(c, &e) : cli_usage(c, "%s", e.text);
    if (help) {
        cli_print_help(c->command);
        return CLI_DONE;
    }
    return c->command->run(c);
}

/* Options alone: an agent's `engram --project DIR` serves, a person gets help. */
static int run_without_command(struct cli *c)
{
    if (isatty(STDIN_FILENO)) {
        cli_print_overview();
        return CLI_DONE;
    }
    return run_serve(c);
}

static int run(struct cli *c, int argc, char **argv)
{
    struct err e = {0};
    bool help = false, version = false;
    int at = 0;
    if (!cli_read_global_options(c, argc, argv, &at, &help, &version, &e))
        return cli_usage(c, "%s", e.text);
    if (version)
        return run_version(c);
    if (help) {
        cli_print_overview();
        return CLI_DONE;
    }
    return at < argc ? run_command(c, argc - at, argv + at) : run_without_command(c);
}

int cli_main(int argc, char **argv)
{
    struct cli c = {0};
    int code = run(&c, argc, argv);
    if (fflush(stdout) != 0 && code == CLI_DONE) {
        fprintf(stderr, "engram: can't write to standard output: %s\n", strerror(errno));
        code = CLI_TROUBLE;
    }
    cli_close(&c);
    return code;
}
