/* What a reader found in another tool's memory or transcript: items, a batch at a time, and in the
 * end what was left out and why. Made by the parse worker, checked and stored by its parent. */
#ifndef ENGRAM_FACTS_IMPORT_H
#define ENGRAM_FACTS_IMPORT_H

#include "memory/facts.h"

enum {
    MAX_IMPORT_BATCH_ITEMS = 200,
    MAX_IMPORT_BATCH_BYTES = 8 << 20,      /* packed */
    MAX_IMPORT_TEXT_BYTES = 64 * 1024,     /* of one item; readers cut there */
    MAX_IMPORT_ENTITIES = 32,              /* of one item */
    MAX_IMPORT_RELATIONS = 32,             /* of one item */
    MAX_IMPORT_SKIPS = 16,                 /* kinds of reasons of one file */
    MAX_IMPORT_ITEMS = 1000000,            /* of one file */
    MAX_IMPORT_FILE_BYTES = 1 << 30,       /* read in a stream */
    MAX_IMPORT_LINE_BYTES = 16 << 20,      /* of JSON Lines; a longer one is passed by */
    MAX_IMPORT_ELEMENT_BYTES = 32 << 20,   /* of an array in a JSON file; likewise */
    MAX_IMPORT_DATABASE_BYTES = 160 << 20, /* held in the worker's memory */
};

enum import_what {
    IMPORT_MEMORY,  /* text is what somebody stored: kept as it is */
    IMPORT_TURN,    /* text is what somebody said: only what is worth it is kept, in sentences */
    IMPORT_EPISODE, /* text tells of a session, lead holds what it began with, whole */
    IMPORT_WHAT_COUNT
};

struct import_item {
    enum import_what what;
    bool by_user; /* of a turn: else the assistant said it */
    bool has_kind, has_at;
    enum memory_kind kind;
    int64_t at_ms;
    str key; /* what makes it the same again, within its format */
    str text, lead, topic, session;
    str project; /* a name or a path, as the other tool has it; empty: none */
    struct import_entity {
        str name, type;
    } * entities;
    size_t entity_count;
    struct import_relation {
        str from, label, to;
    } * relations;
    size_t relation_count;
};

struct import_batch {
    struct import_item *items;
    size_t count;
};

/* Names of the formats, as users give them; parsers/import.c has their readers. */
enum { IMPORT_FORMAT_COUNT = 9 };
extern const char *const import_format_name[IMPORT_FORMAT_COUNT];

/* The end of a file. */
struct import_rest {
    str format; /* the row's name in the table of formats */
    struct import_skip {
        str why;
        uint64_t count;
        str example; /* where the first one is: "line 12" */
    } * skips;
    size_t skip_count;
};

/* Appends one packed item; import_batch_write puts the header before `count` of them. */
void import_item_write(struct buf *out, const struct import_item *item);
void import_batch_write(struct buf *out, str packed, uint32_t count);
void import_rest_write(struct buf *out, const struct import_rest *rest);

/* Read what these wrote, trusting nothing: false for a bound that is off, bad UTF-8, a NUL. Texts
 * borrow from `bytes`. */
bool import_batch_read(struct arena *a, str bytes, struct import_batch *out);
bool import_rest_read(struct arena *a, str bytes, struct import_rest *out);

#endif
