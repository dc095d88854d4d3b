/* The local sentence encoder: a text becomes a vector of which the cosine tells likeness of
 * meaning, without network or account. all-MiniLM-L6-v2 (Reimers and Gurevych, EMNLP 2019; Wang et
 * al., "MiniLM", NeurIPS 2020), English, tuned for passages (tests/bench/encoder/README.md). */
#ifndef ENGRAM_PROVIDER_ENCODER_H
#define ENGRAM_PROVIDER_ENCODER_H

#include "memory/base/arena.h"
#include "memory/base/err.h"
#include "memory/base/str.h"

#define ENCODER_FILE "encoder.bin"

enum {
    ENCODER_DIMENSIONS = 384,
    ENCODER_MAX_ROWS = 128,
    ENCODER_MAX_PIECES =
        ENCODER_MAX_ROWS - 2,    /* between two marks; what is behind the model doesn't see */
    ENCODER_LEAD_PIECES = 24,    /* of what each window is read behind */
    ENCODER_WINDOW_PIECES = 110, /* of a window of a longer text, with its lead at most
                                    ENCODER_MAX_PIECES; it begins ... */
    ENCODER_WINDOW_STEP = 84,    /* ... so many pieces behind the one before */
    ENCODER_MAX_WINDOWS = 64,
    ENCODER_TOKEN_DIMENSIONS = 64,
};

/* A vector of unit length for each piece, in its context: what late interaction compares (Khattab
 * and Zaharia, "ColBERT", SIGIR 2020, section 3.2). */
struct encoder_tokens {
    float (*at)[ENCODER_TOKEN_DIMENSIONS];
    float *weight;            /* what each counts as part of a query; above 0 */
    size_t count, lead_count; /* lead_count: of them, the first ones, that are of the lead */
};

struct encoder; /* one thread at a time; the weights are mapped, so that encoders share them */

/* Where the weights file is: beside the running executable, else where engram was installed to.
 * ERR_NOT_FOUND in a build without it. */
bool encoder_path(struct arena *a, str *out, struct err *e);

/* Maps the weights file at `path`, that the build made. ERR_NOT_FOUND where there is none,
 * ERR_INPUT where it is truncated, damaged or something else, ERR_IO. */
bool encoder_open(const char *path, struct encoder **out, struct err *e);
void encoder_close(struct encoder *en); /* NULL is fine */

/* Stored with each vector: vectors of another name are not comparable. Lives as long as `en`. */
str encoder_model_name(const struct encoder *en);

/* The vector of the text's first ENCODER_MAX_PIECES pieces, of length 1. false, and no vector,
 * where the text has no pieces or over 30 % of them are unknown or letters of another script
 * (or emoji, noise). Bad UTF-8 is left out. `scratch` is left as it was. */
bool encoder_encode(struct encoder *en, struct arena *scratch, str text,
                    float out[ENCODER_DIMENSIONS]);

/* The same, and the tokens of these pieces, in `a`. */
bool encoder_encode_tokens(struct encoder *en, struct arena *a, str text,
                           float out[ENCODER_DIMENSIONS], struct encoder_tokens *tokens);

/* One vector for a text of at most ENCODER_MAX_PIECES; for a longer one, a vector for each window,
 * in order, at most `max` and ENCODER_MAX_WINDOWS. Each is read behind `lead` (empty: nothing), the
 * end of it where that is long: it names what the text speaks of. Windows with too many of these
 * pieces are left out. How many there are in *out, which is in `a`. tokens, unless NULL: those of
 * the lead and of each piece of these windows once, in `a`. */
size_t encoder_windows(struct encoder *en, struct arena *a, str lead, str text, size_t max,
                       float (**out)[ENCODER_DIMENSIONS], struct encoder_tokens *tokens);

#endif
