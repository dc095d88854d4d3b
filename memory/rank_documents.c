#include "memory/rank_documents.h"

static node document_of(const struct snapshot *snap, node n)
{
    return snap->meta[n].kind == NODE_PASSAGE ? snap->meta[n].group : NO_NODE;
}

static void add(struct document_shares *d, node document, float value)
{
    size_t i = 0;
    while (i < d->count && d->documents[i].at != document)
        i++;
    if (i == d->count) {
        d->documents[i].at = document;
        d->documents[i].sum = 0;
        d->count++;
    }
    d->documents[i].sum += value;
    d->best = d->documents[i].sum > d->best ? d->documents[i].sum : d->best;
}

void document_shares_build(struct document_shares *d, const struct snapshot *snap,
                           const struct lexical *l)
{
    size_t count, passages = 0;
    const struct scored *hits = lexical_best(l, MAX_SORTED, &count);
    d->count = 0;
    d->best = 0;
    for (size_t i = 0; i < count && passages < BEST_PASSAGES; i++) {
        node document = document_of(snap, hits[i].at);
        if (document != NO_NODE)
            add(d, document, 1 / (float)++passages);
    }
}

float document_share(const struct document_shares *d, const struct snapshot *snap, node passage)
{
    node document = document_of(snap, passage);
    for (size_t i = 0; i < d->count && document != NO_NODE; i++)
        if (d->documents[i].at == document)
            return d->documents[i].sum / d->best;
    return 0;
}
