/* Names that tell nothing, and names that look the same. */
#include "memory/near_names.h"
#include "memory/review_journal.h"
#include "memory/tend.h"
#include "memory/text.h"
#include "memory/words.h"

#include <math.h>
#include <stdlib.h>

enum {
    MIN_MENTIONS = 5,     /* of a name that is dismissed without a question */
    MIN_ASKED = 2,        /* of one that is asked about */
    MAX_DISMISSED = 50,   /* in one run */
    MAX_ASKED_NAMES = 20, /* questions in one run, those that matter most */
};

/* ---- what hangs on names ---- */

struct standing {
    struct growth_name *names;
    size_t name_count;
    uint32_t *mentions; /* of t->nodes */
    bool *related;      /* somebody said a relation of it, or consolidated by it */
    struct tend *t;
};

static void take_edge(void *ctx, const struct growth_edge *edge)
{
    struct standing *s = ctx;
    size_t a = tend_find(s->t, edge->src), b = tend_find(s->t, edge->dst);
    if (a == SIZE_MAX || b == SIZE_MAX)
        return;
    if (edge->kind == EDGE_MENTIONS) {
        s->mentions[b]++;
    } else {
        s->related[a] = true;
        s->related[b] = true;
    }
}

static bool read_standing(struct standing *s, struct err *e)
{
    struct tend *t = s->t;
    if (!tend_nodes(t, e))
        return false;
    s->mentions = ARENA_ARRAY(t->a, uint32_t, t->node_count + 1);
    s->related = ARENA_ARRAY(t->a, bool, t->node_count + 1);
    if (!store_read_begin(t->m->store, e))
        return false;
    bool ok = growth_names(t->m->store, t->a, &s->names, &s->name_count, e) &&
              growth_edges(t->m->store, take_edge, s, e);
    store_read_end(t->m->store);
    return ok;
}

static uint32_t mentions_of(const struct standing *s, int64_t entity)
{
    size_t at = tend_find(s->t, entity);
    return at == SIZE_MAX ? 0 : s->mentions[at];
}

/* ---- general names ---- */

/* One everyday word that nobody gave a type or related to anything. */
static bool is_everyday(const struct standing *s, size_t i)
{
    const struct growth_name *name = &s->names[i];
    bool has_others = (i > 0 && name[-1].entity == name->entity) ||
                      (i + 1 < s->name_count && name[1].entity == name->entity);
    size_t at = tend_find(s->t, name->entity);
    bool is_word = word_is_common(name->normal) || word_is_generic(name->normal) ||
                   word_is_stop(name->normal) || word_is_opener(name->normal);
    return at != SIZE_MAX && !has_others && !name->typed && is_word &&
           !word_is_given_name(name->normal) && !word_is_technology(name->normal) &&
           !s->related[at];
}

/* So clearly so that nobody needs to be asked. */
static bool is_general(const struct standing *s, size_t i)
{
    const struct growth_name *name = &s->names[i];
    return is_everyday(s, i) && (!name->type.len || str_eq(name->type, S("name"))) &&
           mentions_of(s, name->entity) >= MIN_MENTIONS;
}

struct dismissing {
    struct standing s;
    const struct growth_name *of[MAX_DISMISSED], *asked[MAX_ASKED_NAMES];
    size_t asked_count;
    size_t count, dismissed;
    struct entry entry;
    str told; /* what the entry says */
    int64_t journal;
};

static bool dismiss(struct dismissing *d, const struct growth_name *name, struct err *e)
{
    struct tend *t = d->s.t;
    struct node_row row;
    int64_t question;
    bool found;
    struct question_row asked = {.kind = S("dismiss"), .a = name->entity};
    if (!growth_put_question(t->m->store, &asked, t->in->from.now_ms, &question, e) ||
        !store_get_node(t->m->store, t->a, name->entity, &row, &found, e))
        return false;
    if (!question || !found || row.state != STATE_CURRENT)
        return true; /* it was asked about: people decided, or will */
    /* Nobody answered: it counts for no likelihood. Undone it is a "no": it stays for good. */
    step_back(&d->entry, "question", "%lld\t%d", (long long)question, QUESTION_NO);
    buf_printf(&d->entry.text, "%se%lld (%.*s)",
               d->dismissed++ ? ", " : "dismissed as too general: ", (long long)row.id,
               FMT(row.name));
    return note_state(&d->entry, row.id, e) &&
           store_set_state(t->m->store, row.id, STATE_DISMISSED, row.key, e) &&
           store_answer_question(t->m->store, question, QUESTION_YES, 0, e);
}

static bool ask_about(struct tend *t, const struct growth_name *name, struct err *e)
{
    int64_t ignored;
    struct question_row row = {.kind = S("dismiss"), .a = name->entity, .weight = 1};
    return growth_put_question(t->m->store, &row, t->in->from.now_ms, &ignored, e);
}

static bool write_dismissed(struct tend *t, void *ctx, size_t ignored, struct err *e)
{
    struct dismissing *d = ctx;
    (void)ignored;
    for (size_t i = 0; i < d->asked_count; i++)
        if (!ask_about(t, d->asked[i], e))
            return false;
    for (size_t i = 0; i < d->count; i++)
        if (!dismiss(d, d->of[i], e))
            return false;
    d->told = arena_str(t->a, buf_str(&d->entry.text));
    return !d->dismissed || entry_put(&d->entry, S(GENERIC_NAMES), &d->journal, e);
}

bool tend_generic_names(struct tend *t, struct tend_report *out, struct err *e)
{
    struct dismissing d = {.s = {.t = t},
                           .entry = {.m = t->m, .a = t->a, .now_ms = t->in->from.now_ms}};
    if (!read_standing(&d.s, e))
        return false;
    for (size_t i = 0; i < d.s.name_count && d.count < MAX_DISMISSED; i++) {
        if (is_general(&d.s, i))
            d.of[d.count++] = &d.s.names[i];
        else if (is_everyday(&d.s, i) && mentions_of(&d.s, d.s.names[i].entity) >= MIN_ASKED &&
                 d.asked_count < MAX_ASKED_NAMES)
            d.asked[d.asked_count++] = &d.s.names[i];
    }
    bool ok = !(d.count + d.asked_count) || tend_write_all(t, 1, write_dismissed, &d, e);
    out->changed = t->in->dry_run ? d.count : d.dismissed;
    out->journal = d.journal;
    if (out->changed)
        out->text = d.dismissed ? d.told : arena_printf(t->a, "%zu names are too general", d.count);
    entry_free(&d.entry);
    return ok;
}

/* ---- names that look the same ---- */

struct asking {
    struct question_row *rows;
    size_t count, filed;
};

static int by_weight(const void *x, const void *y)
{
    const struct question_row *a = x, *b = y;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* The one that more mention stays. What it would change: how much comes together. */
static struct question_row question_about(const struct standing *s, const struct near_pair *pair)
{
    uint32_t of_a = mentions_of(s, pair->a), of_b = mentions_of(s, pair->b);
    bool b_stays = of_b > of_a;
    return (struct question_row){.kind = S("merge"),
                                 .a = b_stays ? pair->b : pair->a,
                                 .b = b_stays ? pair->a : pair->b,
                                 .weight = (float)(1 + log1p(of_a) * log1p(of_b))};
}

static bool write_question(struct tend *t, void *ctx, size_t i, struct err *e)
{
    struct asking *asking = ctx;
    int64_t id;
    if (asking->filed == MAX_ASKED_NAMES)
        return true;
    if (!growth_put_question(t->m->store, &asking->rows[i], t->in->from.now_ms, &id, e))
        return false;
    asking->filed += id != 0;
    return true;
}

bool tend_near_names(struct tend *t, struct tend_report *out, struct err *e)
{
    struct standing s = {.t = t};
    struct asking asking = {0};
    struct near_pair *pairs;
    size_t count;
    if (!read_standing(&s, e))
        return false;
    struct near_name *names = ARENA_ARRAY(t->a, struct near_name, s.name_count + 1);
    for (size_t i = 0; i < s.name_count; i++)
        names[i] = (struct near_name){s.names[i].entity, s.names[i].normal};
    near_names_find(t->a, names, s.name_count, &pairs, &count);
    asking.rows = ARENA_ARRAY(t->a, struct question_row, count + 1);
    for (size_t i = 0; i < count; i++)
        asking.rows[asking.count++] = question_about(&s, &pairs[i]);
    qsort(asking.rows, asking.count, sizeof *asking.rows, by_weight);
    bool ok = tend_write_all(t, asking.count, write_question, &asking, e);
    out->changed = asking.filed;
    if (count)
        out->text = arena_printf(
            t->a, "%zu pairs of names look the same%s", count,
            t->in->dry_run ? "" : arena_printf(t->a, ", %zu new questions", asking.filed).at);
    return ok;
}
