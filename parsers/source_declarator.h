/* The name in a C or C++ declarator, however deep pointers, arrays and parentheses wrap it. Private
 * to parsers/. */
#ifndef ENGRAM_PARSERS_SOURCE_DECLARATOR_H
#define ENGRAM_PARSERS_SOURCE_DECLARATOR_H

#include "memory/base/str.h"

#include <tree_sitter/api.h>

struct declarator {
    TSNode name;      /* without what qualifies it; null where there is none */
    TSNode qualified; /* the whole `shop::Cart::add`; the same node as name where nothing does */
    bool is_function; /* what it declares is a function, not a pointer to one */
};

/* declarator_field: the grammar's number of "declarator". */
struct declarator source_declarator(TSNode node, TSFieldId declarator_field, TSFieldId name_field);

#endif
