/* .proto and GraphQL: declarations of a word and a name, with braces around what belongs to them.
 */
#include "parsers/source_lines.h"

enum {
    MAX_BRACES = 64,       /* inside each other that may belong to symbols */
    NO_MARK = SIZE_MAX,    /* a brace of none */
    MAX_HEAD_BYTES = 1024, /* of a declaration up to its brace that are looked at */
};

/* Which symbol's mark each open brace belongs to. */
struct braces {
    size_t symbols[MAX_BRACES];
    size_t depth; /* may go beyond the array */
};

static void open_brace(struct braces *b, size_t symbol)
{
    if (b->depth < MAX_BRACES)
        b->symbols[b->depth] = symbol;
    b->depth++;
}

static void close_brace(struct line_scan *s, struct braces *b)
{
    if (b->depth == 0)
        return;
    b->depth--;
    if (b->depth < MAX_BRACES && b->symbols[b->depth] != NO_MARK)
        scan_end_symbol(s, b->symbols[b->depth], s->at);
}

/* The first of `ends` behind `from`, or the end of what is looked at. */
static size_t head_end(const struct line_scan *s, size_t from, const char *ends)
{
    size_t i = from,
           limit = s->text.len - from < MAX_HEAD_BYTES ? s->text.len : from + MAX_HEAD_BYTES;
    while (i < limit && (!s->text.at[i] || !strchr(ends, s->text.at[i])))
        i++;
    return i;
}

/* ---- .proto ---- */

static const struct {
    const char *word;
    enum symbol_kind kind;
} proto_words[] = {
    {"enum", SYMBOL_ENUM},
    {"message", SYMBOL_MESSAGE},
    {"service", SYMBOL_SERVICE},
};

static bool proto_kind(str word, enum symbol_kind *kind)
{
    for (size_t i = 0; i < sizeof proto_words / sizeof *proto_words; i++)
        if (str_eq(word, str_of(proto_words[i].word))) {
            *kind = proto_words[i].kind;
            return true;
        }
    return false;
}

/* "a.b.C" as qualifier "a.b" and name "C". */
static void add_type(struct line_scan *s, struct token t)
{
    static const char scalars[] = "bool bytes double fixed32 fixed64 float int32 int64 sfixed32"
                                  " sfixed64 sint32 sint64 string uint32 uint64";
    str type = t.text;
    if (word_among(type, str_of(scalars)))
        return;
    size_t dot = type.len;
    while (dot > 0 && type.at[dot - 1] != '.')
        dot--;
    scan_reference(s, REF_TYPE, str_cut(type, 0, dot ? dot - 1 : 0), str_cut(type, dot, type.len),
                   t.at);
}

/* "rpc Get (stream A) returns (B)": what is in brackets are types. */
static void add_rpc(struct line_scan *s, struct braces *b, struct token word)
{
    struct token name = scan_token(s), t;
    if (name.type != TOKEN_WORD)
        return;
    size_t symbol = scan_symbol(s, SYMBOL_METHOD, name.text, word.at, head_end(s, word.at, "{;"));
    bool inside = false;
    do {
        t = scan_token(s);
        inside = token_is(t, '(') || (inside && !token_is(t, ')'));
        if (inside && t.type == TOKEN_WORD && !str_eq(t.text, S("stream")))
            add_type(s, t);
    } while (t.type != TOKEN_END && !token_is(t, ';') && !token_is(t, '{') && !token_is(t, '}'));
    if (token_is(t, '{'))
        open_brace(b, symbol);
    else if (token_is(t, '}'))
        scan_back(s, t);
}

static void add_proto_import(struct line_scan *s)
{
    struct token t = scan_token(s);
    while (t.type == TOKEN_WORD) /* public, weak, option */
        t = scan_token(s);
    if (t.type == TOKEN_STRING)
        scan_reference(s, REF_IMPORT, t.text, S(""), t.at);
}

/* To behind the statement's ";", or to the "}" around it. */
static void skip_statement(struct line_scan *s)
{
    int depth = 0;
    for (struct token t = scan_token(s); t.type != TOKEN_END; t = scan_token(s)) {
        depth += token_is(t, '{') ? 1 : token_is(t, '}') ? -1 : 0;
        if (depth < 0)
            scan_back(s, t);
        if (depth < 0 || (depth == 0 && token_is(t, ';')))
            return;
    }
}

/* "repeated a.B name = 1", "map<string, B> name = 2", of an enum "A = 0". */
static void add_field_types(struct line_scan *s, struct token t)
{
    if (str_eq(t.text, S("repeated")) || str_eq(t.text, S("optional")) ||
        str_eq(t.text, S("required")))
        t = scan_token(s);
    struct token next = scan_token(s);
    if (next.type == TOKEN_WORD)
        add_type(s, t);
    else if (!token_is(next, '<'))
        scan_back(s, next);
    else
        for (t = scan_token(s); t.type == TOKEN_WORD || token_is(t, ','); t = scan_token(s))
            if (t.type == TOKEN_WORD)
                add_type(s, t);
    skip_statement(s);
}

static bool proto_skips(str word)
{
    static const char skipped[] = "edition extensions option reserved syntax";
    return word_among(word, str_of(skipped));
}

static void add_proto_statement(struct line_scan *s, struct braces *b, struct token t)
{
    enum symbol_kind kind;
    if (proto_kind(t.text, &kind)) {
        struct token name = scan_token(s), brace = scan_token(s);
        if (name.type == TOKEN_WORD && token_is(brace, '{'))
            open_brace(b, scan_symbol(s, kind, name.text, t.at, brace.at));
        else
            scan_back(s, brace);
    } else if (str_eq(t.text, S("rpc"))) {
        add_rpc(s, b, t);
    } else if (str_eq(t.text, S("import"))) {
        add_proto_import(s);
    } else if (str_eq(t.text, S("package"))) {
        struct token name = scan_token(s);
        scan_symbol(s, SYMBOL_NAMESPACE, name.text, t.at, name.end);
    } else if (str_eq(t.text, S("oneof")) || str_eq(t.text, S("extend"))) {
        scan_token(s); /* the brace behind its name belongs to no symbol */
    } else if (proto_skips(t.text)) {
        skip_statement(s);
    } else {
        add_field_types(s, t);
    }
}

void rules_proto(struct line_scan *s)
{
    struct braces b = {0};
    for (struct token t = scan_token(s); t.type != TOKEN_END; t = scan_token(s)) {
        if (token_is(t, '{'))
            open_brace(&b, NO_MARK);
        else if (token_is(t, '}'))
            close_brace(s, &b);
        else if (t.type == TOKEN_WORD)
            add_proto_statement(s, &b, t);
    }
}

/* ---- GraphQL ---- */

/* What a declaration's body holds. */
enum body { BODY_NONE, BODY_FIELDS, BODY_SELECTION };

static const struct {
    const char *word;
    enum symbol_kind kind;
    enum body body;
} graphql_words[] = {
    {"enum", SYMBOL_ENUM, BODY_FIELDS},
    {"fragment", SYMBOL_FUNCTION, BODY_SELECTION},
    {"input", SYMBOL_STRUCT, BODY_FIELDS},
    {"interface", SYMBOL_INTERFACE, BODY_FIELDS},
    {"mutation", SYMBOL_FUNCTION, BODY_SELECTION},
    {"query", SYMBOL_FUNCTION, BODY_SELECTION},
    {"scalar", SYMBOL_TYPE, BODY_NONE},
    {"subscription", SYMBOL_FUNCTION, BODY_SELECTION},
    {"type", SYMBOL_CLASS, BODY_FIELDS},
    {"union", SYMBOL_UNION, BODY_NONE},
};

static void add_named_type(struct line_scan *s, enum reference_kind kind, struct token t)
{
    if (!word_among(t.text, S("Boolean Float ID Int String")))
        scan_reference(s, kind, S(""), t.text, t.at);
}

/* A description tells of what stands below it, as a comment does. */
static void note_description(struct line_scan *s, struct token t)
{
    source_add_comment(s->source, (uint32_t)t.at, (uint32_t)t.end);
}

/* Behind "(": to its ")", with the types behind a colon where wanted. */
static void skip_arguments(struct line_scan *s, bool with_types)
{
    bool behind_colon = false;
    int depth = 1, values = 0; /* values: braces of a default */
    while (depth > 0) {
        struct token t = scan_token(s);
        if (t.type == TOKEN_END)
            return;
        depth += token_is(t, '(') ? 1 : token_is(t, ')') ? -1 : 0;
        values += token_is(t, '{') ? 1 : token_is(t, '}') ? -1 : 0;
        if (with_types && behind_colon && values == 0 && t.type == TOKEN_WORD)
            add_named_type(s, REF_TYPE, t);
        behind_colon = token_is(t, ':') || (behind_colon && token_is(t, '['));
    }
}

/* Behind "@": the directive's name and arguments; the token behind them. */
static struct token skip_directive(struct line_scan *s)
{
    scan_token(s);
    struct token t = scan_token(s);
    if (!token_is(t, '('))
        return t;
    skip_arguments(s, false);
    return scan_token(s);
}

/* "name(arguments): [Type!]! = value" one after the other, to the "}". */
static void add_fields(struct line_scan *s, bool are_symbols)
{
    struct token t = scan_token(s);
    while (t.type != TOKEN_END && !token_is(t, '}')) {
        struct token name = t;
        if (t.type == TOKEN_STRING)
            note_description(s, t);
        t = token_is(t, '@') ? skip_directive(s) : scan_token(s);
        if (name.type != TOKEN_WORD || !(token_is(t, '(') || token_is(t, ':')))
            continue;
        size_t field = NO_MARK;
        if (are_symbols)
            field = scan_symbol(s, SYMBOL_METHOD, name.text, name.at, name.end);
        if (token_is(t, '(')) {
            skip_arguments(s, true);
            t = scan_token(s);
        }
        while (token_is(t, ':') || token_is(t, '['))
            t = scan_token(s);
        if (t.type != TOKEN_WORD)
            continue;
        add_named_type(s, REF_TYPE, t);
        do
            t = scan_token(s);
        while (token_is(t, '!') || token_is(t, ']'));
        if (field != NO_MARK) {
            scan_end_symbol(s, field, s->earlier);
            s->source->marks.at[field].body = (uint32_t)s->earlier;
        }
    }
}

/* Fragments are called: "...Name"; so are the fields of an operation's outermost level. */
static void add_selection(struct line_scan *s, bool fields)
{
    int depth = 1, dots = 0;
    struct token t = scan_token(s), next;
    for (; t.type != TOKEN_END; t = next) {
        depth += token_is(t, '{') ? 1 : token_is(t, '}') ? -1 : 0;
        if (depth == 0)
            return;
        next = token_is(t, '@') ? skip_directive(s) : scan_token(s);
        if (token_is(t, '('))
            scan_back(s, next), skip_arguments(s, false), next = scan_token(s);
        bool spread = dots == 3;
        dots = token_is(t, '.') ? dots + 1 : 0;
        if (t.type != TOKEN_WORD)
            continue;
        if (spread && str_eq(t.text, S("on")) && next.type == TOKEN_WORD) {
            add_named_type(s, REF_TYPE, next);
            next = scan_token(s);
        } else if (spread || (fields && depth == 1 && !token_is(next, ':'))) {
            scan_reference(s, REF_CALL, S(""), t.text, t.at);
        }
    }
}

/* What stands between a declaration's name and its body: types it is made of, arguments. The token
 * behind it, which is "{" where there is a body. */
static struct token add_head(struct line_scan *s, enum symbol_kind kind)
{
    struct token t = scan_token(s);
    for (;;) {
        if (token_is(t, '@')) {
            t = skip_directive(s);
            continue;
        }
        if (token_is(t, '(')) {
            skip_arguments(s, true);
        } else if (str_eq(t.text, S("implements")) || str_eq(t.text, S("on")) || token_is(t, '&') ||
                   token_is(t, '|') || token_is(t, '=')) {
            do
                t = scan_token(s);
            while (token_is(t, '&') || token_is(t, '|'));
            if (t.type != TOKEN_WORD)
                return t;
            add_named_type(
                s, kind == SYMBOL_CLASS || kind == SYMBOL_INTERFACE ? REF_INHERIT : REF_TYPE, t);
        } else {
            return t;
        }
        t = scan_token(s);
    }
}

/* The token behind the declaration. */
static struct token add_declaration(struct line_scan *s, size_t row, struct token word)
{
    struct token name = scan_token(s);
    if (name.type != TOKEN_WORD)
        return name;
    enum symbol_kind kind = graphql_words[row].kind;
    size_t symbol = scan_symbol(s, kind, name.text, word.at, head_end(s, word.at, "{\n"));
    struct token t = add_head(s, kind);
    scan_end_symbol(s, symbol, s->earlier);
    if (!token_is(t, '{') || graphql_words[row].body == BODY_NONE)
        return t;
    if (graphql_words[row].body == BODY_FIELDS)
        add_fields(s, word_among(name.text, S("Mutation Query Subscription")));
    else
        add_selection(s, !str_eq(word.text, S("fragment")));
    scan_end_symbol(s, symbol, s->at);
    return scan_token(s);
}

void rules_graphql(struct line_scan *s)
{
    struct token t = scan_token(s);
    while (t.type != TOKEN_END) {
        size_t row = 0, count = sizeof graphql_words / sizeof *graphql_words;
        while (t.type == TOKEN_WORD && row < count &&
               !str_eq(t.text, str_of(graphql_words[row].word)))
            row++;
        if (t.type == TOKEN_STRING)
            note_description(s, t);
        t = t.type == TOKEN_WORD && row < count ? add_declaration(s, row, t) : scan_token(s);
    }
}
