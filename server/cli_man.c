#include "server/cli_command.h"

#include <stdio.h>

/* Text for roff: no line becomes a request, no hyphen another sign. */
static void print_roff(const char *text)
{
    bool at_start = true;
    for (const char *at = text; *at; at++) {
        if (at_start && (*at == '.' || *at == '\''))
            fputs("\\&", stdout);
        at_start = *at == '\n';
        if (*at == '\\')
            fputs("\\e", stdout);
        else if (*at == '-')
            fputs("\\-", stdout);
        else
            putchar(*at);
    }
}

static void print_options(const struct cli_option *options)
{
    for (const struct cli_option *o = options; o && o->name; o++) {
        fputs(".TP\n", stdout);
        if (o->letter)
            printf("\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", stdout);
        print_roff(o->name);
        fputs("\\fR", stdout);
        if (o->operand) {
            fputs(" \\fI", stdout);
            print_roff(o->operand);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        print_roff(o->help);
        putchar('\n');
    }
}

static void print_command(const struct command *command)
{
    printf(".SS \"%s", command->name);
    if (*command->operands) {
        putchar(' ');
        print_roff(command->operands);
    }
    puts("\"");
    print_roff(command->summary);
    putchar('\n');
    print_options(command->options);
    if (*command->help) {
        puts(".PP\n.nf");
        print_roff(command->help);
        puts(".fi");
    }
}

static void print_settings(void)
{
    for (size_t i = 0; i < config_help_count; i++) {
        const struct setting_help *s = &config_help[i];
        printf(".TP\n\\fB%s\\fR", s->name);
        if (*s->initial) {
            fputs(" (", stdout);
            print_roff(s->initial);
            putchar(')');
        }
        putchar('\n');
        print_roff(s->help);
        putchar('\n');
    }
}

static int run_man(struct cli *c)
{
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    puts(
        ".TH ENGRAM 1 \"\" \"engram " ENGRAM_VERSION "\" \"User Commands\"\n"
        ".SH NAME\n"
        "engram \\- remembers for coding agents, per project\n"
        ".SH SYNOPSIS\n"
        "\\fBengram\\fR [\\fB\\-\\-project\\fR \\fIDIR\\fR] [\\fB\\-\\-json\\fR] \\fICOMMAND\\fR "
        "[\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n"
        ".SH DESCRIPTION\n"
        "Decisions, facts, documents, the symbols of the code and the commits of a project are one "
        "graph in one SQLite file; \\fBengram recall\\fR walks it and answers with the few "
        "passages that matter. Coding agents start \\fBengram\\fR as a server of the Model "
        "Context Protocol on standard input and output; without a command, with standard input "
        "from a pipe, that is what it does.\n"
        ".PP\n"
        "These options go with every command:");
    print_options(cli_common_options);
    puts(".SH COMMANDS");
    for (size_t i = 0; i < cli_command_count; i++)
        print_command(cli_commands[i]);
    puts(".SH \"EXIT STATUS\"\n"
         "0 done; 1 nothing found, or a check failed; 2 wrong usage; 3 the input was refused; 4 "
         "busy, or an I/O error.\n"
         ".SH ENVIRONMENT\n"
         "Settings come from the environment and from the file below, as lines NAME=VALUE; the "
         "environment wins.");
    print_settings();
    puts(".SH FILES\n"
         ".TP\n\\fI$XDG_CONFIG_HOME/engram/config\\fR (else \\fI~/.config/engram/config\\fR)\n"
         "settings\n"
         ".TP\n\\fI$XDG_DATA_HOME/engram/NAME\\-ID/memory.db\\fR\n"
         "what is remembered of a project");
    return CLI_DONE;
}

const struct command command_man = {
    .name = "man",
    .operands = "",
    .summary = "Print the manual page.",
    .help = "Examples:\n"
            "  engram man | man -l -\n",
    .run = run_man,
};
