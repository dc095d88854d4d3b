/* A language's query: compiled when first used, run over a tree, its captures handed out as marks.
 * parsers/lang/README.md tells what a capture means. Private to parsers/. */
#ifndef ENGRAM_PARSERS_SOURCE_QUERY_H
#define ENGRAM_PARSERS_SOURCE_QUERY_H

#include "memory/base/err.h"
#include "parsers/source.h"

struct source_query; /* heap; for ever */

/* NULL with ERR_INPUT where the text is no query of this grammar, or a capture or predicate isn't
 * known: `e` says where. */
struct source_query *source_query_compile(const TSLanguage *grammar, str text, struct err *e);
void source_query_free(struct source_query *q);

/* Adds the marks and comments of what the query finds in the tree. */
void source_query_marks(const struct source_query *q, TSQueryCursor *cursor, TSTree *tree,
                        struct source *s);

/* The text of a language's query in `a`; empty where it has none. */
str source_query_text(struct arena *a, const struct language *language);

#endif
