/* What a source file is, told by its path alone. Pure. */
#ifndef ENGRAM_CODE_PATHS_H
#define ENGRAM_CODE_PATHS_H

#include "memory/base/str.h"

enum path_kind { /* bits */
                 PATH_TEST = 1,
                 PATH_TEXT = 2, /* prose: README, docs */
                 PATH_CHANGE_LOG = 4,
                 PATH_PACKAGE = 8, /* names and versions of a package: package.json, Cargo.toml */
                 PATH_CONFIGURATION = 16,
                 PATH_EXAMPLE = 32, /* examples, benchmarks, fixtures */
};

/* The kinds that fit, without regard to case. Only the first MAX_PATH_LOOKED bytes count. */
enum { MAX_PATH_LOOKED = 512 };
unsigned path_kinds(str path);

#endif
