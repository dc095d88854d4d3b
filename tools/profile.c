#include "tools/profile.h"

#include "memory/base/unicode.h"

#include <string.h>

/* A heading that begins with one of these speaks of the person. */
static const char *const identities[] = {"about", "me", "who", "role", "identity", "name"};

static bool is_identity(str name)
{
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++) {
        str word = str_of(identities[i]);
        bool whole = name.len == word.len || (name.len > word.len && name.at[word.len] == ' ');
        if (whole && str_eq_nocase(str_cut(name, 0, word.len), word))
            return true;
    }
    return false;
}

static str without_marks(str line, const char *marks)
{
    line = str_trim(line);
    while (line.len && strchr(marks, line.at[0]))
        line = str_cut(line, 1, line.len);
    return str_trim(line);
}

/* "Stack: Go" has the key Stack: at most four words in front of a colon and a space. */
static str key_of(str line)
{
    size_t colon = str_find(line, S(": "), 0), spaces = 0;
    for (size_t i = 0; i < colon && colon < line.len; i++)
        spaces += line.at[i] == ' ';
    return colon < line.len && colon && spaces < 4 ? str_cut(line, 0, colon) : S("");
}

bool profile_read(struct arena *a, str text, struct profile_line *out, size_t *count, struct err *e)
{
    str line, heading = S("");
    size_t number = 0;
    *count = 0;
    if (text.len > MAX_PROFILE_BYTES)
        return fail(e, ERR_LIMIT, "profile: %zu bytes; wanted: at most %d", text.len,
                    MAX_PROFILE_BYTES);
    while (str_next_line(&text, &line)) {
        number++;
        bool is_heading = str_starts(str_trim(line), S("#"));
        line = unicode_squeeze(a, without_marks(line, is_heading ? "#" : "-*+"));
        if (!line.len || is_heading) {
            heading = is_heading ? line : heading;
            continue;
        }
        if (line.len > MAX_PROFILE_LINE_BYTES)
            return fail(e, ERR_LIMIT, "profile: line %zu has %zu bytes; wanted: at most %d", number,
                        line.len, MAX_PROFILE_LINE_BYTES);
        if (*count == MAX_PROFILE_LINES)
            return fail(e, ERR_LIMIT, "profile: more than %d lines", MAX_PROFILE_LINES);
        str key = key_of(line), about = key.len ? key : heading;
        out[(*count)++] = (struct profile_line){
            .text = key.len || !heading.len
                        ? line
                        : arena_printf(a, "%.*s: %.*s", FMT(heading), FMT(line)),
            .topic = arena_printf(a, "profile %.*s", FMT(key.len ? key : line)),
            .identity = is_identity(about)};
    }
    return true;
}
