/* The words that memory/clauses.c knows, and what each does in a statement. Pure. */
#ifndef ENGRAM_CLAUSE_WORDS_H
#define ENGRAM_CLAUSE_WORDS_H

#include "memory/base/str.h"

/* The roles (enum word_role) of a word by its folded form and by its stem; 0 for one unknown. */
uint32_t clause_word_roles(str written, str stem);

/* The stem of an irregular form (kept: keep), else the stem given. */
str clause_word_stem(str stem);

#endif
