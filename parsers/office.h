/* What DOCX and ODT have in common: styles by name, and notes below the paragraph that refers to
 * them. Private to parsers/. */
#ifndef ENGRAM_PARSERS_OFFICE_H
#define ENGRAM_PARSERS_OFFICE_H

#include "memory/base/hash.h"
#include "parsers/archive.h"
#include "parsers/flow.h"
#include "parsers/markup.h"

struct style {
    str id, name, parent; /* parent: an id, or empty */
    uint8_t level;        /* of a heading, 0: none is told */
};

struct style_list {
    struct style *at; /* heap */
    size_t count, capacity;
    struct map by_id;
};

/* What a style makes of its paragraphs. */
struct style_effect {
    uint8_t level; /* of a heading; 0: it is none */
    bool is_title, is_code, is_item, is_contents;
};

/* The style's place; it is there once for an id. Texts are the caller's. */
struct style *styles_put(struct style_list *list, str id);

/* By the names of the style and its parents; an id that isn't there counts as a name. */
struct style_effect styles_effect(const struct style_list *list, str id);

/* The level of a paragraph that is a heading of `level` (0: it is none) by itself: behind a title,
 * all others stand below it. */
uint8_t office_level(const struct style_effect *effect, int64_t level, str title);
void styles_free(struct style_list *list);

/* The text of elements of one name in a part of an archive, as the title in its properties; false
 * where it has none. */
bool office_element(struct arena *a, struct archive *z, str part, str name, str *text);

/* Writes the notes gathered as a paragraph of their own, and forgets them. Within a table they
 * wait. */
void office_put_notes(struct flow *f, struct buf *notes);

#endif
