/* Windows: each line belongs to the innermost symbol that gets windows of its own, or to none; the
 * lines of each are cut into windows of about CHUNK_WORDS words. */
#include "parsers/source.h"

#include "memory/base/ascii.h"
#include "memory/base/unicode.h"

enum {
    MIN_OWN_WORDS = 30,   /* a constant or field with fewer joins what is around it */
    MIN_HEAD_WORDS = 20,  /* a file's head with fewer joins what lies between its symbols */
    MAX_GAP_LINES = 200,  /* between two pieces that share a window */
    LONG_WORD_BYTES = 32, /* of a word, so many count as one more (no line is endless) */
    MAX_LINE_WORDS = 2 * CHUNK_WORDS, /* a longer line is cut within */
    MAX_LINE_BYTES = 4096,
};

struct windows {
    struct source *s;
    uint32_t *words; /* in the lines before each line; line_count + 1 */
    uint32_t *owner; /* of each line: symbol, NO_SYMBOL */
    uint32_t *lines; /* by owner, in order; those of none first */
    uint32_t *first; /* of each owner in `lines`, none being 0; symbol_count + 2 */
};

static bool is_word(unsigned char c)
{
    return ascii_is_alnum((char)c) || c >= 0x80;
}

static size_t word_end(str text, size_t i)
{
    size_t from = i;
    while (i < text.len && i < from + LONG_WORD_BYTES && is_word((unsigned char)text.at[i]))
        i++;
    return i;
}

static uint32_t count_words(str text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.len;)
        if (is_word((unsigned char)text.at[i])) {
            i = word_end(text, i);
            count++;
        } else {
            i++;
        }
    return count;
}

static str lines_between(const struct source *s, uint32_t first, uint32_t end)
{
    return str_cut(s->text, s->line_starts[first], s->line_starts[end]);
}

static void count_lines(struct windows *w)
{
    struct source *s = w->s;
    w->words = ARENA_ARRAY(&s->scratch, uint32_t, s->line_count + 1);
    for (uint32_t i = 0; i < s->line_count; i++)
        w->words[i + 1] = w->words[i] + count_words(lines_between(s, i, i + 1));
}

/* ---- whose line it is ---- */

/* Kinds that are often a line or two. */
static bool is_minor(enum symbol_kind kind)
{
    switch (kind) {
    case SYMBOL_CONSTANT:
    case SYMBOL_VARIABLE:
    case SYMBOL_FIELD:
    case SYMBOL_PROPERTY:
    case SYMBOL_MACRO:
    case SYMBOL_TYPE:
    case SYMBOL_EVENT:
    case SYMBOL_KEY:
    case SYMBOL_TARGET:
    case SYMBOL_HEADING:
    case SYMBOL_BLOCK:
    case SYMBOL_SELECTOR:
    case SYMBOL_ELEMENT:
        return true;
    default:
        return false;
    }
}

static bool has_windows(const struct windows *w, uint32_t symbol, uint32_t first, uint32_t last)
{
    return !is_minor(w->s->facts->symbols[symbol].kind) ||
           w->words[last + 1] - w->words[first] >= MIN_OWN_WORDS;
}

/* A line that two symbols share stays with the first one. */
static void find_owners(struct windows *w)
{
    struct source *s = w->s;
    size_t count = s->facts->symbol_count;
    uint32_t *nearest = ARENA_ARRAY(&s->scratch, uint32_t, count); /* itself or around it */
    w->owner = ARENA_ARRAY(&s->scratch, uint32_t, s->line_count);
    memset(w->owner, 0xFF, s->line_count * sizeof *w->owner);
    for (uint32_t i = 0; i < count; i++) {
        const struct source_symbol *symbol = &s->facts->symbols[i];
        uint32_t around = symbol->parent == NO_SYMBOL ? NO_SYMBOL : nearest[symbol->parent];
        uint32_t first = source_line(s, s->places[i].window_start) - 1;
        uint32_t last = symbol->line_end - 1;
        nearest[i] = has_windows(w, i, first, last) ? i : around;
        for (uint32_t line = first; nearest[i] == i && line <= last; line++)
            if (w->owner[line] == around)
                w->owner[line] = i;
    }
}

/* Counting sort of the lines by owner. */
static void sort_lines(struct windows *w)
{
    struct source *s = w->s;
    size_t owners = s->facts->symbol_count + 1;
    w->first = ARENA_ARRAY(&s->scratch, uint32_t, owners + 1);
    w->lines = ARENA_ARRAY(&s->scratch, uint32_t, s->line_count);
    for (size_t i = 0; i < s->line_count; i++)
        w->first[(uint32_t)(w->owner[i] + 1) + 1]++;
    for (size_t i = 0; i < owners; i++)
        w->first[i + 1] += w->first[i];
    uint32_t *next = ARENA_ARRAY(&s->scratch, uint32_t, owners);
    memcpy(next, w->first, owners * sizeof *next);
    for (uint32_t i = 0; i < s->line_count; i++)
        w->lines[next[(uint32_t)(w->owner[i] + 1)]++] = i;
}

/* ---- cutting ---- */

static void add_chunk(struct windows *w, uint32_t symbol, uint32_t first, uint32_t last, str text)
{
    struct source_facts *f = w->s->facts;
    if (f->chunk_count == MAX_CHUNKS) {
        source_warn(w->s, S("too many windows: only the first ones are kept"));
        return;
    }
    ARENA_GROW(w->s->arena, f->chunks, f->chunk_count, f->chunk_capacity);
    f->chunks[f->chunk_count++] = (struct source_chunk){symbol, first + 1, last + 1, text};
}

/* The text of lines that may have gaps: borrowed where it has none. */
static str text_of(const struct windows *w, const uint32_t *lines, size_t count)
{
    const struct source *s = w->s;
    if (lines[count - 1] - lines[0] == count - 1)
        return lines_between(s, lines[0], lines[count - 1] + 1);
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += s->line_starts[lines[i] + 1] - s->line_starts[lines[i]];
    char *begin = arena_bytes(s->arena, bytes), *to = begin;
    for (size_t i = 0; i < count; i++) {
        str line = lines_between(s, lines[i], lines[i] + 1);
        memcpy(to, line.at, line.len);
        to += line.len;
    }
    return str_from(begin, bytes);
}

static void add_lines(struct windows *w, uint32_t symbol, const uint32_t *lines, size_t count)
{
    uint32_t words = 0;
    for (size_t i = 0; i < count && !words; i++)
        words = w->words[lines[i] + 1] - w->words[lines[i]];
    if (words)
        add_chunk(w, symbol, lines[0], lines[count - 1], text_of(w, lines, count));
}

/* One long line in pieces, between words. */
static void add_long_line(struct windows *w, uint32_t symbol, uint32_t line)
{
    str text = lines_between(w->s, line, line + 1);
    size_t from = 0, words = 0, i = 0;
    while (i < text.len) {
        bool word = is_word((unsigned char)text.at[i]);
        size_t next = utf8_ahead(text, word ? word_end(text, i) : i + 1);
        words += word;
        i = next;
        if (i < text.len && words < CHUNK_WORDS && i - from < MAX_LINE_BYTES)
            continue;
        if (words)
            add_chunk(w, symbol, line, line, str_cut(text, from, i));
        from = i;
        words = 0;
    }
}

static bool is_long(const struct windows *w, uint32_t line)
{
    const uint32_t *starts = w->s->line_starts;
    return w->words[line + 1] - w->words[line] > MAX_LINE_WORDS ||
           starts[line + 1] - starts[line] > MAX_LINE_BYTES;
}

/* Words of equal windows, none much over CHUNK_WORDS. */
static uint32_t words_a_window(const struct windows *w, const uint32_t *lines, size_t count)
{
    uint32_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += is_long(w, lines[i]) ? 0 : w->words[lines[i] + 1] - w->words[lines[i]];
    uint32_t windows = (total + CHUNK_WORDS / 2) / CHUNK_WORDS;
    return windows ? (total + windows - 1) / windows : CHUNK_WORDS;
}

/* Does a window end before lines[i]? */
static bool ends_before(const struct windows *w, uint32_t symbol, const uint32_t *lines, size_t i,
                        uint32_t words, uint32_t wanted)
{
    uint32_t more = w->words[lines[i] + 1] - w->words[lines[i]];
    uint32_t gap = lines[i] - lines[i - 1] - 1;
    bool head = symbol == NO_SYMBOL && lines[i - 1] + 1 == i; /* nothing but head so far */
    return words >= wanted || words + more > wanted + CHUNK_WORDS / 2 || gap > MAX_GAP_LINES ||
           (head && gap && words >= MIN_HEAD_WORDS);
}

static void cut_lines(struct windows *w, uint32_t symbol, const uint32_t *lines, size_t count)
{
    uint32_t wanted = symbol == NO_SYMBOL ? CHUNK_WORDS : words_a_window(w, lines, count);
    uint32_t words = 0;
    size_t from = 0, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_cut = is_long(w, lines[i]);
        if (i > from &&
            (is_cut || bytes > MAX_LINE_BYTES || ends_before(w, symbol, lines, i, words, wanted))) {
            add_lines(w, symbol, lines + from, i - from);
            from = i;
            words = 0;
            bytes = 0;
        }
        if (is_cut) {
            add_long_line(w, symbol, lines[i]);
            from = i + 1;
            continue;
        }
        words += w->words[lines[i] + 1] - w->words[lines[i]];
        bytes += w->s->line_starts[lines[i] + 1] - w->s->line_starts[lines[i]];
    }
    if (from < count)
        add_lines(w, symbol, lines + from, count - from);
}

static int chunk_cmp(const void *left, const void *right)
{
    const struct source_chunk *l = left, *r = right;
    if (l->line_start != r->line_start)
        return l->line_start < r->line_start ? -1 : 1;
    if (l->text.at != r->text.at) /* pieces of one line borrow from it */
        return l->text.at < r->text.at ? -1 : 1;
    return 0;
}

void source_chunks_build(struct source *s)
{
    struct windows w = {.s = s};
    count_lines(&w);
    find_owners(&w);
    sort_lines(&w);
    for (uint32_t i = 0; i <= s->facts->symbol_count; i++)
        cut_lines(&w, i ? i - 1 : NO_SYMBOL, w.lines + w.first[i], w.first[i + 1] - w.first[i]);
    if (s->facts->chunk_count)
        qsort(s->facts->chunks, s->facts->chunk_count, sizeof *s->facts->chunks, chunk_cmp);
}
