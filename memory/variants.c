#include "memory/variants.h"

#include "memory/base/stem.h"
#include "memory/base/unicode.h"
#include "memory/text.h"
#include "memory/words.h"

enum {
    MIN_HASH_BYTES = 7, /* of git's short hashes */
    MAX_HASH_BYTES = 40,
    MAX_HASHES_ALIKE = 64, /* that share the first seven digits */
    MIN_STEM_BYTES = 5,    /* what an ending may be taken from or put to */
    MIN_BEGIN_BYTES = 6,   /* of a word that begins a compound */
    MIN_PART_BYTES = 4,    /* of a compound's halves */
    MIN_COMPOUND_BYTES = 10,
    MIN_GUESS_BYTES = 5, /* shorter words are not corrected: too many neighbours */
    MIN_TWO_EDITS_BYTES = 8,
    MIN_BEGINNING_BYTES = 7, /* of words whose first two letters may be wrong */
    MAX_SCANNED = 3000,      /* index terms read for one word */
    MAX_TIES = 8,
};

/* Letters that most often stand behind the first one, and are left out there. */
static const char OFTEN_SECOND[] = "hraeoilu";

static const float ENDING_WEIGHT = 0.8f, COMPOUND_WEIGHT = 0.5f, TYPO_WEIGHT = 0.6f;

/* ---- irregular forms ---- */

/* Forms of one word between commas, as the index holds them: stems. Words whose second sense is the
 * commoner one are left out. */
static const char forms[] =
    ","
    "analysi analys,aris aros arisen,awak awok awoken,bear bore born,beat beaten,"
    "becom becam,begin began begun,bend bent,bind bound,bite bit bitten,bleed bled,"
    "blow blew blown,break broke broken,breed bred,bring brought,build built,burn burnt,"
    "buy bought,catch caught,child children,choos chose chosen,come came,creep crept,"
    "crisi crise,criterion criteria,deal dealt,dig dug,draw drew drawn,dream dreamt,"
    "drink drank drunk,drive drove driven,eat ate eaten,fall fell fallen,feed fed,"
    "feel felt,fight fought,find found,flee fled,fli flew flown,foot feet,"
    "forbid forbad forbidden,forget forgot forgotten,forgiv forgav forgiven,"
    "freez froze frozen,get got gotten,give gave given,go went gone,grow grew grown,"
    "hang hung,hear heard,hide hid hidden,hold held,index indic,keep kept,"
    "know knew known,lay laid,lead led,leap leapt,learn learnt,leav left,lend lent,"
    "light lit,lose lost,make made,man men,matrix matric,mean meant,meet met,mous mice,"
    "overwrit overwrot overwritten,pay paid,person peopl,prove proven,rebuild rebuilt,"
    "redo redid redon,ride rode ridden,ring rang rung,rise rose risen,run ran,say said,"
    "see saw seen,seek sought,sell sold,send sent,sew sewn,shake shook shaken,"
    "shelf shelv,shine shone,shoot shot,show shown,shrink shrank shrunk,sing sang sung,"
    "sink sank sunk,sit sat,sleep slept,slide slid,speak spoke spoken,speed sped,"
    "spell spelt,spend spent,spin spun,stand stood,steal stole stolen,stick stuck,"
    "strike struck,swear swore sworn,sweep swept,swim swam swum,swing swung,"
    "take took taken,teach taught,tear tore torn,tell told,think thought,"
    "throw threw thrown,tooth teeth,undergo underw undergon,understand understood,"
    "undo undid undon,vertex vertic,wake woke woken,wear wore worn,weep wept,win won,"
    "withdraw withdrew withdrawn,woman women,write wrote written,";

static bool is_bound(char c)
{
    return c == ' ' || c == ',';
}

/* The group of forms that has the term as a whole word; empty where none has. */
static str group_of(str term)
{
    str all = {forms, sizeof forms - 1};
    for (size_t i = 0; i < term.len; i++)
        if (is_bound(term.at[i]))
            return S("");
    if (!term.len)
        return S("");
    const char *found = all.at + 1, *end = all.at + all.len;
    for (; (found = memmem(found, (size_t)(end - found), term.at, term.len)); found++) {
        if (!is_bound(found[-1]) || !is_bound(found[term.len]))
            continue;
        size_t from = (size_t)(found - all.at), to = from;
        while (all.at[from - 1] != ',')
            from--;
        while (all.at[to] != ',')
            to++;
        return str_cut(all, from, to);
    }
    return S("");
}

void variants_of_form(str term, struct variants *out)
{
    *out = (struct variants){.weight = 1};
    str group = group_of(term);
    for (size_t at = 0; at < group.len && out->count < MAX_VARIANTS;) {
        size_t end = str_find_char(group, ' ', at);
        end = end < group.len ? end : group.len;
        if (!str_eq(str_cut(group, at, end), term))
            out->texts[out->count++] = str_cut(group, at, end);
        at = end + 1;
    }
}

/* ---- commit hashes ---- */

bool variants_is_hash(str term)
{
    size_t digits = 0, letters = 0;
    for (size_t i = 0; i < term.len; i++) {
        digits += term.at[i] >= '0' && term.at[i] <= '9';
        letters += term.at[i] >= 'a' && term.at[i] <= 'f';
    }
    return term.len >= MIN_HASH_BYTES && term.len <= MAX_HASH_BYTES && digits && letters &&
           digits + letters == term.len;
}

bool variants_of_hash(const struct variant_source *s, struct arena *a, str hash,
                      struct variants *out, struct err *e)
{
    str *alike;
    size_t count;
    *out = (struct variants){.weight = 1};
    if (!store_terms(s->store, a, str_cut(hash, 0, MIN_HASH_BYTES), MAX_HASHES_ALIKE, &alike,
                     &count, e))
        return false;
    for (size_t i = 0; i < count && out->count < MAX_VARIANTS; i++) {
        bool begins = str_starts(alike[i], hash) || str_starts(hash, alike[i]);
        if (begins && variants_is_hash(alike[i]) && !str_eq(alike[i], hash))
            out->texts[out->count++] = alike[i];
    }
    return true;
}

/* ---- German endings and compounds ---- */

static bool is_known(const struct variant_source *s, str term, bool *known, struct err *e)
{
    const struct posting_list *list;
    if (!postings_find(s->postings, s->store, s->snap, term, &list, e))
        return false;
    *known = list->count > 0;
    return true;
}

static bool has_digit(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.at[i] >= '0' && s.at[i] <= '9')
            return true;
    return false;
}

static const str endings[] = {{"e", 1}, {"n", 1},  {"en", 2}, {"er", 2},
                              {"s", 1}, {"es", 2}, {"ern", 3}};
enum { ENDINGS = sizeof endings / sizeof *endings };

/* The last umlaut as the vowel that the singular has. The same text where there is none. */
static str without_umlaut(struct arena *a, str s)
{
    for (size_t i = s.len; i-- > 1;) {
        unsigned char second = (unsigned char)s.at[i];
        if ((unsigned char)s.at[i - 1] != 0xc3 ||
            (second != 0xa4 && second != 0xb6 && second != 0xbc))
            continue;
        char vowel = second == 0xa4 ? 'a' : second == 0xb6 ? 'o' : 'u';
        return arena_printf(a, "%.*s%c%.*s", FMT(str_cut(s, 0, i - 1)), vowel,
                            FMT(str_cut(s, i + 1, s.len)));
    }
    return s;
}

static bool add_if_known(const struct variant_source *s, str term, struct variants *out,
                         struct err *e)
{
    bool known;
    if (!is_known(s, term, &known, e))
        return false;
    if (known && out->count < MAX_VARIANTS)
        out->texts[out->count++] = term;
    return true;
}

/* "rechnungen" is "rechnung", "verträge" is "vertrag". */
static bool shorter_endings(const struct variant_source *s, struct arena *a, str term,
                            struct variants *out, struct err *e)
{
    str vowel = without_umlaut(a, term);
    if (vowel.at != term.at && !add_if_known(s, vowel, out, e))
        return false;
    for (int i = 0; i < ENDINGS; i++) {
        if (!str_ends(term, endings[i]) || term.len - endings[i].len < MIN_STEM_BYTES)
            continue;
        str bare = str_cut(term, 0, term.len - endings[i].len), plain = without_umlaut(a, bare);
        if (!add_if_known(s, bare, out, e) ||
            (plain.at != bare.at && !add_if_known(s, plain, out, e)))
            return false;
    }
    return true;
}

/* "rechnung" is "rechnungen", and begins "rechnungsnummer". */
static bool longer_words(const struct variant_source *s, struct arena *a, str term,
                         struct variants *out, struct err *e)
{
    str *longer;
    size_t count;
    if (term.len < MIN_STEM_BYTES)
        return true;
    if (!store_terms(s->store, a, term, MAX_HASHES_ALIKE, &longer, &count, e))
        return false;
    for (int compounds = 0; compounds < 2 && !out->count; compounds++) {
        out->weight = compounds ? COMPOUND_WEIGHT : ENDING_WEIGHT;
        for (size_t i = 0; i < count && out->count < MAX_VARIANTS; i++) {
            str rest = str_cut(longer[i], term.len, longer[i].len);
            bool is_ending = false;
            for (int k = 0; k < ENDINGS; k++)
                is_ending |= str_eq(rest, endings[k]);
            bool is_compound =
                rest.len >= MIN_PART_BYTES && term.len >= MIN_BEGIN_BYTES && !has_digit(rest);
            if (compounds ? is_compound : is_ending)
                out->texts[out->count++] = longer[i];
        }
    }
    return true;
}

/* A half of a compound as the index would hold it by itself, without the s or n that joins it. */
static bool find_half(const struct variant_source *s, struct arena *a, str half, bool joined,
                      str *found, struct err *e)
{
    static const str joints[] = {{"", 0}, {"s", 1}, {"n", 1}, {"en", 2}, {"es", 2}};
    *found = S("");
    for (size_t i = 0; i < (joined ? sizeof joints / sizeof *joints : 1); i++) {
        char stem[MAX_STEM_BYTES];
        bool known;
        if (!str_ends(half, joints[i]) || half.len - joints[i].len < MIN_PART_BYTES)
            continue;
        size_t len = stem_english(str_cut(half, 0, half.len - joints[i].len), stem);
        if (!is_known(s, str_from(stem, len), &known, e))
            return false;
        if (known) {
            *found = arena_str(a, str_from(stem, len));
            return true;
        }
    }
    return true;
}

/* "rechnungsnummer" for a text that has "nummer" and "rechnung". The longest known first half wins.
 */
static bool split_compound(const struct variant_source *s, struct arena *a, str word,
                           struct variants *out, struct err *e)
{
    if (word.len < MIN_COMPOUND_BYTES || word.len > MAX_STEM_BYTES)
        return true;
    for (size_t at = word.len - MIN_PART_BYTES; at >= MIN_PART_BYTES; at--) {
        str first, second;
        if (utf8_is_tail(word, at))
            continue;
        if (!find_half(s, a, str_cut(word, at, word.len), false, &second, e))
            return false;
        if (!second.len)
            continue;
        if (!find_half(s, a, str_cut(word, 0, at), true, &first, e))
            return false;
        if (!first.len)
            continue;
        *out = (struct variants){
            .texts = {first, second}, .count = 2, .together = true, .weight = ENDING_WEIGHT};
        return true;
    }
    return true;
}

/* ---- typing errors ---- */

struct guess {
    str texts[MAX_TIES]; /* equally near ones */
    size_t count;
    int distance;
    size_t scanned;
};

/* Letters that one has and the other hasn't: none for swapped ones, two for a wrong one. */
static int letters_apart(str a, str b)
{
    int count[256] = {0}, apart = 0;
    for (size_t i = 0; i < a.len; i++)
        count[(unsigned char)a.at[i]]++;
    for (size_t i = 0; i < b.len; i++)
        count[(unsigned char)b.at[i]]--;
    for (int i = 0; i < 256; i++)
        apart += count[i] < 0 ? -count[i] : count[i];
    return apart;
}

/* Edits between a typing error and the word meant; most + 1 where it is another word: whoever
 * mistypes twice leaves out or swaps letters, "passport" is no "password". */
static int edits(str wrong, str meant, int most)
{
    enum { MOST_LETTERS = 2 };
    size_t apart = meant.len > wrong.len ? meant.len - wrong.len : wrong.len - meant.len;
    int distance = apart > (size_t)most ? most + 1 : text_edit_distance(wrong, meant, most);
    return distance == 2 && letters_apart(wrong, meant) > MOST_LETTERS ? most + 1 : distance;
}

static bool scan(const struct variant_source *s, struct arena *a, str term, str prefix,
                 struct guess *best, struct err *e)
{
    str *near;
    size_t count;
    if (best->scanned >= MAX_SCANNED)
        return true;
    if (!store_terms(s->store, a, prefix, MAX_SCANNED - best->scanned, &near, &count, e))
        return false;
    best->scanned += count;
    for (size_t i = 0; i < count; i++) {
        int distance = edits(term, near[i], best->distance);
        if (distance > best->distance)
            continue;
        if (distance < best->distance || !best->count)
            best->count = 0;
        best->distance = distance;
        bool seen = false;
        for (size_t k = 0; k < best->count; k++)
            seen |= str_eq(best->texts[k], near[i]);
        if (!seen && best->count < MAX_TIES)
            best->texts[best->count++] = near[i];
    }
    return true;
}

static bool scan_pair(const struct variant_source *s, struct arena *a, str term, char first,
                      char second, struct guess *best, struct err *e)
{
    char prefix[2] = {first, second};
    return scan(s, a, term, str_from(prefix, 2), best, e);
}

/* Errors in the first two letters: one too many, swapped, one missing. */
static bool scan_other_beginnings(const struct variant_source *s, struct arena *a, str term,
                                  struct guess *best, struct err *e)
{
    const char *w = term.at;
    if (!scan_pair(s, a, term, w[0], w[2], best, e) ||
        !scan_pair(s, a, term, w[1], w[0], best, e) || !scan_pair(s, a, term, w[1], w[2], best, e))
        return false;
    for (const char *c = OFTEN_SECOND; *c && !best->count; c++) {
        char missing[3] = {w[0], *c, w[1]};
        if (!scan(s, a, term, str_from(missing, 3), best, e))
            return false;
    }
    return true;
}

/* Of equally near words: swapped letters first, then a name, then the word on more texts. */
static bool choose(const struct variant_source *s, str term, const struct guess *best, str *out,
                   struct err *e)
{
    size_t most = 0;
    for (size_t i = 0; i < best->count; i++) {
        const struct posting_list *list;
        if (!postings_find(s->postings, s->store, s->snap, best->texts[i], &list, e))
            return false;
        size_t is_name = 0, texts = list->count < 1000 ? list->count : 1000;
        for (size_t h = 0; h < list->count && !is_name; h++)
            is_name = s->snap->meta[list->hits[h].at].kind == NODE_ENTITY;
        size_t value = 1 + texts + 10000 * is_name + 100000 * !letters_apart(term, best->texts[i]);
        if (list->count && value > most) {
            most = value;
            *out = best->texts[i];
        }
    }
    return true;
}

static bool correct(const struct variant_source *s, struct arena *a, str term, struct variants *out,
                    struct err *e)
{
    str found = S("");
    if (term.len < MIN_GUESS_BYTES ||
        word_is_common(term)) /* that one is spelled as it was meant */
        return true;
    struct guess best = {.distance = term.len >= MIN_TWO_EDITS_BYTES ? 2 : 1};
    if (!scan_pair(s, a, term, term.at[0], term.at[1], &best, e))
        return false;
    bool is_plain = term.len >= MIN_BEGINNING_BYTES; /* the beginnings are made of single bytes */
    for (int i = 0; i < 3; i++)
        is_plain &= (unsigned char)term.at[i] < 0x80;
    if (is_plain && !(best.count && best.distance == 1) &&
        !scan_other_beginnings(s, a, term, &best, e))
        return false;
    if (!choose(s, term, &best, &found, e))
        return false;
    if (found.len)
        *out =
            (struct variants){.texts = {found}, .count = 1, .guessed = true, .weight = TYPO_WEIGHT};
    return true;
}

bool variants_of_unknown(const struct variant_source *s, struct arena *a, str word, str term,
                         struct variants *out, struct err *e)
{
    char folded[MAX_TOKEN_BYTES];
    str whole = {folded, unicode_fold_word(word, folded, sizeof folded)};
    *out = (struct variants){.weight = ENDING_WEIGHT};
    /* A number next to it is another one, and an everyday word is spelled as it was meant. */
    if (has_digit(term) || word_is_common(term))
        return true;
    return shorter_endings(s, a, term, out, e) &&
           (out->count || longer_words(s, a, term, out, e)) &&
           (out->count || split_compound(s, a, whole, out, e)) &&
           (out->count || correct(s, a, term, out, e));
}
