/* The search in sources: BM25 over windows and over whole files of the caller's worktree, by the
 * postings of a full-text index of their own. What is kept between queries (windows, files,
 * postings that were asked for) is brought up to date at each. */
#ifndef ENGRAM_CODE_LEG_H
#define ENGRAM_CODE_LEG_H

#include "memory/code_paths.h"
#include "memory/lexical.h"

enum { MAX_CODE_TERMS = 64, NO_CODE_FILE = UINT32_MAX };

struct code_leg;
struct code_leg *code_leg_new(void);
void code_leg_free(struct code_leg *leg); /* NULL is fine */

/* Takes in what changed, for the worktree at `root`; inside a read. false in *any where nothing of
 * it is indexed. */
bool code_leg_sync(struct code_leg *leg, struct store *s, str root, bool *any, struct err *e);

struct code_file {
    int64_t id; /* its node */
    str path;
    uint32_t first_chunk, chunk_count; /* its windows, one after the other */
    uint32_t words;
    unsigned kinds; /* bits of enum path_kind */
    struct path_names names;
};
struct code_chunk {
    int64_t id, content, symbol; /* symbol 0: between symbols */
    uint32_t file;               /* NO_CODE_FILE: not in this worktree */
    uint32_t line_start, line_end;
    uint32_t words;
};
const struct code_file *code_leg_files(const struct code_leg *leg, size_t *count);
const struct code_chunk *code_leg_chunks(const struct code_leg *leg, size_t *count);
int64_t code_leg_worktree(const struct code_leg *leg);
int64_t code_leg_revision(const struct code_leg *leg); /* grows when files or windows change */

/* NO_CODE_FILE where the worktree has no such path. */
uint32_t code_leg_find(const struct code_leg *leg, str path);

struct code_term {
    str text, written;
    float weight, idf;
    bool subject; /* in the query's first line */
    bool part;    /* of an identifier that stands whole beside it */
};

/* The file that a node is or stands in, by its windows; NO_CODE_FILE for what isn't here. */
uint32_t code_leg_file_of(const struct code_leg *leg, int64_t node_id);

/* Does the window hold the term? Only terms of the last search are known. */
bool code_leg_holds(const struct code_leg *leg, str term, uint32_t chunk);

/* Scores of one query; arrays in the arena that code_leg_search was given. */
struct code_hits {
    struct code_term terms[MAX_CODE_TERMS];
    size_t term_count;
    float idf_sum; /* of the terms that count for coverage */
    float *chunk;  /* per window: BM25 of its text and name */
    float *best;   /* per file: that of its best window */
    uint32_t *best_chunk;
    float *best_subject;  /* per file: of the window that fits the query's first line best */
    float *whole;         /* per file: BM25 as one text */
    float *whole_subject; /* the same for the first line */
    float *path;          /* per file: idf of the terms in its path */
    float *name;         /* per file: the greatest share of a symbol's name that is asked, by idf */
    float *covered;      /* per file: idf of the terms in it */
    float *covered_best; /* per file: most idf covered by one window */
    uint32_t *touched;   /* files with a score */
    size_t touched_count;
};
bool code_leg_search(struct code_leg *leg, struct store *s, struct arena *a, str query,
                     struct code_hits *out, struct err *e);

#endif
