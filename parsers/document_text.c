#include "parsers/document.h"

void document_paragraphs(const struct lines *l, size_t first, struct outline *o)
{
    for (size_t i = first; i < l->count; i++) {
        if (line_is_blank(l, i))
            continue;
        size_t last = i;
        while (last + 1 < l->count && !line_is_blank(l, last + 1))
            last++;
        outline_add(o, (struct block){.first = (uint32_t)i, .last = (uint32_t)last, .depth = 1});
        i = last;
    }
}

bool document_text(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    struct outline o = {0};
    document_paragraphs(&d->lines, 0, &o);
    out->title = document_file_name(d->name);
    bool ok = passages_cut(a, &d->lines, &o, out, e);
    outline_free(&o);
    return ok;
}
