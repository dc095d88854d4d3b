#include "parsers/source_query.h"

#include "embed_lang.h"
#include "memory/base/regex.h"
#include "parsers/source_declarator.h"
#include "parsers/source_imports.h"

/* What a capture's name says. */
enum use {
    USE_NOTHING, /* "_x": for predicates alone */
    USE_DEFINITION,
    USE_REFERENCE,
    USE_CONTAINER,
    USE_NAME,
    USE_OWNER,
    USE_QUALIFIER,
    USE_MODULE,
    USE_ALIAS,
    USE_BODY,
    USE_DECLARATOR,
    USE_TAG,
    USE_PATH,
    USE_TREE,
    USE_VARIABLE,
    USE_TYPE,
    USE_COMMENT,
    USE_LONE, /* a mark of its own */
};

struct capture {
    enum use use;
    uint8_t kind; /* symbol_kind, reference_kind, or of USE_LONE the role of its mark */
};

static const struct {
    const char *name;
    struct capture means;
} captures[] = {
    {"name", {USE_NAME, 0}},
    {"owner", {USE_OWNER, 0}},
    {"qualifier", {USE_QUALIFIER, 0}},
    {"module", {USE_MODULE, 0}},
    {"alias", {USE_ALIAS, 0}},
    {"body", {USE_BODY, 0}},
    {"declarator", {USE_DECLARATOR, 0}},
    {"tag", {USE_TAG, 0}},
    {"path", {USE_PATH, 0}},
    {"tree", {USE_TREE, 0}},
    {"variable", {USE_VARIABLE, SYMBOL_VARIABLE}},
    {"type", {USE_TYPE, 0}},
    {"parameter.type", {USE_LONE, MARK_TYPE_NAME}},
    {"comment", {USE_COMMENT, 0}},
    {"container", {USE_CONTAINER, 0}},
    {"lead", {USE_LONE, MARK_LEAD}},
    {"outer", {USE_LONE, MARK_OUTER}},
    {"private", {USE_LONE, MARK_PRIVATE}},
    {"internal", {USE_LONE, MARK_INTERNAL}},
    {"inner", {USE_LONE, MARK_INNER}},
    {"forward", {USE_LONE, MARK_FORWARD}},
    {"exported", {USE_LONE, MARK_EXPORTED}},
    {"visible", {USE_LONE, MARK_VISIBLE}},
    {"doc", {USE_LONE, MARK_DOC}},
    {"reference.call", {USE_REFERENCE, REF_CALL}},
    {"reference.inherit", {USE_REFERENCE, REF_INHERIT}},
    {"reference.type", {USE_REFERENCE, REF_TYPE}},
    {"reference.import", {USE_REFERENCE, REF_IMPORT}},
};

struct predicate {
    bool wanted;         /* what the comparison must give */
    uint32_t capture;    /* each node of it */
    bool with_capture;   /* compared with another capture's first node */
    uint32_t other;      /* that one */
    struct regex *regex; /* or searched by this */
    str *values;         /* or any of these */
    uint32_t value_count;
};

struct pattern {
    uint32_t first, end; /* its predicates */
    str name, alias;     /* by #set!; empty: not set */
    bool goes_on;
};

struct source_query {
    TSQuery *query;
    TSFieldId body_field, declarator_field, name_field;
    struct capture *captures;
    struct pattern *patterns;
    uint32_t pattern_count;
    struct predicate *predicates;
    uint32_t predicate_count;
    struct arena arena;
};

/* ---- compiling ---- */

static bool capture_means(str name, struct capture *out, struct err *e)
{
    enum symbol_kind kind;
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++)
        if (str_eq(name, str_of(captures[i].name))) {
            *out = captures[i].means;
            return true;
        }
    if (name.len && name.at[0] == '_') {
        *out = (struct capture){USE_NOTHING, 0};
        return true;
    }
    if (str_starts(name, S("definition.")) &&
        symbol_kind_parse(str_cut(name, S("definition.").len, name.len), &kind)) {
        *out = (struct capture){USE_DEFINITION, (uint8_t)kind};
        return true;
    }
    return fail(e, ERR_INPUT, "@%.*s is no capture of ours", FMT(name));
}

static str string_of(const struct source_query *q, uint32_t id)
{
    uint32_t length;
    const char *at = ts_query_string_value_for_id(q->query, id, &length);
    return str_from(at, length);
}

static bool compile_captures(struct source_query *q, struct err *e)
{
    uint32_t count = ts_query_capture_count(q->query);
    q->captures = ARENA_ARRAY(&q->arena, struct capture, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length;
        const char *name = ts_query_capture_name_for_id(q->query, i, &length);
        if (!capture_means(str_from(name, length), &q->captures[i], e))
            return false;
    }
    return true;
}

/* (#set! name "default"), the same with alias; (#set! goes-on "yes"). */
static bool compile_set(struct source_query *q, struct pattern *p,
                        const TSQueryPredicateStep *steps, uint32_t count, struct err *e)
{
    bool fits = count == 3 && steps[1].type == TSQueryPredicateStepTypeString &&
                steps[2].type == TSQueryPredicateStepTypeString;
    str key = fits ? string_of(q, steps[1].value_id) : S("");
    if (str_eq(key, S("name")))
        p->name = string_of(q, steps[2].value_id);
    else if (str_eq(key, S("alias")))
        p->alias = string_of(q, steps[2].value_id);
    else if (str_eq(key, S("goes-on")))
        p->goes_on = true;
    else
        return fail(e, ERR_INPUT, "#set! takes name, alias or goes-on, and a text");
    return true;
}

/* One predicate of `count` steps: its name, a capture, and texts or one more capture. */
static bool compile_predicate(struct source_query *q, struct pattern *p,
                              const TSQueryPredicateStep *steps, uint32_t count, struct err *e)
{
    str name = string_of(q, steps[0].value_id), operation = name;
    if (str_eq(name, S("set!")))
        return compile_set(q, p, steps, count, e);
    struct predicate *made = &q->predicates[q->predicate_count++];
    made->wanted = !str_starts(name, S("not-"));
    if (!made->wanted)
        operation = str_cut(name, S("not-").len, name.len);
    bool eq = str_eq(operation, S("eq?")), match = str_eq(operation, S("match?"));
    if (!eq && !match && !str_eq(operation, S("any-of?")))
        return fail(e, ERR_INPUT, "#%.*s is no predicate of ours", FMT(name));
    if (count < 3 || ((eq || match) && count > 3) ||
        steps[1].type != TSQueryPredicateStepTypeCapture)
        return fail(e, ERR_INPUT, "#%.*s takes a capture and what to compare it with", FMT(name));

    made->capture = steps[1].value_id;
    if (eq && steps[2].type == TSQueryPredicateStepTypeCapture) {
        made->with_capture = true;
        made->other = steps[2].value_id;
        return true;
    }
    made->values = ARENA_ARRAY(&q->arena, str, count - 2);
    for (uint32_t i = 2; i < count; i++) {
        if (steps[i].type != TSQueryPredicateStepTypeString)
            return fail(e, ERR_INPUT, "#%.*s takes texts behind its capture", FMT(name));
        made->values[made->value_count++] = string_of(q, steps[i].value_id);
    }
    if (match)
        made->regex = regex_compile(arena_cstr(&q->arena, made->values[0]), false, e);
    return !match || made->regex;
}

static bool compile_pattern(struct source_query *q, uint32_t pattern, struct err *e)
{
    struct pattern *p = &q->patterns[pattern];
    uint32_t count;
    const TSQueryPredicateStep *steps = ts_query_predicates_for_pattern(q->query, pattern, &count);
    p->first = q->predicate_count;
    for (uint32_t from = 0, i = 0; i < count; i++) {
        if (steps[i].type != TSQueryPredicateStepTypeDone)
            continue;
        if (!compile_predicate(q, p, steps + from, i - from, e))
            return false;
        from = i + 1;
    }
    p->end = q->predicate_count;
    return true;
}

static uint32_t count_predicates(const TSQuery *query)
{
    uint32_t found = 0;
    for (uint32_t pattern = 0; pattern < ts_query_pattern_count(query); pattern++) {
        uint32_t count;
        const TSQueryPredicateStep *steps = ts_query_predicates_for_pattern(query, pattern, &count);
        for (uint32_t i = 0; i < count; i++)
            found += steps[i].type == TSQueryPredicateStepTypeDone;
    }
    return found;
}

static bool compile_patterns(struct source_query *q, struct err *e)
{
    q->pattern_count = ts_query_pattern_count(q->query);
    q->patterns = ARENA_ARRAY(&q->arena, struct pattern, q->pattern_count);
    q->predicates = ARENA_ARRAY(&q->arena, struct predicate, count_predicates(q->query));
    for (uint32_t i = 0; i < q->pattern_count; i++)
        if (!compile_pattern(q, i, e))
            return fail_context(e, "pattern %u, byte %u", i,
                                ts_query_start_byte_for_pattern(q->query, i));
    return true;
}

struct source_query *source_query_compile(const TSLanguage *grammar, str text, struct err *e)
{
    static const char *const wrong[] = {"",
                                        "syntax",
                                        "no such node",
                                        "no such field",
                                        "capture",
                                        "impossible structure",
                                        "other language"};
    uint32_t at = 0;
    TSQueryError error = TSQueryErrorNone;
    TSQuery *query = ts_query_new(grammar, text.at, (uint32_t)text.len, &at, &error);
    if (!query) {
        fail(e, ERR_INPUT, "%s at '%.*s'", wrong[error], FMT(str_cut(text, at, at + 60)));
        return NULL;
    }
    struct source_query *q = heap_alloc(1, sizeof *q);
    q->query = query;
    q->body_field = ts_language_field_id_for_name(grammar, "body", 4);
    q->declarator_field = ts_language_field_id_for_name(grammar, "declarator", 10);
    q->name_field = ts_language_field_id_for_name(grammar, "name", 4);
    if (compile_captures(q, e) && compile_patterns(q, e))
        return q;
    source_query_free(q);
    return NULL;
}

void source_query_free(struct source_query *q)
{
    if (!q)
        return;
    for (uint32_t i = 0; i < q->predicate_count; i++)
        regex_free(q->predicates[i].regex);
    ts_query_delete(q->query);
    arena_free(&q->arena);
    heap_free(q);
}

static str embedded(const char *name)
{
    for (size_t i = 0; i < embed_lang_count; i++) {
        str file = str_of(embed_lang_files[i].name);
        if (str_ends(file, S(".scm")) &&
            str_eq(str_cut(file, 0, file.len - S(".scm").len), str_of(name)))
            return str_from(embed_lang_files[i].text, embed_lang_files[i].size);
    }
    return S("");
}

str source_query_text(struct arena *a, const struct language *language)
{
    str names = str_of(language->queries ? language->queries : language->name), name;
    str text = S("");
    while (str_next_word(&names, &name))
        text = arena_printf(a, "%.*s%.*s", FMT(text), FMT(embedded(arena_cstr(a, name))));
    return text;
}

/* ---- running ---- */

static str node_text(const struct source *s, TSNode node)
{
    return str_cut(s->text, ts_node_start_byte(node), ts_node_end_byte(node));
}

static bool holds_for(const struct predicate *p, const struct source *s, const TSQueryMatch *match,
                      str text)
{
    if (p->regex) {
        str groups[REGEX_MAX_GROUPS];
        return regex_find(p->regex, text, 0, groups);
    }
    for (uint32_t i = 0; p->with_capture && i < match->capture_count; i++)
        if (match->captures[i].index == p->other)
            return str_eq(text, node_text(s, match->captures[i].node));
    for (uint32_t i = 0; i < p->value_count; i++)
        if (str_eq(text, p->values[i]))
            return true;
    return false;
}

/* A predicate on a capture that the match lacks holds. */
static bool predicates_hold(const struct source_query *q, const struct pattern *pattern,
                            const struct source *s, const TSQueryMatch *match)
{
    for (uint32_t i = pattern->first; i < pattern->end; i++) {
        const struct predicate *p = &q->predicates[i];
        for (uint32_t j = 0; j < match->capture_count; j++)
            if (match->captures[j].index == p->capture &&
                holds_for(p, s, match, node_text(s, match->captures[j].node)) != p->wanted)
                return false;
    }
    return true;
}

/* Without the quotes or angle brackets around it, the colon of Ruby's :symbol, or the scope that
 * PowerShell puts a function into. */
static str unquoted(str text)
{
    static const char *const scopes[] = {"global:", "script:", "local:", "private:"};
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        size_t length = strlen(scopes[i]);
        if (text.len > length && str_eq_nocase(str_cut(text, 0, length), str_of(scopes[i])))
            return str_cut(text, length, text.len);
    }
    if (text.len >= 2 && text.at[0] == ':')
        return str_cut(text, 1, text.len);
    static const char pairs[] = "\"\"''``<>";
    for (const char *pair = pairs; text.len >= 2 && *pair; pair += 2)
        if (text.at[0] == pair[0] && text.at[text.len - 1] == pair[1])
            return str_cut(text, 1, text.len - 1);
    return text;
}

/* `std::vector<int>::at` in one node: its last name, and what stands before it. */
static void take_path(const struct source_query *q, const struct source *s, TSNode node,
                      struct mark *m)
{
    struct declarator d = source_declarator(node, q->declarator_field, q->name_field);
    str name = node_text(s, d.name);
    m->name = str_cut(name, 0, str_find_char(name, '<', 0));
    m->name_at = ts_node_start_byte(d.name);
    m->qualifier = str_cut(s->text, ts_node_start_byte(d.qualified), m->name_at);
}

/* What a match says besides its mark. */
struct texts {
    str tree, tag;
    uint32_t body_end;
};

/* Both texts with what is between them: `a::b` of a and b. */
static str spanning(const struct source *s, str before, str text)
{
    if (!before.len || text.at < before.at)
        return text;
    size_t from = (size_t)(before.at - s->text.at);
    return str_cut(s->text, from, (size_t)(text.at - s->text.at) + text.len);
}

/* The same of owners; labels in quotes ("aws_x" "y") are joined by dots. */
static str owners(struct source *s, str before, str text)
{
    str both = spanning(s, before, text);
    return str_find_char(both, '"', 0) == both.len
               ? both
               : arena_printf(&s->scratch, "%.*s.%.*s", FMT(before), FMT(text));
}

/* Of a definition alone: what declares no function isn't one, and the other way round. */
static void take_declarator(const struct source_query *q, const struct source *s, TSNode node,
                            struct mark *m)
{
    struct declarator d = source_declarator(node, q->declarator_field, q->name_field);
    bool wants_function = m->kind == SYMBOL_FUNCTION || m->kind == SYMBOL_METHOD;
    bool is_variable = m->kind == SYMBOL_VARIABLE || m->kind == SYMBOL_FIELD;
    if (ts_node_is_null(d.name) || (wants_function && !d.is_function) ||
        (is_variable && d.is_function))
        return;
    m->name = node_text(s, d.name);
    m->name_at = ts_node_start_byte(d.name);
    m->owner = str_cut(s->text, ts_node_start_byte(d.qualified), m->name_at);
    if (m->owner.len && wants_function)
        m->kind = SYMBOL_METHOD;
}

static void take_node(const struct source_query *q, struct source *s, struct capture capture,
                      TSNode node, struct mark *m, struct texts *texts)
{
    uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
    str text = str_cut(s->text, start, end);
    switch (capture.use) {
    case USE_DEFINITION:
    case USE_CONTAINER:
    case USE_REFERENCE:
    case USE_VARIABLE:
        m->start = start;
        m->end = end;
        m->role = capture.use == USE_DEFINITION  ? MARK_DEFINITION
                  : capture.use == USE_CONTAINER ? MARK_CONTAINER
                  : capture.use == USE_VARIABLE  ? MARK_VARIABLE
                                                 : MARK_REFERENCE;
        m->kind = capture.kind;
        if (capture.use == USE_DEFINITION && q->body_field && !m->body) {
            TSNode body = ts_node_child_by_field_id(node, q->body_field);
            m->body = ts_node_is_null(body) ? 0 : ts_node_start_byte(body);
        }
        break;
    case USE_NAME:
        m->name = unquoted(text);
        if (m->role != MARK_REFERENCE || m->kind != REF_IMPORT)
            m->name_at = (uint32_t)(m->name.at - s->text.at);
        break;
    case USE_OWNER:
        m->owner = owners(s, m->owner, text);
        break;
    case USE_MODULE:
        m->name_at = start;
        m->qualifier = unquoted(text);
        break;
    case USE_TYPE:
        m->qualifier = text;
        break;
    case USE_QUALIFIER:
        m->qualifier = spanning(s, m->qualifier, unquoted(text));
        break;
    case USE_ALIAS:
        m->alias = text;
        break;
    case USE_BODY:
        m->body = start;
        texts->body_end = end;
        break;
    case USE_DECLARATOR:
        take_declarator(q, s, node, m);
        break;
    case USE_PATH:
        take_path(q, s, node, m);
        break;
    case USE_TAG:
        texts->tag = text;
        break;
    case USE_TREE:
        texts->tree = text;
        break;
    case USE_COMMENT:
        source_add_comment(s, start, end);
        break;
    case USE_LONE:
        source_add_mark(s, (enum mark_role)capture.kind, start, end)->name = text;
        break;
    case USE_NOTHING:
        break;
    }
}

static void take_match(const struct source_query *q, const TSQueryMatch *match, struct source *s)
{
    const struct pattern *pattern = &q->patterns[match->pattern_index];
    if (!predicates_hold(q, pattern, s, match))
        return;
    struct mark m = {.name_at = UINT32_MAX, .name = pattern->name, .alias = pattern->alias};
    struct texts texts = {.tree = S(""), .tag = S("")};
    for (uint32_t i = 0; i < match->capture_count; i++)
        take_node(q, s, q->captures[match->captures[i].index], match->captures[i].node, &m, &texts);
    if (m.start == m.end)
        return; /* marks of their own alone, or a node that the parser made up */
    if (texts.body_end > m.end)
        m.end = texts.body_end; /* a body that stands beside its head */
    m.goes_on = pattern->goes_on;
    if (texts.tag.len && str_eq(texts.tag, m.name))
        m.name = S(""); /* a struct's own typedef; later patterns may not have it either */
    m.rank = match->pattern_index;
    m.name_at = m.name_at == UINT32_MAX ? m.start : m.name_at;
    if (texts.tree.len) {
        source_import_tree(s, &m, texts.tree);
        return;
    }
    struct mark *added = source_add_mark(s, (enum mark_role)m.role, m.start, m.end);
    *added = m;
}

enum {
    /* Patterns half matched at one time. What is over it is lost, which a real source never meets.
     */
    MAX_MATCHES = 4096,
};

void source_query_marks(const struct source_query *q, TSQueryCursor *cursor, TSTree *tree,
                        struct source *s)
{
    ts_query_cursor_set_match_limit(cursor, MAX_MATCHES);
    ts_query_cursor_exec(cursor, q->query, ts_tree_root_node(tree));
    TSQueryMatch match;
    while (ts_query_cursor_next_match(cursor, &match))
        take_match(q, &match, s);
    if (ts_query_cursor_did_exceed_match_limit(cursor))
        source_warn(s, S("too deeply nested: some symbols may be missing"));
}
