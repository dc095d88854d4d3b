#include "memory/contradict_sides.h"

#include "memory/words.h"

bool side_is_content(uint32_t roles)
{
    const uint32_t empty = ROLE_STOP | ROLE_FILLER | ROLE_CHANGE | ROLE_NEGATION | ROLE_BE |
                           ROLE_HAVE | ROLE_PREPOSITION | ROLE_CONDITION | ROLE_TIME | ROLE_JOINT;
    return roles & (ROLE_NUMBER | ROLE_NAME) || !(roles & empty);
}

bool side_has(const struct side *s, uint32_t roles)
{
    for (size_t i = 0; i < s->clause->count; i++)
        if (side_roles(s, i) & roles)
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

void side_match(struct side *x, struct side *y)
{
    for (size_t i = 0; i < x->clause->count; i++)
        for (size_t k = 0; k < y->clause->count && !x->matched[i]; k++)
            if (!x->skipped[i] && !y->skipped[k] && !y->matched[k] &&
                same_word(&x->clause->words[i], &y->clause->words[k]))
                x->matched[i] = y->matched[k] = true;
}

/* What the newer clause says of before: "from Jenkins" in front of "to", "instead of Jenkins". */
void side_skip_former(struct side *s)
{
    size_t count = s->clause->count;
    for (size_t i = 0; i < count; i++) {
        size_t end = i;
        if (str_eq(side_key(s, i), S("from")))
            while (end < count && !str_eq(side_key(s, end), S("to")))
                end++;
        bool instead =
            (str_eq(side_key(s, i), S("instead")) || str_eq(side_key(s, i), S("rather"))) &&
            (str_eq(side_key(s, i + 1), S("of")) || str_eq(side_key(s, i + 1), S("than")));
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
size_t side_front(const struct side *s, size_t i)
{
    while (i > 0 && side_roles(s, i - 1) & ROLE_DETERMINER && !(side_roles(s, i - 1) & ROLE_TIME))
        i--;
    return i;
}

/* "this quarter" tells when, "this page" what. */
static bool is_time_of(const struct side *s, size_t i)
{
    static const char nouns[] = "afternoon autumn day even fall friday iter mileston monday month "
                                "morn night quarter releas saturday spring sprint summer sunday "
                                "term thursday tuesday wednesday week weekend winter year";
    bool pointing = str_eq(side_key(s, i), S("this")) || str_eq(side_key(s, i), S("last")) ||
                    str_eq(side_key(s, i), S("next"));
    return !pointing || word_list_has(str_of(nouns), side_key(s, i + 1));
}

/* "since the handover", "this quarter", "after the rewrite": when it came to be so. A number stays:
 * "after 15 minutes" is a value. */
void side_skip_times(struct side *s)
{
    size_t count = s->clause->count;
    for (size_t i = 0; i < count; i++) {
        size_t k = i + 1;
        bool looks_after = i > 0 && str_eq(side_key(s, i - 1), S("look"));
        if (!(side_roles(s, i) & ROLE_TIME) || looks_after || !is_time_of(s, i))
            continue;
        while (k < count && side_roles(s, k) & ROLE_DETERMINER)
            k++;
        if (s->matched[k < count ? k : i] || side_roles(s, k) & ROLE_NUMBER)
            continue;
        for (; k < count && side_is_content(side_roles(s, k)) && !s->matched[k]; k++)
            s->skipped[k] = true;
        s->changes = true;
    }
}

/* ---- what is left ---- */

static bool is_left(const struct side *s, size_t i)
{
    return !s->matched[i] && !s->skipped[i] && side_is_content(side_roles(s, i));
}

size_t side_left_over(struct side *s, struct span *out, size_t most)
{
    size_t found = 0;
    for (size_t i = 0; i < s->clause->count; i++) {
        if (!is_left(s, i))
            continue;
        if (str_eq(side_key(s, i), S("new"))) {
            s->fresh = true;
            continue;
        }
        size_t to = i + 1;
        while (to < s->clause->count &&
               (is_left(s, to) ||
                (str_eq(side_key(s, to), S("of")) && side_roles(s, to - 1) & ROLE_NAME &&
                 to + 1 < s->clause->count && is_left(s, to + 1))))
            to++;
        if (found < most)
            out[found] = (struct span){i, to};
        found++;
        i = to - 1;
    }
    return found;
}

bool span_has(const struct side *s, struct span v, uint32_t roles)
{
    for (size_t i = v.from; i < v.to; i++)
        if (side_roles(s, i) & roles)
            return true;
    return false;
}

bool span_is_number(const struct side *s, struct span v)
{
    return span_has(s, v, ROLE_NUMBER);
}

size_t span_preposition(const struct side *s, struct span v)
{
    size_t i = side_front(s, v.from);
    return i > 0 && side_roles(s, i - 1) & ROLE_PREPOSITION ? i - 1 : s->clause->count;
}

/* The word in front of i is a verb of change and what stands at i is what it changes: "migrates the
 * queue"; not "adopted Kafka", nor "now Kafka". */
static bool is_changed(const struct side *s, size_t i)
{
    static const char others[] = "adopt anymor becam becom decid instead join longer newli now "
                                 "onward";
    return side_roles(s, i - 1) & ROLE_CHANGE && !word_list_has(str_of(others), side_key(s, i - 1));
}

bool span_behind_change(const struct side *s, struct span v)
{
    size_t at = span_preposition(s, v), front = side_front(s, v.from);
    if (at == s->clause->count)
        return front > 0 && side_roles(s, front - 1) & ROLE_CHANGE && !is_changed(s, front);
    while (at > 0 && s->skipped[at - 1])
        at--;
    return at > 0 &&
           (side_roles(s, at - 1) & ROLE_CHANGE ||
            (str_eq(side_key(s, at - 1), S("went")) && str_eq(side_key(s, at), S("with"))));
}

/* The verb of an agent in [from, to): "owns"; not "is owned", not "runs on". */
static bool agent_verb(const struct side *s, size_t from, size_t to)
{
    for (size_t i = from; i < to && i < s->clause->count; i++) {
        if (!(side_roles(s, i) & ROLE_AGENT) || side_roles(s, i + 1) & ROLE_BE ||
            (i > 0 && side_roles(s, i - 1) & ROLE_BE))
            continue;
        bool phrase = str_eq(side_key(s, i), S("look")) || str_eq(side_key(s, i), S("respons"));
        if (phrase || !(side_roles(s, i + 1) & (ROLE_PREPOSITION | ROLE_TIME | ROLE_NUMBER)))
            return true;
        if (str_eq(side_key(s, i + 1), S("over"))) /* takes over */
            return true;
    }
    return false;
}

bool span_is_agent(const struct side *s, struct span v)
{
    enum { VERB_WITHIN = 2 }; /* "the Cobalt team owns" */
    for (size_t i = v.from; i < v.to; i++)
        if (!(side_roles(s, i) & ROLE_NAME))
            return false;
    for (size_t i = 0; i < v.from; i++)
        if (!s->skipped[i] && side_is_content(side_roles(s, i)))
            return false;
    if (side_roles(s, v.to) & ROLE_BE)
        return side_roles(s, v.to + 1) & ROLE_DETERMINER ||
               str_eq(side_key(s, v.to + 1), S("respons"));
    return agent_verb(s, v.to, v.to + VERB_WITHIN);
}

/* Nothing of weight follows but the noun that the value qualifies, a purpose, or the time. */
static bool is_last(const struct side *s, struct span v)
{
    enum { MAX_HEADS = 3 };
    size_t heads = 0;
    for (size_t i = v.to; i < s->clause->count; i++) {
        uint32_t roles = side_roles(s, i);
        if (s->skipped[i] || roles & (ROLE_CHANGE | ROLE_FILLER | ROLE_TIME))
            continue;
        if (str_eq(side_key(s, i), S("for")) || roles & ROLE_AS)
            return true;
        if (roles & (ROLE_BE | ROLE_HAVE | ROLE_AGENT))
            return false;
        if (roles & ROLE_PREPOSITION && i + 1 < s->clause->count && !s->skipped[i + 1] &&
            !(side_roles(s, i + 1) & (ROLE_TIME | ROLE_CHANGE | ROLE_FILLER)))
            return false;
        heads += side_is_content(roles);
    }
    return heads <= MAX_HEADS;
}

/* A number is a value wherever it stands, but not as a name ("step 3") nor in an opening phrase
 * ("in 2024"). */
static bool is_measure(const struct side *s, struct span v)
{
    bool opened = false;
    if (v.from > 0 && side_roles(s, v.from - 1) & ROLE_COUNTED)
        return false;
    for (size_t i = 0; i < v.from; i++)
        opened |= (side_is_content(side_roles(s, i)) && !s->skipped[i]) ||
                  side_roles(s, i) & (ROLE_BE | ROLE_HAVE | ROLE_CHANGE);
    return opened;
}

bool span_is_value(const struct side *s, struct span v)
{
    if (span_is_number(s, v))
        return is_measure(s, v);
    if (v.from > 0 && side_roles(s, v.from - 1) & ROLE_BE && span_has(s, v, ROLE_STATE))
        return true;
    if (span_is_agent(s, v) || span_behind_change(s, v))
        return true;
    size_t at = span_preposition(s, v), front = side_front(s, v.from);
    bool active = at == s->clause->count && agent_verb(s, 0, v.from);
    if (front > 0 && is_changed(s, front))
        return false;
    size_t before = 0;
    for (size_t i = 0; i < v.from; i++)
        before += side_is_content(side_roles(s, i)) && !s->skipped[i];
    return before > 0 && !active && !(side_roles(s, v.from - 1) & ROLE_TIME) && is_last(s, v);
}
