/* What a parser found in one source file: its symbols, what they refer to, and the windows of text
 * by which it is found again. Texts are UTF-8; lines are 1-based and inclusive. */
#ifndef ENGRAM_FACTS_SOURCE_H
#define ENGRAM_FACTS_SOURCE_H

#include "memory/base/arena.h"
#include "memory/base/buf.h"
#include "memory/base/err.h"
#include "memory/base/str.h"

enum {
    MAX_SYMBOLS = 20000, /* of one file; what is beyond a bound is left out and said in `warning` */
    MAX_REFERENCES = 60000,
    MAX_CHUNKS = 20000,
    MAX_SYMBOL_BYTES = 512, /* of a qualified name; a longer one is no symbol */
    MAX_SIGNATURE_BYTES = 320,
    MAX_SYMBOL_DOC_BYTES = 800,
    MAX_REFERENCE_BYTES = 256, /* of a name and of a qualifier each */
    CHUNK_WORDS = 150,         /* a window of text has about so many words and numbers */
    MAX_SOURCE_FACTS_BYTES = 16 << 20,
    NO_SYMBOL = UINT32_MAX,
};

/* What a symbol is. The order is what the database stores: append only. */
#define SYMBOL_KINDS(X)                                                                            \
    X(FUNCTION, "function")                                                                        \
    X(METHOD, "method")                                                                            \
    X(CLASS, "class")                                                                              \
    X(STRUCT, "struct")                                                                            \
    X(UNION, "union")                                                                              \
    X(ENUM, "enum")                                                                                \
    X(INTERFACE, "interface")                                                                      \
    X(TRAIT, "trait")                                                                              \
    X(TYPE, "type")                                                                                \
    X(CONSTANT, "constant")                                                                        \
    X(VARIABLE, "variable")                                                                        \
    X(FIELD, "field")                                                                              \
    X(PROPERTY, "property")                                                                        \
    X(MACRO, "macro")                                                                              \
    X(MODULE, "module")                                                                            \
    X(NAMESPACE, "namespace")                                                                      \
    X(EVENT, "event")                                                                              \
    X(TABLE, "table")                                                                              \
    X(HEADING, "heading")                                                                          \
    X(KEY, "key")                                                                                  \
    X(TARGET, "target")                                                                            \
    X(BLOCK, "block")                                                                              \
    X(SELECTOR, "selector")                                                                        \
    X(ELEMENT, "element")                                                                          \
    X(MESSAGE, "message")                                                                          \
    X(SERVICE, "service")                                                                          \
    X(TEST, "test")

enum symbol_kind {
#define X(name, text) SYMBOL_##name,
    SYMBOL_KINDS(X)
#undef X
        SYMBOL_KIND_COUNT
};
extern const char *const symbol_kind_name[SYMBOL_KIND_COUNT];

/* false where the text names no kind. */
bool symbol_kind_parse(str s, enum symbol_kind *out);

struct source_symbol {
    str name; /* with what encloses it in this file: "Cart.add"; unique in the file: "Cart.add~2" */
    enum symbol_kind kind;
    str signature; /* without its body, white space folded to single blanks */
    str doc;       /* its comment or doc string, comment marks off; empty where it has none */
    uint32_t line_start, line_end; /* from its own first line (not the comment's) to its end */
    uint32_t parent;               /* the symbol that encloses it; below its own index; NO_SYMBOL */
    uint64_t body_hash;            /* of its tokens: white space and comments don't count */
    uint64_t shape_hash; /* the same with its own name left out: a renamed copy's equals */
    bool is_private;     /* no other file can name it: static, private, unexported */
};

/* What a place in the file refers to. The order is what the database stores: append only. */
enum reference_kind { REF_CALL, REF_INHERIT, REF_TYPE, REF_IMPORT, REFERENCE_KIND_COUNT };

struct source_reference {
    enum reference_kind kind;
    uint32_t from; /* the innermost symbol that it stands in; NO_SYMBOL: the file's top level */
    str name; /* "add"; of an import the name that it brings, "*" for all, empty for a module */
    str qualifier;  /* "cart", "self", "std.vector", "cart:Cart" where the file says the type that a
                       variable is of; of an import the module as written: "./cart" */
    str alias;      /* of an import: the local name; empty: its own */
    uint32_t line;  /* of the first one */
    uint32_t count; /* equal ones (kind, from, name, qualifier) are told once */
};

/* A window of text: consecutive lines of one symbol (without those of symbols inside it that have
 * windows of their own), or of what lies between symbols. All text of a file is in some window. */
struct source_chunk {
    uint32_t symbol; /* NO_SYMBOL: between symbols */
    uint32_t line_start, line_end;
    str text; /* with the comment that leads to it */
};

struct source_facts {
    str language;
    uint32_t lines;
    bool has_errors; /* the grammar did not fit everywhere */
    str warning;     /* what was left out, for the status; empty: nothing */
    struct source_symbol *symbols;
    size_t symbol_count, symbol_capacity;
    struct source_reference *references;
    size_t reference_count, reference_capacity;
    struct source_chunk *chunks;
    size_t chunk_count, chunk_capacity;
};

/* One file as a worker read it. */
struct source_file {
    str path; /* relative to the worktree's root */
    str blob; /* git's object id of the bytes, hexadecimal; empty where nothing was read */
    uint64_t bytes;
    int64_t mtime_ns, ctime_ns; /* as they were before and behind the reading */
    str skipped; /* why it isn't indexed ("binary", "generated", "over 1 MiB"); else empty */
    bool known;  /* its blob was among the known ones: no facts were made */
    struct source_facts facts;
};

/* References alone, the form in which they are kept until they are resolved. */
void source_references_write(struct buf *out, const struct source_facts *f);
bool source_references_read(struct arena *a, str bytes, size_t symbol_count,
                            struct source_reference **out, size_t *count, struct err *e);

void source_file_write(struct buf *out, const struct source_file *f);

/* Reads what source_file_write wrote, trusting nothing: ERR_INPUT, ERR_LIMIT for a bound or an
 * index that is off. Texts borrow from `bytes`. */
bool source_file_read(struct arena *a, str bytes, struct source_file *out, struct err *e);

#endif
