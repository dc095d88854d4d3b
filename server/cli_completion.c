#include "server/cli_command.h"

#include "memory/base/unicode.h"

#include <stdio.h>

/* A table of rows: what a shell completes comes from the commands and options themselves. */
struct shell {
    const char *name;
    void (*print)(void);
};

/* ---- what the three have in common ---- */

typedef void each_option(const struct cli_option *o);

static void options_of(const struct command *command, each_option *print)
{
    for (const struct cli_option *o = command->options; o && o->name; o++)
        print(o);
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        print(o);
}

/* Within single quotes of a POSIX shell; `special` gets a backslash. */
static void print_quoted(const char *text, const char *special)
{
    for (const char *at = text; *at; at++)
        if (*at == '\'')
            fputs("'\\''", stdout);
        else
            printf("%s%c", strchr(special, *at) ? "\\" : "", *at);
}

/* ---- bash ---- */

static void bash_option(const struct cli_option *o)
{
    printf(" --%s", o->name);
}

static void print_bash(void)
{
    puts("_engram() {\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} command= words= i\n"
         "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "        case ${COMP_WORDS[i]} in\n"
         "        -C | --project) ((i++)) ;;\n"
         "        -*) ;;\n"
         "        *) command=${COMP_WORDS[i]} && break ;;\n"
         "        esac\n"
         "    done\n"
         "    case $command in");
    fputs("    '') words='", stdout);
    for (size_t i = 0; i < cli_command_count; i++)
        printf("%s ", cli_commands[i]->name);
    fputs("--version", stdout);
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        bash_option(o);
    puts("' ;;");
    for (size_t i = 0; i < cli_command_count; i++) {
        printf("    %s) words='", cli_commands[i]->name);
        options_of(cli_commands[i], bash_option);
        puts("' ;;");
    }
    puts("    esac\n"
         "    COMPREPLY=()\n"
         "    if [[ -z $command || $current == -* ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "    elif [[ $command == help ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$(engram completion commands)\" -- \"$current\"))\n"
         "    fi\n"
         "}\n"
         "complete -o default -F _engram engram");
}

/* ---- zsh ---- */

static void zsh_option(const struct cli_option *o)
{
    if (o->letter)
        printf(" \\\n        '(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter, o->name);
    else
        printf(" \\\n        '--%s[", o->name);
    print_quoted(o->help, "[]:\\");
    fputs("]", stdout);
    if (o->operand) {
        fputs(":", stdout);
        print_quoted(o->operand, "[]:\\");
        fputs(":_files", stdout);
    }
    fputs("'", stdout);
}

static void print_zsh(void)
{
    puts("#compdef engram\n"
         "_engram() {\n"
         "    local -a commands=(");
    for (size_t i = 0; i < cli_command_count; i++) {
        printf("        '%s:", cli_commands[i]->name);
        print_quoted(cli_commands[i]->summary, "\\");
        puts("'");
    }
    puts("    )\n"
         "    local command= i\n"
         "    for ((i = 2; i < CURRENT; i++)); do\n"
         "        case $words[i] in\n"
         "        -C | --project) ((i++)) ;;\n"
         "        -*) ;;\n"
         "        *) command=$words[i] && break ;;\n"
         "        esac\n"
         "    done\n"
         "    if [[ -z $command ]]; then\n"
         "        if ((i > CURRENT)); then _files\n"
         "        else _describe command commands\n"
         "        fi\n"
         "        return\n"
         "    fi\n"
         "    shift $((i - 1)) words\n"
         "    ((CURRENT -= i - 1))\n"
         "    case $command in\n"
         "    help) _describe command commands ;;");
    for (size_t i = 0; i < cli_command_count; i++)
        if (strcmp(cli_commands[i]->name, "help") != 0) {
            printf("    %s) _arguments", cli_commands[i]->name);
            options_of(cli_commands[i], zsh_option);
            puts(" \\\n        '*: :_files' ;;");
        }
    puts("    esac\n"
         "}\n"
         "if [[ $funcstack[1] == _engram ]]; then _engram \"$@\"; else compdef _engram engram; fi");
}

/* ---- fish ---- */

static const char *fish_command; /* whose options are printed */

static void fish_option(const struct cli_option *o)
{
    printf("complete -c engram -n '__fish_seen_subcommand_from %s' -l %s", fish_command, o->name);
    if (o->letter)
        printf(" -s %c", o->letter);
    fputs(o->operand ? " -r -d '" : " -d '", stdout);
    for (const char *at = o->help; *at; at++) /* fish escapes quotes by a backslash */
        printf("%s%c", *at == '\'' || *at == '\\' ? "\\" : "", *at);
    puts("'");
}

static void print_fish(void)
{
    for (size_t i = 0; i < cli_command_count; i++) {
        const struct command *command = cli_commands[i];
        printf("complete -c engram -f -n __fish_use_subcommand -a %s -d '", command->name);
        for (const char *at = command->summary; *at; at++)
            printf("%s%c", *at == '\'' || *at == '\\' ? "\\" : "", *at);
        puts("'");
        fish_command = command->name;
        options_of(command, fish_option);
    }
}

/* ---- the command ---- */

static void print_commands(void)
{
    for (size_t i = 0; i < cli_command_count; i++)
        puts(cli_commands[i]->name);
}

static const struct shell shells[] = {
    {"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}, {"commands", print_commands}};

static int run_completion(struct cli *c)
{
    str wanted = c->word_count ? c->words[0] : S("");
    for (size_t i = 0; c->word_count == 1 && i < sizeof shells / sizeof *shells; i++)
        if (str_eq(wanted, str_of(shells[i].name))) {
            shells[i].print();
            return CLI_DONE;
        }
    return cli_usage(c, "SHELL is \"%.*s\"; wanted: bash, zsh or fish",
                     FMT(utf8_prefix(wanted, 40)));
}

const struct command command_completion = {
    .name = "completion",
    .operands = "SHELL",
    .summary = "Print what makes a shell complete engram's commands and options.",
    .help = "SHELL is bash, zsh or fish. An installed engram brings the three files along.\n\n"
            "Examples:\n"
            "  source <(engram completion bash)\n"
            "  engram completion fish > ~/.config/fish/completions/engram.fish\n",
    .run = run_completion,
};
