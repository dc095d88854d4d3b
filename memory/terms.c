#include "memory/terms.h"

#include "memory/base/ascii.h"
#include "memory/base/unicode.h"
#include "memory/text.h"
#include "memory/text_chars.h"
#include "memory/words.h"

enum { MAX_TERM_BYTES = 40, MAX_TERM_WORDS = 4, MIN_OPTION_BYTES = 4, MIN_LONE_WORD_BYTES = 4 };

struct terms {
    struct arena *a;
    struct found_entity *at;
    size_t count;
};

static void add(struct terms *t, str name, const char *type)
{
    for (size_t i = 0; i < t->count; i++)
        if (str_eq(t->at[i].name, name))
            return;
    if (t->count < MAX_TERMS)
        t->at[t->count++] = (struct found_entity){.name = name, .type = str_of(type)};
}

static bool is_one_of(char c, str signs)
{
    return memchr(signs.at, c, signs.len) != NULL;
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

/* One word in small letters that a dictionary doesn't explain: "umask", "zmodload". */
static bool is_lone_word(str word)
{
    if (word.len < MIN_LONE_WORD_BYTES || word.len > MAX_TERM_BYTES)
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (!ascii_is_lower(word.at[i]))
            return false;
    return !word_is_common(word) && !word_is_stop(word) && !word_is_generic(word);
}

/* A short line by itself with a paragraph behind it, or a line that a colon ends. */
static void add_defined(struct terms *t, str text)
{
    str rest = text, line, before = S(""), last = S("");
    while (str_next_line(&rest, &line)) {
        str now = str_trim(line);
        bool opens = now.len > MAX_TERM_BYTES && ascii_is_upper(now.at[0]);
        if (opens && !last.len && (is_term(t, before, false) || is_lone_word(before)))
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
                      (at > 1 && text.at[at - 1] == ' ' && is_one_of(text.at[at - 2], S(".!?")));
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
        bool starts = at == 0 || is_one_of(text.at[at - 1], S(" \n\t`'\"([|,/="));
        while (end < text.len && (ascii_is_alnum(text.at[end]) || text.at[end] == '-'))
            end++;
        if (starts && end - at >= MIN_OPTION_BYTES && ascii_is_lower(text.at[at + 2]) &&
            text.at[end - 1] != '-')
            add(t, str_cut(text, at, end), "option");
        at = end > at + 2 ? end - 2 : at;
    }
}

/* ---- what its letters tell ---- */

static bool is_capital(char c)
{
    return ascii_is_upper(c) || ascii_is_digit(c) || c == '-';
}

static size_t capitals_end(str text, size_t at)
{
    while (at < text.len && is_capital(text.at[at]))
        at++;
    return at;
}

/* Signs that join a word to what stands beside it, as in a path or an identifier. */
static bool is_joint(char c)
{
    return ascii_is_word(c) || is_one_of(c, S("-./$@:=%<*\\&#+"));
}

/* The full stop of a sentence joins nothing. */
static bool goes_on(str text, size_t end)
{
    return end < text.len &&
           (ascii_is_word(text.at[end]) ||
            (is_joint(text.at[end]) && end + 1 < text.len && ascii_is_word(text.at[end + 1])));
}

/* "AES-256-CTR", of which two parts have letters; not "UTF-8", whose form is that of an issue. */
static bool is_joined(str word)
{
    size_t lettered = 0, letters = 0, part = 0;
    for (size_t i = 0; i <= word.len; i++) {
        bool ends = i == word.len || word.at[i] == '-';
        part += !ends && ascii_is_upper(word.at[i]);
        if (!ends)
            continue;
        lettered += part > 0;
        letters += part;
        part = 0;
    }
    return lettered > 1 && letters > 3 && word.at[word.len - 1] != '-';
}

/* Is there anything in small letters near it on its line? A title that is shouted names nothing. */
static bool is_in_a_sentence(str text, size_t from, size_t to)
{
    size_t least = from > MAX_TERM_BYTES ? from - MAX_TERM_BYTES : 0;
    while (from > least && text.at[from - 1] != '\n')
        from--;
    for (; from < text.len && from < to + MAX_TERM_BYTES && text.at[from] != '\n'; from++)
        if (ascii_is_lower(text.at[from]))
            return true;
    return false;
}

static bool is_stop(str word)
{
    char buffer[MAX_TERM_BYTES];
    str folded = str_from(buffer, unicode_fold_word(word, buffer, sizeof buffer));
    return word_is_stop(folded);
}

/* Where a run of words in capitals ends; *words of them, 0 where one is no part of a name ("DO NOT
 * USE"). */
static size_t run_end(str text, size_t at, size_t *words)
{
    bool stops = false;
    size_t to = at;
    for (*words = 0;; at = to + 1) {
        size_t end = capitals_end(text, at);
        if (end < at + 2 || !ascii_is_upper(text.at[at]) || goes_on(text, end))
            break;
        stops |=
            end - at > MAX_TERM_BYTES || text.at[end - 1] == '-' || is_stop(str_cut(text, at, end));
        to = end;
        ++*words;
        if (to >= text.len || text.at[to] != ' ')
            break;
    }
    *words = stops ? 0 : *words;
    return to;
}

/* "SHARE UPDATE EXCLUSIVE", "HMAC-SHA256". */
static void add_capitals(struct terms *t, str text)
{
    for (size_t at = 0; at < text.len; at++) {
        size_t words;
        if (!ascii_is_upper(text.at[at]) || (at > 0 && is_joint(text.at[at - 1])))
            continue;
        size_t to = run_end(text, at, &words);
        if (to == at)
            continue;
        str name = str_cut(text, at, to);
        bool is_name = words == 1 ? is_joined(name) : words > 1 && words <= MAX_TERM_WORDS;
        if (is_name && name.len <= MAX_TERM_BYTES && is_in_a_sentence(text, at, to))
            add(t, name, "term");
        at = to - 1;
    }
}

/* Nothing of a word, of an identifier or of "user's" stands before it. */
static bool begins_word(str text, size_t at)
{
    if (at == 0)
        return true;
    char before = text.at[at - 1];
    return before == '_' ? at == 1 || !ascii_is_word(text.at[at - 2])
                         : !ascii_is_word(before) && before != '\'' && (unsigned char)before < 0x80;
}

/* Where the words begin of which `letters` are the first ones, `end` being behind the last word;
 * `end` where there are none such. */
static size_t spelled_out(str text, size_t end, str letters)
{
    size_t at = end, left = letters.len;
    while (left > 0 && at > 0 && end - at < MAX_TERM_BYTES && text.at[at - 1] != '\n') {
        at--;
        if (begins_word(text, at) && ascii_lower(text.at[at]) != ascii_lower(letters.at[--left]))
            return end;
    }
    return left ? end : at;
}

/* "key encryption key (KEK)": the words. */
static void add_abbreviated(struct terms *t, str text)
{
    enum { MIN_LETTERS = 2, MAX_LETTERS = MAX_TERM_WORDS + 2 }; /* a hyphen parts, too */
    for (size_t at = 1; (at = str_find_char(text, '(', at)) < text.len; at++) {
        size_t from = at + 1, to = from;
        while (to < text.len && to - from <= MAX_LETTERS && ascii_is_upper(text.at[to]))
            to++;
        str letters = str_cut(text, from, to);
        bool ends = to < text.len && is_one_of(text.at[to], S("),s"));
        size_t begin = text.at[at - 1] == ' ' && letters.len >= MIN_LETTERS && ends
                           ? spelled_out(text, at - 1, letters)
                           : at - 1;
        str phrase = str_cut(text, begin, at - 1);
        if (phrase.len && is_term(t, phrase, true))
            add(t, phrase, "term");
    }
}

static bool is_in_page_name(char c)
{
    return ascii_is_word(c) || is_one_of(c, S("-.+"));
}

/* Whether a name that begins at `at` is the rest of something longer: of a path, of "a->b(1)" or
 * "a::b(1)", of a word beyond ASCII, or of more than a name may have. */
static bool is_rest(str text, size_t at)
{
    size_t before = utf8_back(text, at > 0 ? at - 1 : 0);
    return at > 0 && (is_in_page_name(text.at[at - 1]) || word_at(text, before) ||
                      is_one_of(text.at[at - 1], S("/:>$@\\")));
}

/* "strftime(3)": the name; not "exit(1);", a call. */
static void add_manual_pages(struct terms *t, str text)
{
    for (size_t at = 1; (at = str_find_char(text, '(', at)) < text.len; at++) {
        bool is_page = at + 2 < text.len && ascii_is_digit(text.at[at + 1]) &&
                       text.at[at + 1] > '0' && text.at[at + 2] == ')' &&
                       (at + 3 == text.len || text.at[at + 3] != ';');
        size_t from = at;
        while (is_page && from > 0 && at - from < MAX_TERM_BYTES &&
               is_in_page_name(text.at[from - 1]))
            from--;
        str name = str_cut(text, from, at);
        if (name.len > 2 && ascii_is_letter(name.at[0]) && !is_rest(text, from) &&
            !word_is_common(unicode_fold(t->a, name)))
            add(t, name, "identifier");
    }
}

struct found_entity *terms_of(struct arena *a, str heading, str text, size_t *count)
{
    struct terms t = {.a = a, .at = ARENA_ARRAY(a, struct found_entity, MAX_TERMS)};
    add_title(&t, heading);
    add_options(&t, text);
    add_defined(&t, text);
    add_explained(&t, text);
    add_abbreviated(&t, text);
    add_manual_pages(&t, text);
    add_capitals(&t, text);
    *count = t.count;
    return t.at;
}
