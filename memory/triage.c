#include "memory/triage.h"

#include "memory/base/unicode.h"
#include "memory/text.h"
#include "memory/words.h"

enum {
    MAX_IDLE_WORDS = 24, /* a longer sentence says something */
    MAX_IDLE_BYTES = 240,
};

/* WHOLE: the sentence is this and nothing else, but for names it is called to ("thanks, Ann").
 * OPENS: it begins so, and what follows is only what it speaks of. TALK: it begins so and is about
 * the conversation, though it may say something. */
enum match { WHOLE, OPENS, TALK };

static const struct phrase {
    const char *words; /* lower case, without punctuation */
    enum match match;
} phrases[] = {
    {"ok", WHOLE},
    {"okay", WHOLE},
    {"k", WHOLE},
    {"yes", WHOLE},
    {"yes please", WHOLE},
    {"yep", WHOLE},
    {"yeah", WHOLE},
    {"no", WHOLE},
    {"nope", WHOLE},
    {"sure", WHOLE},
    {"done", WHOLE},
    {"cool", WHOLE},
    {"nice", WHOLE},
    {"great", WHOLE},
    {"wow", WHOLE},
    {"haha", WHOLE},
    {"perfect", WHOLE},
    {"awesome", WHOLE},
    {"excellent", WHOLE},
    {"good", WHOLE},
    {"right", WHOLE},
    {"exactly", WHOLE},
    {"agreed", WHOLE},
    {"understood", WHOLE},
    {"absolutely", WHOLE},
    {"of course", WHOLE},
    {"alright", WHOLE},
    {"all right", WHOLE},
    {"got it", WHOLE},
    {"i see", WHOLE},
    {"will do", WHOLE},
    {"on it", WHOLE},
    {"lgtm", WHOLE},
    {"looks good", WHOLE},
    {"looks good to me", WHOLE},
    {"sounds good", WHOLE},
    {"sounds great", WHOLE},
    {"makes sense", WHOLE},
    {"that makes sense", WHOLE},
    {"that works", WHOLE},
    {"that worked", WHOLE},
    {"it works", WHOLE},
    {"it works now", WHOLE},
    {"nice work", WHOLE},
    {"good job", WHOLE},
    {"well done", WHOLE},
    {"please", WHOLE},
    {"please continue", WHOLE},
    {"please go on", WHOLE},
    {"please proceed", WHOLE},
    {"continue", WHOLE},
    {"proceed", WHOLE},
    {"go ahead", WHOLE},
    {"go on", WHOLE},
    {"go for it", WHOLE},
    {"keep going", WHOLE},
    {"try again", WHOLE},
    {"hi", WHOLE},
    {"hi there", WHOLE},
    {"hello", WHOLE},
    {"hey", WHOLE},
    {"hey there", WHOLE},
    {"good morning", WHOLE},
    {"good evening", WHOLE},
    {"good night", WHOLE},
    {"bye", WHOLE},
    {"goodbye", WHOLE},
    {"see you", WHOLE},
    {"take care", WHOLE},
    {"how are you", WHOLE},
    {"thanks", WHOLE},
    {"thank you", WHOLE},
    {"thanks a lot", WHOLE},
    {"thank you so much", WHOLE},
    {"many thanks", WHOLE},
    {"thx", WHOLE},
    {"no problem", WHOLE},
    {"no worries", WHOLE},
    {"never mind", WHOLE},
    {"you are welcome", WHOLE},
    {"youre welcome", WHOLE},
    {"youre right", WHOLE},
    {"you are right", WHOLE},
    {"good point", WHOLE},
    {"good question", WHOLE},
    {"great question", WHOLE},
    {"what do you think", WHOLE},
    {"does that help", WHOLE},
    {"does that make sense", WHOLE},
    {"anything else", WHOLE},
    {"is there anything else", WHOLE},
    {"what next", WHOLE},
    {"whats next", WHOLE},
    {"one moment", WHOLE},
    {"give me a moment", WHOLE},
    {"let me", OPENS},
    {"now let me", OPENS},
    {"first let me", OPENS},
    {"lets see", OPENS},
    {"lets take a look", OPENS},
    {"ill now", OPENS},
    {"now ill", OPENS},
    {"ill start by", OPENS},
    {"ill take a look", OPENS},
    {"i will now", OPENS},
    {"im going to", OPENS},
    {"im now", OPENS},
    {"i am now", OPENS},
    {"shall i", OPENS},
    {"should i go on", OPENS},
    {"would you like me to", OPENS},
    {"do you want me to", OPENS},
    {"let me know if", OPENS},
    {"feel free to", OPENS},
    {"happy to help", OPENS},
    {"glad to", OPENS},
    {"thanks for", OPENS},
    {"thank you for", OPENS},
    {"sorry for", OPENS},
    {"sorry about", OPENS},
    {"my apologies", OPENS},
    {"i apologize", OPENS},
    {"can you please", OPENS},
    {"have a nice day", WHOLE},
    {"have a good day", WHOLE},
    {"let me", TALK},
    {"now let", TALK},
    {"lets see", TALK},
    {"ill", TALK},
    {"i will", TALK},
    {"im going to", TALK},
    {"now i", TALK},
    {"first i", TALK},
    {"next i", TALK},
    {"i need to", TALK},
    {"i should", TALK},
    {"i can", TALK},
    {"i see", TALK},
    {"looking at", TALK},
    {"perfect", TALK},
    {"great", TALK},
    {"thanks", TALK},
    {"thank you", TALK},
    {"sure", TALK},
    {"okay", TALK},
    {"ok", TALK},
    {"can you", TALK},
    {"could you", TALK},
    {"would you", TALK},
    {"should i", TALK},
    {"shall i", TALK},
    {"do you", TALK},
    {"if you", TALK},
    {"you can", TALK},
    {"would be", TALK},
    {"heres", TALK},
    {"here is", TALK},
    {"here are", TALK},
    {"done", TALK},
    {"all tests", TALK},
    {"the tests", TALK},
    {"it looks", TALK},
    {"that looks", TALK},
    {"i think", TALK},
    {"maybe", TALK},
    {"perhaps", TALK},
    {"i wonder", TALK},
    {"hmm", TALK},
    {"wait", TALK},
    {"actually i", TALK},
    {"i apologize", TALK},
    {"sorry", TALK},
};

/* Whoever gives a reason says something worth keeping, however it opens. */
static const char *const reasons[] = {"because", "since", "so that", "instead", "otherwise",
                                      "due to",  "not",   "dont",    "never",   "always"};

struct words {
    char text[MAX_IDLE_BYTES + 2]; /* a blank between two words, one behind the last */
    size_t len, count;
};

static bool is_apostrophe(int32_t c)
{
    return c == '\'' || c == 0x2019;
}

/* Lower-case letters and digits of ASCII, apostrophes left out; false where it is too long or holds
 * letters that no phrase has. */
static bool read_words(str s, struct words *out)
{
    size_t bytes;
    *out = (struct words){0};
    if (s.len > MAX_IDLE_BYTES)
        return false;
    for (size_t i = 0; i < s.len; i += bytes) {
        int32_t c = utf8_decode(s, i, &bytes);
        bool in_word = out->len && out->text[out->len - 1] != ' ';
        if (c >= 'A' && c <= 'Z')
            c += 'a' - 'A';
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            out->count += !in_word;
            out->text[out->len++] = (char)c;
        } else if (c >= 0x80 && unicode_class(c) != CHAR_OTHER && unicode_class(c) != CHAR_SPACE) {
            return false;
        } else if (!is_apostrophe(c) && in_word) {
            out->text[out->len++] = ' ';
        }
    }
    if (out->len && out->text[out->len - 1] != ' ')
        out->text[out->len++] = ' ';
    return out->count <= MAX_IDLE_WORDS;
}

/* Does the run of words stand at `at`, whole? Its length with the blank behind it, else 0. */
static size_t stands(const struct words *w, size_t at, const char *words)
{
    size_t n = strlen(words);
    return at + n < w->len && memcmp(w->text + at, words, n) == 0 && w->text[at + n] == ' ' ? n + 1
                                                                                            : 0;
}

static bool gives_reason(const struct words *w)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        for (size_t at = 0; at < w->len; at++)
            if ((at == 0 || w->text[at - 1] == ' ') && stands(w, at, reasons[i]))
                return true;
    return false;
}

/* At most one word may follow a WHOLE phrase: who is spoken to. */
static bool is_a_word(const struct words *w, size_t at)
{
    const char *blank = memchr(w->text + at, ' ', w->len - at);
    return blank && (size_t)(blank - w->text) + 1 == w->len;
}

/* "great, thanks": phrases behind each other. */
static bool is_all_phrases(const struct words *w)
{
    size_t at = 0;
    while (at < w->len) {
        size_t longest = 0;
        for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
            size_t n = phrases[i].match == WHOLE ? stands(w, at, phrases[i].words) : 0;
            longest = n > longest ? n : longest;
        }
        if (!longest)
            return at > 0 && is_a_word(w, at);
        at += longest;
    }
    return true;
}

/* Greetings, applause, farewells: with function words around them they say nothing that stands
 * alone ("that was great!", "you too"). In byte order, a blank on either side. */
static const char applause[] =
    " agreed ah aha alright amazing aw awesome aww beautiful best better brilliant bye care catch"
    " cheers congrats congratulations cool correct dude enjoy exactly excellent fab fabulous"
    " fantastic fun glad good goodbye gorgeous got great guys ha haha happy hear hello hey hi hope"
    " impressive incredible indeed interesting keep kidding know later lol looks lovely luck man"
    " nah nice night nope oh ok okay okey omg perfect please pleasure proud right rock said see"
    " seems sorry sounds stay superb sure sweet talk thank thanks think thx totally true ttyl"
    " welcome wonderful wow xoxo ya yay yeah yep yes yo you yup ";

static bool is_small(str word)
{
    return word_is_stop(word) || word_list_has(str_of(applause), word);
}

/* A few words, none of which names anything. */
static bool is_all_small_words(const struct words *w)
{
    enum { MAX_SMALL = 8 };
    for (size_t at = 0; at < w->len;) {
        size_t end = str_find_char(str_from(w->text, w->len), ' ', at);
        if (!is_small(str_from(w->text + at, end - at)))
            return false;
        at = end + 1;
    }
    return w->count <= MAX_SMALL && !gives_reason(w);
}

static bool opens_idly(const struct words *w)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (phrases[i].match == OPENS && stands(w, 0, phrases[i].words))
            return !gives_reason(w);
    return false;
}

bool triage_is_talk(str sentence)
{
    enum { MAX_OPENING_BYTES = 64 };
    struct words w;
    read_words(utf8_prefix(sentence, MAX_OPENING_BYTES), &w); /* as far as it can be read */
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (phrases[i].match != WHOLE && stands(&w, 0, phrases[i].words))
            return true;
    return false;
}

bool triage_is_idle(str sentence)
{
    struct words w;
    return read_words(sentence, &w) &&
           (is_all_phrases(&w) || is_all_small_words(&w) || opens_idly(&w));
}

bool triage_is_chatter(str text)
{
    str rest = text, sentence;
    while (text_next_sentence(&rest, &sentence))
        if (!triage_is_idle(sentence))
            return false;
    return true;
}
