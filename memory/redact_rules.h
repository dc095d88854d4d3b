/* The table of what counts as a secret; see redact.h for what is done with it. */
#ifndef ENGRAM_REDACT_RULES_H
#define ENGRAM_REDACT_RULES_H

#include <stdbool.h>
#include <stddef.h>

/* What must hold for a value besides the pattern. */
enum secret_check {
    CHECK_NONE,
    CHECK_DIGIT,      /* a digit in it: no tail of an ordinary word */
    CHECK_URL,        /* no variable or mask in a password's place */
    CHECK_ASSIGNMENT, /* a literal that somebody would use as a secret, and neither placeholder nor
                         code */
};

struct redact_rule {
    const char *name;
    const char *keywords; /* lower-case, between spaces; found in any case. Each occurrence is
                             tried, nothing else is */
    const char
        *pattern; /* begins with \G; the secret is group 1, or the whole where there is no group */
    enum secret_check check;
    bool inside_word;      /* the keyword may stand behind a letter, digit or _ */
    unsigned char back;    /* where the pattern begins, in bytes before the keyword */
    unsigned short window; /* bytes a match may span; 0 means 512 */
    const char *end; /* a block: the secret goes on to this text and past it, or to the end of all;
                        any case */
};

extern const struct redact_rule redact_rules[];
extern const size_t redact_rule_count;

#endif
