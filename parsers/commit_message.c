#include "parsers/commit_message.h"

#include "memory/base/ascii.h"
#include "memory/base/unicode.h"
#include "memory/text.h"
#include "parsers/commit_reverts.h"
#include "parsers/commit_text.h"

/* At most max_bytes of a text, ending at a code point; *cut where something is left out. */
static str bounded(str s, size_t max_bytes, bool *cut)
{
    str head = utf8_prefix(s, max_bytes);
    *cut |= head.len < s.len;
    return head;
}

/* ---- subject ---- */

static str trim_blank_lines(str s)
{
    while (s.len && (s.at[0] == '\n' || s.at[0] == ' ' || s.at[0] == '\t'))
        s = str_cut(s, 1, s.len);
    while (s.len && (s.at[s.len - 1] == '\n' || s.at[s.len - 1] == ' '))
        s.len--;
    return s;
}

/* The lines before the first blank one, as one line; *rest is what follows. */
static str read_subject(struct arena *a, str message, str *rest, bool *cut)
{
    size_t end = str_find(message, S("\n\n"), 0);
    *rest = trim_blank_lines(str_cut(message, end, message.len));
    /* joined from not much more than is kept: a message may be one line of megabytes */
    enum { MAX_JOINED_BYTES = 4 * MAX_COMMIT_SUBJECT_BYTES };
    str paragraph = bounded(str_cut(message, 0, end), MAX_JOINED_BYTES, cut);
    return bounded(unicode_squeeze(a, paragraph), MAX_COMMIT_SUBJECT_BYTES, cut);
}

static bool is_conventional(str type)
{
    static const char *const types[] = {"feat",     "feature", "fix",  "docs",    "doc",   "style",
                                        "refactor", "perf",    "test", "tests",   "build", "ci",
                                        "chore",    "revert",  "deps", "security"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_eq_nocase(type, str_of(types[i])))
            return true;
    return false;
}

/* "type(scope)!: what" */
static void read_type(struct commit_record *out)
{
    enum { MAX_WORD_BYTES = 64 };
    str s = out->subject;
    size_t colon = str_find(s, S(": "), 0);
    if (colon == s.len)
        return;
    str head = str_cut(s, 0, colon), scope = S("");
    bool breaking = head.len && head.at[head.len - 1] == '!';
    head.len -= breaking;
    size_t open = str_find_char(head, '(', 0);
    if (open < head.len) {
        if (head.at[head.len - 1] != ')')
            return;
        scope = str_cut(head, open + 1, head.len - 1);
        head.len = open;
    }
    if (!is_conventional(head) || scope.len > MAX_WORD_BYTES)
        return;
    out->type = head;
    out->scope = scope;
    out->is_breaking = breaking;
}

/* ---- trailers ---- */

/* "Key: value", the key of letters, digits and '-'. */
static bool trailer_line(str line, struct commit_trailer *out)
{
    enum { MAX_KEY_BYTES = 64 };
    size_t colon = str_find_char(line, ':', 0);
    str key = str_cut(line, 0, colon);
    if (colon == line.len || !key.len || key.len > MAX_KEY_BYTES ||
        str_starts(str_cut(line, colon, line.len), S("://")))
        return false;
    bool breaking = str_eq(key, S("BREAKING CHANGE"));
    for (size_t i = 0; i < key.len && !breaking; i++)
        if (!ascii_is_word(key.at[i]) && key.at[i] != '-')
            return false;
    *out = (struct commit_trailer){key, str_trim(str_cut(line, colon + 1, line.len))};
    return out->value.len > 0;
}

/* Lines that only tools write: with one of them a paragraph may hold other lines as well. */
static bool is_certain(str line)
{
    static const char *const starts[] = {
        "signed-off-by:", "co-authored-by:", "reviewed-by:", "acked-by:",
        "tested-by:",     "reported-by:",    "change-id:",   "(cherry picked from commit "};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        str start = str_of(starts[i]);
        if (str_eq_nocase(str_cut(line, 0, start.len), start))
            return true;
    }
    return false;
}

/* The last paragraph of a body, or the whole body; empty where it is longer than trailers are. */
static str last_paragraph(str body)
{
    enum { MAX_TRAILERS_BYTES = 16 << 10 };
    str tail =
        str_cut(body, body.len > MAX_TRAILERS_BYTES ? body.len - MAX_TRAILERS_BYTES : 0, body.len);
    for (size_t at = tail.len; at-- > 1;)
        if (tail.at[at] == '\n' && tail.at[at - 1] == '\n')
            return str_cut(tail, at + 1, tail.len);
    return tail.len == body.len ? tail : S("");
}

/* As git decides: all lines are trailers, or one surely is and a quarter of them look so. */
static bool are_trailers(str paragraph)
{
    size_t trailers = 0, others = 0, certain = 0;
    struct commit_trailer trailer;
    str line;
    while (str_next_line(&paragraph, &line)) {
        bool continued = trailers && line.len && (line.at[0] == ' ' || line.at[0] == '\t');
        certain += is_certain(line);
        if (trailer_line(line, &trailer) || is_certain(line))
            trailers++;
        else if (!continued)
            others++;
    }
    return trailers && (!others || (certain && trailers * 3 >= others));
}

/* Takes the trailers off the end of *body; the paragraph that they were, for references. */
static str cut_trailers(struct arena *a, str *body, struct commit_record *out)
{
    str paragraph = last_paragraph(*body);
    if (!are_trailers(paragraph))
        return S("");
    *body = trim_blank_lines(str_cut(*body, 0, body->len - paragraph.len));
    str rest = paragraph, line;
    while (str_next_line(&rest, &line)) {
        struct commit_trailer trailer;
        if (!trailer_line(line, &trailer))
            continue;
        if (out->trailer_count == MAX_COMMIT_TRAILERS) {
            out->message_cut = true;
            break;
        }
        out->is_breaking |= str_starts(trailer.key, S("BREAKING"));
        trailer.value = bounded(trailer.value, MAX_COMMIT_TRAILER_BYTES, &out->message_cut);
        ARENA_GROW(a, out->trailers, out->trailer_count, out->trailer_capacity);
        out->trailers[out->trailer_count++] = trailer;
    }
    return paragraph;
}

void commit_message_read(struct arena *a, str message, struct commit_record *out)
{
    str body;
    message = trim_blank_lines(without_carriage_returns(a, message));
    out->subject = read_subject(a, message, &body, &out->message_cut);
    read_type(out);
    str trailers = cut_trailers(a, &body, out);
    out->body = bounded(body, MAX_COMMIT_BODY_BYTES, &out->message_cut);
    out->is_breaking |= str_find(out->body, S("BREAKING CHANGE"), 0) < out->body.len;
    commit_reverts_read(a, out->body, out);
    commit_references(a, out->subject, out);
    commit_references(a, out->body, out);
    commit_references(a, trailers, out);
    commit_reasons(a, out->subject, out);
    commit_reasons(a, out->body, out);
}
