#include "memory/extract_rules.h"

#include "memory/base/unicode.h"
#include "memory/text_chars.h"
#include "memory/words.h"

/* A run of capitalised words is collected first, with the little words inside it; what it means is
 * decided on the whole: a sentence's first word is dropped where it only opens the sentence, "and"
 * may part two names. */
enum { MAX_RUN_WORDS = 10 };

struct word {
    size_t from, to; /* without possessive */
    size_t next;     /* behind possessive and point */
    bool connector;  /* of, the, and, von, & */
    bool number;
    bool possessive;
};

struct name_run {
    struct word words[MAX_RUN_WORDS];
    size_t count;
    bool at_start; /* of a sentence */
};

/* Lower-case words inside names. */
static const char connectors[] =
    "al and bin da de del della den der des di do dos du e el ibn la le of the van ver von y zu";
static const char suffixes[] = "ii iii iv jr sr";
static const char titles[] =
    "capt col dr fr gen gov hon jr lt maj messrs mr mrs ms mt prof rev sen sgt sr st";
static const char hyphen_tails[] = "aware backed based born bound built compatible controlled "
                                   "designed driven enabled era first free fueled hosted inspired "
                                   "language led level like made only oriented owned powered "
                                   "produced ready related run side speaking specific style "
                                   "supported type wide written";
static const char units[] = "am bytes cents cm days degrees dollars euros feet ft gb hours hrs "
                            "inches items kb kg km kids mb meters miles "
                            "million minutes ml mm months ms o'clock others people percent pm "
                            "points pounds seconds sec seasons times tokens users "
                            "weeks years";
/* What follows a name that opens a sentence, and rarely an ordinary word. */
static const char name_verbs[] =
    "added asked and decided does found fixed got had has is joined knows likes lives loves made "
    "moved needs owns "
    "prefers said says thinks told took used wants was went will works wrote";
static const char objects[] =
    "a an her him his it its my our some that the their them these this those us your";

static bool in(const char *list, str word)
{
    char buffer[64];
    str folded = folded_word(word, buffer);
    return folded.len && word_list_has(str_of(list), folded);
}

/* Contractions count as the word before their apostrophe ("I'm"), "Pre-production" as what is
 * behind its hyphen. */
static bool is_one(str text, const struct word *w, bool (*is)(str folded))
{
    char buffer[64];
    str word = str_cut(text, w->from, w->to);
    size_t quote = 0;
    while (quote < word.len && !apostrophe(word, quote))
        quote++;
    str folded = folded_word(word, buffer);
    if (folded.len && is(folded))
        return true;
    size_t hyphen = str_find_char(word, '-', 0);
    bool tail = hyphen + 1 < word.len && !upper_at(word, hyphen + 1);
    str part = tail ? str_cut(word, hyphen + 1, word.len) : str_cut(word, 0, quote);
    folded = folded_word(part, buffer);
    return part.len < word.len && folded.len && is(folded);
}

static bool is_upper_only(str s)
{
    size_t n = 0;
    for (size_t at = 0, bytes; at < s.len; at += bytes, n++)
        if (class_at(s, at, &bytes) != CHAR_UPPER)
            return false;
    return n > 1;
}

/* "J.", "J.K.", "U.S.": the end behind the last point, or `at`. */
static size_t initials_end(str text, size_t at)
{
    size_t to = at, bytes;
    while (to < text.len && class_at(text, to, &bytes) == CHAR_UPPER && to + bytes < text.len &&
           text.at[to + bytes] == '.')
        to += bytes + 1;
    return letter_at(text, to) || digit_at(text, to) ? at : to;
}

/* Bytes of the possessive at `at`, or 0. */
static size_t possessive_at(str text, size_t at)
{
    size_t quote = apostrophe(text, at);
    bool s = quote && at + quote < text.len && (text.at[at + quote] | 0x20) == 's' &&
             !word_at(text, at + quote + 1);
    return s ? quote + 1 : 0;
}

/* Whether the letters that end at `to` are only a part of something else: an identifier, a path, an
 * address. */
static bool goes_on(str text, size_t to)
{
    if (to >= text.len)
        return false;
    char c = text.at[to];
    if (c == '_' || c == '@' || c == '\\' ||
        (c == '(' && to + 1 < text.len && text.at[to + 1] == ')'))
        return true;
    if (c == '.' || c == ':' || c == '-')
        return word_at(text, to + 1) || str_starts(str_cut(text, to, text.len), S("::"));
    return c == '#' || c == '+';
}

/* The end of the letters, digits, inner apostrophes and hyphens that begin at `at`. */
static size_t letters_end(str text, size_t at)
{
    size_t to = at, bytes;
    while (to < text.len) {
        if (is_word(class_at(text, to, &bytes))) {
            to += bytes;
            continue;
        }
        size_t quote = apostrophe(text, to);
        if (quote && letter_at(text, to + quote) && !possessive_at(text, to)) {
            to += quote;
            continue;
        }
        if (text.at[to] != '-' || !letter_at(text, to + 1) || word_at(text, to) || to == at)
            break;
        size_t tail = to + 1;
        while (tail < text.len && is_word(class_at(text, tail, &bytes)))
            tail += bytes;
        if (in(hyphen_tails, str_cut(text, to + 1, tail)))
            break;
        to = tail;
    }
    return to;
}

static bool is_hyphen_tail(str text, size_t to)
{
    return to < text.len && text.at[to] == '-' && letter_at(text, to + 1) &&
           !upper_at(text, to + 1);
}

/* A capitalised word, an initial or a title at `at`; false where there is none, or where it is part
 * of an identifier. */
static bool read_capital(str text, size_t at, struct word *w)
{
    if (!upper_at(text, at))
        return false;
    *w = (struct word){.from = at};
    size_t initials = initials_end(text, at);
    if (initials > at) {
        w->to = w->next = initials;
        return true;
    }
    w->to = w->next = letters_end(text, at);
    size_t possessive = possessive_at(text, w->to);
    w->possessive = possessive > 0;
    w->next += possessive;
    if (!possessive && goes_on(text, w->to) && !is_hyphen_tail(text, w->to))
        return false;
    if (w->next < text.len && text.at[w->next] == '.' && in(titles, str_cut(text, w->from, w->to)))
        w->to = w->next = w->next + 1;
    if (w->to + 1 < text.len && text.at[w->to] == '&' && upper_at(text, w->to + 1)) { /* AT&T */
        w->to = w->next = letters_end(text, w->to + 1);
        w->possessive = false;
    }
    return true;
}

/* Whether the line break at `at` is only where a long line was wrapped, not the end of a title or
 * an item. */
static bool is_wrapped(str text, size_t at)
{
    enum { MIN_WRAPPED_BYTES = 60 };
    size_t from = at;
    while (from > 0 && at - from < MIN_WRAPPED_BYTES && text.at[from - 1] != '\n')
        from--;
    return at - from == MIN_WRAPPED_BYTES;
}

/* One space or wrapped line between two words of a name; 0 for anything else. */
static size_t gap_at(str text, size_t at)
{
    if (at + 1 >= text.len || text.at[at + 1] == ' ' || text.at[at + 1] == '\n')
        return 0;
    return text.at[at] == ' ' || (text.at[at] == '\n' && is_wrapped(text, at)) ? 1 : 0;
}

static bool read_lower(str text, size_t at, struct word *w)
{
    size_t to = at, bytes;
    if (at < text.len && text.at[at] == '&') {
        *w = (struct word){.from = at, .to = at + 1, .next = at + 1, .connector = true};
        return true;
    }
    while (to < text.len && class_at(text, to, &bytes) == CHAR_LOWER)
        to += bytes;
    *w = (struct word){.from = at, .to = to, .next = to, .connector = true};
    return to > at && in(connectors, str_cut(text, at, to));
}

/* "2" in "World War 2", no year and no quantity ("20 dollars"). */
static bool read_number(str text, size_t at, struct word *w)
{
    enum { MAX_DIGITS = 4 };
    size_t to = at, after, bytes;
    while (digit_at(text, to))
        to++;
    if (to == at || to - at > MAX_DIGITS || word_at(text, to) || goes_on(text, to) ||
        (to < text.len && strchr("%,/$", text.at[to])))
        return false;
    bool year = to - at == MAX_DIGITS && (str_starts(str_cut(text, at, to), S("19")) ||
                                          str_starts(str_cut(text, at, to), S("20")));
    after = to + gap_at(text, to);
    size_t end = after;
    while (end < text.len && is_word(class_at(text, end, &bytes)))
        end += bytes;
    *w = (struct word){.from = at, .to = to, .next = to, .number = true};
    return !year && !(end > after && in(units, str_cut(text, after, end)));
}

/* ", Jr." behind a name. */
static bool read_suffix(str text, size_t at, struct word *w)
{
    return str_starts(str_cut(text, at, text.len), S(", ")) && read_capital(text, at + 2, w) &&
           in(suffixes, str_cut(text, w->from, w->to - (text.at[w->to - 1] == '.')));
}

static void add_word(struct name_run *run, struct word w)
{
    if (run->count < MAX_RUN_WORDS)
        run->words[run->count++] = w;
}

static bool is_initial(str text, const struct word *w)
{
    return text.at[w->to - 1] == '.';
}

/* Whether a run may go on behind a possessive: with an everyday word ("Schindler's List"), not with
 * another name. */
static bool may_own(str text, const struct word *w)
{
    return is_one(text, w, word_is_common) && !is_one(text, w, word_is_given_name);
}

/* At most two connectors ("of the"), then a capitalised word; adds all or nothing. */
static bool add_connected(str text, size_t at, struct name_run *run)
{
    struct word pending[2], capital;
    size_t n = 0;
    while (n < 2 && read_lower(text, at, &pending[n])) {
        at = pending[n].next;
        n++;
        size_t gap = gap_at(text, at);
        if (!gap)
            return false;
        at += gap;
    }
    if (n == 0 || run->count + n + 1 > MAX_RUN_WORDS || !read_capital(text, at, &capital))
        return false;
    for (size_t i = 0; i < n; i++)
        add_word(run, pending[i]);
    add_word(run, capital);
    return true;
}

static bool is_pronoun(str text, const struct word *w)
{
    return text.at[w->from] == 'I' && (w->to == w->from + 1 || apostrophe(text, w->from + 1));
}

static void collect(str text, struct name_run *run)
{
    while (run->count < MAX_RUN_WORDS) {
        const struct word *last = &run->words[run->count - 1];
        struct word next;
        if (last->number)
            return;
        if (read_suffix(text, last->next, &next)) {
            add_word(run, next);
            continue;
        }
        size_t gap = gap_at(text, last->next), at = last->next + gap;
        if (!gap)
            return;
        if (read_capital(text, at, &next)) {
            bool sentence =
                is_initial(text, last) && is_one(text, &next, word_is_opener); /* "plan B. Then" */
            if (sentence || is_pronoun(text, &next) || (last->possessive && !may_own(text, &next)))
                return;
            add_word(run, next);
        } else if (read_number(text, at, &next)) {
            if (last->possessive || is_initial(text, last))
                return;
            add_word(run, next);
        } else if (last->possessive || !add_connected(text, at, run)) {
            return;
        }
    }
}

/* Behind a sentence's end, a line break, a colon or at the very start; brackets, quotes and bullets
 * are looked through. */
static bool opens_sentence(str text, size_t at)
{
    while (at > 0) {
        unsigned char c = (unsigned char)text.at[at - 1];
        if (strchr(".!?:;\"", c) || (c == '\n' && !is_wrapped(text, at - 1)))
            return true;
        if (c >= 0x80) { /* emoji, dashes, typographic quotes open one, letters don't */
            return !word_at(text, utf8_back(text, at - 1));
        }
        if (c != ' ' && c != '\t' && c != '\n' && !strchr("'(*_>#-", c))
            return false;
        at--;
    }
    return true;
}

static void drop_first(struct name_run *run, size_t n)
{
    run->count -= n;
    memmove(run->words, run->words + n, run->count * sizeof *run->words);
}

/* "When Alice" is Alice, "The Android" is Android; "The Matrix Reloaded" stays whole. */
static void drop_openers(str text, struct name_run *run)
{
    while (run->at_start && run->count > 1) {
        struct word *first = &run->words[0];
        str word = str_cut(text, first->from, first->to);
        bool article = str_eq(word, S("The"));
        bool given = is_one(text, first, word_is_given_name) && !is_one(text, first, word_is_stop);
        if ((article && run->count > 2) || given || first->possessive ||
            !is_one(text, first, word_is_opener))
            return;
        size_t n = 1;
        if (run->words[1].connector &&
            !str_eq_nocase(str_cut(text, run->words[1].from, run->words[1].to), S("of")))
            while (n < run->count && run->words[n].connector)
                n++;
        else if (run->words[1].connector)
            return;
        drop_first(run, n);
    }
}

static bool all_general(str text, const struct name_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct word *w = &run->words[i];
        if (!w->connector && !w->number && !is_one(text, w, word_is_generic) &&
            !is_one(text, w, word_is_calendar) && !is_one(text, w, word_is_stop))
            return false;
    }
    return true;
}

/* "PLEASE READ THIS FIRST" */
static bool is_shouting(str text, const struct name_run *run)
{
    size_t common = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (run->words[i].connector || run->words[i].number ||
            !is_upper_only(str_cut(text, run->words[i].from, run->words[i].to)))
            return false;
        common += is_one(text, &run->words[i], word_is_common);
    }
    return run->count > 1 && common > 0;
}

/* One word at a sentence's start: a name only when it is no everyday word, or is used like a name.
 */
static bool stands_alone(str text, const struct name_run *run)
{
    const struct word *w = &run->words[0];
    if (!run->at_start)
        return true;
    size_t from = w->next + gap_at(text, w->next), to = from, bytes;
    while (to < text.len && class_at(text, to, &bytes) == CHAR_LOWER)
        to += bytes;
    str after = str_cut(text, from, to);
    if (!is_one(text, w, word_is_common) && !is_one(text, w, word_is_opener))
        return w->possessive || !in(objects, after); /* "Tightened the" */
    return is_one(text, w, word_is_given_name) && (w->possessive || in(name_verbs, after));
}

static bool has_digit(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (digit_at(s, i))
            return true;
    return false;
}

static void add_single(struct finder *f, str text, const struct name_run *run)
{
    const struct word *w = &run->words[0];
    str word = str_cut(text, w->from, w->to);
    const char *shape = shape_of(word);
    if (shape || is_camel(word))
        finder_add(f, w->from, w->to, shape ? shape : "identifier");
    else if (is_upper_only(
                 str_cut(word, 0, word.len - (word.len > 2 && word.at[word.len - 1] == 's'))) ||
             str_find_char(word, '&', 0) < word.len) {
        if (is_acronym(word))
            finder_add(f, w->from, w->to, "acronym");
    } else if (word.len > 1 && !has_digit(word) && !is_initial(text, w) &&
               !is_one(text, w, word_is_calendar) && stands_alone(text, run))
        finder_add(f, w->from, w->to, "name");
}

/* "Barack Obama Sr." keeps its point, "Plan B." has only the sentence's. */
static size_t without_point(str text, const struct word *w)
{
    bool suffix = in(titles, str_cut(text, w->from, w->to - 1));
    return is_initial(text, w) && !suffix ? w->to - 1 : w->to;
}

/* Words [from, to) of the run, which begin and end with a capitalised one or a number. */
static void add_part(struct finder *f, str text, const struct name_run *run, size_t from, size_t to)
{
    struct name_run part = {.count = to - from, .at_start = run->at_start && from == 0};
    memcpy(part.words, run->words + from, part.count * sizeof *part.words);
    const char *shape = part.count == 2 && part.words[1].number
                            ? shape_of(str_cut(text, part.words[0].from, part.words[0].to))
                            : NULL;
    if (shape && strcmp(shape, "technology") == 0)
        part.count = 1;
    if (part.count == 1)
        add_single(f, text, &part);
    else if (!all_general(text, &part) && !is_shouting(text, &part))
        finder_add(f, part.words[0].from, without_point(text, &part.words[part.count - 1]), "name");
}

static size_t capitals_before(const struct name_run *run, size_t at)
{
    size_t n = 0;
    while (at > n && !run->words[at - 1 - n].connector)
        n++;
    return n;
}

static size_t capitals_behind(const struct name_run *run, size_t at)
{
    size_t n = 0;
    while (at + n < run->count && !run->words[at + n].connector)
        n++;
    return n;
}

static bool is_everyday(str text, const struct word *w)
{
    return is_one(text, w, word_is_common) && !is_one(text, w, word_is_given_name);
}

/* Whether the connector at `i` parts two names. "and" joins only what has an everyday word beside
 * it: "Pride and Prejudice", "Department of Health and Human Services"; never two names of several
 * words. */
static bool parts_names(str text, const struct name_run *run, size_t i)
{
    str word = str_cut(text, run->words[i].from, run->words[i].to);
    size_t behind = i + 1;
    bool the = behind < run->count && run->words[behind].connector;
    if (str_eq(word, S("the"))) /* "Alexander the Great", but not "in London the Prime Minister" */
        return i == 0 || !(run->words[i - 1].connector || capitals_behind(run, behind) == 1);
    if (!str_eq(word, S("and")))
        return false;
    behind += the;
    bool left = is_everyday(text, &run->words[i - 1]),
         right = is_everyday(text, &run->words[behind]);
    bool in_phrase = capitals_before(run, i) < i; /* "X of Y and Z" */
    if (!in_phrase && capitals_before(run, i) > 1 && capitals_behind(run, behind) > 1 && !the)
        return true;
    return the ? !right : !(in_phrase ? left : left || right);
}

static void add_parts(struct finder *f, str text, const struct name_run *run)
{
    size_t from = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (!run->words[i].connector || !parts_names(text, run, i))
            continue;
        add_part(f, text, run, from, i);
        while (i + 1 < run->count && run->words[i + 1].connector)
            i++;
        from = i + 1;
    }
    add_part(f, text, run, from, run->count);
}

size_t extract_name(struct finder *f, str text, size_t at)
{
    struct word first;
    if (!read_capital(text, at, &first) || is_pronoun(text, &first))
        return 0;
    struct name_run run = {.at_start = opens_sentence(text, at)};
    add_word(&run, first);
    collect(text, &run);
    size_t end = run.words[run.count - 1].next;
    drop_openers(text, &run);
    add_parts(f, text, &run);
    return end;
}
