/* CSV and TSV: groups of rows, each with the header above it. */
#include "memory/text.h"
#include "parsers/document.h"
#include "parsers/parsers.h"

enum { MAX_HEADER_TOKENS = PASSAGE_TOKENS / 4, MAX_RECORD_LINES = 100 };

/* Lines [from, *to) are one record: a quoted field may go on over lines. One
 * that never ends is a mistake: then each line is a record. */
static str next_record(const struct lines *l, size_t from, size_t *to)
{
    bool quoted = false;
    size_t line = from;
    do {
        str s = lines_text(l, line, line);
        for (size_t i = 0; i < s.len; i++)
            quoted ^= s.at[i] == '"';
        line++;
    } while (quoted && line < l->count && line < from + MAX_RECORD_LINES);
    *to = quoted ? from + 1 : line;
    return lines_text(l, from, *to - 1);
}

static void put_group(struct flow *f, str header, struct buf *rows)
{
    struct buf group = {0};
    if (rows->len)
        buf_printf(&group, "%.*s\n", FMT(header));
    buf_add(&group, buf_str(rows));
    flow_block(f, BLOCK_META, 0, false, 1, buf_str(&group));
    buf_free(&group);
    buf_clear(rows);
}

bool document_table(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    const struct lines *l = &d->lines;
    struct flow f = {.arena = a};
    struct buf rows = {0};
    size_t at = 0, tokens = 0;
    while (at < l->count && line_is_blank(l, at))
        at++;
    str header = next_record(l, at, &at);
    size_t header_tokens = text_estimate_tokens(header);
    if (header_tokens > MAX_HEADER_TOKENS) {
        flow_block(&f, BLOCK_META, 0, false, 1, header);
        header = S("");
        header_tokens = 0;
    }
    while (at < l->count) {
        str record = next_record(l, at, &at);
        size_t cost = text_estimate_tokens(record) + 1;
        if (rows.len && header_tokens + tokens + cost > PASSAGE_TOKENS) {
            put_group(&f, header, &rows);
            tokens = 0;
        }
        buf_add(&rows, record);
        buf_add_char(&rows, '\n');
        tokens += cost;
    }
    if (flow_is_empty(&f) && !rows.len)
        flow_block(&f, BLOCK_META, 0, false, 1, header);
    put_group(&f, header, &rows);
    bool ok = flow_passages(&f, document_file_name(d->name), out, e);
    buf_free(&rows);
    flow_free(&f);
    return ok;
}
