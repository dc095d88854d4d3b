/* engram-worker: what engram starts for work that it keeps out of its own process. */
#include "server/parse_wire.h"
#include "server/worker/background.h"
#include "server/worker/http.h"
#include "server/worker/parse.h"

#include <stdio.h>

/* A kind of worker is a row. */
static const struct {
    const char *word, *operand; /* operand NULL: there is none */
    int (*run)(char **operands);
    const char *help;
} kinds[] = {
    {"parse", NULL, worker_parse,
     "reads documents for the process that started it, which talks over descriptor 3"},
    {"http", NULL, worker_http,
     "sends requests for the process that started it, which talks over descriptor 3"},
    {"background", "DIRECTORY", worker_background,
     "does what no call waits for, for the project whose data lie there"},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static int usage(void)
{
    fputs("engram-worker is started by engram; there is nothing to do with it by hand.\n\n",
          stderr);
    for (size_t i = 0; i < KIND_COUNT; i++)
        fprintf(stderr, "    engram-worker %s %s   %s\n", kinds[i].word,
                kinds[i].operand ? kinds[i].operand : "", kinds[i].help);
    return WORKER_USAGE;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc >= 2 && i < KIND_COUNT; i++)
        if (strcmp(argv[1], kinds[i].word) == 0 && argc == (kinds[i].operand ? 3 : 2)) {
            int code = kinds[i].run(argv + 2);
            return code == WORKER_USAGE ? usage() : code;
        }
    return usage();
}
