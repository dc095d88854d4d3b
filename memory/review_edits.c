#include "memory/review_edits.h"

#include "memory/base/unicode.h"
#include "memory/review_questions.h"
#include "memory/store_review_find.h"
#include "memory/text.h"

const char *const edit_action_name[EDIT_ACTION_COUNT] = {"merge", "dismiss", "restore", "rename",
                                                         "alias", "split",   "set_type"};

static const uint32_t ENTITY_ONLY = 1u << NODE_ENTITY;

/* ---- finding ---- */

bool review_find_entity(struct entry *j, const char *field, str text, struct node_row *out,
                        struct err *e)
{
    enum node_kind kind;
    int64_t id;
    bool found;
    if (node_id_parse(text, &kind, &id) && kind == NODE_ENTITY)
        return memory_id(j->m, j->a, field, text, ENTITY_ONLY, out, e);
    if (!entity_find(j->m, j->a, text, &id, e))
        return false;
    if (!id)
        return fail(e, ERR_NOT_FOUND,
                    "%s: no entity is called '%.*s'; wanted: a name or an id like e7", field,
                    FMT(str_cut(text, 0, 80)));
    return store_get_node(j->m->store, j->a, id, out, &found, e) &&
           (found || fail(e, ERR_DB, "entity e%lld has no row", (long long)id));
}

static bool wanted_text(struct entry *j, const char *field, str value, str *out, struct err *e)
{
    *out = unicode_squeeze(j->a, value);
    return memory_redact(j->m, j->a, *out, out, NULL, NULL, e) &&
           (text_normal_name(j->a, *out).len ||
            fail(e, ERR_INPUT, "%s: '%.*s' has no letter or digit; wanted: a name", field,
                 FMT(str_cut(value, 0, 80))));
}

/* ---- shared by edits ---- */

bool review_new_entity(struct entry *j, const struct node_row *of, str name, int64_t *id,
                       struct err *e)
{
    struct node_row fresh = *of;
    str normal = text_normal_name(j->a, name);
    fresh.key = normal;
    fresh.name = name;
    fresh.state = STATE_CURRENT;
    fresh.stored_ms = j->now_ms;
    if (!store_put_node(j->m->store, &fresh, id, e))
        return false;
    step_back(j, "rejoin", "%lld\t%lld", (long long)*id, (long long)of->id);
    return store_put_entity(j->m->store, &(struct entity_row){.id = *id, .type = S("")}, e) &&
           store_put_alias(j->m->store, normal, name, *id, e);
}

bool review_move_end(struct entry *j, int64_t edge, bool dst, int64_t from, int64_t to,
                     struct err *e)
{
    step_back(j, "edge", "%lld\t%d\t%lld", (long long)edge, dst, (long long)from);
    return store_move_edge_end(j->m->store, edge, dst, to, e);
}

/* What is decided isn't asked any more, until it is undone. */
static bool close_questions(struct entry *j, int64_t about, struct err *e)
{
    struct question_row *rows;
    size_t count;
    if (!store_open_questions_about(j->m->store, j->a, about, &rows, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        step_back(j, "question", "%lld\t%d", (long long)rows[i].id, rows[i].state);
        if (!store_answer_question(j->m->store, rows[i].id, QUESTION_YES, 0, e))
            return false;
    }
    return true;
}

/* Who restores a name said that it is none to dismiss. */
static bool keep_for_good(struct entry *j, int64_t entity, struct err *e)
{
    struct question_row row = {.kind = S(DISMISS_HUB), .a = entity, .weight = MIN_GUESS};
    struct question_row stands;
    bool found;
    if (!store_put_question(j->m->store, &row, j->now_ms, e) ||
        !store_find_question(j->m->store, j->a, &row, &stands, &found, e) || !found ||
        stands.state == QUESTION_NO)
        return e->code == ERR_NONE;
    step_back(j, "question", "%lld\t%d", (long long)stands.id,
              stands.state == QUESTION_OPEN ? QUESTION_LATER : stands.state);
    return store_answer_question(j->m->store, stands.id, QUESTION_NO, j->now_ms, e);
}

/* ---- edits ---- */

static bool move_aliases(struct entry *j, int64_t from, int64_t to, struct err *e)
{
    struct alias_row *rows;
    size_t count;
    if (!store_aliases(j->m->store, j->a, from, &rows, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        step_back(j, "alias", "%lld\t%.*s\t%.*s", (long long)from, FMT(rows[i].normal),
                  FMT(rows[i].name));
        if (!store_put_alias(j->m->store, rows[i].normal, rows[i].name, to, e))
            return false;
    }
    return true;
}

static bool merge(struct entry *j, const struct node_row *from, const struct node_row *into,
                  struct err *e)
{
    struct moved_edge *moved;
    struct entity_row row;
    size_t count;
    bool found;
    if (from->id == into->id)
        return fail(e, ERR_INPUT, "into: e%lld is the entity itself; wanted: another one",
                    (long long)into->id);
    if (from->state == STATE_MERGED || into->state == STATE_MERGED)
        return fail(e, ERR_CONFLICT, "entity: e%lld was merged already",
                    (long long)(from->state == STATE_MERGED ? from->id : into->id));
    step_back(j, "index", "%lld", (long long)into->id);
    step_back(j, "index", "%lld", (long long)from->id);
    if (!note_state(j, from->id, e) || !note_entity(j, from->id, e) ||
        !move_aliases(j, from->id, into->id, e) ||
        !store_move_edges(j->m->store, j->a, from->id, into->id, &moved, &count, e) ||
        !store_get_entity(j->m->store, j->a, from->id, &row, &found, e))
        return false;
    for (size_t i = 0; i < count; i++)
        step_back(j, "edge", "%lld\t%d\t%lld", (long long)moved[i].edge, moved[i].dst,
                  (long long)from->id);
    row.merged_into = into->id;
    row.id = from->id;
    buf_printf(&j->text, "merged e%lld (%.*s) into e%lld (%.*s)", (long long)from->id,
               FMT(from->name), (long long)into->id, FMT(into->name));
    return store_put_entity(j->m->store, &row, e) &&
           store_set_state(j->m->store, from->id, STATE_MERGED, S(""), e) &&
           close_questions(j, from->id, e) && entity_index(j->m, j->a, into->id, e) &&
           entity_index(j->m, j->a, from->id, e);
}

static bool set_dismissed(struct entry *j, const struct node_row *row, bool dismissed,
                          struct err *e)
{
    if (row->state == STATE_MERGED)
        return fail(e, ERR_CONFLICT,
                    "entity: e%lld was merged into another; undo that merge, or split its name off",
                    (long long)row->id);
    buf_printf(&j->text, "%s e%lld (%.*s)", dismissed ? "dismissed" : "restored",
               (long long)row->id, FMT(row->name));
    return note_state(j, row->id, e) &&
           store_set_state(j->m->store, row->id, dismissed ? STATE_DISMISSED : STATE_CURRENT,
                           row->key, e) &&
           (dismissed ? close_questions(j, row->id, e) : keep_for_good(j, row->id, e));
}

/* false with ERR_CONFLICT where another entity has the name. */
static bool claim_name(struct entry *j, int64_t id, str name, struct err *e)
{
    int64_t owner;
    str normal = text_normal_name(j->a, name);
    if (!store_find_alias(j->m->store, normal, &owner, e))
        return false;
    if (owner && owner != id)
        return fail(e, ERR_CONFLICT,
                    "name: '%.*s' is a name of e%lld; merge the two, or split it off first",
                    FMT(name), (long long)owner);
    if (owner)
        return true;
    step_back(j, "index", "%lld", (long long)id);
    step_back(j, "unname", "%lld\t%.*s", (long long)id, FMT(normal));
    return store_put_alias(j->m->store, normal, name, id, e) && entity_index(j->m, j->a, id, e);
}

static bool rename_entity(struct entry *j, const struct node_row *row, str name, struct err *e)
{
    buf_printf(&j->text, "renamed e%lld from %.*s to %.*s; the old name still finds it",
               (long long)row->id, FMT(row->name), FMT(name));
    step_back(j, "name", "%lld\t%.*s", (long long)row->id, FMT(row->name));
    return claim_name(j, row->id, name, e) && store_set_name(j->m->store, row->id, name, e);
}

static bool add_alias(struct entry *j, const struct node_row *row, str name, struct err *e)
{
    buf_printf(&j->text, "e%lld (%.*s) is also called %.*s", (long long)row->id, FMT(row->name),
               FMT(name));
    return claim_name(j, row->id, name, e);
}

static bool set_type(struct entry *j, const struct node_row *row, str type, struct err *e)
{
    struct entity_row entity;
    bool found;
    if (!note_entity(j, row->id, e) ||
        !store_get_entity(j->m->store, j->a, row->id, &entity, &found, e))
        return false;
    entity.id = row->id;
    entity.type = type;
    entity.typed = true;
    buf_printf(&j->text, "e%lld (%.*s) is a %.*s", (long long)row->id, FMT(row->name), FMT(type));
    return store_put_entity(j->m->store, &entity, e) && entity_index(j->m, j->a, row->id, e);
}

/* Does a text say this name? Compared in normal form, on word bounds. */
static bool says(struct arena *a, str text, str normal)
{
    size_t count;
    struct token *tokens = text_token_list(a, text, 20000, &count);
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].colocated)
            continue;
        for (size_t j = i, words = 0; j < count && words < 6; j++) {
            if (tokens[j].colocated)
                continue;
            words++;
            str run = str_cut(text, tokens[i].from, tokens[j].to);
            if (run.len > MAX_ENTITY_NAME_BYTES)
                break;
            if (str_eq(text_normal_name(a, run), normal))
                return true;
        }
    }
    return false;
}

/* One name of an entity becomes an entity of its own; what mentions it by that name follows. */
static bool split(struct entry *j, const struct node_row *row, str name, struct err *e)
{
    enum { MAX_LOOKED_AT = 5000 };
    struct edge_full *edges;
    size_t count, moved = 0;
    int64_t owner, id;
    str normal = text_normal_name(j->a, name), body_name, text;
    if (!store_find_alias(j->m->store, normal, &owner, e))
        return false;
    if (owner != row->id || str_eq(normal, row->key))
        return fail(e, ERR_INPUT, "name: '%.*s' is %s of e%lld; wanted: one of its other names",
                    FMT(name), owner == row->id ? "the own name" : "no name", (long long)row->id);
    step_back(j, "index", "%lld", (long long)row->id); /* the last step back */
    step_back(j, "alias", "%lld\t%.*s\t%.*s", (long long)row->id, FMT(normal), FMT(name));
    if (!store_set_key(j->m->store, row->id, row->key, e) ||
        !review_new_entity(j, row, name, &id, e) ||
        !store_edges(j->m->store, j->a, row->id, EDGE_MENTIONS, MAX_LOOKED_AT, &edges, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct arena scratch = {0};
        bool ok = store_get_body(j->m->store, &scratch, edges[i].src, &body_name, &text, e);
        bool named = ok && (says(&scratch, text, normal) ||
                            str_eq(text_normal_name(&scratch, body_name), normal));
        arena_free(&scratch);
        if (!ok)
            return false;
        if (!named)
            continue;
        if (!review_move_end(j, edges[i].id, true, row->id, id, e))
            return false;
        moved++;
    }
    buf_printf(&j->text, "split e%lld (%.*s) off e%lld (%.*s) with %zu mentions", (long long)id,
               FMT(name), (long long)row->id, FMT(row->name), moved);
    return entity_index(j->m, j->a, row->id, e) && entity_index(j->m, j->a, id, e);
}

bool review_edit(struct entry *j, const struct edit_input *in, struct err *e)
{
    struct node_row entity, into;
    str name;
    if (!review_find_entity(j, "edits.entity", in->entity, &entity, e))
        return false;
    switch (in->action) {
    case EDIT_MERGE:
        if (!in->into.len)
            return fail(e, ERR_INPUT, "edits.into: missing; merge wants the entity that stays");
        return review_find_entity(j, "edits.into", in->into, &into, e) &&
               merge(j, &entity, &into, e);
    case EDIT_DISMISS:
        return set_dismissed(j, &entity, true, e);
    case EDIT_RESTORE:
        return set_dismissed(j, &entity, false, e);
    case EDIT_RENAME:
        return wanted_text(j, "edits.name", in->name, &name, e) &&
               rename_entity(j, &entity, name, e);
    case EDIT_ALIAS:
        return wanted_text(j, "edits.name", in->name, &name, e) && add_alias(j, &entity, name, e);
    case EDIT_SPLIT:
        return wanted_text(j, "edits.name", in->name, &name, e) && split(j, &entity, name, e);
    case EDIT_SET_TYPE:
        if (!in->type.len)
            return fail(e, ERR_INPUT,
                        "edits.type: missing; set_type wants one, such as technology");
        if (!memory_redact(j->m, j->a, in->type, &name, NULL, NULL, e))
            return false;
        name = unicode_fold(j->a, name); /* behind the rules, which know the case of a key */
        return set_type(j, &entity, name, e);
    case EDIT_ACTION_COUNT:
        break;
    }
    return fail(e, ERR_INPUT, "edits.action: unknown");
}
