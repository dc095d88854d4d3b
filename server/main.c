#include "memory/base/arena.h"
#include "server/cli.h"

#include <jansson.h>

/* jansson crashes where memory is out; ours ends the process cleanly. */
static void *allocate(size_t bytes)
{
    return heap_resize(NULL, bytes, 1);
}

/* What agents start, `engram` with a pipe for stdin, is one of the commands: serve. */
int main(int argc, char **argv)
{
    json_set_alloc_funcs(allocate, heap_free);
    return cli_main(argc, argv);
}
