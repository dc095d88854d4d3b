/* What a text names. Private to memory/. */
#ifndef ENGRAM_NAMED_H
#define ENGRAM_NAMED_H

#include "memory/extract.h"
#include "memory/memory_state.h"

struct named {
    str name, type; /* type empty: unknown; both borrow from the text or the program */
    str normal;     /* text_normal_name of name */
    bool is_known;  /* no rule says so, only that the store has, or had, an entity of this name */
};

/* By rule, and known names and aliases, each normal form once; known ones last. known: for who asks
 * about many texts, else NULL. Where it holds the names nothing is read and m isn't touched, so any
 * thread may ask: what *known says is as of its load. Else a read of its own. by_rule: what
 * extract_entities found; NULL where nobody asks. */
bool names_in_text(struct memory *m, struct arena *a, str text, const struct known_names *known,
                   struct named **out, size_t *count, struct found_entities *by_rule,
                   struct err *e);

/* The entity of a name, made where there is none and a rule found the name; inside a write. *id is
 * 0 where there is none and none was made. (memory/entities.c) */
bool entity_put_named(struct memory *m, struct arena *a, const struct provenance *from,
                      const struct named *n, int64_t at_ms, int64_t *id, struct err *e);

#endif
