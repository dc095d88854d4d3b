/* Text as the index sees it: tokens with identifiers split, stems, stop words, CJK bigrams; normal
 * forms of names; an estimate of a model's tokens. Pure. The same code serves the full-text index
 * (through the FTS5 tokenizer), queries and entity names, so that they can't drift apart. */
#ifndef ENGRAM_TEXT_H
#define ENGRAM_TEXT_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

enum {
    MAX_TOKEN_BYTES = 64
}; /* a longer one is cut at a code point, so that blobs don't fill the index */

struct token {
    char text[MAX_TOKEN_BYTES + 1]; /* folded and stemmed; NUL-terminated */
    size_t len;
    size_t from, to; /* bytes of the source that it stands for */
    bool colocated;  /* a further form of the token before it (a part of an identifier stands at its
                        whole's place) */
    bool stop; /* a stop word of English: indexed all the same, left out of queries that have better
                  words */
    bool identifier; /* the whole of an identifier that was split (shopping_cart, HTTPServer2,
                        a.b.c) */
};

/* Called for each token in order of position; false ends the scan. */
typedef bool token_visit(void *ctx, const struct token *t);

/* Words are runs of letters, marks, digits and, inside, of _ . - / @ # : + ' where they join word
 * characters (also ::, ://,
 * /. and the like, but never -- or ..): such an identifier gives itself whole (folded, not stemmed)
 * and, colocated, its parts split at those joints, at lower-UPPER, at UPPERUpper-lower and at
 * letter-digit bounds, each stemmed. An identifier without joints (iPhone) gives its whole stem as
 * well, so that it meets its own lower-case spelling. A plain word gives its English Snowball stem;
 * 's, 'll, 're, 've, 'd, 'm are dropped, other apostrophes are left out ("don't" is "dont"). A # or
 * @ in front of a word belongs to the whole (#123, @alice). CJK runs give overlapping bigrams (a
 * lone character itself). Case folding and NFKC by base/unicode. C++, C#, .NET, F# keep their sign.
 * Hexadecimal hashes aren't split; of one run at most MAX_PARTS parts count. Linear in s.len; never
 * reads beyond it; invalid UTF-8 separates. */
enum { MAX_PARTS = 64 };
void text_tokens(str s, token_visit *visit, void *ctx);

/* The same words as they are folded, for who asks where words are and which are stop words: a
 * stem costs more than all else. Of identifiers without joints the stem of the whole is left out.
 */
void text_tokens_unstemmed(str s, token_visit *visit, void *ctx);

/* The tokens of s as an array in `a`, at most max of them. */
struct token *text_token_list(struct arena *a, str s, size_t max, size_t *count);

/* A name in the form by which entities are the same: folded, identifier joints, punctuation and
 * spaces to one space, lower-case, CamelCase split, "&" as "and", without a leading article, a
 * trailing possessive or surrounding punctuation. "HTTP_Server" = "http server" = "HttpServer";
 * "#12", "c++" and "2.3.1" keep their signs; empty where nothing is left. Idempotent. Names of at
 * most MAX_NAME_BYTES, longer ones are cut. */
enum { MAX_NAME_BYTES = 256 };
str text_normal_name(struct arena *a, str name);

/* English stop word? (folded form) */
bool text_is_stop(str folded);

/* A word so general that it is no entity ("data", "system", "today", "thing", "code", weekdays,
 * months, ...)? Normal form. */
bool text_is_generic(str normal_name);

/* Tokens that a model's tokenizer would make of s, within about 15 % on English prose and on code.
 */
size_t text_estimate_tokens(str s);

/* Levenshtein distance (with transposition of neighbours) of code points, cut off at `most` + 1.
 * Texts of at most 64 code points, longer ones count as `most` + 1 unless equal. */
int text_edit_distance(str a, str b, int most);

/* Sentence bounds: the next sentence of *rest (trimmed, without a list marker, never empty), false
 * when nothing is left. Knows abbreviations, decimal points, versions, file names; a blank line, a
 * heading or a list item ends a sentence. */
bool text_next_sentence(str *rest, str *sentence);

#endif
