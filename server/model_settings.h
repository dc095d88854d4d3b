/* From settings to models: which provider, where, which model and key for each purpose, checked
 * before anything is sent. */
#ifndef ENGRAM_MODEL_SETTINGS_H
#define ENGRAM_MODEL_SETTINGS_H

#include "memory/provider/provider.h"
#include "server/config.h"

/* The settings of a purpose, by their names: for messages and for who writes them. */
struct model_names {
    const char *purpose; /* "embed" */
    const char *provider, *url, *model, *key;
};
extern const struct model_names model_names[PROVIDER_PURPOSES];

/* of[purpose].row is NULL where nothing is set up. ERR_INPUT names the setting, what it is (but a
 * key) and what is wanted: a provider that there is and that serves the purpose, https:// unless
 * the host is this machine or, without a key, one of a private network, a model and a key where
 * the provider has none by itself. Borrows from `c`; in `a`. */
bool model_settings(struct arena *a, const struct config *c,
                    struct provider_settings of[PROVIDER_PURPOSES], struct err *e);

#endif
