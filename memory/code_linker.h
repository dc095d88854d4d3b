/* What linking works on, shared by its parts: code_link.c walks the references, code_link_score.c
 * tells how well a candidate fits. Private to these. */
#ifndef ENGRAM_CODE_LINKER_H
#define ENGRAM_CODE_LINKER_H

#include "memory/base/hash.h"
#include "memory/code_link.h"
#include "memory/code_modules.h"

enum { MAX_BASES = 16 };

struct import {
    str local;  /* the name in the file; empty: all that the module has */
    str module; /* as written */
    str name;   /* the symbol of the module that it stands for; empty: the module itself */
    const struct module_files *files;
};

struct linker {
    struct arena *a;
    const struct link_file *files;
    size_t file_count;
    const struct link_symbol *symbols;
    size_t symbol_count;
    uint32_t *file_of;   /* per symbol */
    str *simple;         /* per symbol */
    int *family;         /* per file */
    bool *is_header;     /* per file: what is private in it is its includers' too */
    uint32_t *holder;    /* per symbol: the first symbol + 1 that is named as what holds it */
    uint32_t *mentioned; /* per first symbol of a name: the last file + 1 whose types have it */
    uint32_t *base;      /* per symbol: its latest base + 1 among `bases` */
    struct base {
        str name;
        uint32_t next; /* + 1 */
    } * bases;
    size_t base_count, base_capacity;
    uint32_t type_asked; /* whose bases `ancestors` has */
    str ancestors[MAX_BASES];
    size_t ancestor_count;
    struct map by_simple; /* simple name -> first symbol + 1 */
    uint32_t *next;       /* per symbol: the next of the same simple name + 1 */
    struct modules *modules;
    struct receivers *receivers;
    uint8_t *reached; /* per file: the file at work imports it */
    struct import *imports;
    size_t import_count, import_capacity;
    struct link_edge *edges;
    size_t edge_count, edge_capacity;
};

struct asking {
    const struct source_reference *ref;
    uint32_t file, from; /* from: among all symbols; NO_SYMBOL */
    uint32_t type;       /* the type around it; NO_SYMBOL */
    str name;            /* what is looked for: the imported thing's own name behind an alias */
    const struct import *import; /* of the qualifier's first part, or of the bare name */
    bool is_self;
    bool is_typed; /* the reference's qualifier is the type of what is called on */
};

/* "add" of "shop.Cart.add", "shop" of it; the name of what holds a symbol: "Cart", whether or not
 * that stands in its file. */
str link_last_of(str path);
str link_first_of(str path);
str link_holder_of(const struct linker *l, uint32_t symbol);

bool link_is_type(enum symbol_kind kind);
bool link_is_self_word(str word);
bool link_is_standard(const struct linker *l, uint32_t file,
                      str word); /* std, as the file means it */

/* How well the symbol fits what is asked: 0 not at all, 1 surely. */
float link_score(const struct linker *l, const struct asking *q, uint32_t symbol);

/* Is it so poor a guess that a name which many types have is none? */
bool link_is_mere_guess(const struct asking *q, float score);

enum { LINK_ENOUGH_PERCENT = 12 }; /* of a score: less is no edge */

#endif
