/* engram-worker: what engram starts for work that it keeps out of its own process. */
#include "server/parse_wire.h"
#include "server/worker/parse.h"

#include <stdio.h>

/* A kind of worker is a row. */
static const struct {
    const char *word;
    int (*run)(void);
    const char *help;
} kinds[] = {
    {"parse", worker_parse,
     "reads documents for the process that started it, which talks over descriptor 3"},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static int usage(void)
{
    fputs("engram-worker is started by engram; there is nothing to do with it by hand.\n\n",
          stderr);
    for (size_t i = 0; i < KIND_COUNT; i++)
        fprintf(stderr, "    engram-worker %s    %s\n", kinds[i].word, kinds[i].help);
    return WORKER_USAGE;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < KIND_COUNT; i++)
        if (strcmp(argv[1], kinds[i].word) == 0) {
            int code = kinds[i].run();
            return code == WORKER_USAGE ? usage() : code;
        }
    return usage();
}
