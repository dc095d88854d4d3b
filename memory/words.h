/* Lists of English words that the rules on text consult: which words carry little meaning, which
 * name nothing in particular, which merely open a sentence. All take folded words. Pure. */
#ifndef ENGRAM_WORDS_H
#define ENGRAM_WORDS_H

#include "memory/base/str.h"

/* Articles, pronouns, prepositions, auxiliaries; contractions without their apostrophe. */
bool word_is_stop(str word);

/* The same of German, without those that are English words, too ("die", "war"). */
bool word_is_german_stop(str word);

/* Weekdays, months, and nouns too general to be an entity; normal names of one or two words. */
bool word_is_generic(str name);

/* A weekday or a month, long or short. */
bool word_is_calendar(str word);

/* Opens a sentence without belonging to the name behind it: function words, adverbs, interjections,
 * imperatives. */
bool word_is_opener(str word);

/* An everyday word of English that is no name by itself, whatever its ending. */
bool word_is_common(str word);

/* A given name that is an everyday word too ("Grace", "Will"). */
bool word_is_given_name(str word);

/* A technology that is written in lower case as often as not ("redis", "node.js"). */
bool word_is_technology(str word);

/* Whether `list`, words in byte order between single spaces, holds `word`. Answers are remembered
 * by the list's address, so it is one text as long as the program runs. */
bool word_list_has(str list, str word);

#endif
