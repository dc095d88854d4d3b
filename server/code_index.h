/* Brings the index of a worktree's sources up to date: lists the files, reads what is new or
 * changed by parse workers, stores it in the order of the list, links it. Blocking, for a thread
 * that owns the memory; interrupted at any point it goes on where it was at the next run. */
#ifndef ENGRAM_CODE_INDEX_H
#define ENGRAM_CODE_INDEX_H

#include "memory/code.h"

enum {
    LIST_DEADLINE_MS = 120000,  /* for a list of the files */
    SOURCE_DEADLINE_MS = 20000, /* of one file; a worker that computes has 5 s of the CPU */
    MAX_SKIP_REASONS = 32,      /* told apart; the rest is one more */
};

struct code_index_options {
    struct memory *memory;
    str root;     /* real path of the worktree */
    int niceness; /* of what computes; added to a worker's own */
    int64_t now_ms;
    bool (*stopped)(void *ctx); /* from any thread; NULL: never */
    void (*listed)(void *ctx);  /* before the first file is read; NULL: nobody waits for it */
    void (*progress)(void *ctx, size_t done, size_t total); /* files; NULL: nobody looks */
    void (*between)(
        void *ctx); /* between two writes, with nothing held; NULL: nothing to do there */
    void *ctx;
};

struct code_index_result {
    struct code_report report;
    size_t read, known, unchanged, removed; /* files; known: read, but not parsed again */
    struct skip_count {
        str reason;
        size_t files;
    } skips[MAX_SKIP_REASONS + 1]; /* of the listing and of this run's reading, by reason */
    size_t skip_count;
    int64_t reading_ms;   /* of the run; the rest went into listing, comparing, linking */
    str note;             /* what the listing has to say; empty: nothing */
    str head, references; /* of the repository, as it was listed */
};

/* Texts of *out live in `a`. ERR_NOT_FOUND where root is no folder, ERR_CANCELLED where it was
 * stopped. */
bool code_index_run(struct arena *a, const struct code_index_options *options,
                    struct code_index_result *out, struct err *e);

#endif
