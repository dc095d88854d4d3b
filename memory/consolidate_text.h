/* The text of a consolidated memory, built from its members' own sentences:
 *
 *     **Decisions**
 *     - [m12] Ann: We keep sessions in Redis.
 *     **Facts**
 *     **Open questions**
 *     **Context**
 *     **Superseded**
 *     - [m3] Sessions are kept in Postgres. (since m12: Postgres, then Redis)
 *
 * Newest first, what is said twice once, each line with the memory that says it. Pure and
 * deterministic: the same members give the same bytes. */
#ifndef ENGRAM_CONSOLIDATE_TEXT_H
#define ENGRAM_CONSOLIDATE_TEXT_H

#include "memory/base/arena.h"
#include "memory/facts.h"

enum {
    MAX_QUOTED_BYTES = 400,    /* of one sentence; a longer one is cut */
    MAX_QUOTED_SENTENCES = 64, /* of all members; the newest count */
    MAX_CONSOLIDATED_BYTES = 8192,
};

struct quoted { /* a member */
    int64_t id, at_ms;
    enum memory_kind kind;
    str speaker, text;     /* speaker empty: nobody told */
    bool is_superseded;    /* another memory says so */
    int64_t superseded_by; /* 0: that isn't known any more */
};

str consolidate_text(struct arena *a, const struct quoted *members, size_t count);

/* A text whose members changed since: the lines of those in `superseded` under Superseded. */
struct superseded_member {
    int64_t id, by; /* by 0: not known */
};
str consolidate_text_since(struct arena *a, str text, const struct superseded_member *superseded,
                           size_t count);

/* Whether a text, or what was cut from one, quotes a member. */
bool consolidate_text_quotes(str text, int64_t id);

#endif
