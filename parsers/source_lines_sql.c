/* SQL of any dialect: what CREATE makes, the tables that statements name, what they call. The
 * dialects differ too much for one grammar; where a statement begins and ends they agree. */
#include "parsers/source_lines.h"

#include <strings.h>

enum {
    MAX_NAME_PARTS = 4, /* "server.database.schema.table" */
    NO_MARK = SIZE_MAX,
};

struct sql_name {
    str parts[MAX_NAME_PARTS];
    size_t count;
    size_t at, end; /* bytes of the whole */
};

struct sql {
    struct line_scan *scan;
    size_t symbol; /* what the statement makes, or NO_MARK */
    size_t start;  /* of the statement's CREATE */
    enum symbol_kind kind;
    str tag;           /* of the $tag$ that is open, else empty */
    int depth, blocks; /* open brackets; BEGIN and CASE without their END */
    bool wants_table;  /* an ON of this statement names one */
};

static const struct {
    const char *word;
    enum symbol_kind kind;
} created[] = {
    {"function", SYMBOL_FUNCTION},  {"index", SYMBOL_KEY},        {"procedure", SYMBOL_FUNCTION},
    {"proc", SYMBOL_FUNCTION},      {"schema", SYMBOL_NAMESPACE}, {"sequence", SYMBOL_VARIABLE},
    {"table", SYMBOL_TABLE},        {"trigger", SYMBOL_EVENT},    {"type", SYMBOL_TYPE},
    {"domain", SYMBOL_TYPE},        {"view", SYMBOL_TABLE},       {"package", SYMBOL_MODULE},
    {"aggregate", SYMBOL_FUNCTION}, {"policy", SYMBOL_KEY},
};

/* What may stand between CREATE and what is created. */
static const char modifiers[] =
    "alter bitmap body clustered columnstore concurrently constraint definer editionable external"
    " foreign fulltext global local materialized nonclustered nonunique or private public recursive"
    " replace security spatial sql temp temporary trusted unique unlogged virtual";

/* What may stand between that and its name. */
static const char conditions[] = "concurrently exists if not only";

/* What a column's line begins with when it defines none. */
static const char constraints[] =
    "check constraint exclude foreign fulltext index key like period primary spatial unique";

/* The name of a table follows. */
static const char before_table[] = "from into join references table update using";

/* These before a bracket are no calls. */
static const char no_calls[] =
    "all and any as by case check cube else enum except exists filter from group having if in index"
    " insert int interval into intersect is join key like limit not null numeric decimal char"
    " varchar nvarchar varchar2 nchar on or order out over partition primary references return"
    " returning returns rollup row select set sets some table then union unique update using"
    " values varying when where with within";

static bool is_word(struct token t, const char *words)
{
    return t.type == TOKEN_WORD && word_among(t.text, str_of(words));
}

/* A word, or one in the quotes of names. */
static bool is_name(const struct line_scan *s, struct token t)
{
    return t.type == TOKEN_WORD ||
           (t.type == TOKEN_STRING && s->text.at[t.at] != '\'' && t.text.len > 0);
}

/* Reads "a.b"."c" or [a].[b] that begins with t; the token behind it. */
static struct token read_name(struct line_scan *s, struct token t, struct sql_name *out)
{
    *out = (struct sql_name){.at = t.at, .end = t.at};
    for (;;) {
        bool bracket = token_is(t, '[');
        if (bracket)
            t = scan_token(s);
        if (!is_name(s, t) || out->count == MAX_NAME_PARTS)
            return t;
        out->parts[out->count++] = t.text;
        out->end = t.end;
        t = scan_token(s);
        if (bracket && token_is(t, ']')) {
            out->end = t.end;
            t = scan_token(s);
        }
        if (!token_is(t, '.'))
            return t;
        t = scan_token(s);
    }
}

/* The parts before the last one. */
static str name_owner(const struct line_scan *s, const struct sql_name *n)
{
    str owner = S("");
    for (size_t i = 0; i + 1 < n->count; i++)
        owner = owner.len
                    ? arena_printf(&s->source->scratch, "%.*s.%.*s", FMT(owner), FMT(n->parts[i]))
                    : n->parts[i];
    return owner;
}

static void refer(struct sql *q, enum reference_kind kind, const struct sql_name *n)
{
    if (n->count > 0)
        scan_reference(q->scan, kind, name_owner(q->scan, n), n->parts[n->count - 1], n->at);
}

static void end_statement(struct sql *q, size_t end)
{
    if (q->symbol != NO_MARK)
        scan_end_symbol(q->scan, q->symbol, end);
    *q = (struct sql){.scan = q->scan, .symbol = NO_MARK, .tag = S("")};
}

/* The columns of "(" a type, ...")": the first word behind each comma. The token behind the ")". */
static struct token add_columns(struct sql *q)
{
    struct line_scan *s = q->scan;
    int depth = 1;
    size_t column = NO_MARK;
    bool first = true;
    struct token t = scan_token(s);
    for (; t.type != TOKEN_END; t = scan_token(s)) {
        depth += token_is(t, '(') ? 1 : token_is(t, ')') ? -1 : 0;
        bool ends = depth == 0 || (depth == 1 && token_is(t, ','));
        if (ends && column != NO_MARK) {
            scan_end_symbol(s, column, s->earlier);
            s->source->marks.at[column].body = (uint32_t)s->earlier;
            column = NO_MARK;
        }
        if (depth == 0)
            return scan_token(s);
        if (first && is_name(s, t) && !is_word(t, constraints))
            column = scan_symbol(s, SYMBOL_FIELD, t.text, t.at, t.end);
        first = ends || (first && token_is(t, '['));
        if (is_word(t, "references")) {
            struct sql_name n;
            struct token next = read_name(s, scan_token(s), &n);
            refer(q, REF_TYPE, &n);
            scan_back(s, next);
        }
    }
    return t;
}

/* Behind CREATE; the token behind what was taken. */
static struct token begin_create(struct sql *q, size_t start)
{
    struct line_scan *s = q->scan;
    struct token t = scan_token(s);
    while (is_word(t, modifiers))
        t = scan_token(s);
    size_t row = 0, count = sizeof created / sizeof *created;
    while (row < count &&
           !(t.type == TOKEN_WORD && str_eq_nocase(t.text, str_of(created[row].word))))
        row++;
    if (row == count)
        return t;
    struct sql_name n;
    do
        t = scan_token(s);
    while (is_word(t, conditions) || is_word(t, "body"));
    t = read_name(s, t, &n);
    if (n.count == 0)
        return t;
    q->kind = created[row].kind;
    q->start = start;
    q->wants_table = q->kind == SYMBOL_KEY || q->kind == SYMBOL_EVENT;
    q->symbol = scan_symbol(s, q->kind, n.parts[n.count - 1], start, n.end);
    s->source->marks.at[q->symbol].owner = name_owner(s, &n);
    if (q->kind == SYMBOL_TABLE && token_is(t, '('))
        return add_columns(q);
    if (q->kind == SYMBOL_FUNCTION && token_is(t, '(')) { /* its parameters are of its signature */
        for (int depth = 1; depth > 0 && t.type != TOKEN_END;) {
            t = scan_token(s);
            depth += token_is(t, '(') ? 1 : token_is(t, ')') ? -1 : 0;
        }
        s->source->marks.at[q->symbol].body = (uint32_t)t.end;
        t = scan_token(s);
    }
    return t;
}

/* $tag$ begins a body, or ends the one that it began. */
static bool take_tag(struct sql *q, struct token t)
{
    bool tag = t.type == TOKEN_WORD && t.text.len >= 2 && t.text.at[0] == '$' &&
               t.text.at[t.text.len - 1] == '$';
    if (tag && q->tag.len == 0)
        q->tag = t.text;
    else if (tag && str_eq(q->tag, t.text))
        q->tag = S("");
    return tag;
}

/* A word of a statement, and the name behind it where it tells of one; the token behind. */
static struct token take_word(struct sql *q, struct token t)
{
    struct line_scan *s = q->scan;
    struct sql_name n;
    bool table = is_word(t, before_table) || (q->wants_table && is_word(t, "on"));
    bool call = is_word(t, "exec execute call perform");
    if (!table && !call) {
        struct token next = read_name(s, t, &n);
        bool plain = n.count == 1 && is_word(t, no_calls);
        if (token_is(next, '(') && !plain)
            refer(q, REF_CALL, &n);
        return next;
    }
    q->wants_table &= !is_word(t, "on");
    do
        t = scan_token(s);
    while (is_word(t, conditions) || is_word(t, "lateral function procedure"));
    if (is_word(t, "cascade no of on or restrict select set skip values") || !is_name(s, t))
        return t;
    t = read_name(s, t, &n);
    refer(q, call || (token_is(t, '(') && !table) ? REF_CALL : REF_TYPE, &n);
    return t;
}

/* Blocks of a routine that is not in quotes: a ; in them ends nothing. */
static void count_blocks(struct sql *q, struct token t, struct token next)
{
    if (q->kind != SYMBOL_FUNCTION && q->kind != SYMBOL_EVENT && q->kind != SYMBOL_MODULE)
        return;
    if (is_word(t, "begin case"))
        q->blocks++;
    else if (is_word(t, "end") && q->blocks > 0 && !is_word(next, "if loop while repeat"))
        q->blocks--;
}

void rules_sql(struct line_scan *s)
{
    struct sql q = {.scan = s, .symbol = NO_MARK, .tag = S("")};
    struct token t = scan_token(s);
    while (t.type != TOKEN_END) {
        q.depth += token_is(t, '(') ? 1 : token_is(t, ')') && q.depth > 0 ? -1 : 0;
        bool inside = q.tag.len > 0 || q.depth > 0 || q.blocks > 0;
        if (take_tag(&q, t)) {
            t = scan_token(s);
        } else if (!inside && (token_is(t, ';') || is_word(t, "go"))) {
            end_statement(&q, s->earlier);
            t = scan_token(s);
        } else if (!inside && is_word(t, "create")) {
            end_statement(&q, s->earlier);
            t = begin_create(&q, t.at);
        } else if (is_name(s, t) || token_is(t, '[')) {
            struct token next = take_word(&q, t);
            count_blocks(&q, t, next);
            t = next;
        } else {
            t = scan_token(s);
        }
    }
    end_statement(&q, s->end);
}
