/* Where parsers feed the memory: what was found (facts) goes in, what went wrong is counted against
 * the content. */
#ifndef ENGRAM_INGEST_H
#define ENGRAM_INGEST_H

#include "memory/memory.h"

/* Stores a parsed document. */
bool ingest_document(struct memory *m, struct arena *a, const struct document_input *in,
                     const struct facts *facts, struct document_result *out, struct err *e);

/* The same in steps: see memory_document_begin. */
bool ingest_begin(struct arena *a, const struct document_input *in, const struct facts *facts,
                  struct document_put **out, struct err *e);

/* A parse that failed: counts the strike where the content was at fault, and passes the error on.
 * Always false. */
bool ingest_failure(struct memory *m, const struct document_input *in, str name, bool strike,
                    const struct err *failure, struct err *e);

#endif
