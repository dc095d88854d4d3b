/* The types that a file says its variables are of: parameters, locals, fields. A call on a variable
 * is then known by that type, without a compiler. Private to parsers/. */
#ifndef ENGRAM_PARSERS_SOURCE_VARIABLES_H
#define ENGRAM_PARSERS_SOURCE_VARIABLES_H

#include "memory/base/arena.h"
#include "memory/base/hash.h"
#include "memory/base/str.h"

/* Zeroed is empty; free the maps with source_variables_free. */
struct source_variables {
    struct variable {
        str type;      /* as source_type gives it; empty: declared, but as what isn't told */
        uint32_t at;   /* byte where it is declared */
        uint32_t next; /* the one declared before it, + 1 */
    } * all;
    size_t count, capacity;
    struct map last;       /* "scope name" -> its last declaration + 1 */
    struct map parameters; /* names of types that stand for any type */
};
void source_variables_free(struct source_variables *v);

/* The name of a written type: "Cart" of "&mut Cart<'_, T>", "std.string" of "const std::string &";
 * of a pointer that owns or a reference what it leads to. "[]" for what is no name (a tuple, an
 * array): surely no type of the repository. Texts borrow or live in `a`. */
str source_type(struct arena *a, str written);

/* `scope` names where it is known: a function by its number, or a type of which it is a field. */
str source_scope_of_symbol(struct arena *a, uint32_t symbol);
void source_variable_add(struct arena *a, struct source_variables *v, str scope, str name,
                         str written_type, uint32_t at);
void source_type_parameter_add(struct source_variables *v, str name);

/* The type of "self.items" or "cart" where it stands at byte `at` in a function `scope` of the type
 * `self` (either may be empty); empty: not told. */
str source_variable_type(struct arena *a, const struct source_variables *v, str scope, str self,
                         str path, uint32_t at);

#endif
