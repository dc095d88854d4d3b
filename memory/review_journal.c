#include "memory/review_journal.h"

#include "memory/sleep.h"
#include "memory/store_growth.h"
#include "memory/store_review_find.h"

#include <stdio.h>

void step_back(struct entry *j, const char *op, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str fields = arena_vprintf(j->a, format, args);
    va_end(args);
    buf_printf(&j->undo, "%s\t%.*s\t\n", op, FMT(fields));
}

bool note_state(struct entry *j, int64_t id, struct err *e)
{
    struct node_row row;
    bool found;
    if (!store_get_node(j->m->store, j->a, id, &row, &found, e) || !found)
        return e->code == ERR_NONE;
    step_back(j, "state", "%lld\t%d\t%.*s", (long long)id, row.state, FMT(row.key));
    return true;
}

bool note_entity(struct entry *j, int64_t id, struct err *e)
{
    struct entity_row row;
    bool found;
    if (!store_get_entity(j->m->store, j->a, id, &row, &found, e) || !found)
        return e->code == ERR_NONE;
    step_back(j, "entity", "%lld\t%lld\t%d\t%.*s", (long long)id, (long long)row.merged_into,
              row.typed, FMT(row.type));
    return true;
}

bool entry_put(struct entry *j, str action, int64_t *journal, struct err *e)
{
    struct journal_row row = {.stored_ms = j->now_ms,
                              .action = action,
                              .text = buf_str(&j->text),
                              .undo = buf_str(&j->undo)};
    bool ok = store_put_journal(j->m->store, &row, journal, e);
    buf_clear(&j->text);
    buf_clear(&j->undo);
    return ok;
}

void entry_free(struct entry *j)
{
    buf_free(&j->text);
    buf_free(&j->undo);
}

/* ---- steps ---- */

/* What the fields of a step are, and what of its first node it takes back.
 * n: a node, e: an edge, q: a question, a: a name in normal form, '.': a value. */
enum facet { ALL, STATE, TYPE, NAME, MEMBERS, OTHER };

static const struct step_kind {
    const char *op, *fields;
    enum facet of;
} step_kinds[] = {
    {"state", "n..", STATE},    {"superseded", "nn", STATE},
    {"archived", "n", STATE},   {"trust", "n.", OTHER},
    {"entity", "nn..", TYPE},   {"name", "n.", NAME},
    {"alias", "na.", OTHER},    {"unname", "na", OTHER},
    {"edge", "e.n", OTHER},     {"question", "q.", OTHER},
    {"index", "n", OTHER},      {"delete", "n", ALL},
    {"rejoin", "nn", ALL},      {"promoted", "n", MEMBERS},
    {"joined", "nn", MEMBERS},  {"joined_long_term", "nn", MEMBERS},
    {"version", "n.", MEMBERS},
};

enum { MAX_FIELDS = 8 };

struct fields {
    str at[MAX_FIELDS];
    size_t count;
    const struct step_kind *kind; /* NULL: unknown */
};

static struct fields split_line(str line)
{
    struct fields f = {.count = 0};
    size_t from = 0;
    while (from <= line.len && f.count < MAX_FIELDS) {
        size_t tab = str_find_char(line, '\t', from);
        f.at[f.count++] = str_cut(line, from, tab);
        from = tab + 1;
    }
    for (size_t i = 0; i < sizeof step_kinds / sizeof *step_kinds; i++)
        if (str_eq(f.at[0], str_of(step_kinds[i].op)))
            f.kind = &step_kinds[i];
    return f;
}

static int64_t number_in(const struct fields *f, size_t i)
{
    int64_t v = 0;
    if (i < f->count)
        str_to_int(f->at[i], &v);
    return v;
}

/* The field's letter of step_kinds; 0 behind the last one. */
static char type_of(const struct fields *f, size_t i)
{
    bool is_there = f->kind && i > 0 && i < f->count && i <= strlen(f->kind->fields);
    return is_there ? f->kind->fields[i - 1] : 0;
}

static bool names(const struct fields *f, char type, str value)
{
    for (size_t i = 1; i < f->count; i++)
        if (type_of(f, i) == type && str_eq(f->at[i], value))
            return true;
    return false;
}

/* The node that a step changes back: the first that it names. */
static str subject(const struct fields *f)
{
    for (size_t i = 1; i < f->count; i++)
        if (type_of(f, i) == 'n')
            return f->at[i];
    return S("");
}

/* ---- undo ---- */

static bool is_there(struct memory *m, struct arena *a, int64_t id, struct err *e)
{
    struct node_row row;
    bool found;
    return store_get_node(m->store, a, id, &row, &found, e) && found;
}

/* A memory that stepped back for `by`, which may be forgotten by now, is current again, unless
 * another took its place since, or it was told anew. */
static bool make_current(struct memory *m, struct arena *a, int64_t id, int64_t by, struct err *e)
{
    struct memory_row row;
    struct edge_full *edges;
    size_t count;
    int64_t same;
    bool found;
    if (!store_get_memory(m->store, a, id, &row, &found, e) || !found)
        return e->code == ERR_NONE;
    if (row.superseded_by != by && (row.superseded_by || is_there(m, a, by, e)))
        return e->code == ERR_NONE;
    if (!store_find_key(m->store, NODE_MEMORY, row.retry, &same, e) ||
        !store_edges(m->store, a, id, EDGE_SUPERSEDES, MAX_SUPERSEDES, &edges, &count, e))
        return false;
    if (same)
        return fail(e, ERR_CONFLICT, "undo: m%lld says the same as m%lld now; forget that first",
                    (long long)same, (long long)id);
    for (size_t i = 0; i < count; i++)
        if (edges[i].src == by && !store_delete_edge(m->store, edges[i].id, e))
            return false;
    return store_set_superseded(m->store, id, 0, e);
}

/* What was split off goes, and what came to it since is back where it was split off. */
static bool rejoin(struct memory *m, struct arena *a, int64_t id, int64_t into, struct err *e)
{
    struct moved_edge *moved;
    size_t count;
    if (!is_there(m, a, into, e)) /* forgotten: it stays */
        return e->code == ERR_NONE;
    return store_move_edges(m->store, a, id, into, &moved, &count, e) &&
           store_delete_node(m->store, id, e);
}

/* Takes one step back. Rows that were forgotten since are passed over. */
static bool take_back(struct memory *m, struct arena *a, str line, int64_t now_ms, struct err *e)
{
    struct fields f = split_line(line);
    str op = f.at[0];
    int64_t id = number_in(&f, 1);
    if (str_eq(op, S("unname")))
        return store_delete_alias(m->store, f.at[2], e);
    if (str_eq(op, S("question")))
        return store_answer_question(m->store, id, (int)number_in(&f, 2), 0, e);
    if (str_eq(op, S("edge")))
        return !is_there(m, a, number_in(&f, 3), e)
                   ? e->code == ERR_NONE
                   : store_move_edge_end(m->store, id, number_in(&f, 2) != 0, number_in(&f, 3), e);
    if (!is_there(m, a, id, e))
        return e->code == ERR_NONE;
    if (str_eq(op, S("superseded")))
        return make_current(m, a, id, number_in(&f, 2), e);
    if (str_eq(op, S("archived"))) /* and isn't dormant: the next pass would archive it again */
        return growth_revive(m->store, id, e) && growth_put_returned(m->store, id, now_ms, e);
    if (str_eq(op, S("state")))
        return store_set_state(m->store, id, (enum node_state)number_in(&f, 2), f.at[3], e);
    if (str_eq(op, S("entity"))) {
        int64_t into = number_in(&f, 2);
        struct entity_row row = {.id = id,
                                 .merged_into = into && is_there(m, a, into, e) ? into : 0,
                                 .typed = number_in(&f, 3) != 0,
                                 .type = f.at[4]};
        return store_put_entity(m->store, &row, e) && entity_index(m, a, id, e);
    }
    if (str_eq(op, S("alias")))
        return store_put_alias(m->store, f.at[2], f.at[3], id, e);
    if (str_eq(op, S("name")))
        return store_set_name(m->store, id, f.at[2], e);
    if (str_eq(op, S("index")))
        return entity_index(m, a, id, e);
    if (str_eq(op, S("delete")))
        return store_delete_node(m->store, id, e);
    if (str_eq(op, S("rejoin")))
        return rejoin(m, a, id, number_in(&f, 2), e);
    if (str_eq(op, S("trust")))
        return store_set_trust(m->store, id, (float)number_in(&f, 2) / 1000, e);
    bool known;
    if (!sleep_take_back(m, a, op, id, f.at[2], &known, e) || known)
        return e->code == ERR_NONE;
    return fail(e, ERR_DB, "journal: an unknown step '%.*s'", FMT(op));
}

/* Would taking `older` back pull something from under `newer`? Steps that made a node are in the
 * way of all that came to it, others of what changed the same of the same. */
static bool is_in_the_way(const struct fields *older, const struct fields *newer)
{
    static const char keys[] = {'e', 'q', 'a'};
    if (!older->kind || !newer->kind)
        return true;
    for (size_t k = 0; k < sizeof keys; k++)
        for (size_t i = 1; i < older->count; i++)
            if (type_of(older, i) == keys[k] && names(newer, keys[k], older->at[i]))
                return true;
    if (older->kind->of == ALL)
        return names(newer, 'n', older->at[1]);
    if (older->kind->of != newer->kind->of || older->kind->of == OTHER)
        return false;
    for (size_t i = 1; i < older->count; i++)
        if (type_of(older, i) == 'n' && names(newer, 'n', older->at[i]))
            return true;
    return false;
}

static bool overlaps(str older, str newer)
{
    str line, line_of_newer;
    while (str_next_line(&older, &line)) {
        struct fields f = split_line(line);
        for (str rest = newer; str_next_line(&rest, &line_of_newer);) {
            struct fields g = split_line(line_of_newer);
            if (is_in_the_way(&f, &g))
                return true;
        }
    }
    return false;
}

bool review_undo(struct entry *j, str id_text, struct applied *out, struct err *e)
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
            return fail(e, ERR_CONFLICT, "undo: j%lld came later and stands on it; undo that first",
                        (long long)newer[i].id);
    rest = row.undo;
    while (str_next_line(&rest, &line)) {
        ARENA_GROW(j->a, lines, line_count, capacity);
        lines[line_count++] = line;
    }
    while (line_count-- > 0) /* the last change first */
        if (!take_back(j->m, j->a, lines[line_count], j->now_ms, e))
            return false;
    *out = (struct applied){.journal = id, .action = row.action, .text = row.text, .undone = true};
    return store_set_undone(j->m->store, id, j->now_ms, e);
}

/* ---- forgetting ---- */

bool journal_forget(struct memory *m, struct arena *a, int64_t id, struct err *e)
{
    struct journal_row *rows;
    size_t count;
    str number = arena_printf(a, "%lld", (long long)id);
    if (!store_journal_with(m->store, a, number, &rows, &count, e))
        return false;
    for (size_t i = 0; i < count && e->code == ERR_NONE; i++) {
        struct buf left = {0};
        str rest = rows[i].undo, line;
        bool is_about = false, only_ids = str_eq(rows[i].action, S(DECAY));
        while (str_next_line(&rest, &line)) {
            struct fields f = split_line(line);
            is_about |= names(&f, 'n', number);
            if (!str_eq(subject(&f), number))
                buf_printf(&left, "%.*s\n", FMT(line));
        }
        if (is_about && !left.len)
            rows[i].undone_ms = rows[i].undone_ms ? rows[i].undone_ms : rows[i].stored_ms;
        if (is_about && !only_ids)
            rows[i].text = left.len ? S("(forgotten in part)") : S("(forgotten)");
        rows[i].undo = buf_str(&left);
        if (is_about)
            store_set_journal(m->store, &rows[i], e);
        buf_free(&left);
    }
    return e->code == ERR_NONE;
}

bool journal_split_off(struct memory *m, struct arena *a, int64_t from, int64_t **out,
                       size_t *count, struct err *e)
{
    struct journal_row *rows;
    size_t row_count, capacity = 0;
    str number = arena_printf(a, "%lld", (long long)from), line;
    *out = NULL;
    *count = 0;
    if (!store_journal_with(m->store, a, number, &rows, &row_count, e))
        return false;
    for (size_t i = 0; i < row_count; i++)
        for (str rest = rows[i].undo; str_next_line(&rest, &line);) {
            struct fields f = split_line(line);
            if (!str_eq(f.at[0], S("rejoin")) || number_in(&f, 2) != from)
                continue;
            ARENA_GROW(a, *out, *count, capacity);
            (*out)[(*count)++] = number_in(&f, 1);
        }
    return true;
}
