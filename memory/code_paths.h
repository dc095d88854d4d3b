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

struct path_names {
    str folder; /* with its last slash */
    str name, stem;
    str pair; /* "server" of server.c, server_test.go, test_server.py, server.spec.ts, t-server.c */
};

/* Parts of `path`, borrowed from it. */
struct path_names path_names(str path);

#endif
