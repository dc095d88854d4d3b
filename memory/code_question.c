#include "memory/code_question.h"

#include "memory/base/ascii.h"
#include "memory/code_name.h"
#include "memory/text.h"

/* A row: words that stand in this order, * for what is named, | between two ways to say it. They
 * need not be neighbours, but nothing of the question comes before the first. */
static const struct {
    const char *words;
    enum code_relation relation;
} phrases[] = {
    {"who|what|which calls|call|invokes|uses|references *", ASKS_CALLERS},
    {"callers|caller|usages|usage|users|references of|to *", ASKS_CALLERS},
    {"where is|are * called|used|invoked|referenced", ASKS_CALLERS},
    {"where do|does we|it|they call|use|invoke *", ASKS_CALLERS},
    {"what does|do * call|calls|use|invoke|import|need", ASKS_CALLEES},
    {"what * calls|uses|imports", ASKS_CALLEES},
    {"callees|dependencies of *", ASKS_CALLEES},
    {"what breaks|changes|fails|happens if|when i|we change|remove|rename|delete|touch *",
     ASKS_DEPENDENTS},
    {"what breaks|fails if|when *", ASKS_DEPENDENTS},
    {"what|who|which depends|depend|relies|imports|includes on *", ASKS_DEPENDENTS},
    {"what|who|which imports|includes *", ASKS_DEPENDENTS},
    {"impact of *", ASKS_DEPENDENTS},
    {"what|which implements|extends|inherits|subclasses *", ASKS_SUBTYPES},
    {"subclasses|implementations|subtypes of *", ASKS_SUBTYPES},
    {"where is|are * defined|declared|implemented|located", ASKS_DEFINITION},
    {"definition|implementation of *", ASKS_DEFINITION},
    {"where is *", ASKS_DEFINITION},
};

enum { MAX_WORDS = 64 };

static bool is_one_of(str alternatives, str word)
{
    size_t from = 0;
    while (from <= alternatives.len) {
        size_t to = str_find_char(alternatives, '|', from);
        if (str_eq_nocase(str_cut(alternatives, from, to), word))
            return true;
        from = to + 1;
    }
    return false;
}

/* In this order, the first one at the question's start; * takes any run of words. */
static bool fits(const char *phrase, const str *words, size_t count)
{
    str rest = str_of(phrase), want;
    size_t at = 0;
    bool first = true, gap = false;
    while (str_next_word(&rest, &want)) {
        if (str_eq(want, S("*"))) {
            gap = true;
            at++; /* at least one */
            continue;
        }
        while (gap && at < count && !is_one_of(want, words[at]))
            at++;
        if (at >= count || !is_one_of(want, words[at]))
            return false;
        first = false;
        gap = false;
        at++;
    }
    return !first && at <= count;
}

static enum code_relation relation_of(const str *words, size_t count)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (fits(phrases[i].words, words, count))
            return phrases[i].relation;
    return ASKS_NOTHING;
}

static bool is_punctuation(char c)
{
    return c == '?' || c == ',' || c == '!' || c == ';' || c == '"' || c == '\'' || c == '`' ||
           c == '(' || c == ')' || c == ':' || c == '.';
}

static str bare(str word)
{
    while (word.len && is_punctuation(word.at[0]) && word.at[0] != '.')
        word = str_cut(word, 1, word.len);
    while (word.len && is_punctuation(word.at[word.len - 1]))
        word.len--;
    return word;
}

static bool looks_like_identifier(str written, str word)
{
    bool call = str_find(written, S("("), 0) < written.len;
    bool quoted = written.len && written.at[0] == '`';
    for (size_t i = 1; i + 1 < word.len; i++) {
        char c = word.at[i], before = word.at[i - 1];
        if (c == '_' || (c == '.' && ascii_is_lower(before)) || c == ':' || c == '#' ||
            (ascii_is_upper(c) && ascii_is_lower(before)))
            return true;
    }
    return call || quoted || (word.len > 1 && word.at[0] == '_');
}

void code_question_read(struct arena *a, str query, struct code_question *out)
{
    str rest = query, word;
    str *words = ARENA_ARRAY(a, str, MAX_WORDS);
    size_t count = 0;
    *out = (struct code_question){0};
    while (count < MAX_WORDS && str_next_word(&rest, &word)) {
        str name = bare(word), simple = code_name_written(name);
        words[count++] = name;
        if (out->name_count == MAX_CODE_NAMES || simple.len < 2)
            continue;
        bool identifier = looks_like_identifier(word, name);
        struct arena scratch = {0};
        bool stop = text_is_stop(text_normal_name(&scratch, name));
        arena_free(&scratch);
        if (identifier || !stop)
            out->names[out->name_count++] = (struct code_name){name, simple, identifier};
    }
    out->relation = relation_of(words, count);
    out->is_lookup = count <= 3;
}
