/* Symbols and references of the languages that have no grammar here (Dockerfile, CMake, .proto,
 * GraphQL, Perl) or do better without (Markdown, SQL, YAML), by rules over words and lines. Takes time in
 * proportion to the text. The upper half is for callers, the lower one for the rules of each
 * language. Private to parsers/. */
#ifndef ENGRAM_PARSERS_SOURCE_LINES_H
#define ENGRAM_PARSERS_SOURCE_LINES_H

#include "parsers/source.h"

/* Adds marks and comments of s->text by the rules of a language; false where it has none. */
bool source_lines_run(struct source *s, str language);

/* ---- for the rules ---- */

/* How a language's text falls into tokens. */
struct lexis {
    const char *comments; /* what begins a comment to the line's end, e.g. "# //" */
    bool slash_star;      /* and C's comments */
    bool brackets;        /* and CMake's: [==[ text ]==], behind # a comment */
    const char *quotes;   /* each begins and ends a string; \ hides the next character */
    bool backslash_ends;  /* but not where a list goes on behind the quote: SQL's '\', */
    bool triple_quotes;   /* """ does too, over lines */
    bool (*is_word)(unsigned char c);
};

enum token_type { TOKEN_END, TOKEN_WORD, TOKEN_STRING, TOKEN_MARK };

struct token {
    enum token_type type;
    str text;       /* of a string what is between its quotes; of a mark its one character */
    size_t at, end; /* its bytes */
};

struct line_scan {
    struct source *source;
    str text;
    const struct lexis *lexis;
    size_t at;      /* of the next token or line */
    size_t end;     /* where the last token ended */
    size_t earlier; /* where the one before it did */
};

/* The rules of a language: from s->at, which is 0, to the end. */
typedef void line_rules(struct line_scan *s);
line_rules rules_cmake, rules_dockerfile, rules_graphql, rules_markdown, rules_perl, rules_proto,
    rules_sql, rules_yaml;

/* The next token; comments before it are noted. */
struct token scan_token(struct line_scan *s);

/* Gives a token back. */
static inline void scan_back(struct line_scan *s, struct token t)
{
    s->at = t.at;
}

static inline bool token_is(struct token t, char mark)
{
    return t.type == TOKEN_MARK && t.text.at[0] == mark;
}

/* The line at s->at without its end, a piece of s->text; false at the end of the text. */
bool scan_line(struct line_scan *s, str *line);

/* Is it one of the words between blanks? Without case. */
bool word_among(str word, str words);

/* Where a piece of s->text begins. */
static inline size_t scan_offset(const struct line_scan *s, str piece)
{
    return (size_t)(piece.at - s->text.at);
}

/* A symbol from byte `start` on; the index of its mark. `end` is where its signature ends, and the
 * symbol where it isn't told otherwise. */
size_t scan_symbol(struct line_scan *s, enum symbol_kind kind, str name, size_t start, size_t end);
void scan_end_symbol(struct line_scan *s, size_t symbol, size_t end);

/* A reference that stands at byte `at`. */
void scan_reference(struct line_scan *s, enum reference_kind kind, str qualifier, str name,
                    size_t at);

#endif
