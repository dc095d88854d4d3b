#include "memory/memory_review.h"
#include "tools/args.h"
#include "tools/render.h"
#include "tools/rows.h"

#include "memory/base/unicode.h"

enum { DEFAULT_QUESTIONS = 5 };

static bool parse_action(str text, enum edit_action *out)
{
    for (int i = 0; i < EDIT_ACTION_COUNT; i++)
        if (str_eq(text, str_of(edit_action_name[i]))) {
            *out = (enum edit_action)i;
            return true;
        }
    return false;
}

static void read_answers(struct request *r, const json_t *args, struct review_input *in)
{
    const json_t *list = arg_array(args, "answers", &in->answer_count);
    in->answers = ARENA_ARRAY(r->arena, struct answer_input, in->answer_count);
    for (size_t i = 0; i < in->answer_count; i++) {
        const json_t *row = json_array_get(list, i);
        str verdict = arg_str(row, "verdict");
        in->answers[i].question = arg_str(row, "question");
        in->answers[i].verdict = str_eq(verdict, S("yes"))  ? VERDICT_YES
                                 : str_eq(verdict, S("no")) ? VERDICT_NO
                                                            : VERDICT_LATER;
    }
}

static bool read_edits(struct request *r, const json_t *args, struct review_input *in,
                       struct err *e)
{
    const json_t *list = arg_array(args, "edits", &in->edit_count);
    in->edits = ARENA_ARRAY(r->arena, struct edit_input, in->edit_count);
    for (size_t i = 0; i < in->edit_count; i++) {
        const json_t *row = json_array_get(list, i);
        struct edit_input *to = &in->edits[i];
        if (!parse_action(arg_str(row, "action"), &to->action))
            return fail(e, ERR_INPUT, "edits[%zu].action: unknown", i);
        to->entity = str_trim(arg_str(row, "entity"));
        to->into = str_trim(arg_str(row, "into"));
        to->name = arg_str(row, "name");
        to->type = unicode_squeeze(r->arena, arg_str(row, "type"));
        if (to->type.len > MAX_TYPE_BYTES)
            return fail(e, ERR_INPUT, "edits[%zu].type: %zu bytes; wanted: at most %d", i,
                        to->type.len, MAX_TYPE_BYTES);
        if (!to->entity.len)
            return fail(e, ERR_INPUT, "edits[%zu].entity: empty; wanted: an id or a name", i);
    }
    return true;
}

static json_t *render_card(struct arena *a, const struct entity_card *card)
{
    json_t *out = json_object(), *aliases = json_array(), *props = json_object(),
           *relations = json_array(), *latest = json_array();
    set_new(out, "id", json_id(a, NODE_ENTITY, card->id));
    set_new(out, "name", json_str(a, card->name));
    set_str(a, out, "type", card->type);
    set_new(out, "status", json_str(a, card->status));
    for (size_t i = 0; i < card->alias_count; i++)
        json_array_append_new(aliases, json_str(a, card->aliases[i]));
    for (size_t i = 0; i < card->prop_count; i++)
        set_new(props, arena_cstr(a, render_line(a, card->props[i].key)),
                json_str(a, card->props[i].value));
    for (size_t i = 0; i < card->relation_count; i++)
        json_array_append_new(relations, render_fact(a, &card->relations[i]));
    for (size_t i = 0; i < card->latest_count; i++) {
        json_t *row = json_object();
        set_new(row, "id", json_id(a, card->latest[i].kind, card->latest[i].id));
        set_new(row, "text", json_str(a, card->latest[i].text));
        json_array_append_new(latest, row);
    }
    set_new(out, "aliases", aliases);
    set_new(out, "props", props);
    set_new(out, "mentions", json_integer((json_int_t)card->mentions));
    set_new(out, "degree", json_integer((json_int_t)card->degree));
    set_new(out, "relations", relations);
    set_new(out, "latest", latest);
    return out;
}

static json_t *render(struct arena *a, const struct review_result *out,
                      const struct project_ref *project)
{
    json_t *reply = json_object(), *questions = json_array(), *applied = json_array();
    for (size_t i = 0; i < out->question_count; i++) {
        json_t *row = json_object();
        set_new(row, "id", json_str(a, arena_printf(a, "q%lld", (long long)out->questions[i].id)));
        set_new(row, "kind", json_str(a, out->questions[i].kind));
        set_new(row, "text", json_str(a, out->questions[i].text));
        set_new(row, "effect", json_str(a, out->questions[i].effect));
        json_array_append_new(questions, row);
    }
    for (size_t i = 0; i < out->applied_count; i++) {
        json_t *row = json_object();
        set_new(row, "journal",
                json_str(a, arena_printf(a, "j%lld", (long long)out->applied[i].journal)));
        set_new(row, "action", json_str(a, out->applied[i].action));
        set_new(row, "text", json_str(a, out->applied[i].text));
        if (out->applied[i].undone)
            set_new(row, "undone", json_true());
        json_array_append_new(applied, row);
    }
    set_new(reply, "questions", questions);
    set_new(reply, "applied", applied);
    if (out->has_card)
        set_new(reply, "entity", render_card(a, &out->card));
    set_new(reply, "pending", json_integer((json_int_t)out->pending));
    set_new(reply, "project", json_project(a, project));
    return reply;
}

bool tool_review(struct request *r, const json_t *args, struct tool_reply *reply, struct err *e)
{
    struct review_result out;
    struct memory *memory;
    struct project_ref project;
    int64_t limit;
    struct review_input in = {.from = {r->origin, r->now_ms, r->branch, r->head},
                              .entity = str_trim(arg_str(args, "entity")),
                              .undo = str_trim(arg_str(args, "undo")),
                              .limit = DEFAULT_QUESTIONS};
    if (arg_int(args, "limit", &limit))
        in.limit = (size_t)limit;
    read_answers(r, args, &in);
    if (!read_edits(r, args, &in, e) ||
        !r->services->project(r->services->ctx, S(""), &memory, &project, e) ||
        !memory_review(memory, r->arena, &in, &out, e))
        return false;
    reply->structured = render(r->arena, &out, &project);
    reply->text = render_lines(r->arena, reply->structured);
    return true;
}
