/* How a symbol or a file is shown. */
#include "memory/code_recall.h"
#include "memory/last_change.h"
#include "memory/recall_item.h"
#include "memory/store_code.h"
#include "memory/store_history.h"

enum { MAX_WORDS_SHOWN = 8, MAX_NAMES_SHOWN = 4, MAX_DEFINED_SHOWN = 12 };

static void why_words(struct memory *m, struct arena *a, const struct code_hits *h,
                      const struct code_item *c, struct item *item)
{
    struct buf words = {0};
    size_t shown = 0, chunks;
    if (c->chunk == NO_CHUNK)
        return;
    for (size_t i = 0; i < h->term_count && shown < MAX_WORDS_SHOWN; i++)
        if (!h->terms[i].part && code_leg_holds(m->code, h->terms[i].text, c->chunk))
            buf_printf(&words, "%s%.*s", shown++ ? ", " : "", FMT(h->terms[i].written));
    const struct code_chunk *chunk = &code_leg_chunks(m->code, &chunks)[c->chunk];
    if (shown)
        item_add_why(a, item,
                     arena_printf(a, "holds: %.*s (lines %u-%u)", FMT(buf_str(&words)),
                                  chunk->line_start, chunk->line_end));
    buf_free(&words);
}

/* "called by a, b (+3)": the strongest first. */
static bool why_edges(struct memory *m, struct arena *a, node at, uint8_t kind, bool reverse,
                      const char *words, struct item *item, struct err *e)
{
    const struct half_edge *edge, *shown[MAX_NAMES_SHOWN];
    const struct graph *g = &m->snap.graph;
    size_t count = 0, kept = 0;
    for (struct row_walk w = graph_row(g, at); (edge = row_next(g, &w));) {
        if (edge->kind != kind || edge->reverse != reverse || !(edge->weight > 0))
            continue;
        count++;
        size_t place = kept < MAX_NAMES_SHOWN ? kept++ : MAX_NAMES_SHOWN;
        while (place > 0 && shown[place - 1]->weight < edge->weight) {
            if (place < MAX_NAMES_SHOWN)
                shown[place] = shown[place - 1];
            place--;
        }
        if (place < MAX_NAMES_SHOWN)
            shown[place] = edge;
    }
    struct buf text = {0};
    for (size_t i = 0; i < kept && e->code == ERR_NONE; i++) {
        struct node_row row;
        bool found;
        if (store_get_node(m->store, a, m->snap.ids[shown[i]->to], &row, &found, e) && found)
            buf_printf(&text, "%s%.*s", i ? ", " : "", FMT(row.name));
    }
    if (kept && count > kept)
        buf_printf(&text, " (+%zu)", count - kept);
    if (kept)
        item_add_why(a, item, arena_printf(a, "%s %.*s", words, FMT(buf_str(&text))));
    buf_free(&text);
    return e->code == ERR_NONE;
}

/* As far as the changed lines of commits were followed. */
static bool why_changed(struct memory *m, struct arena *a, struct item *item, struct err *e)
{
    str words;
    if (!m->options.history)
        return true;
    if (!last_change(m->store, a, item->id, INT64_MIN, &words, e))
        return false;
    if (words.len)
        item_add_why(a, item, arena_printf(a, "last changed by %.*s", FMT(words)));
    return true;
}

static bool load_symbol(struct memory *m, struct arena *a, const struct code_item *c,
                        struct item *item, bool *found, struct err *e)
{
    struct definition_row row;
    if (!store_find_definition(m->store, a, code_leg_worktree(m->code), item->id, &row, found, e) ||
        !*found)
        return e->code == ERR_NONE;
    item->path = row.path;
    item->line_start = row.line_start;
    item->line_end = row.line_end;
    item->text = arena_printf(a, "%s %.*s\n%.*s%s%.*s", symbol_kind_name[row.kind], FMT(row.name),
                              FMT(row.signature), row.doc.len ? "\n" : "", FMT(row.doc));
    return why_edges(m, a, c->at, EDGE_CALLS, true, "called by", item, e) &&
           why_edges(m, a, c->at, EDGE_CALLS, false, "calls", item, e) &&
           why_edges(m, a, c->at, EDGE_INHERITS, false, "inherits from", item, e) &&
           why_changed(m, a, item, e);
}

/* What the file defines, the names that the question holds first. */
static bool load_file(struct memory *m, struct arena *a, const struct code_item *c,
                      struct item *item, bool *found, struct err *e)
{
    struct definition_row *rows;
    size_t count, shown = 0, top = 0;
    str path = item->name;
    *found = code_leg_find(m->code, path) != NO_CODE_FILE;
    if (!*found)
        return true;
    item->path = path;
    if (!store_definitions(m->store, a, code_leg_worktree(m->code), path, &rows, &count, e))
        return false;
    struct buf text = {0};
    buf_add(&text, path);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].parent >= 0)
            continue;
        if (shown < MAX_DEFINED_SHOWN)
            buf_printf(&text, "%s%.*s", shown++ ? ", " : "\ndefines ", FMT(rows[i].name));
        top++;
    }
    if (top > shown)
        buf_printf(&text, " and %zu more", top - shown);
    item->text = arena_str(a, buf_str(&text));
    buf_free(&text);
    return why_edges(m, a, c->at, EDGE_IMPORTS, true, "imported by", item, e) &&
           why_edges(m, a, c->at, EDGE_IMPORTS, false, "imports", item, e);
}

static void why_commit_words(struct memory *m, struct arena *a, const struct code_hits *h,
                             const struct code_item *c, struct item *item)
{
    struct buf words = {0};
    size_t shown = 0;
    for (size_t i = 0; c->commit != NO_COMMIT && i < h->term_count && shown < MAX_WORDS_SHOWN; i++)
        if (!h->terms[i].part && history_leg_holds(m->past, h->terms[i].text, c->commit))
            buf_printf(&words, "%s%.*s", shown++ ? ", " : "", FMT(h->terms[i].written));
    if (shown)
        item_add_why(a, item, arena_printf(a, "holds: %.*s", FMT(buf_str(&words))));
    buf_free(&words);
}

static bool load_commit(struct memory *m, struct arena *a, const struct code_answer *answer,
                        const struct code_item *c, struct item *item, bool *found, struct err *e)
{
    struct commit_row row;
    if (!store_get_commit(m->store, a, item->id, &row, found, e) || !*found)
        return e->code == ERR_NONE;
    item->commit = row.oid;
    item->speaker = row.author;
    item->text = row.text.len ? arena_printf(a, "%.*s\n\n%.*s", FMT(row.subject), FMT(row.text))
                              : row.subject;
    why_commit_words(m, a, &answer->hits, c, item);
    if (!row.reachable)
        item_add_why(a, item, S("on no branch any more"));
    return why_edges(m, a, c->at, EDGE_SUPERSEDES, true, "taken back by", item, e) &&
           why_edges(m, a, c->at, EDGE_SUPERSEDES, false, "takes back", item, e) &&
           why_edges(m, a, c->at, EDGE_TOUCHES, false, "touches", item, e);
}

bool code_item_load(struct memory *m, struct arena *a, const struct code_answer *answer,
                    const struct code_item *c, struct item *out, bool *found, struct err *e)
{
    if (!item_load(m, a, c->at, out, e))
        return false;
    out->score = c->score;
    item_add_why(a, out, c->why);
    why_words(m, a, &answer->hits, c, out);
    out->more = ARENA_ARRAY(a, int64_t, MAX_MORE);
    for (size_t i = 0; i < c->more_count; i++)
        out->more[out->more_count++] = c->more[i];
    return c->kind == NODE_SYMBOL ? load_symbol(m, a, c, out, found, e)
           : c->kind == NODE_FILE ? load_file(m, a, c, out, found, e)
                                  : load_commit(m, a, answer, c, out, found, e);
}

bool code_item_by_id(struct memory *m, struct arena *a, str root, node at, struct item *out,
                     struct err *e)
{
    bool any, found = false;
    if (!code_recall_sync(m, root, &any, e))
        return false;
    struct code_answer *nothing = ARENA_NEW(a, struct code_answer);
    struct code_item c = code_item_at(m, at, 1, S(""));
    if (!any || !code_item_load(m, a, nothing, &c, out, &found, e))
        return e->code == ERR_NONE && item_load(m, a, at, out, e);
    if (!found)
        out->stale = S("gone");
    return true;
}
