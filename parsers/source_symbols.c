/* Marks to symbols and references: nesting, qualified names, signatures, who is private. */
#include "memory/base/hash.h"
#include "parsers/source.h"
#include "parsers/source_text.h"
#include "parsers/source_variables.h"

enum {
    MAX_MARKED_BYTES = 10 << 20, /* of symbols and references: the rest of the facts is windows */
    RECORD_BYTES = 64,           /* what a record takes besides its texts */
    MAX_MARKS_AHEAD = 64,        /* looked through for what makes a definition private */
};

/* What is open around a place of the text. */
struct scope {
    uint32_t start, end;
    uint32_t symbol; /* the innermost one */
    str prefix;      /* of names in it */
};

/* Decorators or an export statement, until the definition that they belong to has come. */
struct lead {
    uint32_t start, end;
    size_t depth; /* of the scopes there */
    bool open;
};

struct builder {
    struct source *s;
    uint32_t *order; /* marks by start, longer first */
    struct scope *scopes;
    size_t depth, scope_capacity;
    struct lead lead, outer, exporting;
    struct map names;    /* qualified name -> symbol */
    struct map repeats;  /* qualified name -> how often it was there, from 2 on */
    struct map exported; /* names */
    bool *is_exported;   /* of each symbol: as a whole, or by an owner of its own */
    size_t exported_capacity;
    uint32_t *same; /* table of references: index + 1 */
    size_t same_size;
    size_t bytes;
    struct source_variables variables;
    uint32_t *used_at; /* of each reference: where its first name stands */
    size_t used_capacity;
};

/* ---- symbols ---- */

static const struct scope *top(const struct builder *b)
{
    static const struct scope file = {.symbol = NO_SYMBOL, .prefix = {"", 0}};
    return b->depth ? &b->scopes[b->depth - 1] : &file;
}

static void push_scope(struct builder *b, const struct mark *m, uint32_t symbol, str prefix)
{
    ARENA_GROW(&b->s->scratch, b->scopes, b->depth, b->scope_capacity);
    b->scopes[b->depth++] = (struct scope){m->start, m->end, symbol, prefix};
}

static bool only_blanks(str text, uint32_t from, uint32_t to)
{
    while (from < to && source_is_blank(text.at[from]))
        from++;
    return from == to;
}

static void take_lead(struct builder *b, const struct mark *m)
{
    struct lead *lead = &b->lead;
    bool joins = lead->open && lead->depth == b->depth && lead->end <= m->start &&
                 only_blanks(b->s->text, lead->end, m->start);
    *lead = (struct lead){joins ? lead->start : m->start, m->end, b->depth, true};
}

static bool holds(const struct builder *b, const struct lead *lead, const struct mark *m)
{
    return lead->open && lead->depth == b->depth && lead->start <= m->start && lead->end >= m->end;
}

/* Is the definition the one thing in it, or its last? */
static bool ends_with(const struct builder *b, const struct lead *outer, const struct mark *m)
{
    uint32_t end = m->end;
    while (end < outer->end && (source_is_blank(b->s->text.at[end]) || b->s->text.at[end] == ';'))
        end++;
    return holds(b, outer, m) && end == outer->end;
}

/* Where the definition begins with all that belongs to it, which then belongs to nothing else. */
static uint32_t take_start(struct builder *b, const struct mark *m, uint32_t *signature)
{
    uint32_t start = m->start;
    if (b->lead.open && b->lead.depth == b->depth && b->lead.end <= start &&
        only_blanks(b->s->text, b->lead.end, start)) {
        start = b->lead.start;
        b->lead.open = false;
    }
    *signature = m->start;
    if (ends_with(b, &b->outer, m)) {
        *signature = b->outer.start;
        start = b->outer.start < start ? b->outer.start : start;
        b->outer.open = false;
        /* decorators before `export` */
        if (b->lead.open && b->lead.end <= start && only_blanks(b->s->text, b->lead.end, start)) {
            start = b->lead.start;
            b->lead.open = false;
        }
    }
    return start;
}

static bool is_callable(enum symbol_kind kind)
{
    return kind == SYMBOL_FUNCTION || kind == SYMBOL_METHOD;
}

/* Is it in a function or method, directly or deeper? What a scope tells of its symbol is enough:
 * a class in a function has names of its own. */
static bool in_callable(const struct builder *b)
{
    uint32_t symbol = top(b)->symbol;
    return symbol != NO_SYMBOL && is_callable(b->s->facts->symbols[symbol].kind);
}

/* Right in a class or the like? */
static bool in_type(const struct builder *b)
{
    uint32_t symbol = top(b)->symbol;
    if (symbol == NO_SYMBOL)
        return false;
    enum symbol_kind kind = b->s->facts->symbols[symbol].kind;
    return kind == SYMBOL_CLASS || kind == SYMBOL_STRUCT || kind == SYMBOL_UNION ||
           kind == SYMBOL_INTERFACE || kind == SYMBOL_TRAIT;
}

/* A local variable is no symbol. */
static bool is_local(const struct builder *b, const struct mark *m)
{
    return !m->owner.len && in_callable(b) &&
           (m->kind == SYMBOL_VARIABLE || m->kind == SYMBOL_CONSTANT);
}

/* A mark of `role` inside m, before its name and its body, or the name itself. */
static bool has_before_name(const struct builder *b, size_t at, enum mark_role role)
{
    const struct mark *marks = b->s->marks.at, *m = &marks[b->order[at]];
    uint32_t end = m->body && m->body < m->name_at ? m->body : m->name_at;
    for (size_t i = at + 1; i < b->s->marks.count && i <= at + MAX_MARKS_AHEAD; i++) {
        const struct mark *inner = &marks[b->order[i]];
        if (inner->start > end)
            return false;
        if (inner->role == role)
            return true;
    }
    return false;
}

/* "Cart.add", "Cart.add~2" where that is taken. */
static str unique_name(struct builder *b, str name, uint32_t symbol)
{
    bool is_new;
    map_put(&b->names, name, symbol, &is_new);
    while (!is_new) {
        int64_t *repeats = map_put(&b->repeats, name, 1, NULL);
        str tried = arena_printf(b->s->arena, "%.*s~%u", FMT(name), (unsigned)++*repeats);
        map_put(&b->names, tried, symbol, &is_new);
        if (is_new)
            return tried;
    }
    return name;
}

static bool has_room(struct builder *b, size_t count, size_t max, size_t bytes, const char *what)
{
    if (count < max && b->bytes + bytes + RECORD_BYTES <= MAX_MARKED_BYTES) {
        b->bytes += bytes + RECORD_BYTES;
        return true;
    }
    source_warn(b->s, arena_printf(b->s->arena, "too many %s: only the first ones are kept", what));
    return false;
}

/* Before the comments that stand between a signature and its body. */
static uint32_t before_comments(const struct source *s, uint32_t name_at, uint32_t end)
{
    for (;;) {
        struct comment_range last = source_comment_ending(s, end);
        if (last.start == last.end || last.start <= name_at)
            return end;
        end = last.start;
    }
}

/* Up to the body, or to the first brace behind the name where none is known. */
static str signature_of(const struct source *s, uint32_t start, const struct mark *m)
{
    str text = s->text;
    uint32_t end = m->body ? before_comments(s, m->name_at, m->body) : 0;
    if (!end)
        end = m->start +
              (uint32_t)str_find_char(str_cut(text, m->start, m->end), '{', m->name_at - m->start);
    str signature = source_squeezed(s->arena, str_cut(text, start, end), MAX_SIGNATURE_BYTES);
    while (signature.len && strchr(" ,:={\\", signature.at[signature.len - 1]))
        signature.len--;
    return signature;
}

static uint32_t end_of_text(str text, uint32_t start, uint32_t end)
{
    while (end > start + 1 && source_is_blank(text.at[end - 1]))
        end--;
    return end;
}

/* Whose it is: `exports`, `this` and `.prototype` are JavaScript's ways to say it, and no names. */
static str owner_of(struct arena *a, str written)
{
    static const char *const nobody[] = {"exports", "module.exports", "this", "self"};
    str owner = source_path(a, written);
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++)
        if (str_eq(owner, str_of(nobody[i])))
            return S("");
    return str_ends(owner, S(".prototype")) ? str_cut(owner, 0, owner.len - S(".prototype").len)
                                            : owner;
}

/* Adds the symbol of mark b->order[at]; NO_SYMBOL where it is none. */
static uint32_t add_symbol(struct builder *b, size_t at, const struct mark *m)
{
    struct source *s = b->s;
    struct source_facts *f = s->facts;
    str own =
        source_dotted(s->arena, owner_of(s->arena, m->owner), source_one_line(s->arena, m->name));
    str name = source_dotted(s->arena, top(b)->prefix, own);
    if (!m->name.len || name.len + 8 > MAX_SYMBOL_BYTES)
        return NO_SYMBOL;
    uint32_t sign_start, start = take_start(b, m, &sign_start);
    struct comment_range comment = source_comment_before(s, start);
    uint32_t end = end_of_text(s->text, m->start, m->end);
    struct source_symbol made = {
        .kind =
            m->kind == SYMBOL_FUNCTION && in_type(b) ? SYMBOL_METHOD : (enum symbol_kind)m->kind,
        .signature = signature_of(s, sign_start, m),
        .doc = source_doc(s->arena, str_cut(s->text, comment.start, comment.end)),
        .line_start = source_line(s, start),
        .line_end = source_line(s, end - 1),
        .parent = top(b)->symbol,
        .is_private = has_before_name(b, at, MARK_PRIVATE) ||
                      (!in_type(b) && has_before_name(b, at, MARK_INTERNAL)) ||
                      (!m->owner.len && m->kind != SYMBOL_METHOD && in_callable(b)),
    };
    size_t bytes = name.len + made.signature.len + made.doc.len;
    if (!has_room(b, f->symbol_count, MAX_SYMBOLS, bytes, "symbols"))
        return NO_SYMBOL;

    uint32_t symbol = (uint32_t)f->symbol_count;
    made.name = unique_name(b, name, symbol);
    ARENA_GROW(s->arena, f->symbols, f->symbol_count, f->symbol_capacity);
    f->symbols[f->symbol_count++] = made;
    bool named = m->name.at >= s->text.at && m->name.at < s->text.at + s->text.len;
    ARENA_GROW(&s->scratch, s->places, s->place_count, s->place_capacity);
    s->places[s->place_count++] = (struct symbol_place){
        .start = start,
        .end = end,
        .window_start = comment.start < comment.end ? comment.start : start,
        .name_start = m->name_at,
        .name_end = named ? m->name_at + (uint32_t)m->name.len : m->name_at,
    };
    size_t count = symbol;
    ARENA_GROW(&s->scratch, b->is_exported, count, b->exported_capacity);
    b->is_exported[symbol] = m->owner.len || holds(b, &b->exporting, m);
    return symbol;
}

/* A typedef, a macro or a constant holds no names of its own. */
static bool holds_names(const struct mark *m)
{
    return m->kind != SYMBOL_TYPE && m->kind != SYMBOL_MACRO;
}

/* The last symbol right inside the scope, or NO_SYMBOL. */
static uint32_t last_sibling(const struct builder *b)
{
    const struct source_facts *f = b->s->facts;
    uint32_t outer = top(b)->symbol, last = (uint32_t)f->symbol_count - 1;
    while (last != NO_SYMBOL && last != outer && f->symbols[last].parent != outer)
        last = f->symbols[last].parent;
    return last == outer ? NO_SYMBOL : last;
}

/* Is m one more piece of the symbol before it? Then that goes on to m's end, and is given. */
static uint32_t continue_symbol(struct builder *b, const struct mark *m)
{
    struct source *s = b->s;
    uint32_t last = m->goes_on ? last_sibling(b) : NO_SYMBOL;
    if (last == NO_SYMBOL || s->facts->symbols[last].kind != (enum symbol_kind)m->kind ||
        !str_eq(s->facts->symbols[last].name, source_dotted(s->arena, top(b)->prefix, m->name)))
        return NO_SYMBOL;
    s->places[last].end = end_of_text(s->text, m->start, m->end);
    s->facts->symbols[last].line_end = source_line(s, s->places[last].end - 1);
    return last;
}

static void take_definition(struct builder *b, size_t at, const struct mark *m)
{
    while (b->depth && top(b)->start == m->start && top(b)->end == m->end)
        b->depth--; /* `int a, b;`: both are the whole of it, none is in the other */
    if (is_local(b, m) || has_before_name(b, at, MARK_FORWARD) ||
        (top(b)->symbol == NO_SYMBOL && has_before_name(b, at, MARK_INNER)))
        return;
    uint32_t symbol = continue_symbol(b, m);
    if (symbol == NO_SYMBOL)
        symbol = add_symbol(b, at, m);
    if (symbol != NO_SYMBOL && holds_names(m))
        push_scope(b, m, symbol, b->s->facts->symbols[symbol].name);
}

/* Without its quotes and the letters before them. */
static str doc_string(str text)
{
    size_t from = 0, to = text.len;
    while (from < to && strchr("rRuUbBfF", text.at[from]))
        from++;
    if (from == to || !strchr("\"'", text.at[from]))
        return text;
    while (from < to && strchr("\"'", text.at[from]))
        from++;
    while (to > from && strchr("\"'", text.at[to - 1]))
        to--;
    return str_cut(text, from, to);
}

static void take_doc(struct builder *b, const struct mark *m)
{
    uint32_t symbol = top(b)->symbol;
    if (symbol != NO_SYMBOL)
        b->s->facts->symbols[symbol].doc =
            source_doc(b->s->arena, doc_string(str_cut(b->s->text, m->start, m->end)));
}

/* ---- references ---- */

static bool same_reference(const struct source_reference *l, const struct source_reference *r)
{
    return l->kind == r->kind && l->from == r->from && str_eq(l->name, r->name) &&
           str_eq(l->qualifier, r->qualifier) && str_eq(l->alias, r->alias);
}

static size_t hash_reference(const struct source_reference *r)
{
    uint64_t hash = hash64(r->name) ^ hash64(r->qualifier) * 3 ^ hash64(r->alias) * 5;
    return (size_t)((hash ^ (uint64_t)r->from << 3 ^ r->kind) * 0x9E3779B97F4A7C15u >> 20);
}

/* What stands before a name, where no pattern told: "a.b" of `a.b.name`, "()" of `x().name`. */
static str qualifier_before(str text, uint32_t name_at)
{
    size_t dots = name_at;
    while (dots && (text.at[dots - 1] == '.' || text.at[dots - 1] == ':'))
        dots--;
    str separator = str_cut(text, dots, name_at);
    if (!str_eq(separator, S(".")) && !str_eq(separator, S("::")))
        return S("");
    size_t from = dots;
    while (from && dots - from < MAX_REFERENCE_BYTES && source_is_path(text.at[from - 1]))
        from--;
    if (from == dots)
        return str_eq(separator, S(".")) ? S("()") : S("");
    return text.at[from] == '.' ? S("()") : str_cut(text, from, dots);
}

static void add_reference(struct builder *b, const struct mark *m, uint32_t from)
{
    struct source *s = b->s;
    struct source_facts *f = s->facts;
    bool import = m->kind == REF_IMPORT;
    str written = m->kind == REF_CALL && !m->qualifier.len ? qualifier_before(s->text, m->name_at)
                                                           : m->qualifier;
    struct source_reference made = {
        .kind = (enum reference_kind)m->kind,
        .from = from,
        .name = source_one_line(s->arena, m->name),
        .qualifier = import ? m->qualifier : source_path(s->arena, written),
        .alias = m->alias,
        .line = source_line(s, import || m->name_at < m->start ? m->start : m->name_at),
        .count = 1,
    };
    if (made.name.len + (import ? made.qualifier.len : 0) == 0)
        return;
    if (m->kind == REF_TYPE && made.name.len == 1)
        return; /* a type parameter */
    if (!import && made.qualifier.len > MAX_REFERENCE_BYTES)
        made.qualifier = S("()");
    if (made.name.len > MAX_REFERENCE_BYTES || made.qualifier.len > MAX_REFERENCE_BYTES ||
        made.alias.len > MAX_REFERENCE_BYTES)
        return;

    size_t slot = hash_reference(&made) & (b->same_size - 1);
    for (; b->same[slot]; slot = (slot + 1) & (b->same_size - 1)) {
        struct source_reference *known = &f->references[b->same[slot] - 1];
        if (same_reference(known, &made)) {
            known->count++;
            return;
        }
    }
    size_t bytes = made.name.len + made.qualifier.len + made.alias.len;
    if (!has_room(b, f->reference_count, MAX_REFERENCES, bytes, "references"))
        return;
    size_t count = f->reference_count;
    ARENA_GROW(&s->scratch, b->used_at, count, b->used_capacity);
    b->used_at[count] = m->name_at;
    ARENA_GROW(s->arena, f->references, f->reference_count, f->reference_capacity);
    f->references[f->reference_count++] = made;
    b->same[slot] = (uint32_t)f->reference_count;
}

/* Who inherits may be defined behind the place that says so (Rust's impl). */
static void take_inherits(struct builder *b)
{
    for (size_t i = 0; i < b->s->marks.count; i++) {
        const struct mark *m = &b->s->marks.at[b->order[i]];
        if (m->role != MARK_REFERENCE || m->kind != REF_INHERIT || !m->owner.len)
            continue;
        const int64_t *symbol = map_find(&b->names, source_path(b->s->arena, m->owner));
        add_reference(b, m, symbol ? (uint32_t)*symbol : NO_SYMBOL);
    }
}

/* ---- types of variables ---- */

/* The type that a symbol's name stands in: "Cart" of "shop.Cart.add". */
static str type_around(str name)
{
    size_t to = name.len, dots = 0, from;
    while (to > 0 && name.at[to - 1] != '.')
        to--;
    for (from = to ? to - 1 : 0; from > 0 && !dots; from--)
        dots += name.at[from - 1] == '.';
    from += dots;
    return to ? str_cut(name, from, to - 1) : S("");
}

static str own_name(str name)
{
    size_t from = name.len;
    while (from > 0 && name.at[from - 1] != '.')
        from--;
    return str_cut(name, from, name.len);
}

/* A field's scope is its type by name: methods may stand apart from it. */
static void take_variable(struct builder *b, const struct mark *m)
{
    uint32_t symbol = top(b)->symbol;
    struct arena *scratch = &b->s->scratch;
    if (symbol == NO_SYMBOL || !m->name.len)
        return;
    const struct source_symbol *in = &b->s->facts->symbols[symbol];
    bool is_field = in->kind == SYMBOL_FIELD || in_type(b);
    str owner = in->kind == SYMBOL_FIELD ? type_around(in->name) : own_name(in->name);
    source_variable_add(scratch, &b->variables,
                        is_field ? owner : source_scope_of_symbol(scratch, symbol), m->name,
                        m->qualifier, m->start);
}

/* `cart.add`, `cart->add`: what stands before `::` is no variable. */
static bool is_member_access(str text, uint32_t name_at)
{
    return name_at > 0 && (text.at[name_at - 1] == '.' || text.at[name_at - 1] == '>');
}

/* "cart" becomes "cart:Cart" where the file says of what type it is. */
static void tell_types(struct builder *b)
{
    struct source *s = b->s;
    for (size_t i = 0; b->variables.count && i < s->facts->reference_count; i++) {
        struct source_reference *r = &s->facts->references[i];
        if (r->kind != REF_CALL || !r->qualifier.len || r->from == NO_SYMBOL ||
            !is_member_access(s->text, b->used_at[i]))
            continue;
        str self = type_around(s->facts->symbols[r->from].name);
        str scope = source_scope_of_symbol(&s->scratch, r->from);
        str type = source_variable_type(&s->scratch, &b->variables, scope, self, r->qualifier,
                                        b->used_at[i]);
        if (type.len && r->qualifier.len + 1 + type.len <= MAX_REFERENCE_BYTES &&
            !str_eq(r->qualifier, S("self")) && !str_eq(r->qualifier, S("this")))
            r->qualifier = arena_printf(s->arena, "%.*s:%.*s", FMT(r->qualifier), FMT(type));
    }
}

/* ---- all of it ---- */

static void take_mark(struct builder *b, size_t at)
{
    const struct mark *m = &b->s->marks.at[b->order[at]];
    while (b->depth && top(b)->end <= m->start)
        b->depth--;
    switch ((enum mark_role)m->role) {
    case MARK_DEFINITION:
        take_definition(b, at, m);
        break;
    case MARK_CONTAINER:
        push_scope(b, m, top(b)->symbol,
                   source_dotted(b->s->arena, top(b)->prefix, source_path(b->s->arena, m->name)));
        break;
    case MARK_LEAD:
        take_lead(b, m);
        break;
    case MARK_OUTER:
        b->outer = (struct lead){m->start, m->end, b->depth, true};
        break;
    case MARK_VISIBLE:
        map_put(&b->exported, m->name, 0, NULL);
        break;
    case MARK_EXPORTED:
        b->exporting = (struct lead){m->start, m->end, b->depth, true};
        if (m->name.len <= MAX_REFERENCE_BYTES)
            map_put(&b->exported, m->name, 0, NULL);
        break;
    case MARK_DOC:
        take_doc(b, m);
        break;
    case MARK_REFERENCE:
        if (!m->owner.len)
            add_reference(b, m, top(b)->symbol);
        break;
    case MARK_VARIABLE:
        take_variable(b, m);
        break;
    case MARK_TYPE_NAME:
        source_type_parameter_add(&b->variables, m->name);
        break;
    case MARK_PRIVATE:
    case MARK_INTERNAL:
    case MARK_INNER:
    case MARK_FORWARD:
    case MARK_DROPPED:
        break;
    }
}

/* Where a file exports, what it doesn't is its own. */
static void hide_unexported(struct builder *b)
{
    struct source_facts *f = b->s->facts;
    for (size_t i = 0; b->exporting.open && i < f->symbol_count; i++)
        if (f->symbols[i].parent == NO_SYMBOL && !b->is_exported[i] &&
            !map_find(&b->exported, f->symbols[i].name))
            f->symbols[i].is_private = true;
}

void source_symbols_build(struct source *s)
{
    struct builder b = {.s = s};
    source_drop_repeats(s);
    b.order = source_mark_order(s);
    b.same_size = source_table_size(s->marks.count);
    b.same = ARENA_ARRAY(&s->scratch, uint32_t, b.same_size);
    for (size_t i = 0; i < s->marks.count; i++)
        take_mark(&b, i);
    take_inherits(&b);
    tell_types(&b);
    hide_unexported(&b);
    map_free(&b.names);
    map_free(&b.repeats);
    map_free(&b.exported);
    source_variables_free(&b.variables);
}
