#include "parsers/commit_reverts.h"

#include "memory/base/ascii.h"
#include "memory/base/unicode.h"
#include "parsers/commit_text.h"

/* ---- by subject ---- */

/* A subject that speaks of another: the quoted one, without its quotes. */
static str quoted(str s)
{
    s = str_trim(s);
    if (!s.len || s.at[0] != '"')
        return s;
    size_t end = s.len;
    while (end > 1 && s.at[end - 1] != '"')
        end--;
    return end > 1 ? str_cut(s, 1, end - 1) : S("");
}

static void read_subject(struct arena *a, struct commit_record *out)
{
    static const struct {
        const char *start;
        const char *before, *behind; /* the quoted subject, in that of what is taken back */
    } rows[] = {{"Revert ", "", ""}, {"revert: ", "", ""}, {"Reapply \"", "Revert \"", "\""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !out->reverts_subject.len; i++) {
        str start = str_of(rows[i].start);
        if (!str_starts(out->subject, start))
            continue;
        bool opened = start.at[start.len - 1] == '"';
        str rest = quoted(str_cut(out->subject, start.len - opened, out->subject.len));
        str subject = arena_printf(a, "%s%.*s%s", rows[i].before, FMT(rest), rows[i].behind);
        str kept = utf8_prefix(subject, MAX_COMMIT_SUBJECT_BYTES);
        out->message_cut |= kept.len < subject.len;
        out->reverts_subject = kept;
    }
}

/* ---- by id ---- */

/* Before an id, with "commit" between or not. `opens`: of a sentence or a line, as elsewhere the
 * words are of what one could do. "most of", "a part of" and the like stand before no id. */
static const struct {
    const char *text;
    bool opens;
} phrases[] = {
    {"This reverts", true},
    {"this reverts commit", false},
    {"Reverts", true},
    {"Revert", true},
    {"This commit reverts", true},
    {"This patch reverts", true},
    {"This change reverts", true},
    {"effectively reverts", false},
    {"essentially reverts", false},
    {"basically reverts", false},
    {"effectively a revert of", false},
    {"basically a revert of", false},
    {"essentially a revert of", false},
    {"is a revert of", false},
    {"let's revert", false},
    {"Let's revert", true},
    {"Therefore, revert", true},
};

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

static size_t skip_space(str s, size_t at)
{
    while (at < s.len && is_space(s.at[at]))
        at++;
    return at;
}

/* Behind the words of a phrase, whatever space is between them; `at` itself where others stand
 * there. */
static size_t behind(str s, size_t at, const char *words)
{
    size_t to = at;
    for (; *words; words++) {
        bool blank = *words == ' ';
        if (to >= s.len || (blank ? !is_space(s.at[to]) : s.at[to] != *words))
            return at;
        to = blank ? skip_space(s, to) : to + 1;
    }
    return to < s.len && ascii_is_word(s.at[to]) ? at : to;
}

/* Behind what is added to an id: "(its subject, 2012-03-04)". */
static size_t skip_remark(str s, size_t at)
{
    enum { MAX_REMARK_BYTES = 300 };
    size_t open = skip_space(s, at);
    if (open >= s.len || s.at[open] != '(')
        return at;
    size_t depth = 0;
    for (size_t i = open; i < s.len && i - open < MAX_REMARK_BYTES; i++) {
        depth += s.at[i] == '(';
        depth -= s.at[i] == ')';
        if (!depth)
            return i + 1;
    }
    return at;
}

/* Behind what joins two ids of a list; `at` itself where nothing does. */
static size_t skip_joint(str s, size_t at)
{
    size_t to = at + (at < s.len && s.at[at] == ',');
    size_t word = behind(s, skip_space(s, to), "and");
    return word != skip_space(s, to) ? word : to;
}

static size_t skip_commit_word(str s, size_t at)
{
    static const char *const words[] = {"commits", "commit", "changeset", "merge"};
    at = skip_space(s, at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (behind(s, at, words[i]) != at)
            return skip_space(s, behind(s, at, words[i]));
    return at;
}

static void add_id(struct buf *all, str id)
{
    size_t count = 0;
    str rest = buf_str(all), one;
    for (; str_next_word(&rest, &one); count++)
        if (str_eq(one, id))
            return;
    if (count < MAX_COMMIT_REVERTS)
        buf_printf(all, "%s%.*s", count ? " " : "", FMT(id));
}

/* The ids that stand behind a phrase. */
static void read_ids(struct arena *a, str s, size_t at, struct buf *all)
{
    for (;;) {
        at = skip_commit_word(s, at);
        str id = commit_id_at(a, s, at);
        if (!id.len)
            return;
        add_id(all, id);
        at = skip_remark(s, at + id.len);
        size_t next = skip_joint(s, at);
        if (next == at)
            return;
        at = next;
    }
}

/* The first word of a text, a line, an item of a list or a sentence. */
static bool opens_here(str s, size_t at)
{
    if (at > 1 && (str_starts(str_cut(s, at - 2, at), S("* ")) ||
                   str_starts(str_cut(s, at - 2, at), S("- "))))
        return at == 2 || s.at[at - 3] == '\n';
    return !at || s.at[at - 1] == '\n' ||
           (at > 1 && s.at[at - 1] == ' ' &&
            (s.at[at - 2] == '.' || s.at[at - 2] == ' ' || s.at[at - 2] == '\n'));
}

/* In a line that is set off: an example, a quotation, the output of a program. */
static bool is_set_off(str s, size_t at)
{
    size_t line = at;
    while (line && s.at[line - 1] != '\n')
        line--;
    return line < s.len && (str_starts(str_cut(s, line, s.len), S("  ")) || s.at[line] == '\t' ||
                            s.at[line] == '>');
}

static void read_text(struct arena *a, str s, struct buf *all)
{
    for (size_t at = 0; at < s.len; at++) {
        if (at && (ascii_is_word(s.at[at - 1]) || !ascii_is_word(s.at[at])))
            continue;
        for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
            size_t end = behind(s, at, phrases[i].text);
            if (end != at && (!phrases[i].opens || opens_here(s, at)) && !is_set_off(s, at))
                read_ids(a, s, end, all);
        }
    }
}

void commit_reverts_read(struct arena *a, str body, struct commit_record *out)
{
    struct buf ids = {0};
    if (str_starts(out->subject, S("Merge ")))
        return;
    read_subject(a, out);
    read_text(a, out->subject, &ids);
    read_text(a, body, &ids);
    out->reverts = arena_str(a, buf_str(&ids));
    buf_free(&ids);
}
