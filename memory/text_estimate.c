#include "memory/text.h"

#include "memory/text_chars.h"

/* Byte-pair tokenizers first cut a text into words with the space or sign before them, groups of
 * three digits, runs of punctuation and of white space, then spend one token or more on each. We
 * cut as cl100k_base does and take the mean that such a piece costs in cl100k_base and o200k_base,
 * by its length, counted over English conversation, encyclopaedic articles, C, Python and
 * JavaScript. In hundredths of a token. */
enum {
    TOKEN = 100,
    MAX_TABLE_BYTES = 15,
    CJK_COST = 95,
    LETTER_COST = 42,  /* a letter of another script than Latin */
    ACCENT_COST = 45,  /* what a letter with an accent adds to its word */
    SYMBOL_COST = 190, /* emoji and their like */
};

struct cost {
    unsigned short by_length[MAX_TABLE_BYTES + 1]; /* [0] is what each further byte costs */
};

static const struct cost lower_behind_space = {
    {25, 100, 100, 101, 102, 103, 105, 106, 110, 113, 119, 123, 133, 135, 160, 175}};
static const struct cost lower_glued = {
    {22, 101, 104, 115, 109, 113, 119, 129, 146, 172, 205, 210, 235, 255, 275, 295}};
static const struct cost capitalised = {
    {20, 100, 100, 105, 108, 115, 120, 132, 145, 158, 170, 178, 180, 190, 205, 220}};
static const struct cost upper = {
    {40, 101, 118, 145, 160, 160, 185, 180, 200, 240, 285, 330, 370, 410, 450, 490}};
static const struct cost punctuation = {
    {45, 100, 101, 116, 158, 186, 265, 300, 380, 425, 470, 515, 560, 605, 650, 695}};

static size_t cost_of(const struct cost *cost, size_t length)
{
    if (length <= MAX_TABLE_BYTES)
        return length ? cost->by_length[length] : 0;
    return cost->by_length[MAX_TABLE_BYTES] + (length - MAX_TABLE_BYTES) * cost->by_length[0];
}

struct estimate {
    str s;
    size_t at, hundredths;
};

/* One part of a word: lower-case, Capitalised or UPPER; moves behind it. `glued` tells that no
 * space is before it. */
static void add_part(struct estimate *e, bool glued)
{
    str s = e->s;
    size_t from = e->at, to = from;
    while (to < s.len && s.at[to] >= 'A' && s.at[to] <= 'Z')
        to++;
    size_t capitals = to - from;
    if (capitals > 1 && to < s.len && s.at[to] >= 'a' && s.at[to] <= 'z') {
        to--; /* "HTTPServer": the S belongs to what follows */
        capitals--;
    }
    if (capitals <= 1)
        while (to < s.len && s.at[to] >= 'a' && s.at[to] <= 'z')
            to++;
    size_t length = to - from;
    const struct cost *cost = capitals > 1    ? &upper
                              : capitals == 1 ? &capitalised
                              : glued         ? &lower_glued
                                              : &lower_behind_space;
    e->hundredths += cost_of(cost, length);
    e->at = to;
}

/* Letters and marks up to the next other character. */
static void add_word(struct estimate *e, bool glued)
{
    while (e->at < e->s.len) {
        size_t bytes;
        enum char_class class = class_at(e->s, e->at, &bytes);
        if (!is_letter(class) && class != CHAR_MARK && class != CHAR_CJK)
            return;
        if (bytes == 1) {
            add_part(e, glued);
            glued = true;
            continue;
        }
        bool latin = (unsigned char)e->s.at[e->at] < 0xCA; /* up to U+027F */
        e->hundredths += class == CHAR_CJK ? CJK_COST : latin ? ACCENT_COST : LETTER_COST;
        e->at += bytes;
    }
}

static void add_number(struct estimate *e)
{
    size_t digits = 0, bytes;
    while (e->at < e->s.len && class_at(e->s, e->at, &bytes) == CHAR_DIGIT) {
        digits++;
        e->at += bytes;
    }
    e->hundredths += (digits + 2) / 3 * TOKEN;
}

/* Line breaks, and the white space before them; behind punctuation they belong to its token. */
static void skip_line_ends(struct estimate *e)
{
    while (e->at < e->s.len && (e->s.at[e->at] == '\n' || e->s.at[e->at] == '\r'))
        e->at++;
}

/* A run of one and the same sign is one token up to 16 of them ("------"). */
static void add_punctuation(struct estimate *e)
{
    size_t from = e->at, ascii = 0, bytes;
    bool same = true;
    while (e->at < e->s.len && class_at(e->s, e->at, &bytes) == CHAR_OTHER) {
        same &= e->s.at[e->at] == e->s.at[from];
        if (bytes == 1)
            ascii++;
        else
            e->hundredths += (unsigned char)e->s.at[e->at] <= 0xE2 ? TOKEN : SYMBOL_COST;
        e->at += bytes;
    }
    e->hundredths += same && ascii > 2 ? (ascii + 15) / 16 * TOKEN : cost_of(&punctuation, ascii);
    skip_line_ends(e);
}

/* White space: up to the last line break it is one token; of the rest, all but the space before the
 * next piece. */
static void add_space(struct estimate *e)
{
    size_t from = e->at, last_line_end = 0, bytes;
    while (e->at < e->s.len && class_at(e->s, e->at, &bytes) == CHAR_SPACE) {
        if (e->s.at[e->at] == '\n' || e->s.at[e->at] == '\r')
            last_line_end = e->at + 1;
        e->at += bytes;
    }
    if (last_line_end > from) {
        e->hundredths += TOKEN;
        from = last_line_end;
    }
    bool shared = e->at > from && e->at < e->s.len && !digit_at(e->s, e->at);
    if (e->at - from > (shared ? 1 : 0))
        e->hundredths += TOKEN;
}

/* One sign in front of letters is part of their token ("(name", "_name"). */
static bool joins_word(str s, size_t at, size_t bytes)
{
    return bytes == 1 && letter_at(s, at + 1);
}

size_t text_estimate_tokens(str s)
{
    struct estimate e = {.s = s};
    bool behind_space = true;
    while (e.at < s.len) {
        size_t bytes;
        enum char_class class = class_at(s, e.at, &bytes);
        if (class == CHAR_SPACE) {
            add_space(&e);
            behind_space = s.at[e.at - 1] == ' ';
            continue;
        }
        if (class == CHAR_DIGIT) {
            add_number(&e);
        } else if (class != CHAR_OTHER) {
            add_word(&e, !behind_space);
        } else if (!behind_space && joins_word(s, e.at, bytes)) {
            e.at++;
            add_word(&e, true);
        } else {
            add_punctuation(&e);
        }
        behind_space = false;
    }
    return (e.hundredths + TOKEN / 2) / TOKEN;
}
