/* What `engram setup` remembers of files that it changed: the bytes from before, and a hash of what
 * it wrote, so that a file that nobody else touched comes back byte for byte. A small JSON file and
 * copies in engram's data folder. */
#ifndef ENGRAM_SETUP_STATE_H
#define ENGRAM_SETUP_STATE_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum { MAX_STATE_BYTES = 4 * 1024 * 1024 };

/* One file, by its real path. */
struct setup_record {
    str file;
    str backup;  /* its copy from before our first change, in the folder; empty: it wasn't there */
    str written; /* hash of what we wrote last */
    bool exact;  /* nobody else touched it between our first change and that */
    int64_t folders; /* made above it, to be removed with it */
    str *items;      /* what of ours is in it, as "agent part" */
    size_t item_count, item_capacity;
};

struct setup_state {
    str folder; /* its path */
    int fd;     /* of it; -1: there is none yet */
    struct setup_record *records;
    size_t count, capacity;
};

/* Reads what is there; with `to_write` the folder is made and locked against another setup
 * (ERR_BUSY). setup_state_close in any case. */
bool setup_state_open(struct arena *a, str folder, bool to_write, struct setup_state *out,
                      struct err *e);
void setup_state_close(struct setup_state *s);

/* NULL: there is none. Lives until the next setup_state_add. */
struct setup_record *setup_state_find(struct setup_state *s, str file);
struct setup_record *setup_state_add(struct arena *a, struct setup_state *s, str file);
void setup_state_drop(struct setup_state *s, struct setup_record *record);

void setup_record_add_item(struct arena *a, struct setup_record *r, str item);
void setup_record_drop_item(struct setup_record *r, str item);

/* The copy from before; empty with at == NULL where there was no file. */
bool setup_state_read_backup(struct arena *a, const struct setup_state *s,
                             const struct setup_record *r, str *out, struct err *e);

/* Keeps `before` (at == NULL: no file) for the record. */
bool setup_state_keep_backup(struct arena *a, struct setup_state *s, struct setup_record *r,
                             str before, struct err *e);

/* Writes the JSON file. */
bool setup_state_save(struct arena *a, const struct setup_state *s, struct err *e);

#endif
