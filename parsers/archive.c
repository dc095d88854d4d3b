#include "parsers/archive.h"

#include "memory/base/arena.h"

#include <zip.h>

enum { MAX_PART_NAME = 512, CHUNK_BYTES = 64 << 10, NAMES_BYTES = 64 << 10 };

/* An absolute name, or one with .. in it. */
static bool leaves(str name)
{
    if (str_starts(name, S("/")))
        return true;
    for (size_t from = 0; from <= name.len;) {
        size_t to = str_find_char(name, '/', from);
        if (str_eq(str_cut(name, from, to), S("..")))
            return true;
        from = to + 1;
    }
    return false;
}

static bool check_entries(struct archive *z, struct err *e)
{
    zip_int64_t count = zip_get_num_entries(z->zip, 0);
    if (count > MAX_ARCHIVE_ENTRIES)
        return fail(e, ERR_LIMIT, "its archive has %lld entries, at most %d", (long long)count,
                    MAX_ARCHIVE_ENTRIES);
    for (zip_int64_t i = 0; i < count; i++)
        if (leaves(str_of(zip_get_name(z->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW))))
            return fail(e, ERR_INPUT, "entry %lld of its archive has a name that leads out of it",
                        (long long)i + 1);
    return true;
}

bool archive_open(struct archive *z, str bytes, struct err *e)
{
    *z = (struct archive){0};
    zip_source_t *source = zip_source_buffer_create(bytes.at, bytes.len, 0, NULL);
    if (source && !(z->zip = zip_open_from_source(source, ZIP_RDONLY, NULL)))
        zip_source_free(source);
    if (!z->zip)
        return fail(e, ERR_INPUT, "its ZIP archive can't be opened: damaged or cut off");
    if (check_entries(z, e))
        return true;
    archive_close(z);
    return false;
}

void archive_close(struct archive *z)
{
    if (z->zip)
        zip_discard(z->zip);
    z->zip = NULL;
}

static bool locate(struct archive *z, str name, zip_uint64_t *index)
{
    char path[MAX_PART_NAME + 1];
    if (name.len > MAX_PART_NAME)
        return false;
    memcpy(path, name.at, name.len);
    path[name.len] = '\0';
    zip_int64_t found = zip_name_locate(z->zip, path, 0);
    *index = (zip_uint64_t)found;
    return found >= 0;
}

bool archive_has(struct archive *z, str name)
{
    zip_uint64_t index;
    return locate(z, name, &index);
}

/* Chunk by chunk, so that a bomb is given up early. */
static bool inflate(struct archive *z, zip_file_t *file, zip_uint64_t packed, struct buf *out,
                    struct err *e)
{
    zip_int64_t n = 1;
    while (n > 0) {
        buf_reserve(out, CHUNK_BYTES);
        n = zip_fread(file, out->at + out->len, CHUNK_BYTES);
        if (n <= 0)
            break;
        out->len += (size_t)n;
        z->inflated += (size_t)n;
        if (z->inflated > MAX_INFLATED_BYTES)
            return fail(e, ERR_LIMIT, "its archive inflates to more than %d MiB",
                        MAX_INFLATED_BYTES >> 20);
        if (out->len > FREE_INFLATED_BYTES && out->len / MAX_INFLATED_RATIO > packed)
            return fail(e, ERR_LIMIT,
                        "a part of its archive inflates to more than %d times its size",
                        MAX_INFLATED_RATIO);
    }
    return n == 0 || fail(e, ERR_INPUT, "a part of its archive is damaged");
}

bool archive_read(struct archive *z, str name, struct buf *out, struct err *e)
{
    zip_uint64_t index;
    zip_stat_t stat;
    buf_clear(out);
    if (!locate(z, name, &index) || zip_stat_index(z->zip, index, 0, &stat) != 0)
        return fail(e, ERR_NOT_FOUND, "its archive has no %.*s", FMT(name));
    if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) && stat.encryption_method != ZIP_EM_NONE)
        return fail(e, ERR_INPUT, "it is encrypted; remove the password first");
    zip_file_t *file = zip_fopen_index(z->zip, index, 0);
    if (!file)
        return fail(e, ERR_INPUT, "a part of its archive is damaged");
    bool ok = inflate(z, file, stat.comp_size, out, e);
    zip_fclose(file);
    return ok;
}

bool archive_names(str bytes, str part)
{
    str head = str_cut(bytes, 0, NAMES_BYTES);
    str tail = str_cut(bytes, bytes.len > NAMES_BYTES ? bytes.len - NAMES_BYTES : 0, bytes.len);
    return str_starts(bytes, S("PK\3\4")) &&
           (str_find(head, part, 0) < head.len || str_find(tail, part, 0) < tail.len);
}
