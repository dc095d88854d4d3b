#include "memory/code_linker.h"

#include "memory/base/ascii.h"
#include "memory/code_name.h"
#include "memory/code_receivers.h"

/* How sure a way of finding a target is. No paper: set so that what is nearer in scope wins; the
 * share of right calls by hand count is in tests/bench/README.md. */
static const float IN_SCOPE = 1.0f, IN_CLASS = 0.95f, IN_FILE = 0.95f, IMPORTED = 0.95f,
                   OF_TYPE = 0.9f, IN_PACKAGE = 0.85f, INCLUDED = 0.8f, ONLY_ONE = 0.7f,
                   LIKE_TYPE = 0.65f, METHOD_GUESS = 0.5f;

enum { DISTINCT_BYTES = 9 };

str link_last_of(str qualifier)
{
    size_t from = qualifier.len;
    while (from > 0 && qualifier.at[from - 1] != '.')
        from--;
    return str_cut(qualifier, from, qualifier.len);
}

str link_first_of(str qualifier)
{
    return str_cut(qualifier, 0, str_find_char(qualifier, '.', 0));
}

/* The name of what holds a symbol: "Cart" of "Cart.add", whether or not Cart stands in that file.
 */
str link_holder_of(const struct linker *l, uint32_t symbol)
{
    str name = l->symbols[symbol].name;
    size_t to, from = code_name_last(name, &to);
    return from > 1 ? code_name_simple(str_cut(name, 0, from - 1)) : S("");
}

static bool is_callable(enum symbol_kind k)
{
    return k == SYMBOL_FUNCTION || k == SYMBOL_METHOD || k == SYMBOL_MACRO || k == SYMBOL_CLASS ||
           k == SYMBOL_STRUCT || k == SYMBOL_TARGET || k == SYMBOL_TYPE || k == SYMBOL_VARIABLE ||
           k == SYMBOL_CONSTANT || k == SYMBOL_ENUM || k == SYMBOL_INTERFACE;
}

bool link_is_type(enum symbol_kind k)
{
    return k == SYMBOL_CLASS || k == SYMBOL_STRUCT || k == SYMBOL_UNION || k == SYMBOL_ENUM ||
           k == SYMBOL_INTERFACE || k == SYMBOL_TRAIT || k == SYMBOL_TYPE || k == SYMBOL_MODULE ||
           k == SYMBOL_NAMESPACE || k == SYMBOL_MESSAGE || k == SYMBOL_TABLE || k == SYMBOL_SERVICE;
}

/* Such a one holds no members: what is in it is as good as at the top. */
static bool link_is_scope(const struct linker *l, uint32_t symbol)
{
    static const int RUBY = 8; /* whose modules are mixed in as classes are */
    enum symbol_kind k = l->symbols[symbol].kind;
    return k == SYMBOL_NAMESPACE || (k == SYMBOL_MODULE && l->family[l->file_of[symbol]] != RUBY);
}

static bool is_mentioned(const struct linker *l, uint32_t f, uint32_t symbol)
{
    return l->holder[symbol] && l->mentioned[l->holder[symbol] - 1] == f + 1;
}

static bool link_is_ancestor(const struct linker *l, str holder)
{
    for (size_t i = 0; holder.len && i < l->ancestor_count; i++)
        if (str_eq(l->ancestors[i], holder))
            return true;
    return false;
}

static bool link_has_file(const struct module_files *files, uint32_t f)
{
    for (size_t k = 0; files && k < files->count; k++)
        if (files->at[k] == f)
            return true;
    return false;
}

bool link_is_self_word(str word)
{
    static const char *const words[] = {"self", "this", "Self", "cls", "super", "@"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(word, str_of(words[i])))
            return true;
    return false;
}

static bool is_inside(const struct linker *l, uint32_t symbol, uint32_t scope)
{
    while (symbol != NO_SYMBOL && symbol != scope)
        symbol = l->symbols[symbol].parent;
    return symbol == scope;
}

/* A variable is often named after its type: cart.add() may be Cart.add. */
static float fits_holder(str qualifier, str holder)
{
    if (!holder.len)
        return 0;
    return str_eq(qualifier, holder)                               ? OF_TYPE
           : qualifier.len > 2 && str_eq_nocase(qualifier, holder) ? 0.6f
                                                                   : 0;
}

/* Another file can't name it. */
static bool is_hidden(const struct linker *l, const struct asking *q, uint32_t c)
{
    const struct link_symbol *s = &l->symbols[c];
    uint32_t f = l->file_of[c];
    if (f == q->file)
        return false;
    bool is_local = s->kind != SYMBOL_METHOD && s->parent != NO_SYMBOL && l->family[f] != 1 &&
                    (l->symbols[s->parent].kind == SYMBOL_FUNCTION ||
                     l->symbols[s->parent].kind == SYMBOL_METHOD);
    return is_local || (s->is_private && !l->is_header[f]);
}

/* Where a file names all that it takes from others, a bare name that it doesn't is not theirs. A
 * test's fixtures are passed in by their names. */
static bool is_unnamed(const struct linker *l, const struct asking *q, uint32_t f)
{
    static const char *const languages[] = {"python", "javascript", "typescript", "tsx", "rust"};
    bool names_all = false;
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        names_all |= str_eq(l->files[q->file].language, str_of(languages[i]));
    if (!names_all || !l->import_count || modules_stem_is(l->modules, f, S("conftest")))
        return false;
    for (size_t i = 0; i < l->import_count; i++)
        if (!l->imports[i].local.len && link_has_file(l->imports[i].files, f))
            return false;
    return true;
}

static float score_unqualified(const struct linker *l, const struct asking *q, uint32_t c)
{
    const struct link_symbol *s = &l->symbols[c];
    uint32_t f = l->file_of[c];
    bool top = s->parent == NO_SYMBOL || !link_is_type(l->symbols[s->parent].kind) ||
               link_is_scope(l, s->parent);
    bool is_associated = s->kind == SYMBOL_TYPE && link_holder_of(l, c).len &&
                         str_eq(l->files[f].language, S("rust")); /* Err of FromStr */
    if (is_hidden(l, q, c) || is_associated)
        return 0;
    if (q->import && q->import->name.len) {
        if (link_has_file(q->import->files, f))
            return top ? IMPORTED : IMPORTED / 2;
        if (modules_exports(l->modules, q->import->files, f))
            return top ? IN_PACKAGE : 0;
    }
    if (f == q->file) {
        if (s->parent != NO_SYMBOL && q->from != NO_SYMBOL &&
            !link_is_type(l->symbols[s->parent].kind))
            return is_inside(l, q->from, s->parent) ? IN_SCOPE : 0;
        if (q->type != NO_SYMBOL && s->parent == q->type)
            return IN_CLASS;
        if (top && s->kind == SYMBOL_METHOD && link_holder_of(l, c).len)
            return q->from != NO_SYMBOL && str_eq(link_holder_of(l, c), link_holder_of(l, q->from))
                       ? IN_CLASS
                       : 0;
        if (top)
            return s->kind == SYMBOL_METHOD ? IN_FILE / 3 : IN_FILE;
        if (link_is_type(s->kind) || (q->from != NO_SYMBOL && is_inside(l, q->from, s->parent)))
            return IN_FILE - 0.1f;
    }
    if (!top) /* a member is another's own, but for bases */
        return link_is_ancestor(l, link_holder_of(l, c)) ? IN_PACKAGE : 0;
    if (s->kind == SYMBOL_METHOD && link_holder_of(l, c).len &&
        !link_is_ancestor(l, link_holder_of(l, c)) &&
        (q->type == NO_SYMBOL || !str_eq(link_holder_of(l, c), l->simple[q->type])))
        return 0;
    if (modules_same_package(l->modules, q->file, f))
        return IN_PACKAGE;
    if (q->import && q->import->name.len)
        return modules_is_of(l->modules, f, q->import->module) ? ONLY_ONE : 0;
    if (q->ref->kind == REF_CALL && is_unnamed(l, q, f))
        return 0;
    return l->reached[f] ? INCLUDED : ONLY_ONE;
}

/* "reader", "jar", "c" and "res" are names for a JsonReader, CookieJar, Context and Response: the
 * type's last words, or how it begins. */
static bool is_like_type(str variable, str type)
{
    while (variable.len && variable.at[0] == '_')
        variable = str_cut(variable, 1, variable.len);
    while (variable.len && variable.at[variable.len - 1] == '_')
        variable = str_cut(variable, 0, variable.len - 1);
    if (!variable.len || variable.len > type.len)
        return false;
    size_t tail = type.len - variable.len;
    bool ends = variable.len > 2, begins = variable.len != 2; /* tx is no Tx, more often */
    for (size_t i = 0; i < variable.len; i++) {
        ends = ends && ascii_lower(variable.at[i]) == ascii_lower(type.at[tail + i]);
        begins = begins && ascii_lower(variable.at[i]) == ascii_lower(type.at[i]);
    }
    return ends || begins;
}

/* Object.keys, Value.newBuilder: a type is named, and no other one's member can be meant. */
static bool is_type_name(const struct linker *l, uint32_t f, str word)
{
    str language = l->files[f].language;
    if (str_eq(language, S("go")) || str_eq(language, S("c_sharp")) || word.len < 2)
        return false;
    return word.at[0] >= 'A' && word.at[0] <= 'Z' && word.at[1] >= 'a' && word.at[1] <= 'z';
}

bool link_is_standard(const struct linker *l, uint32_t f, str word)
{
    int family = l->family[f];
    return (family == 1 || family == 7) &&
           (str_eq(word, S("std")) || str_eq(word, S("core")) || str_eq(word, S("alloc")));
}

/* set_cookie, nextString and extend_from tell more than "close" does. */
static bool is_distinct(str name)
{
    bool has_words = name.len >= DISTINCT_BYTES + 2;
    for (size_t i = 1; i + 1 < name.len && name.len > DISTINCT_BYTES; i++)
        has_words |= name.at[i] == '_' || (name.at[i] >= 'A' && name.at[i] <= 'Z');
    return has_words;
}

/* is_empty, as_bytes, to_string: all types have such ones. */
static bool is_common_shape(str name)
{
    return str_starts(name, S("is_")) || str_starts(name, S("as_")) || str_starts(name, S("to_")) ||
           str_starts(name, S("into_"));
}

/* Does only one type have a member of this name? */
static bool is_of_one_type(const struct linker *l, const struct asking *q, str holder)
{
    enum { MAX_LOOKED_AT = 32 };
    const int64_t *first = map_find(&l->by_simple, q->name);
    int walked = 0;
    for (uint32_t c = first ? (uint32_t)*first : 0; c; c = l->next[c - 1])
        if (++walked > MAX_LOOKED_AT || (l->symbols[c - 1].kind == SYMBOL_METHOD &&
                                         l->family[l->file_of[c - 1]] == l->family[q->file] &&
                                         !str_eq(link_holder_of(l, c - 1), holder)))
            return false;
    return true;
}

/* What the receiver is can't be seen: how far its name and the file's types tell. */
static float score_member(const struct linker *l, const struct asking *q, uint32_t c, str holder)
{
    str last = link_last_of(q->ref->qualifier);
    enum symbol_kind kind = l->symbols[c].kind;
    uint32_t parent = l->symbols[c].parent;
    bool is_local =
        kind == SYMBOL_FUNCTION && parent != NO_SYMBOL &&
        (l->symbols[parent].kind == SYMBOL_FUNCTION || l->symbols[parent].kind == SYMBOL_METHOD);
    bool is_free = parent != NO_SYMBOL && link_is_scope(l, parent); /* of a namespace, not a type */
    bool is_constructor = str_eq(holder, l->simple[c]);
    if (is_local || is_free || is_constructor || is_type_name(l, q->file, last) ||
        (kind != SYMBOL_METHOD && kind != SYMBOL_FUNCTION))
        return 0;
    bool is_own = q->from != NO_SYMBOL && str_eq(last, q->ref->qualifier) &&
                  str_eq(l->files[q->file].language, S("go")) &&
                  str_eq(holder, link_holder_of(l, q->from));
    if (is_own) /* its receiver, most likely */
        return LIKE_TYPE + 0.1f;
    bool like = is_like_type(last, holder), mentioned = is_mentioned(l, q->file, c);
    if (like)
        return mentioned ? LIKE_TYPE : METHOD_GUESS;
    if (receivers_are_told(l, q->file)) { /* and this one isn't: another's method, more often */
        bool telling = str_find_char(q->name, '_', 1) < q->name.len && !is_common_shape(q->name);
        return telling && is_of_one_type(l, q, holder) ? METHOD_GUESS * 0.6f : 0;
    }
    return mentioned                                        ? METHOD_GUESS * 0.7f
           : is_distinct(q->name) && !str_eq(last, S("()")) ? METHOD_GUESS * 0.6f
                                                            : 0;
}

/* A module's own functions follow its name, never a type's methods. */
static bool are_modules_plain(const struct linker *l, uint32_t f)
{
    str language = l->files[f].language;
    return str_eq(language, S("python")) || str_eq(language, S("go")) ||
           str_eq(language, S("rust"));
}

/* `use std::net::TcpStream` is no type of the repository's, whatever its files are called. */
static bool is_foreign_import(const struct linker *l, const struct asking *q, uint32_t f)
{
    if (q->import && f == q->file && str_eq(link_first_of(q->import->module), S("super")))
        return false; /* a module within the file */
    return q->import && (link_is_standard(l, q->file, link_first_of(q->import->module)) ||
                         (!q->import->files && !modules_is_of(l->modules, f, q->import->module)));
}

/* A call on a variable of this type: the type's own, or one of its bases'. */
static float score_typed(const struct linker *l, const struct asking *q, uint32_t c)
{
    uint32_t f = l->file_of[c];
    str holder = link_holder_of(l, c), type = link_last_of(q->ref->qualifier);
    bool is_imported = q->import && link_has_file(q->import->files, f);
    if (q->import && q->import->name.len)
        type = q->import->name; /* it may be imported under another name */
    if (is_hidden(l, q, c) || !holder.len ||
        link_is_standard(l, q->file, link_first_of(q->ref->qualifier)) ||
        is_foreign_import(l, q, f))
        return 0;
    if (str_eq(holder, type))
        return OF_TYPE + (f == q->file || is_imported ? 0.05f : l->reached[f] ? 0.03f : 0);
    return link_is_ancestor(l, holder) ? IN_PACKAGE : 0;
}

/* length_delimited::Builder is the Builder of a file of that name. */
static bool is_below(const struct linker *l, const struct asking *q, uint32_t f)
{
    str path = q->ref->qualifier, last = link_last_of(path);
    str before =
        path.len > last.len ? link_last_of(str_cut(path, 0, path.len - last.len - 1)) : S("");
    return before.len && !link_is_self_word(before) && modules_stem_is(l->modules, f, before);
}

/* `detail::write`: a macro may have opened the namespace, so that the function isn't seen in it. */
static bool is_namespace_path(const struct linker *l, const struct asking *q, uint32_t f)
{
    enum { MAX_LOOKED_AT = 32 };
    str last = link_last_of(q->ref->qualifier);
    const int64_t *first = map_find(&l->by_simple, last);
    int walked = 0;
    if (!str_eq(l->files[q->file].language, S("cpp")))
        return false;
    for (uint32_t c = first ? (uint32_t)*first : 0; c && walked < MAX_LOOKED_AT;
         c = l->next[c - 1], walked++)
        if (l->symbols[c - 1].kind == SYMBOL_NAMESPACE)
            return true;
    return modules_is_of(l->modules, f, last);
}

static float score_qualified(const struct linker *l, const struct asking *q, uint32_t c)
{
    const struct link_symbol *s = &l->symbols[c];
    uint32_t f = l->file_of[c];
    str holder = link_holder_of(l, c), last = link_last_of(q->ref->qualifier);
    if (is_hidden(l, q, c) || link_is_standard(l, q->file, link_first_of(q->ref->qualifier)))
        return 0;
    if (q->import && !q->import->name.len && l->symbols[c].kind == SYMBOL_METHOD && holder.len &&
        !fits_holder(last, holder) && are_modules_plain(l, q->file))
        return 0;
    if (q->import && link_has_file(q->import->files, f))
        return !q->import->name.len || fits_holder(q->import->name, holder) > 0 ? IMPORTED
                                                                                : METHOD_GUESS;
    if (q->import && !holder.len && modules_exports(l->modules, q->import->files, f))
        return IN_PACKAGE;
    if (q->import && !q->import->files && !holder.len && str_eq(l->files[f].language, S("rust")) &&
        modules_is_of(l->modules, f, last) && modules_is_of(l->modules, f, q->import->module))
        return IN_PACKAGE;
    float of_type = fits_holder(last, holder);
    if (of_type < OF_TYPE && receiver_name_is_foreign(l, q->file, q->name))
        return 0;
    if (of_type > 0 && is_foreign_import(l, q, f))
        return 0;
    if (of_type > 0)
        return of_type + (is_below(l, q, f) ? 0.1f
                          : f == q->file    ? 0.05f
                          : l->reached[f]   ? 0.03f
                                            : 0);
    if (q->import) /* something foreign was asked */
        return 0;
    bool is_member = l->symbols[c].kind == SYMBOL_METHOD || holder.len > 0;
    if (!is_member && str_eq(l->files[f].language, S("rust")) &&
        modules_is_of(l->modules, f, link_first_of(q->ref->qualifier)) &&
        modules_is_of(l->modules, f, last))
        return IN_PACKAGE; /* a crate's root hands on what its files have */
    bool is_free = !is_member || (s->parent != NO_SYMBOL && link_is_scope(l, s->parent));
    if (is_free && is_namespace_path(l, q, f))
        return f == q->file ? INCLUDED + 0.05f : l->reached[f] ? INCLUDED : ONLY_ONE;
    if (!is_member)
        return modules_stem_is(l->modules, f, last) ? INCLUDED : 0;
    return score_member(l, q, c, holder);
}

/* self.x(): the type's own, else one of its bases' by name. */
static float score_self(const struct linker *l, const struct asking *q, uint32_t c)
{
    const struct link_symbol *s = &l->symbols[c];
    str holder = link_holder_of(l, c), type = q->type != NO_SYMBOL   ? l->simple[q->type]
                                              : q->from != NO_SYMBOL ? link_holder_of(l, q->from)
                                                                     : S("");
    bool is_super = str_eq(q->ref->qualifier, S("super"));
    if (link_is_ancestor(l, holder))
        return is_super ? IN_CLASS : IN_PACKAGE;
    if (!type.len)
        return l->file_of[c] == q->file ? IN_FILE : 0;
    if (is_super)
        return 0;
    if (s->parent == q->type && q->type != NO_SYMBOL)
        return IN_SCOPE;
    if (str_eq(holder, type))
        return l->file_of[c] == q->file ? IN_SCOPE : l->reached[l->file_of[c]] ? IN_CLASS : OF_TYPE;
    return 0;
}

float link_score(const struct linker *l, const struct asking *q, uint32_t c)
{
    if (l->family[l->file_of[c]] != l->family[q->file])
        return 0;
    enum symbol_kind kind = l->symbols[c].kind;
    if (q->ref->kind == REF_CALL ? !is_callable(kind) : !link_is_type(kind))
        return 0;
    if (c == q->from && q->ref->kind != REF_CALL)
        return 0;
    if (!q->ref->qualifier.len)
        return score_unqualified(l, q, c);
    return q->is_self    ? score_self(l, q, c)
           : q->is_typed ? score_typed(l, q, c)
                         : score_qualified(l, q, c);
}

/* Names that half of all types have: they tell nothing about which one is meant. */
static bool is_common_member(str name)
{
    static const char common[] =
        " get set add put push pop new init len size next close open read write run start stop"
        " clear delete remove update map filter find join split format print println log error"
        " call apply bind then append insert contains clone copy equals hash to_string toString"
        " parse send recv flush reset main test setup value values keys items key name type id"
        " string toString hashCode header status context done wait seek match count url use all any"
        " from into unwrap expect iter collect push_back begin end ok is has can ";
    char key[16] = " ";
    if (name.len > sizeof key - 2)
        return false;
    for (size_t i = 0; i < name.len; i++)
        key[i + 1] = i ? name.at[i] : ascii_lower(name.at[i]);
    key[name.len + 1] = ' ';
    str all = str_of(common);
    return str_find(all, str_from(key, name.len + 2), 0) < all.len;
}

bool link_is_mere_guess(const struct asking *q, float score)
{
    return score <= METHOD_GUESS && is_common_member(q->name);
}
