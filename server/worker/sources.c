#include "server/worker/sources.h"

#include "parsers/parsers.h"
#include "server/confine.h"
#include "server/worker/limits.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ---- */

static int64_t nanoseconds(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           nanoseconds(a->st_mtim) == nanoseconds(b->st_mtim) &&
           nanoseconds(a->st_ctim) == nanoseconds(b->st_ctim);
}

static str why_not_opened(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return S("gone");
    case ELOOP:
    case EXDEV:
        return S("link");
    case ENXIO:
    case ENODEV:
        return S("not a file");
    default:
        return S("not readable");
    }
}

/* One attempt: fills f's size and times, and its `skipped` where the bytes aren't to be had. */
static bool read_once(struct arena *a, int fd, struct source_file *f, str *bytes)
{
    struct stat before, after;
    struct err ignored = {0};
    if (fstat(fd, &before) != 0 || !S_ISREG(before.st_mode)) {
        f->skipped = S("not a file");
        return true;
    }
    f->bytes = (uint64_t)before.st_size;
    f->mtime_ns = nanoseconds(before.st_mtim);
    f->ctime_ns = nanoseconds(before.st_ctim);
    if (before.st_size > MAX_SOURCE_BYTES)
        f->skipped = S("over 1 MiB");
    else if (!read_fd(a, fd, MAX_SOURCE_BYTES, bytes, &ignored))
        f->skipped = ignored.code == ERR_LIMIT ? S("changed while read") : S("not readable");
    return f->skipped.len || (fstat(fd, &after) == 0 && same_file(&before, &after) &&
                              bytes->len == (size_t)before.st_size);
}

static void read_source(struct arena *a, int root, str path, struct source_file *f, str *bytes)
{
    enum { TRIES = 2 };
    int fd = confine_open_plain(a, root, path);
    if (fd < 0) {
        f->skipped = why_not_opened(errno);
        return;
    }
    bool steady = false;
    for (int i = 0; !steady && i < TRIES; i++)
        steady = read_once(a, fd, f, bytes);
    if (!steady)
        f->skipped = S("changed while read");
    close(fd);
}

/* ---- replies ---- */

static bool is_known(str known, str blob)
{
    str word;
    while (str_next_word(&known, &word))
        if (str_eq(word, blob))
            return true;
    return false;
}

static bool send_file(const struct source_file *f)
{
    struct buf reply = {.max_bytes = MAX_SOURCE_FACTS_BYTES};
    source_file_write(&reply, f);
    if (reply.overflow) {
        struct source_file bare = *f;
        bare.facts = (struct source_facts){0};
        bare.skipped = S("too many facts");
        buf_clear(&reply);
        reply.overflow = false;
        source_file_write(&reply, &bare);
    }
    bool sent = wire_send_reply(WORKER_SOCKET, ERR_NONE, buf_str(&reply));
    buf_free(&reply);
    return sent;
}

static bool answer_source(struct source_reader *reader, struct arena *a, int root,
                          const struct wire_source *source)
{
    struct source_file f = {.path = source->path};
    str bytes = S("");
    limits_grant_cpu(MAX_SOURCE_CPU_SECONDS);
    read_source(a, root, source->path, &f, &bytes);
    if (!f.skipped.len) {
        f.blob = source_blob_id(a, bytes);
        f.known = is_known(source->known, f.blob);
    }
    if (!f.skipped.len && !f.known) {
        if (!wire_send_reply(WORKER_SOCKET, REPLY_BEGUN, f.blob))
            return false;
        source_facts(reader, a, source->path, bytes, &f);
    }
    return send_file(&f);
}

bool answer_sources(struct arena *a, const struct parse_job *job)
{
    static struct source_reader *reader; /* of the process: it has compiled queries */
    struct wire_source *sources;
    size_t count;
    bool sent = true;
    if (!wire_read_sources(a, job->name, &sources, &count)) {
        close(job->fd);
        return wire_send_reply(WORKER_SOCKET, ERR_INPUT, S("this is no list of sources"));
    }
    if (!reader)
        reader = source_reader_open();
    for (size_t i = 0; sent && i < count; i++) {
        struct arena scratch = {0};
        sent = answer_source(reader, &scratch, job->fd, &sources[i]);
        arena_free(&scratch);
    }
    close(job->fd);
    return sent;
}
