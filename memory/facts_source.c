#include "memory/facts_source.h"

#include "memory/base/pack.h"
#include "memory/base/unicode.h"

const char *const symbol_kind_name[SYMBOL_KIND_COUNT] = {
#define X(name, text) [SYMBOL_##name] = text,
    SYMBOL_KINDS(X)
#undef X
};

bool symbol_kind_parse(str s, enum symbol_kind *out)
{
    for (int i = 0; i < SYMBOL_KIND_COUNT; i++)
        if (str_eq(s, str_of(symbol_kind_name[i]))) {
            *out = (enum symbol_kind)i;
            return true;
        }
    return false;
}

/* Layout: "EGS1" | path, blob | bytes u64, mtime_ns u64, ctime_ns u64 | skipped | known u32 |
 * language, lines u32, has_errors u32, warning | symbols | references | chunks, each behind its
 * count and in the order of its struct. */
static const str MAGIC = {"EGS1", 4};

static void write_symbols(struct buf *out, const struct source_facts *f)
{
    pack_u32(out, (uint32_t)f->symbol_count);
    for (size_t i = 0; i < f->symbol_count; i++) {
        const struct source_symbol *s = &f->symbols[i];
        pack_text(out, s->name);
        pack_u32(out, s->kind);
        pack_text(out, s->signature);
        pack_text(out, s->doc);
        pack_u32(out, s->line_start);
        pack_u32(out, s->line_end);
        pack_u32(out, s->parent);
        pack_u64(out, s->body_hash);
        pack_u64(out, s->shape_hash);
        pack_u32(out, s->is_private);
    }
}

void source_references_write(struct buf *out, const struct source_facts *f)
{
    pack_u32(out, (uint32_t)f->reference_count);
    for (size_t i = 0; i < f->reference_count; i++) {
        const struct source_reference *r = &f->references[i];
        pack_u32(out, r->kind);
        pack_u32(out, r->from);
        pack_text(out, r->name);
        pack_text(out, r->qualifier);
        pack_text(out, r->alias);
        pack_u32(out, r->line);
        pack_u32(out, r->count);
    }
}

static void write_chunks(struct buf *out, const struct source_facts *f)
{
    pack_u32(out, (uint32_t)f->chunk_count);
    for (size_t i = 0; i < f->chunk_count; i++) {
        const struct source_chunk *c = &f->chunks[i];
        pack_u32(out, c->symbol);
        pack_u32(out, c->line_start);
        pack_u32(out, c->line_end);
        pack_text(out, c->text);
    }
}

void source_file_write(struct buf *out, const struct source_file *f)
{
    buf_add(out, MAGIC);
    pack_text(out, f->path);
    pack_text(out, f->blob);
    pack_u64(out, f->bytes);
    pack_u64(out, (uint64_t)f->mtime_ns);
    pack_u64(out, (uint64_t)f->ctime_ns);
    pack_text(out, f->skipped);
    pack_u32(out, f->known);
    pack_text(out, f->facts.language);
    pack_u32(out, f->facts.lines);
    pack_u32(out, f->facts.has_errors);
    pack_text(out, f->facts.warning);
    write_symbols(out, &f->facts);
    source_references_write(out, &f->facts);
    write_chunks(out, &f->facts);
}

/* A text of at most most_bytes, valid UTF-8. */
static str read_text(struct unpack *u, size_t most_bytes)
{
    str text = unpack_text(u);
    u->bad |= text.len > most_bytes || !utf8_valid(text);
    return text;
}

/* An index below `end`, or NO_SYMBOL. */
static uint32_t read_symbol(struct unpack *u, size_t end)
{
    uint32_t symbol = unpack_u32(u);
    u->bad |= symbol != NO_SYMBOL && symbol >= end;
    return symbol;
}

static void read_lines(struct unpack *u, uint32_t *start, uint32_t *end)
{
    *start = unpack_u32(u);
    *end = unpack_u32(u);
    u->bad |= *start == 0 || *start > *end;
}

static void read_symbols(struct arena *a, struct unpack *u, struct source_facts *out)
{
    out->symbol_count = out->symbol_capacity = unpack_count(u, MAX_SYMBOLS, 48);
    out->symbols = ARENA_ARRAY(a, struct source_symbol, out->symbol_count);
    for (size_t i = 0; i < out->symbol_count && !u->bad; i++) {
        struct source_symbol *s = &out->symbols[i];
        s->name = read_text(u, MAX_SYMBOL_BYTES);
        s->kind = (enum symbol_kind)unpack_below(u, SYMBOL_KIND_COUNT);
        s->signature = read_text(u, MAX_SIGNATURE_BYTES);
        s->doc = read_text(u, MAX_SYMBOL_DOC_BYTES);
        read_lines(u, &s->line_start, &s->line_end);
        s->parent = read_symbol(u, i);
        s->body_hash = unpack_u64(u);
        s->shape_hash = unpack_u64(u);
        s->is_private = unpack_below(u, 2);
        u->bad |= !s->name.len;
    }
}

static void read_references(struct arena *a, struct unpack *u, size_t symbol_count,
                            struct source_reference **out, size_t *count)
{
    *count = unpack_count(u, MAX_REFERENCES, 28);
    *out = ARENA_ARRAY(a, struct source_reference, *count);
    for (size_t i = 0; i < *count && !u->bad; i++) {
        struct source_reference *r = &(*out)[i];
        r->kind = (enum reference_kind)unpack_below(u, REFERENCE_KIND_COUNT);
        r->from = read_symbol(u, symbol_count);
        r->name = read_text(u, MAX_REFERENCE_BYTES);
        r->qualifier = read_text(u, MAX_REFERENCE_BYTES);
        r->alias = read_text(u, MAX_REFERENCE_BYTES);
        r->line = unpack_u32(u);
        r->count = unpack_u32(u);
    }
}

bool source_references_read(struct arena *a, str bytes, size_t symbol_count,
                            struct source_reference **out, size_t *count, struct err *e)
{
    struct unpack u = {bytes, false};
    read_references(a, &u, symbol_count, out, count);
    return unpack_done(&u) || fail(e, ERR_DB, "a file's stored references are damaged");
}

static void read_chunks(struct arena *a, struct unpack *u, struct source_facts *out)
{
    out->chunk_count = out->chunk_capacity = unpack_count(u, MAX_CHUNKS, 16);
    out->chunks = ARENA_ARRAY(a, struct source_chunk, out->chunk_count);
    for (size_t i = 0; i < out->chunk_count && !u->bad; i++) {
        struct source_chunk *c = &out->chunks[i];
        c->symbol = read_symbol(u, out->symbol_count);
        read_lines(u, &c->line_start, &c->line_end);
        c->text = read_text(u, MAX_SOURCE_FACTS_BYTES);
    }
}

enum { MAX_SHORT_TEXT_BYTES = 256, MAX_SOURCE_PATH_BYTES = 4096 };

bool source_file_read(struct arena *a, str bytes, struct source_file *out, struct err *e)
{
    *out = (struct source_file){0};
    if (bytes.len > MAX_SOURCE_FACTS_BYTES)
        return fail(e, ERR_LIMIT, "a source file's facts have %zu bytes, at most %d", bytes.len,
                    MAX_SOURCE_FACTS_BYTES);
    struct unpack u = {bytes, !str_starts(bytes, MAGIC)};
    u.rest = str_cut(u.rest, MAGIC.len, u.rest.len);
    out->path = read_text(&u, MAX_SOURCE_PATH_BYTES);
    out->blob = read_text(&u, MAX_SHORT_TEXT_BYTES);
    out->bytes = unpack_u64(&u);
    out->mtime_ns = (int64_t)unpack_u64(&u);
    out->ctime_ns = (int64_t)unpack_u64(&u);
    out->skipped = read_text(&u, MAX_SHORT_TEXT_BYTES);
    out->known = unpack_below(&u, 2);
    out->facts.language = read_text(&u, MAX_SHORT_TEXT_BYTES);
    out->facts.lines = unpack_u32(&u);
    out->facts.has_errors = unpack_below(&u, 2);
    out->facts.warning = read_text(&u, MAX_SHORT_TEXT_BYTES);
    read_symbols(a, &u, &out->facts);
    read_references(a, &u, out->facts.symbol_count, &out->facts.references,
                    &out->facts.reference_count);
    out->facts.reference_capacity = out->facts.reference_count;
    read_chunks(a, &u, &out->facts);
    return unpack_done(&u) || fail(e, ERR_INPUT, "a source file's facts are damaged");
}
