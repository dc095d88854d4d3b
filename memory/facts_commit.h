/* What a parser found in a repository's history: a commit with its message taken apart, and what it
 * changed. */
#ifndef ENGRAM_FACTS_COMMIT_H
#define ENGRAM_FACTS_COMMIT_H

#include "memory/base/arena.h"
#include "memory/base/buf.h"
#include "memory/base/err.h"
#include "memory/base/str.h"

enum {
    /* Of one commit; what is over a bound is cut, and said so. */
    MAX_COMMIT_PARENTS = 64,
    MAX_COMMIT_PERSON_BYTES = 256, /* a name or an address */
    MAX_COMMIT_SUBJECT_BYTES = 512,
    MAX_COMMIT_BODY_BYTES = 16 << 10,
    MAX_COMMIT_TRAILERS = 64,
    MAX_COMMIT_TRAILER_BYTES = 512, /* a value */
    MAX_COMMIT_REFERENCES = 64,
    MAX_COMMIT_REFERENCE_BYTES = 256,
    MAX_COMMIT_REVERTS = 16, /* ids */
    MAX_COMMIT_REASONS = 16,
    MAX_COMMIT_REASON_BYTES = 600,
    MAX_COMMIT_CHANGES = 1000, /* of more none is listed */
    MAX_COMMIT_PATH_BYTES = 4096,
    MAX_COMMIT_HUNKS = 256, /* of all its files */
    MAX_COMMIT_HUNK_BYTES = 160,

    MAX_HISTORY_COMMITS = 20000, /* of one packed history */
    MAX_HISTORY_FRONTIER = 10000,
    MAX_KNOWN_COMMITS = 2000000, /* told to a reader, so that it stops there */
    COMMIT_ID_BYTES = 20,        /* as it is told then */
    MAX_HISTORY_TAGS = 2000,
    MAX_TAG_NAME_BYTES = 200,
    MAX_HISTORY_BYTES = 128 << 20,
};

/* Times of commits and tags are within it either way: the year 9999. */
static const int64_t MAX_COMMIT_S = 253402300799;

struct commit_trailer {
    str key, value; /* as written: "Signed-off-by", "Ann <ann@example.org>" */
};

/* What a message names. The order is what is packed: append only. */
enum commit_reference_kind {
    COMMIT_REF_ISSUE,  /* "#12", "GH-12", "owner/project#12" */
    COMMIT_REF_TICKET, /* "JIRA-12" */
    COMMIT_REF_URL,
    COMMIT_REF_COMMIT, /* 7 to 40 hexadecimal digits, lower-case */
    COMMIT_REFERENCE_KIND_COUNT
};

struct commit_reference {
    enum commit_reference_kind kind;
    str text;
};

/* A sentence that says why. */
struct commit_reason {
    bool is_decision; /* of what was chosen ("instead of", "so that"); else of how it is */
    str text;
};

/* Lines that changed; a count of 0 stands between the lines start and start + 1. */
struct commit_hunk {
    uint32_t old_start, old_count, new_start, new_count;
    str inside; /* the line that opens what they stand in, as a diff shows it; may be empty */
};

enum commit_change_kind { CHANGE_ADDED, CHANGE_MODIFIED, CHANGE_DELETED, CHANGE_RENAMED };
enum { COMMIT_CHANGE_KIND_COUNT = CHANGE_RENAMED + 1 };
extern const char *const commit_change_name[COMMIT_CHANGE_KIND_COUNT];

struct commit_change {
    str path;
    enum commit_change_kind kind;
    str old_path; /* where it was renamed; else empty */
    str blob;     /* of its content behind the commit, before it where it was deleted */
    str old_blob; /* of a modified one: before */
    struct commit_hunk *hunks; /* where they were asked for, of modified and renamed text */
    size_t hunk_count, hunk_capacity;
};

struct commit_record {
    str id; /* hexadecimal, as all ids here */
    str *parents;
    size_t parent_count;
    str author, author_email;   /* as the mailmap says */
    int64_t author_s, commit_s; /* seconds since 1970; when it was written, when committed */
    str subject, body;          /* without trailers */
    str type, scope;            /* of a conventional subject: "fix(parser)!: ..."; else empty */
    bool is_breaking;
    struct commit_trailer *trailers;
    size_t trailer_count, trailer_capacity;
    struct commit_reference *references;
    size_t reference_count, reference_capacity;
    struct commit_reason *reasons;
    size_t reason_count, reason_capacity;
    str reverts; /* ids, maybe shortened, of commits that it takes back, a blank between two */
    str reverts_subject;           /* one by the subject that it quotes */
    struct commit_change *changes; /* by path; none of a merge */
    size_t change_count, change_capacity;
    bool is_merge;
    bool message_cut,
        changes_cut; /* something is missing: over a bound, or not in the repository */
};

struct commit_tag {
    str name, id; /* of the commit behind it */
    int64_t commit_s;
};

/* A stretch of history, newest first. */
struct commit_history {
    struct commit_record *commits;
    size_t commit_count, commit_capacity;
    str *frontier; /* where to go on: commits that were reached and not read; none: all was read */
    size_t frontier_count, frontier_capacity;
    struct commit_tag *tags; /* of the repository, by name */
    size_t tag_count, tag_capacity;
    bool has_tags;   /* false: they weren't asked for, or cannot be read */
    bool is_shallow; /* parents are missing */
    str note;        /* why there is nothing, or what is missing */
};

void commit_record_write(struct buf *out, const struct commit_record *c);
void commit_history_write(struct buf *out, const struct commit_history *h);

/* The same of commits that are packed already: each behind commit_stretch_add. */
void commit_stretch_add(struct buf *stretch, const struct commit_record *c);
void commit_stretch_write(struct buf *out, str stretch, uint32_t count);

/* Trusts nothing: ERR_INPUT for damage or a bound that is off. Texts borrow from `bytes`. */
bool commit_record_read(struct arena *a, str bytes, struct commit_record *out, struct err *e);
bool commit_history_read(struct arena *a, str bytes, struct commit_history *out, struct err *e);

#endif
