#include "parsers/references.h"

#include "memory/base/buf.h"
#include "memory/base/hash.h"
#include "parsers/worktree_folder.h"

#include <fcntl.h>
#include <unistd.h>

static bool is_told(str name)
{
    static const char *const folders[] = {"refs/heads/", "refs/remotes/", "refs/tags/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (str_starts(name, str_of(folders[i])))
            return true;
    return false;
}

/* Name and aim; of a symbolic one the name that it stands for. */
static void add(struct buf *all, const git_reference *reference)
{
    const git_oid *id = git_reference_target(reference);
    str name = str_of(git_reference_name(reference));
    if (!is_told(name))
        return;
    buf_add(all, name);
    buf_add(all, S("\n"));
    if (id)
        buf_add(all, str_from((const char *)id->id, sizeof id->id));
    else
        buf_add(all, str_of(git_reference_symbolic_target(reference)));
    buf_add(all, S("\n"));
}

static void add_all(struct buf *all, git_repository *r)
{
    git_reference_iterator *references = NULL;
    git_reference *reference;
    if (git_reference_iterator_new(&references, r) != 0)
        return;
    for (size_t i = 0; i < MAX_DIGESTED_REFERENCES; i++) {
        if (git_reference_next(&reference, references) != 0)
            break;
        add(all, reference);
        git_reference_free(reference);
    }
    git_reference_iterator_free(references);
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
