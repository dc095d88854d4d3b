/* A set of object ids, for walks over a history. */
#ifndef ENGRAM_PARSERS_OID_SET_H
#define ENGRAM_PARSERS_OID_SET_H

#include <git2.h>
#include <stdbool.h>
#include <stddef.h>

/* Open addressing, heap-held. Zeroed is empty. The zero id is no member of any. */
struct oid_set {
    git_oid *slots;
    size_t count, capacity; /* a power of two */
};

bool oid_set_has(const struct oid_set *s, const git_oid *id);

/* false where it was there already. */
bool oid_set_add(struct oid_set *s, const git_oid *id);
void oid_set_free(struct oid_set *s);

#endif
