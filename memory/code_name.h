/* The parts of names of symbols: qualified ones, "Cart.add~2" as parsers give them, and those that
 * people write: "Cart::add", "src/a.c#add", "cart->add". Pure. */
#ifndef ENGRAM_CODE_NAME_H
#define ENGRAM_CODE_NAME_H

#include "memory/base/str.h"

/* Where the last part of a qualified name starts, and its end without what tells repeats apart. */
size_t code_name_last(str qualified, size_t *end);

/* That part: "add". */
str code_name_simple(str qualified);

/* The last part of a name as people write it. */
str code_name_written(str written);

#endif
