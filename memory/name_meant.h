/* Which symbol or file of the sources a name in a text means: "Cart::add(int)" the method of the
 * type, "cart.c" the only file that is called so. What could be several is none. Pure. */
#ifndef ENGRAM_NAME_MEANT_H
#define ENGRAM_NAME_MEANT_H

#include "memory/facts_source.h"

enum { MAX_NAME_PARTS = 8 };

/* A name of a symbol as texts write it. */
struct written_name {
    str parts[MAX_NAME_PARTS]; /* "sync", "Cart", "add"; without self, this, crate, super */
    size_t count;
    bool is_code; /* several parts, snake_case, camelCase: no word of prose */
};

/* What stands before an argument list, a type's parameters or the ! of a macro counts. false for
 * what can be the name of no symbol. */
bool name_read(str text, struct written_name *out);

/* A symbol or a file that may be meant. */
struct name_candidate {
    int64_t id;
    str name; /* of a symbol, qualified as parsers give it */
    str path; /* of its file, or of the file */
    enum symbol_kind kind;
};

/* Index of the one that is meant among those whose last part is the name's; `count` where it could
 * be several, or none. The part before the last must be a type or module around it, or its file or
 * a folder; then more such parts count, sources before tests and examples, what stands at the top
 * of a file before members. A plain word (not is_code) must be the only type, function or macro of
 * the sources that is called so. */
size_t name_symbol_meant(const struct written_name *name, const struct name_candidate *all,
                         size_t count);

/* The path in a text as it is looked for: without ./, ../ and /, a line or a fragment; empty where
 * it can't be a file of the project. */
str name_path(str text);

/* The same for files that have the last part of `path` (name_path): `path` itself, else the only
 * one that ends in it, sources before tests and examples; a bare name is none of these. */
size_t name_path_meant(str path, const struct name_candidate *all, size_t count);

#endif
