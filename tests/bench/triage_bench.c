/* Which lines of the standard input triage takes for chatter: each comes back behind 1 or 0. For
 * tests/bench/triage.py. */
#include "memory/base/buf.h"
#include "memory/triage.h"

#include <stdio.h>

int main(void)
{
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        str text = str_trim(str_of(line));
        printf("%d\t%.*s\n", triage_is_chatter(text), FMT(text));
    }
    return 0;
}
