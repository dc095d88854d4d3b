/* Under which other spellings a word of a question may stand in what is remembered: irregular
 * English forms, longer and shorter commit hashes, German endings and compounds, typing errors. */
#ifndef ENGRAM_VARIANTS_H
#define ENGRAM_VARIANTS_H

#include "memory/postings.h"

enum { MAX_VARIANTS = 8 };

struct variants {
    str texts[MAX_VARIANTS]; /* index terms */
    size_t count;
    bool together; /* a text must hold all of them, not any: the parts of a compound */
    bool guessed;  /* the word is taken for a typing error */
    float weight;  /* of these against the word itself, 0..1 */
};

/* Forms of the same word, by a table ("rose" for "rise"); an index term, not a word, is asked.
 * Pure. */
void variants_of_form(str term, struct variants *out);

/* 7 to 40 hexadecimal digits, letters and digits mixed: a commit's hash or the beginning of one. */
bool variants_is_hash(str term);

struct variant_source {
    struct store *store;
    struct postings *postings;
    const struct snapshot *snap;
};

/* The indexed hashes that begin with this one, or that it begins with. Texts in `a`. */
bool variants_of_hash(const struct variant_source *s, struct arena *a, str hash,
                      struct variants *out, struct err *e);

/* For a word and its term that nothing holds: with another German ending, as the beginning of a
 * compound, as a compound of two words that are known, else as a typing error (one edit from 5
 * bytes on, two from 8; a transposition before other edits, a name before other words). Count 0
 * where nothing is near. Reads a bounded part of the vocabulary. */
bool variants_of_unknown(const struct variant_source *s, struct arena *a, str word, str term,
                         struct variants *out, struct err *e);

#endif
