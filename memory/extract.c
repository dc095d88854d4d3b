#include "memory/extract.h"

#include "memory/base/hash.h"
#include "memory/base/unicode.h"
#include "memory/extract_rules.h"
#include "memory/text.h"
#include "memory/text_chars.h"
#include "memory/words.h"

struct finder {
    struct arena *a;
    str text;
    struct found_entity *found;
    size_t count;
    uint64_t normal_hashes[MAX_RULE_ENTITIES]; /* of the names found so far */
};

str folded_word(str word, char out[64])
{
    return word.len <= 64 ? str_from(out, unicode_fold_word(word, out, 64)) : S("");
}

static bool has_letter(str s)
{
    for (size_t at = 0, bytes; at < s.len; at += bytes) {
        enum char_class class = class_at(s, at, &bytes);
        if (is_letter(class) || class == CHAR_CJK)
            return true;
    }
    return false;
}

/* What has a form of its own counts even where its words are general ("src/main.c", "#12"). */
static bool has_own_form(const char *type)
{
    static const char *const types[] = {"path",   "issue", "url",    "version",
                                        "commit", "email", "mention"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

void finder_add(struct finder *f, size_t from, size_t to, const char *type)
{
    struct arena scratch = *f->a;
    str name = str_cut(f->text, from, to);
    str normal = text_normal_name(f->a, utf8_prefix(name, MAX_NAME_BYTES));
    uint64_t hash = hash64(normal);
    bool keep = f->count < MAX_RULE_ENTITIES && normal.len > 0 && name.len <= MAX_NAME_BYTES;
    if (keep && !has_own_form(type))
        keep =
            normal.len > 1 && has_letter(name) && !text_is_generic(normal) && !text_is_stop(normal);
    for (size_t i = 0; keep && i < f->count; i++)
        keep = f->normal_hashes[i] != hash;
    arena_rewind(f->a, scratch);
    if (!keep)
        return;
    f->normal_hashes[f->count] = hash;
    if (str_find_char(name, '\n', 0) < name.len) /* a wrapped line */
        name = unicode_squeeze(f->a, name);
    f->found[f->count++] = (struct found_entity){name, str_of(type), from, to};
}

static bool starts_word(str text, size_t at)
{
    size_t bytes;
    enum char_class class = class_at(text, at, &bytes);
    if (!is_word(class))
        return class == CHAR_OTHER;
    return at == 0 || !word_at(text, utf8_back(text, at - 1));
}

struct found_entity *extract_entities(struct arena *a, str text, size_t *count)
{
    struct finder f = {.a = a, .text = text};
    f.found = ARENA_ARRAY(a, struct found_entity, MAX_RULE_ENTITIES);
    for (size_t at = 0, bytes; at < text.len && f.count < MAX_RULE_ENTITIES;) {
        size_t next = 0;
        if (starts_word(text, at)) {
            next = extract_quote(&f, text, at);
            next = next ? next : extract_shape(&f, text, at);
            next = next ? next : extract_name(&f, text, at);
        }
        class_at(text, at, &bytes);
        at = next ? next : at + bytes;
    }
    *count = f.count;
    return f.found;
}
