#include "memory/contradict.h"

#include "memory/contradict_sides.h"
#include "memory/words.h"

/* ---- may both be true? ---- */

static bool is_list(const struct side *s, struct span v)
{
    str behind = str_cut(s->text, s->clause->words[v.to - 1].to,
                         v.to < s->clause->count ? s->clause->words[v.to].from : 0);
    return side_roles(s, v.to) & ROLE_JOINT ||
           (v.from > 0 && side_roles(s, v.from - 1) & ROLE_JOINT) ||
           (v.to < s->clause->count && str_starts(behind, S(",")) &&
            !(side_roles(s, v.to) & (ROLE_STOP | ROLE_TIME | ROLE_CHANGE)));
}

/* Units that one number can be told in, with their factors. */
static const struct unit {
    const char *stem;
    char dimension;
    double factor;
} units[] = {
    {"ms", 't', 1e-3},   {"millisecond", 't', 1e-3}, {"s", 't', 1},
    {"sec", 't', 1},     {"second", 't', 1},         {"min", 't', 60},
    {"minut", 't', 60},  {"h", 't', 3600},           {"hour", 't', 3600},
    {"day", 't', 86400}, {"week", 't', 7 * 86400},   {"kb", 'b', 1e3},
    {"mb", 'b', 1e6},    {"gb", 'b', 1e9},           {"tb", 'b', 1e12},
    {"month", 'm', 1},   {"year", 'm', 12},
};

static const struct unit *unit_of(const struct side *s, struct span v)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (str_eq(side_key(s, v.to - 1), str_of(units[i].stem)))
            return &units[i];
    return NULL;
}

/* 60 minutes are an hour: no other value. Beside a number, seats and licences are other things. */
static bool measures_differ(const struct side *x, struct span v, const struct side *y,
                            struct span w)
{
    const struct unit *p = unit_of(x, v), *q = unit_of(y, w);
    int64_t m, n;
    if (!p || !q)
        return side_roles(x, v.to - 1) & ROLE_NUMBER || side_roles(y, w.to - 1) & ROLE_NUMBER;
    if (p->dimension != q->dimension)
        return false;
    return !str_to_int(side_key(x, v.from), &m) || !str_to_int(side_key(y, w.from), &n) ||
           (double)m * p->factor != (double)n * q->factor;
}

/* The reporting module, the mobile app: values of two kinds, not two values of one. */
static bool kinds_differ(const struct side *x, struct span v, const struct side *y, struct span w)
{
    const uint32_t proper = ROLE_NAME | ROLE_NUMBER;
    bool common = !(side_roles(x, v.to - 1) & proper) && !(side_roles(y, w.to - 1) & proper);
    return common && v.to - v.from > 1 && w.to - w.from > 1;
}

/* How a thing has its value, without a word of change: by a number, by who does it, by "is", by a
 * preposition that takes one. */
static bool has_one(const struct side *s, struct span v)
{
    size_t at = span_preposition(s, v), front = side_front(s, v.from);
    if (span_is_number(s, v) || span_is_agent(s, v))
        return true;
    if (side_has(s, ROLE_POSSIBLE))
        return false;
    for (size_t i = 0; i < s->clause->count; i++) /* has a replica; not: has to */
        if (side_roles(s, i) & ROLE_HAVE && !str_eq(side_key(s, i + 1), S("to")))
            return false;
    if (at < s->clause->count)
        return !(side_roles(s, at) & ROLE_RELATION) && at > 0 &&
               !clause_is_plural(side_key(s, at - 1), side_key(s, at));
    for (size_t i = v.to; i < s->clause->count; i++) /* uses X for sessions */
        if (str_eq(side_key(s, i), S("for")) && i + 1 < s->clause->count && s->matched[i + 1])
            return true;
    if (front == 0 || !(side_roles(s, front - 1) & ROLE_BE))
        return false;
    if (span_has(s, v, ROLE_NAME | ROLE_STATE))
        return true;
    for (size_t i = 0; i + 1 < front; i++) /* the colour is, the mascot of the project is */
        if (s->matched[i] &&
            (side_roles(s, i) & ROLE_ATTRIBUTE || str_eq(side_key(s, i + 1), S("of"))))
            return true;
    return false;
}

/* "patched on Tuesdays", "patched with unattended-upgrades". */
static bool prepositions_agree(const struct side *x, struct span v, const struct side *y,
                               struct span w)
{
    uint32_t p = side_roles(x, span_preposition(x, v)) & ROLE_PREPOSITION,
             q = side_roles(y, span_preposition(y, w)) & ROLE_PREPOSITION;
    return p && q ? (p & q) != 0 : true;
}

/* Something holds in staging alone, or if; the other doesn't say so. */
static bool is_narrowed(const struct side *s)
{
    for (size_t i = 0; i < s->clause->count; i++)
        if (side_roles(s, i) & (ROLE_LIMIT | ROLE_CONDITION) && !s->matched[i] && !s->skipped[i])
            return true;
    return false;
}

/* Says in two words that something changed: "took over", "went with". */
static bool phrases_change(const struct side *s)
{
    static const struct {
        str verb, particle;
    } phrases[] = {{{"take", 4}, {"over", 4}}, {{"went", 4}, {"with", 4}}};
    for (size_t i = 0; i < s->clause->count; i++)
        for (size_t p = 0; p < sizeof phrases / sizeof *phrases; p++)
            if (str_eq(side_key(s, i), phrases[p].verb) &&
                str_eq(side_key(s, i + 1), phrases[p].particle))
                return true;
    return false;
}

static size_t shared_words(const struct side *x)
{
    size_t shared = 0;
    for (size_t i = 0; i < x->clause->count; i++)
        shared += x->matched[i] && side_is_content(side_roles(x, i));
    return shared;
}

/* Two words or a name tell that both are about one thing; so does "I". */
static bool same_subject(const struct side *x, const struct side *y)
{
    size_t names = 0;
    for (size_t i = 0; i < x->clause->count; i++)
        names += x->matched[i] && side_roles(x, i) & ROLE_NAME;
    return shared_words(x) >= 2 || names > 0 ||
           (shared_words(x) && side_has(x, ROLE_FIRST) && side_has(y, ROLE_FIRST));
}

/* The verb of the older may be gone where the newer says "moved to" or "is now": "lives in", "is
 * written in". */
static bool verb_goes(const struct side *old, const struct span *spans, size_t count,
                      const struct side *fresh)
{
    static const char verbs[] = "base built deploy develop do host implement kept live locat meet "
                                "run seat sit stay store use work write written";
    if (count != 2 || !fresh->changes || spans[0].to - spans[0].from != 1)
        return false;
    size_t verb = spans[0].from;
    return word_list_has(str_of(verbs), side_key(old, verb)) &&
           verb + 2 >= span_preposition(old, spans[1]) &&
           span_preposition(old, spans[1]) == verb + 1;
}

/* Without the verb that the other hasn't either: "uses Jenkins" is Jenkins. */
static str written(const struct side *s, struct span v)
{
    const uint32_t proper = ROLE_NAME | ROLE_NUMBER;
    while (v.from > 0 && v.from + 1 < v.to && !(side_roles(s, v.from) & proper) &&
           side_roles(s, v.from + 1) & proper &&
           !(side_roles(s, v.from - 1) & (ROLE_DETERMINER | ROLE_PREPOSITION)))
        v.from++;
    return str_cut(s->text, s->clause->words[v.from].from, s->clause->words[v.to - 1].to);
}

static bool values_differ(struct side *old, struct side *fresh, struct contradiction *out)
{
    enum { MOST = 2 };
    struct span x[MOST], y[MOST];
    size_t old_count = side_left_over(old, x, MOST), new_count = side_left_over(fresh, y, MOST);
    if (old_count == 2 && new_count == 1 && verb_goes(old, x, old_count, fresh)) {
        x[0] = x[1];
        old_count = 1;
    }
    if (old_count != 1 || new_count != 1 || !span_is_value(old, x[0]) ||
        !span_is_value(fresh, y[0]))
        return false;
    if (span_has(old, x[0], ROLE_LIMIT) || span_has(fresh, y[0], ROLE_LIMIT) ||
        side_has(old, ROLE_NEGATION) || side_has(fresh, ROLE_NEGATION) || is_list(old, x[0]) ||
        is_list(fresh, y[0]))
        return false;
    bool number = span_is_number(fresh, y[0]);
    bool moved =
        span_behind_change(fresh, y[0]) || (phrases_change(fresh) && span_is_agent(fresh, y[0]));
    fresh->changes |= moved;
    /* One word is enough where the newer says what it changed to ("the demo moved to ..."). */
    bool told = moved || (fresh->changes && number && span_is_number(old, x[0]));
    if (!same_subject(old, fresh) && !(told && shared_words(old)))
        return false;
    if (fresh->fresh && !number)
        return false;
    if (number && span_is_number(old, x[0]) && !measures_differ(old, x[0], fresh, y[0]))
        return false;
    if (!fresh->changes &&
        (number != span_is_number(old, x[0]) || (!number && kinds_differ(old, x[0], fresh, y[0])) ||
         !prepositions_agree(old, x[0], fresh, y[0]) || !has_one(old, x[0]) ||
         !has_one(fresh, y[0])))
        return false;
    *out = (struct contradiction){written(old, x[0]), written(fresh, y[0])};
    return true;
}

/* What is denied is what the other says: "isn't supported". */
static bool denies_shared(const struct side *s)
{
    for (size_t i = 0; i < s->clause->count; i++)
        if (side_roles(s, i) & ROLE_NEGATION)
            for (size_t k = i + 1; k < s->clause->count; k++)
                if (side_is_content(side_roles(s, k)))
                    return s->matched[k];
    return false;
}

/* One says it, the other says that it is not so. */
static bool is_denied(struct side *old, struct side *fresh, struct contradiction *out)
{
    struct span ignored[1];
    bool before = side_has(old, ROLE_NEGATION), after = side_has(fresh, ROLE_NEGATION);
    if (before == after || shared_words(old) < 2 || !denies_shared(before ? old : fresh) ||
        side_left_over(old, ignored, 1) || side_left_over(fresh, ignored, 1))
        return false;
    *out = before ? (struct contradiction){S("not so"), S("so")}
                  : (struct contradiction){S("so"), S("not so")};
    return true;
}

/* "Maya owns", "Jonas took over": whatever it was that Maya did. */
static void skip_taken_over(struct side *old, const struct side *fresh)
{
    for (size_t k = 0; k < old->clause->count && phrases_change(fresh); k++)
        old->skipped[k] |= !old->matched[k] && side_roles(old, k) & ROLE_AGENT;
}

static bool is_past(const struct side *s)
{
    return side_has(s, ROLE_PAST) && !side_has(s, ROLE_CHANGE) && !phrases_change(s);
}

static bool clauses_contradict(const struct saying *older, const struct clause *x,
                               const struct saying *newer, const struct clause *y,
                               struct contradiction *out)
{
    struct side old = {.clause = x, .text = older->text},
                fresh = {.clause = y, .text = newer->text};
    side_skip_former(&fresh);
    side_match(&old, &fresh);
    side_skip_times(&old);
    side_skip_times(&fresh);
    skip_taken_over(&old, &fresh);
    fresh.changes |= phrases_change(&fresh);
    for (size_t i = 0; i < y->count; i++)
        fresh.changes |= y->words[i].roles & ROLE_CHANGE && !fresh.matched[i];
    bool speaks = (side_has(&old, ROLE_FIRST) || side_has(&fresh, ROLE_FIRST)) &&
                  !str_eq(older->speaker, newer->speaker);
    bool over = is_past(&old), happened = is_past(&fresh) && !fresh.changes;
    if (speaks || over || happened || is_narrowed(&old) || is_narrowed(&fresh))
        return false;
    return is_denied(&old, &fresh, out) || values_differ(&old, &fresh, out);
}

/* ---- relations ---- */

bool contradict_takes_one(str label)
{
    static const char labels[] =
        "assigned_to based_in built_with deployed_on deployed_to has_status has_version hosted_by "
        "hosted_on led_by listens_on lives_in located_in maintained_by managed_by member_of "
        "owned_by provided_by reports_to runs_on scheduled_for status stored_in stores_in "
        "supervised_by version works_at works_for written_in";
    return word_list_has(str_of(labels), label);
}

/* The only thing that `from` has by this relation; NULL where there are several. */
static const struct said_relation *only(const struct saying *s, str from, str relation)
{
    const struct said_relation *found = NULL;
    for (size_t i = 0; i < s->relation_count; i++) {
        const struct said_relation *r = &s->relations[i];
        if (!str_eq(r->from, from) || !str_eq(r->relation, relation))
            continue;
        if (found)
            return NULL;
        found = r;
    }
    return found;
}

/* Whether a text says of itself that it holds somewhere alone, or was so once. */
static bool is_qualified(const struct saying *said)
{
    for (size_t i = 0; i < said->clause_count; i++) {
        struct side s = {.clause = &said->clauses[i]};
        if (side_has(&s, ROLE_LIMIT | ROLE_CONDITION | ROLE_NEGATION) ||
            (side_has(&s, ROLE_PAST) && !side_has(&s, ROLE_CHANGE)))
            return true;
    }
    return false;
}

static bool relations_contradict(const struct saying *older, const struct saying *newer,
                                 struct contradiction *out)
{
    for (size_t i = 0; i < newer->relation_count; i++) {
        const struct said_relation *n = &newer->relations[i];
        const struct said_relation *o = only(older, n->from, n->relation);
        if (!contradict_takes_one(n->relation) || !o || only(newer, n->from, n->relation) != n ||
            str_eq(o->to, n->to))
            continue;
        *out = (struct contradiction){o->to, n->to};
        return true;
    }
    return false;
}

struct saying saying_of(struct arena *a, str text)
{
    struct saying s = {.text = text};
    s.clauses = clauses_of(a, text, &s.clause_count);
    return s;
}

bool contradict(const struct saying *older, const struct saying *newer, struct contradiction *out)
{
    for (size_t i = 0; i < older->clause_count; i++)
        for (size_t k = 0; k < newer->clause_count; k++)
            if (clauses_contradict(older, &older->clauses[i], newer, &newer->clauses[k], out))
                return true;
    return newer->relation_count && !is_qualified(older) && !is_qualified(newer) &&
           relations_contradict(older, newer, out);
}
