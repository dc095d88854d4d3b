/* review_entities: a person's say on the ontology. Every decision is a row of the journal with what
 * takes it back. */
#include "memory/base/unicode.h"
#include "memory/memory_state.h"
#include "memory/text.h"

#include <stdio.h>

const char *const edit_action_name[EDIT_ACTION_COUNT] = {"merge", "dismiss", "restore", "rename",
                                                         "alias", "split",   "set_type"};

static const uint32_t ENTITY_ONLY = 1u << NODE_ENTITY;

/* ---- the journal: one step back a line, "op \t field \t ... \t \n", ids between tabs so that
 * forget finds them ---- */

struct entry {
    struct memory *m;
    struct arena *a;
    int64_t now_ms;
    struct buf undo, text;
};

static void step_back(struct entry *j, const char *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void step_back(struct entry *j, const char *op, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str fields = arena_vprintf(j->a, format, args);
    va_end(args);
    buf_printf(&j->undo, "%s\t%.*s\t\n", op, FMT(fields));
}

static bool note_state(struct entry *j, int64_t id, struct err *e)
{
    struct node_row row;
    bool found;
    if (!store_get_node(j->m->store, j->a, id, &row, &found, e) || !found)
        return e->code == ERR_NONE;
    step_back(j, "state", "%lld\t%d\t%.*s", (long long)id, row.state, FMT(row.key));
    return true;
}

static bool note_entity(struct entry *j, int64_t id, struct err *e)
{
    struct entity_row row;
    bool found;
    if (!store_get_entity(j->m->store, j->a, id, &row, &found, e) || !found)
        return e->code == ERR_NONE;
    step_back(j, "entity", "%lld\t%lld\t%d\t%.*s", (long long)id, (long long)row.merged_into,
              row.typed, FMT(row.type));
    return true;
}

/* ---- finding ---- */

/* An entity by id or name; dismissed and merged ones only by id. */
static bool find_entity(struct entry *j, const char *field, str text, struct node_row *out,
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
           store_questions_about(j->m->store, from->id, QUESTION_YES, e) &&
           entity_index(j->m, j->a, into->id, e) && entity_index(j->m, j->a, from->id, e);
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
           (!dismissed || store_questions_about(j->m->store, row->id, QUESTION_YES, e));
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
    step_back(j, "unalias", "%.*s", FMT(normal));
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
    return store_put_entity(j->m->store, &entity, e);
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
    struct node_row fresh = *row;
    fresh.key = normal;
    fresh.name = name;
    fresh.state = STATE_CURRENT;
    fresh.stored_ms = j->now_ms;
    struct entity_row entity = {.type = S("")};
    /* Undone in this order: edges and names go back first, then the new row goes. */
    step_back(j, "index", "%lld", (long long)row->id);
    if (!store_set_key(j->m->store, row->id, row->key, e) ||
        !store_put_node(j->m->store, &fresh, &id, e))
        return false;
    entity.id = id;
    step_back(j, "delete", "%lld", (long long)id);
    step_back(j, "alias", "%lld\t%.*s\t%.*s", (long long)row->id, FMT(normal), FMT(name));
    if (!store_put_entity(j->m->store, &entity, e) ||
        !store_put_alias(j->m->store, normal, name, id, e) ||
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
        step_back(j, "edge", "%lld\t1\t%lld", (long long)edges[i].id, (long long)row->id);
        if (!store_move_edge_end(j->m->store, edges[i].id, true, id, e))
            return false;
        moved++;
    }
    buf_printf(&j->text, "split e%lld (%.*s) off e%lld (%.*s) with %zu mentions", (long long)id,
               FMT(name), (long long)row->id, FMT(row->name), moved);
    return entity_index(j->m, j->a, row->id, e) && entity_index(j->m, j->a, id, e);
}

static bool edit(struct entry *j, const struct edit_input *in, struct err *e)
{
    struct node_row entity, into;
    str name;
    if (!find_entity(j, "edits.entity", in->entity, &entity, e))
        return false;
    switch (in->action) {
    case EDIT_MERGE:
        if (!in->into.len)
            return fail(e, ERR_INPUT, "edits.into: missing; merge wants the entity that stays");
        return find_entity(j, "edits.into", in->into, &into, e) && merge(j, &entity, &into, e);
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

/* ---- undo ---- */

struct fields {
    str at[8];
    size_t count;
};

static struct fields split_line(str line)
{
    struct fields f = {.count = 0};
    size_t from = 0;
    while (from <= line.len && f.count < 8) {
        size_t tab = str_find_char(line, '\t', from);
        f.at[f.count++] = str_cut(line, from, tab);
        from = tab + 1;
    }
    return f;
}

static int64_t number_in(const struct fields *f, size_t i)
{
    int64_t v = 0;
    if (i < f->count)
        str_to_int(f->at[i], &v);
    return v;
}

static bool is_there(struct memory *m, struct arena *a, int64_t id, struct err *e)
{
    struct node_row row;
    bool found;
    return store_get_node(m->store, a, id, &row, &found, e) && found;
}

/* Takes one step back. Rows that were forgotten since are passed over. */
static bool take_back(struct memory *m, struct arena *a, str line, struct err *e)
{
    struct fields f = split_line(line);
    str op = f.at[0];
    int64_t id = number_in(&f, 1);
    if (str_eq(op, S("unalias")))
        return store_delete_alias(m->store, f.at[1], e);
    if (str_eq(op, S("question")))
        return store_answer_question(m->store, id, (int)number_in(&f, 2), 0, e);
    if (str_eq(op, S("edge")))
        return !is_there(m, a, number_in(&f, 3), e)
                   ? e->code == ERR_NONE
                   : store_move_edge_end(m->store, id, number_in(&f, 2) != 0, number_in(&f, 3), e);
    if (!is_there(m, a, id, e))
        return e->code == ERR_NONE;
    if (str_eq(op, S("state")))
        return store_set_state(m->store, id, (enum node_state)number_in(&f, 2), f.at[3], e);
    if (str_eq(op, S("entity"))) {
        struct entity_row row = {.id = id,
                                 .merged_into = number_in(&f, 2),
                                 .typed = number_in(&f, 3) != 0,
                                 .type = f.at[4]};
        return store_put_entity(m->store, &row, e);
    }
    if (str_eq(op, S("alias")))
        return store_put_alias(m->store, f.at[2], f.at[3], id, e);
    if (str_eq(op, S("name")))
        return store_set_name(m->store, id, f.at[2], e);
    if (str_eq(op, S("index")))
        return entity_index(m, a, id, e);
    if (str_eq(op, S("delete")))
        return store_delete_node(m->store, id, e);
    return fail(e, ERR_DB, "journal: an unknown step '%.*s'", FMT(op));
}

/* Do two entries touch the same entity? Ids stand behind the first tab. */
static bool overlaps(str one, str other)
{
    str line, rest = one;
    while (str_next_line(&rest, &line)) {
        struct fields f = split_line(line);
        str needle = {f.at[0].at + f.at[0].len, f.at[1].len + 2};
        bool has_id = f.count > 2 && !str_eq(f.at[0], S("edge")) && !str_eq(f.at[0], S("unalias"));
        if (has_id && str_find(other, needle, 0) < other.len)
            return true;
    }
    return false;
}

static bool undo(struct entry *j, str id_text, struct applied *out, struct err *e)
{
    struct journal_row row, *newer;
    size_t count, line_count = 0, capacity = 0;
    int64_t id;
    bool found;
    str *lines = NULL, rest, line;
    if (id_text.len < 2 || id_text.at[0] != 'j' ||
        !str_to_int(str_cut(id_text, 1, id_text.len), &id))
        return fail(e, ERR_INPUT, "undo: '%.*s' is no journal id; wanted: one like j4",
                    FMT(str_cut(id_text, 0, 80)));
    if (!store_get_journal(j->m->store, j->a, id, &row, &found, e))
        return false;
    if (!found || row.undone_ms)
        return fail(e, found ? ERR_CONFLICT : ERR_NOT_FOUND, "undo: %.*s %s", FMT(id_text),
                    found ? "was undone already" : "is not in the journal");
    if (!store_newer_journal(j->m->store, j->a, id, &newer, &count, e))
        return false;
    for (size_t i = count; i-- > 0;)
        if (overlaps(row.undo, newer[i].undo))
            return fail(e, ERR_CONFLICT,
                        "undo: j%lld came later and touches the same; undo that first",
                        (long long)newer[i].id);
    rest = row.undo;
    while (str_next_line(&rest, &line)) {
        ARENA_GROW(j->a, lines, line_count, capacity);
        lines[line_count++] = line;
    }
    while (line_count-- > 0) /* the last change first */
        if (!take_back(j->m, j->a, lines[line_count], e))
            return false;
    *out = (struct applied){.journal = id, .action = row.action, .text = row.text, .undone = true};
    return store_set_undone(j->m->store, id, j->now_ms, e);
}

/* ---- questions ---- */

static bool has_digit_difference(str a, str b)
{
    size_t i = 0, k = 0;
    for (;;) { /* the digits of both, in order */
        while (i < a.len && !(a.at[i] >= '0' && a.at[i] <= '9'))
            i++;
        while (k < b.len && !(b.at[k] >= '0' && b.at[k] <= '9'))
            k++;
        if (i == a.len || k == b.len)
            return i != a.len || k != b.len;
        if (a.at[i++] != b.at[k++])
            return true;
    }
}

static bool equal_without_spaces(str a, str b)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a.len && a.at[i] == ' ')
            i++;
        while (k < b.len && b.at[k] == ' ')
            k++;
        if (i == a.len || k == b.len)
            return i == a.len && k == b.len;
        if (a.at[i++] != b.at[k++])
            return false;
    }
}

/* Names that look like one: spelled together or apart, a letter off, or a short form by a few
 * letters (postgres, postgresql). */
static bool nearly_equal(str a, str b)
{
    enum { MIN_BYTES = 5, MIN_TWO_EDITS = 10, SHORT_FORM = 3, MIN_SHORT_FORM = 6 };
    if (str_eq(a, b) || a.len < MIN_BYTES || b.len < MIN_BYTES || has_digit_difference(a, b))
        return false;
    str small = a.len < b.len ? a : b, large = a.len < b.len ? b : a;
    if (equal_without_spaces(a, b))
        return true;
    if (small.len >= MIN_SHORT_FORM && large.len - small.len <= SHORT_FORM &&
        str_starts(large, small) && large.at[small.len] != ' ')
        return true;
    int most = small.len >= MIN_TWO_EDITS ? 2 : 1;
    return text_edit_distance(a, b, most) <= most;
}

bool review_near_names(struct memory *m, struct arena *a, int64_t entity, str name, int64_t now_ms,
                       struct err *e)
{
    enum { MAX_NEAR = 100, MAX_FILED = 2 };
    struct alias_row *rows;
    size_t count, filed = 0;
    str normal = text_normal_name(a, name);
    if (normal.len < 5 || !store_near_names(m->store, a, normal, MAX_NEAR, &rows, &count, e))
        return e->code == ERR_NONE;
    for (size_t i = 0; i < count && filed < MAX_FILED; i++) {
        if (rows[i].entity == entity || !nearly_equal(normal, rows[i].normal))
            continue;
        struct question_row question = {
            .kind = S("merge"), .a = rows[i].entity, .b = entity, .weight = 1};
        if (!store_put_question(m->store, &question, now_ms, e))
            return false;
        filed++;
    }
    return true;
}

/* Entities on a large part of the memories: they draw walkers without telling anything apart. */
static bool file_hubs(struct entry *j, struct err *e)
{
    enum { MIN_DEGREE = 20 };
    static const double PART = 0.4;
    const struct snapshot *snap = &j->m->snap;
    for (node n = 0; n < snap->graph.count; n++) {
        const struct node_meta *m = &snap->meta[n];
        if (m->kind != NODE_ENTITY || m->state != STATE_CURRENT || m->degree < MIN_DEGREE ||
            m->degree < PART * snap->bodies)
            continue;
        struct question_row question = {
            .kind = S("dismiss"), .a = snap->ids[n], .weight = m->degree};
        if (!store_put_question(j->m->store, &question, j->now_ms, e))
            return false;
    }
    return true;
}

static bool entity_words(struct memory *m, struct arena *a, int64_t id, str *out, size_t *mentions,
                         struct err *e)
{
    struct node_row row;
    struct edge_full *edges;
    bool found;
    *out = S("(gone)");
    *mentions = 0;
    if (!store_get_node(m->store, a, id, &row, &found, e) || !found)
        return e->code == ERR_NONE;
    *out = arena_printf(a, "%.*s (e%lld)", FMT(row.name), (long long)id);
    return store_edges(m->store, a, id, EDGE_MENTIONS, 1000, &edges, mentions, e);
}

static bool describe_question(struct memory *m, struct arena *a, const struct question_row *row,
                              struct question *out, struct err *e)
{
    str x, y = S("");
    size_t x_mentions, y_mentions = 0;
    if (!entity_words(m, a, row->a, &x, &x_mentions, e) ||
        (row->b && !entity_words(m, a, row->b, &y, &y_mentions, e)))
        return false;
    *out = (struct question){.id = row->id, .kind = row->kind};
    if (str_eq(row->kind, S("merge"))) {
        out->text = arena_printf(a, "Are %.*s and %.*s the same?", FMT(x), FMT(y));
        out->effect = arena_printf(a,
                                   "yes: the %zu mentions of %.*s move to %.*s, its name stays an "
                                   "alias; no: never asked again",
                                   y_mentions, FMT(y), FMT(x));
    } else {
        out->text =
            arena_printf(a, "%.*s is on %zu memories. Is it too general to find anything by?",
                         FMT(x), x_mentions);
        out->effect =
            S("yes: it no longer leads from memory to memory; no: it stays, never asked again");
    }
    return true;
}

static bool list_questions(struct memory *m, struct arena *a, size_t limit,
                           struct review_result *out, struct err *e)
{
    struct question_row *rows;
    size_t count, open;
    if (!store_questions(m->store, a, limit, &rows, &count, &open, e))
        return false;
    out->questions = ARENA_ARRAY(a, struct question, count);
    for (size_t i = 0; i < count; i++)
        if (!describe_question(m, a, &rows[i], &out->questions[out->question_count++], e))
            return false;
    out->pending = open - count;
    return true;
}

/* ---- answers ---- */

static bool carry_out(struct entry *j, const struct question_row *q, struct err *e)
{
    struct edit_input in = {.action = EDIT_DISMISS,
                            .entity = node_id_format(j->a, NODE_ENTITY, q->a)};
    if (str_eq(q->kind, S("merge"))) {
        in.action = EDIT_MERGE;
        in.into = in.entity;
        in.entity = node_id_format(j->a, NODE_ENTITY, q->b);
    }
    return edit(j, &in, e);
}

static bool answer(struct entry *j, const struct answer_input *in, str *action, struct err *e)
{
    static const int states[] = {QUESTION_YES, QUESTION_NO, QUESTION_LATER};
    static const char *const words[] = {"yes", "no", "later"};
    struct question_row q;
    int64_t id;
    bool found;
    if (in->question.len < 2 || in->question.at[0] != 'q' ||
        !str_to_int(str_cut(in->question, 1, in->question.len), &id))
        return fail(e, ERR_INPUT, "answers.question: '%.*s' is no question id; wanted: one like q3",
                    FMT(str_cut(in->question, 0, 80)));
    if (!store_get_question(j->m->store, j->a, id, &q, &found, e))
        return false;
    if (!found)
        return fail(e, ERR_NOT_FOUND, "answers.question: there is no %.*s here", FMT(in->question));
    if (q.state == QUESTION_YES || q.state == QUESTION_NO)
        return fail(e, ERR_CONFLICT, "answers.question: %.*s was answered already",
                    FMT(in->question));
    if (in->verdict == VERDICT_YES && !carry_out(j, &q, e))
        return false;
    if (in->verdict != VERDICT_YES)
        buf_printf(&j->text, "q%lld answered with %s", (long long)id, words[in->verdict]);
    step_back(j, "question", "%lld\t%d", (long long)id, q.state);
    *action = S("answer");
    return store_answer_question(j->m->store, id, states[in->verdict], j->now_ms, e);
}

/* ---- the card ---- */

static bool card_relations(struct memory *m, struct arena *a, int64_t id, struct entity_card *card,
                           struct err *e)
{
    enum { MAX_RELATIONS_SHOWN = 20 };
    struct edge_full *edges;
    size_t count;
    if (!store_edges(m->store, a, id, EDGE_RELATION, MAX_RELATIONS_SHOWN, &edges, &count, e))
        return false;
    card->relations = ARENA_ARRAY(a, struct fact_ref, count);
    for (size_t i = 0; i < count; i++) {
        struct node_row from, to, by;
        bool found;
        if (!store_get_node(m->store, a, edges[i].src, &from, &found, e) || !found ||
            !store_get_node(m->store, a, edges[i].dst, &to, &found, e) || !found)
            continue;
        if (!store_get_node(m->store, a, edges[i].said_by, &by, &found, e))
            return false;
        if (found && by.state != STATE_CURRENT)
            continue;
        card->relations[card->relation_count++] =
            (struct fact_ref){.from = from.name,
                              .relation = edges[i].label,
                              .to = to.name,
                              .said_kind = found ? by.kind : NODE_ENTITY,
                              .said_by = edges[i].said_by};
    }
    return e->code == ERR_NONE;
}

static bool card_mentions(struct memory *m, struct arena *a, int64_t id, struct entity_card *card,
                          struct err *e)
{
    enum { MAX_SHOWN = 5, SHOWN_BYTES = 200, MAX_COUNTED = 100000 };
    struct edge_full *edges;
    size_t count;
    if (!store_edges(m->store, a, id, EDGE_MENTIONS, MAX_COUNTED, &edges, &count, e))
        return false;
    card->mentions = count;
    card->latest = ARENA_ARRAY(a, struct card_mention, MAX_SHOWN);
    for (size_t i = 0; i < count && card->latest_count < MAX_SHOWN; i++) {
        struct node_row row;
        bool found;
        str name, text;
        if (!store_get_node(m->store, a, edges[i].src, &row, &found, e) ||
            !store_get_body(m->store, a, edges[i].src, &name, &text, e))
            return false;
        if (found)
            card->latest[card->latest_count++] =
                (struct card_mention){row.kind, row.id, utf8_prefix(text, SHOWN_BYTES)};
    }
    return true;
}

static bool show_card(struct entry *j, str entity, struct entity_card *card, struct err *e)
{
    static const char *const words[] = {"active",    "superseded", "archived",
                                        "dismissed", "merged",     "pending"};
    struct node_row row;
    struct entity_row type;
    struct alias_row *aliases;
    size_t count;
    bool found;
    if (!find_entity(j, "entity", entity, &row, e) ||
        !store_get_entity(j->m->store, j->a, row.id, &type, &found, e) ||
        !store_aliases(j->m->store, j->a, row.id, &aliases, &count, e) ||
        !store_properties(j->m->store, j->a, row.id, &card->props, &card->prop_count, e))
        return false;
    card->id = row.id;
    card->name = row.name;
    card->type = found ? type.type : S("");
    card->status =
        str_of((unsigned)row.state < sizeof words / sizeof *words ? words[row.state] : "active");
    card->aliases = ARENA_ARRAY(j->a, str, count);
    for (size_t i = 0; i < count; i++)
        if (!str_eq(aliases[i].name, row.name))
            card->aliases[card->alias_count++] = aliases[i].name;
    node at = snapshot_find(&j->m->snap, row.id);
    card->degree = at == NO_NODE ? 0 : j->m->snap.meta[at].degree;
    return card_relations(j->m, j->a, row.id, card, e) &&
           card_mentions(j->m, j->a, row.id, card, e);
}

/* ---- the call ---- */

static bool journal(struct entry *j, str action, struct review_result *out, struct err *e)
{
    struct journal_row row = {.stored_ms = j->now_ms,
                              .action = action,
                              .text = buf_str(&j->text),
                              .undo = buf_str(&j->undo)};
    struct applied *applied = &out->applied[out->applied_count++];
    applied->action = action;
    applied->text = arena_str(j->a, row.text);
    bool ok = store_put_journal(j->m->store, &row, &applied->journal, e);
    buf_clear(&j->text);
    buf_clear(&j->undo);
    return ok;
}

static bool apply(struct entry *j, const struct review_input *in, struct review_result *out,
                  struct err *e)
{
    out->applied = ARENA_ARRAY(j->a, struct applied, in->answer_count + in->edit_count + 1);
    for (size_t i = 0; i < in->answer_count; i++) {
        str action;
        if (!answer(j, &in->answers[i], &action, e) || !journal(j, action, out, e))
            return false;
    }
    for (size_t i = 0; i < in->edit_count; i++)
        if (!edit(j, &in->edits[i], e) ||
            !journal(j, str_of(edit_action_name[in->edits[i].action]), out, e))
            return false;
    return !in->undo.len || undo(j, in->undo, &out->applied[out->applied_count++], e);
}

/* Who only looks waits for no lock: the hubs are filed another time. */
static void file_hubs_if_free(struct entry *j)
{
    enum { WAIT_MS = 20 };
    struct err ignored = {0};
    if (!store_read_only_reason(j->m->store).len &&
        store_begin_within(j->m->store, WAIT_MS, &ignored))
        store_end(j->m->store, file_hubs(j, &ignored), &ignored);
}

bool memory_review(struct memory *m, struct arena *a, const struct review_input *in,
                   struct review_result *out, struct err *e)
{
    struct entry j = {.m = m, .a = a, .now_ms = in->from.now_ms};
    *out = (struct review_result){0};
    if (!memory_read(m, e)) /* the snapshot tells which entities are hubs */
        return false;
    store_read_end(m->store);
    if (in->answer_count || in->edit_count || in->undo.len) {
        if (!memory_write(m, e))
            return false;
        bool ok = store_end(m->store, apply(&j, in, out, e), e);
        buf_free(&j.text);
        buf_free(&j.undo);
        if (!ok)
            return false;
    }
    file_hubs_if_free(&j);
    if (!memory_read(m, e))
        return false;
    out->has_card = in->entity.len > 0;
    bool ok = (!in->entity.len || show_card(&j, in->entity, &out->card, e)) &&
              list_questions(m, a, in->limit, out, e);
    store_read_end(m->store);
    return ok;
}
