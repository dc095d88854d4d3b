/* What the files that store documents share. Private to memory/. */
#ifndef ENGRAM_DOCUMENTS_H
#define ENGRAM_DOCUMENTS_H

#include "memory/memory_state.h"

/* A copy of the input in which no name, title or path holds a secret. The same goes in, the same
 * comes out: the source stays what makes it the same document again. */
bool document_clean_input(struct memory *m, struct arena *a, const struct document_input *in,
                          struct document_input *out, struct err *e);

/* What was forgotten comes back only by a person's own hand: ERR_CONFLICT where it isn't one's. */
bool document_was_forgotten(struct memory *m, struct arena *a, const struct document_input *in,
                            bool *forgotten, struct err *e);

/* The document's row, made where there is none, then with the state PENDING and the name `title`.
 * Inside a write. */
bool document_find_or_put(struct memory *m, const struct document_input *in, str title, int64_t *id,
                          struct err *e);

/* Fills in all but the status. */
bool document_describe(struct memory *m, struct arena *a, int64_t id, struct document_result *out,
                       struct err *e);

/* What a document is called before its text is known. */
str document_provisional_title(const struct document_input *in);

/* Deletes some of the passages that may not be seen; *over: there was no more, and the ticket is
 * gone, too. Inside a write. */
bool document_sweep(struct memory *m, struct arena *a, int64_t document, bool *over, struct err *e);

/* NEXT between all passages that may be seen, in transactions of its own. */
bool document_link_all(struct memory *m, int64_t document, int64_t ticket, int64_t now_ms,
                       struct err *e);

#endif
