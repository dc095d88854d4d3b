#include "memory/terms.h"

#include "memory/base/ascii.h"
#include "memory/base/unicode.h"
#include "memory/text.h"
#include "memory/words.h"

enum { MAX_TERM_BYTES = 40, MAX_TERM_WORDS = 4, MIN_OPTION_BYTES = 4 };

struct terms {
    struct arena *a;
    struct found_entity *at;
    size_t count;
};

static void add(struct terms *t, str name, const char *type)
{
    if (t->count < MAX_TERMS)
        t->at[t->count++] = (struct found_entity){.name = name, .type = str_of(type)};
}

/* ---- phrases ---- */

/* Marks of Latin-1, such as the one behind titles of web pages, begin with this byte. */
static bool has_letters_alone(str word)
{
    const unsigned char marks = 0xC2;
    if (word.len && (unsigned char)word.at[0] == marks)
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (!ascii_is_letter(word.at[i]) && word.at[i] != '-' && (unsigned char)word.at[i] < 0x80)
            return false;
    return word.len > 1;
}

/* Two to four words, of which none is a function word or opens a sentence (unless an article stands
 * before it), and at least one is none too general. */
static bool is_term(struct terms *t, str phrase, bool follows_article)
{
    size_t words = 0, everyday = 0;
    str rest = phrase, word;
    if (phrase.len > MAX_TERM_BYTES || str_find_char(phrase, '\n', 0) < phrase.len ||
        str_find_char(phrase, '\t', 0) < phrase.len) /* names are of one line */
        return false;
    while (str_next_word(&rest, &word)) {
        str folded = unicode_fold(t->a, word);
        if (!has_letters_alone(word) || word_is_stop(folded) ||
            (!follows_article && word_is_opener(folded)))
            return false;
        everyday += word_is_generic(folded);
        words++;
    }
    return words > 1 && words <= MAX_TERM_WORDS && everyday < words;
}

/* "14.1.3 Word Designators": the words. */
static str without_number(str title)
{
    size_t at = 0;
    while (at < title.len && (ascii_is_digit(title.at[at]) || title.at[at] == '.'))
        at++;
    return at && at < title.len && title.at[at] == ' ' ? str_trim(str_cut(title, at, title.len))
                                                       : str_trim(title);
}

static void add_title(struct terms *t, str heading)
{
    size_t from = 0;
    for (size_t at; (at = str_find(heading, S(" > "), from)) < heading.len;)
        from = at + 3;
    str title = without_number(str_cut(heading, from, heading.len));
    if (is_term(t, title, false))
        add(t, title, "term");
}

/* ---- definitions ---- */

/* A short line by itself with a paragraph behind it, or a line that a colon ends. */
static void add_defined(struct terms *t, str text)
{
    str rest = text, line, before = S(""), last = S("");
    while (str_next_line(&rest, &line)) {
        str now = str_trim(line);
        bool opens = now.len > MAX_TERM_BYTES && ascii_is_upper(now.at[0]);
        if (opens && !last.len && is_term(t, before, false))
            add(t, before, "term");
        before = now.len ? now : before;
        last = now;
    }
}

/* "A write barrier is a ...", at the start of a sentence. */
static void add_explained(struct terms *t, str text)
{
    static const str verbs[] = {{" is a ", 6}, {" is an ", 7}, {" are ", 5}, {" means ", 7}};
    static const str articles[] = {{"A ", 2}, {"An ", 3}, {"The ", 4}};
    for (size_t at = 0; at < text.len; at++) {
        bool starts = at == 0 || text.at[at - 1] == '\n' ||
                      (at > 1 && text.at[at - 1] == ' ' && memchr(".!?", text.at[at - 2], 3));
        str sentence = str_cut(text, at, text.len);
        for (size_t i = 0; starts && i < sizeof articles / sizeof *articles; i++) {
            if (!str_starts(sentence, articles[i]))
                continue;
            str subject =
                str_cut(sentence, articles[i].len, articles[i].len + MAX_TERM_BYTES + verbs[1].len);
            for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++) {
                size_t end = str_find(subject, verbs[v], 0);
                if (end < subject.len && is_term(t, str_cut(subject, 0, end), true))
                    add(t, str_cut(subject, 0, end), "term");
            }
        }
    }
}

/* ---- options ---- */

static void add_options(struct terms *t, str text)
{
    for (size_t at = 0; (at = str_find(text, S("--"), at)) < text.len; at += 2) {
        size_t end = at + 2;
        bool starts = at == 0 || memchr(" \n\t`'\"([|,/=", text.at[at - 1], 12);
        while (end < text.len && (ascii_is_alnum(text.at[end]) || text.at[end] == '-'))
            end++;
        if (starts && end - at >= MIN_OPTION_BYTES && ascii_is_lower(text.at[at + 2]) &&
            text.at[end - 1] != '-')
            add(t, str_cut(text, at, end), "option");
        at = end > at + 2 ? end - 2 : at;
    }
}

struct found_entity *terms_of(struct arena *a, str heading, str text, size_t *count)
{
    struct terms t = {.a = a, .at = ARENA_ARRAY(a, struct found_entity, MAX_TERMS)};
    add_title(&t, heading);
    add_options(&t, text);
    add_defined(&t, text);
    add_explained(&t, text);
    *count = t.count;
    return t.at;
}
