/* Imports that are written as a tree: `use a::b::{c, d as e, f::*}`. Private to parsers/. */
#ifndef ENGRAM_PARSERS_SOURCE_IMPORTS_H
#define ENGRAM_PARSERS_SOURCE_IMPORTS_H

#include "parsers/source.h"

/* Adds one import like *m for each name in the tree. Parts are joined by "::", "\" or "."; braces
 * hold more of the same; "as" or "=>" renames, "*" or "_" brings all, "self" the braces' own
 * prefix. */
void source_import_tree(struct source *s, const struct mark *m, str tree);

#endif
