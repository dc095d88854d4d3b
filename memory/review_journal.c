#include "memory/review_journal.h"

#include "memory/sleep.h"
#include "memory/store_consolidate.h"
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

enum { MAX_FIELDS = 8 };

struct fields {
    str at[MAX_FIELDS]; /* the operation first */
    size_t count;
    const struct step_kind *kind; /* NULL: unknown */
};

static int64_t number_in(const struct fields *f, size_t i)
{
    int64_t v = 0;
    if (i < f->count)
        str_to_int(f->at[i], &v);
    return v;
}

/* ---- taking a step back: each gets the step's first number and its fields ---- */

struct undoing {
    struct memory *m;
    struct arena *a;
    int64_t now_ms;
};

static bool is_there(struct memory *m, struct arena *a, int64_t id, struct err *e)
{
    struct node_row row;
    bool found;
    return store_get_node(m->store, a, id, &row, &found, e) && found;
}

/* A memory that stepped back for `by`, which may be forgotten by now, is current again, unless
 * another took its place since, or it was told anew. */
static bool make_current(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    struct memory *m = u->m;
    int64_t by = number_in(f, 2);
    struct memory_row row;
    struct edge_full *edges;
    size_t count;
    int64_t same;
    bool found;
    if (!store_get_memory(m->store, u->a, id, &row, &found, e) || !found)
        return e->code == ERR_NONE;
    if (row.superseded_by != by && (row.superseded_by || is_there(m, u->a, by, e)))
        return e->code == ERR_NONE;
    if (!store_find_key(m->store, NODE_MEMORY, row.retry, &same, e) ||
        !store_edges(m->store, u->a, id, EDGE_SUPERSEDES, MAX_SUPERSEDES, &edges, &count, e))
        return false;
    if (same)
        return fail(e, ERR_CONFLICT, "undo: m%lld says the same as m%lld now; forget that first",
                    (long long)same, (long long)id);
    for (size_t i = 0; i < count; i++)
        if (edges[i].src == by && !store_delete_edge(m->store, edges[i].id, e))
            return false;
    return store_set_superseded(m->store, id, 0, e);
}

/* And isn't dormant: the next pass would archive it again. */
static bool revive(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    (void)f;
    return growth_revive(u->m->store, id, e) && growth_put_returned(u->m->store, id, u->now_ms, e);
}

static bool put_state(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    return store_set_state(u->m->store, id, (enum node_state)number_in(f, 2), f->at[3], e);
}

static bool put_trust(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    return store_set_trust(u->m->store, id, (float)number_in(f, 2) / 1000, e);
}

static bool put_entity(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    int64_t into = number_in(f, 2);
    struct entity_row row = {.id = id,
                             .merged_into = into && is_there(u->m, u->a, into, e) ? into : 0,
                             .typed = number_in(f, 3) != 0,
                             .type = f->at[4]};
    return store_put_entity(u->m->store, &row, e) && entity_index(u->m, u->a, id, e);
}

static bool put_name(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    return store_set_name(u->m->store, id, f->at[2], e);
}

static bool put_alias(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    return store_put_alias(u->m->store, f->at[2], f->at[3], id, e);
}

static bool drop_alias(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    (void)id;
    return store_delete_alias(u->m->store, f->at[2], e);
}

static bool move_edge(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    int64_t to = number_in(f, 3);
    if (!is_there(u->m, u->a, to, e))
        return e->code == ERR_NONE;
    return store_move_edge_end(u->m->store, id, number_in(f, 2) != 0, to, e);
}

static bool reopen(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    return store_answer_question(u->m->store, id, (int)number_in(f, 2), 0, e);
}

static bool index_anew(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    (void)f;
    return entity_index(u->m, u->a, id, e);
}

static bool delete_node(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    (void)f;
    return store_delete_node(u->m->store, id, e);
}

/* What was split off goes, and what came to it since is back where it was split off. */
static bool rejoin(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    struct moved_edge *moved;
    size_t count;
    int64_t into = number_in(f, 2);
    if (!is_there(u->m, u->a, into, e)) /* forgotten: it stays */
        return e->code == ERR_NONE;
    return store_move_edges(u->m->store, u->a, id, into, &moved, &count, e) &&
           store_delete_node(u->m->store, id, e);
}

static bool unpromote(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    (void)f;
    return store_set_tier(u->m->store, id, TIER_WORKING, e);
}

static bool leave(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    return store_delete_member(u->m->store, id, number_in(f, 2), e) &&
           store_set_tier(u->m->store, id, TIER_WORKING, e);
}

static bool leave_long_term(const struct undoing *u, int64_t id, const struct fields *f,
                            struct err *e)
{
    return store_delete_member(u->m->store, id, number_in(f, 2), e) &&
           store_set_tier(u->m->store, id, TIER_LONG_TERM, e);
}

/* The version has a letter in front. */
static bool put_version(const struct undoing *u, int64_t id, const struct fields *f, struct err *e)
{
    int64_t version = 0;
    str_to_int(str_cut(f->at[2], 1, f->at[2].len), &version);
    return store_put_consolidated(u->m->store, id, version, e) && sleep_rewrite(u->m, u->a, id, e);
}

/* What the fields of a step are, and what of its first node it takes back.
 * n: a node, e: an edge, q: a question, a: a name in normal form, '.': a value. */
enum facet { ALL, STATE, TYPE, NAME, MEMBERS, OTHER };

static const struct step_kind {
    const char *op, *fields;
    enum facet of;
    bool (*take_back)(const struct undoing *u, int64_t id, const struct fields *f, struct err *e);
} step_kinds[] = {
    {"state", "n..", STATE, put_state},      {"superseded", "nn", STATE, make_current},
    {"archived", "n", STATE, revive},        {"trust", "n.", OTHER, put_trust},
    {"entity", "nn..", TYPE, put_entity},    {"name", "n.", NAME, put_name},
    {"alias", "na.", OTHER, put_alias},      {"unname", "na", OTHER, drop_alias},
    {"edge", "e.n", OTHER, move_edge},       {"question", "q.", OTHER, reopen},
    {"index", "n", OTHER, index_anew},       {"delete", "n", ALL, delete_node},
    {"rejoin", "nn", ALL, rejoin},           {"promoted", "n", MEMBERS, unpromote},
    {"joined", "nn", MEMBERS, leave},        {"joined_long_term", "nn", MEMBERS, leave_long_term},
    {"version", "n.", MEMBERS, put_version},
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

/* The field's letter of step_kinds; 0 behind the last one. */
static char type_of(const struct fields *f, size_t i)
{
    bool has_letter = f->kind && i > 0 && i < f->count && i <= strlen(f->kind->fields);
    return has_letter ? f->kind->fields[i - 1] : 0;
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

/* Takes one step back. Rows that were forgotten since are passed over. */
static bool take_back(const struct undoing *u, str line, struct err *e)
{
    struct fields f = split_line(line);
    int64_t id = number_in(&f, 1);
    if (!f.kind)
        return fail(e, ERR_DB, "journal: an unknown step '%.*s'", FMT(f.at[0]));
    if (f.kind->fields[0] == 'n' && !is_there(u->m, u->a, id, e))
        return e->code == ERR_NONE;
    return f.kind->take_back(u, id, &f, e);
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
    const struct undoing undoing = {j->m, j->a, j->now_ms};
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
        if (!take_back(&undoing, lines[line_count], e))
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
