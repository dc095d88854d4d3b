/* How the HTTP helper (`engram-worker http`) and its parent talk: one stream socket, a request one
 * way, its answer the other, in turn. Keys come along in the headers, and by no other way. Neither
 * side trusts the other's.
 *
 * - request: "EGH1" | length u32 | url, body, proxy, reach u32, max_bytes u64, connect_ms u64,
 *            total_ms u64, count u32, headers
 * - answer:  a reply of parse_wire.h; with status 0: status u32, body, url, content_type, etag,
 *            last_modified, retry_after_ms u64, bytes_sent u64
 */
#ifndef ENGRAM_HTTP_WIRE_H
#define ENGRAM_HTTP_WIRE_H

#include "memory/base/buf.h"
#include "memory/provider/http.h"

enum {
    HTTP_WIRE_HEAD_BYTES = 8,
    MAX_HTTP_SENT_BYTES = 8 << 20,      /* of a body that is posted */
    MAX_HTTP_RECEIVED_BYTES = 10 << 20, /* of a body that comes */
    MAX_HTTP_TOTAL_MS = 600000,
    MAX_HTTP_FIELDS_BYTES = 256 << 10, /* of all that stands around a body */
    MAX_HTTP_REQUEST_BYTES = MAX_HTTP_SENT_BYTES + MAX_HTTP_FIELDS_BYTES,
    MAX_HTTP_ANSWER_BYTES = MAX_HTTP_RECEIVED_BYTES + MAX_HTTP_FIELDS_BYTES,
};

/* With its head. ERR_LIMIT for what the other side would refuse. */
bool http_wire_write_request(struct buf *out, const struct http_request *r, struct err *e);

/* Length of the request behind its head; false for what is no head or announces too much. */
bool http_wire_read_head(const char head[HTTP_WIRE_HEAD_BYTES], size_t *length);

/* Texts borrow from `bytes`. */
bool http_wire_read_request(struct arena *a, str bytes, struct http_request *r);

void http_wire_write_answer(struct buf *out, const struct http_response *answer);
bool http_wire_read_answer(str bytes, struct http_response *answer); /* borrows */

#endif
