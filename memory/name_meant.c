#include "memory/name_meant.h"

#include "memory/base/ascii.h"
#include "memory/code_name.h"
#include "memory/code_paths.h"

enum { MIN_ABBREVIATED = 3, MIN_PLAIN_BYTES = 4 };

/* ---- names of symbols ---- */

static bool in_name(char c)
{
    return ascii_is_alnum(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_around_itself(str part)
{
    static const str words[] = {{"self", 4}, {"this", 4}, {"crate", 5}, {"super", 5}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(part, words[i]))
            return true;
    return false;
}

static bool is_joined(str part)
{
    for (size_t i = 1; i < part.len; i++)
        if ((part.at[i] == '_' && i + 1 < part.len) ||
            (ascii_is_upper(part.at[i]) && ascii_is_lower(part.at[i - 1])))
            return true;
    return false;
}

/* Bytes of what joins two parts at `at`: . # :: -> */
static size_t joint_at(str text, size_t at)
{
    str rest = str_cut(text, at, text.len);
    return str_starts(rest, S("::")) || str_starts(rest, S("->")) ? 2
           : str_starts(rest, S(".")) || str_starts(rest, S("#")) ? 1
                                                                  : 0;
}

static str before_arguments(str text)
{
    size_t end = 0;
    while (end < text.len && !memchr("(<![{", text.at[end], 5))
        end++;
    return str_cut(text, 0, end);
}

bool name_read(str text, struct written_name *out)
{
    *out = (struct written_name){0};
    text = before_arguments(str_trim(text));
    size_t at = joint_at(text, 0) == 1 ? 1 : 0; /* .reset, #count */
    while (at < text.len) {
        size_t end = at;
        while (end < text.len && in_name(text.at[end]))
            end++;
        str part = str_cut(text, at, end);
        if (!part.len || ascii_is_digit(part.at[0]) || out->count == MAX_NAME_PARTS)
            return false;
        if (!is_around_itself(part))
            out->parts[out->count++] = part;
        size_t joint = end < text.len ? joint_at(text, end) : 0;
        if (end < text.len && (!joint || end + joint == text.len))
            return false;
        at = end + joint;
    }
    out->is_code = out->count > 1 || (out->count == 1 && is_joined(out->parts[0]));
    bool is_member = out->count > 0 && out->parts[0].at > text.at; /* "self.reset", ".reset" */
    return out->is_code || (out->count > 0 && !is_member);
}

/* ---- which symbol ---- */

static bool next_part(str *rest, char joint, str *part)
{
    if (!rest->len)
        return false;
    size_t cut = str_find_char(*rest, joint, 0);
    *part = str_cut(*rest, 0, cut);
    *rest = str_cut(*rest, cut + 1, rest->len);
    return true;
}

static bool same_folder(str folder, str part)
{
    if (folder.len != part.len)
        return false;
    for (size_t i = 0; i < part.len; i++) {
        char c = folder.at[i] == '-' ? '_' : ascii_lower(folder.at[i]);
        if (c != ascii_lower(part.at[i]))
            return false;
    }
    return true;
}

/* res.send of lib/response.js: what a module is called shortly. */
static bool abbreviates(str stem, str part)
{
    return part.len >= MIN_ABBREVIATED && part.len < stem.len &&
           str_eq_nocase(str_cut(stem, 0, part.len), part);
}

static str around(const struct name_candidate *c)
{
    size_t end, from = code_name_last(c->name, &end);
    return str_cut(c->name, 0, from ? from - 1 : 0);
}

static bool stands_in_type(const struct name_candidate *c, str part)
{
    str rest = around(c), one;
    while (next_part(&rest, '.', &one))
        if (str_eq(one, part))
            return true;
    return false;
}

/* Its file or a folder is called so. */
static bool stands_in_path(const struct name_candidate *c, str part)
{
    struct path_names file = path_names(c->path);
    str rest = file.folder, one;
    if (same_folder(file.stem, part) || abbreviates(file.stem, part))
        return true;
    while (next_part(&rest, '/', &one))
        if (same_folder(one, part))
            return true;
    return false;
}

/* Names that surround it and that the text leaves out. */
static size_t left_out(const struct name_candidate *c, const struct written_name *name)
{
    size_t count = 0;
    str rest = around(c), one;
    while (next_part(&rest, '.', &one)) {
        bool is_written = false;
        for (size_t i = 0; i + 1 < name->count; i++)
            is_written |= str_eq(one, name->parts[i]);
        count += !is_written;
    }
    return count;
}

static const uint8_t can_be_named[SYMBOL_KIND_COUNT] = {
    [SYMBOL_FUNCTION] = 2, [SYMBOL_METHOD] = 1,   [SYMBOL_CLASS] = 2,     [SYMBOL_STRUCT] = 2,
    [SYMBOL_UNION] = 2,    [SYMBOL_ENUM] = 2,     [SYMBOL_INTERFACE] = 2, [SYMBOL_TRAIT] = 2,
    [SYMBOL_TYPE] = 2,     [SYMBOL_CONSTANT] = 1, [SYMBOL_VARIABLE] = 1,  [SYMBOL_FIELD] = 1,
    [SYMBOL_PROPERTY] = 1, [SYMBOL_MACRO] = 2,    [SYMBOL_MODULE] = 1,    [SYMBOL_NAMESPACE] = 1,
    [SYMBOL_EVENT] = 1,    [SYMBOL_MESSAGE] = 1,  [SYMBOL_SERVICE] = 1}; /* 2: by a plain word, too
                                                                          */

static bool is_aside(str path)
{
    return path_kinds(path) & (PATH_TEST | PATH_EXAMPLE);
}

/* How well a candidate fits; less is better, 0 means that it doesn't. */
static uint32_t misfit(const struct written_name *name, const struct name_candidate *c)
{
    enum { PART = 1 << 16, ASIDE = 1 << 12 };
    uint32_t missing = 0, by_path = 0, out = (uint32_t)left_out(c, name);
    if (can_be_named[c->kind] < (name->is_code ? 1 : 2))
        return 0;
    if (!name->is_code && (is_aside(c->path) || out))
        return 0;
    for (size_t i = 0; i + 1 < name->count; i++) {
        bool in_type = stands_in_type(c, name->parts[i]);
        bool in_path = !in_type && stands_in_path(c, name->parts[i]);
        if (!in_type && !in_path && i + 2 == name->count)
            return 0;
        missing += !in_type && !in_path;
        by_path += in_path;
    }
    return 1 + missing * PART + is_aside(c->path) * ASIDE + out + by_path;
}

/* One of a file's several definitions: for another system, another signature. */
static bool is_repeat(const struct name_candidate *x, const struct name_candidate *y)
{
    size_t end, other;
    code_name_last(x->name, &end);
    code_name_last(y->name, &other);
    return str_eq(x->path, y->path) && str_eq(str_cut(x->name, 0, end), str_cut(y->name, 0, other));
}

size_t name_symbol_meant(const struct written_name *name, const struct name_candidate *all,
                         size_t count)
{
    size_t best = count;
    uint32_t least = 0;
    bool is_sure = true;
    if (!name->is_code && name->parts[0].len < MIN_PLAIN_BYTES)
        return count;
    for (size_t i = 0; i < count; i++) {
        uint32_t value = misfit(name, &all[i]);
        if (!value || (best < count && value > least))
            continue;
        bool repeats = best < count && is_repeat(&all[best], &all[i]);
        if (best < count && value == least) {
            is_sure &= repeats;
            continue;
        }
        best = i;
        least = value;
        is_sure = true;
    }
    return is_sure ? best : count;
}

/* ---- files ---- */

/* "src/a.c:120", "src/a.c#L20": the path alone. */
static str without_place(str path)
{
    size_t end = str_find_char(path, '#', 0);
    path.len = end;
    end = path.len;
    while (end > 0 && ascii_is_digit(path.at[end - 1]))
        end--;
    return end > 0 && end < path.len && path.at[end - 1] == ':' ? str_cut(path, 0, end - 1) : path;
}

str name_path(str text)
{
    static const str starts[] = {{"./", 2}, {"../", 3}, {"/", 1}};
    str path = without_place(str_trim(text));
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        while (str_starts(path, starts[i]))
            path = str_cut(path, starts[i].len, path.len);
    bool whole = path.len > 0 && path.at[path.len - 1] != '/';
    return whole && str_find(path, S("//"), 0) == path.len &&
                   str_find_char(path, '*', 0) == path.len
               ? path
               : S("");
}

static bool ends_in_path(str path, str end)
{
    return path.len > end.len && str_ends(path, end) && path.at[path.len - end.len - 1] == '/';
}

size_t name_path_meant(str path, const struct name_candidate *all, size_t count)
{
    size_t found[2] = {count, count}, fitting[2] = {0, 0}; /* of sources; of tests and examples */
    for (size_t i = 0; i < count; i++) {
        if (str_eq(all[i].path, path))
            return i;
        int aside = is_aside(all[i].path);
        if (!ends_in_path(all[i].path, path) || (aside && str_eq(path, str_file_name(path))))
            continue;
        found[aside] = i;
        fitting[aside]++;
    }
    return fitting[0] == 1 ? found[0] : !fitting[0] && fitting[1] == 1 ? found[1] : count;
}
