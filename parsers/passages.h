/* Cuts a document, divided into blocks by its format, into passages of about PASSAGE_TOKENS. Pure;
 * shared by all formats. */
#ifndef ENGRAM_PARSERS_PASSAGES_H
#define ENGRAM_PARSERS_PASSAGES_H

#include "memory/facts.h"

/* Line i is text[at[i], at[i + 1]), with its \n. at[count] is the text's length. */
struct lines {
    str text;
    uint32_t *at;
    size_t count;
};

/* text must be shorter than 4 GiB. */
struct lines lines_find(struct arena *a, str text);

/* Lines first to last, without the last one's \n. */
str lines_text(const struct lines *l, size_t first, size_t last);

/* The line that holds the byte at `offset`. */
size_t lines_at(const struct lines *l, size_t offset);
bool line_is_blank(const struct lines *l, size_t line);

enum block_kind {
    BLOCK_TEXT,    /* cut on sentence bounds when it is too long */
    BLOCK_CODE,    /* whole up to MAX_WHOLE_CODE_TOKENS, then cut by blank lines and indent */
    BLOCK_ROWS,    /* cut between any two lines: a table */
    BLOCK_HEADING, /* begins a section */
    BLOCK_META,    /* front matter: a passage of its own */
};

enum {
    MAX_HEADING_LEVEL = 6,
    MAX_HEADING_BYTES = 160, /* of one heading in a path; the body has it whole */
};

/* Lines first to last (0-based, inclusive), neither of them blank. Blocks ascend, don't overlap,
 * and leave out blank lines only. */
struct block {
    uint32_t first, last;
    uint32_t heading; /* of a heading: index of its text in the outline's */
    uint8_t kind;     /* enum block_kind */
    uint8_t level;    /* of a heading: 1 to MAX_HEADING_LEVEL */
    uint8_t depth;    /* nesting; a cut before a shallow block is the better one */
    char fence;       /* of fenced code: its character */
    bool alone;       /* of a heading: its section joins no neighbour */
};

/* Zeroed is empty. Arrays on the heap, texts in the caller's arena. */
struct outline {
    struct block *blocks;
    size_t count, capacity;
    str *headings;
    size_t heading_count, heading_capacity;
};

void outline_add(struct outline *o, struct block b);

/* Index of the heading's text, squeezed and cut to MAX_HEADING_BYTES. */
uint32_t outline_add_heading(struct arena *a, struct outline *o, str text);
void outline_free(struct outline *o);

/* Adds one NODE_PASSAGE a passage and the NEXT edges to `out`, whose title is set. Bodies borrow
 * from the lines' text. Takes time in proportion to the text. ERR_LIMIT beyond MAX_PASSAGES. */
bool passages_cut(struct arena *a, const struct lines *l, const struct outline *o,
                  struct facts *out, struct err *e);

#endif
