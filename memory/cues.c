#include "memory/cues.h"

#include "memory/base/ascii.h"
#include "memory/word_memo.h"

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

/* In byte order, for the search. */
static const struct {
    str word;
    unsigned is;
} words[] = {
    {{"afternoon", 9}, PERIOD},
    {{"ago", 3}, TIME},
    {{"april", 5}, TIME},
    {{"august", 6}, TIME},
    {{"autumn", 6}, PERIOD},
    {{"couple", 6}, OPENER | NUMBER},
    {{"date", 4}, PERIOD},
    {{"day", 3}, PERIOD},
    {{"days", 4}, PERIOD},
    {{"december", 8}, TIME},
    {{"dozen", 5}, NUMBER},
    {{"eight", 5}, NUMBER},
    {{"evening", 7}, PERIOD},
    {{"fall", 4}, PERIOD},
    {{"february", 8}, TIME},
    {{"few", 3}, OPENER},
    {{"five", 4}, NUMBER},
    {{"four", 4}, NUMBER},
    {{"friday", 6}, TIME | PERIOD},
    {{"how", 3}, HOW},
    {{"i", 1}, SELF},
    {{"january", 7}, TIME},
    {{"july", 4}, TIME},
    {{"june", 4}, TIME},
    {{"last", 4}, OPENER},
    {{"long", 4}, LENGTH},
    {{"many", 4}, AMOUNT},
    {{"march", 5}, TIME},
    {{"monday", 6}, TIME | PERIOD},
    {{"month", 5}, PERIOD},
    {{"months", 6}, PERIOD},
    {{"morning", 7}, PERIOD},
    {{"much", 4}, AMOUNT},
    {{"my", 2}, SELF},
    {{"next", 4}, OPENER},
    {{"night", 5}, PERIOD},
    {{"nine", 4}, NUMBER},
    {{"november", 8}, TIME},
    {{"number", 6}, ANY},
    {{"october", 7}, TIME},
    {{"of", 2}, NOTHING},
    {{"often", 5}, LENGTH},
    {{"old", 3}, LENGTH | AMOUNT},
    {{"once", 4}, NUMBER},
    {{"other", 5}, OPENER},
    {{"our", 3}, SELF},
    {{"recently", 8}, TIME},
    {{"saturday", 8}, TIME | PERIOD},
    {{"september", 9}, TIME},
    {{"seven", 5}, NUMBER},
    {{"several", 7}, OPENER | NUMBER},
    {{"since", 5}, TIME | WHEN},
    {{"six", 3}, NUMBER},
    {{"spring", 6}, PERIOD},
    {{"summer", 6}, PERIOD},
    {{"sunday", 6}, TIME | PERIOD},
    {{"ten", 3}, NUMBER},
    {{"this", 4}, OPENER},
    {{"three", 5}, NUMBER},
    {{"thursday", 8}, TIME | PERIOD},
    {{"time", 4}, PERIOD},
    {{"today", 5}, TIME},
    {{"tomorrow", 8}, TIME},
    {{"tonight", 7}, TIME},
    {{"tuesday", 7}, TIME | PERIOD},
    {{"twice", 5}, NUMBER},
    {{"two", 3}, NUMBER},
    {{"we", 2}, SELF},
    {{"wednesday", 9}, TIME | PERIOD},
    {{"week", 4}, PERIOD},
    {{"weekend", 7}, TIME | PERIOD},
    {{"weeks", 5}, PERIOD},
    {{"what", 4}, WHICH},
    {{"when", 4}, WHEN},
    {{"which", 5}, WHICH},
    {{"winter", 6}, PERIOD},
    {{"year", 4}, PERIOD},
    {{"years", 5}, PERIOD},
    {{"yesterday", 9}, TIME},
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

static unsigned look_up(str word)
{
    enum { LONGEST = 9 };
    char lower[LONGEST];
    if (word.len > LONGEST)
        return 0;
    for (size_t i = 0; i < word.len; i++)
        lower[i] = ascii_lower(word.at[i]);
    size_t low = 0, high = sizeof words / sizeof *words; /* it stands in [low, high), if anywhere */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(str_from(lower, word.len), words[middle].word);
        if (order == 0)
            return words[middle].is;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

static unsigned what_is(str word)
{
    unsigned is;
    if (word.at[0] >= '0' && word.at[0] <= '9')
        return number_or_year(word);
    if (!word_recall(words, word, &is)) {
        is = look_up(word);
        word_remember(words, word, is);
    }
    return is;
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
