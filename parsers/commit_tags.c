#include "parsers/commit_tags.h"

#include "memory/base/unicode.h"
#include "parsers/repository.h"

#include <stdlib.h>

enum { MAX_REFERENCES = 5 * MAX_HISTORY_TAGS /* that are looked at */ };

static void add_tag(struct arena *a, const git_reference *reference, const git_object *commit,
                    struct commit_history *out)
{
    static const str folder = {"refs/tags/", 10};
    str name = str_of(git_reference_name(reference));
    if (!str_starts(name, folder) || name.len > folder.len + MAX_TAG_NAME_BYTES ||
        name.len == folder.len || !utf8_valid(name))
        return;
    ARENA_GROW(a, out->tags, out->tag_count, out->tag_capacity);
    out->tags[out->tag_count++] = (struct commit_tag){
        .name = arena_str(a, str_cut(name, folder.len, name.len)),
        .id = oid_hex(a, git_object_id(commit)),
        .commit_s = git_commit_time((const git_commit *)commit),
    };
}

static int by_age(const void *x, const void *y)
{
    const struct commit_tag *a = x, *b = y;
    return a->commit_s != b->commit_s ? (a->commit_s < b->commit_s) - (a->commit_s > b->commit_s)
                                      : str_cmp(a->name, b->name);
}

static int by_name(const void *x, const void *y)
{
    return str_cmp(((const struct commit_tag *)x)->name, ((const struct commit_tag *)y)->name);
}

void commit_tags_read(struct arena *a, git_repository *r, struct commit_history *out)
{
    git_reference_iterator *all = NULL;
    git_reference *reference;
    out->has_tags = git_reference_iterator_glob_new(&all, r, "refs/tags/*") == 0;
    for (size_t i = 0; out->has_tags && i < MAX_REFERENCES; i++) {
        git_object *commit = NULL; /* behind a tag's own object */
        if (git_reference_next(&reference, all) != 0)
            break;
        if (git_reference_peel(&commit, reference, GIT_OBJECT_COMMIT) == 0)
            add_tag(a, reference, commit, out);
        git_object_free(commit);
        git_reference_free(reference);
    }
    git_reference_iterator_free(all);
    if (out->tag_count > MAX_HISTORY_TAGS) {
        qsort(out->tags, out->tag_count, sizeof *out->tags, by_age);
        out->tag_count = MAX_HISTORY_TAGS;
    }
    if (out->tag_count)
        qsort(out->tags, out->tag_count, sizeof *out->tags, by_name);
}
