#include "memory/last_change.h"

#include "memory/base/iso8601.h"
#include "memory/store_history.h"

bool last_change(struct store *s, struct arena *a, int64_t target, int64_t since_ms, str *out,
                 struct err *e)
{
    enum { SHORT_ID_DIGITS = 12 };
    struct commit_row row;
    int64_t commit;
    bool found = false;
    int year, month, day;
    *out = S("");
    if (!store_last_touch(s, target, since_ms, &commit, e) ||
        (commit && !store_get_commit(s, a, commit, &row, &found, e)))
        return false;
    if (!found)
        return true;
    int64_t days = row.at_ms / DAY_MS - (row.at_ms % DAY_MS < 0);
    civil_from_days(days, &year, &month, &day);
    *out = arena_printf(
        a, "%.*s (%.*s, %04d-%02d-%02d): %.*s", FMT(node_id_format(a, NODE_COMMIT, commit)),
        FMT(str_cut(row.oid, 0, SHORT_ID_DIGITS)), year, month, day, FMT(row.subject));
    return true;
}

bool last_change_of_place(struct store *s, struct arena *a, int64_t memory, int64_t target,
                          str path, str *out, struct err *e)
{
    int64_t since_ms, file;
    str words;
    *out = S("");
    if (!store_made_at(s, memory, &since_ms, e) || !last_change(s, a, target, since_ms, &words, e))
        return false;
    if (words.len) {
        *out = arena_printf(a, "changed by %.*s", FMT(words));
        return true;
    }
    if (!store_find_current_file(s, path, &file, e) || !file || file == target)
        return e->code == ERR_NONE;
    if (!last_change(s, a, file, since_ms, &words, e))
        return false;
    if (words.len)
        *out = arena_printf(a, "the last to touch %.*s is %.*s", FMT(path), FMT(words));
    return true;
}
