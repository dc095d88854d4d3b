/* Text in the order of reading, block by block: what formats that aren't lines of text (HTML, DOCX,
 * PDF, ...) write into, and the passages of it. Private to parsers/. */
#ifndef ENGRAM_PARSERS_FLOW_H
#define ENGRAM_PARSERS_FLOW_H

#include "parsers/passages.h"

/* Only arena needs to be set; flow_free when done. The first fields are for the caller to set. */
struct flow {
    struct arena *arena;
    uint32_t page;   /* of what comes; 0: there are no pages */
    uint8_t level;   /* the paragraph in work is a heading of this level; 0: it isn't one */
    bool verbatim;   /* the paragraph in work keeps its white space: code */
    bool joins_code; /* code next to code is one block */
    bool marked;     /* the next paragraph begins an item of a list */
    size_t list_depth;

    struct buf text; /* the blocks so far; capped */
    size_t lines;    /* in text */
    struct outline outline;
    uint32_t *pages; /* one a block; heap */
    size_t page_capacity;
    struct buf line, row, table, scratch; /* in work */
    bool space;                           /* the paragraph in work goes on behind white space */
    size_t table_depth, cells;
};

/* One block as it is. Of a heading (BLOCK_HEADING) level counts, and alone: its section joins no
 * neighbour. Blank lines at its ends are dropped; nothing is added where nothing is left. */
void flow_block(struct flow *f, enum block_kind kind, int level, bool alone, size_t depth,
                str text);

/* The paragraph in work: white space is folded unless it is verbatim. */
void flow_text(struct flow *f, str s);
void flow_line_break(struct flow *f);

/* Ends it, and with it its level and verbatim. Within a table it stays in its cell. */
void flow_end(struct flow *f);

/* Lists and their items; each ends the paragraph in work. */
void flow_list_open(struct flow *f);
void flow_list_close(struct flow *f);
void flow_item(struct flow *f);

/* A table becomes one block of rows, "a | b | c"; one within a cell becomes the cell's text. */
void flow_table_open(struct flow *f);
void flow_table_close(struct flow *f);
void flow_row(struct flow *f);
void flow_cell(struct flow *f);

/* Has it any text? */
bool flow_is_empty(const struct flow *f);

/* The passages, with pages and without lines. out->title is set where it is empty: the first
 * heading of level 1, else the first heading, else `name`. ERR_LIMIT beyond MAX_TEXT_BYTES or
 * MAX_PASSAGES. */
bool flow_passages(struct flow *f, str name, struct facts *out, struct err *e);

void flow_free(struct flow *f);

#endif
