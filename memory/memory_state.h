/* What an open memory is, for the files that steer it (remember, recall, review, forget,
 * documents). */
#ifndef ENGRAM_MEMORY_STATE_H
#define ENGRAM_MEMORY_STATE_H

#include "memory/base/hash.h"
#include "memory/base/unicode.h"
#include "memory/code_rank.h"
#include "memory/known_names.h"
#include "memory/model_calls.h"
#include "memory/model_read.h"
#include "memory/postings.h"
#include "memory/ppr.h"
#include "memory/rank.h"
#include "memory/redact.h"
#include "memory/store.h"
#include "memory/usage_log.h"
#include "memory/usage_part.h"
#include "memory/vector_leg.h"

struct memory {
    struct memory_options options;
    struct store *store;
    struct snapshot snap;
    struct ppr_work *ppr;
    struct usage_part usage;
    struct postings *postings;
    struct vector_leg *vectors;
    struct encoder *encoder;   /* opened at the first query that can use it */
    bool encoder_failed;       /* not tried again */
    struct redactor *redactor; /* compiled at the first write */
    bool has_weights;
    bool has_passage_weights;
    struct rank_weights weights, passage_weights; /* from the options */
    struct code_leg *code; /* these two are made at the first question that wants sources */
    struct ppr_work *code_ppr;
    struct history_leg *past;   /* with them */
    struct symbol_trace *lines; /* while a history is read; NULL: none is */
    struct commit_extent {
        bool is_known; /* by who reads a history: nobody else adds commits meanwhile */
        int64_t newest_ms, count;
    } commits;
    bool has_code_weights;
    struct code_weights code_weights; /* from the options */
    struct model_calls calls;         /* of models, by recall: stored as the log is */
    struct reading_cache readings;    /* of queries, by a language model */
    int64_t recalled_ms;              /* our clock, at the last recall */
    struct usage_log log; /* recall writes nothing: stored with the next write, or at the close */
};

/* Begins a write, with the uses that wait. */
bool memory_write(struct memory *m, struct err *e);

/* Begins a read and brings the snapshot up to date. */
bool memory_read(struct memory *m, struct err *e);
bool memory_read_by_writer(struct memory *m, struct err *e); /* store_read_begin_by_writer */

/* text without secrets; counts in `a` (NULL where nobody asks). */
bool memory_redact(struct memory *m, struct arena *a, str text, str *out, struct redaction **counts,
                   size_t *count, struct err *e);

/* The id of a node by its public text, checked to be there and of one of `kinds` (bit set).
 * ERR_INPUT, ERR_NOT_FOUND name `field`. */
bool memory_id(struct memory *m, struct arena *a, const char *field, str text, uint32_t kinds,
               struct node_row *out, struct err *e);

/* ---- writing while others wait ---- */

/* The caller's monotonic clock; 0 where there is none. */
int64_t memory_clock_ms(const struct memory *m);

/* Ends a write that began at began_ms of that clock; others get the lock for as long as it was
 * held, *held_ms (may be NULL). For work in many transactions that nobody waits for. */
bool memory_end_resting(struct memory *m, bool ok, int64_t began_ms, int64_t *held_ms,
                        struct err *e);

/* ---- entities, shared by remember, documents and review (memory/entities.c) ---- */

/* The active entity of this name, merges followed; 0 where there is none. */
bool entity_find(struct memory *m, struct arena *a, str name, int64_t *id, struct err *e);

/* The same, made where there is none; inside a write. type empty: unknown; typed: it was given, so
 * it replaces a found one. *id is 0 where the name has no normal form (only punctuation). */
bool entity_put(struct memory *m, struct arena *a, const struct provenance *from, str name,
                str type, bool typed, int64_t at_ms, struct entity_ref *out, struct err *e);

/* Writes the entity's names, and the type that it was given, into the index again; after a change
 * of either. */
bool entity_index(struct memory *m, struct arena *a, int64_t id, struct err *e);

/* Entities that a text names: by rule, and known names and aliases. Reads only. by_rule: what
 * extract_entities found among them; NULL where nobody asks. */
struct found_entities {
    struct found_entity *at;
    size_t count;
};
bool entities_in_text(struct memory *m, struct arena *a, str text, struct entity_input **out,
                      size_t *count, struct found_entities *by_rule, struct err *e);

/* MENTIONS of each entity by a node. */
bool mention_put(struct memory *m, int64_t from, int64_t entity, float weight, int64_t at_ms,
                 struct err *e);

/* ---- what is told of memories ---- */

/* Behind the commit of the new memory out->id: fills in out->similar, the current memories that say
 * nearly the same as `text`, best first, and files a question where one says another value of the
 * same thing. */
bool memory_compare(struct memory *m, struct arena *a, str text, int64_t now_ms,
                    struct remember_result *out, struct err *e);

/* Current memories older than `id` that share words with it, the best first: those of which
 * `enough` is covered of what its text scores against itself, at most `most`. Inside a read. */
bool memory_like(struct memory *m, struct arena *a, int64_t id, float enough, size_t most,
                 int64_t **out, size_t *count, struct err *e);

/* `old` steps back for `by`. Inside a write. */
bool memory_supersede(struct memory *m, int64_t old, int64_t by, int64_t at_ms, struct err *e);

/* What a tombstone holds of a memory, and of a document by its source. */
str memory_tombstone_hash(struct arena *a, str text);
str memory_document_tombstone(struct arena *a, str source_or_hash);
str memory_passage_tombstone(struct arena *a, str body);
/* Of a commit whose words were forgotten. */
str commit_tombstone(struct arena *a, str oid);
/* Of a name that was dismissed and is in no memory any more. */
str entity_tombstone(struct arena *a, str normal);

/* ---- questions (memory/review.c) ---- */

/* Files a question where a new entity's name is nearly an old one's. Inside a write. */
bool review_near_names(struct memory *m, int64_t entity, str normal, int64_t now_ms, struct err *e);

#endif
