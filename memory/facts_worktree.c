#include "memory/facts_worktree.h"

#include "memory/base/pack.h"
#include "memory/base/unicode.h"

/* Layout: "EGW2" | is_git u32 | head, branch, references, note | n entries: path, bytes u64,
 * mtime_ns u64, ctime_ns u64, skipped | beyond u64. */
static const str MAGIC = {"EGW2", 4};

void worktree_files_write(struct buf *out, const struct worktree_files *w)
{
    buf_add(out, MAGIC);
    pack_u32(out, w->is_git);
    pack_text(out, w->head);
    pack_text(out, w->branch);
    pack_text(out, w->references);
    pack_text(out, w->note);
    pack_u32(out, (uint32_t)w->entry_count);
    for (size_t i = 0; i < w->entry_count; i++) {
        const struct worktree_entry *entry = &w->entries[i];
        pack_text(out, entry->path);
        pack_u64(out, entry->bytes);
        pack_u64(out, (uint64_t)entry->mtime_ns);
        pack_u64(out, (uint64_t)entry->ctime_ns);
        pack_text(out, entry->skipped);
    }
    pack_u64(out, w->beyond);
}

static str read_text(struct unpack *u, size_t most_bytes)
{
    str text = unpack_text(u);
    u->bad |= text.len > most_bytes || !utf8_valid(text);
    return text;
}

static void read_entries(struct arena *a, struct unpack *u, struct worktree_files *out)
{
    out->entry_count = out->entry_capacity = unpack_count(u, MAX_WORKTREE_FILES, 32);
    out->entries = ARENA_ARRAY(a, struct worktree_entry, out->entry_count);
    for (size_t i = 0; i < out->entry_count && !u->bad; i++) {
        struct worktree_entry *entry = &out->entries[i];
        entry->path = read_text(u, MAX_TREE_PATH_BYTES);
        entry->bytes = unpack_u64(u);
        entry->mtime_ns = (int64_t)unpack_u64(u);
        entry->ctime_ns = (int64_t)unpack_u64(u);
        entry->skipped = read_text(u, MAX_TREE_PATH_BYTES);
        u->bad |= !entry->path.len || (i && str_cmp(out->entries[i - 1].path, entry->path) >= 0);
    }
}

bool worktree_files_read(struct arena *a, str bytes, struct worktree_files *out, struct err *e)
{
    *out = (struct worktree_files){0};
    struct unpack u = {bytes, !str_starts(bytes, MAGIC) || bytes.len > MAX_WORKTREE_BYTES};
    u.rest = str_cut(u.rest, MAGIC.len, u.rest.len);
    out->is_git = unpack_below(&u, 2);
    out->head = read_text(&u, MAX_TREE_PATH_BYTES);
    out->branch = read_text(&u, MAX_TREE_PATH_BYTES);
    out->references = read_text(&u, MAX_TREE_PATH_BYTES);
    out->note = read_text(&u, MAX_TREE_PATH_BYTES);
    read_entries(a, &u, out);
    out->beyond = unpack_u64(&u);
    return unpack_done(&u) || fail(e, ERR_INPUT, "a worktree's listing is damaged");
}
