#include "parsers/markup.h"

#include "memory/base/unicode.h"

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>

struct reading {
    const struct markup *to;
    xmlParserCtxtPtr parser;
    size_t depth, max_depth;
    const char *fault; /* why it was stopped; NULL: it wasn't */
};

static void stop(struct reading *r, const char *why)
{
    if (!r->fault)
        r->fault = why;
    xmlStopParser(r->parser);
}

static void on_open(void *ctx, const xmlChar *name, const xmlChar **attributes)
{
    struct reading *r = ctx;
    if (r->fault)
        return;
    if (++r->depth > r->max_depth)
        stop(r, "its elements are nested too deeply");
    else
        r->to->open(r->to->ctx, str_of((const char *)name), attributes);
}

static void on_close(void *ctx, const xmlChar *name)
{
    struct reading *r = ctx;
    if (r->fault)
        return;
    r->depth -= r->depth > 0;
    r->to->close(r->to->ctx, str_of((const char *)name));
}

static void on_text(void *ctx, const xmlChar *s, int length)
{
    struct reading *r = ctx;
    if (!r->fault)
        r->to->text(r->to->ctx, str_from((const char *)s, (size_t)length));
}

static void on_dtd(void *ctx, const xmlChar *name, const xmlChar *id, const xmlChar *system)
{
    (void)name;
    (void)id;
    (void)system;
    stop(ctx, "it has a document type definition, which isn't read");
}

/* initialized = 1: elements come with their names as written, not by namespace. */
static xmlSAXHandler handler(bool refuse_dtd)
{
    return (xmlSAXHandler){.internalSubset = refuse_dtd ? on_dtd : NULL,
                           .startElement = on_open,
                           .endElement = on_close,
                           .characters = on_text,
                           .ignorableWhitespace = on_text,
                           .cdataBlock = on_text,
                           .initialized = 1};
}

bool markup_read_xml(str bytes, const struct markup *to, struct err *e)
{
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    if (!parser)
        return fail(e, ERR_LIMIT, "no memory to read XML");
    struct reading r = {.to = to, .parser = parser, .max_depth = MAX_XML_DEPTH};
    *parser->sax = handler(true);
    parser->userData = &r;
    xmlDocPtr none = xmlCtxtReadMemory(parser, bytes.at, (int)bytes.len, NULL, NULL,
                                       XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    bool ok = !r.fault && parser->wellFormed;
    int line = parser->lastError.line;
    xmlFreeDoc(none);
    xmlFreeParserCtxt(parser);
    if (r.fault)
        return fail(e, ERR_INPUT, "%s", r.fault);
    return ok || fail(e, ERR_INPUT, "it isn't well-formed XML (line %d): damaged or cut off", line);
}

bool markup_read_html(str bytes, const struct markup *to, struct err *e)
{
    htmlParserCtxtPtr parser = htmlNewParserCtxt();
    if (!parser)
        return fail(e, ERR_LIMIT, "no memory to read HTML");
    struct reading r = {.to = to, .parser = parser, .max_depth = MAX_HTML_DEPTH};
    *parser->sax = handler(false);
    parser->userData = &r;
    htmlDocPtr none = htmlCtxtReadMemory(
        parser, bytes.at, (int)bytes.len, NULL, utf8_valid(bytes) ? "UTF-8" : NULL,
        HTML_PARSE_NONET | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING);
    xmlFreeDoc(none);
    htmlFreeParserCtxt(parser);
    return !r.fault || fail(e, ERR_INPUT, "%s", r.fault);
}

str markup_attribute(const unsigned char **attributes, const char *name)
{
    for (size_t i = 0; attributes && attributes[i]; i += 2)
        if (strcmp((const char *)attributes[i], name) == 0)
            return str_of((const char *)attributes[i + 1]);
    return S("");
}
