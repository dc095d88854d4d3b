#include "server/document_refresh.h"

#include "memory/base/hash.h"
#include "server/confine.h"
#include "server/parse.h"
#include "tools/ingest.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_CANDIDATES = 16 };

/* ---- looking at one file ---- */

/* false where the file can't be opened; *is_missing: because nothing is there. */
static bool open_file(struct arena *a, str root, str path, int *fd, bool *is_missing)
{
    struct err e = {0};
    str relative;
    bool ok = confine_open(a, root, path, fd, &relative, &e);
    *is_missing = !ok && e.code == ERR_NOT_FOUND;
    return ok;
}

static bool describe(const struct document_refresh *r, struct arena *a, str path, str title, int fd,
                     struct document_input *in)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    *in = (struct document_input){.from = {ORIGIN_AGENT, r->now_ms, r->branch, r->head},
                                  .source = arena_printf(a, "file:%.*s", FMT(path)),
                                  .path = path,
                                  .title = title,
                                  .root = r->root,
                                  .bytes = (int64_t)status.st_size,
                                  .mtime_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 +
                                              status.st_mtim.tv_nsec};
    return true;
}

static bool hash_file(int fd, str *hash, struct arena *a)
{
    struct arena scratch = {0};
    struct err ignored = {0};
    str bytes;
    bool ok = read_fd(&scratch, fd, MAX_DOCUMENT_BYTES, &bytes, &ignored);
    if (ok)
        *hash = hash128_hex(a, bytes);
    arena_free(&scratch);
    return ok;
}

/* ---- what became of it ---- */

static bool read_again(const struct document_refresh *r, struct arena *a,
                       const struct document_file *f, int fd, struct document_input *in,
                       struct err *e)
{
    struct facts facts;
    struct document_result out;
    struct err trouble = {0};
    bool strike = false, known;
    if (!memory_document_known(r->memory, a, in, &known, &out, &trouble)) {
        bool is_told = trouble.code == ERR_CONFLICT || trouble.code == ERR_LIMIT; /* not wanted */
        return is_told ? memory_document_seen(r->memory, a, f->id, in, e)
                       : fail(e, trouble.code, "%s", trouble.text);
    }
    bool ok = parse_document(a, fd, f->path, r->deadline_ms, r->stopped, r->ctx, &facts, &strike,
                             &trouble) &&
              ingest_document(r->memory, a, in, &facts, &out, &trouble);
    if (ok)
        return true;
    if (strike)
        ingest_failure(r->memory, in, f->path, true, &trouble, &(struct err){0});
    /* What can't be read stays as it was until it changes; what was only disturbed comes again. */
    bool is_its_fault = strike || trouble.code == ERR_INPUT || trouble.code == ERR_LIMIT ||
                        trouble.code == ERR_NOT_FOUND || /* a part of an archive */
                        trouble.code == ERR_CONFLICT;    /* attached again meanwhile */
    return is_its_fault ? memory_document_seen(r->memory, a, f->id, in, e)
                        : fail(e, trouble.code, "%s", trouble.text);
}

static bool look_at(const struct document_refresh *r, struct arena *a,
                    const struct document_file *f, int fd, struct err *e)
{
    struct document_input in;
    if (!describe(r, a, f->path, f->title, fd, &in) ||
        (in.bytes == f->bytes && in.mtime_ns == f->mtime_ns && !f->is_gone) ||
        !hash_file(fd, &in.hash, a))
        return true;
    return str_eq(in.hash, f->hash) ? memory_document_seen(r->memory, a, f->id, &in, e)
                                    : read_again(r, a, f, fd, &in, e);
}

/* Is `path` what f was? Then f is there from now on. */
static bool follow(const struct document_refresh *r, struct arena *a, const struct document_file *f,
                   str path, bool *is_found, struct err *e)
{
    int fd;
    bool is_missing;
    struct document_input in;
    if (str_eq(path, f->path) || !open_file(a, r->root, path, &fd, &is_missing))
        return true;
    *is_found = describe(r, a, path, f->title, fd, &in) && hash_file(fd, &in.hash, a) &&
                str_eq(in.hash, f->hash);
    close(fd);
    if (!*is_found)
        return true;
    struct err trouble = {0};
    if (memory_document_move(r->memory, a, f->id, &in, is_found, &trouble))
        return true;
    *is_found = false; /* what was forgotten there is not brought back by moving */
    return trouble.code == ERR_CONFLICT || fail(e, trouble.code, "%s", trouble.text);
}

static bool look_for(const struct document_refresh *r, struct arena *a,
                     const struct document_file *f, struct err *e)
{
    str *paths;
    size_t count;
    bool is_found = false;
    if (f->is_gone)
        return true;
    if (!memory_paths_of_size(r->memory, a, r->root, f->bytes, MAX_CANDIDATES, &paths, &count, e))
        return false;
    for (size_t i = 0; i < count && f->hash.len && !is_found; i++)
        if (!follow(r, a, f, paths[i], &is_found, e))
            return false;
    return is_found || memory_document_gone(r->memory, a, f->id, r->now_ms, e);
}

/* ---- all of them ---- */

/* A worktree that is gone leaves its documents to the others. */
static bool is_ours(struct arena *a, const struct document_refresh *r,
                    const struct document_file *f)
{
    struct stat info;
    return str_eq(f->root, r->root) ||
           (lstat(arena_cstr(a, f->root), &info) != 0 && errno == ENOENT);
}

static bool refresh(const struct document_refresh *r, const struct document_file *f, struct err *e)
{
    struct arena a = {0};
    int fd;
    bool is_missing, ok = true;
    if (is_ours(&a, r, f) && open_file(&a, r->root, f->path, &fd, &is_missing)) {
        ok = look_at(r, &a, f, fd, e);
        close(fd);
    } else if (is_ours(&a, r, f) && is_missing) {
        ok = look_for(r, &a, f, e);
    }
    arena_free(&a);
    return ok;
}

bool document_refresh_run(const struct document_refresh *r, struct err *e)
{
    struct arena a = {0};
    struct document_file *files;
    size_t count;
    bool ok = memory_document_files(r->memory, &a, S(""), &files, &count, e);
    for (size_t i = 0; ok && i < count; i++)
        ok = r->stopped && r->stopped(r->ctx) ? fail(e, ERR_CANCELLED, "it was stopped")
                                              : refresh(r, &files[i], e);
    arena_free(&a);
    return ok;
}
