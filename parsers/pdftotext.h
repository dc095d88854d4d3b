/* poppler's pdftotext as a child: bytes of a PDF in, its text out. It gets the bytes and nothing
 * else: no file, no environment of ours, little time and memory. Private to parsers/. */
#ifndef ENGRAM_PARSERS_PDFTOTEXT_H
#define ENGRAM_PARSERS_PDFTOTEXT_H

#include "memory/base/buf.h"
#include "memory/base/err.h"

enum {
    MAX_PDFTOTEXT_CPU_SECONDS = 30,
    MAX_PDFTOTEXT_MIB = 512, /* of address space */
};

/* Appends the text of the first pages, in UTF-8 as far as pdftotext keeps to it, a \f behind each
 * page; at most out->max_bytes, which must be set (then the rest is missing and overflow is set).
 * The child dies with the calling thread. ERR_INPUT for what is encrypted or damaged, and where
 * there is no pdftotext; ERR_LIMIT for what takes too long; ERR_IO where it can't be started. */
bool pdftotext_run(str pdf, int pages, struct buf *out, struct err *e);

#endif
