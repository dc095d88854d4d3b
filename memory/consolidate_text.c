#include "memory/consolidate_text.h"

#include "memory/base/unicode.h"
#include "memory/contradict.h"
#include "memory/extract.h"
#include "memory/text.h"
#include "memory/triage.h"

#include <stdlib.h>

enum section { DECISIONS, FACTS, QUESTIONS, CONTEXT, SUPERSEDED, SECTION_COUNT };

static const char *const heading[SECTION_COUNT] = {
    "**Decisions**", "**Facts**", "**Open questions**", "**Context**", "**Superseded**",
};

/* Where a member's sentences go; those of an episode or context by what each says itself. */
static const enum section section_of_kind[MEMORY_KIND_COUNT] = {
    [KIND_DECISION] = DECISIONS, [KIND_FACT] = FACTS,         [KIND_PREFERENCE] = FACTS,
    [KIND_IDENTITY] = FACTS,     [KIND_QUESTION] = QUESTIONS, [KIND_CONTEXT] = CONTEXT,
    [KIND_EPISODE] = CONTEXT,
};

enum { MAX_WORDS = 64 }; /* of a sentence, for comparing it */

struct sentence {
    str text;
    const struct quoted *of;
    enum section section;
    uint64_t words[MAX_WORDS]; /* hashes of its stems, ascending, each once */
    size_t word_count;
    struct saying saying;
    const struct sentence *newer; /* that says another value of the same */
    str values;
};

struct draft {
    struct arena *a;
    struct sentence *at;
    size_t count;
};

/* ---- sentences ---- */

static int by_number(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static void read_words(struct arena *a, struct sentence *s)
{
    size_t count;
    struct token *tokens = text_token_list(a, s->text, MAX_WORDS, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = 14695981039346656037u; /* FNV-1a: short texts, no need for more */
        for (size_t k = 0; k < tokens[i].len; k++)
            hash = (hash ^ (unsigned char)tokens[i].text[k]) * 1099511628211u;
        s->words[s->word_count++] = hash;
    }
    if (s->word_count)
        qsort(s->words, s->word_count, sizeof *s->words, by_number);
    size_t kept = 0;
    for (size_t i = 0; i < s->word_count; i++)
        if (!kept || s->words[kept - 1] != s->words[i])
            s->words[kept++] = s->words[i];
    s->word_count = kept;
}

/* Do two sentences say the same but for a word or two? */
static bool says_the_same(const struct sentence *x, const struct sentence *y)
{
    static const float ENOUGH = 0.85f;
    size_t i = 0, k = 0, both = 0;
    while (i < x->word_count && k < y->word_count) {
        both += x->words[i] == y->words[k];
        uint64_t least = x->words[i] < y->words[k] ? x->words[i] : y->words[k];
        i += x->words[i] == least;
        k += y->words[k] == least;
    }
    size_t any = x->word_count + y->word_count - both;
    return any == 0 || (float)both >= ENOUGH * (float)any;
}

static enum section section_of(const struct quoted *q, str sentence)
{
    enum section section = section_of_kind[q->kind];
    if (q->is_superseded)
        return SUPERSEDED;
    if (str_ends(sentence, S("?")))
        return QUESTIONS;
    if (section != CONTEXT)
        return section;
    enum memory_kind said = extract_kind(sentence);
    return said == KIND_DECISION ? DECISIONS : said == KIND_QUESTION ? QUESTIONS : CONTEXT;
}

/* A number that differs is all that many a contradiction consists of: such sentences are never the
 * same. */
static bool is_repeat(const struct draft *d, const struct sentence *s)
{
    struct contradiction ignored;
    for (size_t i = 0; i < d->count; i++)
        if (says_the_same(&d->at[i], s))
            return str_eq(d->at[i].text, s->text) ||
                   !contradict(&s->saying, &d->at[i].saying, &ignored);
    return false;
}

static void add_sentence(struct draft *d, const struct quoted *q, str text)
{
    str line = unicode_squeeze(d->a, text), shown = utf8_prefix(line, MAX_QUOTED_BYTES);
    if (!line.len || d->count == MAX_QUOTED_SENTENCES)
        return;
    struct sentence s = {.text =
                             shown.len < line.len ? arena_printf(d->a, "%.*s…", FMT(shown)) : line,
                         .of = q,
                         .section = section_of(q, line)};
    s.saying = saying_of(d->a, s.text);
    s.saying.speaker = q->speaker;
    read_words(d->a, &s);
    if (!is_repeat(d, &s))
        d->at[d->count++] = s;
}

static void add_member(struct draft *d, const struct quoted *q)
{
    str rest = q->text, sentence;
    bool all_idle = triage_is_chatter(q->text);
    while (text_next_sentence(&rest, &sentence))
        if (all_idle || !triage_is_idle(sentence))
            add_sentence(d, q, sentence);
}

/* Older sentences that a newer one of another member contradicts. Sentences stand newest first. */
static void find_outdated(struct draft *d)
{
    struct contradiction values;
    for (size_t i = 1; i < d->count; i++) {
        struct sentence *old = &d->at[i];
        if (old->section == SUPERSEDED || old->section == QUESTIONS)
            continue;
        for (size_t k = 0; k < i && !old->newer; k++) {
            const struct sentence *new = &d->at[k];
            if (new->of == old->of || new->section == SUPERSEDED || new->section == QUESTIONS ||
                !contradict(&old->saying, &new->saying, &values))
                continue;
            old->newer = new;
            old->values =
                arena_printf(d->a, "%.*s, then %.*s", FMT(values.older), FMT(values.newer));
        }
        if (old->newer)
            old->section = SUPERSEDED;
    }
}

/* ---- writing ---- */

static void write_line(struct buf *b, const struct sentence *s)
{
    buf_printf(b, "- [m%lld] ", (long long)s->of->id);
    if (s->of->speaker.len)
        buf_printf(b, "%.*s: ", FMT(s->of->speaker));
    buf_add(b, s->text);
    if (s->newer)
        buf_printf(b, " (since m%lld: %.*s)", (long long)s->newer->of->id, FMT(s->values));
    else if (s->section == SUPERSEDED && s->of->superseded_by)
        buf_printf(b, " (superseded by m%lld)", (long long)s->of->superseded_by);
    buf_add_char(b, '\n');
}

static bool write_sections(struct buf *b, const struct draft *d)
{
    for (int section = 0; section < SECTION_COUNT; section++) {
        bool opened = false;
        for (size_t i = 0; i < d->count; i++) {
            if ((int)d->at[i].section != section)
                continue;
            if (!opened)
                buf_printf(b, "%s\n", heading[section]);
            opened = true;
            write_line(b, &d->at[i]);
        }
    }
    return !b->overflow;
}

static int newest_first(const void *x, const void *y)
{
    const struct quoted *a = x, *b = y;
    if (a->at_ms != b->at_ms)
        return (a->at_ms < b->at_ms) - (a->at_ms > b->at_ms);
    return (a->id < b->id) - (a->id > b->id);
}

str consolidate_text(struct arena *a, const struct quoted *members, size_t count)
{
    struct arena scratch = {0};
    struct draft d = {.a = &scratch,
                      .at = ARENA_ARRAY(&scratch, struct sentence, MAX_QUOTED_SENTENCES)};
    struct quoted *sorted = ARENA_ARRAY(&scratch, struct quoted, count + 1);
    if (count) {
        memcpy(sorted, members, count * sizeof *members);
        qsort(sorted, count, sizeof *sorted, newest_first);
    }
    for (size_t i = 0; i < count; i++)
        add_member(&d, &sorted[i]);
    find_outdated(&d);
    struct buf b = {.max_bytes = MAX_CONSOLIDATED_BYTES};
    while (!write_sections(&b, &d) && d.count) {
        d.count--; /* the oldest goes where not all fits */
        buf_clear(&b);
        b.overflow = false;
    }
    str text = arena_str(a, str_trim(buf_str(&b)));
    buf_free(&b);
    arena_free(&scratch);
    return text;
}

/* ---- reading ---- */

/* The member that a line quotes; 0: it is a heading. */
static int64_t member_of_line(str line)
{
    int64_t id;
    str opening = S("- [m");
    size_t end = str_find_char(line, ']', 0);
    return str_starts(line, opening) && end < line.len &&
                   str_to_int(str_cut(line, opening.len, end), &id)
               ? id
               : 0;
}

static const struct superseded_member *find_superseded(const struct superseded_member *list,
                                                       size_t count, int64_t id)
{
    for (size_t i = 0; id && i < count; i++)
        if (list[i].id == id)
            return &list[i];
    return NULL;
}

str consolidate_text_since(struct arena *a, str text, const struct superseded_member *superseded,
                           size_t count)
{
    struct buf kept = {0}, moved = {0};
    str rest = text, line, section = S("");
    bool has_section = false, in_superseded = false;
    while (str_next_line(&rest, &line)) {
        int64_t id = member_of_line(line);
        const struct superseded_member *s = find_superseded(superseded, count, id);
        if (!id) { /* a heading is written with its first line */
            section = line;
            has_section = false;
            in_superseded = str_eq(line, str_of(heading[SUPERSEDED]));
        } else if (in_superseded) {
            buf_printf(&moved, "%.*s\n", FMT(line));
        } else if (s && s->by) {
            buf_printf(&moved, "%.*s (superseded by m%lld)\n", FMT(line), (long long)s->by);
        } else if (s) {
            buf_printf(&moved, "%.*s\n", FMT(line));
        } else {
            if (!has_section)
                buf_printf(&kept, "%.*s\n", FMT(section));
            has_section = true;
            buf_printf(&kept, "%.*s\n", FMT(line));
        }
    }
    if (moved.len)
        buf_printf(&kept, "%s\n%.*s", heading[SUPERSEDED], FMT(buf_str(&moved)));
    str out = arena_str(a, str_trim(buf_str(&kept)));
    buf_free(&kept);
    buf_free(&moved);
    return out;
}

bool consolidate_text_quotes(str text, int64_t id)
{
    struct arena scratch = {0};
    bool found = str_find(text, arena_printf(&scratch, "- [m%lld] ", (long long)id), 0) < text.len;
    arena_free(&scratch);
    return found;
}
