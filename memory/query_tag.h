/* The tag or release by which a query says a time ("before v2.1", "since the 1.4 release").
 * English. Pure: text and tags in, one of them out. */
#ifndef ENGRAM_QUERY_TAG_H
#define ENGRAM_QUERY_TAG_H

#include "memory/facts_commit.h"

struct query_tag {
    str name;    /* as it is written */
    str project; /* the word before it where that may be a part of the tag's name; may be empty */
    bool before; /* else from it on */
    size_t from, to; /* bytes of the query that say it, the preposition included */
};

/* false: the query names no tag. Reads the first MAX_TAG_WORDS words. */
enum { MAX_TAG_WORDS = 64 };
bool query_tag_parse(str query, struct query_tag *out);

/* The tag that is meant: of that name; else of that version, however many zeros end it and whatever
 * stands in front ("v1.4.0" is 1.4), the shortest name first; else the first of a series ("1.4.2"
 * where there is no 1.4.0). NULL: none. */
const struct commit_tag *query_tag_find(const struct query_tag *q, const struct commit_tag *tags,
                                        size_t count);

#endif
