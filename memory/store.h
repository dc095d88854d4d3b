/* Persistence, private to memory/: one SQLite file, its lock, its full text. Every SQL statement of
 * engram is in memory/store*.c. Writes happen between store_begin and store_end, in one transaction
 * under the file lock; reads between store_read_begin and store_read_end see one state. Inside a
 * write, reads see what was written so far. */
#ifndef ENGRAM_STORE_H
#define ENGRAM_STORE_H

#include "memory/graph.h"
#include "memory/index_text.h"
#include "memory/memory.h"

struct store;

bool store_open(const struct memory_options *options, struct store **out, struct err *e);
void store_close(struct store *s);

/* Empty, or why this database can only be read: a newer program made it, it lies on a read-only
 * file system. */
str store_read_only_reason(const struct store *s);

/* Takes the file lock (ERR_BUSY after the deadline: nothing was stored), then begins. store_end
 * commits durably where ok, else rolls back and keeps the first error; either way the lock is free
 * afterwards. */
bool store_begin(struct store *s, struct err *e);
bool store_begin_within(struct store *s, int64_t wait_ms,
                        struct err *e); /* a deadline of the caller's */
bool store_end(struct store *s, bool ok, struct err *e);
bool store_is_writing(void); /* any store of this process; from any thread */
bool store_read_begin(struct store *s, struct err *e);
/* The same on the connection that writes, which has what it wrote at hand: for reads that belong to
 * a write, before or behind it. A reading connection drops all its pages behind each commit. */
bool store_read_begin_by_writer(struct store *s, struct err *e);
void store_read_end(struct store *s);

/* ---- nodes ---- */

/* The order is what the database stores: append only. */
enum node_state {
    STATE_CURRENT,
    STATE_SUPERSEDED,
    STATE_ARCHIVED,
    STATE_DISMISSED,
    STATE_MERGED,
    STATE_PENDING
};
/* FLAG_REPLACED: of a document whose decision was taken back, or replaced by another one. */
enum node_flag { FLAG_QUESTION = 1, FLAG_PINNED = 2, FLAG_CHATTER = 4, FLAG_REPLACED = 64 };
enum { FLAG_CUES_SHIFT = 3 }; /* three bits from here: what its text tells (cues.h) */

struct node_row {
    int64_t id;
    enum node_kind kind;
    enum node_state state;
    str key; /* empty: none */
    str name;
    enum origin origin;
    float trust;
    int64_t at_ms, stored_ms, session;
    str branch, head;
    int flags, words, uses;
    int64_t used_ms;
};

/* row->id is ignored; *id is the new number. */
bool store_put_node(struct store *s, const struct node_row *row, int64_t *id, struct err *e);
bool store_get_node(struct store *s, struct arena *a, int64_t id, struct node_row *out, bool *found,
                    struct err *e);
bool store_find_key(struct store *s, enum node_kind kind, str key, int64_t *id,
                    struct err *e); /* 0: none */
bool store_set_state(struct store *s, int64_t id, enum node_state state, str key,
                     struct err *e); /* key empty: none */
bool store_set_name(struct store *s, int64_t id, str name, struct err *e);
bool store_set_key(struct store *s, int64_t id, str key, struct err *e);
bool store_set_flags(struct store *s, int64_t id, int flags, struct err *e);
bool store_add_uses(struct store *s, int64_t id, int uses, int64_t used_ms, struct err *e);
bool store_delete_node(struct store *s, int64_t id,
                       struct err *e); /* with its body, full text, edges and side row */

/* Text that is indexed; replaces what was there. Counts the words into the node. */
bool store_put_body(struct store *s, int64_t id, str name, str text, struct err *e);
/* The same for a node that was made just now as *row, whose words are those of the text: of[0] is
 * its name, of[1] its text. */
bool store_put_first_body(struct store *s, int64_t id, const struct node_row *row,
                          const struct index_text of[2], struct err *e);
bool store_get_body(struct store *s, struct arena *a, int64_t id, str *name, str *text,
                    struct err *e); /* empty where there is none */

/* ---- memories ---- */

/* TIER_CONSOLIDATED: long-term, too; its text is built from others' (store_consolidate.h). */
enum tier { TIER_WORKING, TIER_LONG_TERM, TIER_CONSOLIDATED };

struct memory_row {
    int64_t id;
    enum memory_kind kind;
    enum tier tier;
    int64_t speaker; /* 0: none */
    str topic, topic_key, retry;
    int64_t superseded_by; /* 0: none */
};
bool store_put_memory(struct store *s, const struct memory_row *row, struct err *e);
bool store_get_memory(struct store *s, struct arena *a, int64_t id, struct memory_row *out,
                      bool *found, struct err *e);
bool store_set_memory_kind(struct store *s, int64_t id, enum memory_kind kind, struct err *e);
bool store_set_topic(struct store *s, int64_t id, str topic, str topic_key, struct err *e);
bool store_set_superseded(struct store *s, int64_t id, int64_t by,
                          struct err *e); /* by 0: current again; state and key follow */
bool store_last_of_session(struct store *s, int64_t session, int64_t before, int64_t *id,
                           int64_t *stored_ms, struct err *e);

/* A superseded memory that would be superseded again at once: same retry hash, and the topic's
 * current one is of a later at. 0: none. */
bool store_find_outdated(struct store *s, str retry, str topic_key, int64_t at_ms, int64_t *id,
                         struct err *e);

/* The last memory of this topic with this very text, whatever became of it. 0: none. */
bool store_find_written(struct store *s, str topic_key, str text, int64_t *id, struct err *e);

/* No longer current, with nothing in its place. */
bool store_set_retired(struct store *s, int64_t id, struct err *e);

/* Names of the entities with the most MENTIONS, most first, paths left out. */
bool store_heaviest_names(struct store *s, struct arena *a, size_t most, str **out, size_t *count,
                          struct err *e);

/* Is there a memory or a document? */
bool store_holds_any(struct store *s, bool *any, struct err *e);

/* Current memories of a topic, newest first by at, then id. */
struct topic_row {
    int64_t id, at_ms;
};
bool store_topic(struct store *s, struct arena *a, str topic_key, struct topic_row **out,
                 size_t *count, struct err *e);

struct anchor_row {
    int64_t memory;
    str path, symbol, hash;
    uint32_t line;
};
bool store_put_anchor(struct store *s, const struct anchor_row *row, struct err *e);
bool store_anchors_of_memory(struct store *s, struct arena *a, int64_t memory,
                             struct anchor_row **out, size_t *count, struct err *e);
bool store_anchors_of_path(struct store *s, struct arena *a, str path, struct anchor_row **out,
                           size_t *count, struct err *e);

/* ---- entities ---- */

struct entity_row {
    int64_t id, merged_into;
    str type;
    bool typed;
};
bool store_put_entity(struct store *s, const struct entity_row *row,
                      struct err *e); /* inserts or replaces */
bool store_get_entity(struct store *s, struct arena *a, int64_t id, struct entity_row *out,
                      bool *found, struct err *e);
bool store_find_alias(struct store *s, str normal, int64_t *entity, struct err *e); /* 0: none */
/* The entity that is called so, merged or not, and what it is called itself. */
bool store_find_named(struct store *s, struct arena *a, str normal, struct entity_row *out,
                      bool *found, struct err *e);
bool store_put_alias(struct store *s, str normal, str name, int64_t entity,
                     struct err *e); /* replaces */
bool store_delete_alias(struct store *s, str normal, struct err *e);
struct alias_row {
    str normal, name;
    int64_t entity;
};
bool store_aliases(struct store *s, struct arena *a, int64_t entity, struct alias_row **out,
                   size_t *count, struct err *e);
bool store_put_property(struct store *s, int64_t entity, str key, str value, int64_t said_by,
                        struct err *e);
bool store_properties(struct store *s, struct arena *a, int64_t entity, struct prop **out,
                      size_t *count, struct err *e);
/* Hands the normal forms of the first `most` names over, in their order; valid during the call. */
bool store_each_alias(struct store *s, size_t most, void (*visit)(void *ctx, str normal), void *ctx,
                      struct err *e);
/* Hands over the first `most` names that share the first three bytes of `normal`, in their order,
 * until the visitor says false; valid during the call. */
bool store_each_near_name(struct store *s, str normal, size_t most,
                          bool (*visit)(void *ctx, str normal, int64_t entity), void *ctx,
                          struct err *e);

/* ---- edges ---- */

struct edge_full {
    int64_t id, src, dst;
    enum edge_kind kind;
    str label;
    int64_t said_by; /* 0: nobody */
    float weight;
    int64_t at_ms;
};
bool store_put_edge(struct store *s, const struct edge_full *edge, int64_t *id,
                    struct err *e); /* once; *id 0 where it stood already */
/* Many in this order, each once, of weight 1, without a label and said by nobody. Better in few
 * calls behind the texts of a transaction: an insert of many rows opens a savepoint, at which FTS5
 * flushes the words that it holds in memory. */
struct edge_ends {
    int64_t src, dst;
    enum edge_kind kind;
};
bool store_put_edges(struct store *s, const struct edge_ends *edges, size_t count, int64_t at_ms,
                     struct err *e);
bool store_delete_edge(struct store *s, int64_t id, struct err *e);

/* Edges of a node in both directions, of one kind; at most `most`, newest first. */
bool store_edges(struct store *s, struct arena *a, int64_t id, enum edge_kind kind, size_t most,
                 struct edge_full **out, size_t *count, struct err *e);
bool store_edges_said_by(struct store *s, struct arena *a, int64_t said_by, struct edge_full **out,
                         size_t *count, struct err *e);
/* Puts every edge that has `from` at an end onto `to`; what was changed comes back for the journal
 * (edge id, the end that changed). */
struct moved_edge {
    int64_t edge;
    bool dst;
};
bool store_move_edges(struct store *s, struct arena *a, int64_t from, int64_t to,
                      struct moved_edge **out, size_t *count, struct err *e);
bool store_move_edge_end(struct store *s, int64_t edge, bool dst, int64_t to, struct err *e);

/* ---- documents ---- */

struct document_row {
    int64_t id;
    str path, hash, media_type, warnings;
    int64_t tokens, entities;
};
bool store_put_document(struct store *s, const struct document_row *row,
                        struct err *e); /* inserts or replaces */
bool store_get_document(struct store *s, struct arena *a, int64_t id, struct document_row *out,
                        bool *found, struct err *e);
/* The newest current one whose title this is, in any case of ASCII letters; 0: none. */
bool store_find_document_titled(struct store *s, str title, int64_t *id, struct err *e);
struct passage_row {
    int64_t id, document;
    str key;
    uint32_t position, line_start, line_end, page;
    enum node_state state;
};
bool store_put_passage(struct store *s, const struct passage_row *row,
                       struct err *e); /* inserts or replaces; key is the node's */
bool store_get_passage(struct store *s, struct arena *a, int64_t id, struct passage_row *out,
                       bool *found, struct err *e);
/* Those that may be seen, in order; or all of the document's, also what is being stored or taken
 * out.
 */
bool store_passages(struct store *s, struct arena *a, int64_t document, struct passage_row **out,
                    size_t *count, struct err *e);
bool store_all_passages(struct store *s, struct arena *a, int64_t document,
                        struct passage_row **out, size_t *count, struct err *e);

/* Who stores a document: takes the place of whoever was at it before; inside a write. The ticket is
 * held until it is let go, the store is closed or the process ends. */
bool store_take_ticket(struct store *s, int64_t document, int64_t *ticket, struct err *e);
/* Is it still ours? ERR_CONFLICT where not; inside a write. */
bool store_keep_ticket(struct store *s, int64_t document, int64_t ticket, struct err *e);
void store_let_ticket(struct store *s, int64_t ticket);
bool store_drop_ticket(struct store *s, int64_t document, struct err *e);
struct ticket_row {
    int64_t ticket, document;
    bool is_shown;
};
/* Tickets that nobody holds; for a store that holds none itself. */
bool store_orphan_tickets(struct store *s, struct arena *a, struct ticket_row **out, size_t *count,
                          struct err *e);
/* Pending passages become current, all at once. */
bool store_show_passages(struct store *s, int64_t document, struct err *e);
bool store_mark_shown(struct store *s, int64_t document, struct err *e); /* the ticket, alone */
/* Passages that may not be seen: the next `most`. */
bool store_hidden_passages(struct store *s, struct arena *a, int64_t document, size_t most,
                           int64_t **out, size_t *count, struct err *e);

struct source_row {
    int64_t id;
    str root; /* empty: no file that is looked after */
    int64_t bytes, mtime_ns, gone_ms;
    str title, etag, modified;
};
bool store_put_source(struct store *s, const struct source_row *row, struct err *e);
bool store_get_source(struct store *s, struct arena *a, int64_t id, struct source_row *out,
                      struct err *e); /* all empty where there is none */
/* As memory_document_files and memory_paths_of_size. */
bool store_document_files(struct store *s, struct arena *a, str hash, struct document_file **out,
                          size_t *count, struct err *e);
bool store_paths_of_size(struct store *s, struct arena *a, str root, int64_t bytes, size_t most,
                         str **out, size_t *count, struct err *e);

/* ---- tombstones, quarantine, journal, questions ---- */

bool store_put_tombstone(struct store *s, str hash, enum node_kind kind, int64_t now_ms, str reason,
                         bool *is_new, struct err *e);
bool store_find_tombstone(struct store *s, str hash, bool *found, struct err *e);
bool store_delete_tombstone(struct store *s, str hash, struct err *e);
bool store_strike(struct store *s, str hash, str name, str why, int64_t now_ms, struct err *e);
bool store_quarantined(struct store *s, struct arena *a, str hash, int *strikes, str *why,
                       struct err *e);

/* Actions of what nobody was asked about. Decay's entries hold ids alone. */
#define DECAY "decay"
#define GENERIC_NAMES "generic_names"
struct journal_row {
    int64_t id, stored_ms, undone_ms;
    str action, text, undo;
};
bool store_put_journal(struct store *s, const struct journal_row *row, int64_t *id, struct err *e);
bool store_get_journal(struct store *s, struct arena *a, int64_t id, struct journal_row *out,
                       bool *found, struct err *e);
bool store_set_undone(struct store *s, int64_t id, int64_t now_ms, struct err *e);
bool store_newer_journal(struct store *s, struct arena *a, int64_t id, struct journal_row **out,
                         size_t *count, struct err *e);
/* Entries with a step that has such a field; the words, the steps and whether it was undone, anew.
 */
bool store_journal_with(struct store *s, struct arena *a, str field, struct journal_row **out,
                        size_t *count, struct err *e);
bool store_set_journal(struct store *s, const struct journal_row *row, struct err *e);

struct question_row {
    int64_t id, a, b;
    str kind;
    int state;    /* 0 open, 1 yes, 2 no, 3 later */
    float weight; /* what the answer is expected to change; from 1 on a guess */
    int64_t stored_ms;
};
enum { QUESTION_OPEN, QUESTION_YES, QUESTION_NO, QUESTION_LATER };
#define CONTRADICTION "contradiction" /* a kind: open while both memories are current */
bool store_put_question(struct store *s, const struct question_row *row, int64_t now_ms,
                        struct err *e); /* once */
bool store_get_question(struct store *s, struct arena *a, int64_t id, struct question_row *out,
                        bool *found, struct err *e);
/* Open ones, then those put off; of either the weightiest first, with guesses in front of all that
 * is measured, or behind. */
bool store_questions(struct store *s, struct arena *a, bool guesses_first, size_t most,
                     struct question_row **out, size_t *count, size_t *open, struct err *e);
/* Memories that an open contradiction joins with `id`, current or not; in no order. */
bool store_contradicting(struct store *s, struct arena *a, int64_t id, size_t most, int64_t **out,
                         size_t *count, struct err *e);
bool store_answer_question(struct store *s, int64_t id, int state, int64_t now_ms, struct err *e);

/* ---- forgetting ---- */

/* Ids of the nodes of a kind that hang on a node: memories of a session, passages of a document. */
bool store_children(struct store *s, struct arena *a, int64_t id, enum node_kind kind,
                    int64_t **out, size_t *count, struct err *e);
/* An active or dismissed entity and all that were merged into it, those first, where none of them
 * has an edge left; else none. */
bool store_alone_entity(struct store *s, struct arena *a, int64_t id, int64_t **out, size_t *count,
                        struct err *e);
/* After a commit: the WAL and free pages hold nothing of what was deleted. Best effort: another
 * process may read. */
bool store_purge(struct store *s, struct err *e);

/* ---- search ---- */

/* One occurrence of a term. Visited in order of node id, then column, then position. */
struct posting {
    int64_t id;
    int column; /* 0 name, 1 text */
    int offset;
};
typedef bool posting_visit(void *ctx, const struct posting *p);
bool store_postings(struct store *s, str term, posting_visit *visit, void *ctx, struct err *e);

/* Index terms that begin with `prefix`, at most `most`. */
bool store_terms(struct store *s, struct arena *a, str prefix, size_t most, str **out,
                 size_t *count, struct err *e);

/* ---- snapshot ---- */

struct node_meta {
    int64_t at_ms, used_ms;
    node speaker;       /* NO_NODE: none */
    node group;         /* the session of a memory, the document of a passage; NO_NODE: none */
    node before, after; /* by NEXT: the turn or passage before and behind */
    uint32_t uses;
    uint32_t group_words;   /* of a session or document: words of its memories or passages */
    uint16_t words, degree; /* degree: edges but NEXT, PART_OF and SUPERSEDES, capped */
    uint16_t pulled;        /* the degree that its pull was made from */
    uint8_t kind, state, memory_kind, flags;
    bool is_consolidated;
    bool in_used, in_unpulled; /* of the snapshot's lists */
};

struct snapshot {
    struct graph graph;
    int64_t *ids; /* ascending */
    struct node_meta *meta;
    uint32_t capacity;
    int64_t last_node, last_edge, last_change; /* numbers taken in */
    uint64_t words;                            /* of all bodies */
    uint32_t bodies, memories, entities;
    uint32_t consolidated; /* of the memories; those that are gone count, too */
    uint32_t groups;       /* sessions and documents that have words, and these words */
    uint64_t grouped_words;
    uint64_t generation; /* grows at each change */
    uint64_t loads; /* times that all was read anew: dense nodes mean something else afterwards */
    uint64_t rewritten; /* times that the text of a node already taken in changed */
    uint64_t gone;      /* nodes that were deleted after they had been taken in */
    double pull_steps;  /* what set_pulls counted with last */
    node *used;         /* nodes that were ever used, each once */
    node *unpulled;     /* nodes whose pull may be out of date */
    size_t used_count, used_capacity, unpulled_count, unpulled_capacity;
};

/* Takes in what is new since the last call, ours and other processes'. Call inside a read. */
bool store_refresh(struct store *s, struct snapshot *snap, struct err *e);
void snapshot_free(struct snapshot *snap);
node snapshot_find(const struct snapshot *snap, int64_t id); /* NO_NODE: not there */

/* ---- status, check, export: as in memory.h ---- */

bool store_status(struct store *s, struct arena *a, struct status_line **lines, size_t *count,
                  struct err *e);
bool store_check(struct store *s, struct arena *a, str **problems, size_t *count, struct err *e);
bool store_complete_ids(struct store *s, struct arena *a, enum node_kind kind, str prefix,
                        size_t most, str **out, size_t *count, struct err *e);
bool store_complete_names(struct store *s, struct arena *a, str prefix, size_t most, str **out,
                          size_t *count, struct err *e);
bool store_export(struct store *s, export_row *row, void *ctx, struct err *e);
bool store_import_begin(struct store *s, struct err *e);
bool store_import_row(struct store *s, str table, const str *columns, const struct value *values,
                      size_t count, struct err *e);
bool store_import_end(struct store *s, bool keep, struct err *e);

#endif
