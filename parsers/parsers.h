/* Bytes in, facts out: what the parse worker runs on untrusted input. Knows neither the store nor
 * the ranking. */
#ifndef ENGRAM_PARSERS_H
#define ENGRAM_PARSERS_H

#include "memory/facts.h"
#include "memory/facts_commit.h"
#include "memory/facts_import.h"
#include "memory/facts_source.h"
#include "memory/facts_worktree.h"

enum {
    MAX_TEXT_BYTES = 32 << 20,  /* of the text of one attached document */
    MAX_SOURCE_BYTES = 1 << 20, /* of one source file */
    MAX_PASSAGES = 30000,       /* of one document */

    /* Sizes of passages, all by text_estimate_tokens. */
    PASSAGE_TOKENS = 500,        /* aimed at; what is cut never has more */
    MIN_PASSAGE_TOKENS = 100,    /* a smaller section joins its neighbour under the same parent */
    MAX_JOINED_TOKENS = 600,     /* as long as both together have at most these */
    MAX_WHOLE_CODE_TOKENS = 800, /* a code block up to this stays whole */
    /* code with the line that leads to it */
    MAX_PASSAGE_TOKENS = MIN_PASSAGE_TOKENS + MAX_WHOLE_CODE_TOKENS,
    MAX_PASSAGE_BYTES = 16 * MAX_PASSAGE_TOKENS, /* bounds what counts as few tokens */
};

/* Splits a document into passages. `name` (a path or file name) and the bytes' content choose the
 * format by the table in parsers/document.c. UTF-8 with or without a mark, UTF-16 with one, an
 * older encoding (parsers/legacy_text.h) with a warning; other bad bytes are replaced, with a
 * warning that names the line.
 *
 * out: title (front matter, first heading of level 1, first heading, else the file's name),
 * media_type, warnings, one NODE_PASSAGE a passage in order, NEXT edges between neighbours. Of a
 * passage:
 *
 * - body: the source's own text, its lines ending in \n
 * - heading: "A > B > C", the headings that (four fifths of) it stands under, or empty
 * - name: the last of these, else the title
 * - line_start, line_end: in the source; two share a line only where a long one was cut
 * - key: hash of heading and body, with an ordinal for exact repeats: stays when the text stays
 *
 * ERR_INPUT for binary data, a format that isn't read, or no text at all; ERR_LIMIT beyond
 * MAX_DOCUMENT_BYTES or MAX_PASSAGES. */
bool document_facts(struct arena *a, str name, str bytes, struct facts *out, struct err *e);

/* What reading sources keeps from file to file: a parser, and the queries that were compiled. Owned
 * by the caller; one thread at a time. */
struct source_reader;
struct source_reader *source_reader_open(void);
void source_reader_close(struct source_reader *reader);

/* Symbols, references and windows of one source file. out->path, bytes and times are the caller's;
 * this fills skipped (binary, generated, minified, empty, over MAX_SOURCE_BYTES: then nothing else)
 * and facts. Never fails for what the bytes are: a language without a grammar gives windows alone.
 * Texts borrow from `bytes` or live in `a`. */
void source_facts(struct source_reader *reader, struct arena *a, str path, str bytes,
                  struct source_file *out);

/* Git's object id of a file's bytes (SHA-1, hexadecimal): by which a content is known again. */
str source_blob_id(struct arena *a, str bytes);

/* Lists a worktree: tracked and untracked-not-ignored files of a git repository, all files of a
 * folder without one. Follows no link, reads no file but git's and ignore rules. ERR_NOT_FOUND,
 * ERR_IO where root is no folder that can be read. */
bool worktree_list(struct arena *a, str root, struct worktree_files *out, struct err *e);

/* What is wanted of a history. */
struct commits_ask {
    const str *tips; /* ids to begin at */
    size_t tip_count;
    bool from_head;    /* begin there, too, and tell the tags */
    bool all_branches; /* and at all of them, local and remote */
    str known;   /* ids of COMMIT_ID_BYTES, one behind the other, at which to stop, they left out */
    size_t most; /* commits */
    size_t lines_for;         /* the newest so many are told with the lines that they changed */
    bool (*go_on)(void *ctx); /* asked before each; NULL: until the end */
    void *ctx;
};

/* Gets each commit; it lives until the sink returns. false ends the reading. */
typedef bool commit_sink(void *ctx, const struct commit_record *c);

/* Reads a repository's history, newest first: by commit time among those that a child which was
 * read names, or a tip. Commits go to the sink; *out gets what else is to be said, the frontier
 * among it, and no commits. Where git cannot be asked there are none, and the note says why.
 * ERR_INPUT for a tip that is no id and a repository that is damaged as a whole; a tip or parent
 * that is missing is passed by. */
bool commits_read(struct arena *a, str root, const struct commits_ask *ask, commit_sink *sink,
                  void *ctx, struct commit_history *out, struct err *e);

/* Where a commit stands as seen from HEAD. */
enum commit_ancestry {
    ANCESTRY_NONE,  /* nothing leads to it: abandoned, or not in the repository */
    ANCESTRY_OTHER, /* a branch or a tag does */
    ANCESTRY_HEAD,  /* HEAD itself, or before it */
};

/* One answer for each id. Walks until all are found, at worst over the whole history. Where git
 * cannot be asked the note says why, and all are ANCESTRY_NONE. ERR_INPUT for what is no id. */
bool commits_ancestry(struct arena *a, str root, const str *ids, size_t count,
                      enum commit_ancestry *out, str *note, struct err *e);

/* Where a line came from. */
struct commit_blame {
    str id;   /* of the commit that made it; empty: it isn't committed, or there is no such line */
    str path; /* of the file as it was called then */
    size_t line; /* in the file as it was then, from 1 */
    bool is_cut; /* the history ends there, or is too long: the line may be older */
};

struct blame_ask {
    str root, path; /* path: below the root */
    const str
        *content; /* the file as the lines are counted in, where that isn't HEAD's; else NULL */
    const size_t *lines; /* from 1, in rising order */
    size_t count;
    /* Where the way back may end: at this commit the file of this path is known line by line.
     * Empty: nothing is. */
    struct blame_known {
        str id;
        const struct commit_blame *lines;
        size_t count;
    } known;
};

/* Follows lines of a file back through HEAD's history, merges and renames among it (also of a file
 * that changed by less than half as it moved); one answer for each in `out`. All lines of a file
 * take hardly longer than one. *head: the commit that HEAD was. Where git cannot be asked the note
 * says why, and all ids are empty. */
bool commits_blame(struct arena *a, const struct blame_ask *ask, struct commit_blame *out,
                   str *head, str *note, struct err *e);

/* Which line of HEAD's version a line of `content` is; 0: it isn't committed, or there is no such
 * line. `content` NULL: HEAD's own. */
bool commits_line_at_head(struct arena *a, str root, str path, const str *content, size_t line,
                          size_t *out, str *note, struct err *e);

/* Gets each item of another tool's memory; it lives until the sink returns. false ends the reading.
 */
typedef bool import_sink(void *ctx, const struct import_item *item);

/* Reads a file of another tool's memory or transcripts: `format` by the names in parsers/import.c,
 * or empty to find it out by the name and the content. `wal`: the write-ahead log beside a
 * database, or -1. *out: the format that it was in, and what was left out. ERR_INPUT for a file
 * that isn't in the format, ERR_LIMIT beyond the bounds of memory/facts_import.h. */
bool import_read(struct arena *a, str format, str name, int fd, int wal, import_sink *sink,
                 void *ctx, struct import_rest *out, struct err *e);

#endif
