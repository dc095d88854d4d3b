/* What a piece of a commit's message names, and its sentences that say why. */
#ifndef ENGRAM_PARSERS_COMMIT_TEXT_H
#define ENGRAM_PARSERS_COMMIT_TEXT_H

#include "memory/facts_commit.h"

/* Adds issues, tickets, addresses and commits that the text names, each once. */
void commit_references(struct arena *a, str text, struct commit_record *out);

/* Adds the sentences that hold a phrase of the table in the .c. */
void commit_reasons(struct arena *a, str text, struct commit_record *out);

/* The 7 to 40 hexadecimal digits that stand at `at`, in lower case; empty where there are none. */
str commit_id_at(struct arena *a, str text, size_t at);

/* The text itself where it has none. */
str without_carriage_returns(struct arena *a, str text);

#endif
