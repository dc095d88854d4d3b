/* Which languages we can parse: name, the files that are written in it, its grammar and its query.
 */
#ifndef ENGRAM_PARSERS_LANGUAGES_H
#define ENGRAM_PARSERS_LANGUAGES_H

#include "memory/base/str.h"

#include <stddef.h>
#include <tree_sitter/api.h>

struct language {
    const char *name;
    const char
        *files; /* extensions (".py .pyi") and whole names ("Makefile"), a space between two */
    const TSLanguage *(*grammar)(void); /* NULL: read by line rules, parsers/source_lines.h */
    const char
        *queries; /* files of parsers/lang, without .scm, read in order; NULL: its own name */
};

size_t language_count(void);

/* In the order of the table, by name; i < language_count(). */
const struct language *language_at(size_t i);

/* NULL when there is none. */
const struct language *language_by_name(str name);

/* By the file's name alone: whole name first, then its last extension. NULL when there is none. */
const struct language *language_by_path(str path);

#endif
