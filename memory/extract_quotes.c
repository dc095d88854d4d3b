#include "memory/extract_rules.h"
#include "memory/text_chars.h"
#include "memory/words.h"

enum { MAX_QUOTE_BYTES = 100, MAX_QUOTE_WORDS = 6 };

/* The mark that closes what `at` opens, empty where it opens nothing. */
static str closing_mark(str text, size_t at)
{
    static const struct {
        str open, close;
    } pairs[] = {
        {{"`", 1}, {"`", 1}},
        {{"\"", 1}, {"\"", 1}},
        {{"\xE2\x80\x9C", 3}, {"\xE2\x80\x9D", 3}}, /* English quotes */
        {{"\xE2\x80\x98", 3}, {"\xE2\x80\x99", 3}}, /* ... for code, in manuals of GNU */
        {{"\xE2\x80\x9E", 3}, {"\xE2\x80\x9C", 3}}, /* German ones */
        {{"\xC2\xAB", 2}, {"\xC2\xBB", 2}},
        {{"'", 1}, {"'", 1}},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (str_starts(str_cut(text, at, text.len), pairs[i].open))
            return pairs[i].close;
    return S("");
}

/* Where what begins at `from` is closed, `line` where it isn't before. A typographic quote is
 * closed by what is an apostrophe elsewhere: "the user's guide" in such quotes. */
static size_t closed_at(str text, str close, size_t from, size_t line)
{
    str within = str_cut(text, 0, line);
    size_t to = str_find(within, close, from);
    while (to < line && apostrophe(text, to) > 1 && word_at(text, to + close.len))
        to = str_find(within, close, to + close.len);
    return to;
}

static size_t word_count(str s)
{
    size_t n = 0;
    str word;
    while (str_next_word(&s, &word))
        n++;
    return n;
}

/* What somebody says rather than what something is called. */
static bool is_speech(str phrase)
{
    static const char speakers[] = "he how i i'd i'll i'm i've it it's she that that's they this "
                                   "we what when why yes you you're";
    char last = phrase.at[phrase.len - 1];
    str rest = phrase, first;
    char buffer[64];
    str_next_word(&rest, &first);
    str folded = folded_word(first, buffer);
    return last == ',' || last == '!' || last == '?' || last == '.' || last == ';' ||
           (rest.len > 0 && word_list_has(str_of(speakers), folded));
}

/* "`Routing Tasks <routing.html#tasks>`_" of reST: the words. */
static str link_label(str phrase)
{
    return str_cut(phrase, 0, str_find_char(phrase, '<', 0));
}

/* Manuals put typographic single quotes around whatever is typed, names and signs alike. */
static bool is_typed_sign(str phrase, str close)
{
    size_t letters = 0;
    for (size_t i = 0; i < phrase.len; i++)
        letters += word_at(phrase, i) > 0;
    return str_eq(close, S("\xE2\x80\x99")) && 3 * letters < 2 * phrase.len;
}

size_t extract_quote(struct finder *f, str text, size_t at)
{
    str close = closing_mark(text, at);
    if (!close.len || (at > 0 && text.at[at] == '\'' && word_at(text, at - 1)))
        return 0;
    bool code = text.at[at] == '`';
    size_t from = at + (code || close.len == 1 ? 1 : close.len), line = from;
    while (line < text.len && line - from <= MAX_QUOTE_BYTES && text.at[line] != '\n')
        line++;
    size_t to = closed_at(text, close, from, line);
    if (to >= line || to == from || (close.len == 1 && word_at(text, to + 1)))
        return 0;
    bool links = code && to + 1 < text.len && text.at[to + 1] == '_';
    str phrase = str_trim(links ? link_label(str_cut(text, from, to)) : str_cut(text, from, to));
    if (links && !phrase.len)
        return to + close.len;
    size_t begin = (size_t)(phrase.at - text.at), words = word_count(phrase);
    if (words == 0 || words > MAX_QUOTE_WORDS || (!code && is_speech(phrase)) || phrase.len < 2 ||
        is_typed_sign(phrase, close))
        return 0;
    const char *type = words == 1 ? shape_of(phrase) : NULL;
    bool call = code && words == 1 && str_ends(phrase, S("()"));
    size_t end = begin + phrase.len - (call ? 2 : 0);
    finder_add(f, begin, end, type ? type : call ? "identifier" : "quoted");
    return to + close.len;
}
