#include "memory/clauses.h"

#include "memory/base/ascii.h"
#include "memory/base/unicode.h"
#include "memory/clause_words.h"
#include "memory/text.h"
#include "memory/text_chars.h"
#include "memory/words.h"

#include <string.h>

static const char number_words[] = "eight eleven five four nine one seven six ten three twelve two";
static const char *const number_digits[] = {"8", "11", "5",  "4", "9",  "1",
                                            "7", "6",  "10", "3", "12", "2"};

/* Words behind a comma that open a clause; "but", "except" and the like narrow the one before. */
static const char openers[] = "all and because everything he it she since so that the there they "
                              "this we which who you";
static const char pronouns[] = "he it she that they this";

static const char plural[] =
    "allerg-to appear-in avail-in compat-with connect-to contribut-to depend-on export-to found-in "
    "integr-with interest-in listen-to occur-in particip-in publish-to reli-on replic-to send-to "
    "sent-to share-with speak-to speak-with subscrib-to talk-to talk-with visibl-in work-on "
    "work-with write-to";

bool clause_is_plural(str verb, str preposition)
{
    char joined[2 * MAX_TOKEN_BYTES + 2];
    if (verb.len > MAX_TOKEN_BYTES || preposition.len > MAX_TOKEN_BYTES)
        return false;
    memcpy(joined, verb.at, verb.len);
    joined[verb.len] = '-';
    memcpy(joined + verb.len + 1, preposition.at, preposition.len);
    return word_list_has(str_of(plural), str_from(joined, verb.len + 1 + preposition.len));
}

/* ---- words ---- */

/* Which of the number words it is, in digits; empty for another word. */
static str digits_of(str word)
{
    enum { SHORTEST = 3, LONGEST = 6 };
    str rest = str_of(number_words), next;
    if (word.len < SHORTEST || word.len > LONGEST || !word_list_has(rest, word))
        return S("");
    for (size_t i = 0; str_next_word(&rest, &next); i++)
        if (str_eq(next, word))
            return str_of(number_digits[i]);
    return S("");
}

/* Numbers of one value have one key: 09:30 and 9:30, 10:00 and 10, v2 and 2. */
static str number_key(str written)
{
    if (written.len > 1 && written.at[0] == 'v')
        written = str_cut(written, 1, written.len);
    if (written.len > 1 && written.at[0] == '0' && ascii_is_digit(written.at[1]))
        written = str_cut(written, 1, written.len);
    if (str_ends(written, S(":00")))
        written.len -= 3;
    return written;
}

/* "stand-up" is "standup". */
static str without_joints(struct arena *a, str s)
{
    char *out = arena_cstr(a, s);
    size_t len = 0;
    for (size_t i = 0; i < s.len; i++)
        if (s.at[i] != '-' && s.at[i] != '_')
            out[len++] = s.at[i];
    return len ? str_from(out, len) : s;
}

static bool looks_past(str written)
{
    return written.len > 4 && str_ends(written, S("ed")) && !str_ends(written, S("eed"));
}

static bool has_apostrophe(str s)
{
    size_t at = 0;
    while (at < s.len && !apostrophe(s, at))
        at++;
    return at < s.len;
}

/* *form: the word folded, contractions without their apostrophe. */
static struct word word_of(struct arena *a, str text, const struct token *t, bool opens, str *form)
{
    str source = str_cut(text, t->from, t->to), stem = arena_str(a, str_from(t->text, t->len));
    str written = t->identifier ? stem : unicode_fold(a, source);
    if (has_apostrophe(written))
        written = stem;
    *form = written;
    struct word word = {.key = stem, .from = t->from, .to = t->to};
    str digits = digits_of(written);
    word.roles = clause_word_roles(written, stem) | (t->stop ? (uint32_t)ROLE_STOP : 0);
    bool number = digits.len || (written.len && ascii_is_digit(written.at[0])) ||
                  (written.len > 1 && written.at[0] == 'v' && ascii_is_digit(written.at[1]));
    if (number) {
        word.key = digits.len ? digits : number_key(written);
        word.roles = ROLE_NUMBER;
        return word;
    }
    word.key = clause_word_stem(without_joints(a, stem));
    bool upper = source.at[0] >= 'A' && source.at[0] <= 'Z';
    if (word_is_technology(written) || t->identifier ||
        (upper && !t->stop && !(opens && word_is_common(written))))
        word.roles |= ROLE_NAME;
    if (looks_past(written) && !(word.roles & ROLE_NAME))
        word.roles |= ROLE_PAST;
    return word;
}

/* "-ed" is no past behind "is", "has", "the" or a preposition: is hosted, a failed call. */
static void settle_past(struct clause *c)
{
    const uint32_t participle = ROLE_BE | ROLE_HAVE | ROLE_DETERMINER | ROLE_PREPOSITION;
    const uint32_t always = ROLE_BE | ROLE_HAVE;
    for (size_t i = 1; i < c->count; i++) {
        size_t before = i - 1;
        while (before > 0 && c->words[before].roles & (ROLE_FILLER | ROLE_NEGATION) &&
               !(c->words[before].roles & participle))
            before--;
        if (!(c->words[i].roles & always) && c->words[before].roles & participle)
            c->words[i].roles &= ~(uint32_t)ROLE_PAST;
    }
}

/* ---- clauses ---- */

struct splitter {
    struct arena *a;
    struct clause *found;
    size_t count;
    struct clause now; /* has room for MAX_CLAUSE_WORDS */
    bool too_long;
};

static void begin(struct splitter *s)
{
    s->now = (struct clause){ARENA_ARRAY(s->a, struct word, MAX_CLAUSE_WORDS), 0};
    s->too_long = false;
}

static bool starts_with_pronoun(struct arena *a, str text, const struct clause *c)
{
    str first = unicode_fold(a, str_cut(text, c->words[0].from, c->words[0].to));
    return word_list_has(str_of(pronouns), first);
}

/* What "it" stands for is in the clause before. */
static void join_with_last(struct splitter *s)
{
    const struct clause *last = &s->found[s->count - 1];
    if (last->count + s->now.count > MAX_CLAUSE_WORDS)
        return;
    memmove(s->now.words + last->count, s->now.words, s->now.count * sizeof *s->now.words);
    memcpy(s->now.words, last->words, last->count * sizeof *last->words);
    s->now.count += last->count;
}

static void end(struct splitter *s, str text)
{
    if (s->now.count && !s->too_long && s->count < MAX_CLAUSES) {
        settle_past(&s->now);
        if (s->count && starts_with_pronoun(s->a, text, &s->now))
            join_with_last(s);
        s->found[s->count++] = s->now;
    }
    begin(s);
}

static bool has_role(const struct clause *c, uint32_t roles)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->words[i].roles & roles)
            return true;
    return false;
}

/* Whether a clause ends in the gap in front of `next`. A label of one or two words ("Staging:") and
 * an opening phrase ("In staging, the ...") narrow what follows: they stay with it. */
static bool parts(const struct splitter *s, str gap, str next)
{
    enum { LABEL_WORDS = 2 };
    if (str_eq(gap, S(" ")))
        return false;
    if (str_find_char(gap, ';', 0) < gap.len || str_find_char(gap, '(', 0) < gap.len ||
        str_find_char(gap, ')', 0) < gap.len || str_find(gap, S(" - "), 0) < gap.len ||
        str_find(gap, S("\u2013"), 0) < gap.len || str_find(gap, S("\u2014"), 0) < gap.len)
        return true;
    if (str_find_char(gap, ':', 0) < gap.len)
        return s->now.count > LABEL_WORDS || has_role(&s->now, ROLE_CHANGE | ROLE_NEWS);
    return str_find_char(gap, ',', 0) < gap.len && word_list_has(str_of(openers), next) &&
           !(s->now.count &&
             s->now.words[0].roles & (ROLE_PREPOSITION | ROLE_TIME | ROLE_CONDITION));
}

/* "Finance agreed that ...": what was agreed is the statement. */
static bool reports(const struct splitter *s, str written)
{
    enum { WITHIN = 6 };
    return str_eq(written, S("that")) && s->now.count <= WITHIN && has_role(&s->now, ROLE_REPORT);
}

static void split_sentence(struct splitter *s, str text, str sentence)
{
    enum { MAX_TOKENS = 400 };
    size_t count, last_to = 0;
    size_t offset = (size_t)(sentence.at - text.at);
    struct token *tokens = text_token_list(s->a, sentence, MAX_TOKENS, &count);
    begin(s);
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].colocated)
            continue;
        str written;
        struct word word = word_of(s->a, sentence, &tokens[i], !s->now.count, &written);
        if (s->now.count && parts(s, str_cut(sentence, last_to, word.from), written))
            end(s, text);
        last_to = word.to;
        word.from += offset;
        word.to += offset;
        if (reports(s, written))
            begin(s);
        else if (s->now.count < MAX_CLAUSE_WORDS)
            s->now.words[s->now.count++] = word;
        else
            s->too_long = true;
    }
    end(s, text);
}

struct clause *clauses_of(struct arena *a, str text, size_t *count)
{
    struct splitter s = {.a = a, .found = ARENA_ARRAY(a, struct clause, MAX_CLAUSES)};
    str rest = text, sentence;
    while (s.count < MAX_CLAUSES && text_next_sentence(&rest, &sentence))
        split_sentence(&s, text, sentence);
    *count = s.count;
    return s.found;
}
