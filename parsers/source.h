/* From a file's text to its facts. What finds something (a language's query, or line rules) makes
 * marks; symbols, references and windows are built of these, the same way for every language.
 * Private to parsers/. */
#ifndef ENGRAM_PARSERS_SOURCE_H
#define ENGRAM_PARSERS_SOURCE_H

#include "parsers/languages.h"
#include "parsers/parsers.h"

enum mark_role {
    MARK_DEFINITION, /* a symbol; `kind` is a symbol_kind */
    MARK_CONTAINER,  /* no symbol, but its name qualifies what is inside */
    MARK_LEAD,       /* belongs to the definition right behind it: decorator, attribute */
    MARK_OUTER,      /* belongs to the definition that it ends with: export statement, template */
    MARK_PRIVATE,    /* stands in a definition before its name: only this file sees that */
    MARK_INTERNAL,   /* the same, unless it is part of a type: C's static */
    MARK_INNER,      /* a definition there is a symbol only inside of another one */
    MARK_FORWARD,    /* the same: it only declares, and is no symbol */
    MARK_EXPORTED,   /* what is defined in it, or the top-level symbol of that name, is exported */
    MARK_VISIBLE,    /* the same by name, in a file that exports anything */
    MARK_DOC,        /* the doc string of the definition that it stands in */
    MARK_REFERENCE,  /* `kind` is a reference_kind */
    MARK_VARIABLE,   /* a parameter, local or field, and its type as written in `qualifier` */
    MARK_TYPE_NAME,  /* a type parameter: no type of its own */
    MARK_DROPPED,    /* another mark tells the same better */
};

/* Bytes of the text; texts borrow from it or live in the file's arena. */
struct mark {
    uint32_t start, end;
    uint32_t name_at; /* where the name begins; of two definitions there the lower rank counts */
    uint32_t body;    /* where the signature ends; 0: the rule knows none */
    uint16_t rank;    /* which rule found it: earlier ones win */
    uint8_t role, kind;
    bool goes_on;  /* one of the same name right before it is the same: Elixir's clauses */
    str name;      /* as written; of an import what it brings */
    str owner;     /* stands before a definition's name: "Cart"; of an inheritance who inherits */
    str qualifier; /* of a reference; of an import its module */
    str alias;
};

struct marks {
    struct mark *at;
    size_t count, capacity;
};

/* Comments by their bytes, in order. They never overlap. */
struct comment_range {
    uint32_t start, end;
};

/* Where a symbol stands, in bytes. */
struct symbol_place {
    uint32_t start, end;           /* as its lines: with decorators */
    uint32_t window_start;         /* with the comment that leads to it */
    uint32_t name_start, name_end; /* its own name where it is defined; equal: nowhere */
};

/* A file on its way. */
struct source {
    struct arena *arena; /* of the facts */
    struct arena scratch;
    str text;                        /* UTF-8, shorter than 4 GiB, lines end in \n */
    const struct language *language; /* NULL: windows alone */

    struct marks marks;
    struct comment_range *comments;
    size_t comment_count, comment_capacity;

    uint32_t *line_starts; /* line_count of them, and text.len behind them */
    size_t line_count;
    struct symbol_place *places; /* facts->symbol_count */
    size_t place_count, place_capacity;
    struct source_facts *facts;
};

struct mark *source_add_mark(struct source *s, enum mark_role role, uint32_t start, uint32_t end);
void source_add_comment(struct source *s, uint32_t start, uint32_t end);

/* Adds a text to the file's warning. */
void source_warn(struct source *s, str text);

/* The 1-based line of a byte. */
uint32_t source_line(const struct source *s, size_t byte);

/* Why the file isn't indexed, or empty; *text is its text with \n line ends. */
str source_skip(struct arena *a, str path, str bytes, str *text);

/* The language of a file by its name, its first line (#!), or what is in a .h; NULL: none. */
const struct language *source_language(str path, str text);

/* Of marks whose name begins at one byte only the best stays. */
void source_drop_repeats(struct source *s);

/* Indexes of all marks by where they start, longer ones first, in the scratch arena. */
uint32_t *source_mark_order(struct source *s);

/* The size of an open-addressing table for so many: a power of two. */
size_t source_table_size(size_t count);

/* Drops marks of inner keys where a file has too many. */
void source_keys_limit(struct source *s);

/* Symbols and references of the marks. */
void source_symbols_build(struct source *s);

/* Doc comments: the range of the comment that leads to what starts at `start` (equal: none), and
 * its text without comment marks, in the arena. */
struct comment_range source_comment_before(const struct source *s, uint32_t start);
/* The comment with nothing but white space between it and `end`. */
struct comment_range source_comment_ending(const struct source *s, uint32_t end);
str source_doc(struct arena *a, str comment);

/* The hashes of the symbols that are there. */
void source_hashes_build(struct source *s);

/* Windows, once the symbols are there. */
void source_chunks_build(struct source *s);

#endif
