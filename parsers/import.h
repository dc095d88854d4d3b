/* What the readers of other tools' memories share: giving items, saying what was left out, and
 * values of JSON. Private to parsers/. */
#ifndef ENGRAM_IMPORT_H
#define ENGRAM_IMPORT_H

#include "memory/facts_import.h"
#include "parsers/parsers.h"

#include <jansson.h>

/* One file that is being read. */
struct import_reader {
    struct arena *arena;              /* for the whole file: what a format keeps in `state` */
    struct arena *item;               /* rewound behind each value */
    str name;                         /* of the file */
    int fd, wal;                      /* wal: what a database still has beside it; -1: nothing */
    void *state;                      /* the format's own, in `arena`; NULL at first */
    struct import_database *database; /* NULL: it is none */
    import_sink *sink;
    void *ctx;
    struct import_rest *rest;
    size_t items;
    struct err *err; /* set where reading can't go on */
};

/* How a format's values are found; all but FORM_TEXT give each value to the row's `value`. */
enum import_form {
    FORM_LINES,    /* a JSON object a line; section is empty */
    FORM_ELEMENTS, /* elements of a top array (section empty) or of arrays in a top object (its key)
                    */
    FORM_DATABASE, /* rows of tables as objects, section: the table; or the same as FORM_ELEMENTS */
    FORM_TEXT,     /* bytes; `text` reads them */
};

/* `where` tells a place for import_skip. The three give false where reading ends: *r->err is set,
 * or the sink wants no more. */
struct import_format {
    const char *name;
    enum import_form form;
    const char *tables; /* of a database, in the order in which they are read */
    /* Does a file that begins so look like one? `tables` has those of a database, else is empty. */
    bool (*knows)(str name, str head, str tables);
    bool (*value)(struct import_reader *r, str section, const json_t *value, str where);
    bool (*text)(struct import_reader *r, str text);
    bool (*end)(struct import_reader *r); /* NULL: nothing to do */
};

extern const struct import_format import_server_memory, import_claude_code, import_codex,
    import_claude_mem, import_engram_go, import_chatgpt, import_claude_ai, import_opencode,
    import_markdown;

/* Gives an item; texts are repaired and cut where they are too long. false: the sink wants no more,
 * or the file has too many. */
bool import_give(struct import_reader *r, const struct import_item *item);

/* Counts what is left out; `why` is a literal. */
void import_skip(struct import_reader *r, const char *why, str where);

/* ---- values (import_json.c) ---- */

/* Each value of the file to `value`; the file's faults are counted as skips. */
bool import_each_line(struct import_reader *r, const struct import_format *f);
bool import_each_element(struct import_reader *r, const struct import_format *f);

/* The string of an object's member; empty for none and anything else. Borrowed. */
str import_text(const json_t *object, const char *member);

/* Strings of a list with a line's end between them; a string itself. */
str import_joined(struct arena *a, const json_t *value);

/* A time: RFC 3339, or seconds or milliseconds since 1970. */
bool import_time(const json_t *value, int64_t *ms);

/* ---- rows (import_database.c) ---- */

bool import_is_database(str head);

/* Reads the database into memory and merges the write-ahead log that lies beside it, so that
 * nothing of the other tool's is opened for writing or locked. Names of its tables, a blank around
 * each; empty where it can't be read (*r->err says why). */
str import_database_tables(struct import_reader *r);
void import_database_close(struct import_reader *r); /* without one: nothing */
bool import_each_row(struct import_reader *r, const struct import_format *f);

/* Puts the committed pages of a write-ahead log into the image of its database; what was written
 * only in part, or belongs to an older log, is left out. Both as they are on disk. */
void import_merge_log(struct buf *image, str log);

#endif
