/* What the formats of documents share: the decoded text that document.c hands to a format's
 * function. Private to parsers/. */
#ifndef ENGRAM_PARSERS_DOCUMENT_H
#define ENGRAM_PARSERS_DOCUMENT_H

#include "parsers/flow.h"
#include "parsers/passages.h"

struct document {
    str name;           /* file name or path as given */
    str bytes;          /* as they are */
    str shown;          /* the name, for errors */
    struct lines lines; /* UTF-8, every line ends in \n alone; numbered as in the source; none for
                           a format that reads the bytes */
};

/* Each fills title (left empty: the file's name is taken), passages and edges, and may set
 * media_type and add warnings. */
typedef bool document_parse(struct arena *a, const struct document *d, struct facts *out,
                            struct err *e);

document_parse document_markdown;
document_parse document_text;
document_parse document_source;
document_parse document_html;
document_parse document_docx;
document_parse document_odt;
document_parse document_epub;
document_parse document_pdf;
document_parse document_notebook;
document_parse document_mail;
document_parse document_table;
document_parse document_rst;
document_parse document_adoc;

/* Do the bytes begin as this format's do? */
bool docx_magic(str bytes);
bool odt_magic(str bytes);
bool epub_magic(str bytes);
bool pdf_magic(str bytes);

/* Does what has no telling name look like one of these? */
bool markdown_sniff(str name, const struct lines *l);
bool source_sniff(str name, const struct lines *l);
bool html_sniff(str name, const struct lines *l);

/* JSON that describes an interface: *is_api tells whether it does, else nothing is done. */
bool document_api(struct arena *a, const struct document *d, bool *is_api, struct facts *out,
                  struct err *e);

/* Writes a page of HTML into the flow; *title gets the text of its title element. */
bool document_read_html(struct flow *f, str bytes, struct buf *title, struct err *e);

/* Is the file's name one of a programming language or a configuration? */
bool source_by_name(str name);

/* Text by its byte order mark; UTF-8 without one, its bad sequences replaced with a warning. false
 * with ERR_INPUT for binary data: NUL, many control characters, more bad bytes than that. */
bool document_decode(struct arena *a, str shown, str bytes, size_t max_bad_percent, str *text,
                     struct facts *out, struct err *e);

/* Is it text, in whatever encoding? ERR_INPUT for NUL (but in UTF-16) and many control characters.
 */
bool document_check_text(str shown, str bytes, struct err *e);

/* A title as it is kept: in one line, not too long; empty where there is none. */
str document_title(struct arena *a, str s);

/* \r\n becomes \n, and a lone \r too where the text has no \n at all: the number of lines is what
 * an editor shows. text itself where it has no \r. */
str document_unify_line_ends(struct arena *a, str text);

/* The last component of a path. */
str document_file_name(str path);

/* `endings` are separated by spaces; without case. */
bool document_name_ends(str name, str endings);

/* Lines from `first` on as blocks of text, one a paragraph: what is between blank lines. */
void document_paragraphs(const struct lines *l, size_t first, struct outline *o);

#endif
