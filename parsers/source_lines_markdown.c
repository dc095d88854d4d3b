/* Markdown: headings of both kinds outside of fences and front matter, each with what
 * stands below it; links to files. A grammar would take ten times as long for no more. */
#include "parsers/source_lines.h"

enum {
    MAX_HEADING_LEVELS = 6,
    MAX_LINKS_A_LINE = 50,
};

struct markdown {
    struct line_scan *scan;
    size_t open[MAX_HEADING_LEVELS]; /* marks of the headings around, by level */
    size_t levels[MAX_HEADING_LEVELS];
    size_t depth;
    str before; /* the line before, where a line of = or - can make it a heading */
    char fence; /* of the open fence, else 0 */
    size_t fence_len;
};

static size_t run_of(str s, char c)
{
    size_t n = 0;
    while (n < s.len && s.at[n] == c)
        n++;
    return n;
}

/* Text of "# <a id="x"></a> like this ##". */
static str heading_text(str s)
{
    s = str_trim(s);
    while (s.len && s.at[0] == '<' && str_find_char(s, '>', 0) < s.len)
        s = str_trim(str_cut(s, str_find_char(s, '>', 0) + 1, s.len));
    size_t end = s.len;
    while (end > 0 && s.at[end - 1] == '#')
        end--;
    bool closed = end == 0 || s.at[end - 1] == ' ' || s.at[end - 1] == '\t';
    return closed ? str_trim(str_cut(s, 0, end)) : s;
}

/* Headings of this level and deeper end before byte `end`. */
static void close_headings(struct markdown *m, size_t level, size_t end)
{
    while (m->depth > 0 && m->levels[m->depth - 1] >= level)
        scan_end_symbol(m->scan, m->open[--m->depth], end);
}

static void add_heading(struct markdown *m, size_t level, str text, size_t from, size_t end)
{
    if (!text.len)
        return;
    close_headings(m, level, from);
    m->levels[m->depth] = level;
    m->open[m->depth++] = scan_symbol(m->scan, SYMBOL_HEADING, text, from, end);
}

/* Does the link's target name a file? */
static bool is_file(str target)
{
    return target.len > 0 && target.at[0] != '#' && str_find_char(target, ':', 0) == target.len;
}

/* "[text](path#part "title")" */
static void add_links(struct markdown *m, str line)
{
    size_t at = 0;
    for (int i = 0; i < MAX_LINKS_A_LINE; i++) {
        at = str_find(line, S("]("), at);
        if (at == line.len)
            return;
        at += 2;
        size_t end = at;
        while (end < line.len && !strchr(")# \t\"", line.at[end]))
            end++;
        str target = str_cut(line, at, end);
        if (is_file(target) && end < line.len)
            scan_reference(m->scan, REF_IMPORT, target, S(""), scan_offset(m->scan, target));
    }
}

/* Enters or leaves a fence; is the line one? */
static bool take_fence(struct markdown *m, str text)
{
    char c = text.len ? text.at[0] : 0;
    size_t run = c == '`' || c == '~' ? run_of(text, c) : 0;
    if (m->fence) {
        if (c == m->fence && run >= m->fence_len && run == text.len)
            m->fence = 0;
        return true;
    }
    if (run < 3 || (c == '`' && str_find_char(text, '`', run) < text.len))
        return false;
    m->fence = c;
    m->fence_len = run;
    return true;
}

static bool is_underline(str text)
{
    size_t run = text.len ? run_of(text, text.at[0]) : 0;
    return run > 0 && run == text.len && (text.at[0] == '=' || (text.at[0] == '-' && run > 1));
}

/* Can the line be the text of a heading that is underlined? */
static bool can_be_heading(str text)
{
    return text.len > 0 && !strchr(">-+*|<#`~", text.at[0]) &&
           !(text.len > 1 && text.at[0] >= '0' && text.at[0] <= '9' && strchr(".)", text.at[1]));
}

static void take_line(struct markdown *m, str line)
{
    size_t indent = run_of(line, ' ');
    str text = str_trim(line), before = m->before;
    size_t from = text.len ? scan_offset(m->scan, text) : 0;
    m->before = S("");
    if (take_fence(m, text))
        return;
    size_t level = run_of(text, '#');
    if (indent > 0) { /* code, or inside a list */
        add_links(m, line);
    } else if (before.len && is_underline(text)) {
        add_heading(m, text.at[0] == '=' ? 1 : 2, before, scan_offset(m->scan, before),
                    scan_offset(m->scan, before) + before.len);
    } else if (level >= 1 && level <= MAX_HEADING_LEVELS &&
               (level == text.len || strchr(" \t", text.at[level]))) {
        add_heading(m, level, heading_text(str_cut(text, level, text.len)), from, from + text.len);
    } else {
        add_links(m, line);
        m->before = can_be_heading(text) ? text : S("");
    }
}

/* Takes the lines between "---" (TOML: "+++") at the file's head. */
static void skip_front_matter(struct line_scan *s)
{
    enum { MAX_FRONT_MATTER_LINES = 200 };
    str line, mark = str_cut(s->text, 0, str_find_char(s->text, '\n', 0));
    if (!str_eq(str_trim(mark), S("---")) && !str_eq(str_trim(mark), S("+++")))
        return;
    scan_line(s, &line);
    for (int i = 0; i < MAX_FRONT_MATTER_LINES && scan_line(s, &line); i++)
        if (str_eq(str_trim(line), str_trim(mark)))
            return;
    s->at = 0; /* a rule, then */
}

void rules_markdown(struct line_scan *s)
{
    struct markdown m = {.scan = s, .before = S("")};
    str line;
    skip_front_matter(s);
    while (scan_line(s, &line))
        take_line(&m, line);
    close_headings(&m, 1, s->text.len);
}
