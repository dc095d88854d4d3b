#include "memory/code_receivers.h"

enum { MAX_WALKED = 200, MAX_FAMILIES = 62 };

struct receivers {
    str *field_type;    /* per symbol: of a field, the first type that it names; else empty */
    struct map foreign; /* names of methods -> bits of families */
};

bool receivers_are_told(const struct linker *l, uint32_t file)
{
    str language = l->files[file].language;
    return str_eq(language, S("rust")) || str_eq(language, S("cpp"));
}

/* Pointers that own: what they lead to is named behind them. */
static bool is_wrapper(str type)
{
    return str_eq(type, S("unique_ptr")) || str_eq(type, S("shared_ptr")) ||
           str_eq(type, S("weak_ptr"));
}

uint32_t receiver_type_symbol(const struct linker *l, uint32_t file, str type)
{
    const int64_t *first = map_find(&l->by_simple, link_last_of(type));
    uint32_t found = NO_SYMBOL, best = 0;
    size_t walked = 0;
    if (link_is_standard(l, file, link_first_of(type)))
        return NO_SYMBOL;
    for (uint32_t c = first ? (uint32_t)*first : 0; c && walked < MAX_WALKED;
         c = l->next[c - 1], walked++) {
        uint32_t f = l->file_of[c - 1];
        if (!link_is_type(l->symbols[c - 1].kind) || l->family[f] != l->family[file])
            continue;
        uint32_t nearness = f == file ? 3 : l->reached[f] ? 2 : 1;
        if (nearness > best) {
            best = nearness;
            found = c - 1;
        }
    }
    return found;
}

static void read_field_types(struct linker *l, const struct link_file *file)
{
    for (size_t i = 0; i < file->reference_count; i++) {
        const struct source_reference *r = &file->references[i];
        if (r->kind != REF_TYPE || r->from == NO_SYMBOL)
            continue;
        uint32_t symbol = file->first_symbol + r->from;
        str *type = &l->receivers->field_type[symbol];
        if (l->symbols[symbol].kind == SYMBOL_FIELD && (!type->len || is_wrapper(*type)))
            *type = r->name;
    }
}

static void read_foreign_members(struct linker *l, uint32_t f)
{
    const struct link_file *file = &l->files[f];
    for (size_t i = 0; i < file->reference_count; i++) {
        const struct source_reference *r = &file->references[i];
        size_t colon = str_find_char(r->qualifier, ':', 0);
        if (r->kind != REF_CALL || colon == r->qualifier.len)
            continue;
        str type = str_cut(r->qualifier, colon + 1, r->qualifier.len);
        if (receiver_type_symbol(l, f, type) == NO_SYMBOL)
            *map_put(&l->receivers->foreign, r->name, 0, NULL) |= (int64_t)1 << l->family[f];
    }
}

void receivers_build(struct linker *l)
{
    l->receivers = ARENA_NEW(l->a, struct receivers);
    l->receivers->field_type = ARENA_ARRAY(l->a, str, l->symbol_count + 1);
    for (uint32_t f = 0; f < l->file_count; f++)
        if (receivers_are_told(l, f) && l->family[f] < MAX_FAMILIES) {
            read_field_types(l, &l->files[f]);
            read_foreign_members(l, f);
        }
}

void receivers_free(struct linker *l)
{
    map_free(&l->receivers->foreign);
}

bool receiver_name_is_foreign(const struct linker *l, uint32_t file, str name)
{
    const int64_t *families = map_find(&l->receivers->foreign, name);
    return families && receivers_are_told(l, file) && *families >> l->family[file] & 1;
}

/* The type of the field of this name that the type around the call has. */
static str type_of_field(const struct linker *l, const struct asking *q, str name)
{
    str own = q->from != NO_SYMBOL ? link_holder_of(l, q->from) : S(""); /* as in Cart::add */
    const int64_t *first = own.len ? map_find(&l->by_simple, name) : NULL;
    size_t walked = 0;
    for (uint32_t c = first ? (uint32_t)*first : 0; c && walked < MAX_WALKED;
         c = l->next[c - 1], walked++)
        if (l->symbols[c - 1].kind == SYMBOL_FIELD && str_eq(link_holder_of(l, c - 1), own) &&
            l->family[l->file_of[c - 1]] == l->family[q->file])
            return l->receivers->field_type[c - 1];
    return S("");
}

void receiver_read(const struct linker *l, const struct asking *q, str qualifier, str *receiver,
                   str *type)
{
    size_t colon = str_find_char(qualifier, ':', 0);
    *receiver = str_cut(qualifier, 0, colon);
    *type = colon < qualifier.len ? str_cut(qualifier, colon + 1, qualifier.len) : S("");
    if (type->len || !receivers_are_told(l, q->file))
        return;
    str field =
        str_starts(*receiver, S("this.")) ? str_cut(*receiver, 5, receiver->len) : *receiver;
    if (field.len && !link_is_self_word(field) && str_find_char(field, '.', 0) == field.len)
        *type = type_of_field(l, q, field);
}
