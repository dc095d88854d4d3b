#include "parsers/passages.h"

#include "memory/base/hash.h"
#include "memory/base/unicode.h"
#include "memory/text.h"
#include "parsers/parsers.h"

/* How bad a cut before a piece is; the best one in the second half of a passage is taken. Depths of
 * blocks come first. */
enum {
    CUT_MAX_DEPTH = 50,
    CUT_BLANK_LINE = 60, /* + indent: code behind a blank line */
    CUT_SENTENCE = 100,
    CUT_ROW = 101,
    CUT_LINE = 110,    /* + indent: code anywhere else */
    CUT_CLOSING = 150, /* code that starts with what closes */
    CUT_WITHIN = 200,  /* within a sentence or a line */
    CUT_MAX_INDENT = 39,
};

enum {
    BYTES_PER_TOKEN = 4, /* of English, to begin with when a length is looked for; of white space */
    MAX_BYTES_PER_TOKEN = 16, /* text with fewer tokens counts as if it had one for so many bytes */
    MAX_PATH_DEPTH = MAX_HEADING_LEVEL,
    MAIN_PERCENT = 80,
};

/* A run of the text that is never cut further. Pieces ascend; only white space lies between them.
 */
struct piece {
    uint32_t from, to;
    uint32_t cost; /* tokens, with the white space in front */
    uint8_t cut;
};

/* The headings above a place, outermost first, as indices of their blocks. */
struct path {
    uint32_t at[MAX_PATH_DEPTH];
    size_t depth;
};

/* One or more neighbouring sections, or a part of one: what becomes a passage. */
struct group {
    uint32_t from, to;
    uint32_t cost;
    struct path shared; /* headings above all of its text */
    struct path path;   /* headings above MAIN_PERCENT of its text, as precise as these allow */
    uint32_t path_cost; /* of the text below path */
    size_t base_depth;  /* of the parent of its first section */
    bool has_text;      /* more than headings */
    bool alone;         /* nothing may join */
};

struct cutter {
    struct arena *arena;
    const struct lines *lines;
    const struct outline *outline;
    struct facts *out;
    struct err *err;

    struct piece *pieces; /* of the section in work; heap */
    size_t count, capacity;
    size_t gap_bytes; /* between pieces, not yet counted */
    struct path path; /* of the section in work */
    bool is_meta, is_alone;

    struct group group; /* waiting for neighbours */
    bool has_group;
    struct map keys; /* how often each key came */
};

struct lines lines_find(struct arena *a, str text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.len; at = str_find_char(text, '\n', at) + 1)
        count++;
    struct lines l = {text, ARENA_ARRAY(a, uint32_t, count + 1), count};
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        l.at[i] = (uint32_t)at;
        at = str_find_char(text, '\n', at) + 1;
    }
    l.at[count] = (uint32_t)text.len;
    return l;
}

str lines_text(const struct lines *l, size_t first, size_t last)
{
    str s = str_cut(l->text, l->at[first], l->at[last + 1]);
    if (s.len && s.at[s.len - 1] == '\n')
        s.len--;
    return s;
}

size_t lines_at(const struct lines *l, size_t offset)
{
    size_t low = 0, high = l->count; /* at[low] <= offset < at[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (l->at[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool line_is_blank(const struct lines *l, size_t line)
{
    return str_trim(lines_text(l, line, line)).len == 0;
}

void outline_add(struct outline *o, struct block b)
{
    HEAP_GROW(o->blocks, o->count, o->capacity);
    o->blocks[o->count++] = b;
}

uint32_t outline_add_heading(struct arena *a, struct outline *o, str text)
{
    HEAP_GROW(o->headings, o->heading_count, o->heading_capacity);
    str head = utf8_prefix(text, 4 * MAX_HEADING_BYTES); /* squeezing may shorten it */
    o->headings[o->heading_count] = utf8_prefix(unicode_squeeze(a, head), MAX_HEADING_BYTES);
    return (uint32_t)o->heading_count++;
}

void outline_free(struct outline *o)
{
    heap_free(o->blocks);
    heap_free(o->headings);
    *o = (struct outline){0};
}

/* Tokens, or what bounds the bytes of text that has few of them. */
static size_t cost_of(str s)
{
    size_t tokens = text_estimate_tokens(s), least = s.len / MAX_BYTES_PER_TOKEN;
    return tokens > least ? tokens : least;
}

static void add_piece(struct cutter *c, str s, size_t cost, int cut)
{
    uint32_t from = (uint32_t)(s.at - c->lines->text.at);
    if (c->count) {
        c->gap_bytes += from - c->pieces[c->count - 1].to;
        cost += c->gap_bytes / BYTES_PER_TOKEN;
        c->gap_bytes %= BYTES_PER_TOKEN;
    }
    HEAP_GROW(c->pieces, c->count, c->capacity);
    c->pieces[c->count++] =
        (struct piece){from, from + (uint32_t)s.len, (uint32_t)cost, (uint8_t)cut};
}

/* A length, at a code point, whose cost is at most PASSAGE_TOKENS and, if a few guesses find it,
 * near to it. */
static size_t fitting_bytes(str s)
{
    enum { GUESSES = 4, MOST_BYTES = PASSAGE_TOKENS * MAX_BYTES_PER_TOKEN };
    size_t fits = PASSAGE_TOKENS,
           bytes = PASSAGE_TOKENS * BYTES_PER_TOKEN; /* a byte is at most a token */
    for (int i = 0; i < GUESSES; i++) {
        str prefix = utf8_prefix(s, bytes);
        size_t cost = cost_of(prefix);
        if (cost <= PASSAGE_TOKENS && prefix.len > fits)
            fits = prefix.len;
        if (cost <= PASSAGE_TOKENS && (prefix.len == s.len || cost > PASSAGE_TOKENS * 3 / 4))
            break;
        bytes = bytes * (PASSAGE_TOKENS * 9 / 10) / (cost ? cost : 1);
        bytes = bytes > MOST_BYTES ? MOST_BYTES : bytes;
    }
    return utf8_prefix(s, fits).len;
}

/* Where to cut within: behind a line, else behind a word, in the second half; else at a code point.
 */
static size_t cut_within(str s)
{
    size_t most = fitting_bytes(s);
    if (most == s.len)
        return most;
    size_t word = 0;
    for (size_t at = most; at > most / 2; at--) {
        if (s.at[at - 1] == '\n')
            return at;
        if (!word && (s.at[at - 1] == ' ' || s.at[at - 1] == '\t'))
            word = at;
    }
    return word ? word : most;
}

/* What has no better bounds. Lines keep their indent, since code goes through here too. */
static void add_long(struct cutter *c, str s, int cut)
{
    while (s.len) {
        size_t bytes = cut_within(s);
        str piece = str_cut(s, 0, bytes);
        s = str_cut(s, bytes, s.len);
        while (piece.len && strchr(" \t\n", piece.at[piece.len - 1]))
            piece.len--;
        if (str_trim(piece).len == 0)
            continue;
        add_piece(c, piece, cost_of(piece), cut);
        cut = CUT_WITHIN;
    }
}

static void add_fitting(struct cutter *c, str s, int cut)
{
    size_t cost = cost_of(s);
    if (cost <= PASSAGE_TOKENS)
        add_piece(c, s, cost, cut);
    else
        add_long(c, s, cut);
}

/* Without white space in front, but with the indent of the line that it begins. */
static str from_line_start(str s)
{
    str trimmed = str_trim(s);
    size_t from = s.len ? (size_t)(trimmed.at - s.at) : 0, line = from;
    while (line && s.at[line - 1] != '\n')
        line--;
    return str_cut(s, line ? line : from, s.len);
}

/* text_next_sentence leaves list markers out; here they stay with what follows them. */
static void add_sentences(struct cutter *c, str s, int cut)
{
    str rest = s, sentence;
    size_t from = 0;
    while (text_next_sentence(&rest, &sentence)) {
        size_t to = (size_t)(sentence.at + sentence.len - s.at);
        str piece = str_cut(s, from, to);
        add_fitting(c, from ? from_line_start(piece) : piece, cut);
        from = to;
        cut = CUT_SENTENCE;
    }
    str last = str_trim(str_cut(s, from, s.len));
    if (last.len)
        add_fitting(c, last, cut);
}

static int cut_before_code(str line, bool behind_blank)
{
    size_t indent = 0;
    while (indent < line.len && (line.at[indent] == ' ' || line.at[indent] == '\t'))
        indent++;
    bool closes = indent < line.len && strchr("})]>", line.at[indent]);
    int depth = indent > CUT_MAX_INDENT ? CUT_MAX_INDENT : (int)indent;
    return (closes ? CUT_CLOSING : behind_blank ? CUT_BLANK_LINE : CUT_LINE) + depth;
}

static void add_lines(struct cutter *c, const struct block *b, int first_cut)
{
    bool behind_blank = false;
    for (size_t i = b->first; i <= b->last; i++) {
        str line = lines_text(c->lines, i, i);
        if (str_trim(line).len == 0) {
            behind_blank = true;
            continue;
        }
        int cut = b->kind == BLOCK_ROWS ? CUT_ROW : cut_before_code(line, behind_blank);
        add_fitting(c, line, i == b->first ? first_cut : cut);
        behind_blank = false;
    }
}

static void add_block(struct cutter *c, const struct block *b)
{
    str s = lines_text(c->lines, b->first, b->last);
    size_t cost = cost_of(s);
    size_t whole = b->kind == BLOCK_CODE ? MAX_WHOLE_CODE_TOKENS : PASSAGE_TOKENS;
    int cut = b->depth > CUT_MAX_DEPTH ? CUT_MAX_DEPTH : b->depth;
    if (cost <= whole)
        add_piece(c, s, cost, cut);
    else if (b->kind == BLOCK_TEXT || b->kind == BLOCK_HEADING)
        add_sentences(c, s, cut);
    else
        add_lines(c, b, cut);
}

static str heading_of(const struct cutter *c, uint32_t block)
{
    return c->outline->headings[c->outline->blocks[block].heading];
}

static str path_text(const struct cutter *c, const struct path *p)
{
    struct buf text = {0};
    for (size_t i = 0; i < p->depth; i++) {
        buf_add(&text, i ? S(" > ") : S(""));
        buf_add(&text, heading_of(c, p->at[i]));
    }
    str out = arena_str(c->arena, buf_str(&text));
    buf_free(&text);
    return out;
}

static str key_of(struct cutter *c, str heading, str body)
{
    struct buf both = {0};
    buf_add(&both, heading);
    buf_add_char(&both, '\n');
    buf_add(&both, body);
    str key = hash128_hex(c->arena, buf_str(&both));
    buf_free(&both);
    int64_t *times = map_put(&c->keys, key, 0, NULL);
    return ++*times == 1 ? key : arena_printf(c->arena, "%.*s-%lld", FMT(key), (long long)*times);
}

static bool put_passage(struct cutter *c, const struct group *g)
{
    if (c->out->node_count == MAX_PASSAGES)
        return fail(c->err, ERR_LIMIT,
                    "the document gives more than %d passages; attach it in parts", MAX_PASSAGES);
    str heading = path_text(c, &g->path);
    str body = str_cut(c->lines->text, g->from, g->to);
    uint32_t node = facts_add_node(
        c->arena, c->out,
        (struct fact_node){
            .kind = NODE_PASSAGE,
            .key = key_of(c, heading, body),
            .name = g->path.depth ? heading_of(c, g->path.at[g->path.depth - 1]) : c->out->title,
            .body = body,
            .heading = heading,
            .line_start = (uint32_t)lines_at(c->lines, g->from) + 1,
            .line_end = (uint32_t)lines_at(c->lines, g->to - 1) + 1,
        });
    if (node)
        facts_add_edge(c->arena, c->out, (struct fact_edge){node - 1, node, EDGE_NEXT, 1.0f});
    return true;
}

static bool flush_group(struct cutter *c)
{
    bool ok = !c->has_group || put_passage(c, &c->group);
    c->has_group = false;
    return ok;
}

static size_t parent_depth(const struct path *p)
{
    return p->depth ? p->depth - 1 : 0;
}

static uint32_t gap_cost(const struct group *before, const struct group *next)
{
    return (next->from - before->to) / BYTES_PER_TOKEN + 1;
}

/* May the section that g begins join the group before it? */
static bool may_join(const struct cutter *c, const struct group *g)
{
    const struct group *before = &c->group;
    if (!c->has_group || before->alone || g->alone || g->path.depth == 0)
        return false;
    uint32_t own_heading = g->path.at[g->path.depth - 1];
    if (c->outline->blocks[own_heading].level == 1)
        return false;
    if (parent_depth(&g->path) <
        before->base_depth) /* in order, so else its parent is in the group or that of the group */
        return false;
    bool small = before->cost < MIN_PASSAGE_TOKENS || g->cost < MIN_PASSAGE_TOKENS;
    bool leads = before->cost < MIN_PASSAGE_TOKENS && !before->has_text;
    size_t most = leads ? MAX_PASSAGE_TOKENS : MAX_JOINED_TOKENS;
    return small && before->cost + gap_cost(before, g) + g->cost <= most;
}

static struct path common_path(const struct path *a, const struct path *b)
{
    struct path common = *a;
    common.depth = 0;
    while (common.depth < a->depth && common.depth < b->depth &&
           a->at[common.depth] == b->at[common.depth])
        common.depth++;
    return common;
}

static bool is_main(uint32_t part, uint32_t all)
{
    return (uint64_t)part * 100 >= (uint64_t)all * MAIN_PERCENT;
}

/* The path of both together; cost is of both. */
static void join_paths(struct group *g, const struct group *next, uint32_t cost)
{
    struct path common = common_path(&g->path, &next->path);
    g->shared = common_path(&g->shared, &next->path);
    if (is_main(next->cost, cost)) {
        g->path = next->path;
        g->path_cost = next->cost;
    } else if (is_main(g->path_cost, cost)) {
        g->path_cost += common.depth == g->path.depth ? next->cost : 0;
    } else {
        g->path = g->shared;
        g->path_cost = cost;
    }
}

static void join(struct group *g, const struct group *next)
{
    uint32_t cost = g->cost + gap_cost(g, next) + next->cost;
    if (next->has_text && g->has_text) {
        join_paths(g, next, cost);
    } else if (next->has_text) {
        g->path = g->shared = next->path;
        g->path_cost = cost;
    }
    g->has_text |= next->has_text;
    g->cost = cost;
    g->to = next->to;
}

/* Pieces [from, to) of the section become a group, or join the one before. */
static bool put_group(struct cutter *c, size_t from, size_t to)
{
    struct group g = {.from = c->pieces[from].from,
                      .to = c->pieces[to - 1].to,
                      .path = c->path,
                      .shared = c->path,
                      .base_depth = parent_depth(&c->path),
                      .has_text = c->path.depth == 0 || to > 1,
                      .alone = c->is_meta || c->is_alone};
    for (size_t i = from; i < to; i++)
        g.cost += c->pieces[i].cost;
    g.path_cost = g.cost;
    if (from == 0 && may_join(c, &g)) {
        join(&c->group, &g);
        return true;
    }
    if (!flush_group(c))
        return false;
    c->group = g;
    c->has_group = true;
    return true;
}

/* The best place to cut behind `from` and at most at `to`, once half a passage is full. */
static size_t best_cut(const struct cutter *c, size_t from, size_t to)
{
    size_t best = to, cost = 0;
    for (size_t i = from; i < to; i++) {
        if (cost >= PASSAGE_TOKENS / 2 && c->pieces[i].cut < c->pieces[best].cut)
            best = i;
        cost += c->pieces[i].cost;
    }
    return best;
}

/* Fills passages from the front, so that text added at the end of a section leaves the ones before
 * it as they are. */
static bool end_section(struct cutter *c)
{
    size_t rest = 0;
    for (size_t i = 0; i < c->count; i++)
        rest += c->pieces[i].cost;

    bool ok = true;
    for (size_t from = 0, to = 0; ok && from < c->count; from = to) {
        size_t cost = 0;
        while (to < c->count &&
               (cost + c->pieces[to].cost <= PASSAGE_TOKENS || to == from ||
                (cost < MIN_PASSAGE_TOKENS && c->pieces[to].cost <= MAX_WHOLE_CODE_TOKENS)))
            cost += c->pieces[to++].cost;
        if (rest - cost < MIN_PASSAGE_TOKENS && rest <= MAX_JOINED_TOKENS)
            to = c->count;
        else if (to < c->count)
            to = best_cut(c, from, to);
        for (size_t i = from; i < to; i++)
            rest -= c->pieces[i].cost;
        ok = put_group(c, from, to);
    }
    c->count = 0;
    c->is_meta = false;
    return ok;
}

static void enter_heading(struct cutter *c, uint32_t block)
{
    struct path *p = &c->path;
    int level = c->outline->blocks[block].level;
    while (p->depth && c->outline->blocks[p->at[p->depth - 1]].level >= level)
        p->depth--;
    p->at[p->depth++] = block;
    c->is_alone = c->outline->blocks[block].alone;
}

static bool cut_blocks(struct cutter *c)
{
    for (uint32_t i = 0; i < c->outline->count; i++) {
        const struct block *b = &c->outline->blocks[i];
        if ((b->kind == BLOCK_HEADING || b->kind == BLOCK_META || c->is_meta) && !end_section(c))
            return false;
        if (b->kind == BLOCK_HEADING)
            enter_heading(c, i);
        c->is_meta = b->kind == BLOCK_META;
        add_block(c, b);
    }
    return end_section(c) && flush_group(c);
}

bool passages_cut(struct arena *a, const struct lines *l, const struct outline *o,
                  struct facts *out, struct err *e)
{
    struct cutter c = {.arena = a, .lines = l, .outline = o, .out = out, .err = e};
    bool ok = cut_blocks(&c);
    heap_free(c.pieces);
    map_free(&c.keys);
    return ok;
}
