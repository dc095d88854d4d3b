#include "memory/extract.h"

#include "memory/text.h"

/* Phrases in lower case; "*" stands for one to five words, "^" for the start of the text or of a
 * sentence. The first row that occurs decides, so the telling ones come first: "we decided to
 * always use tabs" is a decision, not a preference. */
static const struct {
    enum memory_kind kind;
    const char *phrase;
} phrases[] = {
    {KIND_QUESTION, "open question"},
    {KIND_QUESTION, "open issue:"},
    {KIND_QUESTION, "todo: decide"},
    {KIND_QUESTION, "to be decided"},
    {KIND_QUESTION, "yet to decide"},
    {KIND_QUESTION, "not decided"},
    {KIND_QUESTION, "haven't decided"},
    {KIND_QUESTION, "need to decide"},
    {KIND_QUESTION, "unclear whether"},
    {KIND_QUESTION, "unclear if"},
    {KIND_QUESTION, "not sure whether"},
    {KIND_QUESTION, "not sure if"},
    {KIND_QUESTION, "^question:"},
    {KIND_DECISION, "decided to"},
    {KIND_DECISION, "decided on"},
    {KIND_DECISION, "decided against"},
    {KIND_DECISION, "decided that"},
    {KIND_DECISION, "we decided"},
    {KIND_DECISION, "^decision"},
    {KIND_DECISION, "^decided"},
    {KIND_DECISION, "the decision is"},
    {KIND_DECISION, "the decision was"},
    {KIND_DECISION, "was decided"},
    {KIND_DECISION, "is decided"},
    {KIND_DECISION, "agreed to"},
    {KIND_DECISION, "agreed on"},
    {KIND_DECISION, "we agreed"},
    {KIND_DECISION, "settled on"},
    {KIND_DECISION, "opted for"},
    {KIND_DECISION, "opted to"},
    {KIND_DECISION, "chose * over"},
    {KIND_DECISION, "choose * over"},
    {KIND_DECISION, "chosen over"},
    {KIND_DECISION, "we chose"},
    {KIND_DECISION, "picked * over"},
    {KIND_DECISION, "went with"},
    {KIND_DECISION, "going with"},
    {KIND_DECISION, "let's go with"},
    {KIND_DECISION, "lets go with"},
    {KIND_DECISION, "let's use"},
    {KIND_DECISION, "lets use"},
    {KIND_DECISION, "we will use"},
    {KIND_DECISION, "we'll use"},
    {KIND_DECISION, "will use * instead"},
    {KIND_DECISION, "we will not"},
    {KIND_DECISION, "we won't"},
    {KIND_DECISION, "we're going to use"},
    {KIND_DECISION, "we are going to use"},
    {KIND_DECISION, "switched from * to"},
    {KIND_DECISION, "switching from * to"},
    {KIND_DECISION, "switched to"},
    {KIND_DECISION, "migrated from * to"},
    {KIND_DECISION, "moved from * to"},
    {KIND_DECISION, "moving from * to"},
    {KIND_DECISION, "replaced * with"},
    {KIND_DECISION, "replacing * with"},
    {KIND_DECISION, "in favor of"},
    {KIND_DECISION, "in favour of"},
    {KIND_DECISION, "ruled out"},
    {KIND_DECISION, "we rejected"},
    {KIND_DECISION, "rejected because"},
    {KIND_DECISION, "deprecated in"},
    {KIND_IDENTITY, "my name is"},
    {KIND_IDENTITY, "my name's"},
    {KIND_IDENTITY, "call me"},
    {KIND_IDENTITY, "i am a"},
    {KIND_IDENTITY, "i am an"},
    {KIND_IDENTITY, "i am the"},
    {KIND_IDENTITY, "i'm a"},
    {KIND_IDENTITY, "i'm an"},
    {KIND_IDENTITY, "i'm the"},
    {KIND_IDENTITY, "i work at"},
    {KIND_IDENTITY, "i work for"},
    {KIND_IDENTITY, "i work as"},
    {KIND_IDENTITY, "i work on"},
    {KIND_IDENTITY, "i live in"},
    {KIND_IDENTITY, "i was born"},
    {KIND_IDENTITY, "i grew up"},
    {KIND_IDENTITY, "i come from"},
    {KIND_IDENTITY, "i am from"},
    {KIND_IDENTITY, "i'm from"},
    {KIND_IDENTITY, "my role is"},
    {KIND_IDENTITY, "my job is"},
    {KIND_IDENTITY, "my pronouns"},
    {KIND_IDENTITY, "my email is"},
    {KIND_IDENTITY, "my time zone"},
    {KIND_IDENTITY, "my timezone"},
    {KIND_PREFERENCE, "prefer"},
    {KIND_PREFERENCE, "prefers"},
    {KIND_PREFERENCE, "preferred"},
    {KIND_PREFERENCE, "preference"},
    {KIND_PREFERENCE, "i'd rather"},
    {KIND_PREFERENCE, "would rather"},
    {KIND_PREFERENCE, "always use"},
    {KIND_PREFERENCE, "never use"},
    {KIND_PREFERENCE, "^always"},
    {KIND_PREFERENCE, "^never"},
    {KIND_PREFERENCE, "^avoid"},
    {KIND_PREFERENCE, "^please always"},
    {KIND_PREFERENCE, "^please never"},
    {KIND_PREFERENCE, "^please don't"},
    {KIND_PREFERENCE, "^don't"},
    {KIND_PREFERENCE, "^do not"},
    {KIND_PREFERENCE, "make sure to"},
    {KIND_PREFERENCE, "i like"},
    {KIND_PREFERENCE, "i love"},
    {KIND_PREFERENCE, "i hate"},
    {KIND_PREFERENCE, "i dislike"},
    {KIND_PREFERENCE, "i don't like"},
    {KIND_PREFERENCE, "i want you to"},
    {KIND_PREFERENCE, "likes"},
    {KIND_PREFERENCE, "dislikes"},
    {KIND_PREFERENCE, "hates"},
    {KIND_PREFERENCE, "my favorite"},
    {KIND_PREFERENCE, "my favourite"},
    {KIND_PREFERENCE, "i'm not a fan of"},
    {KIND_PREFERENCE, "'s favorite"},
    {KIND_DECISION, "will use"},
    {KIND_DECISION, "instead of"},
    {KIND_DECISION, "rather than"},
    {KIND_CONTEXT, "currently working on"},
    {KIND_CONTEXT, "working on"},
    {KIND_CONTEXT, "in progress"},
    {KIND_CONTEXT, "^currently"},
    {KIND_CONTEXT, "right now"},
    {KIND_CONTEXT, "at the moment"},
    {KIND_CONTEXT, "next step"},
    {KIND_CONTEXT, "next steps"},
    {KIND_CONTEXT, "^next:"},
    {KIND_CONTEXT, "^status:"},
    {KIND_CONTEXT, "^todo"},
    {KIND_CONTEXT, "^wip"},
    {KIND_CONTEXT, "blocked on"},
    {KIND_CONTEXT, "blocked by"},
    {KIND_CONTEXT, "waiting for"},
    {KIND_CONTEXT, "left to do"},
};

enum {
    MAX_LOOKED_AT = 2048, /* bytes: what a memory is, its beginning tells */
    MAX_WILD_WORDS = 5,
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_letter(str s, size_t at)
{
    return at < s.len &&
           ((lower(s.at[at]) >= 'a' && lower(s.at[at]) <= 'z') || (unsigned char)s.at[at] >= 0x80);
}

/* Bytes of an apostrophe, typed or typographic. */
static size_t quote_at(str s, size_t at)
{
    if (at < s.len && s.at[at] == '\'')
        return 1;
    return str_starts(str_cut(s, at, s.len), S("\xE2\x80\x99")) ? 3 : 0;
}

static size_t next_word_at(str s, size_t at)
{
    while (at < s.len && s.at[at] != ' ' && s.at[at] != '\n')
        at++;
    while (at < s.len && (s.at[at] == ' ' || s.at[at] == '\n'))
        at++;
    return at;
}

static bool fits(str s, size_t at, const char *phrase);

/* One to MAX_WILD_WORDS words of one sentence, then the rest of the phrase. */
static bool fits_wild(str s, size_t at, const char *rest)
{
    for (int n = 0; n < MAX_WILD_WORDS && at < s.len; n++) {
        at = next_word_at(s, at);
        if (at < 2 || s.at[at - 2] == '.')
            return false;
        if (fits(s, at, rest))
            return true;
    }
    return false;
}

static bool fits(str s, size_t at, const char *phrase)
{
    for (; *phrase; phrase++) {
        if (*phrase == '*')
            return fits_wild(s, at, phrase + 2);
        size_t quote = quote_at(s, at);
        if (*phrase == '\'' ? !quote
                            : at >= s.len || lower(s.at[at] == '\n' ? ' ' : s.at[at]) != *phrase)
            return false;
        at += *phrase == '\'' ? quote : 1;
    }
    return !is_letter(s, at - 1) || !is_letter(s, at);
}

/* Behind a mark that ends a sentence, or a list's dash, or at the start. */
static bool opens(str s, size_t at)
{
    while (at > 0 && (s.at[at - 1] == ' ' || s.at[at - 1] == '-' || s.at[at - 1] == '*' ||
                      s.at[at - 1] == '#'))
        at--;
    return at == 0 || strchr(".!?:\n", s.at[at - 1]) != NULL;
}

static bool begins_word(str s, size_t at)
{
    return at == 0 || !is_letter(s, at - 1) || s.at[at] == '\'';
}

/* With what words begin here: most phrases begin with something else. */
static void note_firsts(str s, bool firsts[256])
{
    for (size_t at = 0; at < s.len; at++)
        if (begins_word(s, at))
            firsts[(unsigned char)lower(s.at[at])] = true;
    firsts['\''] = true; /* a typographic one begins with another byte */
}

static bool has_phrase(str s, const bool firsts[256], const char *phrase)
{
    bool at_start = *phrase == '^';
    phrase += at_start;
    if (!firsts[(unsigned char)*phrase])
        return false;
    for (size_t at = 0; at < s.len; at++) {
        bool candidate = lower(s.at[at]) == *phrase || *phrase == '\'';
        if (candidate && (at == 0 || !is_letter(s, at - 1) || *phrase == '\'') &&
            fits(s, at, phrase) && (!at_start || opens(s, at)))
            return true;
    }
    return false;
}

/* Whether the text ends in a question that somebody asks (a link's "?" doesn't count). */
static bool ends_in_question(str text)
{
    text = str_trim(text);
    while (text.len && strchr("\")'*_ ", text.at[text.len - 1]))
        text.len--;
    return text.len > 1 && text.at[text.len - 1] == '?';
}

enum memory_kind extract_kind(str text)
{
    if (ends_in_question(text))
        return KIND_QUESTION;
    str looked_at = str_cut(text, 0, MAX_LOOKED_AT);
    bool firsts[256] = {false};
    note_firsts(looked_at, firsts);
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (has_phrase(looked_at, firsts, phrases[i].phrase))
            return phrases[i].kind;
    return KIND_FACT;
}
