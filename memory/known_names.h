/* What names a store knows, in memory: for a text of many words, most of which begin none. */
#ifndef ENGRAM_KNOWN_NAMES_H
#define ENGRAM_KNOWN_NAMES_H

#include "memory/store.h"

/* Hashes of normal names, and of what of them ends in front of a space or a sign. Zeroed is
 * unknown. */
struct known_names {
    uint64_t *slots; /* heap-held; the lowest two bits are what a name is, 0 is free */
    size_t count, capacity;
    uint64_t seed; /* of the hashes, drawn with the first name; 0: not yet */
    bool known;
};

enum { NAME_OPENS = 1, NAME_IS = 2 };

/* One more; they are known from now on. */
void known_names_add(struct known_names *k, str normal);

/* Reads them where they are at most `most`, else they stay unknown: then asking the store about the
 * text's few words is cheaper. Inside a read. */
bool known_names_load(struct store *s, struct known_names *k, size_t most, struct err *e);

/* Whether `normal` is a name (NAME_IS), and whether one may go on behind it (NAME_OPENS); both
 * where the names are unknown. Never says less than is true as of the load, and may say more. */
int known_names_about(const struct known_names *k, str normal);

void known_names_free(struct known_names *k);

#endif
