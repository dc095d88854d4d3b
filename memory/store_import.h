/* Rows of what came from other tools' memories. Private to memory/. */
#ifndef ENGRAM_STORE_IMPORT_H
#define ENGRAM_STORE_IMPORT_H

#include "memory/store.h"

/* The row of a file that items come from, made where there is none. Inside a write. */
bool store_import_source(struct store *s, str format, str path, int64_t now_ms, int64_t *id,
                         struct err *e);

struct imported_row {
    str key, hash;
    int64_t memory;        /* 0: it was forgotten */
    enum node_state state; /* of the memory */
};
bool store_find_imported(struct store *s, struct arena *a, str key, struct imported_row *out,
                         bool *found, struct err *e);
bool store_put_imported(struct store *s, const struct imported_row *row, int64_t source,
                        struct err *e);

#endif
