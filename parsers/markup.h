/* HTML and XML as events, by libxml2: no tree, no network, no DTD, no entity but XML's own, depth
 * bounded. Private to parsers/. */
#ifndef ENGRAM_PARSERS_MARKUP_H
#define ENGRAM_PARSERS_MARKUP_H

#include "memory/base/err.h"
#include "memory/base/str.h"

enum { MAX_HTML_DEPTH = 1000, MAX_XML_DEPTH = 250 };

/* Who is told; every open has its close, unless reading fails. Names as written, with their
 * prefix. */
struct markup {
    void *ctx;
    void (*open)(void *ctx, str name, const unsigned char **attributes);
    void (*close)(void *ctx, str name);
    void (*text)(void *ctx, str s); /* UTF-8; a text may come in pieces */
};

/* ERR_INPUT for what isn't well-formed, has a DTD, or is nested deeper than MAX_XML_DEPTH. */
bool markup_read_xml(str bytes, const struct markup *to, struct err *e);

/* Any bytes. UTF-8 where they are valid in it, else what a mark or a meta element says, else
 * Latin-1. ERR_INPUT for what is nested deeper than MAX_HTML_DEPTH. */
bool markup_read_html(str bytes, const struct markup *to, struct err *e);

/* Of the attributes given to open; empty where it isn't there. */
str markup_attribute(const unsigned char **attributes, const char *name);

#endif
