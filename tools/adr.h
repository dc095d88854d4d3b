/* Architecture decision records: what was decided, why, and whether it still holds. Understands the
 * two forms that are in use, Nygard's (a Status, Context and Decision section) and MADR's (status
 * in front matter or a list, "Decision Outcome"). Pure: text in, values out. */
#ifndef ENGRAM_ADR_H
#define ENGRAM_ADR_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

enum adr_status {
    ADR_ACCEPTED,
    ADR_PROPOSED,
    ADR_REJECTED,
    ADR_DEPRECATED,
    ADR_SUPERSEDED,
    ADR_STATUS_COUNT
};
extern const char *const adr_status_name[ADR_STATUS_COUNT];

enum {
    MAX_ADR_REFS = 16,
    MAX_ADR_PART_BYTES = 900, /* of the decision and of the context, cut behind a sentence */
};

/* Another record as one names it: "0005-use-x.md" and "ADR-5" have the number 5. */
struct adr_ref {
    int64_t number; /* -1: none */
    str file;       /* base name of a linked file; empty: none */
};

struct adr {
    str title;      /* without the number */
    int64_t number; /* of the heading or the file name; -1: none */
    enum adr_status status;
    str date;          /* YYYY-MM-DD as written; empty: none */
    str decision, why; /* squeezed to one line; why may be empty */
    struct adr_ref supersedes[MAX_ADR_REFS], superseded_by[MAX_ADR_REFS];
    size_t supersedes_count, superseded_by_count;
};

/* Reads the text of the file `name` (its base name). false where it is no such record: it has no
 * heading, or neither a decision section nor a status. Strings live in `a`. */
bool adr_read(struct arena *a, str name, str text, struct adr *out);

/* Does `ref`, found in another record, mean the one in the file `name` with this number? */
bool adr_means(const struct adr_ref *ref, str name, int64_t number);

/* What a memory says of it: title, decision, reason. */
str adr_sentence(struct arena *a, const struct adr *r);

#endif
