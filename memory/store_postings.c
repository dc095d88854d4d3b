/* The full-text indexes as postings: our own scoring reads occurrences. A query holds one of our
 * own tokens, quoted, and the tokenizer takes it as it is, so nothing that was typed is ever
 * syntax. The occurrences are read from inside of the search, a call a document: a row of SQL for
 * each would cost five times as much. */
#include "memory/store_code.h"
#include "memory/store_history.h"
#include "memory/store_sql.h"

static const char READING[] = "engram reading";

struct reading {
    posting_visit *visit;
    void *ctx;
};

/* engram_visit(index, reading): visits what the document at hand holds of the term; 1 ends it. */
static void visit_document(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *out,
                           int count, sqlite3_value **values)
{
    const struct reading *r = count == 1 ? sqlite3_value_pointer(values[0], READING) : NULL;
    struct posting p = {.id = api->xRowid(fts)};
    Fts5PhraseIter at;
    bool more = true;
    int code = r ? api->xPhraseFirst(fts, 0, &at, &p.column, &p.offset) : SQLITE_MISUSE;
    if (code != SQLITE_OK) {
        sqlite3_result_error_code(out, code);
        return;
    }
    while (more && p.column >= 0) {
        more = r->visit(r->ctx, &p);
        api->xPhraseNext(fts, &at, &p.column, &p.offset);
    }
    sqlite3_result_int(out, !more);
}

int store_register_postings(fts5_api *api)
{
    return api->xCreateFunction(api, "engram_visit", NULL, visit_document, NULL);
}

#define READ(index)                                                                                \
    "SELECT 1 FROM " index " WHERE " index " MATCH '\"' || replace(?1, '\"', '\"\"') || '\"'"      \
    " AND engram_visit(" index ", ?2)"

static bool read_postings(struct store *s, const char *sql, str term, posting_visit *visit,
                          void *ctx, struct err *e)
{
    struct reading r = {visit, ctx};
    sqlite3_stmt *q = store_query(s, e, sql, "s", term);
    if (!q)
        return false;
    sqlite3_bind_pointer(q, 2, &r, READING, NULL);
    if (store_row(s, q, e))
        sqlite3_reset(q);
    sqlite3_bind_null(q, 2);
    return e->code == ERR_NONE;
}

bool store_postings(struct store *s, str term, posting_visit *visit, void *ctx, struct err *e)
{
    return read_postings(s, READ("fts"), term, visit, ctx, e);
}

bool store_code_postings(struct store *s, str term, posting_visit *visit, void *ctx, struct err *e)
{
    return read_postings(s, READ("code_fts"), term, visit, ctx, e);
}

bool store_commit_postings(struct store *s, str term, posting_visit *visit, void *ctx,
                           struct err *e)
{
    return read_postings(s, READ("commit_fts"), term, visit, ctx, e);
}

bool store_merge_postings(struct store *s, struct err *e)
{
    enum { MOST_SEGMENTS = 8, MAX_STEPS = 1000 };
    static const struct {
        const char *segments, *merge; /* a step: 200 pages of 4 kB */
    } indexes[] = {
        {"SELECT count(DISTINCT segid) FROM code_fts_idx",
         "INSERT INTO code_fts (code_fts, rank) VALUES ('merge', -200)"},
        {"SELECT count(DISTINCT segid) FROM commit_fts_idx",
         "INSERT INTO commit_fts (commit_fts, rank) VALUES ('merge', -200)"},
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
        for (int step = 0; ok && step < MAX_STEPS; step++) {
            int64_t segments;
            if (!store_begin_derived(s, e))
                return false;
            ok = store_number(s, e, &segments, 0, indexes[i].segments, "");
            bool merges = ok && segments > MOST_SEGMENTS;
            ok = store_end(s, ok && (!merges || store_run(s, e, indexes[i].merge, "")), e) && ok;
            if (!merges)
                break;
        }
    return ok;
}
