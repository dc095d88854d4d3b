/* How an agent's entry starts its server: reads the command out of the few shapes that entries have
 * in JSON, TOML and YAML. Pure, and no reader of these formats: what it doesn't find it doesn't
 * know. */
#ifndef ENGRAM_SETUP_ENTRY_WORDS_H
#define ENGRAM_SETUP_ENTRY_WORDS_H

#include "memory/base/arena.h"

enum { MAX_ENTRY_WORDS = 16, MAX_ENTRY_WORD_BYTES = 4096 };

/* The values of "command" (or "cmd") and "args" of an entry, in this order; their number. 0: it has
 * no command, too many words, or too long ones. */
size_t entry_words(struct arena *a, str entry, str words[MAX_ENTRY_WORDS]);

#endif
