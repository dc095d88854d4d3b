/* The text as the grammar gets it: macros that hide definitions from a parser without a
 * preprocessor are blanked, byte for byte, so that every position stays. Private to parsers/. */
#ifndef ENGRAM_PARSERS_SOURCE_PREPARE_H
#define ENGRAM_PARSERS_SOURCE_PREPARE_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

/* text itself where there is nothing to blank:
 *
 * C, C++   `class API_EXPORT Cart {` loses API_EXPORT, `INLINE static int f()` loses INLINE: words
 *          in capitals that stand before what is already a whole declaration.
 * Rust     `cfg_rt! { pub fn f() {} }` loses `cfg_rt! {` and its `}`: a macro at the start of a
 *          line around items. */
str source_prepare(struct arena *a, str language, str text);

#endif
