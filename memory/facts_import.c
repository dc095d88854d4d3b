#include "memory/facts_import.h"

#include "memory/base/pack.h"
#include "memory/base/unicode.h"

const char *const import_format_name[IMPORT_FORMAT_COUNT] = {
    "server-memory", "claude-code", "codex",     "claude-mem", "engram-go",
    "markdown",      "chatgpt",     "claude-ai", "opencode",
};

/* Layout: batch "EGI1" | count u32 | items; rest "EGI2" | format | count u32 | skips. An item is
 * what, flags, kind u32 | at u64 | its texts | count u32 | entities | count u32 | relations. */
static const str BATCH_MAGIC = {"EGI1", 4}, REST_MAGIC = {"EGI2", 4};

enum { BY_USER = 1, HAS_KIND = 2, HAS_AT = 4, ALL_FLAGS = 7, MIN_ITEM_BYTES = 52 };

void import_item_write(struct buf *out, const struct import_item *item)
{
    pack_u32(out, item->what);
    pack_u32(out, (item->by_user ? BY_USER : 0u) | (item->has_kind ? HAS_KIND : 0u) |
                      (item->has_at ? HAS_AT : 0u));
    pack_u32(out, item->kind);
    pack_u64(out, (uint64_t)item->at_ms);
    const str texts[] = {item->key,   item->text,    item->lead,
                         item->topic, item->session, item->project};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        pack_text(out, texts[i]);
    pack_u32(out, (uint32_t)item->entity_count);
    for (size_t i = 0; i < item->entity_count; i++) {
        pack_text(out, item->entities[i].name);
        pack_text(out, item->entities[i].type);
    }
    pack_u32(out, (uint32_t)item->relation_count);
    for (size_t i = 0; i < item->relation_count; i++) {
        pack_text(out, item->relations[i].from);
        pack_text(out, item->relations[i].label);
        pack_text(out, item->relations[i].to);
    }
}

void import_batch_write(struct buf *out, str packed, uint32_t count)
{
    buf_add(out, BATCH_MAGIC);
    pack_u32(out, count);
    buf_add(out, packed);
}

void import_rest_write(struct buf *out, const struct import_rest *rest)
{
    buf_add(out, REST_MAGIC);
    pack_text(out, rest->format);
    pack_u32(out, (uint32_t)rest->skip_count);
    for (size_t i = 0; i < rest->skip_count; i++) {
        pack_text(out, rest->skips[i].why);
        pack_u64(out, rest->skips[i].count);
        pack_text(out, rest->skips[i].example);
    }
}

/* A text as it may be stored. */
static str unpack_clean(struct unpack *u)
{
    str s = unpack_text(u);
    u->bad |= s.len > MAX_IMPORT_TEXT_BYTES || !utf8_valid(s) || str_find_char(s, '\0', 0) < s.len;
    return u->bad ? S("") : s;
}

static void read_names(struct arena *a, struct unpack *u, struct import_item *item)
{
    item->entity_count = unpack_count(u, MAX_IMPORT_ENTITIES, 8);
    item->entities = ARENA_ARRAY(a, struct import_entity, item->entity_count);
    for (size_t i = 0; i < item->entity_count && !u->bad; i++) {
        item->entities[i].name = unpack_clean(u);
        item->entities[i].type = unpack_clean(u);
    }
    item->relation_count = unpack_count(u, MAX_IMPORT_RELATIONS, 12);
    item->relations = ARENA_ARRAY(a, struct import_relation, item->relation_count);
    for (size_t i = 0; i < item->relation_count && !u->bad; i++) {
        item->relations[i].from = unpack_clean(u);
        item->relations[i].label = unpack_clean(u);
        item->relations[i].to = unpack_clean(u);
    }
}

static void read_item(struct arena *a, struct unpack *u, struct import_item *item)
{
    item->what = (enum import_what)unpack_below(u, IMPORT_WHAT_COUNT);
    uint32_t flags = unpack_below(u, ALL_FLAGS + 1);
    item->by_user = flags & BY_USER;
    item->has_kind = flags & HAS_KIND;
    item->has_at = flags & HAS_AT;
    item->kind = (enum memory_kind)unpack_below(u, MEMORY_KIND_COUNT);
    item->at_ms = (int64_t)unpack_u64(u);
    str *const texts[] = {&item->key,   &item->text,    &item->lead,
                          &item->topic, &item->session, &item->project};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = unpack_clean(u);
    read_names(a, u, item);
    u->bad |= !item->key.len;
}

bool import_batch_read(struct arena *a, str bytes, struct import_batch *out)
{
    struct unpack u = {str_cut(bytes, BATCH_MAGIC.len, bytes.len), !str_starts(bytes, BATCH_MAGIC)};
    out->count = unpack_count(&u, MAX_IMPORT_BATCH_ITEMS, MIN_ITEM_BYTES);
    out->items = ARENA_ARRAY(a, struct import_item, out->count);
    for (size_t i = 0; i < out->count && !u.bad; i++)
        read_item(a, &u, &out->items[i]);
    return unpack_done(&u);
}

bool import_rest_read(struct arena *a, str bytes, struct import_rest *out)
{
    struct unpack u = {str_cut(bytes, REST_MAGIC.len, bytes.len), !str_starts(bytes, REST_MAGIC)};
    out->format = unpack_clean(&u);
    out->skip_count = unpack_count(&u, MAX_IMPORT_SKIPS, 16);
    out->skips = ARENA_ARRAY(a, struct import_skip, out->skip_count);
    for (size_t i = 0; i < out->skip_count && !u.bad; i++) {
        out->skips[i].why = unpack_clean(&u);
        out->skips[i].count = unpack_u64(&u);
        out->skips[i].example = unpack_clean(&u);
    }
    return unpack_done(&u);
}
