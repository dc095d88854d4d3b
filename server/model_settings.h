/* From settings to models: which provider, where, which model and key for each purpose, checked
 * before anything is sent. */
#ifndef ENGRAM_MODEL_SETTINGS_H
#define ENGRAM_MODEL_SETTINGS_H

#include "memory/models.h"
#include "server/config.h"

enum { MAX_MODEL_JOBS = 16, MAX_MODEL_RETRY_MS = 600000 };

/* out->of[purpose].row is NULL where nothing is set up. ERR_INPUT names the setting, what it is
 * (but a key) and what is wanted: a provider that there is and that serves the purpose, the address
 * of a server, with a key https:// unless that is this machine, a model and a key where the
 * provider has none by itself, numbers within their bounds. Which addresses plain http may go to is
 * checked when it is connected. Borrows from `c`. */
bool model_settings(struct arena *scratch, const struct config *c, struct models *out,
                    struct err *e);

/* Whose leases of the queue are this process's (memory/models.h): above 0, odd, no other one's. */
int64_t model_lease_owner(void);

/* Is anything set up? */
bool model_settings_any(const struct models *m);

#endif
