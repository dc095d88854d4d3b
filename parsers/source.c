#include "parsers/source.h"

#include "parsers/document.h"
#include "parsers/source_lines.h"
#include "parsers/source_prepare.h"
#include "parsers/source_query.h"

#include <assert.h>

/* What is kept from file to file; a language's query is compiled when the first file needs it. */
struct source_reader {
    TSParser *parser;
    TSQueryCursor *cursor;
    struct source_query **queries; /* language_count() */
};

struct source_reader *source_reader_open(void)
{
    struct source_reader *reader = heap_alloc(1, sizeof *reader);
    reader->parser = ts_parser_new();
    reader->cursor = ts_query_cursor_new();
    reader->queries = heap_alloc(language_count(), sizeof *reader->queries);
    return reader;
}

void source_reader_close(struct source_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < language_count(); i++)
        source_query_free(reader->queries[i]);
    heap_free(reader->queries);
    ts_query_cursor_delete(reader->cursor);
    ts_parser_delete(reader->parser);
    heap_free(reader);
}

/* ---- what the stages share ---- */

struct mark *source_add_mark(struct source *s, enum mark_role role, uint32_t start, uint32_t end)
{
    ARENA_GROW(&s->scratch, s->marks.at, s->marks.count, s->marks.capacity);
    struct mark *m = &s->marks.at[s->marks.count++];
    *m = (struct mark){.start = start, .end = end, .name_at = start, .role = (uint8_t)role};
    return m;
}

void source_add_comment(struct source *s, uint32_t start, uint32_t end)
{
    ARENA_GROW(&s->scratch, s->comments, s->comment_count, s->comment_capacity);
    s->comments[s->comment_count++] = (struct comment_range){start, end};
}

void source_warn(struct source *s, str text)
{
    str before = s->facts->warning;
    if (str_find(before, text, 0) < before.len)
        return;
    s->facts->warning =
        before.len ? arena_printf(s->arena, "%.*s; %.*s", FMT(before), FMT(text)) : text;
}

static void find_lines(struct source *s)
{
    size_t count = 1;
    for (size_t at = 0; (at = str_find_char(s->text, '\n', at)) < s->text.len; at++)
        count++;
    s->line_starts = ARENA_ARRAY(&s->scratch, uint32_t, count + 1);
    size_t line = 1;
    for (size_t at = 0; (at = str_find_char(s->text, '\n', at)) < s->text.len; at++)
        s->line_starts[line++] = (uint32_t)at + 1;
    s->line_count = s->line_starts[count - 1] == s->text.len ? count - 1 : count;
    s->line_starts[s->line_count] = (uint32_t)s->text.len;
}

uint32_t source_line(const struct source *s, size_t byte)
{
    size_t low = 0, high = s->line_count; /* the line's index is in [low, high) */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->line_starts[middle] <= byte)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low + 1;
}

/* ---- which language ---- */

/* What a #! line names, and what that is written in. */
static const struct {
    const char *program, *language;
} interpreters[] = {
    {"bash", "bash"},       {"dash", "bash"},      {"ksh", "bash"},       {"lua", "lua"},
    {"node", "javascript"}, {"perl", "perl"},      {"php", "php"},        {"pwsh", "powershell"},
    {"python", "python"},   {"python2", "python"}, {"python3", "python"}, {"Rscript", "r"},
    {"ruby", "ruby"},       {"sh", "bash"},        {"zsh", "bash"},
};

/* "#!/usr/bin/env python3" names python3. */
static const struct language *language_of_script(str text)
{
    str line, word, program = S("");
    if (!str_starts(text, S("#!")) || !str_next_line(&text, &line))
        return NULL;
    line = str_cut(line, 2, line.len);
    while (str_next_word(&line, &word)) {
        program = document_file_name(word);
        if (!str_eq(program, S("env")) && !str_starts(program, S("-")))
            break;
    }
    for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++)
        if (str_eq(program, str_of(interpreters[i].program)))
            return language_by_name(str_of(interpreters[i].language));
    return NULL;
}

/* Does a header have lines that only C++ has? */
static bool is_cpp_header(str text)
{
    static const char *const starts[] = {"class ",  "namespace ", "template <", "template<",
                                         "public:", "private:",   "protected:", "using namespace "};
    str line;
    while (str_next_line(&text, &line)) {
        line = str_trim(line);
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
            if (str_starts(line, str_of(starts[i])))
                return true;
    }
    return false;
}

const struct language *source_language(str path, str text)
{
    const struct language *named = language_by_path(path);
    if (!named)
        return language_of_script(text);
    if (document_name_ends(path, S(".h")) && is_cpp_header(text))
        return language_by_name(S("cpp"));
    return named;
}

/* ---- the tree ---- */

enum {
    /* The grammar's own steps that a file may take, so that one made to be slow ends; a callback
     * comes each hundred. Written sources take 0.3 to 2.2 steps a byte. */
    STEPS_A_CALLBACK = 100,
    MAX_STEPS_A_BYTE = 8,
    MIN_STEPS = 200000,
    MAX_ERROR_CHILDREN = 10000, /* of one node that recovery made */
};

static bool count_steps(TSParseState *state)
{
    size_t *callbacks_left = state->payload;
    return (*callbacks_left)-- == 0; /* true gives up */
}

static const char *read_input(void *payload, uint32_t byte, TSPoint point, uint32_t *length)
{
    (void)point;
    str rest = str_cut(*(str *)payload, byte, SIZE_MAX);
    *length = (uint32_t)rest.len;
    return rest.at;
}

/* Are more brackets or comments open at one place than in any written source? The core takes
 * quadratic time for such brackets, Swift's scanner more for comments in comments. Those in strings
 * count, too: they are few, or of both kinds. */
static bool is_too_deep(const struct source *s)
{
    enum { MAX_OPEN_BRACKETS = 1000, MAX_OPEN_COMMENTS = 50 };
    bool nests = str_eq(str_of(s->language->name), S("swift"));
    long open = 0, comments = 0;
    str text = s->text;
    for (size_t i = 0; i < text.len && open <= MAX_OPEN_BRACKETS && comments <= MAX_OPEN_COMMENTS;
         i++) {
        char c = text.at[i], next = i + 1 < text.len ? text.at[i + 1] : '\0';
        if (c == '(' || c == '[' || c == '{')
            open++;
        else if ((c == ')' || c == ']' || c == '}') && open > 0)
            open--;
        else if (nests && c == '/' && next == '*')
            comments++, i++;
        else if (nests && c == '*' && next == '/' && comments > 0)
            comments--, i++;
    }
    return open > MAX_OPEN_BRACKETS || comments > MAX_OPEN_COMMENTS;
}

/* NULL where it would take too long. */
static TSTree *parse(struct source_reader *reader, const struct language *language, str text)
{
    size_t steps = text.len * MAX_STEPS_A_BYTE + MIN_STEPS;
    size_t callbacks = steps / STEPS_A_CALLBACK;
    ts_parser_reset(reader->parser);
    if (!ts_parser_set_language(reader->parser, language->grammar()))
        return NULL;
    TSInput input = {.payload = &text, .read = read_input, .encoding = TSInputEncodingUTF8};
    TSParseOptions options = {.payload = &callbacks, .progress_callback = count_steps};
    return ts_parser_parse_with_options(reader->parser, NULL, input, options);
}

/* NULL where the language has none. Ours compile: a test sees to it. */
static const struct source_query *query_of(struct source_reader *reader,
                                           const struct language *language)
{
    struct source_query **query = &reader->queries[language - language_at(0)];
    if (*query)
        return *query;
    struct arena a = {0};
    struct err e = {0};
    str text = source_query_text(&a, language);
    if (text.len)
        *query = source_query_compile(language->grammar(), text, &e);
    assert(!text.len || *query);
    arena_free(&a);
    return *query;
}

/* Did recovery give up on structure? A query looks from each node at the siblings behind it up to
 * the next named one, which in a long row of bare tokens takes time by the square. */
static bool is_shredded(TSTree *tree)
{
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    bool found = false, inside = true;
    while (inside && !found) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        found = ts_node_is_error(node) && ts_node_child_count(node) > MAX_ERROR_CHILDREN;
        if (ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor))
            continue;
        while (!ts_tree_cursor_goto_next_sibling(&cursor))
            if (!(inside = ts_tree_cursor_goto_parent(&cursor)))
                break;
    }
    ts_tree_cursor_delete(&cursor);
    return found;
}

static void find_marks(struct source_reader *reader, struct source *s)
{
    if (source_lines_run(s, str_of(s->language->name)))
        return;
    const struct source_query *query = query_of(reader, s->language);
    if (!query)
        return;
    str text = source_prepare(&s->scratch, str_of(s->language->name), s->text);
    TSTree *tree = is_too_deep(s) ? NULL : parse(reader, s->language, text);
    if (!tree) {
        source_warn(s, S("the grammar takes too long: no symbols"));
        return;
    }
    s->facts->has_errors = ts_node_has_error(ts_tree_root_node(tree));
    if (s->facts->has_errors && is_shredded(tree))
        source_warn(s, S("the grammar fits nowhere: no symbols"));
    else
        source_query_marks(query, reader->cursor, tree, s);
    ts_tree_delete(tree);
}

void source_facts(struct source_reader *reader, struct arena *a, str path, str bytes,
                  struct source_file *out)
{
    struct source s = {.arena = a, .facts = &out->facts};
    out->facts = (struct source_facts){.language = S(""), .warning = S("")};
    out->skipped = source_skip(a, path, bytes, &s.text);
    if (out->skipped.len)
        return;

    s.language = source_language(path, s.text);
    out->facts.language = str_of(s.language ? s.language->name : "");
    find_lines(&s);
    out->facts.lines = (uint32_t)s.line_count;
    if (s.language)
        find_marks(reader, &s);
    source_keys_limit(&s);
    source_symbols_build(&s);
    source_hashes_build(&s);
    source_chunks_build(&s);
    arena_free(&s.scratch);
}
