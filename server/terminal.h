/* Text for a person at a terminal: wrapped to its width, and coloured where that is wanted. */
#ifndef ENGRAM_TERMINAL_H
#define ENGRAM_TERMINAL_H

#include "memory/base/buf.h"
#include "memory/base/str.h"

enum {
    MIN_TERMINAL_COLUMNS = 30,
    MAX_TERMINAL_COLUMNS = 100, /* longer lines are hard to read */
};

enum paint { PAINT_PLAIN, PAINT_STRONG, PAINT_DIM, PAINT_NAME, PAINT_WARNING, PAINT_COUNT };

struct terminal {
    size_t columns; /* MIN_TERMINAL_COLUMNS to MAX_TERMINAL_COLUMNS */
    bool colours;
};

/* Standard output's: false where it is no terminal. Colours unless NO_COLOR is set or TERM is
 * "dumb". */
bool terminal_of_stdout(struct terminal *out);

/* Appends visible text in a paint. */
void terminal_add(const struct terminal *t, struct buf *out, enum paint paint, str text);

/* Appends visible text, broken at blanks so that each line, behind `indent` blanks, fits; line
 * breaks of the text stay, a word that is longer than a line is cut. Ends with a line break. */
void terminal_wrap(const struct terminal *t, struct buf *out, enum paint paint, size_t indent,
                   str text);

#endif
