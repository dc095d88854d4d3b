#include "tools/ingest.h"

static bool check_passages(const struct facts *facts, struct err *e)
{
    for (size_t i = 0; i < facts->node_count; i++)
        if (facts->nodes[i].kind != NODE_PASSAGE)
            return fail(e, ERR_INPUT, "a document's parser gave a %s; wanted: passages",
                        node_name[facts->nodes[i].kind]);
    return true;
}

bool ingest_document(struct memory *m, struct arena *a, const struct document_input *in,
                     const struct facts *facts, struct document_result *out, struct err *e)
{
    return check_passages(facts, e) && memory_document_put(m, a, in, facts, out, e);
}

bool ingest_begin(struct arena *a, const struct document_input *in, const struct facts *facts,
                  struct document_put **out, struct err *e)
{
    if (!check_passages(facts, e))
        return false;
    *out = memory_document_begin(a, in, facts);
    return true;
}

bool ingest_failure(struct memory *m, const struct document_input *in, str name, bool strike,
                    const struct err *failure, struct err *e)
{
    struct err ignored = {0}; /* what the parse met matters more than whether it could be counted */
    if (strike)
        memory_quarantine(m, in->hash, name, str_of(failure->text), in->from.now_ms, &ignored);
    return fail(e, failure->code, "%s", failure->text);
}
