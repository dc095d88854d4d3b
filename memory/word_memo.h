/* Answers to questions about words, remembered by each thread: texts repeat a few thousand words,
 * and the lists that know them are long. */
#ifndef ENGRAM_WORD_MEMO_H
#define ENGRAM_WORD_MEMO_H

#include "memory/base/str.h"

/* A question is known by an address, of the list that is asked for instance. Whether its answer
 * about `word` is remembered; then *answer is it. */
bool word_recall(const void *question, str word, unsigned *answer);

/* Remembers it, in the place of what was remembered there; of a long word nothing. */
enum { MAX_WORD_ANSWER = UINT16_MAX };
void word_remember(const void *question, str word, unsigned answer);

#endif
