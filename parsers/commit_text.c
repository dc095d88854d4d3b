#include "parsers/commit_text.h"

#include "memory/base/ascii.h"
#include "memory/base/unicode.h"
#include "memory/text.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The end of the run of bytes that `is` likes, from `at` on. */
static size_t run_end(str s, size_t at, bool (*is)(char c))
{
    while (at < s.len && is(s.at[at]))
        at++;
    return at;
}

str without_carriage_returns(struct arena *a, str s)
{
    if (str_find_char(s, '\r', 0) == s.len)
        return s;
    char *to = arena_bytes(a, s.len);
    size_t len = 0;
    for (size_t i = 0; i < s.len; i++)
        if (s.at[i] != '\r')
            to[len++] = s.at[i];
    return str_from(to, len);
}

/* ---- what is named ---- */

static void add(struct arena *a, struct commit_record *out, enum commit_reference_kind kind,
                str text)
{
    for (size_t i = 0; i < out->reference_count; i++)
        if (out->references[i].kind == kind && str_eq(out->references[i].text, text))
            return;
    if (out->reference_count == MAX_COMMIT_REFERENCES) {
        out->message_cut = true;
        return;
    }
    ARENA_GROW(a, out->references, out->reference_count, out->reference_capacity);
    out->references[out->reference_count++] = (struct commit_reference){kind, text};
}

/* Each reader tells where what it found at `at` ends, or `at` itself; the byte before `at` belongs
 * to no word. */
typedef size_t reader(struct arena *a, str s, size_t at, struct commit_record *out);

static size_t read_url(struct arena *a, str s, size_t at, struct commit_record *out)
{
    str rest = str_cut(s, at, s.len);
    if (!str_starts(rest, S("http://")) && !str_starts(rest, S("https://")))
        return at;
    size_t end = at;
    while (end < s.len && (unsigned char)s.at[end] > ' ' && !memchr("<>\"'`|\\^{}", s.at[end], 11))
        end++;
    size_t next = end;
    while (end > at && memchr(".,;:!?)]*_", s.at[end - 1], 10))
        end--;
    if (end - at <= MAX_COMMIT_REFERENCE_BYTES)
        add(a, out, COMMIT_REF_URL, str_cut(s, at, end));
    return next;
}

enum { MAX_NUMBER_DIGITS = 9 };

/* The end of a number at `at` that no word goes on; `at` where there is none. */
static size_t number_end(str s, size_t at)
{
    size_t end = run_end(s, at, is_digit);
    bool fits =
        end > at && end - at <= MAX_NUMBER_DIGITS && (end == s.len || !ascii_is_word(s.at[end]));
    return fits ? end : at;
}

static bool is_project_byte(char c)
{
    return ascii_is_word(c) || c == '-' || c == '.';
}

/* "#12", "owner/project#12" */
static size_t read_issue(struct arena *a, str s, size_t at, struct commit_record *out)
{
    size_t hash = at;
    s = str_cut(s, 0,
                at + MAX_COMMIT_REFERENCE_BYTES); /* a long run is looked at once, not often */
    if (s.at[at] != '#') {
        size_t slash = run_end(s, at, is_project_byte);
        if (slash == s.len || s.at[slash] != '/')
            return at;
        hash = run_end(s, slash + 1, is_project_byte);
        if (hash == s.len || s.at[hash] != '#')
            return at;
    }
    size_t end = number_end(s, hash + 1);
    if (end == hash + 1 ||
        (hash == at && at && (ascii_is_word(s.at[at - 1]) || s.at[at - 1] == '&')))
        return at;
    add(a, out, COMMIT_REF_ISSUE, str_cut(s, at, end));
    return end;
}

/* "GH-12" is an issue, "JIRA-12" a ticket, "UTF-8" neither. */
static size_t read_ticket(struct arena *a, str s, size_t at, struct commit_record *out)
{
    static const char *const not_projects[] = {
        "UTF",  "UCS", "SHA",  "ISO", "RFC", "MD",   "CRC",  "AES",   "DES", "RSA",   "ECMA",
        "HTTP", "IPV", "BASE", "UTC", "GMT", "GPL",  "LGPL", "AGPL",  "BSD", "MIT",   "APACHE",
        "PEP",  "X",   "ES",   "CVE", "CWE", "GHSA", "PR",   "UTF16", "VT",  "RS",    "IEEE",
        "ANSI", "CP",  "KOI8", "EUC", "SSE", "AVX",  "ARM",  "I",     "C",   "COVID", "ED"};
    enum { MIN_LETTERS = 2, MAX_LETTERS = 10 };
    size_t dash = run_end(s, at, is_upper);
    if (dash - at < MIN_LETTERS || dash - at > MAX_LETTERS || dash == s.len || s.at[dash] != '-')
        return at;
    str project = str_cut(s, at, dash);
    size_t end = number_end(s, dash + 1);
    for (size_t i = 0; i < sizeof not_projects / sizeof *not_projects; i++)
        if (str_eq(project, str_of(not_projects[i])))
            return at;
    if (end == dash + 1 || (end + 1 < s.len && s.at[end] == '-' && ascii_is_word(s.at[end + 1])))
        return at;
    add(a, out, str_eq(project, S("GH")) ? COMMIT_REF_ISSUE : COMMIT_REF_TICKET,
        str_cut(s, at, end));
    return end;
}

enum { MIN_ID_DIGITS = 7, MAX_ID_DIGITS = 40 };

static str lower_hex(struct arena *a, str hex)
{
    char *copy = arena_cstr(a, hex);
    for (size_t i = 0; i < hex.len; i++)
        copy[i] = (char)(copy[i] | 0x20); /* a digit has the bit already */
    return str_from(copy, hex.len);
}

str commit_id_at(struct arena *a, str s, size_t at)
{
    at = at < s.len ? at : s.len;
    size_t end = run_end(s, at, is_hex);
    bool fits = end - at >= MIN_ID_DIGITS && end - at <= MAX_ID_DIGITS &&
                (end == s.len || !ascii_is_word(s.at[end]));
    return fits ? lower_hex(a, str_cut(s, at, end)) : S("");
}

/* Words and numbers of the right length are no ids, unless "commit" stands before them. */
static bool looks_like_id(str s, size_t at, str id)
{
    size_t digits = 0;
    for (size_t i = 0; i < id.len; i++)
        digits += is_digit(id.at[i]);
    bool mixed = (digits && digits < id.len) || id.len == MAX_ID_DIGITS;
    size_t end = at + id.len;
    bool part = (at && memchr("-#.@=", s.at[at - 1], 5)) ||
                (end + 1 < s.len && memchr("-.@", s.at[end], 3) && ascii_is_word(s.at[end + 1]));
    return (mixed && !part) || str_ends(str_cut(s, 0, at), S("commit "));
}

static size_t read_commit(struct arena *a, str s, size_t at, struct commit_record *out)
{
    if (!is_hex(s.at[at]))
        return at;
    struct arena mark = *a;
    str id = commit_id_at(a, s, at);
    if (!id.len || !looks_like_id(s, at, id)) {
        arena_rewind(a, mark);
        return at;
    }
    add(a, out, COMMIT_REF_COMMIT, id);
    return at + id.len;
}

void commit_references(struct arena *a, str s, struct commit_record *out)
{
    static reader *const readers[] = {read_url, read_issue, read_ticket, read_commit};
    for (size_t at = 0; at < s.len;) {
        size_t end = at;
        for (size_t i = 0; i < sizeof readers / sizeof *readers && end == at; i++)
            end = readers[i](a, s, at, out);
        if (end == at) /* on to the end of this word, or by the one byte that is none */
            end = run_end(s, at, ascii_is_word);
        at = end > at ? end : at + 1;
    }
}

/* ---- why ---- */

/* Lower case. The first row whose phrase a sentence holds tells what it is. */
static const struct {
    const char *phrase;
    bool is_decision;
} phrases[] = {
    {"breaking change", true}, {"instead of", true},    {"rather than", true},
    {"so that", true},         {"in order to", true},   {"to avoid", true},
    {"to prevent", true},      {"to ensure", true},     {"decided", true},
    {"in favor of", true},     {"in favour of", true},  {"trade-off", true},
    {"tradeoff", true},        {"on purpose", true},    {"deliberately", true},
    {"intentionally", true},   {"no longer", true},     {"we prefer", true},
    {"because", false},        {"due to", false},       {"caused by", false},
    {"turns out", false},      {"turned out", false},   {"the reason", false},
    {"root cause", false},     {"otherwise", false},    {"the problem", false},
    {"the issue is", false},   {"leads to", false},     {"led to", false},
    {"results in", false},     {"resulted in", false},  {"as a result", false},
    {"which means", false},    {"this means", false},   {"fixes", false},
    {"this fixes", false},     {"this reverts", false}, {"reverts", false},
};

/* Goes a word on at `at`? "that's" is not "that", with either apostrophe. */
static bool word_goes_on(str s, size_t at)
{
    return at < s.len && (ascii_is_word(s.at[at]) || s.at[at] == '\'' ||
                          str_starts(str_cut(s, at, s.len), S("\xE2\x80\x99")));
}

/* The phrase as whole words. */
static bool holds(str lower, str phrase)
{
    for (size_t at = 0; (at = str_find(lower, phrase, at)) < lower.len; at++) {
        if ((!at || !ascii_is_word(lower.at[at - 1])) && !word_goes_on(lower, at + phrase.len))
            return true;
    }
    return false;
}

static bool says_why(struct arena *a, str sentence, bool *is_decision)
{
    char *bytes = arena_cstr(a, sentence);
    for (size_t i = 0; i < sentence.len; i++)
        if (is_upper(bytes[i]))
            bytes[i] = (char)(bytes[i] | 0x20);
    str lower = str_from(bytes, sentence.len);
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (holds(lower, str_of(phrases[i].phrase))) {
            *is_decision = phrases[i].is_decision;
            return true;
        }
    return false;
}

/* "Fixes #12." says what, not why. */
static bool is_sentence(str s)
{
    enum { MIN_WORDS = 4, MIN_BYTES = 20 };
    size_t words = 0;
    str rest = s, word;
    while (str_next_word(&rest, &word))
        words += word.len > 1 && (ascii_is_word(word.at[0]) && !is_digit(word.at[0]));
    return words >= MIN_WORDS && s.len >= MIN_BYTES && s.len <= MAX_COMMIT_REASON_BYTES;
}

/* Quoted mails, code, tables and traces are not the author's reasons. */
static bool is_prose(str line)
{
    return !str_starts(line, S("    ")) && !str_starts(line, S("\t")) &&
           !str_starts(line, S(">")) && !str_starts(line, S("diff ")) &&
           !str_starts(line, S("@@ "));
}

/* The text without lines that are no prose, a blank one in their place. */
static str prose_of(struct arena *a, str text)
{
    char *to = arena_bytes(a, text.len + 1);
    size_t len = 0;
    str line;
    while (str_next_line(&text, &line)) {
        size_t n = is_prose(line) ? line.len : 0;
        memcpy(to + len, line.at, n);
        len += n;
        to[len++] = '\n';
    }
    return str_from(to, len);
}

void commit_reasons(struct arena *a, str text, struct commit_record *out)
{
    str rest = prose_of(a, text), sentence;
    while (out->reason_count < MAX_COMMIT_REASONS && text_next_sentence(&rest, &sentence)) {
        struct arena mark = *a;
        struct commit_reason reason;
        reason.text = unicode_squeeze(a, sentence);
        if (!is_sentence(reason.text) || !says_why(a, reason.text, &reason.is_decision)) {
            arena_rewind(a, mark);
            continue;
        }
        ARENA_GROW(a, out->reasons, out->reason_count, out->reason_capacity);
        out->reasons[out->reason_count++] = reason;
    }
}
