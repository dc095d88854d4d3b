#include "memory/memory_state.h"
#include "memory/memory_views.h"
#include "memory/store_outline.h"

bool memory_outline(struct memory *m, const struct outline_visitor *v, struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_each_memory(m->store, v->memory, v->ctx, e) &&
              store_each_document(m->store, v->document, v->ctx, e) &&
              store_each_entity(m->store, v->entity, v->ctx, e);
    store_read_end(m->store);
    return ok;
}
