#include "parsers/references.h"

#include "memory/base/buf.h"
#include "memory/base/hash.h"
#include "parsers/worktree_folder.h"

#include <fcntl.h>
#include <unistd.h>

/* Name and aim; of a symbolic one the name that it stands for. */
static void add(struct buf *all, const git_reference *reference)
{
    const git_oid *id = git_reference_target(reference);
    str name = str_of(git_reference_name(reference));
    buf_add(all, name);
    buf_add(all, S("\n"));
    if (id)
        buf_add(all, str_from((const char *)id->id, sizeof id->id));
    else
        buf_add(all, str_of(git_reference_symbolic_target(reference)));
    buf_add(all, S("\n"));
}

/* What a mirror has besides (of each review, of each pull request) is neither told nor counted. */
static void add_all(struct buf *all, git_repository *r)
{
    static const char *const told[] = {"refs/heads/*", "refs/remotes/*", "refs/tags/*"};
    size_t left = MAX_DIGESTED_REFERENCES;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        git_reference_iterator *references = NULL;
        git_reference *reference;
        if (git_reference_iterator_glob_new(&references, r, told[i]) != 0)
            continue;
        for (; left && git_reference_next(&reference, references) == 0; left--) {
            add(all, reference);
            git_reference_free(reference);
        }
        git_reference_iterator_free(references);
    }
}

/* Where the history of a shallow clone ends; empty of a whole one. */
static void add_depth(struct arena *a, struct buf *all, git_repository *r)
{
    int folder = open(git_repository_commondir(r), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    if (folder < 0)
        return;
    buf_add(all, read_rules_file(a, folder, "shallow"));
    close(folder);
}

str references_digest(struct arena *a, git_repository *r)
{
    struct buf all = {0};
    add_all(&all, r);
    add_depth(a, &all, r);
    str digest = hash128_hex(a, buf_str(&all));
    buf_free(&all);
    return digest;
}
