/* JSON-RPC 2.0: one line of bytes to a message, and answers to bytes. Pure. What jansson would
 * refuse although the client meant it well (lone surrogates, bad UTF-8, NUL in a key) is repaired
 * before parsing, and what stays refused is still answered with its id wherever the line holds one.
 * Of duplicate keys the last one counts, as everywhere. */
#ifndef ENGRAM_JSONRPC_H
#define ENGRAM_JSONRPC_H

#include "memory/base/arena.h"
#include "memory/base/buf.h"

#include <jansson.h>

enum {
    MAX_JSON_DEPTH = 64,
    MAX_JSON_VALUES = 1 << 18, /* in one line: each costs about 50 bytes once parsed */
    MAX_ID_BYTES = 1024,       /* of an id as JSON; a longer one can't be echoed */
};

enum {
    CODE_PARSE = -32700,
    CODE_INVALID_REQUEST = -32600,
    CODE_NO_METHOD = -32601,
    CODE_INVALID_PARAMS = -32602,
    CODE_INTERNAL = -32603,
};

/* What the top level of a line says, found in one pass without building it; pieces may be added as
 * they come. */
struct envelope {
    size_t depth, max_depth, values;
    bool started,
        whole; /* a value began; an object that began the line is closed and nothing follows */
    bool has_method;
    char id[MAX_ID_BYTES]; /* bytes of the last "id" member's value */
    size_t id_len;
    bool id_over; /* it was longer */
    /* Where the pass is. */
    bool in_string, escaped, is_object, in_key, in_id;
    char key[8];
    size_t key_len;
};

void envelope_add(struct envelope *v, str bytes);

/* The id as JSON text, as it may be echoed; empty where there is none or the line is no whole
 * object. */
str envelope_id(struct arena *a, const struct envelope *v);

struct message {
    enum {
        MESSAGE_REQUEST,
        MESSAGE_NOTIFICATION,
        MESSAGE_RESPONSE,
        MESSAGE_BATCH, /* `root` is the array */
        MESSAGE_BAD,   /* answer it with code and text, and with id where there is one */
        MESSAGE_NONE,  /* nothing to answer */
    } kind;
    json_t *root;   /* owned: release it when the message was handled; NULL of a part of a batch */
    str id;         /* as JSON text; empty where there is none */
    str method;     /* the rest borrows from root */
    json_t *params; /* an object; NULL where there are none */
    json_t *result, *error; /* of a response; NULL where it has none */
    int code;
    const char *text;
};

/* `line` is not empty. Texts live in `a` or in root. */
void message_parse(struct arena *a, str line, struct message *out);

/* The same of one value in a batch. */
void message_read(struct arena *a, json_t *value, struct message *out);

/* What a line over the limit was. */
void message_overlong(struct arena *a, const struct envelope *v, struct message *out);

/* An id (string or integer) as JSON text, for comparing and echoing; empty for anything else. */
str jsonrpc_id(struct arena *a, const json_t *id);

/* Append one message as one line without its newline; valid UTF-8, U+2028 and U+2029 escaped. `id`
 * is JSON text. */
void jsonrpc_result(struct buf *out, str id, const json_t *result);
void jsonrpc_error(struct buf *out, str id, int code, str text, const json_t *data);
void jsonrpc_notification(struct buf *out, const char *method, const json_t *params);
void jsonrpc_request(struct buf *out, str id, const char *method,
                     const json_t *params); /* NULL: none */

#endif
