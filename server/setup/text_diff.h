/* A unified diff of two texts, as `diff -u` writes it. */
#ifndef ENGRAM_SETUP_TEXT_DIFF_H
#define ENGRAM_SETUP_TEXT_DIFF_H

#include "memory/base/arena.h"

enum {
    MAX_DIFF_CELLS =
        4 * 1024 * 1024,       /* lines times lines that differ; beyond it, all are replaced */
    MAX_DIFF_LINE_BYTES = 400, /* shown of a line */
};

/* Empty where nothing differs. `path` names both sides; a text that is NULL isn't there. Line ends
 * of either kind are shown alike. */
str text_diff(struct arena *a, str before, str after, str path);

#endif
