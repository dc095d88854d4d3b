#include "tools/adr.h"

#include "memory/base/buf.h"
#include "memory/base/unicode.h"
#include "memory/text.h"

#include <string.h>

const char *const adr_status_name[ADR_STATUS_COUNT] = {"accepted", "proposed", "rejected",
                                                       "deprecated", "superseded"};

/* ---- words ---- */

/* A word by which a status is told, at the beginning of any of its words. */
static const struct {
    const char *word;
    enum adr_status status;
} status_words[] = {
    {"accepted", ADR_ACCEPTED},     {"approved", ADR_ACCEPTED},   {"decided", ADR_ACCEPTED},
    {"implemented", ADR_ACCEPTED},  {"adopted", ADR_ACCEPTED},    {"final", ADR_ACCEPTED},
    {"proposed", ADR_PROPOSED},     {"draft", ADR_PROPOSED},      {"pending", ADR_PROPOSED},
    {"proposal", ADR_PROPOSED},     {"rejected", ADR_REJECTED},   {"declined", ADR_REJECTED},
    {"abandoned", ADR_REJECTED},    {"withdrawn", ADR_REJECTED},  {"deprecated", ADR_DEPRECATED},
    {"obsolete", ADR_DEPRECATED},   {"retired", ADR_DEPRECATED},  {"superseded", ADR_SUPERSEDED},
    {"superceded", ADR_SUPERSEDED}, {"replaced", ADR_SUPERSEDED}, {"amended", ADR_ACCEPTED},
};

enum part { PART_NONE, PART_STATUS, PART_CONTEXT, PART_DECISION, PART_OTHER };

/* Headings by how they begin. */
static const struct {
    const char *heading;
    enum part part;
} headings[] = {
    {"status", PART_STATUS},
    {"context", PART_CONTEXT},
    {"problem", PART_CONTEXT},
    {"motivation", PART_CONTEXT},
    {"background", PART_CONTEXT},
    {"decision drivers", PART_OTHER},
    {"decision outcome", PART_DECISION},
    {"decision", PART_DECISION},
    {"outcome", PART_DECISION},
    {"resolution", PART_DECISION},
};

static bool starts_nocase(str s, str prefix)
{
    return s.len >= prefix.len && str_eq_nocase(str_cut(s, 0, prefix.len), prefix);
}

static bool is_letter_at(str s, size_t at)
{
    return at < s.len && ((s.at[at] | 32) >= 'a' && (s.at[at] | 32) <= 'z');
}

static bool is_digit_at(str s, size_t at)
{
    return at < s.len && s.at[at] >= '0' && s.at[at] <= '9';
}

/* Where the word stands in the text, in any case and not within another one; its length: none. */
static size_t find_word(str s, str word)
{
    for (size_t i = 0; i + word.len <= s.len; i++)
        if (str_eq_nocase(str_cut(s, i, i + word.len), word) &&
            (i == 0 || !is_letter_at(s, i - 1)) && !is_letter_at(s, i + word.len))
            return i;
    return s.len;
}

/* The status whose word comes first; false where there is none. */
static bool status_in(str s, enum adr_status *out)
{
    size_t first = s.len;
    for (size_t i = 0; i < sizeof status_words / sizeof *status_words; i++) {
        size_t at = find_word(s, str_of(status_words[i].word));
        if (at < first) {
            first = at;
            *out = status_words[i].status;
        }
    }
    return first < s.len;
}

static enum part part_of(str heading)
{
    size_t skip = 0; /* "2. Context", "## 2.1 Decision" */
    while (skip < heading.len && !is_letter_at(heading, skip))
        skip++;
    str word = str_cut(heading, skip, heading.len);
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (starts_nocase(word, str_of(headings[i].heading)))
            return headings[i].part;
    return PART_OTHER;
}

/* ---- references ---- */

/* Digits from `at`; -1 where there is none or more than six. */
static int64_t number_at(str s, size_t at)
{
    int64_t value = 0;
    size_t digits = 0;
    for (; is_digit_at(s, at); at++, digits++)
        value = digits < 7 ? value * 10 + (s.at[at] - '0') : value;
    return digits && digits < 7 ? value : -1;
}

static size_t skip_to_digit(str s, size_t at, size_t most)
{
    size_t end = at + most;
    while (at < s.len && at < end && !is_digit_at(s, at))
        at++;
    return at;
}

/* The base name of a link's target, without what follows # or ?. */
static str linked_file(str target)
{
    size_t end = 0, from = 0;
    while (end < target.len && !strchr("#? \t", target.at[end]))
        end++;
    for (size_t i = 0; i < end; i++)
        if (target.at[i] == '/')
            from = i + 1;
    return str_cut(target, from, end);
}

static void add_ref(struct arena *a, struct adr_ref *refs, size_t *count, int64_t number, str file)
{
    if (*count < MAX_ADR_REFS && (number >= 0 || file.len))
        refs[(*count)++] = (struct adr_ref){number, arena_str(a, file)};
}

/* The records that a line names: the targets of its links, else "ADR-0005", "5." and the like. */
static void read_refs(struct arena *a, str line, struct adr_ref *refs, size_t *count)
{
    size_t before = *count;
    for (size_t at = 0; (at = str_find(line, S("]("), at)) < line.len; at += 2) {
        size_t end = str_find_char(line, ')', at);
        str file = linked_file(str_cut(line, at + 2, end));
        add_ref(a, refs, count, number_at(file, skip_to_digit(file, 0, 8)), file);
    }
    for (size_t at = 0; *count == before && (at = skip_to_digit(line, at, line.len)) < line.len;) {
        size_t digits = at;
        bool in_date = at && line.at[at - 1] == '-' && at > 1 && is_digit_at(line, at - 2);
        while (is_digit_at(line, at))
            at++;
        in_date |= at < line.len && line.at[at] == '-' && is_digit_at(line, at + 1);
        if (in_date) /* 2024-05-06 is no number of a record */
            continue;
        add_ref(a, refs, count, number_at(line, digits), S(""));
        break;
    }
}

bool adr_means(const struct adr_ref *ref, str name, int64_t number)
{
    return ref->file.len ? str_eq_nocase(ref->file, name)
                         : ref->number >= 0 && ref->number == number;
}

/* ---- the lines of a record ---- */

struct reader {
    struct arena *arena;
    struct adr *out;
    enum part part;
    bool has_status, has_decision;
    struct buf why, decision;
};

/* "Superseded by 9", "Supersedes [5](0005-x.md)", also behind "Status:". */
static void read_status_line(struct reader *r, str line)
{
    enum adr_status status = ADR_ACCEPTED;
    size_t by = str_find(line, S(" by "), 0);
    if (find_word(line, S("supersedes")) < line.len || find_word(line, S("replaces")) < line.len ||
        find_word(line, S("supercedes")) < line.len) {
        read_refs(r->arena, line, r->out->supersedes, &r->out->supersedes_count);
        return;
    }
    if (!status_in(line, &status))
        return;
    if (status == ADR_SUPERSEDED)
        read_refs(r->arena, str_cut(line, by < line.len ? by : 0, line.len), r->out->superseded_by,
                  &r->out->superseded_by_count);
    /* Nygard's records keep "Accepted" above "Superseded by": the last one counts. */
    if (!r->has_status || status != ADR_ACCEPTED)
        r->out->status = status;
    r->has_status = true;
}

static bool is_date(str s)
{
    for (size_t i = 0; i < 10; i++)
        if (i == 4 || i == 7 ? i >= s.len || s.at[i] != '-' : !is_digit_at(s, i))
            return false;
    return true;
}

static void read_date(struct reader *r, str value)
{
    for (size_t i = 0; i + 10 <= value.len && !r->out->date.len; i++)
        if (is_date(str_cut(value, i, value.len)) && (i == 0 || !is_digit_at(value, i - 1)))
            r->out->date = arena_str(r->arena, str_cut(value, i, i + 10));
}

/* The value of a line such as "* Status: accepted" or "**Date**: 2024-05-06" with this name. */
static bool field(str line, str name, str *value)
{
    while (line.len && strchr("*-_> \t", line.at[0]))
        line = str_cut(line, 1, line.len);
    if (!starts_nocase(line, name))
        return false;
    line = str_cut(line, name.len, line.len);
    while (line.len && strchr("*_ \t", line.at[0]))
        line = str_cut(line, 1, line.len);
    if (!line.len || line.at[0] != ':')
        return false;
    *value = str_cut(line, 1, line.len);
    return true;
}

/* "# 9. Use X", "= ADR-0009: Use X": the number off, the rest is the title. */
static void read_title(struct reader *r, str heading)
{
    size_t at = 0;
    heading = str_trim(heading);
    if (starts_nocase(heading, S("adr")))
        at = 3;
    while (at < heading.len && strchr("-_# \t", heading.at[at]))
        at++;
    if (is_digit_at(heading, at)) {
        r->out->number = number_at(heading, at);
        while (is_digit_at(heading, at))
            at++;
        while (at < heading.len && strchr(".:-) \t", heading.at[at]))
            at++;
    } else if (at == 3 && at < heading.len && heading.at[at] == ':') {
        at++;
    } else {
        at = 0;
    }
    r->out->title = unicode_squeeze(r->arena, str_cut(heading, at, heading.len));
}

static void read_heading(struct reader *r, str text, int level)
{
    if (!r->out->title.len) {
        read_title(r, text);
        return;
    }
    if (level > 2 && r->part != PART_NONE) /* "### Consequences" ends the decision, too */
        r->part = r->part == PART_DECISION ? PART_OTHER : r->part;
    else
        r->part = part_of(text);
    r->has_decision |= r->part == PART_DECISION;
}

static int heading_level(str line)
{
    int level = 0;
    char mark = line.len ? line.at[0] : 0;
    if (mark != '#' && mark != '=')
        return 0;
    while ((size_t)level < line.len && line.at[level] == mark)
        level++;
    return (size_t)level < line.len && line.at[level] == ' ' ? level : 0;
}

/* A line of "=====" or "-----" below a text makes that a heading: reST, Markdown's other form. */
static bool is_underline(str line, str above)
{
    line = str_trim(line);
    if (line.len < 3 || !strchr("=-~", line.at[0]) || !str_trim(above).len)
        return false;
    for (size_t i = 1; i < line.len; i++)
        if (line.at[i] != line.at[0])
            return false;
    return true;
}

static void read_body(struct reader *r, str line)
{
    str value;
    if (field(line, S("status"), &value))
        read_status_line(r, value);
    else if (field(line, S("date"), &value))
        read_date(r, value);
    else if (field(line, S("supersedes"), &value))
        read_refs(r->arena, value, r->out->supersedes, &r->out->supersedes_count);
    else if (field(line, S("superseded-by"), &value) || field(line, S("superseded by"), &value))
        read_refs(r->arena, value, r->out->superseded_by, &r->out->superseded_by_count);
    else if (r->part == PART_STATUS)
        read_status_line(r, line);
    else if (r->part == PART_CONTEXT || r->part == PART_DECISION) {
        struct buf *to = r->part == PART_CONTEXT ? &r->why : &r->decision;
        if (to->len < 4 * MAX_ADR_PART_BYTES) {
            buf_add(to, line);
            buf_add_char(to, '\n');
        }
    }
}

/* Comments of templates, code and link definitions say nothing. */
static bool is_noise(str line, bool *in_comment)
{
    bool was = *in_comment, opens = str_find(line, S("<!--"), 0) < line.len,
         closes = str_find(line, S("-->"), 0) < line.len;
    *in_comment = (was || opens) && !closes;
    return was || opens || str_starts(line, S("```")) || str_starts(line, S(".. "));
}

static void read_lines(struct reader *r, str text)
{
    str line, above = S("");
    bool in_comment = false, in_matter = false, first = true;
    while (str_next_line(&text, &line)) {
        line = str_trim(line);
        if (str_eq(line, S("---")) && (first || in_matter)) {
            in_matter = first;
            first = false;
            continue;
        }
        first = false;
        int level = in_matter ? 0 : heading_level(line);
        if (is_noise(line, &in_comment)) {
            read_body(r, above);
            above = S("");
        } else if (level) {
            read_body(r, above);
            read_heading(r, str_cut(line, (size_t)level, line.len), level);
            above = S("");
        } else if (!in_matter && is_underline(line, above)) {
            read_heading(r, above, r->out->title.len ? 2 : 1);
            above = S("");
        } else { /* a line waits for the next one, which may underline it */
            read_body(r, above);
            above = line;
        }
    }
    read_body(r, above);
}

/* One line of at most MAX_ADR_PART_BYTES, without marks of emphasis, cut behind a sentence. */
static str squeeze_part(struct arena *a, const struct buf *b)
{
    struct buf plain = {0};
    for (size_t i = 0; i < b->len; i++)
        if (b->at[i] != '*')
            buf_add_char(&plain, b->at[i]);
    str all = unicode_squeeze(a, buf_str(&plain)), rest = all, sentence;
    buf_free(&plain);
    size_t end = 0;
    if (all.len <= MAX_ADR_PART_BYTES)
        return all;
    while (text_next_sentence(&rest, &sentence)) {
        size_t to = (size_t)(sentence.at + sentence.len - all.at);
        if (to > MAX_ADR_PART_BYTES)
            break;
        end = to;
    }
    return end ? str_cut(all, 0, end) : utf8_prefix(all, MAX_ADR_PART_BYTES);
}

bool adr_read(struct arena *a, str name, str text, struct adr *out)
{
    struct reader r = {.arena = a, .out = out};
    *out = (struct adr){.number = -1};
    read_lines(&r, text);
    out->decision = squeeze_part(a, &r.decision);
    out->why = squeeze_part(a, &r.why);
    buf_free(&r.decision);
    buf_free(&r.why);
    if (out->number < 0)
        out->number = number_at(name, skip_to_digit(name, 0, 8));
    return out->title.len && (out->decision.len || r.has_status);
}

str adr_sentence(struct arena *a, const struct adr *r)
{
    bool proposed = r->status == ADR_PROPOSED;
    struct buf b = {0};
    if (r->number >= 0)
        buf_printf(&b, "ADR %lld%s: ", (long long)r->number, proposed ? ", proposed" : "");
    else if (proposed)
        buf_add(&b, S("Proposed: "));
    buf_add(&b, r->title);
    if (!strchr(".?!", r->title.at[r->title.len - 1]))
        buf_add_char(&b, '.');
    if (r->decision.len)
        buf_printf(&b, " %s: %.*s", proposed ? "Proposal" : "Decision", FMT(r->decision));
    if (r->why.len)
        buf_printf(&b, " Because: %.*s", FMT(r->why));
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}
