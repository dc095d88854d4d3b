/* Doc comments: which comment leads to a definition, and what it says without its marks. */
#include "memory/base/unicode.h"
#include "parsers/source.h"
#include "parsers/source_text.h"

#include <limits.h>

/* Nothing but white space, with at most max_lines line ends? */
static bool is_gap(str text, uint32_t from, uint32_t to, int max_lines)
{
    for (; from < to && source_is_blank(text.at[from]); from++)
        max_lines -= text.at[from] == '\n';
    return from == to && max_lines >= 0;
}

/* Does nothing stand before it in its line? */
static bool begins_line(str text, uint32_t at)
{
    while (at && (text.at[at - 1] == ' ' || text.at[at - 1] == '\t'))
        at--;
    return !at || text.at[at - 1] == '\n';
}

static bool is_block(str text, const struct comment_range *c)
{
    return str_starts(str_cut(text, c->start, c->end), S("/*")) ||
           str_starts(str_cut(text, c->start, c->end), S("<#")) ||
           str_starts(str_cut(text, c->start, c->end), S("<!--"));
}

/* The index of the last comment that ends at or before `start`, or comment_count. */
static size_t last_before(const struct source *s, uint32_t start)
{
    size_t low = 0, high = s->comment_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->comments[middle].end <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : s->comment_count;
}

struct comment_range source_comment_ending(const struct source *s, uint32_t end)
{
    size_t at = last_before(s, end);
    if (at == s->comment_count || !is_gap(s->text, s->comments[at].end, end, INT_MAX))
        return (struct comment_range){end, end};
    return s->comments[at];
}

struct comment_range source_comment_before(const struct source *s, uint32_t start)
{
    struct comment_range none = {start, start};
    size_t at = last_before(s, start);
    if (at == s->comment_count)
        return none;
    struct comment_range found = s->comments[at];
    if (!begins_line(s->text, found.start) || !is_gap(s->text, found.end, start, 1))
        return none;
    if (is_block(s->text, &found))
        return found;
    for (; at > 0; at--) {
        const struct comment_range *above = &s->comments[at - 1];
        if (is_block(s->text, above) || !begins_line(s->text, above->start) ||
            !is_gap(s->text, above->end, found.start, 1))
            break;
        found.start = above->start;
    }
    return found;
}

/* ---- the text ---- */

/* What opens a comment, longest first; one is taken off a line. */
static const char *const openings[] = {"<!--", "/**", "/*!", "///", "//!",    "/*", "//", "--[[",
                                       "---",  "--",  "<#",  "#'",  "=begin", "##", "#"};
static const char *const closings[] = {"-->", "**/", "*/", "]]", "#>", "=end"};

static str without_opening(str line)
{
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
        if (str_starts(line, str_of(openings[i])))
            return str_cut(line, strlen(openings[i]), line.len);
    return line;
}

static str without_closing(str line)
{
    for (size_t i = 0; i < sizeof closings / sizeof *closings; i++)
        if (str_ends(line, str_of(closings[i])))
            return str_cut(line, 0, line.len - strlen(closings[i]));
    return line;
}

/* "-----" and PowerShell's ".SYNOPSIS" say nothing. */
static bool says_something(str line)
{
    bool title = line.len > 1 && line.at[0] == '.' && line.at[1] >= 'A' && line.at[1] <= 'Z' &&
                 str_find_char(line, ' ', 0) == line.len;
    for (size_t i = 0; !title && i < line.len; i++)
        if ((line.at[i] >= '0' && line.at[i] <= '9') || (line.at[i] >= 'A' && line.at[i] <= 'Z') ||
            (line.at[i] >= 'a' && line.at[i] <= 'z') || (unsigned char)line.at[i] >= 0x80)
            return true;
    return false;
}

/* "<summary>Keeps orders.</summary>": without the one around all of it, or what is left of one. */
static str without_tags(str line)
{
    size_t opened = str_find_char(line, '>', 0);
    if (line.len && line.at[0] == '<' && opened < line.len && str_find_char(line, ' ', 0) > opened)
        line = str_cut(line, opened + 1, line.len);
    size_t from = line.len;
    while (from > 1 && !(line.at[from - 2] == '<' && line.at[from - 1] == '/'))
        from--;
    if (from > 1 && line.at[line.len - 1] == '>')
        line = str_cut(line, 0, from - 2);
    return str_trim(line);
}

/* One line of a comment without its marks. */
static str bare(str line, bool block)
{
    line = str_trim(line);
    str opened = without_opening(line);
    if (block && opened.len == line.len && line.len && line.at[0] == '*' &&
        !str_starts(line, S("*/")))
        opened = str_cut(line, 1, line.len);
    return without_tags(str_trim(without_closing(str_trim(opened))));
}

/* Cut behind a sentence, or between words where there is none. */
static str cut(str text, size_t max_bytes)
{
    if (text.len <= max_bytes)
        return text;
    text = utf8_prefix(text, max_bytes);
    for (size_t i = text.len; i > max_bytes / 4; i--)
        if (source_is_blank(text.at[i - 1]) && i > 1 && strchr(".!?", text.at[i - 2]))
            return str_cut(text, 0, i - 1);
    for (size_t i = text.len; i > max_bytes / 2; i--)
        if (source_is_blank(text.at[i - 1]))
            return str_cut(text, 0, i - 1);
    return text;
}

/* A comment that is a string of the language, without its quotes: GraphQL's descriptions, Elixir's
 * @doc "...". */
static str described(str comment)
{
    str text = comment;
    if (str_starts(text, S("@")))
        text = str_cut(text, str_find_char(text, ' ', 0) + 1, text.len);
    if (str_starts(text, S("~")))
        text = str_cut(text, 2, text.len);
    if (!str_starts(text, S("\"")))
        return comment;
    while (text.len && text.at[0] == '"')
        text = str_cut(text, 1, text.len);
    while (text.len && text.at[text.len - 1] == '"')
        text.len--;
    return text;
}

str source_doc(struct arena *a, str comment)
{
    enum { LONGEST = 4 * MAX_SYMBOL_DOC_BYTES };
    comment = described(comment);
    if (!comment.len)
        return S("");
    bool block = str_starts(comment, S("/*"));
    str rest = utf8_prefix(comment, LONGEST), line;
    char *begin = arena_bytes(a, rest.len + 1), *to = begin;
    while (str_next_line(&rest, &line)) {
        line = bare(line, block);
        if (!says_something(line))
            continue;
        if (to > begin)
            *to++ = '\n';
        memcpy(to, line.at, line.len);
        to += line.len;
    }
    return cut(str_from(begin, (size_t)(to - begin)), MAX_SYMBOL_DOC_BYTES);
}
