#include "memory/text.h"

#include "memory/base/stem.h"
#include "memory/text_chars.h"
#include "memory/words.h"

/* ---- runs: what stands between two gaps ---- */

/* Bytes of the joint at `at` if a word goes on behind it, else 0. */
static size_t joint(str s, size_t at)
{
    enum { MOST = 3 };
    size_t quote = apostrophe(s, at);
    if (quote)
        return word_at(s, at + quote) ? quote : 0;
    size_t to = at;
    for (int n = 0; to < s.len && n < MOST; n++) {
        char c = s.at[to];
        if (!strchr("_.-/@#:+", c) || c == '\0')
            break;
        if (to > at && c == s.at[to - 1] && c != ':' && c != '/')
            return 0;
        to++;
        while (c == '_' && to < s.len && s.at[to] == '_')
            to++;
    }
    return to > at && word_at(s, to) ? to - at : 0;
}

struct run {
    size_t from, to, next; /* [from, to) is the run, the scan goes on at next */
    size_t word;           /* where the first word begins, behind a # or @ in front */
    bool joints;           /* other than apostrophes */
    bool apostrophes, digits, sign;
};

static bool ends_with_nocase(str s, size_t from, size_t at, str suffix)
{
    return str_eq_nocase(str_cut(s, at, at + suffix.len), suffix) && at > from &&
           !word_at(s, at + suffix.len);
}

/* Whether the apostrophe before `at` opens a clitic that ends the word: possessive or contraction.
 */
static bool is_clitic(str s, size_t from, size_t at)
{
    static const str clitics[] = {{"s", 1}, {"ll", 2}, {"re", 2}, {"ve", 2}, {"d", 1}, {"m", 1}};
    for (size_t i = 0; i < sizeof clitics / sizeof *clitics; i++)
        if (ends_with_nocase(s, from, at, clitics[i]))
            return true;
    return false;
}

static void add_sign_in_front(str s, struct run *run)
{
    char before = run->from ? s.at[run->from - 1] : ' ';
    bool twice = run->from > 1 && s.at[run->from - 2] == before;
    bool net = before == '.' && !run->joints && !word_at(s, run->from - (run->from > 1 ? 2 : 1)) &&
               str_eq_nocase(str_cut(s, run->from, run->to), S("net"));
    if ((before == '#' || before == '@' || net) && !twice)
        run->from--;
}

static struct run find_run(str s, size_t from)
{
    struct run run = {.from = from, .word = from};
    size_t at = from, clitic = 0;
    while (at < s.len) {
        size_t bytes;
        enum char_class class = class_at(s, at, &bytes);
        if (is_word(class)) {
            run.digits |= class == CHAR_DIGIT;
            at += bytes;
            continue;
        }
        size_t sign = !run.joints && !run.digits ? sign_end(s, from, at) : at;
        if (sign > at) {
            run.sign = true;
            at = sign;
            continue;
        }
        size_t gap = joint(s, at);
        if (!gap)
            break;
        if (apostrophe(s, at)) {
            run.apostrophes = true;
            clitic = is_clitic(s, from, at + gap) ? at : 0;
        } else {
            run.joints = true;
            clitic = 0;
        }
        at += gap;
    }
    run.to = clitic ? clitic : at;
    run.next = at;
    add_sign_in_front(s, &run);
    return run;
}

/* The end of a hash or a group of a UUID at `from`: 7 or more hexadecimal digits that change
 * between letters and digits more than once, as no word does. `from` where there is none. */
static size_t hash_end(str s, size_t from, size_t to)
{
    enum { MIN_HASH_BYTES = 7, MAX_HASH_BYTES = 128 };
    size_t at = from;
    int changes = 0;
    for (; at < to && at - from <= MAX_HASH_BYTES; at++) {
        char c = s.at[at];
        bool digit = c >= '0' && c <= '9';
        if (!digit && !(c >= 'a' && c <= 'f'))
            break;
        changes += at > from && digit != (s.at[at - 1] >= '0' && s.at[at - 1] <= '9');
    }
    bool whole = at == to || !word_at(s, at);
    return whole && changes > 1 && at - from >= MIN_HASH_BYTES ? at : from;
}

/* The end of the part that begins at `from` (a word character); [from, to) lies in one run. */
static size_t part_end(str s, size_t from, size_t to, bool opens_run)
{
    size_t hash = hash_end(s, from, to);
    if (hash > from)
        return hash;
    enum char_class last = CHAR_OTHER;
    size_t at = from, bytes;
    for (; at < to; at += bytes) {
        enum char_class class = class_at(s, at, &bytes);
        if (!is_word(class)) {
            size_t quote = apostrophe(s, at);
            if (!quote)
                return opens_run ? sign_end(s, from, at) : at;
            bytes = quote;
            continue;
        }
        if (class == CHAR_MARK)
            continue;
        bool number = (class == CHAR_DIGIT) != (last == CHAR_DIGIT);
        bool camel = class == CHAR_UPPER &&
                     (last == CHAR_LOWER || (last == CHAR_UPPER && opens_word(s, at, bytes, to)));
        if (at > from && last != CHAR_OTHER && (number || camel))
            return at;
        last = class;
    }
    return at;
}

/* ---- tokens ---- */

struct scan {
    str s;
    token_visit *visit;
    void *ctx;
    struct token t;
    bool go_on, unstemmed;
};

static void emit(struct scan *scan, size_t from, size_t to)
{
    struct token *t = &scan->t;
    if (!scan->go_on || t->len == 0)
        return;
    t->text[t->len] = '\0';
    t->from = from;
    t->to = to;
    scan->go_on = scan->visit(scan->ctx, t);
}

static size_t drop_apostrophes(char *text, size_t len)
{
    str s = {text, len};
    size_t n = 0;
    for (size_t at = 0; at < len;) {
        size_t quote = apostrophe(s, at);
        if (quote)
            at += quote;
        else
            text[n++] = text[at++];
    }
    return n;
}

static void fold(struct scan *scan, size_t from, size_t to, bool apostrophes)
{
    struct token *t = &scan->t;
    t->len = unicode_fold_word(str_cut(scan->s, from, to), t->text, MAX_TOKEN_BYTES);
    if (apostrophes)
        t->len = drop_apostrophes(t->text, t->len);
}

static bool has_digit(const struct token *t)
{
    for (size_t i = 0; i < t->len; i++)
        if (t->text[i] >= '0' && t->text[i] <= '9')
            return true;
    return false;
}

/* Stems the folded token in place and hands it over. */
static void emit_stem(struct scan *scan, size_t from, size_t to, bool colocated)
{
    struct token *t = &scan->t;
    t->colocated = colocated;
    t->identifier = false;
    t->stop = false;
    if (scan->unstemmed)
        t->stop = word_is_stop(str_from(t->text, t->len));
    else if (!has_digit(t))
        t->len = stem_english_asking(str_from(t->text, t->len), t->text, word_is_stop, &t->stop);
    emit(scan, from, to);
}

static void emit_whole(struct scan *scan, const struct run *run)
{
    struct token *t = &scan->t;
    fold(scan, run->from, run->to, run->apostrophes);
    t->colocated = t->stop = false;
    t->identifier = true;
    emit(scan, run->from, run->to);
    if (scan->unstemmed || run->joints || run->digits || run->sign || run->from < run->word)
        return;
    char stem[MAX_STEM_BYTES];
    size_t len = stem_english(str_from(t->text, t->len), stem);
    if (str_eq(str_from(stem, len), str_from(t->text, t->len)))
        return;
    memcpy(t->text, stem, len);
    t->len = len;
    t->colocated = true;
    t->identifier = false;
    emit(scan, run->from, run->to);
}

static void emit_parts(struct scan *scan, const struct run *run)
{
    size_t at = run->word, bytes;
    for (int n = 0; at < run->to && n < MAX_PARTS && scan->go_on;) {
        if (!is_word(class_at(scan->s, at, &bytes))) {
            at += bytes;
            continue;
        }
        size_t to = part_end(scan->s, at, run->to, at == run->word);
        fold(scan, at, to, run->apostrophes);
        emit_stem(scan, at, to, true);
        at = to;
        n++;
    }
}

static size_t scan_run(struct scan *scan, size_t from)
{
    struct run run = find_run(scan->s, from);
    bool split = part_end(scan->s, run.word, run.to, true) < run.to || run.from < run.word;
    if (split || run.sign)
        emit_whole(scan, &run);
    if (split) {
        emit_parts(scan, &run);
    } else if (!run.sign) {
        fold(scan, run.from, run.to, run.apostrophes);
        emit_stem(scan, run.from, run.to, false);
    }
    return run.next;
}

/* A character of a script without spaces, and the marks behind it. */
static size_t unit_end(str s, size_t at)
{
    size_t bytes;
    class_at(s, at, &bytes);
    at += bytes;
    while (at < s.len && class_at(s, at, &bytes) == CHAR_MARK)
        at += bytes;
    return at;
}

static void emit_unspaced(struct scan *scan, size_t from, size_t to)
{
    fold(scan, from, to, false);
    scan->t.colocated = scan->t.stop = scan->t.identifier = false;
    emit(scan, from, to);
}

static size_t scan_unspaced(struct scan *scan, size_t from)
{
    size_t first = from, at = unit_end(scan->s, from), bytes;
    while (at < scan->s.len && scan->go_on && class_at(scan->s, at, &bytes) == CHAR_CJK) {
        size_t next = unit_end(scan->s, at);
        emit_unspaced(scan, first, next);
        first = at;
        at = next;
    }
    if (first == from)
        emit_unspaced(scan, from, at);
    return at;
}

/* Most words are ASCII letters between spaces or commas: these need no look at their neighbours.
 * The word's end, or `from` for any other one. Folds into the token on the way. */
static size_t fold_plain_word(struct scan *scan, size_t from)
{
    str s = scan->s;
    char *out = scan->t.text;
    size_t n = 0;
    char before = from ? s.at[from - 1] : ' ';
    if (before == '#' || before == '@' || before == '.')
        return from;
    for (size_t at = from;; at++, n++) {
        unsigned char c = at < s.len ? (unsigned char)s.at[at] : ' ';
        bool lower = (unsigned char)(c - 'a') < 26;
        if (!lower && (n > 0 || (unsigned char)(c - 'A') >= 26)) {
            bool gap = c <= ' ' || c == ',' || c == ')' || c == ';' || c == '?' || c == '!' ||
                       (c == '.' && (at + 1 >= s.len || (unsigned char)s.at[at + 1] <= ' '));
            scan->t.len = n;
            return gap ? at : from;
        }
        if (n == MAX_TOKEN_BYTES)
            return from;
        out[n] = (char)(c | 0x20);
    }
}

static size_t scan_at(struct scan *scan, size_t at)
{
    size_t bytes, to = fold_plain_word(scan, at);
    if (to > at) {
        emit_stem(scan, at, to, false);
        return to;
    }
    enum char_class class = class_at(scan->s, at, &bytes);
    if (class == CHAR_CJK)
        return scan_unspaced(scan, at);
    if (is_word(class) && class != CHAR_MARK)
        return scan_run(scan, at);
    return at + bytes;
}

static void scan_all(struct scan *scan)
{
    for (size_t at = 0; at < scan->s.len && scan->go_on;)
        at = scan_at(scan, at);
}

void text_tokens(str s, token_visit *visit, void *ctx)
{
    scan_all(&(struct scan){.s = s, .visit = visit, .ctx = ctx, .go_on = true});
}

void text_tokens_unstemmed(str s, token_visit *visit, void *ctx)
{
    scan_all(&(struct scan){.s = s, .visit = visit, .ctx = ctx, .go_on = true, .unstemmed = true});
}

struct token_list {
    struct arena *a;
    struct token *tokens;
    size_t count, capacity, max;
};

static bool add_token(void *ctx, const struct token *t)
{
    struct token_list *list = ctx;
    if (list->count == list->max)
        return false;
    ARENA_GROW(list->a, list->tokens, list->count, list->capacity);
    list->tokens[list->count++] = *t;
    return true;
}

struct token *text_token_list(struct arena *a, str s, size_t max, size_t *count)
{
    struct token_list list = {.a = a, .max = max};
    text_tokens(s, add_token, &list);
    *count = list.count;
    return list.tokens;
}
