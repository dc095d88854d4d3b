/* Which symbol or file a reference means, without a compiler: by scope, file, imports, package, and
 * by unique name at last. Where several fit equally, each gets its share and none is guessed. Pure:
 * names in, weighted edges out. */
#ifndef ENGRAM_CODE_LINK_H
#define ENGRAM_CODE_LINK_H

#include "memory/facts.h"
#include "memory/facts_source.h"

struct link_symbol {
    int64_t id; /* of its node */
    str name;   /* qualified; repeats in a file with ~2 */
    enum symbol_kind kind;
    uint32_t parent; /* index of the symbol around it among all symbols; NO_SYMBOL */
    bool is_private;
};

struct link_file { /* one content of a file */
    int64_t id;    /* of the file's node */
    str path, language;
    uint32_t first_symbol, symbol_count;       /* its slice of all symbols */
    const struct source_reference *references; /* `from` counts within the slice */
    size_t reference_count;
};

struct link_edge {
    int64_t src, dst, said_by; /* said_by: the file that the reference stands in */
    enum edge_kind kind;
    float weight; /* confidence 0..1, times 1 + ln(count of equal references) */
};

enum { MAX_LINK_TARGETS = 4 }; /* more that fit equally: the name says nothing */

/* Edges in order of said_by, src, dst, kind; each once. Arrays in `a`. */
void code_link(struct arena *a, const struct link_file *files, size_t file_count,
               const struct link_symbol *symbols, size_t symbol_count, struct link_edge **out,
               size_t *count);

#endif
