#include "server/setup/state.h"

#include "memory/base/hash.h"
#include "server/file_write.h"
#include "server/registry.h"
#include "server/setup/edit.h"
#include "server/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/file.h>
#include <unistd.h>

#define STATE_FILE "state.json"

/* ---- reading ---- */

static str text_of(struct arena *a, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value)
               ? arena_str(a, str_from(json_string_value(value), json_string_length(value)))
               : S("");
}

static void read_record(struct arena *a, struct setup_state *s, const json_t *row)
{
    struct setup_record *r = setup_state_add(a, s, text_of(a, row, "file"));
    r->backup = text_of(a, row, "backup");
    r->written = text_of(a, row, "written");
    r->exact = json_is_true(json_object_get(row, "exact"));
    r->folders = json_integer_value(json_object_get(row, "folders"));
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(row, "items"), i, item) if (json_is_string(item))
        setup_record_add_item(a, r, arena_str(a, str_of(json_string_value(item))));
}

static bool read_state(struct arena *a, struct setup_state *s, struct err *e)
{
    struct err missing = {0};
    str text;
    if (!small_file_read(a, s->fd, S(STATE_FILE), O_NOFOLLOW, MAX_STATE_BYTES, NULL, &text,
                         &missing)) {
        if (missing.code != ERR_NOT_FOUND)
            *e = missing;
        return missing.code == ERR_NOT_FOUND;
    }
    json_t *json = json_loadb(text.at, text.len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *files = json_object_get(json, "files");
    size_t i;
    json_t *row;
    json_array_foreach(files, i, row) read_record(a, s, row);
    bool ok = json_is_array(files);
    json_decref(json);
    return ok || fail(e, ERR_INPUT,
                      "%.*s/" STATE_FILE " can't be read; move it away, what was changed before "
                      "can then only be removed, not restored",
                      FMT(s->folder));
}

static bool open_folder(struct arena *a, struct setup_state *s, bool to_write, struct err *e)
{
    if (to_write && !file_write_folders(a, s->folder, 0700, NULL, e))
        return false;
    s->fd = open(arena_cstr(a, s->folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (s->fd < 0)
        return errno == ENOENT || fail(e, ERR_IO, "%.*s: %s", FMT(s->folder), strerror(errno));
    return registry_folder_is_safe(s->fd, s->folder, e) &&
           (!to_write || flock(s->fd, LOCK_EX | LOCK_NB) == 0 ||
            fail(e, ERR_BUSY, "another setup is at work in %.*s; wait for its end",
                 FMT(s->folder)));
}

bool setup_state_open(struct arena *a, str folder, bool to_write, struct setup_state *out,
                      struct err *e)
{
    *out = (struct setup_state){.folder = folder, .fd = -1};
    return open_folder(a, out, to_write, e) && (out->fd < 0 || read_state(a, out, e));
}

void setup_state_close(struct setup_state *s)
{
    if (s->fd >= 0)
        close(s->fd); /* and the lock with it */
    s->fd = -1;
}

/* ---- records ---- */

struct setup_record *setup_state_find(struct setup_state *s, str file)
{
    for (size_t i = 0; i < s->count; i++)
        if (str_eq(s->records[i].file, file))
            return &s->records[i];
    return NULL;
}

struct setup_record *setup_state_add(struct arena *a, struct setup_state *s, str file)
{
    ARENA_GROW(a, s->records, s->count, s->capacity);
    s->records[s->count] = (struct setup_record){.file = file, .exact = true};
    return &s->records[s->count++];
}

void setup_state_drop(struct setup_state *s, struct setup_record *record)
{
    if (record->backup.len)
        unlinkat(s->fd, record->backup.at, 0);
    *record = s->records[--s->count];
}

void setup_record_add_item(struct arena *a, struct setup_record *r, str item)
{
    setup_record_drop_item(r, item);
    ARENA_GROW(a, r->items, r->item_count, r->item_capacity);
    r->items[r->item_count++] = item;
}

void setup_record_drop_item(struct setup_record *r, str item)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->item_count; i++)
        if (!str_eq(r->items[i], item))
            r->items[kept++] = r->items[i];
    r->item_count = kept;
}

/* ---- copies ---- */

/* A name of our own making, and nothing that leads elsewhere. */
static bool is_backup_name(str name)
{
    return name.len && str_find_char(name, '/', 0) == name.len && name.at[0] != '.';
}

bool setup_state_read_backup(struct arena *a, const struct setup_state *s,
                             const struct setup_record *r, str *out, struct err *e)
{
    *out = (str){NULL, 0};
    if (!r->backup.len)
        return true;
    return (is_backup_name(r->backup) ||
            fail(e, ERR_INPUT, "\"%.*s\" is no copy's name", FMT(r->backup))) &&
           small_file_read(a, s->fd, r->backup, O_NOFOLLOW, MAX_EDIT_BYTES, NULL, out, e);
}

bool setup_state_keep_backup(struct arena *a, struct setup_state *s, struct setup_record *r,
                             str before, struct err *e)
{
    if (!before.at)
        return true;
    str name = arena_printf(a, "%.*s.before", FMT(hash128_hex(a, r->file)));
    r->backup = name;
    return file_write_replace(a, s->fd, name, before, NULL, 0600, e);
}

/* ---- writing ---- */

static json_t *record_json(const struct setup_record *r)
{
    json_t *items = json_array();
    for (size_t i = 0; i < r->item_count; i++)
        json_array_append_new(items, json_stringn(r->items[i].at, r->items[i].len));
    return json_pack("{s:s%, s:s%, s:s%, s:b, s:I, s:o}", "file", r->file.at, r->file.len, "backup",
                     r->backup.at ? r->backup.at : "", r->backup.len, "written", r->written.at,
                     r->written.len, "exact", r->exact, "folders", (json_int_t)r->folders, "items",
                     items);
}

bool setup_state_save(struct arena *a, const struct setup_state *s, struct err *e)
{
    json_t *files = json_array();
    bool ok = true;
    for (size_t i = 0; i < s->count; i++)
        ok = json_array_append_new(files, record_json(&s->records[i])) == 0 && ok;
    json_t *json = json_pack("{s:i, s:o}", "engram_setup", 1, "files", files);
    char *text = ok ? json_dumps(json, JSON_INDENT(2)) : NULL;
    json_decref(json);
    if (!text)
        return fail(e, ERR_INPUT, "a file's path is no text");
    ok = file_write_replace(a, s->fd, S(STATE_FILE), arena_printf(a, "%s\n", text), NULL, 0600, e);
    heap_free(text);
    return ok;
}
