/* Which lines of a text became which: libgit2's diff, without what is equal at both ends. */
#ifndef ENGRAM_PARSERS_LINE_DIFF_H
#define ENGRAM_PARSERS_LINE_DIFF_H

#include "memory/base/str.h"

/* As a diff counts: lines from 1; a count of 0 stands behind the line `start`. */
struct line_hunk {
    size_t old_start, old_count, new_start, new_count;
};

/* Called for each difference, in order; false ends it. */
typedef bool line_hunk_visit(void *ctx, const struct line_hunk *h);
void line_diff(str before, str behind, line_hunk_visit *visit, void *ctx);

size_t line_count(str text);

#endif
