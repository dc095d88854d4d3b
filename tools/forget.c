#include "tools/args.h"
#include "tools/render.h"
#include "tools/rows.h"

bool tool_forget(struct request *r, const json_t *args, struct tool_reply *reply, struct err *e)
{
    struct forget_result out;
    struct memory *memory;
    struct project_ref project;
    struct forget_input in = {.from = {r->origin, r->now_ms, r->branch, r->head},
                              .dry_run = arg_bool(args, "dry_run"),
                              .reason = arg_str(args, "reason")};
    in.ids = arg_strs(r->arena, args, "ids", &in.id_count);
    if (!r->services->project(r->services->ctx, S(""), &memory, &project, e) ||
        !memory_forget(memory, r->arena, &in, &out, e))
        return false;
    json_t *json = json_object(), *forgotten = json_array();
    for (size_t i = 0; i < out.forgotten_count; i++)
        json_array_append_new(forgotten,
                              json_id(r->arena, out.forgotten[i].kind, out.forgotten[i].id));
    set_new(json, "forgotten", forgotten);
    set_new(json, "tombstones", json_integer((json_int_t)out.tombstones));
    set_new(json, "entities_collected", json_integer((json_int_t)out.entities_collected));
    if (in.dry_run)
        set_new(json, "dry_run", json_true());
    set_new(json, "project", json_project(r->arena, &project));
    reply->structured = json;
    reply->text = render_lines(r->arena, json);
    return true;
}
