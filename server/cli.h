/* The command line: every tool and a few errands more, on the same code as the server. */
#ifndef ENGRAM_CLI_H
#define ENGRAM_CLI_H

/* Exit codes. */
enum {
    CLI_DONE,
    CLI_NOTHING, /* nothing found, or a check failed */
    CLI_USAGE,   /* wrong usage */
    CLI_REFUSED, /* the input was refused */
    CLI_TROUBLE, /* busy, or an I/O error */
};

/* argv as main got it. Returns the exit code. */
int cli_main(int argc, char **argv);

#endif
