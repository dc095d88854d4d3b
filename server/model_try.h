/* One question to a model that is set up, to see that it answers: for who sets it up, and doctor.
 */
#ifndef ENGRAM_MODEL_TRY_H
#define ENGRAM_MODEL_TRY_H

#include "memory/provider/provider.h"

enum { MODEL_TRY_MS = 30000 };

/* Asks something of no secrecy. *said tells what came: dimensions and likeness, the order, or the
 * JSON; in `a`. Errors as of provider_embed and its like. One that is asked through the client
 * isn't tried. */
bool model_try(struct arena *a, const struct transport *t, const struct provider_settings *s,
               enum provider_purpose purpose, str *said, struct err *e);

#endif
