/* Rows of what names mean in the sources and in the history. Private to memory/. */
#ifndef ENGRAM_STORE_TIE_H
#define ENGRAM_STORE_TIE_H

#include "memory/name_meant.h"
#include "memory/store.h"

struct untied_row {
    int64_t entity;
    str name, type;
};
/* Entities that are tied to nothing yet, behind the id `after`; at most `most`, by id. */
bool store_untied(struct store *s, struct arena *a, int64_t after, size_t most,
                  struct untied_row **out, size_t *count, struct err *e);

/* Symbols that some content defines and whose last part is `simple`; at most `most`, by id. */
bool store_symbols_to_tie(struct store *s, struct arena *a, str simple, size_t most,
                          struct name_candidate **out, size_t *count, struct err *e);
/* Files that some content is of: `path` itself, and those that share its last part, of which at
 * most `most`, by id. */
bool store_files_to_tie(struct store *s, struct arena *a, str path, size_t most,
                        struct name_candidate **out, size_t *count, struct err *e);

/* The only commit whose object id starts with `digits`; 0: none, or several. */
bool store_commit_starting(struct store *s, struct arena *a, str digits, int64_t *id,
                           struct err *e);

/* The edge, and for a symbol the row that tells where it went. */
bool store_put_tie(struct store *s, int64_t entity, int64_t target, int64_t now_ms, struct err *e);

struct tie_row {
    int64_t entity, edge;
    uint64_t body_hash, shape_hash; /* of the symbol; 0: never known */
};
/* Ties to symbols and files that no content has any more; at most `most`, the oldest first. */
bool store_lost_ties(struct store *s, struct arena *a, size_t most, struct tie_row **out,
                     size_t *count, struct err *e);

/* Notes what the tied symbols are now. */
bool store_refresh_ties(struct store *s, struct err *e);

/* Current symbols that some content defines with this body or shape; at most `most`. */
bool store_symbols_like(struct store *s, struct arena *a, uint64_t hash, bool shape, size_t most,
                        int64_t **out, size_t *count, struct err *e);

#endif
