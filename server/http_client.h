/* Requests over HTTP without libcurl in the process that makes them: starts `engram-worker http` at
 * the first one, hands it requests over its socket, and gives up at the end of each one's budget. A
 * helper that is late is killed, so that the next request finds a fresh one. */
#ifndef ENGRAM_HTTP_CLIENT_H
#define ENGRAM_HTTP_CLIENT_H

#include "memory/provider/http.h"
#include "memory/provider/provider.h"

/* Of one thread: the helper lives no longer than the thread that made the first request. */
struct http_client;

/* Starts nothing yet. proxy: the user's, copied; may be empty. */
struct http_client *http_client_open(str proxy);
void http_client_close(struct http_client *c); /* NULL is fine; ends the helper */

/* Who is asked, about every 100 ms, whether a request is still wanted; NULL: nobody. */
void http_client_watch(struct http_client *c, bool (*stopped)(void *ctx), void *ctx);

/* As http_fetch, with total_ms for all of it, the helper's start and redirects included; a little
 * later it is over. `proxy`, `stopped` and `kept` of the request are not looked at. ERR_NET also
 * where the helper crashed, ERR_IO where it can't be started. What is given lives in `a`. */
bool http_client_fetch(struct http_client *c, struct arena *a, const struct http_request *request,
                       struct http_response *out, struct err *e);

/* Sends what providers ask: never redirected, at most MAX_ANSWER_BYTES back, never to link-local
 * and metadata addresses. What goes out in clear (http://) reaches private networks at most, and
 * with a key this machine alone. Lives as long as `c`. */
struct transport http_client_transport(struct http_client *c);

/* Where a provider's request may go. Pure. */
enum http_reach http_client_reach(const struct provider_request *request);

#endif
