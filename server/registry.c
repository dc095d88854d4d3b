#include "server/registry.h"

#include "memory/base/buf.h"
#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"
#include "server/file_write.h"
#include "server/small_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROJECT_FILE "project.json"

/* ---- folders ---- */

bool registry_home(struct arena *a, const struct config *c, str *out, struct err *e)
{
    if (c->data_home.len && !str_starts(c->data_home, S("/")))
        return fail(e, ERR_INPUT, "XDG_DATA_HOME is \"%.*s\", wanted: an absolute path",
                    FMT(c->data_home));
    if (!c->data_home.len && !str_starts(c->home, S("/")))
        return fail(
            e, ERR_INPUT,
            "there is no place for memories: set XDG_DATA_HOME or HOME to an absolute path");
    *out = c->data_home.len ? arena_printf(a, "%.*s/engram", FMT(c->data_home))
                            : arena_printf(a, "%.*s/.local/share/engram", FMT(c->home));
    return true;
}

bool registry_folder_is_safe(int fd, str path, struct err *e)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return fail(e, ERR_IO, "%.*s: %s", FMT(path), strerror(errno));
    if (info.st_uid != geteuid())
        return fail(e, ERR_IO,
                    "%.*s belongs to user %u, wanted: a folder of user %u; set XDG_DATA_HOME or "
                    "change the owner",
                    FMT(path), (unsigned)info.st_uid, (unsigned)geteuid());
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return fail(e, ERR_IO, "%.*s may be written by others (mode %04o); run chmod go-w on it",
                    FMT(path), (unsigned)(info.st_mode & 07777));
    return true;
}

/* Opens a folder of ours; with O_NOFOLLOW in `flags` not by a link. */
static int open_folder(struct arena *a, str path, int flags, struct err *e)
{
    int fd = open(arena_cstr(a, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (fd < 0) {
        fail(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%.*s: %s", FMT(path),
             errno == ELOOP || errno == ENOTDIR ? "a link or a file, wanted: a folder"
                                                : strerror(errno));
        return -1;
    }
    if (!registry_folder_is_safe(fd, path, e)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* "<name>-<id>" in its parts. */
static bool split_folder_name(str folder, str *name, str *id)
{
    if (folder.len < PLACE_ID_DIGITS + 2 || folder.at[folder.len - PLACE_ID_DIGITS - 1] != '-')
        return false;
    *name = str_cut(folder, 0, folder.len - PLACE_ID_DIGITS - 1);
    *id = str_cut(folder, folder.len - PLACE_ID_DIGITS, folder.len);
    for (size_t i = 0; i < id->len; i++)
        if (!((id->at[i] >= '0' && id->at[i] <= '9') || (id->at[i] >= 'a' && id->at[i] <= 'f')))
            return false;
    return true;
}

/* The names of all folders that look like projects, at most MAX_REGISTERED; none where `home` isn't
 * there. */
static bool folder_names(struct arena *a, str home, str **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    DIR *dir = opendir(arena_cstr(a, home));
    if (!dir)
        return errno == ENOENT || fail(e, ERR_IO, "%.*s: %s", FMT(home), strerror(errno));
    const struct dirent *entry;
    str name, id;
    while (*count < MAX_REGISTERED && (entry = readdir(dir)))
        if (split_folder_name(str_of(entry->d_name), &name, &id)) {
            ARENA_GROW(a, *out, *count, capacity);
            (*out)[(*count)++] = arena_str(a, str_of(entry->d_name));
        }
    closedir(dir);
    return true;
}

bool registry_folder(struct arena *a, str home, const struct place *place, str *out, struct err *e)
{
    *out = arena_printf(a, "%.*s/%.*s-%.*s", FMT(home), FMT(place->name), FMT(place->id));
    struct stat info;
    if (lstat(arena_cstr(a, *out), &info) == 0)
        return true;
    str *names, name, id, oldest = S("");
    size_t count;
    if (!folder_names(a, home, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (split_folder_name(names[i], &name, &id) && str_eq(id, place->id) &&
            (!oldest.len || str_cmp(names[i], oldest) < 0))
            oldest = names[i];
    if (oldest.len)
        *out = arena_printf(a, "%.*s/%.*s", FMT(home), FMT(oldest));
    return true;
}

/* ---- project.json ---- */

static str text_of(struct arena *a, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value)
               ? arena_str(a, str_from(json_string_value(value), json_string_length(value)))
               : S("");
}

struct project_file {
    str id, name, root, identity, created, last_used;
};

/* What project.json in `folder` says; false where it can't be read or isn't ours. */
static bool read_project_file(struct arena *a, int folder, struct project_file *out)
{
    struct err ignored = {0};
    struct stat info;
    str text;
    if (!small_file_read(a, folder, S(PROJECT_FILE), O_NOFOLLOW, MAX_PROJECT_FILE_BYTES, &info,
                         &text, &ignored) ||
        info.st_uid != geteuid())
        return false;
    json_t *json = json_loadb(text.at, text.len, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(json)) {
        json_decref(json);
        return false;
    }
    *out = (struct project_file){
        .id = text_of(a, json, "id"),
        .name = text_of(a, json, "name"),
        .root = text_of(a, json, "root"),
        .identity = text_of(a, json, "identity"),
        .created = text_of(a, json, "created"),
        .last_used = text_of(a, json, "last_used"),
    };
    json_decref(json);
    return true;
}

static bool write_project_file(struct arena *a, int folder, const struct project_file *f,
                               struct err *e)
{
    json_t *json = json_pack("{s:s%, s:s%, s:s%, s:s%, s:s%, s:s%}", "id", f->id.at, f->id.len,
                             "name", f->name.at, f->name.len, "root", f->root.at, f->root.len,
                             "identity", f->identity.at, f->identity.len, "created", f->created.at,
                             f->created.len, "last_used", f->last_used.at, f->last_used.len);
    char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
    json_decref(json);
    if (!text)
        return fail(e, ERR_IO, "can't write " PROJECT_FILE ": the project's path is no text");
    bool ok = file_write_replace(a, folder, S(PROJECT_FILE), arena_printf(a, "%s\n", text), NULL,
                                 0600, e);
    heap_free(text);
    return ok;
}

/* The registry entry as it should be: rewritten only where something changed, the last use by day.
 */
static bool keep_project_file(struct arena *a, int folder, const struct place *place,
                              int64_t now_ms, struct err *e)
{
    str now = iso_format(a, now_ms), today = str_cut(now, 0, sizeof("YYYY-MM-DD") - 1);
    struct project_file was = {0}, is = {
                                       .id = place->id,
                                       .name = place->name,
                                       .root = utf8_repair(a, place->main_root),
                                       .identity = utf8_repair(a, place->identity),
                                       .created = now,
                                       .last_used = today,
                                   };
    bool known = read_project_file(a, folder, &was) && str_eq(was.id, is.id) && was.created.len;
    if (known && str_eq(was.name, is.name) && str_eq(was.root, is.root) &&
        str_eq(was.identity, is.identity) && str_eq(was.last_used, is.last_used))
        return true;
    if (known)
        is.created = was.created;
    return write_project_file(a, folder, &is, e);
}

bool registry_keep(struct arena *a, str home, const struct place *place, int64_t now_ms,
                   str *folder, struct err *e)
{
    if (!file_write_folders(a, home, 0700, NULL, e))
        return false;
    int home_fd = open_folder(a, home, 0, e);
    if (home_fd < 0)
        return false;
    close(home_fd);
    if (!registry_folder(a, home, place, folder, e) ||
        !file_write_folders(a, *folder, 0700, NULL, e))
        return false;
    int fd = open_folder(a, *folder, O_NOFOLLOW, e);
    if (fd < 0)
        return false;
    bool ok = keep_project_file(a, fd, place, now_ms, e) || fail_context(e, "%.*s", FMT(*folder));
    close(fd);
    return ok;
}

/* ---- the registry ---- */

static bool entry_of(struct arena *a, str home, str folder_name, struct project_entry *out)
{
    struct err ignored = {0};
    struct project_file file;
    str directory = arena_printf(a, "%.*s/%.*s", FMT(home), FMT(folder_name));
    int fd = open_folder(a, directory, O_NOFOLLOW, &ignored);
    if (fd < 0)
        return false;
    *out = (struct project_entry){.directory = directory, .root = S(""), .last_used = S("")};
    split_folder_name(folder_name, &out->name, &out->id);
    if (read_project_file(a, fd, &file) && str_eq(file.id, out->id) && file.name.len) {
        out->name = file.name;
        out->root = file.root;
        out->last_used = file.last_used;
    }
    close(fd);
    return true;
}

static int by_name(const void *left, const void *right)
{
    const struct project_entry *a = left, *b = right;
    int order = str_cmp(a->name, b->name);
    return order ? order : str_cmp(a->directory, b->directory);
}

bool registry_list(struct arena *a, str home, struct project_entry **out, size_t *count,
                   struct err *e)
{
    str *names;
    size_t name_count;
    *count = 0;
    *out = NULL;
    if (!folder_names(a, home, &names, &name_count, e))
        return false;
    *out = ARENA_ARRAY(a, struct project_entry, name_count + 1);
    for (size_t i = 0; i < name_count; i++)
        *count += entry_of(a, home, names[i], &(*out)[*count]);
    qsort(*out, *count, sizeof **out, by_name);
    return true;
}

enum { MAX_NAMED = 10 /* known projects in an error's text */ };

static bool fail_with_names(str wanted, const struct project_entry *all, size_t count,
                            struct err *e)
{
    struct buf list = {.max_bytes = ERR_TEXT_BYTES / 2};
    for (size_t i = 0; i < count && i < MAX_NAMED; i++)
        buf_printf(&list, "%s%.*s (%.*s)", i ? ", " : "", FMT(all[i].name), FMT(all[i].id));
    if (count > MAX_NAMED)
        buf_printf(&list, " and %zu more", count - MAX_NAMED);
    fail(e, ERR_NOT_FOUND, "project is \"%.*s\", wanted: the id or name of a known project: %.*s",
         FMT(utf8_prefix(wanted, 80)), FMT(count ? buf_str(&list) : S("none yet")));
    buf_free(&list);
    return false;
}

static bool fail_ambiguous(str wanted, const struct project_entry *all, size_t count, struct err *e)
{
    struct buf list = {.max_bytes = ERR_TEXT_BYTES / 2};
    size_t named = 0;
    for (size_t i = 0; i < count; i++)
        if (str_eq(all[i].name, wanted) && named++ < MAX_NAMED)
            buf_printf(&list, "%s%.*s (%.*s)", named > 1 ? ", " : "", FMT(all[i].id),
                       FMT(all[i].root));
    fail(e, ERR_INPUT,
         "project is \"%.*s\", which %zu projects are called, wanted: one of their ids: %.*s",
         FMT(utf8_prefix(wanted, 80)), named, FMT(buf_str(&list)));
    buf_free(&list);
    return false;
}

bool registry_find(struct arena *a, str home, str wanted, struct project_entry *out, struct err *e)
{
    struct project_entry *all, *named = NULL;
    size_t count, same_name = 0;
    if (!registry_list(a, home, &all, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (str_eq(all[i].id, wanted)) {
            *out = all[i];
            return true;
        }
        if (str_eq(all[i].name, wanted)) {
            named = &all[i];
            same_name++;
        }
    }
    if (same_name == 0)
        return fail_with_names(wanted, all, count, e);
    if (same_name > 1)
        return fail_ambiguous(wanted, all, count, e);
    *out = *named;
    return true;
}
