/* A file with weights, for the rankers that each take what is theirs: lines "name value", # begins
 * a comment. Pure. */
#ifndef ENGRAM_WEIGHTS_FILE_H
#define ENGRAM_WEIGHTS_FILE_H

#include "memory/base/err.h"
#include "memory/base/str.h"

/* Weights of the sources, and of passages, begin so; the others are those of memories. */
#define CODE_WEIGHT_PREFIX "code_"
#define PASSAGE_WEIGHT_PREFIX "passage_"

struct weights_file {
    str rest;
    int line;
    str prefix; /* whose weights are wanted, "" for memories': the others are passed over */
};

/* The next weight, its name without the prefix. false at the end, or with ERR_INPUT for a value
 * that is no finite number below a million: it names the line. */
bool weights_next(struct weights_file *f, str *name, float *value, struct err *e);

/* ERR_INPUT for a name that the ranker doesn't know. Always false. */
bool weights_unknown(const struct weights_file *f, str name, struct err *e);

#endif
