/* One HTTP request and its whole answer, by libcurl: for pages that a person attaches and for
 * endpoints that he sets up. Linked into engram-worker alone; the server never loads libcurl.
 *
 * Nothing of it comes from the environment: no proxy, no .netrc, no cookies. Where it may connect
 * to is checked on the address that is connected to, so a name that resolves to another one later
 * leads nowhere. Redirects are followed here, each checked as the first. */
#ifndef ENGRAM_HTTP_H
#define ENGRAM_HTTP_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

#include <sys/socket.h>

enum {
    MAX_HTTP_URL_BYTES = 2048,
    MAX_HTTP_HEADERS = 16,
    MAX_HTTP_HEADER_BYTES = 8192, /* of one that is kept or sent */
    MAX_HTTP_REDIRECTS = 5,
    MAX_HTTP_RETRY_SECONDS = 86400, /* that a server may ask us to wait; more counts as this */
};

/* Which addresses may be connected to, as a sum. Link-local, metadata, multicast and reserved ones
 * never. */
enum http_reach {
    HTTP_PUBLIC = 1,
    HTTP_LOOPBACK = 2,
    HTTP_PRIVATE = 4, /* the networks of a house or firm: RFC 1918, 100.64/10, fc00::/7 */
    HTTP_PUBLIC_AND_LOOPBACK = HTTP_PUBLIC | HTTP_LOOPBACK,
    HTTP_ANYWHERE = HTTP_PUBLIC | HTTP_LOOPBACK | HTTP_PRIVATE,
};

/* Connections that are kept for the next request to the same server, where that has the same reach
 * and proxy. One thread at a time. */
struct http_connections;
struct http_connections *http_connections_open(void);
void http_connections_close(struct http_connections *kept); /* NULL is fine */

struct http_request {
    str url;            /* http or https, without a name and password in it */
    str body;           /* empty: GET, else POST */
    const str *headers; /* "Name: value"; not sent on to another host by a redirect */
    size_t header_count;
    enum http_reach reach;
    str proxy; /* the user's; empty: none. Then the proxy connects, and `reach` can't be checked */
    size_t max_bytes;             /* of the body, inflated */
    int64_t connect_ms, total_ms; /* of each step; of all, redirects included: MAX_HTTP_REDIRECTS +
                                     1 times as long at the very most */
    bool (*stopped)(void *ctx);   /* NULL, or asked now and then */
    void *ctx;
    struct http_connections *kept; /* NULL: each request connects anew */
};

struct http_response {
    long status;
    str body;
    str url;                               /* where it came from, behind redirects */
    str content_type, etag, last_modified; /* as sent; empty: not sent */
    int64_t retry_after_ms;                /* 0: the server doesn't say */
    int64_t bytes_sent;                    /* of the body */
};

/* true for every status but a redirect: the caller knows which he wants. ERR_INPUT for a URL that
 * isn't one of ours, ERR_LIMIT beyond max_bytes, MAX_HTTP_REDIRECTS or the time, ERR_CONFLICT for
 * an address out of reach and a redirect from https to http, ERR_CANCELLED, else ERR_NET. */
bool http_fetch(struct arena *a, const struct http_request *request, struct http_response *out,
                struct err *e);

/* Is this address within reach? Pure. */
bool http_may_connect(const struct sockaddr *address, enum http_reach reach);

#endif
