/* The graph as one self-contained HTML page: what is drawn as JSON, our script and style, and the
 * libraries that draw, all inside; it loads nothing from anywhere. Pure. */
#ifndef ENGRAM_GRAPH_PAGE_H
#define ENGRAM_GRAPH_PAGE_H

#include "memory/base/buf.h"
#include "memory/memory_views.h"

#include <jansson.h>

struct graph_page {
    str project;
    const struct picture *picture;
    const json_t *recall; /* what the tool answered to `query`; NULL: no recall is shown */
    str query;
};

/* Nothing of what the graph holds can end the page's data or become markup. */
void graph_page_write(struct arena *a, const struct graph_page *page, struct buf *out);

#endif
