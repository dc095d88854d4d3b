#include "memory/text.h"

#include "memory/text_chars.h"
#include "memory/words.h"

/* Abbreviations after which a sentence goes on, whatever follows; in byte order. */
static const char going_on[] =
    "a.k.a al approx ca capt cf col cpt dept dr e.g ed eds eg esp est fig figs gen gov "
    "hon i.e ie lt maj messrs mr mrs ms mt nr op pp prof rep rev sen sgt st viz vol vs";

/* Abbreviations that may end a sentence: they do where an upper-case letter follows. */
static const char may_end[] =
    "apr assn aug ave bldg blvd bros co corp dec etc feb inc jan jr jul jun ltd mar nov oct "
    "rd sep sept sr univ";

enum { MAX_ABBREVIATION_BYTES = 8 };

/* The word that ends in front of `at`, with inner points ("e.g", "U.S"); empty where it is no
 * abbreviation's size. */
static str word_before(str s, size_t at)
{
    size_t from = at;
    while (from > 0 && at - from <= MAX_ABBREVIATION_BYTES &&
           (letter_at(s, from - 1) || s.at[from - 1] == '.'))
        from--;
    return at - from <= MAX_ABBREVIATION_BYTES ? str_cut(s, from, at) : S("");
}

static bool in_list(const char *list, str word)
{
    char lower[MAX_ABBREVIATION_BYTES];
    for (size_t i = 0; i < word.len; i++)
        lower[i] = (char)(word.at[i] | 0x20);
    return word.len && word_list_has(str_of(list), str_from(lower, word.len));
}

static bool lower_at(str s, size_t at)
{
    return letter_at(s, at) && !upper_at(s, at);
}

static size_t skip_blanks(str s, size_t at)
{
    while (at < s.len && (s.at[at] == ' ' || s.at[at] == '\t'))
        at++;
    return at;
}

/* "The", but not "Navy". */
static bool opens_with_stop_word(str s, size_t at)
{
    size_t to = at;
    while (letter_at(s, to) && to - at < MAX_ABBREVIATION_BYTES)
        to++;
    char folded[MAX_ABBREVIATION_BYTES];
    for (size_t i = at; i < to; i++)
        folded[i - at] = (char)(s.at[i] | 0x20);
    return text_is_stop(str_from(folded, to - at));
}

/* Whether the point at `at`, with white space behind it, is only an abbreviation's. */
static bool is_abbreviation(str s, size_t at)
{
    str word = word_before(s, at);
    size_t next = skip_blanks(s, at + 1);
    if (word.len == 1 && upper_at(s, at - 1) && upper_at(s, next)) /* an initial */
        return true;
    if (str_eq_nocase(word, S("no")) || str_eq_nocase(word, S("nos")))
        return digit_at(s, next);
    if (in_list(going_on, word))
        return true;
    bool inner_point = str_find_char(word, '.', 0) < word.len; /* U.S, a.m */
    if (!inner_point && !in_list(may_end, word))
        return false;
    return !upper_at(s, next) ||
           (inner_point && upper_at(s, at - 1) && !opens_with_stop_word(s, next));
}

/* Bytes of a closing quote or bracket at `at`, or 0. */
static size_t closer(str s, size_t at)
{
    static const str closers[] = {
        {")", 1},       {"]", 1}, {"\"", 1},           {"'", 1},
        {"*", 1},       {"_", 1}, {"\xE2\x80\x9D", 3}, {"\xE2\x80\x99", 3},
        {"\xC2\xBB", 2}};
    for (size_t i = 0; i < sizeof closers / sizeof *closers; i++)
        if (str_starts(str_cut(s, at, s.len), closers[i]))
            return closers[i].len;
    return 0;
}

static bool is_gap(str s, size_t at)
{
    return at >= s.len || s.at[at] == ' ' || (s.at[at] >= '\t' && s.at[at] <= '\r');
}

static bool is_mark(str s, size_t at)
{
    return at < s.len && (s.at[at] == '.' || s.at[at] == '!' || s.at[at] == '?');
}

/* The end of a sentence whose mark is at `at`, closing quotes included; 0 where the mark ends none.
 */
static size_t mark_end(str s, size_t at)
{
    /* ideographic full stop, full-width ! and ? need no space behind them */
    static const str wide[] = {{"\xE3\x80\x82", 3}, {"\xEF\xBC\x81", 3}, {"\xEF\xBC\x9F", 3}};
    if (!is_mark(s, at) && (unsigned char)s.at[at] < 0xE3) /* nearly all characters */
        return 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (str_starts(str_cut(s, at, s.len), wide[i]))
            return at + wide[i].len;
    if (at > 0 && is_mark(s, at - 1)) /* looked at with the first of its kind */
        return 0;
    size_t to = at;
    while (is_mark(s, to))
        to++;
    if (to == at)
        return 0;
    bool point = to == at + 1 && s.at[at] == '.';
    size_t end = to;
    for (size_t bytes; (bytes = closer(s, end)) > 0;)
        end += bytes;
    if (!is_gap(s, end) || (point && end == to && is_abbreviation(s, at)))
        return 0;
    if (end > to && lower_at(s, skip_blanks(s, end))) /* "Really?" she said. */
        return 0;
    return end;
}

/* Bytes of a list marker ("- ", "* ", "12. ", a bullet) at the start of a line, with its blanks; 0
 * for none. */
static size_t list_marker(str s, size_t line)
{
    size_t at = skip_blanks(s, line), from = at;
    if (str_starts(str_cut(s, at, s.len), S("\xE2\x80\xA2")))
        at += 3;
    else if (at < s.len && strchr("-*+", s.at[at]) && s.at[at])
        at++;
    else {
        while (digit_at(s, at) && at - from < 3)
            at++;
        if (at == from || at >= s.len || (s.at[at] != '.' && s.at[at] != ')'))
            return 0;
        at++;
    }
    return is_gap(s, at) ? skip_blanks(s, at) - line : 0;
}

/* Whether the line end at `at` ends a sentence; `line` is where that line began. */
static bool line_end_ends(str s, size_t line, size_t at)
{
    size_t next = skip_blanks(s, at + 1);
    if (next >= s.len || s.at[next] == '\n' || s.at[next] == '\r' || s.at[next] == '#')
        return true;
    return s.at[line] == '#' || list_marker(s, at + 1) > 0;
}

bool text_next_sentence(str *rest, str *sentence)
{
    *rest = str_trim(*rest);
    for (size_t marker; (marker = list_marker(*rest, 0)) > 0;)
        *rest = str_trim(str_cut(*rest, marker, rest->len));
    if (rest->len == 0)
        return false;
    str s = *rest;
    size_t line = 0, end = s.len;
    for (size_t at = 0; at < s.len; at++) {
        if (s.at[at] == '\n') {
            if (line_end_ends(s, line, at)) {
                end = at;
                break;
            }
            line = at + 1;
        }
        size_t stop = mark_end(s, at);
        if (stop) {
            end = stop;
            break;
        }
    }
    *sentence = str_trim(str_cut(s, 0, end));
    *rest = str_cut(s, end, s.len);
    return true;
}
