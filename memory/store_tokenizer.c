/* tokenize='engram': the index is made of the same tokens as queries and names (memory/text.h). A
 * search asks for one of these tokens, which isn't taken apart again. */
#include "memory/store_sql.h"

#include "memory/text.h"

struct relay {
    void *ctx;
    int (*token)(void *, int, const char *, int, int, int);
    int code;
    int64_t words, telling;
};

static bool relay_token(void *ctx, const struct token *t)
{
    struct relay *r = ctx;
    r->words += !t->colocated;
    r->telling += !t->colocated && !t->stop;
    r->code = r->token(r->ctx, t->colocated ? FTS5_TOKEN_COLOCATED : 0, t->text, (int)t->len,
                       (int)t->from, (int)t->to);
    return r->code == SQLITE_OK;
}

static int relay_ready(void *ctx, str token, bool colocated)
{
    struct relay *r = ctx;
    return r->token(r->ctx, colocated ? FTS5_TOKEN_COLOCATED : 0, token.at, (int)token.len, 0, 0);
}

/* NULL: nobody took it apart before. */
static const struct index_text *ready_for(const struct indexed_words *indexed, str text)
{
    for (size_t i = 0; i < indexed->ready_count; i++)
        if (str_eq(indexed->ready[i].text, text))
            return &indexed->ready[i];
    return NULL;
}

/* To an index it doesn't matter where in the text a token stands. */
static void take_apart(const struct indexed_words *indexed, str text, struct relay *r)
{
    const struct index_text *ready = ready_for(indexed, text);
    if (!ready) {
        text_tokens(text, relay_token, r);
        return;
    }
    r->words = ready->words;
    r->telling = ready->telling;
    r->code = index_text_each(ready, relay_ready, r);
}

static int tokenize(Fts5Tokenizer *tokenizer, void *ctx, int flags, const char *text, int bytes,
                    int (*token)(void *, int, const char *, int, int, int))
{
    struct indexed_words *indexed = (struct indexed_words *)(void *)tokenizer;
    if (flags & FTS5_TOKENIZE_QUERY)
        return token(ctx, 0, text, bytes, 0, bytes);
    struct relay r = {ctx, token, SQLITE_OK, 0, 0};
    take_apart(indexed, str_from(text ? text : "", (size_t)bytes), &r);
    indexed->of_last = r.words;
    if (indexed->columns < sizeof indexed->telling / sizeof *indexed->telling)
        indexed->telling[indexed->columns++] = r.telling;
    return r.code;
}

static int create(void *ctx, const char **arguments, int count, Fts5Tokenizer **out)
{
    (void)arguments;
    (void)count;
    *out = ctx;
    return SQLITE_OK;
}

static void destroy(Fts5Tokenizer *tokenizer)
{
    (void)tokenizer;
}

bool store_register_tokenizer(sqlite3 *db, struct indexed_words *indexed, struct err *e)
{
    fts5_api *api = NULL;
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &stmt, NULL) == SQLITE_OK) {
        sqlite3_bind_pointer(stmt, 1, &api, "fts5_api_ptr", NULL);
        sqlite3_step(stmt);
    }
    sqlite3_finalize(stmt);
    static fts5_tokenizer engram = {create, destroy, tokenize};
    if (!api || api->xCreateTokenizer(api, "engram", indexed, &engram, NULL) != SQLITE_OK ||
        store_register_postings(api) != SQLITE_OK)
        return fail(e, ERR_DB, "this SQLite has no FTS5: %s", sqlite3_errmsg(db));
    return true;
}
