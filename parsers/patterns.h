/* Lists of path patterns as .gitignore and .gitattributes hold them: parsed by us, so that no such
 * file is ever opened by a library, and matched in bounded time. */
#ifndef ENGRAM_PARSERS_PATTERNS_H
#define ENGRAM_PARSERS_PATTERNS_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

enum {
    MAX_PATTERN_FILE_BYTES = 256 << 10, /* what is beyond is left out */
    MAX_PATTERNS = 4096,                /* of one file, the first ones */
    MAX_PATTERN_BYTES = 1024,           /* a longer one is left out */
};

/* What a list says of a path: nothing, that it is meant, or that it is meant not to be. */
enum verdict { VERDICT_NONE, VERDICT_YES, VERDICT_NO };

struct pattern {
    str text;
    enum pattern_shape { PATTERN_LITERAL, PATTERN_SUFFIX, PATTERN_GLOB } shape;
    bool whole_path; /* against the path below the list's folder; else against the last name */
    bool folders_only;
    enum verdict verdict;
};

struct pattern_list {
    size_t folder_bytes; /* of the folder's path that it stands in, with the '/' at its end */
    struct pattern *patterns;
    size_t count;
    const struct pattern_list *outer; /* the list of an enclosing folder: asked where this one has
                                         nothing to say; NULL */
};

/* The rules of an ignore file that stands in a folder. Texts borrow from `bytes`. `outer` itself
 * where there is no rule. */
const struct pattern_list *patterns_of_ignore_file(struct arena *a, size_t folder_bytes, str bytes,
                                                   const struct pattern_list *outer);

/* The same for one attribute of a .gitattributes file: set or "=true" is YES, "-attribute" or
 * "=false" is NO, "!attribute" is NONE again. */
const struct pattern_list *patterns_of_attribute(struct arena *a, size_t folder_bytes, str bytes,
                                                 str attribute, const struct pattern_list *outer);

/* The last rule of the innermost list that fits decides. `path` is relative to the root, without a
 * '/' at its end, and lies below the folders of all lists. */
enum verdict patterns_ask(const struct pattern_list *innermost, str path, bool is_folder);

/* Has any of the lists a rule with this verdict? */
bool patterns_include(const struct pattern_list *innermost, enum verdict verdict);

/* Does the whole path fit? "*", "?" and "[...]" never fit a '/', a "**" between slashes fits any
 * number of folders. Time at worst the product of the lengths, times the number of folders. */
bool glob_match(str pattern, str path);

#endif
