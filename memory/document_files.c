/* Documents that were read from files: which there are, and what became of the files. */
#include "memory/documents.h"

bool memory_document_files(struct memory *m, struct arena *a, str hash, struct document_file **out,
                           size_t *count, struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_document_files(m->store, a, hash, out, count, e);
    store_read_end(m->store);
    return ok;
}

static bool put_source(struct memory *m, const struct source_row *row, struct err *e)
{
    return memory_write(m, e) && store_end(m->store, store_put_source(m->store, row, e), e);
}

static bool get_source(struct memory *m, struct arena *a, int64_t id, struct source_row *row,
                       struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_get_source(m->store, a, id, row, e);
    store_read_end(m->store);
    return ok;
}

bool memory_document_seen(struct memory *m, struct arena *a, int64_t id,
                          const struct document_input *given, struct err *e)
{
    struct document_input in;
    struct source_row row;
    if (!document_clean_input(m, a, given, &in, e) || !get_source(m, a, id, &row, e))
        return false;
    bool is_same = str_eq(row.root, in.root) && row.bytes == in.bytes &&
                   row.mtime_ns == in.mtime_ns && !row.gone_ms && str_eq(row.etag, in.etag) &&
                   str_eq(row.modified, in.modified);
    if (is_same)
        return true;
    row.etag = in.etag;
    row.modified = in.modified;
    row.root = in.root;
    row.bytes = in.bytes;
    row.mtime_ns = in.mtime_ns;
    row.gone_ms = 0;
    return put_source(m, &row, e);
}

bool memory_document_gone(struct memory *m, struct arena *a, int64_t id, int64_t now_ms,
                          struct err *e)
{
    struct source_row row;
    if (!get_source(m, a, id, &row, e))
        return false;
    if (row.gone_ms)
        return true;
    row.gone_ms = now_ms > 0 ? now_ms : 1;
    row.mtime_ns = -1; /* when it comes back, it is looked at */
    return put_source(m, &row, e);
}

static bool move_written(struct memory *m, struct arena *a, int64_t id,
                         const struct document_input *to, bool *moved, struct err *e)
{
    struct document_row document;
    struct source_row source;
    int64_t other;
    bool found;
    if (!store_find_key(m->store, NODE_DOCUMENT, to->source, &other, e) ||
        !store_get_document(m->store, a, id, &document, &found, e) ||
        !store_get_source(m->store, a, id, &source, e))
        return false;
    *moved = !other && found;
    if (!*moved)
        return true;
    document.path = to->path;
    source.root = to->root;
    source.bytes = to->bytes;
    source.mtime_ns = to->mtime_ns;
    source.gone_ms = 0;
    return store_set_key(m->store, id, to->source, e) &&
           store_put_document(m->store, &document, e) && store_put_source(m->store, &source, e);
}

bool memory_document_move(struct memory *m, struct arena *a, int64_t id,
                          const struct document_input *given, bool *moved, struct err *e)
{
    struct document_input to;
    bool forgotten;
    *moved = false;
    if (!document_clean_input(m, a, given, &to, e) ||
        !document_was_forgotten(m, a, &to, &forgotten, e) || !memory_write(m, e))
        return false;
    return store_end(m->store, move_written(m, a, id, &to, moved, e), e);
}

bool memory_paths_of_size(struct memory *m, struct arena *a, str root, int64_t bytes, size_t most,
                          str **out, size_t *count, struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_paths_of_size(m->store, a, root, bytes, most, out, count, e);
    store_read_end(m->store);
    return ok;
}
