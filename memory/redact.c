#include "memory/redact.h"

#include "memory/base/ascii.h"
#include "memory/base/buf.h"
#include "memory/base/regex.h"
#include "memory/base/unicode.h"
#include "memory/redact_rules.h"

#include <stdlib.h>

/* All keywords are looked for in one pass by an automaton (Aho, Corasick, "Efficient string
 * matching", CACM 18(6), 1975); a rule's pattern is only tried where one of its keywords stands,
 * anchored, and sees a bounded window. So the time is linear in the text, whatever it holds. */
enum {
    MAX_STATES = 2048,
    MAX_OUTPUTS = 512,
    MAX_CLASSES = 64, /* bytes that occur in keywords, and one for all others */
    DEFAULT_WINDOW_BYTES = 512,
    LOOK_BEHIND_BYTES = 16, /* what a pattern may see before its start */
};

struct output { /* a keyword that ends in a state */
    uint16_t rule, length, next;
};

struct redactor {
    struct regex *patterns[MAX_REDACT_RULES];
    unsigned char class_of[256];
    size_t class_count, state_count, output_count;
    uint16_t (*next)[MAX_CLASSES];
    uint16_t first_output[MAX_STATES]; /* 1 + index, 0 for none; further ones by output.next */
    uint16_t shorter[MAX_STATES];      /* the nearest suffix state that has outputs, 0 for none */
    uint16_t nearest[MAX_STATES];      /* the same, the state itself included */
    struct output outputs[MAX_OUTPUTS];
};

static unsigned char lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : c;
}

/* ---- the automaton ---- */

static bool add_keyword(struct redactor *r, size_t rule, str keyword)
{
    size_t state = 0;
    for (size_t i = 0; i < keyword.len; i++) {
        unsigned char c = (unsigned char)keyword.at[i];
        if (!r->class_of[c]) {
            if (r->class_count + 1 >= MAX_CLASSES)
                return false;
            r->class_of[c] = (unsigned char)++r->class_count;
        }
        uint16_t *next = &r->next[state][r->class_of[c]];
        if (!*next) {
            if (r->state_count == MAX_STATES)
                return false;
            *next = (uint16_t)r->state_count++;
        }
        state = *next;
    }
    if (r->output_count == MAX_OUTPUTS)
        return false;
    r->outputs[r->output_count++] =
        (struct output){(uint16_t)rule, (uint16_t)keyword.len, r->first_output[state]};
    r->first_output[state] = (uint16_t)r->output_count;
    return true;
}

/* Breadth first: when a state is taken from the queue, the states of all shorter texts are
 * complete. */
static void link_states(struct redactor *r)
{
    uint16_t queue[MAX_STATES], suffix[MAX_STATES] = {0};
    size_t head = 0, tail = 0;
    for (size_t c = 0; c <= r->class_count; c++)
        if (r->next[0][c])
            queue[tail++] = r->next[0][c];
    while (head < tail) {
        uint16_t state = queue[head++], behind = suffix[state];
        r->shorter[state] = r->nearest[behind];
        r->nearest[state] = r->first_output[state] ? state : r->shorter[state];
        for (size_t c = 0; c <= r->class_count; c++) {
            uint16_t child = r->next[state][c];
            if (child) {
                suffix[child] = r->next[behind][c];
                queue[tail++] = child;
            } else {
                r->next[state][c] = r->next[behind][c];
            }
        }
    }
}

static bool build(struct redactor *r, struct err *e)
{
    for (size_t i = 0; i < redact_rule_count; i++) {
        str rest = str_of(redact_rules[i].keywords), keyword;
        while (str_next_word(&rest, &keyword))
            if (!add_keyword(r, i, keyword))
                return fail(e, ERR_LIMIT, "too many keywords of secrets");
        r->patterns[i] = regex_compile(redact_rules[i].pattern, false, e);
        if (!r->patterns[i])
            return fail_context(e, "rule %s", redact_rules[i].name);
    }
    link_states(r);
    for (unsigned c = 'A'; c <= 'Z'; c++)
        r->class_of[c] = r->class_of[lower((unsigned char)c)];
    return true;
}

struct redactor *redactor_open(struct err *e)
{
    struct redactor *r = heap_alloc(1, sizeof *r);
    r->next = heap_alloc(MAX_STATES, sizeof *r->next);
    r->state_count = 1;
    if (build(r, e))
        return r;
    redactor_close(r);
    return NULL;
}

void redactor_close(struct redactor *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < redact_rule_count; i++)
        regex_free(r->patterns[i]);
    heap_free(r->next);
    heap_free(r);
}

/* ---- what isn't worth hiding ---- */

static bool contains_nocase(str s, const char *needle)
{
    size_t n = strlen(needle);
    for (size_t at = 0; at + n <= s.len; at++)
        if (lower((unsigned char)s.at[at]) == (unsigned char)needle[0] &&
            str_eq_nocase(str_cut(s, at, at + n), str_of(needle)))
            return true;
    return false;
}

static size_t count_digits(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += s.at[i] >= '0' && s.at[i] <= '9';
    return n;
}

static size_t count_letters(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = lower((unsigned char)s.at[i]);
        n += (c >= 'a' && c <= 'z') || c >= 0x80;
    }
    return n;
}

/* "aaaaaaaa", "********", "--------" */
static bool is_one_character(str s)
{
    for (size_t i = 1; i < s.len; i++)
        if (s.at[i] != s.at[0])
            return false;
    return true;
}

/* A variable, a mask, or what we wrote ourselves. */
static bool is_stand_in(str value)
{
    static const char *const marks[] = {"${", "$(",        "{{",   "}}",   "%(", "%s",
                                        "<",  "[redacted", "****", "xxxx", "..."};
    if (value.at[0] == '$' || value.at[0] == '%' || is_one_character(value))
        return true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (contains_nocase(value, marks[i]))
            return true;
    return false;
}

static bool is_placeholder(str value)
{
    static const char *const words[] = {
        "example",  "changeme",  "change_me",   "change-me",    "placeholder", "your_",
        "your-",    "yourpass",  "redacted",    "dummy",        "insert_",     "insert-",
        "replace_", "replace-",  "process.env", "os.environ",   "getenv",      "env.",
        "secrets.", "undefined", "notasecret",  "not-a-secret", "enter_",      "input_"};
    if (is_stand_in(value))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (contains_nocase(value, words[i]))
            return true;
    return false;
}

/* "config.auth.token2": names joined by points, each of which begins with a letter. */
static bool is_member_access(str value)
{
    bool begins = true;
    size_t points = 0;
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = lower((unsigned char)value.at[i]);
        bool letter = (c >= 'a' && c <= 'z') || c == '_', digit = c >= '0' && c <= '9';
        if (!letter && (begins || (!digit && c != '.')))
            return false;
        begins = c == '.';
        points += begins;
    }
    return points > 0;
}

/* "access_token", "/run/secrets/db", "getToken": names of things, as code without quotes has them.
 */
static bool is_name(str value)
{
    size_t others = 0;
    for (size_t i = 0; i < value.len; i++) {
        char c = (char)lower((unsigned char)value.at[i]);
        others += !(c >= 'a' && c <= 'z') && c != '_' && c != '.' && c != '-';
    }
    return others == 0 || value.at[0] == '/' || value.at[0] == '.' || value.at[0] == '~' ||
           contains_nocase(value, "://") || is_member_access(value);
}

static bool ends_nocase(str s, str ending)
{
    return s.len >= ending.len && str_eq_nocase(str_cut(s, s.len - ending.len, s.len), ending);
}

/* "secretName", "access_token_url =": what such a name holds only tells something about the secret.
 */
static bool is_about_a_secret(str name)
{
    static const char *const endings[] = {
        "name",     "field",    "type",   "hint",    "policy",    "label",    "id",
        "ids",      "length",   "len",    "path",    "file",      "dir",      "url",
        "uri",      "prefix",   "suffix", "regex",   "pattern",   "limit",    "count",
        "budget",   "ttl",      "expiry", "expires", "issuer",    "audience", "endpoint",
        "param",    "header",   "min",    "max",     "algorithm", "version",  "format",
        "strategy", "provider", "class",  "mode",    "arn",       "ref",      "placeholder"};
    while (name.len && strchr(" \t=:>\"'`]", name.at[name.len - 1]))
        name.len--;
    str singular = str_cut(name, 0, name.len - str_ends(name, S("s")));
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        str ending = str_of(endings[i]);
        if (ends_nocase(name, ending) || ends_nocase(singular, ending))
            return true;
    }
    return false;
}

/* `name` is what stands before the value, from the keyword on. The stricter, the less it looks like
 * a password: a value in quotes behind "password" counts as it is, a bare one behind "token" has to
 * look random. */
static bool is_secret_value(str name, str value)
{
    enum { RANDOM_BYTES = 12 };
    if (is_placeholder(value) || is_about_a_secret(name))
        return false;
    char before = name.len ? name.at[name.len - 1] : ' ';
    bool quoted = before == '"' || before == '\'' || before == '`' || before == '>';
    bool password = contains_nocase(str_cut(name, 0, 6), "pass") ||
                    contains_nocase(str_cut(name, 0, 6), "pwd") || str_starts(name, S("--pass"));
    bool token = contains_nocase(str_cut(name, 0, 7), "token");
    size_t digits = count_digits(value), letters = count_letters(value);
    if (quoted && password)
        return true;
    if (quoted && !token && digits == 0)
        return value.len >= RANDOM_BYTES && !is_name(value);
    if (quoted)
        return digits > 0 && letters > 0;
    bool env_file = before == '=' && name.at[0] >= 'A' && name.at[0] <= 'Z' && name.len > 1 &&
                    name.at[1] >= 'A' && name.at[1] <= 'Z';
    if (env_file && password)
        return value.at[0] != '/' && !contains_nocase(value, "://");
    if (is_name(value) || letters == 0 || digits == 0)
        return false;
    return password || env_file || (digits > 1 && value.len >= RANDOM_BYTES);
}

static bool passes(enum secret_check check, str name, str value)
{
    switch (check) {
    case CHECK_DIGIT:
        return count_digits(value) > 0;
    case CHECK_URL:
        return !is_stand_in(value);
    case CHECK_ASSIGNMENT:
        return is_secret_value(name, value);
    case CHECK_NONE:
        break;
    }
    return true;
}

/* ---- finding ---- */

struct span {
    size_t from, to, rule;
};

struct search {
    struct redactor *r;
    str text;
    struct span *spans; /* heap */
    size_t count, capacity;
    size_t done[MAX_REDACT_RULES]; /* where each rule's last match ended: it is not tried again
                                      before */
};

/* Text around [from, from + bytes), cut at code points. */
static str window(str text, size_t from, size_t bytes, size_t *offset)
{
    size_t begin = utf8_ahead(text, from > LOOK_BEHIND_BYTES ? from - LOOK_BEHIND_BYTES : 0);
    size_t end = utf8_back(text, text.len - from > bytes ? from + bytes : text.len);
    *offset = from - begin;
    return str_cut(text, begin, end);
}

/* The end of a block whose head ends at `from`: past the end mark and the dashes of its line, or
 * the end of all. */
static size_t block_end(str text, size_t from, const char *end)
{
    size_t n = strlen(end);
    for (size_t at = from; (at = str_find_char(text, end[0], at)) < text.len; at++) {
        if (!str_eq_nocase(str_cut(text, at, at + n), str_of(end)))
            continue;
        at += n;
        if (end[n - 1] == '>')
            return at;
        size_t dashes = str_find(str_cut(text, at, at + 64), S("-----"), 0);
        return dashes < 64 && at + dashes + 5 <= text.len ? at + dashes + 5 : at;
    }
    return text.len;
}

static bool is_rule_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* Whether `at` lies in a mark that we left: "[REDACTED:github-token]" names no token. */
static bool is_in_mark(str text, size_t at)
{
    enum { MAX_NAME = 32 }; /* of a rule */
    static const str head = {"[REDACTED:", 10};
    size_t from = at, to = at;
    while (from > 0 && at - from < MAX_NAME && is_rule_byte(text.at[from - 1]))
        from--;
    while (to < text.len && to - at < MAX_NAME && is_rule_byte(text.at[to]))
        to++;
    return from >= head.len && to < text.len && text.at[to] == ']' &&
           str_eq(str_cut(text, from - head.len, from), head);
}

static void try_rule(struct search *search, size_t rule_index, size_t keyword_at)
{
    const struct redact_rule *rule = &redact_rules[rule_index];
    str text = search->text, groups[REGEX_MAX_GROUPS];
    if (keyword_at < search->done[rule_index] || keyword_at < rule->back ||
        (!rule->inside_word && keyword_at > 0 && ascii_is_word(text.at[keyword_at - 1])))
        return;
    size_t from = keyword_at - rule->back, offset;
    if (utf8_is_tail(text, from))
        return;
    str seen = window(text, from, rule->window ? rule->window : DEFAULT_WINDOW_BYTES, &offset);
    if (!regex_find(search->r->patterns[rule_index], seen, offset, groups) ||
        is_in_mark(text, keyword_at))
        return;
    str secret = groups[1].len ? groups[1] : groups[2].len ? groups[2] : groups[0];
    struct span span = {(size_t)(secret.at - text.at), 0, rule_index};
    span.to =
        rule->end ? block_end(text, span.from + secret.len, rule->end) : span.from + secret.len;
    search->done[rule_index] = span.to;
    if (!passes(rule->check, str_cut(text, from, span.from), secret))
        return;
    HEAP_GROW(search->spans, search->count, search->capacity);
    search->spans[search->count++] = span;
}

static void find_spans(struct search *search)
{
    const struct redactor *r = search->r;
    uint16_t state = 0;
    for (size_t at = 0; at < search->text.len; at++) {
        state = r->next[state][r->class_of[(unsigned char)search->text.at[at]]];
        for (uint16_t s = r->nearest[state]; s; s = r->shorter[s])
            for (uint16_t i = r->first_output[s]; i; i = r->outputs[i - 1].next)
                try_rule(search, r->outputs[i - 1].rule, at + 1 - r->outputs[i - 1].length);
    }
}

static int by_position(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* Spans that overlap become one with the name of the first rule of the table; sorted, the number
 * that is left. */
static size_t merge_spans(struct span *spans, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(spans, count, sizeof *spans, by_position);
    for (size_t i = 0; i < count; i++) {
        struct span *last = kept ? &spans[kept - 1] : NULL;
        if (!last || spans[i].from >= last->to) {
            spans[kept++] = spans[i];
            continue;
        }
        last->to = spans[i].to > last->to ? spans[i].to : last->to;
        last->rule = spans[i].rule < last->rule ? spans[i].rule : last->rule;
    }
    return kept;
}

static str replace_spans(struct arena *a, str text, const struct span *spans, size_t count)
{
    struct buf out = {0};
    size_t from = 0;
    for (size_t i = 0; i < count; i++) {
        buf_add(&out, str_cut(text, from, spans[i].from));
        buf_printf(&out, "[REDACTED:%s]", redact_rules[spans[i].rule].name);
        from = spans[i].to;
    }
    buf_add(&out, str_cut(text, from, text.len));
    str replaced = arena_str(a, buf_str(&out));
    buf_free(&out);
    return replaced;
}

static void count_rules(struct arena *a, const struct span *spans, size_t span_count,
                        struct redaction **counts, size_t *count)
{
    size_t hits[MAX_REDACT_RULES] = {0};
    *counts = ARENA_ARRAY(a, struct redaction, redact_rule_count);
    *count = 0;
    for (size_t i = 0; i < span_count; i++)
        hits[spans[i].rule]++;
    for (size_t i = 0; i < redact_rule_count; i++)
        if (hits[i])
            (*counts)[(*count)++] = (struct redaction){redact_rules[i].name, hits[i]};
}

str redact(struct arena *a, struct redactor *r, str text, struct redaction **counts, size_t *count)
{
    struct search search = {.r = r, .text = utf8_repair(a, text)};
    *counts = NULL;
    *count = 0;
    find_spans(&search);
    size_t kept = merge_spans(search.spans, search.count);
    if (kept) {
        count_rules(a, search.spans, kept, counts, count);
        search.text = replace_spans(a, search.text, search.spans, kept);
    }
    heap_free(search.spans);
    return search.text;
}
