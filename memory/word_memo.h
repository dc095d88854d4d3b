/* Answers to questions about words, remembered by each thread: texts repeat a few thousand words,
 * and the lists that know them are long. For memory/words.c. */
#ifndef ENGRAM_WORD_MEMO_H
#define ENGRAM_WORD_MEMO_H

#include "memory/base/str.h"

enum memo_question { MEMO_TECHNOLOGY, MEMO_COMMON };

/* is(word), asked once as long as the word is remembered; `is` is one and the same function in all
 * calls with this question. */
bool word_remembered(enum memo_question question, bool (*is)(str word), str word);

#endif
