/* Opening and closing, and the errands that need no file of their own. */
#include "memory/history_symbols.h"
#include "memory/memory_state.h"
#include "memory/memory_vectors.h"
#include "memory/model_queue.h"
#include "memory/rank.h"

/* A file may hold the weights of one ranker or of more: what it says nothing of is as it ships. */
static bool read_weights(struct memory *m, str text, struct err *e)
{
    if (!text.len)
        return true;
    if (!rank_weights_read(text, &m->weights, e) ||
        !rank_passage_weights_read(text, &m->passage_weights, &m->has_passage_weights, e) ||
        !code_weights_read(text, &m->code_weights, &m->has_code_weights, e))
        return false;
    for (int f = 0; f < FEATURE_COUNT; f++)
        m->has_weights |= m->weights.weight[f] != 0;
    return true;
}

bool memory_open(const struct memory_options *options, struct memory **out, struct err *e)
{
    struct memory *m = heap_alloc(1, sizeof *m);
    m->options = *options;
    *out = NULL;
    if (!read_weights(m, options->weights, e)) {
        heap_free(m);
        return false;
    }
    if (!store_open(options, &m->store, e)) {
        heap_free(m);
        return false;
    }
    m->ppr = ppr_work_new();
    m->postings = postings_new();
    m->vectors = vector_leg_new();
    *out = m;
    return true;
}

void memory_close(struct memory *m)
{
    if (!m)
        return;
    struct err ignored = {0};
    memory_flush_usage(m, m->options.write_deadline_ms, &ignored);
    snapshot_free(&m->snap);
    ppr_work_free(m->ppr);
    ppr_work_free(m->code_ppr);
    code_leg_free(m->code);
    history_leg_free(m->past);
    symbol_trace_free(m->lines);
    usage_part_free(&m->usage);
    reading_cache_free(&m->readings);
    postings_free(m->postings);
    vector_leg_free(m->vectors);
    memory_close_encoder(m->encoder);
    if (m->redactor)
        redactor_close(m->redactor);
    store_close(m->store);
    heap_free(m);
}

bool memory_is_writing(void)
{
    return store_is_writing();
}

static bool flush_logs(struct memory *m, struct err *e)
{
    return usage_log_flush(&m->log, m->store, e) &&
           (!model_calls_any(&m->calls) ||
            model_calls_flush(&m->calls, m->options.models, m->store, m->recalled_ms, e));
}

bool memory_write(struct memory *m, struct err *e)
{
    if (!store_begin(m->store, e))
        return false;
    if (flush_logs(m, e))
        return true;
    store_end(m->store, false, e);
    return false;
}

int64_t memory_clock_ms(const struct memory *m)
{
    return m->options.monotonic_ms ? m->options.monotonic_ms(m->options.ctx) : 0;
}

bool memory_end_resting(struct memory *m, bool ok, int64_t began_ms, int64_t *held_ms,
                        struct err *e)
{
    ok = store_end(m->store, ok, e);
    int64_t held = memory_clock_ms(m) - began_ms;
    if (held_ms)
        *held_ms = held;
    if (ok && m->options.sleep_ms)
        m->options.sleep_ms(m->options.ctx, held);
    return ok;
}

bool memory_has_usage(const struct memory *m)
{
    return (!usage_log_is_empty(&m->log) || model_calls_any(&m->calls)) &&
           !store_read_only_reason(m->store).len;
}

bool memory_flush_usage(struct memory *m, int64_t wait_ms, struct err *e)
{
    if (!memory_has_usage(m))
        return true;
    return store_begin_within(m->store, wait_ms ? wait_ms : WRITE_DEADLINE_MS, e) &&
           store_end(m->store, flush_logs(m, e), e);
}

static bool refresh(struct memory *m, struct err *e)
{
    if (store_refresh(m->store, &m->snap, e))
        return true;
    store_read_end(m->store);
    return false;
}

bool memory_read(struct memory *m, struct err *e)
{
    return store_read_begin(m->store, e) && refresh(m, e);
}

bool memory_read_by_writer(struct memory *m, struct err *e)
{
    return store_read_begin_by_writer(m->store, e) && refresh(m, e);
}

bool memory_redact(struct memory *m, struct arena *a, str text, str *out, struct redaction **counts,
                   size_t *count, struct err *e)
{
    struct redaction *ignored;
    size_t ignored_count;
    if (!m->redactor && !(m->redactor = redactor_open(e)))
        return false;
    *out = redact(a, m->redactor, text, counts ? counts : &ignored, count ? count : &ignored_count);
    return true;
}

bool memory_id(struct memory *m, struct arena *a, const char *field, str text, uint32_t kinds,
               struct node_row *out, struct err *e)
{
    enum node_kind kind;
    int64_t id;
    bool found;
    str shown = str_cut(text, 0, 80);
    if (!node_id_parse(text, &kind, &id) || !(kinds & 1u << kind)) {
        struct buf wanted = {0};
        for (int k = 0; k < NODE_KIND_COUNT; k++)
            if (kinds & 1u << k)
                buf_printf(&wanted, "%s%c12", wanted.len ? ", " : "", node_letter[k]);
        fail(e, ERR_INPUT, "%s: '%.*s' is no id that fits here; wanted: one like %.*s", field,
             FMT(shown), FMT(buf_str(&wanted)));
        buf_free(&wanted);
        return false;
    }
    if (!store_get_node(m->store, a, id, out, &found, e))
        return false;
    if (!found || out->kind != kind)
        return fail(e, ERR_NOT_FOUND, "%s: there is no %.*s here", field, FMT(shown));
    return true;
}

/* The switches as this program answers them; a leg that isn't built says so whatever
 * its switch. */
static void add_legs(const struct memory *m, struct arena *a, struct status_line **lines,
                     size_t *count)
{
    const struct memory_options *o = &m->options;
    const struct {
        const char *name;
        bool built, on;
    } legs[] = {{"leg_ppr", true, o->ppr},
                {"leg_neighbours", true, o->neighbours},
                {"leg_usage", true, o->usage},
                {"leg_ranker", true, o->ranker},
                {"leg_encoder", memory_encoder_is_installed(), o->encoder},
                {"leg_history", false, o->history}};
    size_t n = sizeof legs / sizeof *legs;
    struct status_line *all = ARENA_ARRAY(a, struct status_line, *count + n + 1);
    memcpy(all, *lines, *count * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[(*count)++] = (struct status_line){str_of(legs[i].name),
                                               !legs[i].built ? S("not built")
                                               : legs[i].on   ? S("on")
                                                              : S("off"),
                                               0};
    all[(*count)++] = (struct status_line){S("default_min_score"),
                                           arena_printf(a, "%.2f", (double)rank_default_floor), 0};
    *lines = all;
}

bool memory_status(struct memory *m, struct arena *a, int64_t now_ms, struct status_line **lines,
                   size_t *count, struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_status(m->store, a, lines, count, e);
    store_read_end(m->store);
    if (ok)
        add_legs(m, a, lines, count);
    return ok && model_status(m, a, now_ms, lines, count, e);
}

bool memory_check(struct memory *m, struct arena *a, str **problems, size_t *count, struct err *e)
{
    return store_check(m->store, a, problems, count, e);
}

bool memory_complete_ids(struct memory *m, struct arena *a, enum node_kind kind, str prefix,
                         size_t most, str **out, size_t *count, struct err *e)
{
    return store_complete_ids(m->store, a, kind, prefix, most, out, count, e);
}

bool memory_complete_names(struct memory *m, struct arena *a, str prefix, size_t most, str **out,
                           size_t *count, struct err *e)
{
    return store_complete_names(m->store, a, prefix, most, out, count, e);
}

bool memory_export(struct memory *m, export_row *row, void *ctx, struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_export(m->store, row, ctx, e);
    store_read_end(m->store);
    return ok;
}

bool memory_import_begin(struct memory *m, struct err *e)
{
    return store_import_begin(m->store, e);
}

bool memory_import_row(struct memory *m, str table, const str *columns, const struct value *values,
                       size_t count, struct err *e)
{
    return store_import_row(m->store, table, columns, values, count, e);
}

bool memory_import_end(struct memory *m, bool keep, struct err *e)
{
    return store_import_end(m->store, keep, e);
}

const char *const *const memory_code_feature_names = code_feature_name;
const size_t memory_code_feature_count = CODE_FEATURE_COUNT;
const char *const *const memory_feature_names = feature_name;
const size_t memory_feature_count = FEATURE_COUNT;
const char *const *const memory_evidence_names = evidence_name;
const size_t memory_evidence_count = EVIDENCE_COUNT;
