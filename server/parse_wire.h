/* How a parse worker and its parent talk: one stream socket, jobs one way, replies the other, in
 * turn. Integers are little-endian; neither side trusts the other's.
 *
 * - job: "EGJ1" | kind u32 | length u32 | name
 *   with a descriptor on the first byte (SCM_RIGHTS)
 *
 * - reply: "EGR1" | status u32 | length u32 | bytes
 *   status 0: what the kind's writer wrote; else an err_code, whose text the bytes are
 *
 * | kind           | descriptor   | name                    | replies                             |
 * |----------------|--------------|-------------------------|-------------------------------------|
 * | PARSE_DOCUMENT | the document | its name                | one: facts_write                    |
 * | PARSE_WORKTREE | the root     | its path                | one: worktree_files_write           |
 * | PARSE_SOURCES  | the root     | wire_write_sources      | one a file, in order:               |
 * |                |              |                         | source_file_write; before it, where |
 * |                |              |                         | the file is parsed, REPLY_BEGUN     |
 * |                |              |                         | with its blob id                    |
 * | PARSE_HISTORY  | known ids of | wire_write_history      | some of commit_history_write with   |
 * |                | 20 bytes     |                         | REPLY_MORE, each a stretch; then    |
 * |                |              |                         | one without commits: what is left   |
 * | PARSE_ANCESTRY | the root     | wire_write_history, the | one: wire_write_ancestry            |
 * |                |              | commits as its tips     |                                     |
 * | PARSE_BLAME    | the root; of | wire_write_blame        | one: wire_write_blamed              |
 * |                | a whole file |                         |                                     |
 * |                | an answer    |                         |                                     |
 * |                | of before,   |                         |                                     |
 * |                | or nothing   |                         |                                     |
 * | PARSE_IMPORT   | a folder     | format or nothing, \n,  | some of import_batch_write with     |
 * |                |              | a file's path below it  | REPLY_MORE, then import_rest_write  |
 */
#ifndef ENGRAM_PARSE_WIRE_H
#define ENGRAM_PARSE_WIRE_H

#include "memory/facts.h"
#include "memory/facts_commit.h"
#include "memory/facts_source.h"
#include "memory/facts_worktree.h"

enum {
    WORKER_SOCKET = 3, /* the worker's descriptor */
    WIRE_HEADER_BYTES = 12,
    MAX_JOB_NAME_BYTES = 4096,
    MAX_JOB_LIST_BYTES = 64 << 10, /* of PARSE_SOURCES; less than a socket's buffer */
    MAX_JOB_SOURCES = 256,
    MAX_REPLY_BYTES = MAX_FACTS_BYTES, /* of PARSE_DOCUMENT */
    REPLY_BEGUN = 256,                 /* statuses beside those of enum err_code */
    REPLY_MORE = 257,
    MAX_JOB_COMMITS = 1200, /* of PARSE_HISTORY: ids that it names */
    MAX_BLAME_PATH_BYTES = 4096,
    MAX_BLAMED_LINES = 50000,    /* of one file; further ones nobody made */
    MAX_BLAMED_BYTES = 16 << 20, /* a reply of PARSE_BLAME */
    NO_MAKER = UINT32_MAX,
};

/* Exit codes of a worker. A crash of the sanitizers gives 1, or a signal; no memory gives 70
 * (memory/base/arena.h). */
enum {
    WORKER_DONE = 0,
    WORKER_USAGE = 2,
    WORKER_SETUP = 3,
    WORKER_PROTOCOL = 4,
    WORKER_NO_MEMORY = 70
};

/* The address sanitizer needs what a worker otherwise does without: terabytes of address space,
 * being traced, its settings. */
#ifdef __SANITIZE_ADDRESS__
#define UNDER_SANITIZER true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZER true
#endif
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER false
#endif

enum parse_kind {
    PARSE_DOCUMENT = 1,
    PARSE_WORKTREE,
    PARSE_SOURCES,
    PARSE_HISTORY,
    PARSE_BLAME,
    PARSE_ANCESTRY,
    PARSE_IMPORT
};

struct parse_job {
    uint32_t kind; /* enum parse_kind, unchecked */
    str name;
    int fd; /* the receiver closes it */
};

struct wire_source {
    str path;  /* below the root */
    str known; /* blob ids with a blank between them: of one of these nobody wants facts */
};

struct wire_history {
    str root;           /* path of the worktree */
    str *tips;          /* where to begin */
    size_t tip_count;   /* at most MAX_JOB_COMMITS */
    bool from_branches; /* and at the head and all branches */
    uint32_t most;      /* commits */
    uint32_t lines_for; /* the newest so many with the lines that they changed */
};

struct wire_blame {
    str root, path; /* path: below the root */
    uint32_t line; /* of the worktree's file, from 1: which line of HEAD's is it? 0: who made all */
};

/* What made the lines of a file as HEAD has it. Of an earlier head it is what a later walk ends at.
 */
struct wire_blamed {
    str head;              /* HEAD's commit; empty where the lines aren't told */
    uint32_t line_at_head; /* where one line was asked for; 0: it isn't committed */
    struct wire_maker {
        str id, path; /* a commit, and what the file was called then */
        bool is_cut;  /* the history ends there: the lines may be older */
    } * makers;
    struct wire_made {
        uint32_t maker; /* NO_MAKER: unknown */
        uint32_t line;  /* in the maker's version, from 1 */
    } * lines;
    size_t maker_count, line_count;
};

/* Where a commit stands as seen from HEAD; as enum commit_ancestry of parsers/parsers.h. */
enum wire_ancestry { WIRE_ABANDONED, WIRE_ON_OTHERS, WIRE_BEHIND_HEAD, WIRE_ANCESTRY_COUNT };

struct reply_header {
    uint32_t status; /* enum err_code, or REPLY_BEGUN */
    uint32_t length; /* at most what the receiver takes */
};

/* Was the descriptor of a worker given one to talk over? */
bool wire_is_socket(int fd);

/* false with errno where the worker is gone. The job is smaller than any socket's buffer. */
bool wire_send_job(int socket, const struct parse_job *job);

/* Waits for the next job. WIRE_END: the parent hung up; WIRE_BAD: what came is no job. */
enum wire_result { WIRE_JOB, WIRE_END, WIRE_BAD };
enum wire_result wire_receive_job(struct arena *a, int socket, struct parse_job *job);

/* Waits for all of it; false at the end of the stream and at an error. */
bool wire_receive_all(int socket, char *to, size_t bytes);

/* false with errno where the parent is gone. */
bool wire_send_reply(int socket, uint32_t status, str bytes);

/* false for what is no header of a reply, or announces more than max_bytes. */
bool wire_read_reply(const char bytes[WIRE_HEADER_BYTES], size_t max_bytes,
                     struct reply_header *out);

/* The name of a job for `count` sources. */
void wire_write_sources(struct buf *out, const struct wire_source *sources, size_t count);

void wire_write_history(struct buf *out, const struct wire_history *ask);
bool wire_read_history(struct arena *a, str job, struct wire_history *ask);

/* One for each commit that was asked for. */
void wire_write_ancestry(struct buf *out, const uint8_t *ancestry, size_t count);
bool wire_read_ancestry(str reply, uint8_t *ancestry, size_t count);

void wire_write_blame(struct buf *out, const struct wire_blame *ask);
bool wire_read_blame(str job, struct wire_blame *ask); /* texts borrow from `job` */

void wire_write_blamed(struct buf *out, const struct wire_blamed *b);
bool wire_read_blamed(struct arena *a, str reply, struct wire_blamed *b); /* borrows from `reply` */

/* false for what wire_write_sources can't have written. Texts borrow from `list`. */
bool wire_read_sources(struct arena *a, str list, struct wire_source **sources, size_t *count);

#endif
