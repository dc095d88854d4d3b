#include "memory/recall_item.h"

#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"
#include "memory/contradictions.h"
#include "memory/recall_members.h"
#include "memory/text.h"

enum {
    MAX_WHY = 6,
    MAX_WHY_TERMS = 8,
    MAX_PATH_STEPS = 4,
    CONTEXT_TOKENS = 60,
    SHORT_WORDS = 12, /* an item of fewer words is hard to read alone */
};

/* ---- loading ---- */

static bool load_memory(struct memory *m, struct arena *a, struct item *out, struct err *e)
{
    struct memory_row row;
    struct node_row speaker;
    struct edge_full *edges;
    struct anchor_row *anchors;
    size_t count, anchor_count;
    bool found;
    if (!store_get_memory(m->store, a, out->id, &row, &found, e) || !found)
        return e->code == ERR_NONE ? fail(e, ERR_DB, "memory m%lld has no row", (long long)out->id)
                                   : false;
    out->memory_kind = row.kind;
    out->superseded_by = row.superseded_by;
    if (row.speaker) {
        if (!store_get_node(m->store, a, row.speaker, &speaker, &found, e))
            return false;
        out->speaker = found ? speaker.name : S("");
    }
    if (!store_anchors_of_memory(m->store, a, out->id, &anchors, &anchor_count, e))
        return false;
    if (anchor_count) {
        out->path = anchors[0].path;
        out->line_start = out->line_end = anchors[0].line;
    }
    if (!store_edges(m->store, a, out->id, EDGE_SUPERSEDES, MAX_SUPERSEDES, &edges, &count, e))
        return false;
    out->supersedes = ARENA_ARRAY(a, int64_t, count);
    for (size_t i = 0; i < count; i++)
        if (edges[i].src == out->id)
            out->supersedes[out->supersedes_count++] = edges[i].dst;
    return row.tier != TIER_CONSOLIDATED || members_load(m, a, out, e);
}

/* A document whose file isn't there any more may say what is no longer so. */
static bool load_gone(struct memory *m, struct arena *a, struct item *out, struct err *e)
{
    struct source_row source;
    if (!store_get_source(m->store, a, out->document, &source, e))
        return false;
    if (source.gone_ms) {
        out->stale = S("gone");
        out->stale_note = arena_printf(a, "%.*s isn't there any more since %.*s", FMT(out->path),
                                       FMT(iso_format(a, source.gone_ms)));
    }
    return true;
}

static bool load_passage(struct memory *m, struct arena *a, struct item *out, struct err *e)
{
    struct passage_row row;
    struct document_row document;
    bool found;
    if (!store_get_passage(m->store, a, out->id, &row, &found, e) || !found)
        return e->code == ERR_NONE ? fail(e, ERR_DB, "passage p%lld has no row", (long long)out->id)
                                   : false;
    out->document = row.document;
    out->line_start = row.line_start;
    out->line_end = row.line_end;
    out->page = row.page;
    if (!store_get_document(m->store, a, row.document, &document, &found, e))
        return false;
    out->path = found ? document.path : S("");
    return load_gone(m, a, out, e);
}

static bool load_document(struct memory *m, struct arena *a, bool is_pending, struct item *out,
                          struct err *e)
{
    struct document_row row = {0};
    struct passage_row *passages;
    size_t count;
    bool found;
    if (!store_get_document(m->store, a, out->id, &row, &found, e) ||
        !store_passages(m->store, a, out->id, &passages, &count, e))
        return false;
    out->document = out->id;
    out->path = found ? row.path : S("");
    out->text = !is_pending        ? out->name
                : row.warnings.len ? arena_printf(a, "%.*s: not stored: %.*s", FMT(out->name),
                                                  FMT(str_trim(row.warnings)))
                                   : arena_printf(a, "%.*s: is being read", FMT(out->name));
    out->members = ARENA_ARRAY(a, int64_t, count);
    for (size_t i = 0; i < count; i++)
        out->members[out->member_count++] = passages[i].id;
    return load_gone(m, a, out, e);
}

bool item_load(struct memory *m, struct arena *a, node at, struct item *out, struct err *e)
{
    struct node_row row, session;
    bool found;
    str body_name;
    *out = (struct item){0};
    if (!store_get_node(m->store, a, m->snap.ids[at], &row, &found, e) || !found)
        return e->code == ERR_NONE
                   ? fail(e, ERR_DB, "node %lld has no row", (long long)m->snap.ids[at])
                   : false;
    *out = (struct item){.kind = row.kind,
                         .id = row.id,
                         .name = row.name,
                         .at_ms = row.at_ms,
                         .origin = row.origin,
                         .trust = row.trust,
                         .superseded = row.state == STATE_SUPERSEDED,
                         .archived = row.state == STATE_ARCHIVED};
    if (!store_get_body(m->store, a, row.id, &body_name, &out->text, e))
        return false;
    if (row.session) {
        if (!store_get_node(m->store, a, row.session, &session, &found, e))
            return false;
        out->session = found ? session.name : S("");
    }
    switch (row.kind) {
    case NODE_MEMORY:
        return load_memory(m, a, out, e);
    case NODE_PASSAGE:
        out->heading = body_name;
        return load_passage(m, a, out, e);
    case NODE_DOCUMENT:
        return load_document(m, a, row.state == STATE_PENDING, out, e);
    default:
        if (!out->text.len || row.kind == NODE_ENTITY)
            out->text = row.name;
        return true;
    }
}

/* ---- windows ---- */

static float term_value(const struct lexical *l, const struct token *t)
{
    for (size_t i = 0; l && i < l->term_count; i++)
        if (term_is(&l->terms[i], str_from(t->text, t->len)))
            return l->terms[i].idf * l->terms[i].weight;
    return 0;
}

/* The start of the run of `span` bytes with the greatest sum of term values; two pointers over the
 * tokens. */
static size_t best_start(struct arena *a, str text, const struct lexical *l, size_t span)
{
    size_t count, from = 0, best_from = 0;
    struct token *tokens = text_token_list(a, text, text.len / 2 + 1, &count);
    float sum = 0, best = 0;
    for (size_t to = 0; to < count; to++) {
        sum += term_value(l, &tokens[to]);
        while (tokens[to].to - tokens[from].from > span && from < to)
            sum -= term_value(l, &tokens[from++]);
        if (sum > best * 1.001f) {
            best = sum;
            best_from = tokens[from].from;
        }
    }
    return best_from;
}

/* Backs up to the start of the sentence or line if that is near, so that the window reads well. */
static size_t back_to_bound(str text, size_t at, size_t most)
{
    for (size_t back = 0; back < most && at > back; back++) {
        char c = text.at[at - back - 1];
        if (c == '\n' || ((c == ' ') && at - back >= 2 && strchr(".!?", text.at[at - back - 2])))
            return at - back;
    }
    return at;
}

str item_window(struct arena *a, str text, const struct lexical *l, size_t tokens)
{
    size_t all = text_estimate_tokens(text);
    if (all <= tokens || !text.len)
        return text;
    size_t span = text.len * tokens / all;
    struct arena scratch = {0};
    size_t margin = span / 3; /* what backing up to a bound may take from the other end */
    size_t from = l ? best_start(&scratch, text, l, span - margin) : 0;
    arena_free(&scratch);
    from = back_to_bound(text, from, margin);
    if (from + span > text.len)
        from = text.len - span;
    if (from) {
        size_t word = str_find_char(text, ' ', from);
        from = utf8_ahead(text, word < from + 40 ? word + 1 : from);
    }
    str window = utf8_prefix(str_cut(text, from, text.len), span);
    bool cut_behind = from + window.len < text.len;
    size_t last_space = window.len;
    while (cut_behind && last_space > window.len * 3 / 4 && window.at[last_space - 1] != ' ' &&
           window.at[last_space - 1] != '\n')
        last_space--;
    if (cut_behind && last_space > window.len * 3 / 4)
        window.len = last_space;
    return arena_printf(a, "%s%.*s%s", from ? "… " : "", FMT(str_trim(window)),
                        cut_behind ? " …" : "");
}

/* ---- why ---- */

void item_add_why(struct arena *a, struct item *item, str text)
{
    if (!item->why)
        item->why = ARENA_ARRAY(a, str, MAX_WHY);
    if (text.len && item->why_count < MAX_WHY)
        item->why[item->why_count++] = text;
}

bool item_disputes(struct memory *m, struct arena *a, struct item *item, struct err *e)
{
    enum { DATE_BYTES = 10 };
    struct dispute *disputes;
    size_t count;
    if (item->kind != NODE_MEMORY)
        return true;
    if (!contradictions_of(m, a, item->id, &disputes, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct dispute *d = &disputes[i];
        bool is_newer = d->newer == item->id;
        str date =
            str_cut(iso_format(a, is_newer ? d->older_at_ms : d->newer_at_ms), 0, DATE_BYTES);
        str text = arena_printf(a, "may contradict m%lld (%.*s)",
                                (long long)(is_newer ? d->older : d->newer), FMT(date));
        if (d->older_value.len)
            text = arena_printf(a, "%.*s: %.*s there, %.*s here", FMT(text),
                                FMT(is_newer ? d->older_value : d->newer_value),
                                FMT(is_newer ? d->newer_value : d->older_value));
        item_add_why(a, item, text);
    }
    return true;
}

bool node_words(struct memory *m, struct arena *a, node at, str *out, struct err *e)
{
    struct node_row row;
    bool found;
    if (!store_get_node(m->store, a, m->snap.ids[at], &row, &found, e))
        return false;
    *out = found && row.name.len && (row.kind == NODE_ENTITY || row.kind == NODE_DOCUMENT)
               ? row.name
               : node_id_format(a, (enum node_kind)m->snap.meta[at].kind, m->snap.ids[at]);
    return true;
}

static void why_words(struct arena *a, node at, const struct lexical *l, struct item *item)
{
    struct buf words = {0};
    size_t shown = 0;
    for (size_t i = 0; i < l->term_count && shown < MAX_WHY_TERMS; i++) {
        const struct term *t = &l->terms[i];
        const struct term_hit *hit = t->part ? NULL : term_find(t, at);
        if (!hit || hit->first == BY_OTHER_NAME)
            continue;
        buf_printf(&words, "%s%.*s", shown ? ", " : "", FMT(t->written));
        if (t->guessed)
            buf_printf(&words, " (taken for %.*s)", FMT(t->text));
        shown++;
    }
    if (shown)
        item_add_why(a, item, arena_printf(a, "holds: %.*s", FMT(buf_str(&words))));
    buf_free(&words);
}

/* The neighbour from which most of a walker's mass arrives, NO_NODE where none has any. */
static node strongest_source(const struct memory *m, node at, const node *path, size_t path_length)
{
    const struct half_edge *edge;
    const struct graph *g = &m->snap.graph;
    node best = NO_NODE;
    float best_mass = 0;
    for (struct row_walk w = graph_row(g, at); (edge = row_next(g, &w));) {
        bool on_path = false;
        for (size_t i = 0; i < path_length; i++)
            on_path |= path[i] == edge->to;
        float mass = edge->weight * g->pull[edge->to] * ppr_mass(m->ppr, edge->to);
        if (!on_path && mass > best_mass && m->snap.meta[edge->to].kind != NODE_SESSION) {
            best_mass = mass;
            best = edge->to;
        }
    }
    return best;
}

/* "-[owned_by]->" read from the item's side. */
static bool step_words(struct memory *m, struct arena *a, node from, node to, str *out,
                       struct err *e)
{
    const struct half_edge *edge, *found = NULL;
    const struct graph *g = &m->snap.graph;
    for (struct row_walk w = graph_row(g, from); (edge = row_next(g, &w));)
        if (edge->to == to && edge->weight > 0 && (!found || edge->weight > found->weight))
            found = edge;
    if (!found) {
        *out = S("--");
        return true;
    }
    str label = str_of(edge_name[found->kind]);
    if (found->kind == EDGE_RELATION) {
        struct edge_full *edges;
        size_t count;
        int64_t x = m->snap.ids[from], y = m->snap.ids[to];
        if (!store_edges(m->store, a, x, EDGE_RELATION, 50, &edges, &count, e))
            return false;
        for (size_t i = 0; i < count; i++)
            if ((edges[i].src == x && edges[i].dst == y) ||
                (edges[i].src == y && edges[i].dst == x)) {
                label = edges[i].label;
                break;
            }
    }
    *out = found->reverse ? arena_printf(a, "<-[%.*s]-", FMT(label))
                          : arena_printf(a, "-[%.*s]->", FMT(label));
    return true;
}

static bool is_seed(const struct lexical *l, const float *named, node n)
{
    return named[n] > 0 || l->score[n] > 0.5f * l->best;
}

static bool why_path(struct memory *m, struct arena *a, node at, const struct lexical *l,
                     const float *named, struct item *item, struct err *e)
{
    node path[MAX_PATH_STEPS + 1] = {at};
    size_t length = 1;
    while (length <= MAX_PATH_STEPS && (length == 1 || !is_seed(l, named, path[length - 1]))) {
        node next = strongest_source(m, path[length - 1], path, length);
        if (next == NO_NODE)
            break;
        path[length++] = next;
    }
    if (length == 1 || !is_seed(l, named, path[length - 1]))
        return true;
    struct buf text = {0};
    bool ok = true;
    for (size_t i = length; ok && i-- > 0;) {
        str name, step = S("");
        ok = node_words(m, a, path[i], &name, e) &&
             (i == 0 || step_words(m, a, path[i], path[i - 1], &step, e));
        if (ok)
            buf_printf(&text, "%.*s%s%.*s%s", FMT(name), i ? " " : "", FMT(step), i ? " " : "");
    }
    if (ok)
        item_add_why(a, item, arena_printf(a, "path: %.*s", FMT(buf_str(&text))));
    buf_free(&text);
    return ok;
}

bool item_why(struct memory *m, struct arena *a, node at, const struct lexical *l,
              const struct resolved *resolved, size_t resolved_count, const float *named,
              struct item *item, struct err *e)
{
    const struct half_edge *edge;
    const struct graph *g = &m->snap.graph;
    if (!item_disputes(m, a, item, e))
        return false;
    why_words(a, at, l, item);
    node document = item->kind == NODE_PASSAGE ? m->snap.meta[at].group : NO_NODE;
    if (document != NO_NODE && m->snap.meta[document].flags & FLAG_REPLACED)
        item_add_why(a, item, S("of a decision that no longer holds"));
    size_t mentions = 0;
    for (struct row_walk w = graph_row(g, at); (edge = row_next(g, &w));)
        if (edge->kind == EDGE_MENTIONS && !edge->reverse && edge->weight > 0 &&
            named[edge->to] > 0)
            for (size_t i = 0; i < resolved_count && mentions < 3; i++)
                if (resolved[i].at == edge->to) {
                    item_add_why(a, item, arena_printf(a, "mentions %.*s", FMT(resolved[i].name)));
                    mentions++;
                }
    node before = m->snap.meta[at].before;
    if (before != NO_NODE && m->snap.meta[before].flags & FLAG_QUESTION &&
        l->score[before] > 0.3f * l->best)
        item_add_why(a, item,
                     arena_printf(a, "answers %c%lld", node_letter[m->snap.meta[before].kind],
                                  (long long)m->snap.ids[before]));
    bool direct = mentions || l->score[at] > 0.3f * l->best;
    return direct || !m->options.ppr || why_path(m, a, at, l, named, item, e);
}

/* ---- context and explanation ---- */

static bool neighbour_text(struct memory *m, struct arena *a, node n, str *out, struct err *e)
{
    struct item neighbour;
    if (n == NO_NODE || m->snap.meta[n].kind != NODE_MEMORY)
        return true;
    if (!item_load(m, a, n, &neighbour, e))
        return false;
    str text = item_window(a, neighbour.text, NULL, CONTEXT_TOKENS);
    *out = neighbour.speaker.len ? arena_printf(a, "%.*s: %.*s", FMT(neighbour.speaker), FMT(text))
                                 : text;
    return true;
}

bool item_context(struct memory *m, struct arena *a, node at, struct item *item, struct err *e)
{
    const struct node_meta *meta = &m->snap.meta[at];
    if (meta->kind != NODE_MEMORY)
        return true;
    bool asked = meta->before != NO_NODE && m->snap.meta[meta->before].flags & FLAG_QUESTION;
    bool asks = meta->flags & FLAG_QUESTION;
    bool is_short = meta->words < SHORT_WORDS;
    return (!(asked || is_short) || neighbour_text(m, a, meta->before, &item->before, e)) &&
           (!asks || neighbour_text(m, a, meta->after, &item->after, e));
}

void item_explain(struct arena *a, const struct candidate *c, const struct rank_input *rank,
                  struct item *item)
{
    const float *weight = rank_weights_of(rank, item->kind)->weight;
    item->explain = ARENA_ARRAY(a, str, FEATURE_COUNT + 2); /* sum, importance */
    for (int f = 0; f < FEATURE_COUNT; f++)
        if (c->feature[f] != 0 && weight[f] != 0)
            item->explain[item->explain_count++] = arena_printf(
                a, "%s %.3f x %.2f", feature_name[f], (double)c->feature[f], (double)weight[f]);
    item->explain[item->explain_count++] = arena_printf(a, "sum %.3f", (double)c->sum);
}
