/* A memory as Markdown, for people: what is remembered by topic, session and month, then documents
 * and entities. Not to be read back: that is what JSON Lines are for. */
#ifndef ENGRAM_EXPORT_MARKDOWN_H
#define ENGRAM_EXPORT_MARKDOWN_H

#include "memory/memory.h"

#include <stdio.h>

/* All in one file. *rows: memories, documents and entities. */
bool markdown_write(struct memory *m, str project, FILE *out, size_t *rows, struct err *e);

/* A file for each topic, session and month, in a folder that isn't there yet: whole or not at all.
 */
bool markdown_write_folder(struct memory *m, str folder, size_t *rows, struct err *e);

#endif
