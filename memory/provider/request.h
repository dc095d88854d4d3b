/* What the rows share when they write a request: where it goes, who asks, and JSON from texts that
 * may hold anything. */
#ifndef ENGRAM_REQUEST_H
#define ENGRAM_REQUEST_H

#include "memory/provider/provider.h"

#include <jansson.h>

/* URL and headers for a purpose, the key as a bearer. ERR_INPUT: no model named, a key that
 * can't stand in a header, a URL with a password in it. */
bool request_start(struct arena *a, const struct provider_settings *s,
                   enum provider_purpose purpose, struct provider_request *out, struct err *e);

/* The same for vendors who want the key in a header of their own. */
bool request_start_keyed(struct arena *a, const struct provider_settings *s,
                         enum provider_purpose purpose, const char *key_header,
                         struct provider_request *out, struct err *e);

void request_header(struct provider_request *out, str line);

/* Steals `body`; NULL is ERR_INPUT (what was asked is no JSON). */
bool request_body(struct arena *a, json_t *body, struct provider_request *out, struct err *e);

/* New references. Texts are cut to max_bytes at a code point, bad UTF-8 repaired. */
json_t *request_text(struct arena *a, str prefix, str text, size_t max_bytes);
json_t *request_texts(struct arena *a, str prefix, const str *texts, size_t count,
                      size_t max_bytes);
json_t *request_model(struct arena *a, const struct provider_settings *s,
                      enum provider_purpose purpose);
json_t *request_schema(const struct llm_ask *ask); /* NULL where it isn't a JSON object */

#endif
