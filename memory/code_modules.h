/* Which files a module's name means: "./cart", "os.path", "redis/server.h", "crate.sync.mpsc",
 * "github.com/a/b/pkg". By the files' paths alone, so for any language: the trailing parts of the
 * name against the trailing parts of a path without its ending, a folder's index file standing for
 * the folder. Pure. */
#ifndef ENGRAM_CODE_MODULES_H
#define ENGRAM_CODE_MODULES_H

#include "memory/code_link.h"

enum { MAX_MODULE_FILES = 64, MAX_MODULE_PARTS = 32 };

struct module_files {
    uint32_t *at; /* indices of files */
    size_t count;
};

struct modules;
struct modules *modules_build(struct arena *a, const struct link_file *files, size_t count);
void modules_free(struct modules *m); /* what the arena doesn't hold */

/* The files of a module that `from` imports; NULL where none fits. name: what is taken from it,
 * which may itself be a module of its own (`from a.b import c`): then *is_submodule. */
const struct module_files *modules_find(struct modules *m, uint32_t from, str module, str name,
                                        bool *is_submodule);

/* Do both stand in one package, so that they see each other's names without an import? Go, Swift:
 * the same folder; Java, Kotlin, Scala: below any root, as a test is with what it tests; C and C++
 * see what is declared, so the same folder, too. */
bool modules_same_package(const struct modules *m, uint32_t a, uint32_t b);

/* Is the file named after this? "mpsc" of src/sync/mpsc.rs, src/mpsc/mod.rs. */
bool modules_stem_is(const struct modules *m, uint32_t file, str name);

/* The index file of a folder hands on what the folder's files have: is `file` in a folder whose
 * index is among `from`? */
bool modules_exports(const struct modules *m, const struct module_files *from, uint32_t file);

/* Is the file in a folder named as the package of the module, "toolkit" of "@me/toolkit/query"? */
bool modules_is_of(const struct modules *m, uint32_t file, str module);

#endif
