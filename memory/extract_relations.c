#include "memory/extract.h"

#include "memory/text.h"
#include "memory/text_chars.h"
#include "memory/words.h"

/* What may stand between two names, and what it says. Words in lower case; the helping words in
 * front ("is", "was", "has been", "will", "currently") and the articles behind are skipped before.
 * `passive` rows need a form of "to be". */
static const struct {
    const char *phrase, *label;
} verbs[] = {
    {"acquired", "acquired"},
    {"acquires", "acquired"},
    {"affected", "affects"},
    {"affects", "affects"},
    {"assigned to", "assigned_to"},
    {"based in", "located_in"},
    {"based on", "based_on"},
    {"belongs to", "belongs_to"},
    {"belong to", "belongs_to"},
    {"blocked by", "blocked_by"},
    {"blocked on", "blocked_by"},
    {"blocks", "blocks"},
    {"born in", "born_in"},
    {"broke", "broke"},
    {"built by", "built_by"},
    {"built on", "built_on"},
    {"built on top of", "built_on"},
    {"built with", "uses"},
    {"called by", "called_by"},
    {"calls", "calls"},
    {"call", "calls"},
    {"caused", "caused"},
    {"caused by", "caused_by"},
    {"causes", "caused"},
    {"composed by", "composed_by"},
    {"connected to", "connects_to"},
    {"connects to", "connects_to"},
    {"connect to", "connects_to"},
    {"consumes", "consumes"},
    {"created", "created"},
    {"created by", "created_by"},
    {"creates", "created"},
    {"daughter of", "child_of"},
    {"depend on", "depends_on"},
    {"depended on", "depends_on"},
    {"depending on", "depends_on"},
    {"depends on", "depends_on"},
    {"deployed on", "deployed_to"},
    {"deployed to", "deployed_to"},
    {"deploys to", "deployed_to"},
    {"designed by", "designed_by"},
    {"developed", "developed"},
    {"developed by", "developed_by"},
    {"directed", "directed"},
    {"directed by", "directed_by"},
    {"emits", "emits"},
    {"extends", "extends"},
    {"fixed", "fixes"},
    {"fixed by", "fixed_by"},
    {"fixed in", "fixed_in"},
    {"fixes", "fixes"},
    {"founded", "founded"},
    {"founded by", "founded_by"},
    {"hosted on", "runs_on"},
    {"hosted by", "hosted_by"},
    {"impacted", "impacts"},
    {"impacted by", "impacted_by"},
    {"impacts", "impacts"},
    {"implemented by", "implemented_by"},
    {"implemented in", "implemented_in"},
    {"implements", "implements"},
    {"imports", "imports"},
    {"inherits from", "extends"},
    {"introduced by", "introduced_by"},
    {"introduced in", "introduced_in"},
    {"joined", "member_of"},
    {"leads", "leads"},
    {"led", "leads"},
    {"led by", "led_by"},
    {"listens on", "listens_on"},
    {"listens to", "listens_to"},
    {"lives in", "lives_in"},
    {"located in", "located_in"},
    {"maintained by", "maintained_by"},
    {"maintain", "maintains"},
    {"maintains", "maintains"},
    {"managed by", "managed_by"},
    {"manage", "manages"},
    {"manages", "manages"},
    {"married", "married_to"},
    {"married to", "married_to"},
    {"member of", "member_of"},
    {"mentors", "mentors"},
    {"merged into", "merged_into"},
    {"migrated from", "migrated_from"},
    {"migrated to", "migrated_to"},
    {"mitigated", "mitigates"},
    {"mitigated by", "mitigated_by"},
    {"mitigates", "mitigates"},
    {"moved from", "migrated_from"},
    {"moved to", "migrated_to"},
    {"needs", "requires"},
    {"owned by", "owned_by"},
    {"own", "owns"},
    {"owns", "owns"},
    {"part of", "part_of"},
    {"powered by", "uses"},
    {"prefers", "prefers"},
    {"produced by", "produced_by"},
    {"produces", "produces"},
    {"provides", "provides"},
    {"publishes to", "publishes_to"},
    {"reads from", "reads_from"},
    {"replaced", "replaces"},
    {"replaced by", "replaced_by"},
    {"replaced with", "replaced_by"},
    {"replaces", "replaces"},
    {"replacing", "replaces"},
    {"reported by", "reported_by"},
    {"reports to", "reports_to"},
    {"require", "requires"},
    {"required by", "required_by"},
    {"requires", "requires"},
    {"responsible for", "responsible_for"},
    {"reviewed by", "reviewed_by"},
    {"reviews", "reviews"},
    {"run on", "runs_on"},
    {"running on", "runs_on"},
    {"runs in", "runs_on"},
    {"runs on", "runs_on"},
    {"sends to", "sends_to"},
    {"sister of", "sibling_of"},
    {"brother of", "sibling_of"},
    {"son of", "child_of"},
    {"starring", "stars"},
    {"stars", "stars"},
    {"stored in", "stored_in"},
    {"stores data in", "stored_in"},
    {"subscribes to", "subscribes_to"},
    {"superseded by", "replaced_by"},
    {"supersedes", "replaces"},
    {"supported by", "supported_by"},
    {"supports", "supports"},
    {"switched from", "migrated_from"},
    {"switched to", "migrated_to"},
    {"talks to", "calls"},
    {"tested by", "tested_by"},
    {"tests", "tests"},
    {"throws", "throws"},
    {"triggered by", "triggered_by"},
    {"triggers", "triggers"},
    {"use", "uses"},
    {"used by", "used_by"},
    {"used in", "used_in"},
    {"uses", "uses"},
    {"using", "uses"},
    {"work at", "works_at"},
    {"work for", "works_at"},
    {"work on", "works_on"},
    {"work with", "works_with"},
    {"worked at", "works_at"},
    {"worked on", "works_on"},
    {"working at", "works_at"},
    {"working on", "works_on"},
    {"working with", "works_with"},
    {"works at", "works_at"},
    {"works for", "works_at"},
    {"works in", "works_in"},
    {"works on", "works_on"},
    {"works with", "works_with"},
    {"wraps", "wraps"},
    {"writes to", "writes_to"},
    {"written by", "written_by"},
    {"written in", "written_in"},
    {"wrote", "wrote"},
};

/* In byte order. */
static const char helpers[] = "also always are be been being both can currently directly does "
                              "frequently get got had has have "
                              "heavily is itself just mainly may mostly newly now often only "
                              "partly primarily should soon still "
                              "then usually was were which who will would";
static const char fillers[] = "a an both her his its my new old our own same the their your";

enum { MAX_BETWEEN_BYTES = 80, MAX_CHAIN_LABEL_BYTES = 64, MAX_CHAIN_WORDS = 8 };

struct relations {
    struct arena *a;
    str text;
    struct found_relation *found;
    size_t count;
};

static void add(struct relations *r, str from, str label, str to)
{
    if (r->count == MAX_RULE_RELATIONS || !from.len || !to.len || !label.len ||
        str_eq_nocase(from, to))
        return;
    for (size_t i = 0; i < r->count; i++)
        if (str_eq(r->found[i].from, from) && str_eq(r->found[i].relation, label) &&
            str_eq(r->found[i].to, to))
            return;
    r->found[r->count++] = (struct found_relation){from, label, to};
}

/* ---- sentences ---- */

/* Splits off the first word if the list has it. */
static bool skip_word(str *rest, const char *list)
{
    str after = *rest, word;
    if (!str_next_word(&after, &word) || !word_list_has(str_of(list), word))
        return false;
    *rest = str_trim(after);
    return true;
}

static const char *label_of(str words)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (str_eq(words, str_of(verbs[i].phrase)))
            return verbs[i].label;
    return NULL;
}

/* What the text between two names says, or NULL: it must be one verb phrase and nothing else. */
static const char *between(struct arena *a, str text)
{
    if (text.len > MAX_BETWEEN_BYTES)
        return NULL;
    str words = unicode_squeeze(a, unicode_fold(a, text));
    while (str_starts(words, S("`")) || str_starts(words, S("*")) || str_starts(words, S("\"")))
        words = str_trim(str_cut(words, 1, words.len));
    while (str_ends(words, S("`")) || str_ends(words, S("*")) || str_ends(words, S("\"")) ||
           str_ends(words, S("@")))
        words = str_trim(str_cut(words, 0, words.len - 1));
    if (str_starts(words, S(", which ")) || str_starts(words, S(", who ")))
        words = str_cut(words, 2, words.len);
    while (skip_word(&words, helpers) || skip_word(&words, fillers))
        continue;
    for (const char *label; words.len; words = str_trim(words)) {
        label = label_of(words);
        if (label)
            return label;
        size_t space = words.len;
        while (space > 0 && words.at[space - 1] != ' ')
            space--;
        if (!word_list_has(str_of(fillers), str_cut(words, space, words.len)))
            return NULL;
        words.len = space;
    }
    return NULL;
}

/* ", ", " and ", ", and ", " & ": a list goes on. */
static bool is_list_joint(str text)
{
    static const str joints[] = {{",", 1},       {"and", 3},   {", and", 5},   {"&", 1},
                                 {"and the", 7}, {", the", 5}, {"` and `", 7}, {"`, `", 4}};
    text = str_trim(text);
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
        if (str_eq(text, joints[i]))
            return true;
    return false;
}

static str gap(const struct relations *r, const struct found_entity *left,
               const struct found_entity *right)
{
    return right->from > left->to ? str_cut(r->text, left->to, right->from) : S("");
}

/* Entities [from, to) stand in one list that ends at `last`: the first of them. */
static size_t list_start(const struct relations *r, const struct found_entity *e, size_t last)
{
    while (last > 0 && is_list_joint(gap(r, &e[last - 1], &e[last])))
        last--;
    return last;
}

static size_t list_end(const struct relations *r, const struct found_entity *e, size_t count,
                       size_t first)
{
    while (first + 1 < count && is_list_joint(gap(r, &e[first], &e[first + 1])))
        first++;
    return first + 1;
}

static void add_lists(struct relations *r, const struct found_entity *e, size_t count, size_t left,
                      str label)
{
    size_t from = list_start(r, e, left), to = list_end(r, e, count, left + 1);
    for (size_t i = from; i <= left; i++)
        for (size_t j = left + 1; j < to; j++)
            add(r, e[i].name, label, e[j].name);
}

/* Every place where a found name stands again: extract_entities gives each name's first place only.
 */
static struct found_entity *all_places(struct relations *r, const struct found_entity *entities,
                                       size_t count, size_t *placed)
{
    enum { MAX_PLACES = 256 };
    struct found_entity *places = ARENA_ARRAY(r->a, struct found_entity, MAX_PLACES);
    size_t n = 0;
    for (size_t at = 0; at < r->text.len && n < MAX_PLACES; at++) {
        size_t best = count;
        if (at > 0 && word_at(r->text, at - 1))
            continue;
        for (size_t i = 0; i < count; i++) {
            str name = entities[i].name;
            if (str_starts(str_cut(r->text, at, r->text.len), name) &&
                !word_at(r->text, at + name.len) &&
                (best == count || name.len > entities[best].name.len))
                best = i;
        }
        if (best == count)
            continue;
        places[n] = entities[best];
        places[n].from = at;
        places[n++].to = at + entities[best].name.len;
        at += entities[best].name.len - 1;
    }
    *placed = n;
    return places;
}

static void find_in_sentences(struct relations *r, const struct found_entity *entities,
                              size_t count)
{
    size_t n;
    struct found_entity *e = all_places(r, entities, count, &n);
    for (size_t i = 0; i + 1 < n; i++) {
        struct arena mark = *r->a;
        const char *label = between(r->a, gap(r, &e[i], &e[i + 1]));
        arena_rewind(r->a, mark);
        if (label)
            add_lists(r, e, n, i, str_of(label));
    }
}

/* ---- chains ---- */

/* "Works on" as works_on; empty where it is no label. */
static str snake(struct arena *a, str text)
{
    str words = unicode_squeeze(a, unicode_fold(a, text));
    if (!words.len || words.len > MAX_CHAIN_LABEL_BYTES)
        return S("");
    char *out = arena_cstr(a, words);
    for (size_t i = 0; i < words.len; i++) {
        unsigned char c = (unsigned char)out[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
        if (!letter && c != ' ' && c != '_' && c != '-')
            return S("");
        out[i] = letter ? (char)c : '_';
    }
    return str_from(out, words.len);
}

static bool is_name(str s)
{
    size_t words = 0;
    str rest = s, word;
    while (str_next_word(&rest, &word))
        words++;
    return words > 0 && words <= MAX_CHAIN_WORDS && s.len <= MAX_NAME_BYTES;
}

/* Bytes of an arrow ("->", "-->", a Unicode arrow) at `at`, or 0. */
static size_t arrow_at(str s, size_t at)
{
    static const str arrows[] = {
        {"-->", 3}, {"->", 2}, {"=>", 2}, {"\xE2\x86\x92", 3}, {"\xE2\x9F\xB6", 3}};
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
        if (str_starts(str_cut(s, at, s.len), arrows[i]))
            return arrows[i].len;
    return 0;
}

static str trim_name(str s)
{
    s = str_trim(s);
    while (s.len && strchr("`*\"-[(", s.at[0]))
        s = str_trim(str_cut(s, 1, s.len));
    while (s.len && strchr("`*\".,;])", s.at[s.len - 1]))
        s = str_trim(str_cut(s, 0, s.len - 1));
    return s;
}

/* Splits off what stands in front of the next arrow; false behind the last piece. */
static bool next_piece(str *rest, str *piece)
{
    if (!rest->at)
        return false;
    for (size_t at = 0; at < rest->len; at++) {
        size_t bytes = arrow_at(*rest, at);
        if (bytes) {
            *piece = str_cut(*rest, 0, at);
            *rest = str_cut(*rest, at + bytes, rest->len);
            return true;
        }
    }
    *piece = *rest;
    *rest = (str){NULL, 0};
    return true;
}

/* "A --label" and "A -[label]", which stand in front of an arrow; false for a name alone. */
static bool split_label(str piece, str *name, str *label)
{
    size_t dash = str_find(piece, S("--"), 0), bracket = str_find(piece, S("-["), 0),
           pipe = str_find(piece, S("-|"), 0);
    size_t cut = dash < bracket ? dash : bracket;
    cut = cut < pipe ? cut : pipe;
    if (cut == piece.len)
        return false;
    *name = trim_name(str_cut(piece, 0, cut));
    *label = str_trim(str_cut(piece, cut + 2, piece.len));
    while (label->len && strchr("]|-", label->at[label->len - 1]))
        *label = str_trim(str_cut(*label, 0, label->len - 1));
    return name->len > 0 && label->len > 0;
}

/* "A --label--> B --label--> C": each arrow carries its label. */
static void find_labelled(struct relations *r, str line)
{
    str rest = line, piece, from = {0}, label = {0};
    while (next_piece(&rest, &piece)) {
        str name, next_label = {0};
        bool labelled = split_label(piece, &name, &next_label);
        if (!labelled)
            name = trim_name(piece);
        if (!is_name(name))
            return;
        if (from.len && label.len)
            add(r, from, snake(r->a, label), name);
        from = name;
        label = next_label;
    }
}

/* "A -> label -> B -> label -> C": names and labels take turns. */
static void find_alternating(struct relations *r, str line)
{
    str rest = line, from, label, to;
    if (!next_piece(&rest, &from))
        return;
    from = trim_name(from);
    while (next_piece(&rest, &label) && next_piece(&rest, &to)) {
        to = trim_name(to);
        if (!is_name(from) || !is_name(to))
            return;
        add(r, from, snake(r->a, label), to);
        from = to;
    }
}

static void find_in_chains(struct relations *r)
{
    enum { MAX_LINE_BYTES = 1024 };
    str rest = r->text, line, name, label;
    while (str_next_line(&rest, &line)) {
        str copy = line, first;
        if (line.len > MAX_LINE_BYTES || !next_piece(&copy, &first) || !copy.at)
            continue;
        if (split_label(first, &name, &label))
            find_labelled(r, line);
        else
            find_alternating(r, line);
    }
}

struct found_relation *extract_relations(struct arena *a, str text,
                                         const struct found_entity *entities, size_t entity_count,
                                         size_t *count)
{
    struct relations r = {.a = a, .text = text};
    r.found = ARENA_ARRAY(a, struct found_relation, MAX_RULE_RELATIONS);
    find_in_sentences(&r, entities, entity_count);
    find_in_chains(&r);
    *count = r.count;
    return r.found;
}
