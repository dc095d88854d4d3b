/* The engine: one project's graph in one SQLite file, and what can be done with it. Values in,
 * values out; whoever calls brings the clock, the place and the limits. One struct memory serves
 * one thread at a time; many processes may have the same file open. Times are milliseconds since
 * 1970 (UTC). All results live in the caller's arena. */
#ifndef ENGRAM_MEMORY_H
#define ENGRAM_MEMORY_H

#include "memory/facts.h"
#include "memory/facts_import.h"

enum {
    MAX_TEXT_BYTES = 64 * 1024, /* of one memory */
    MAX_QUERY_BYTES = 8 * 1024,
    MAX_SPEAKER_BYTES = 128,
    MAX_TOPIC_BYTES = 256,
    MAX_SESSION_BYTES = 256,
    MAX_TYPE_BYTES = 40,
    MAX_PROPS = 8,
    MAX_PROP_BYTES = 512,
    MAX_ENTITY_NAME_BYTES = 256,
    MAX_RELATION_BYTES = 64,
    MAX_ENTITIES = 64, /* given in one call */
    MAX_RELATIONS = 64,
    MAX_SUPERSEDES = 32,
    MAX_FILES = 32,
    MAX_PATH_BYTES = 4096,
    MAX_IDS = 100,
    MAX_LIMIT = 50,
    MAX_BUDGET_TOKENS = 20000,
    MAX_ITEM_TOKENS = 400, /* of one recalled item's text; `ids` gives all */
    DEFAULT_LIMIT = 10,
    DEFAULT_BUDGET_TOKENS = 1700,
    MAX_QUESTIONS = 20,
    MAX_EDITS = 32,
    MAX_REASON_BYTES = 512,
    WRITE_DEADLINE_MS = 30000, /* for the write lock */
};

/* Switches that the engine knows, and its constants. */
struct memory_options {
    str directory;  /* where memory.db and its lock lie; made 0700 where it doesn't exist */
    bool read_only; /* never writes; for a database that can't be */
    bool ppr, neighbours, ranker, encoder, history, usage;
    str weights;                 /* text of a file with ranking weights; empty: the shipped ones */
    size_t most_vectors;         /* with more of them the leg is off; 0: with any number it is on */
    int64_t write_deadline_ms;   /* 0 means WRITE_DEADLINE_MS */
    const struct models *models; /* memory/models.h, borrowed; NULL: none are set up */
    /* Random bits (retry jitter); monotonic clock in ms; sleeping. The engine has no clock of its
     * own. */
    void *ctx;
    int64_t (*monotonic_ms)(void *ctx);
    void (*sleep_ms)(void *ctx, int64_t ms);
};

struct memory;

/* Opens (making it where it isn't there) with every check of notes "open recipe". ERR_DB for a file
 * that isn't ours, is newer than this program (then read-only with a note in status), or is
 * damaged; it is never deleted or overwritten. */
bool memory_open(const struct memory_options *options, struct memory **out, struct err *e);
void memory_close(struct memory *m);

/* Is a write of this process in its transaction? From any thread: who ends the process waits for
 * it. */
bool memory_is_writing(void);

/* Where and when something was said; goes with every write. */
struct provenance {
    enum origin origin;
    int64_t now_ms; /* our clock */
    str branch, head;
};

/* ---- remember ---- */

struct entity_input {
    str name, type; /* type empty: unknown */
    struct prop {
        str key, value;
    } * props;
    size_t prop_count;
};

struct relation_input {
    str from, relation, to;
};

struct anchor_input { /* parsed from "src/a.c:120" or "src/a.c#Cart.add" by the tool */
    str path;         /* relative to the project root */
    uint32_t line;    /* 0: none */
    str symbol;       /* empty: none */
    str file_hash;    /* empty: the file is missing */
};

struct remember_input {
    struct provenance from;
    str text;
    bool has_kind;
    enum memory_kind kind;
    str speaker, topic, session; /* empty: none */
    bool has_at;
    int64_t at_ms;
    bool pin;
    str *supersedes; /* public ids */
    size_t supersedes_count;
    struct entity_input *entities;
    size_t entity_count;
    struct relation_input *relations;
    size_t relation_count;
    struct anchor_input *anchors;
    size_t anchor_count;
    bool automatic; /* hooks, import, consolidation: refused where the text was forgotten */
};

struct entity_ref {
    int64_t id;
    str name, type;
    bool is_new;
    float confidence; /* in recall: how sure the query names it */
};

struct fact_ref { /* a labelled relation */
    str from, relation, to;
    enum node_kind said_kind;
    int64_t said_by;  /* node that says it */
    int64_t until_ms; /* 0: still so */
    bool by_model;    /* read out of the node's text by a language model */
};

struct remember_result {
    int64_t id;
    bool duplicate, was_forgotten;
    enum memory_kind kind;
    struct entity_ref *entities;
    size_t entity_count;
    struct fact_ref *relations;
    size_t relation_count;
    int64_t *superseded;
    size_t superseded_count;
    struct similar {
        int64_t id;
        str text;
        float score;
    } * similar;
    size_t similar_count;
    struct redacted {
        str rule;
        size_t count;
    } * redacted;
    size_t redacted_count;
};

/* One transaction: text, provenance, full text, entities, relations; committed durably when it
 * returns true. */
bool memory_remember(struct memory *m, struct arena *a, const struct remember_input *in,
                     struct remember_result *out, struct err *e);

/* ---- what a file of the project says (memory/written.c) ---- */

enum written_status { WRITTEN_NEW, WRITTEN_UNCHANGED, WRITTEN_CHANGED, WRITTEN_FORGOTTEN };

/* Remembers `in`, whose topic tells where it is written, unless that was done already: a repeat
 * counts no use, what was forgotten stays so, another text under the topic supersedes the earlier
 * one. current false: it is kept, but as no longer so. */
bool memory_put_written(struct memory *m, struct arena *a, const struct remember_input *in,
                        bool current, int64_t *id, enum written_status *status, struct err *e);

/* Memory `by` takes the place of `old`, where it hasn't already. */
bool memory_put_successor(struct memory *m, struct arena *a, int64_t old, int64_t by, int64_t at_ms,
                          bool *is_new, struct err *e);

/* Names that most texts mention, most first, at most `most`; no paths. */
bool memory_heaviest_names(struct memory *m, struct arena *a, size_t most, str **out, size_t *count,
                           struct err *e);

/* Is there neither a memory nor a document? */
bool memory_is_empty(struct memory *m, bool *empty, struct err *e);

/* ---- recall ---- */

struct recall_filter {
    uint32_t node_kinds;   /* bit set of enum node_kind */
    uint32_t memory_kinds; /* bit set of enum memory_kind; counts where NODE_MEMORY is set */
};

/* Where a line comes from, as the history says. */
struct line_origin {
    str commit;    /* object id; empty: not known, or not committed yet */
    str path;      /* what the file was called then */
    uint32_t line; /* in the file as it was then */
    bool is_cut;   /* the history ends there: the line may be older */
    bool is_late;  /* it is still being looked for: another call will know */
};

struct recall_input {
    int64_t now_ms;
    str query; /* may be empty where ids or file is given */
    str *ids;
    size_t id_count;
    bool with_members; /* behind each of them what it is made of: passages of a document, ... */
    str file;
    uint32_t line;             /* 0: none */
    struct line_origin blamed; /* of that line */
    struct recall_filter filter;
    size_t limit, budget_tokens;
    bool has_since, has_until;
    int64_t since_ms, until_ms; /* until is exclusive */
    float min_score;            /* negative: the default floor */
    bool include_superseded, explain;
    bool features; /* also the rows that the rankers are fitted from */
    str session;   /* the caller's, for "the last session" */
    str root;      /* the caller's worktree: whose files and symbols are told; empty: none */
    struct model_query *models; /* what the user's models said so far; NULL: none is asked */
};

struct item {
    enum node_kind kind;
    int64_t id;
    enum memory_kind memory_kind;
    str text;
    float score; /* 0..1 */
    int64_t at_ms;
    str path, commit, heading, session; /* source; empty where there is none */
    int64_t document;                   /* 0: none */
    uint32_t line_start, line_end, page;
    str before, after; /* neighbour turns or passages */
    str *why;
    size_t why_count;
    int64_t *members;
    size_t member_count;
    int64_t *more; /* further symbols of a file that fit */
    size_t more_count;
    str stale, stale_note; /* changed, gone, moved; empty: fresh */
    bool superseded;       /* no longer current */
    int64_t superseded_by; /* 0: nobody that is still there */
    int64_t *supersedes;
    size_t supersedes_count;
    enum origin origin;
    float trust;
    bool truncated;
    str speaker;
    str name; /* of an entity, symbol, document */
    bool archived;
    str *explain; /* "feature value weight" lines */
    size_t explain_count;
};

struct recall_result {
    bool waits; /* there is nothing yet: a model is to be asked first (memory/models.h), then call
                   again with the same input */
    struct item *items;
    size_t item_count;
    struct fact_ref *facts;
    size_t fact_count;
    struct entity_ref *entities;
    size_t entity_count;
    size_t tokens, withheld;
    bool abstained;
    bool has_nearest;
    enum node_kind nearest_kind;
    int64_t nearest_id;
    str nearest_text;
    float nearest_score;
    struct feature_row {
        enum node_kind kind;
        int64_t id;
        float sum;
        float *values; /* memory_feature_names */
    } * features;      /* of every candidate that may come out, best first; where asked for */
    size_t feature_count;
    float *evidence;  /* memory_evidence_names; where features are asked for */
    struct code_row { /* the same for files: of every file that the code ranker saw */
        int64_t id;
        str path;
        float sum;
        const float *values; /* memory_code_feature_names */
    } * code_features;
    size_t code_feature_count;
    str *legs; /* which legs answered; with explain */
    size_t leg_count;
    str *legs_off; /* which should have and didn't, and why; whether explained or not */
    size_t leg_off_count;
    bool
        has_range; /* the query names a time: INT64_MIN and INT64_MAX are open ends; with explain */
    int64_t range_from_ms, range_until_ms;
};

/* The size of an item as it will be rendered, for the budget: the larger of the renderings, in
 * tokens. The last one asked for of a node is what comes out, if it does. */
typedef size_t render_size(void *ctx, const struct item *item);

/* Reads one consistent snapshot; writes nothing. Abstains where nothing is above the floor. */
extern const char *const *const memory_feature_names;
extern const size_t memory_feature_count;
extern const char *const *const memory_evidence_names;
extern const size_t memory_evidence_count;
extern const char *const *const memory_code_feature_names;
extern const size_t memory_code_feature_count;

/* The place that is asked for, where it isn't given as file and line: a file of "src/a.c:120", or a
 * query that holds such a place of a file in the caller's worktree. Sets in->file and in->line. A
 * path below in->root is made one from there. */
bool memory_find_place(struct memory *m, struct arena *a, struct recall_input *in, struct err *e);

bool memory_recall(struct memory *m, struct arena *a, const struct recall_input *in,
                   render_size *size, void *size_ctx, struct recall_result *out, struct err *e);

/* Ids of the memories that somebody who comes to the project should be told first: what was pinned,
 * the last session's end, open questions, the newest decisions; in this order, at most MAX_BRIEF of
 * memory/brief.h. */
bool memory_brief(struct memory *m, struct arena *a, int64_t **out, size_t *count, struct err *e);

/* Recall writes nothing: what it saw being used waits for the next write, for the close, or for a
 * call of this, a short transaction. ERR_BUSY where the lock isn't free within wait_ms; then it
 * waits on. */
bool memory_has_usage(const struct memory *m);
bool memory_flush_usage(struct memory *m, int64_t wait_ms, struct err *e);

/* ---- documents ---- */

enum attach_status { ATTACH_NEW, ATTACH_UNCHANGED, ATTACH_REPLACED, ATTACH_PENDING };

struct document_input {
    struct provenance from;
    str source; /* what makes it the same document again: "file:docs/a.md", "content:notes.md",
                   "url:..." */
    str path;   /* relative path, or empty */
    str title;  /* given by the caller, or empty */
    str hash;   /* of the bytes */
    str session;
    str root; /* of a file that is looked after: the worktree that it was read in; else empty */
    int64_t bytes, mtime_ns; /* of that file */
    str etag, modified;      /* of a page, as its server says */
};

struct document_result {
    int64_t id;
    enum attach_status status;
    str title, media_type;
    size_t passages, entities, tokens;
    str *warnings;
    size_t warning_count;
    int64_t ticket; /* of a pending one: memory_document_abandon takes it */
};

/* true with *known set where the source is attached with the same hash already (then *out is
 * filled). ERR_CONFLICT where it was forgotten and the call is automatic; ERR_LIMIT where the hash
 * is quarantined, saying why. */
bool memory_document_known(struct memory *m, struct arena *a, const struct document_input *in,
                           bool *known, struct document_result *out, struct err *e);

/* The document of a source, whole or not yet; 0: none. */
bool memory_document_find(struct memory *m, struct arena *a, const struct document_input *in,
                          int64_t *id, struct err *e);

/* What is stored of a page, before it is fetched again: empty where it isn't there whole.
 * ERR_CONFLICT as above. */
struct document_page {
    str hash, etag, modified;
};
bool memory_document_page(struct memory *m, struct arena *a, const struct document_input *in,
                          struct document_page *out, struct err *e);

/* A row for a document whose parse takes longer than the caller waits: gives its id. */
bool memory_document_pending(struct memory *m, struct arena *a, const struct document_input *in,
                             struct document_result *out, struct err *e);

/* Stores or replaces the document and its passages; passages whose key stayed keep their ids. Takes
 * many short transactions, in which other processes may take turns: nothing of it is seen before
 * all is there. ERR_CONFLICT where the document was attached again or forgotten meanwhile. */
bool memory_document_put(struct memory *m, struct arena *a, const struct document_input *in,
                         const struct facts *facts, struct document_result *out, struct err *e);

/* The same in steps of some ten milliseconds each, between which m may serve others, be closed and
 * opened again. All is borrowed until the end. *out is filled where *done. */
struct document_put *memory_document_begin(struct arena *a, const struct document_input *in,
                                           const struct facts *facts);
bool memory_document_step(struct memory *m, struct document_put *p, bool *done,
                          struct document_result *out, struct err *e);

/* What may be said of it meanwhile. */
void memory_document_pend(const struct document_put *p, struct document_result *out);

/* After the last step, or instead of the next: then what was stored is taken out again, a step a
 * call, and a document that never was whole says `why`. true when there is nothing left to do: p is
 * gone then. */
bool memory_document_end(struct memory *m, struct document_put *p, str why);

/* Instead of memory_document_end where the memory can't be had any more: p is gone, and nothing
 * reads what it borrowed. What was stored is left to who tidies up. */
void memory_document_drop(struct document_put *p);

/* A pending document won't come: it says `why`, one that was whole before stays as it is. Takes out
 * some of what was stored of it, in one short transaction; *over, and when it fails: don't call
 * again. */
bool memory_document_abandon(struct memory *m, int64_t document, int64_t ticket, str why,
                             bool *over, struct err *e);

/* Whether what the document decided was taken back or replaced: then its passages step behind what
 * holds now. *changed: it was otherwise before. */
bool memory_document_set_replaced(struct memory *m, struct arena *a, int64_t document,
                                  bool replaced, bool *changed, struct err *e);

/* Ends what processes that were killed had begun to store. For who stores no document meanwhile. */
bool memory_documents_tidy(struct memory *m, int64_t now_ms, struct err *e);

/* A document that was read from a file and is looked after. */
struct document_file {
    int64_t id;
    str path, root, title, hash; /* title: as given; hash empty: it was never read whole */
    int64_t bytes, mtime_ns;     /* mtime_ns -1: read it again, whatever it is */
    bool is_gone;
};
/* All of them, or those of one content, by id. */
bool memory_document_files(struct memory *m, struct arena *a, str hash, struct document_file **out,
                           size_t *count, struct err *e);

/* The file or page is there, with the content that is known or one that can't be read: notes root,
 * size and time, or what its server says. Writes only what is new. */
bool memory_document_seen(struct memory *m, struct arena *a, int64_t id,
                          const struct document_input *in, struct err *e);

/* The file isn't there any more: the document stays, and says so. */
bool memory_document_gone(struct memory *m, struct arena *a, int64_t id, int64_t now_ms,
                          struct err *e);

/* The file has another path: the document keeps its id and passages. *moved is false where that
 * path has a document of its own. ERR_CONFLICT where one was forgotten there. */
bool memory_document_move(struct memory *m, struct arena *a, int64_t id,
                          const struct document_input *given, bool *moved, struct err *e);

/* Paths of indexed files of so many bytes, at most `most`: where a file may have gone. */
bool memory_paths_of_size(struct memory *m, struct arena *a, str root, int64_t bytes, size_t most,
                          str **out, size_t *count, struct err *e);

/* Counts a strike against content that crashed or overran the parse worker; from the second on it
 * is quarantined. */
bool memory_quarantine(struct memory *m, str hash, str name, str why, int64_t now_ms,
                       struct err *e);

/* ---- forget ---- */

struct forget_input {
    struct provenance from;
    str *ids;
    size_t id_count;
    bool dry_run;
    str reason;
};

struct forget_result {
    struct node_ref {
        enum node_kind kind;
        int64_t id;
    } * forgotten;
    size_t forgotten_count;
    size_t tombstones, entities_collected;
};

/* Memories, documents (with their passages), sessions (with their memories), single passages. Gone
 * from every table, the full text and the WAL when it returns. */
bool memory_forget(struct memory *m, struct arena *a, const struct forget_input *in,
                   struct forget_result *out, struct err *e);

/* ---- the rest ---- */

struct status_line {
    str name;
    str text; /* empty: the number counts */
    int64_t number;
};

/* Counts, sizes, versions, legs, quarantine, pending work: rows in a fixed order. */
bool memory_status(struct memory *m, struct arena *a, int64_t now_ms, struct status_line **lines,
                   size_t *count, struct err *e);

/* Integrity of the database, its full-text index and its schema; problems as texts (none: sound).
 */
bool memory_check(struct memory *m, struct arena *a, str **problems, size_t *count, struct err *e);

/* Ids (kind == 'm', 'd', ...) or entity names that start with `prefix`, at most `most`, most used
 * first. */
bool memory_complete_ids(struct memory *m, struct arena *a, enum node_kind kind, str prefix,
                         size_t most, str **out, size_t *count, struct err *e);
bool memory_complete_names(struct memory *m, struct arena *a, str prefix, size_t most, str **out,
                           size_t *count, struct err *e);

/* Every row as lines of text (name of the table, then column values), lossless; and back into an
 * empty database. `row` gets one row: table, column names and values. See memory/store_export.c for
 * what is left out (derived tables). */
enum value_type { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT };
struct value {
    enum value_type type;
    int64_t integer;
    double real;
    str text;
};
typedef bool export_row(void *ctx, const char *table, const char *const *columns,
                        const struct value *values, size_t count, struct err *e);
bool memory_export(struct memory *m, export_row *row, void *ctx, struct err *e);

/* Import of exported rows: begin (ERR_CONFLICT where the database holds memories already), rows in
 * exported order, end. All or none. */
bool memory_import_begin(struct memory *m, struct err *e);
bool memory_import_row(struct memory *m, str table, const str *columns, const struct value *values,
                       size_t count, struct err *e);
bool memory_import_end(struct memory *m, bool keep, struct err *e);

#endif
