#include "memory/cues.h"

#include "memory/base/ascii.h"

#include <string.h>

/* What a word is; bits. */
enum {
    TIME = 1,   /* tells a time by itself */
    PERIOD = 2, /* tells one behind an opener or a number: "last week", "two days" */
    OPENER = 4, /* opens one */
    NUMBER = 8,
    SELF = 16,
    WHEN = 32,  /* asks for a time by itself */
    WHICH = 64, /* asks for one before a period: "which year" */
    HOW = 128,
    LENGTH = 256,  /* asks for a time behind "how": "how long" */
    AMOUNT = 512,  /* asks for a number behind "how": "how many" */
    ANY = 1024,    /* asks for one before "of": "the number of" */
    NOTHING = 2048 /* "of" in "a couple of weeks" */
};

static const struct {
    const char *word;
    unsigned is;
} words[] = {
    {"yesterday", TIME},
    {"today", TIME},
    {"tonight", TIME},
    {"tomorrow", TIME},
    {"ago", TIME},
    {"recently", TIME},
    {"weekend", TIME | PERIOD},
    {"monday", TIME | PERIOD},
    {"tuesday", TIME | PERIOD},
    {"wednesday", TIME | PERIOD},
    {"thursday", TIME | PERIOD},
    {"friday", TIME | PERIOD},
    {"saturday", TIME | PERIOD},
    {"sunday", TIME | PERIOD},
    {"january", TIME},
    {"february", TIME},
    {"march", TIME},
    {"april", TIME},
    {"june", TIME},
    {"july", TIME},
    {"august", TIME},
    {"september", TIME},
    {"october", TIME},
    {"november", TIME},
    {"december", TIME},
    {"since", TIME | WHEN},
    {"when", WHEN},
    {"date", PERIOD},
    {"time", PERIOD},
    {"day", PERIOD},
    {"days", PERIOD},
    {"week", PERIOD},
    {"weeks", PERIOD},
    {"month", PERIOD},
    {"months", PERIOD},
    {"year", PERIOD},
    {"years", PERIOD},
    {"night", PERIOD},
    {"morning", PERIOD},
    {"afternoon", PERIOD},
    {"evening", PERIOD},
    {"summer", PERIOD},
    {"winter", PERIOD},
    {"spring", PERIOD},
    {"fall", PERIOD},
    {"autumn", PERIOD},
    {"last", OPENER},
    {"next", OPENER},
    {"this", OPENER},
    {"other", OPENER},
    {"few", OPENER},
    {"several", OPENER | NUMBER},
    {"couple", OPENER | NUMBER},
    {"two", NUMBER},
    {"three", NUMBER},
    {"four", NUMBER},
    {"five", NUMBER},
    {"six", NUMBER},
    {"seven", NUMBER},
    {"eight", NUMBER},
    {"nine", NUMBER},
    {"ten", NUMBER},
    {"dozen", NUMBER},
    {"once", NUMBER},
    {"twice", NUMBER},
    {"i", SELF},
    {"my", SELF},
    {"we", SELF},
    {"our", SELF},
    {"what", WHICH},
    {"which", WHICH},
    {"how", HOW},
    {"long", LENGTH},
    {"old", LENGTH | AMOUNT},
    {"often", LENGTH},
    {"many", AMOUNT},
    {"much", AMOUNT},
    {"number", ANY},
    {"of", NOTHING},
};

static bool is_letter_or_digit(char c)
{
    return ascii_is_alnum(c) || c & '\x80';
}

static bool next_word(str *rest, str *word)
{
    size_t from = 0, to;
    while (from < rest->len && !is_letter_or_digit(rest->at[from]))
        from++;
    for (to = from; to < rest->len && is_letter_or_digit(rest->at[to]);)
        to++;
    *word = str_cut(*rest, from, to);
    *rest = str_cut(*rest, to, rest->len);
    return word->len > 0;
}

static unsigned number_or_year(str word)
{
    bool year = word.len == 4 && (str_starts(word, S("19")) || str_starts(word, S("20")));
    for (size_t i = 0; i < word.len; i++)
        if (word.at[i] < '0' || word.at[i] > '9')
            return 0;
    return NUMBER | (year ? TIME : 0);
}

static unsigned what_is(str word)
{
    enum { LONGEST = 9 };
    if (word.at[0] >= '0' && word.at[0] <= '9')
        return number_or_year(word);
    for (size_t i = 0; word.len <= LONGEST && i < sizeof words / sizeof *words; i++)
        if (str_eq_nocase(word, str_of(words[i].word)))
            return words[i].is;
    return 0;
}

unsigned cues_asked(str query)
{
    unsigned cues = 0, before = 0;
    for (str word; next_word(&query, &word);) {
        unsigned is = what_is(word);
        if (is & WHEN || (before & WHICH && is & PERIOD) || (before & HOW && is & LENGTH))
            cues |= CUE_TIME;
        if ((before & HOW && is & AMOUNT) || (before & ANY && is & NOTHING))
            cues |= CUE_NUMBER;
        before = is;
    }
    return cues;
}

unsigned cues_told(str text)
{
    unsigned cues = 0, before = 0;
    for (str word; cues != CUE_ALL && next_word(&text, &word);) {
        unsigned is = what_is(word);
        if (is & TIME || (before & (OPENER | NUMBER) && is & PERIOD))
            cues |= CUE_TIME;
        cues |= is & NUMBER ? CUE_NUMBER : 0;
        cues |= is & SELF ? CUE_SELF : 0;
        before = is & NOTHING ? before : is;
    }
    return cues;
}
