#include "memory/contradict.h"

#include "memory/words.h"

/* One clause laid beside the other. */
struct side {
    const struct clause *clause;
    str text;
    bool matched[MAX_CLAUSE_WORDS]; /* the other has the word, too */
    bool skipped[MAX_CLAUSE_WORDS]; /* part of a phrase on the time, or of what was so before */
    bool changes;                   /* announces a change */
    bool fresh;                     /* says "new" */
};

/* Words [from, to) of a clause. */
struct span {
    size_t from, to;
};

static uint32_t roles_at(const struct side *s, size_t i)
{
    return i < s->clause->count ? s->clause->words[i].roles : 0;
}

static str key_at(const struct side *s, size_t i)
{
    return i < s->clause->count ? s->clause->words[i].key : S("");
}

static bool is_content(uint32_t roles)
{
    const uint32_t empty = ROLE_STOP | ROLE_FILLER | ROLE_CHANGE | ROLE_NEGATION | ROLE_BE |
                           ROLE_HAVE | ROLE_PREPOSITION | ROLE_CONDITION | ROLE_TIME | ROLE_JOINT;
    return roles & (ROLE_NUMBER | ROLE_NAME) || !(roles & empty);
}

static bool any(const struct side *s, uint32_t roles)
{
    for (size_t i = 0; i < s->clause->count; i++)
        if (roles_at(s, i) & roles)
            return true;
    return false;
}

/* ---- matching ---- */

/* Two forms of one word: the shorter begins the longer (reach, reachable). */
static bool same_word(const struct word *a, const struct word *b)
{
    enum { MIN_STEM = 5 };
    if ((a->roles ^ b->roles) & ROLE_NUMBER)
        return false;
    if (str_eq(a->key, b->key))
        return true;
    return !(a->roles & ROLE_NUMBER) && a->key.len >= MIN_STEM && b->key.len >= MIN_STEM &&
           (str_starts(a->key, b->key) || str_starts(b->key, a->key));
}

static void match(struct side *x, struct side *y)
{
    for (size_t i = 0; i < x->clause->count; i++)
        for (size_t k = 0; k < y->clause->count && !x->matched[i]; k++)
            if (!x->skipped[i] && !y->skipped[k] && !y->matched[k] &&
                same_word(&x->clause->words[i], &y->clause->words[k]))
                x->matched[i] = y->matched[k] = true;
}

/* What the newer clause says of before: "from Jenkins" in front of "to", "instead of Jenkins". */
static void skip_former(struct side *s)
{
    size_t count = s->clause->count;
    for (size_t i = 0; i < count; i++) {
        size_t end = i;
        if (str_eq(key_at(s, i), S("from")))
            while (end < count && !str_eq(key_at(s, end), S("to")))
                end++;
        bool instead = (str_eq(key_at(s, i), S("instead")) || str_eq(key_at(s, i), S("rather"))) &&
                       (str_eq(key_at(s, i + 1), S("of")) || str_eq(key_at(s, i + 1), S("than")));
        if (instead)
            end = count;
        if (end == i || (end == count && !instead))
            continue;
        s->changes = true;
        for (size_t k = i; k < end; k++)
            s->skipped[k] = true;
    }
}

/* Words without a content of their own in front of i: articles and the like. */
static size_t before_determiners(const struct side *s, size_t i)
{
    while (i > 0 && roles_at(s, i - 1) & ROLE_DETERMINER && !(roles_at(s, i - 1) & ROLE_TIME))
        i--;
    return i;
}

/* "this quarter" tells when, "this page" what. */
static bool is_time_of(const struct side *s, size_t i)
{
    static const char nouns[] = "afternoon autumn day even fall friday iter mileston monday month "
                                "morn night quarter releas saturday spring sprint summer sunday "
                                "term thursday tuesday wednesday week weekend winter year";
    bool pointing = str_eq(key_at(s, i), S("this")) || str_eq(key_at(s, i), S("last")) ||
                    str_eq(key_at(s, i), S("next"));
    return !pointing || word_list_has(str_of(nouns), key_at(s, i + 1));
}

/* "since the handover", "this quarter", "after the rewrite": when it came to be so. A number stays:
 * "after 15 minutes" is a value. */
static void skip_times(struct side *s)
{
    size_t count = s->clause->count;
    for (size_t i = 0; i < count; i++) {
        size_t k = i + 1;
        bool looks_after = i > 0 && str_eq(key_at(s, i - 1), S("look"));
        if (!(roles_at(s, i) & ROLE_TIME) || looks_after || !is_time_of(s, i))
            continue;
        while (k < count && roles_at(s, k) & ROLE_DETERMINER)
            k++;
        if (s->matched[k < count ? k : i] || roles_at(s, k) & ROLE_NUMBER)
            continue;
        for (; k < count && is_content(roles_at(s, k)) && !s->matched[k]; k++)
            s->skipped[k] = true;
        s->changes = true;
    }
}

/* ---- what is left ---- */

static bool is_left(const struct side *s, size_t i)
{
    return !s->matched[i] && !s->skipped[i] && is_content(roles_at(s, i));
}

/* The runs of words that the other hasn't; at most `most`, their number is told in full. */
static size_t left_over(struct side *s, struct span *out, size_t most)
{
    size_t found = 0;
    for (size_t i = 0; i < s->clause->count; i++) {
        if (!is_left(s, i))
            continue;
        if (str_eq(key_at(s, i), S("new"))) {
            s->fresh = true;
            continue;
        }
        size_t to = i + 1;
        while (
            to < s->clause->count &&
            (is_left(s, to) || (str_eq(key_at(s, to), S("of")) && roles_at(s, to - 1) & ROLE_NAME &&
                                to + 1 < s->clause->count && is_left(s, to + 1))))
            to++;
        if (found < most)
            out[found] = (struct span){i, to};
        found++;
        i = to - 1;
    }
    return found;
}

static bool span_has(const struct side *s, struct span v, uint32_t roles)
{
    for (size_t i = v.from; i < v.to; i++)
        if (roles_at(s, i) & roles)
            return true;
    return false;
}

static bool is_number(const struct side *s, struct span v)
{
    return span_has(s, v, ROLE_NUMBER);
}

/* The preposition that governs a value, in front of its articles; words.count where there is none.
 */
static size_t preposition_of(const struct side *s, struct span v)
{
    size_t i = before_determiners(s, v.from);
    return i > 0 && roles_at(s, i - 1) & ROLE_PREPOSITION ? i - 1 : s->clause->count;
}

/* The word in front of i is a verb of change and what stands at i is what it changes: "migrates the
 * queue"; not "adopted Kafka", nor "now Kafka". */
static bool is_changed(const struct side *s, size_t i)
{
    static const char others[] = "adopt anymor becam becom decid instead join longer newli now "
                                 "onward";
    return roles_at(s, i - 1) & ROLE_CHANGE && !word_list_has(str_of(others), key_at(s, i - 1));
}

/* "switched to X", "moved from W to X", "went with X", "joined X". */
static bool behind_change(const struct side *s, struct span v)
{
    size_t at = preposition_of(s, v), front = before_determiners(s, v.from);
    if (at == s->clause->count)
        return front > 0 && roles_at(s, front - 1) & ROLE_CHANGE && !is_changed(s, front);
    while (at > 0 && s->skipped[at - 1])
        at--;
    return at > 0 && (roles_at(s, at - 1) & ROLE_CHANGE ||
                      (str_eq(key_at(s, at - 1), S("went")) && str_eq(key_at(s, at), S("with"))));
}

/* The verb of an agent in [from, to): "owns"; not "is owned", not "runs on". */
static bool agent_verb(const struct side *s, size_t from, size_t to)
{
    for (size_t i = from; i < to && i < s->clause->count; i++) {
        if (!(roles_at(s, i) & ROLE_AGENT) || roles_at(s, i + 1) & ROLE_BE ||
            (i > 0 && roles_at(s, i - 1) & ROLE_BE))
            continue;
        bool phrase = str_eq(key_at(s, i), S("look")) || str_eq(key_at(s, i), S("respons"));
        if (phrase || !(roles_at(s, i + 1) & (ROLE_PREPOSITION | ROLE_TIME | ROLE_NUMBER)))
            return true;
        if (str_eq(key_at(s, i + 1), S("over"))) /* takes over */
            return true;
    }
    return false;
}

/* Who does it: a name in front, followed by the verb of an agent or by "is the". */
static bool is_agent(const struct side *s, struct span v)
{
    enum { VERB_WITHIN = 2 }; /* "the Cobalt team owns" */
    for (size_t i = v.from; i < v.to; i++)
        if (!(roles_at(s, i) & ROLE_NAME))
            return false;
    for (size_t i = 0; i < v.from; i++)
        if (!s->skipped[i] && is_content(roles_at(s, i)))
            return false;
    if (roles_at(s, v.to) & ROLE_BE)
        return roles_at(s, v.to + 1) & ROLE_DETERMINER || str_eq(key_at(s, v.to + 1), S("respons"));
    return agent_verb(s, v.to, v.to + VERB_WITHIN);
}

/* Nothing of weight follows but the noun that the value qualifies, a purpose, or the time. */
static bool is_last(const struct side *s, struct span v)
{
    enum { MAX_HEADS = 3 };
    size_t heads = 0;
    for (size_t i = v.to; i < s->clause->count; i++) {
        uint32_t roles = roles_at(s, i);
        if (s->skipped[i] || roles & (ROLE_CHANGE | ROLE_FILLER | ROLE_TIME))
            continue;
        if (str_eq(key_at(s, i), S("for")) || roles & ROLE_AS)
            return true;
        if (roles & (ROLE_BE | ROLE_HAVE | ROLE_AGENT))
            return false;
        if (roles & ROLE_PREPOSITION && i + 1 < s->clause->count && !s->skipped[i + 1] &&
            !(roles_at(s, i + 1) & (ROLE_TIME | ROLE_CHANGE | ROLE_FILLER)))
            return false;
        heads += is_content(roles);
    }
    return heads <= MAX_HEADS;
}

/* A number is a value wherever it stands, but not as a name ("step 3") nor in an opening phrase
 * ("in 2024"). */
static bool is_measure(const struct side *s, struct span v)
{
    bool opened = false;
    if (v.from > 0 && roles_at(s, v.from - 1) & ROLE_COUNTED)
        return false;
    for (size_t i = 0; i < v.from; i++)
        opened |= (is_content(roles_at(s, i)) && !s->skipped[i]) ||
                  roles_at(s, i) & (ROLE_BE | ROLE_HAVE | ROLE_CHANGE);
    return opened;
}

static bool is_value(const struct side *s, struct span v)
{
    if (is_number(s, v))
        return is_measure(s, v);
    if (v.from > 0 && roles_at(s, v.from - 1) & ROLE_BE && span_has(s, v, ROLE_STATE))
        return true;
    if (is_agent(s, v) || behind_change(s, v))
        return true;
    size_t at = preposition_of(s, v), front = before_determiners(s, v.from);
    bool active = at == s->clause->count && agent_verb(s, 0, v.from);
    if (front > 0 && is_changed(s, front))
        return false;
    size_t before = 0;
    for (size_t i = 0; i < v.from; i++)
        before += is_content(roles_at(s, i)) && !s->skipped[i];
    return before > 0 && !active && !(roles_at(s, v.from - 1) & ROLE_TIME) && is_last(s, v);
}

/* ---- may both be true? ---- */

static bool is_list(const struct side *s, struct span v)
{
    str behind = str_cut(s->text, s->clause->words[v.to - 1].to,
                         v.to < s->clause->count ? s->clause->words[v.to].from : 0);
    return roles_at(s, v.to) & ROLE_JOINT || (v.from > 0 && roles_at(s, v.from - 1) & ROLE_JOINT) ||
           (v.to < s->clause->count && str_starts(behind, S(",")) &&
            !(roles_at(s, v.to) & (ROLE_STOP | ROLE_TIME | ROLE_CHANGE)));
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
        if (str_eq(key_at(s, v.to - 1), str_of(units[i].stem)))
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
        return roles_at(x, v.to - 1) & ROLE_NUMBER || roles_at(y, w.to - 1) & ROLE_NUMBER;
    if (p->dimension != q->dimension)
        return false;
    return !str_to_int(key_at(x, v.from), &m) || !str_to_int(key_at(y, w.from), &n) ||
           (double)m * p->factor != (double)n * q->factor;
}

/* The reporting module, the mobile app: values of two kinds, not two values of one. */
static bool kinds_differ(const struct side *x, struct span v, const struct side *y, struct span w)
{
    const uint32_t proper = ROLE_NAME | ROLE_NUMBER;
    bool common = !(roles_at(x, v.to - 1) & proper) && !(roles_at(y, w.to - 1) & proper);
    return common && v.to - v.from > 1 && w.to - w.from > 1;
}

/* How a thing has its value, without a word of change: by a number, by who does it, by "is", by a
 * preposition that takes one. */
static bool has_one(const struct side *s, struct span v)
{
    size_t at = preposition_of(s, v), front = before_determiners(s, v.from);
    if (is_number(s, v) || is_agent(s, v))
        return true;
    if (any(s, ROLE_POSSIBLE))
        return false;
    for (size_t i = 0; i < s->clause->count; i++) /* has a replica; not: has to */
        if (roles_at(s, i) & ROLE_HAVE && !str_eq(key_at(s, i + 1), S("to")))
            return false;
    if (at < s->clause->count)
        return !(roles_at(s, at) & ROLE_RELATION) && at > 0 &&
               !clause_is_plural(key_at(s, at - 1), key_at(s, at));
    for (size_t i = v.to; i < s->clause->count; i++) /* uses X for sessions */
        if (str_eq(key_at(s, i), S("for")) && i + 1 < s->clause->count && s->matched[i + 1])
            return true;
    if (front == 0 || !(roles_at(s, front - 1) & ROLE_BE))
        return false;
    if (span_has(s, v, ROLE_NAME | ROLE_STATE))
        return true;
    for (size_t i = 0; i + 1 < front; i++) /* the colour is, the mascot of the project is */
        if (s->matched[i] && (roles_at(s, i) & ROLE_ATTRIBUTE || str_eq(key_at(s, i + 1), S("of"))))
            return true;
    return false;
}

/* "patched on Tuesdays", "patched with unattended-upgrades". */
static bool prepositions_agree(const struct side *x, struct span v, const struct side *y,
                               struct span w)
{
    uint32_t p = roles_at(x, preposition_of(x, v)) & ROLE_PREPOSITION,
             q = roles_at(y, preposition_of(y, w)) & ROLE_PREPOSITION;
    return p && q ? (p & q) != 0 : true;
}

/* Something holds in staging alone, or if; the other doesn't say so. */
static bool is_narrowed(const struct side *s)
{
    for (size_t i = 0; i < s->clause->count; i++)
        if (roles_at(s, i) & (ROLE_LIMIT | ROLE_CONDITION) && !s->matched[i] && !s->skipped[i])
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
            if (str_eq(key_at(s, i), phrases[p].verb) &&
                str_eq(key_at(s, i + 1), phrases[p].particle))
                return true;
    return false;
}

static size_t shared_words(const struct side *x)
{
    size_t shared = 0;
    for (size_t i = 0; i < x->clause->count; i++)
        shared += x->matched[i] && is_content(roles_at(x, i));
    return shared;
}

/* Two words or a name tell that both are about one thing; so does "I". */
static bool same_subject(const struct side *x, const struct side *y)
{
    size_t names = 0;
    for (size_t i = 0; i < x->clause->count; i++)
        names += x->matched[i] && roles_at(x, i) & ROLE_NAME;
    return shared_words(x) >= 2 || names > 0 ||
           (shared_words(x) && any(x, ROLE_FIRST) && any(y, ROLE_FIRST));
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
    return word_list_has(str_of(verbs), key_at(old, verb)) &&
           verb + 2 >= preposition_of(old, spans[1]) && preposition_of(old, spans[1]) == verb + 1;
}

/* Without the verb that the other hasn't either: "uses Jenkins" is Jenkins. */
static str written(const struct side *s, struct span v)
{
    const uint32_t proper = ROLE_NAME | ROLE_NUMBER;
    while (v.from > 0 && v.from + 1 < v.to && !(roles_at(s, v.from) & proper) &&
           roles_at(s, v.from + 1) & proper &&
           !(roles_at(s, v.from - 1) & (ROLE_DETERMINER | ROLE_PREPOSITION)))
        v.from++;
    return str_cut(s->text, s->clause->words[v.from].from, s->clause->words[v.to - 1].to);
}

static bool values_differ(struct side *old, struct side *fresh, struct contradiction *out)
{
    enum { MOST = 2 };
    struct span x[MOST], y[MOST];
    size_t old_count = left_over(old, x, MOST), new_count = left_over(fresh, y, MOST);
    if (old_count == 2 && new_count == 1 && verb_goes(old, x, old_count, fresh)) {
        x[0] = x[1];
        old_count = 1;
    }
    if (old_count != 1 || new_count != 1 || !is_value(old, x[0]) || !is_value(fresh, y[0]))
        return false;
    if (span_has(old, x[0], ROLE_LIMIT) || span_has(fresh, y[0], ROLE_LIMIT) ||
        any(old, ROLE_NEGATION) || any(fresh, ROLE_NEGATION) || is_list(old, x[0]) ||
        is_list(fresh, y[0]))
        return false;
    bool number = is_number(fresh, y[0]);
    bool moved = behind_change(fresh, y[0]) || (phrases_change(fresh) && is_agent(fresh, y[0]));
    fresh->changes |= moved;
    /* One word is enough where the newer says what it changed to ("the demo moved to ..."). */
    bool told = moved || (fresh->changes && number && is_number(old, x[0]));
    if (!same_subject(old, fresh) && !(told && shared_words(old)))
        return false;
    if (fresh->fresh && !number)
        return false;
    if (number && is_number(old, x[0]) && !measures_differ(old, x[0], fresh, y[0]))
        return false;
    if (!fresh->changes &&
        (number != is_number(old, x[0]) || (!number && kinds_differ(old, x[0], fresh, y[0])) ||
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
        if (roles_at(s, i) & ROLE_NEGATION)
            for (size_t k = i + 1; k < s->clause->count; k++)
                if (is_content(roles_at(s, k)))
                    return s->matched[k];
    return false;
}

/* One says it, the other says that it is not so. */
static bool is_denied(struct side *old, struct side *fresh, struct contradiction *out)
{
    struct span ignored[1];
    bool before = any(old, ROLE_NEGATION), after = any(fresh, ROLE_NEGATION);
    if (before == after || shared_words(old) < 2 || !denies_shared(before ? old : fresh) ||
        left_over(old, ignored, 1) || left_over(fresh, ignored, 1))
        return false;
    *out = before ? (struct contradiction){S("not so"), S("so")}
                  : (struct contradiction){S("so"), S("not so")};
    return true;
}

/* "Maya owns", "Jonas took over": whatever it was that Maya did. */
static void skip_taken_over(struct side *old, const struct side *fresh)
{
    for (size_t k = 0; k < old->clause->count && phrases_change(fresh); k++)
        old->skipped[k] |= !old->matched[k] && roles_at(old, k) & ROLE_AGENT;
}

static bool is_past(const struct side *s)
{
    return any(s, ROLE_PAST) && !any(s, ROLE_CHANGE) && !phrases_change(s);
}

static bool clauses_contradict(const struct saying *older, const struct clause *x,
                               const struct saying *newer, const struct clause *y,
                               struct contradiction *out)
{
    struct side old = {.clause = x, .text = older->text},
                fresh = {.clause = y, .text = newer->text};
    skip_former(&fresh);
    match(&old, &fresh);
    skip_times(&old);
    skip_times(&fresh);
    skip_taken_over(&old, &fresh);
    fresh.changes |= phrases_change(&fresh);
    for (size_t i = 0; i < y->count; i++)
        fresh.changes |= y->words[i].roles & ROLE_CHANGE && !fresh.matched[i];
    bool speaks = (any(&old, ROLE_FIRST) || any(&fresh, ROLE_FIRST)) &&
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
        if (any(&s, ROLE_LIMIT | ROLE_CONDITION | ROLE_NEGATION) ||
            (any(&s, ROLE_PAST) && !any(&s, ROLE_CHANGE)))
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
