#include "memory/recall_title.h"

static str without_marks(str text)
{
    text = str_trim(text);
    while (text.len && memchr("\"'`", text.at[0], 3))
        text = str_cut(text, 1, text.len);
    while (text.len && memchr("\"'`?.!", text.at[text.len - 1], 6))
        text.len--;
    return text;
}

bool recall_title_find(struct memory *m, str query, int64_t *document, struct err *e)
{
    str title = without_marks(query);
    *document = 0;
    return !title.len || store_find_document_titled(m->store, title, document, e);
}

bool recall_title_is_told(const struct answer *w, const struct candidate *candidates, size_t count,
                          node document)
{
    const struct snapshot *snap = &w->m->snap;
    if (snap->meta[document].kind != NODE_DOCUMENT || snap->ids[document] == w->titled)
        return false;
    float floor = answer_floor(w->in);
    for (size_t i = 0; i < count && candidates[i].score >= floor; i++) {
        const struct node_meta *meta = &snap->meta[candidates[i].at];
        if (meta->kind == NODE_PASSAGE && meta->group == document &&
            answer_may_show(w, candidates[i].at))
            return true;
    }
    return false;
}
