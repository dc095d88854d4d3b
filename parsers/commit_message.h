/* A commit's message taken apart: subject, body, trailers, what it names, what it takes back, and
 * the sentences that say why. Pure text. */
#ifndef ENGRAM_PARSERS_COMMIT_MESSAGE_H
#define ENGRAM_PARSERS_COMMIT_MESSAGE_H

#include "memory/facts_commit.h"

/* Fills what the message tells; everything else of *out stays. `message` is valid UTF-8 of any
 * length; what is over a bound of facts_commit.h is cut, and message_cut says so. Texts borrow from
 * the message or live in the arena. */
void commit_message_read(struct arena *a, str message, struct commit_record *out);

#endif
