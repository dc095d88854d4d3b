#include "parsers/source_variables.h"

#include "memory/base/ascii.h"
#include "parsers/source_text.h"

enum { MAX_TYPE_BYTES = 120, MAX_WRAPPERS = 6, MAX_PATH_PARTS = 4 };

/* What hands its calls on to what is in it. */
static const char *const wrappers[] = {
    "Box",
    "Arc",
    "Rc",
    "Pin",
    "Ref",
    "RefMut",
    "MutexGuard",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "unique_ptr",
    "shared_ptr",
    "weak_ptr",
};

/* Words that stand before a type's name. */
static const char *const leading[] = {"mut",       "dyn",      "impl",   "const",
                                      "constexpr", "static",   "struct", "class",
                                      "inline",    "typename", "ref",    "volatile"};

/* What says nothing of the type. */
static const char *const untold[] = {"auto", "decltype", "_"};

void source_variables_free(struct source_variables *v)
{
    map_free(&v->last);
    map_free(&v->parameters);
}

/* ---- types ---- */

static bool is_among(str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(word, str_of(list[i])))
            return true;
    return false;
}

#define IS_AMONG(word, list) is_among((word), (list), sizeof(list) / sizeof *(list))

/* Without references, lifetimes and words before the name. */
static str without_lead(str s)
{
    for (;;) {
        size_t i = 0;
        while (i < s.len && (source_is_blank(s.at[i]) || s.at[i] == '&' || s.at[i] == '*'))
            i++;
        size_t end = i + (i < s.len && s.at[i] == '\'');
        bool lifetime = end > i;
        while (end < s.len && ascii_is_word(s.at[end]))
            end++;
        if (!lifetime &&
            !(end < s.len && source_is_blank(s.at[end]) && IS_AMONG(str_cut(s, i, end), leading)))
            return str_cut(s, i, s.len);
        s = str_cut(s, end, s.len);
    }
}

/* "Cart" of "shop::Cart<T>"; what is between its angle brackets in *inner. */
static str head_of(str s, str *inner)
{
    size_t end = 0;
    while (end < s.len && (ascii_is_word(s.at[end]) || s.at[end] == ':'))
        end++;
    size_t open = end;
    while (open < s.len && source_is_blank(s.at[open]))
        open++;
    size_t close = s.len;
    while (close > open && s.at[close - 1] != '>')
        close--;
    bool has_inner = open < s.len && s.at[open] == '<' && close > open + 1;
    *inner = has_inner ? str_cut(s, open + 1, close - 1) : S("");
    return str_cut(s, 0, end);
}

static str last_part(str path)
{
    size_t from = path.len;
    while (from > 0 && path.at[from - 1] != '.')
        from--;
    return str_cut(path, from, path.len);
}

/* Behind lifetimes: "'a, T" is T's. */
static str first_type(str list)
{
    list = str_trim(list);
    while (list.len && list.at[0] == '\'')
        list = str_trim(str_cut(list, str_find_char(list, ',', 0) + 1, list.len));
    return list;
}

str source_type(struct arena *a, str written)
{
    str rest = written, name = S(""), inner;
    for (int i = 0; i < MAX_WRAPPERS; i++) {
        str head = head_of(without_lead(rest), &inner);
        if (!head.len)
            return rest.len ? S("[]") : S("");
        name = source_path(a, head);
        if (!inner.len || !IS_AMONG(last_part(name), wrappers))
            break;
        rest = first_type(inner);
    }
    if (IS_AMONG(name, untold) || name.len == 1 || name.len > MAX_TYPE_BYTES)
        return S(""); /* of one letter: a type parameter */
    return name;
}

/* ---- variables ---- */

static str key_of(struct arena *a, str scope, str name)
{
    return arena_printf(a, "%.*s %.*s", FMT(scope), FMT(name));
}

str source_scope_of_symbol(struct arena *a, uint32_t symbol)
{
    return arena_printf(a, "#%u", symbol);
}

void source_variable_add(struct arena *a, struct source_variables *v, str scope, str name,
                         str written_type, uint32_t at)
{
    bool is_new;
    str type = source_type(a, written_type);
    int64_t *last = map_put(&v->last, key_of(a, scope, name), 0, &is_new);
    if (*last && v->all[*last - 1].at == at) { /* another pattern says more of the same place */
        if (type.len)
            v->all[*last - 1].type = type;
        return;
    }
    ARENA_GROW(a, v->all, v->count, v->capacity);
    v->all[v->count++] = (struct variable){type, at, (uint32_t)*last};
    *last = (int64_t)v->count;
}

void source_type_parameter_add(struct source_variables *v, str name)
{
    map_put(&v->parameters, name, 1, NULL);
}

static str find_type(struct arena *a, const struct source_variables *v, str scope, str name,
                     uint32_t at)
{
    const int64_t *last = map_find(&v->last, key_of(a, scope, name));
    for (uint32_t i = last ? (uint32_t)*last : 0; i; i = v->all[i - 1].next)
        if (v->all[i - 1].at <= at)
            return map_find(&v->parameters, v->all[i - 1].type) ? S("") : v->all[i - 1].type;
    return S("");
}

static bool is_self(str name)
{
    return str_eq(name, S("self")) || str_eq(name, S("this"));
}

str source_variable_type(struct arena *a, const struct source_variables *v, str scope, str self,
                         str path, uint32_t at)
{
    str type = S("");
    size_t from = 0;
    for (int part = 0; from < path.len; part++) {
        size_t dot = str_find_char(path, '.', from);
        str name = str_cut(path, from, dot);
        if (part == MAX_PATH_PARTS || !name.len)
            return S("");
        if (!part)
            type = is_self(name) ? self : find_type(a, v, scope, name, at);
        if (!part && !type.len && !is_self(name) && self.len) /* C++: a field without `this` */
            type = find_type(a, v, self, name, UINT32_MAX);
        else if (part)
            type = find_type(a, v, last_part(type), name, UINT32_MAX);
        if (!type.len)
            return S("");
        if (str_eq(type, S("Self")))
            type = self;
        from = dot + 1;
    }
    return type;
}
