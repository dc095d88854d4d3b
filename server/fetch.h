/* What a tool's order needs done before the tool can go on: a page is fetched (by the HTTP helper),
 * bytes are parsed (by a parse worker). */
#ifndef ENGRAM_FETCH_H
#define ENGRAM_FETCH_H

#include "server/config.h"
#include "tools/tool.h"

enum {
    FETCH_MS = 15000,          /* for a page, redirects included */
    MAX_PAGE_BYTES = 10 << 20, /* inflated */
    MAX_VALIDATOR_BYTES = 512, /* of an ETag or a Last-Modified; a longer one isn't kept */
};

/* Blocking; for a thread that may wait; what it starts ends with it. Fills order->page, opens
 * order->fd, counts order->strike; *facts lives in `a`, and is empty for a page that is unchanged.
 * `stopped` is asked about every 100 ms. Errors as of parse_document; for pages ERR_INPUT for a URL
 * that isn't one, ERR_CONFLICT for an address out of reach, ERR_NOT_FOUND where the server has no
 * such page, ERR_LIMIT beyond FETCH_MS and MAX_PAGE_BYTES, else ERR_NET. */
bool fetch_and_parse(struct arena *a, struct parse_order *order, const struct config *c,
                     bool (*stopped)(void *ctx), void *ctx, struct facts *facts, struct err *e);

/* The name that tells a parser what a page is: the end of its path, with the ending that its type
 * asks for. Pure. */
str fetch_name(struct arena *a, str url, str content_type);

#endif
