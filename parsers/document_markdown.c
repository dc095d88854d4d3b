/* Markdown, its structure by md4c. md4c tells no positions of blocks, but the text that it hands
 * out points into its input, so the first and last text of a leaf block give its lines; lines that
 * hold no text (fences, underlines, rules) are given to their block afterwards. A scanner of our
 * own would be as long as md4c's and wrong in other places.
 *
 * Only blocks are wanted of it. Its pass over inlines takes quadratic time and 100 bytes of memory
 * a byte for brackets (links are looked up through the lines of their paragraph), and its
 * containers take depth times lines. So it reads a copy of the same length in which brackets are
 * another character and list marks stop counting at MAX_MARK_COLUMN; offsets are the same in both.
 */
#include "memory/base/unicode.h"
#include "parsers/document.h"

#include <ctype.h>
#include <limits.h>
#include <md4c.h>
#include <strings.h>

enum {
    MAX_MARK_COLUMN = 100, /* bounds the depth of nesting */
    MAX_CDATA = 100,       /* sections whose brackets stay */
    MAX_FRONT_MATTER_LINES = 200,
    MAX_PARSED_HEADING = 1024, /* bytes of a heading whose markup is taken out */
};

/* ---- the copy for md4c ---- */

static bool is_space_or_end(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Marks of quotes and lists in what may be a line's front, from column MAX_MARK_COLUMN on. */
static void blunt_deep_marks(char *line, size_t length)
{
    for (size_t i = 0; i < length && strchr(" \t>*+-.)0123456789", line[i]); i++) {
        if (i < MAX_MARK_COLUMN)
            continue;
        bool bullet =
            strchr("*+-", line[i]) && strchr(" \t>", line[i - 1]) && is_space_or_end(line[i + 1]);
        bool number = strchr(".)", line[i]) && isdigit((unsigned char)line[i - 1]);
        if (line[i] == '>' || bullet || number)
            line[i] = '|';
    }
}

/* md4c 0.4.8 takes <Preview> and <style-guide> for the block that only </pre>, </style> end. */
static void blunt_longer_tag(char *tag, size_t length)
{
    static const char *const names[] = {"script", "pre", "style"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (n + 1 < length && strncasecmp(tag + 1, names[i], n) == 0 &&
            (isalnum((unsigned char)tag[n + 1]) || tag[n + 1] == '-'))
            tag[0] = '|';
    }
}

static void blunt_brackets(char *line, size_t length, size_t *cdata)
{
    static const str OPEN = {"<![CDATA[", 9}, CLOSE = {"]]>", 3};
    for (size_t i = 0; i < length; i++) {
        str rest = str_from(line + i, length - i);
        if (line[i] == '<' && str_starts(rest, OPEN) && ++*cdata <= MAX_CDATA)
            i += OPEN.len - 1;
        else if (line[i] == ']' && *cdata && str_starts(rest, CLOSE))
            i += CLOSE.len - 1;
        else if (line[i] == '[' || line[i] == ']')
            line[i] = '|';
        else if (line[i] == '<')
            blunt_longer_tag(line + i, length - i);
        else if (line[i] == '\r') /* a line's end to md4c, not to us */
            line[i] = ' ';
    }
}

static str blunt_copy(struct arena *a, const struct lines *l)
{
    char *copy = arena_cstr(a, l->text); /* its NUL stands behind the last line */
    size_t cdata = 0;
    for (size_t i = 0; i < l->count; i++) {
        size_t length = lines_text(l, i, i).len;
        blunt_deep_marks(copy + l->at[i], length);
        blunt_brackets(copy + l->at[i], length, &cdata);
    }
    return str_from(copy, l->text.len);
}

/* ---- leaf blocks out of md4c ---- */

struct scan {
    const struct lines *lines;
    str copy;
    struct outline *out;
    size_t line;    /* of the last text: the next one is on it or soon behind */
    int depth;      /* of open blocks, the document not counted */
    int shallowest; /* depth of the outermost block opened since the last text */
    enum block_kind kind;
    unsigned level;
    char fence;
    bool fresh; /* the next text begins a block */
};

static int enter_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
    struct scan *s = ctx;
    if (type == MD_BLOCK_DOC)
        return 0;
    s->depth++;
    if (s->depth < s->shallowest)
        s->shallowest = s->depth;
    s->fresh = true;
    s->kind = BLOCK_TEXT;
    s->level = 0;
    s->fence = '\0';
    if (type == MD_BLOCK_H && s->depth == 1) { /* one in a quote or a list heads no section */
        s->kind = BLOCK_HEADING;
        s->level = ((MD_BLOCK_H_DETAIL *)detail)->level;
    } else if (type == MD_BLOCK_CODE) {
        s->kind = BLOCK_CODE;
        s->fence = ((MD_BLOCK_CODE_DETAIL *)detail)->fence_char;
    } else if (type == MD_BLOCK_HTML) {
        s->kind = BLOCK_CODE;
    }
    return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
    (void)detail;
    struct scan *s = ctx;
    if (type == MD_BLOCK_DOC)
        return 0;
    s->depth--;
    s->fresh = true; /* text may go on in the item around */
    s->kind = BLOCK_TEXT;
    return 0;
}

static int ignore_span(MD_SPANTYPE type, void *detail, void *ctx)
{
    (void)type;
    (void)detail;
    (void)ctx;
    return 0;
}

static size_t line_of_text(struct scan *s, size_t offset)
{
    enum { LOOK_AHEAD = 4 };
    for (size_t i = s->line; i < s->lines->count && i < s->line + LOOK_AHEAD; i++)
        if (s->lines->at[i] <= offset && offset < s->lines->at[i + 1])
            return s->line = i;
    return s->line = lines_at(s->lines, offset);
}

static int take_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *ctx)
{
    (void)type;
    struct scan *s = ctx;
    uintptr_t at = (uintptr_t)text, begin = (uintptr_t)s->copy.at;
    if (at < begin || at >= begin + s->copy.len ||
        size == 0) /* md4c's own: a line's end, an indent */
        return 0;
    uint32_t line = (uint32_t)line_of_text(s, at - begin);
    struct outline *o = s->out;
    struct block *before = o->count ? &o->blocks[o->count - 1] : NULL;
    if (before && line <= before->last)
        s->fresh = false;
    if (!s->fresh && before) {
        before->last = line > before->last ? line : before->last;
        return 0;
    }
    int depth = s->shallowest > UINT8_MAX ? UINT8_MAX : s->shallowest;
    outline_add(o, (struct block){.first = line,
                                  .last = line,
                                  .kind = (uint8_t)s->kind,
                                  .level = (uint8_t)s->level,
                                  .depth = (uint8_t)depth,
                                  .fence = s->fence});
    s->shallowest = INT_MAX;
    s->fresh = false;
    return 0;
}

/* The blocks from line `first` on, by the lines of their text. false where md4c has no memory. */
static bool scan_blocks(struct arena *a, const struct lines *l, size_t first, struct outline *out)
{
    static const MD_PARSER parser = {.flags = MD_FLAG_NOHTMLSPANS,
                                     .enter_block = enter_block,
                                     .leave_block = leave_block,
                                     .enter_span = ignore_span,
                                     .leave_span = ignore_span,
                                     .text = take_text};
    struct scan s = {.lines = l,
                     .copy = blunt_copy(a, l),
                     .out = out,
                     .line = first,
                     .shallowest = INT_MAX,
                     .fresh = true};
    size_t from = l->at[first];
    return md_parse(s.copy.at + from, (MD_SIZE)(s.copy.len - from), &parser, &s) == 0;
}

/* ---- lines without text ---- */

/* The line behind marks of quotes and white space. */
static str line_content(const struct lines *l, size_t line)
{
    str s = lines_text(l, line, line);
    while (s.len && strchr(" \t>", s.at[0]))
        s = str_cut(s, 1, s.len);
    return str_trim(s);
}

static bool is_fence(const struct lines *l, size_t line, char fence)
{
    str s = line_content(l, line);
    size_t ticks = str_find(s, S("```"), 0), waves = str_find(s, S("~~~"), 0);
    return fence &&
           (fence == '`' ? ticks : waves) < s.len; /* an opening one may stand behind a list mark */
}

static bool is_atx(const struct lines *l, size_t line)
{
    str s = line_content(l, line);
    size_t marks = 0;
    while (marks < s.len && s.at[marks] == '#')
        marks++;
    return marks && (marks == s.len || s.at[marks] == ' ' || s.at[marks] == '\t');
}

/* Lines in [from, to) that hold something, run by run. */
static void add_loose_lines(const struct lines *l, size_t from, size_t to, uint8_t depth,
                            struct outline *out)
{
    for (size_t i = from; i < to; i++) {
        if (line_is_blank(l, i))
            continue;
        size_t last = i;
        while (last + 1 < to && !line_is_blank(l, last + 1))
            last++;
        outline_add(out,
                    (struct block){.first = (uint32_t)i, .last = (uint32_t)last, .depth = depth});
        i = last;
    }
}

/* Moves the end of block a and the start of block b into the lines between them; either may be
 * NULL. */
static void share_gap(const struct lines *l, struct block *a, struct block *b, size_t *from,
                      size_t *to)
{
    if (b && b->fence) { /* its opening fence; the code may begin with blank lines */
        size_t i = *to;
        while (i > *from && !is_fence(l, i - 1, b->fence))
            i--;
        if (i > *from)
            b->first = (uint32_t)(*to = i - 1);
    }
    if (a && a->fence) {
        size_t i = *from;
        while (i < *to && line_is_blank(l, i))
            i++;
        if (i < *to && is_fence(l, i, a->fence))
            a->last = (uint32_t)(*from = i + 1) - 1;
    }
    if (a && a->kind == BLOCK_HEADING) { /* its underline */
        if (*from < *to && !is_atx(l, a->first) && !line_is_blank(l, *from))
            a->last = (uint32_t)(*from)++;
    } else {
        while (a && *from < *to && !line_is_blank(l, *from))
            a->last = (uint32_t)(*from)++;
    }
    while (b && b->kind != BLOCK_HEADING && *from < *to && !line_is_blank(l, *to - 1))
        b->first = (uint32_t)-- * to;
}

/* The scanned blocks, with the lines that hold no text: fences and underlines go to their block, a
 * rule or an empty item to the one that it touches, what touches none becomes one. */
static void fill_gaps(const struct lines *l, size_t first, struct outline *scanned,
                      struct outline *out)
{
    struct block *before = NULL;
    size_t from = first; /* all lines before are in a block or blank */
    for (size_t i = 0; i <= scanned->count; i++) {
        struct block *next = i < scanned->count ? &scanned->blocks[i] : NULL;
        size_t to = next ? next->first : l->count;
        share_gap(l, before, next, &from, &to);
        if (before)
            outline_add(out, *before);
        add_loose_lines(l, from, to, next ? next->depth : 1, out);
        before = next;
        from = next ? next->last + 1 : to;
    }
}

/* ---- headings ---- */

static int add_plain(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *ctx)
{
    static const struct {
        str entity, text;
    } entities[] = {{{"&amp;", 5}, {"&", 1}}, {{"&lt;", 4}, {"<", 1}},
                    {{"&gt;", 4}, {">", 1}},  {{"&quot;", 6}, {"\"", 1}},
                    {{"&#39;", 5}, {"'", 1}}, {{"&nbsp;", 6}, {" ", 1}}};
    struct buf *out = ctx;
    str s = str_from(text, size);
    if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
        s = S(" ");
    else if (type == MD_TEXT_HTML)
        s = S("");
    for (size_t i = 0; type == MD_TEXT_ENTITY && i < sizeof entities / sizeof *entities; i++)
        if (str_eq(s, entities[i].entity))
            s = entities[i].text;
    buf_add(out, s);
    return 0;
}

static int ignore_block(MD_BLOCKTYPE type, void *detail, void *ctx)
{
    (void)type;
    (void)detail;
    (void)ctx;
    return 0;
}

/* The text of a heading's lines without its marks and markup. */
static str heading_text(struct arena *a, str source)
{
    static const MD_PARSER parser = {.enter_block = ignore_block,
                                     .leave_block = ignore_block,
                                     .enter_span = ignore_span,
                                     .leave_span = ignore_span,
                                     .text = add_plain};
    str head = utf8_prefix(source, MAX_PARSED_HEADING);
    struct buf text = {0};
    bool ok = md_parse(head.at, (MD_SIZE)head.len, &parser, &text) == 0;
    str plain = ok ? arena_str(a, str_trim(buf_str(&text))) : S("");
    buf_free(&text);
    return plain.len ? plain : head; /* "# ![](logo.svg)" has no text */
}

static void read_headings(struct arena *a, const struct lines *l, struct outline *o)
{
    for (size_t i = 0; i < o->count; i++) {
        struct block *b = &o->blocks[i];
        if (b->kind == BLOCK_HEADING)
            b->heading =
                outline_add_heading(a, o, heading_text(a, lines_text(l, b->first, b->last)));
    }
}

static str title_of(const struct outline *o)
{
    const struct block *best = NULL;
    for (size_t i = 0; i < o->count; i++) {
        const struct block *b = &o->blocks[i];
        if (b->kind == BLOCK_HEADING && (!best || (b->level == 1 && best->level > 1)))
            best = b;
    }
    return best ? o->headings[best->heading] : S("");
}

/* ---- tables and front matter ---- */

/* "|---|:-:|": only dashes, colons, bars and white space, and at least one bar and dash. */
static bool is_delimiter_row(str line)
{
    bool bar = false, dash = false;
    for (size_t i = 0; i < line.len; i++) {
        if (!strchr("|-: \t>", line.at[i]))
            return false;
        bar |= line.at[i] == '|';
        dash |= line.at[i] == '-';
    }
    return bar && dash;
}

/* A table is a paragraph to md4c here: its own tables give cells for rows that have none, columns
 * times rows of them. */
static void mark_tables(const struct lines *l, struct outline *o)
{
    for (size_t i = 0; i < o->count; i++) {
        struct block *b = &o->blocks[i];
        if (b->kind == BLOCK_TEXT && b->first < b->last &&
            is_delimiter_row(lines_text(l, b->first + 1, b->first + 1)))
            b->kind = BLOCK_ROWS;
    }
}

/* Lines of front matter, its two bounds included: --- to --- or ..., +++ to +++; 0 where there is
 * none. */
static size_t front_matter_lines(const struct lines *l)
{
    if (l->count < 2)
        return 0;
    str bound = lines_text(l, 0, 0), second = str_trim(lines_text(l, 1, 1));
    bool yaml = str_eq(str_trim(bound), S("---")), toml = str_eq(str_trim(bound), S("+++"));
    if ((!yaml && !toml) || bound.at[0] == ' ' || second.len == 0)
        return 0;
    for (size_t i = 1; i < l->count && i < MAX_FRONT_MATTER_LINES; i++) {
        str line = str_trim(lines_text(l, i, i));
        if (str_eq(line, str_trim(bound)) || (yaml && str_eq(line, S("..."))))
            return i + 1;
    }
    return 0;
}

static str without_quotes(str s)
{
    bool quoted = s.len >= 2 && s.at[0] == s.at[s.len - 1] && (s.at[0] == '"' || s.at[0] == '\'');
    return quoted ? str_cut(s, 1, s.len - 1) : s;
}

/* Its `title: ...` or `title = ...`. */
static str front_matter_title(struct arena *a, const struct lines *l, size_t count)
{
    for (size_t i = 1; i + 1 < count; i++) {
        str line = lines_text(l, i, i);
        if (!str_starts(line, S("title")))
            continue;
        str rest = str_trim(str_cut(line, S("title").len, line.len));
        if (rest.len && (rest.at[0] == ':' || rest.at[0] == '='))
            return utf8_prefix(
                unicode_squeeze(a, without_quotes(str_trim(str_cut(rest, 1, rest.len)))),
                MAX_HEADING_BYTES);
    }
    return S("");
}

/* ---- the format ---- */

static bool parse_blocks(struct arena *a, const struct lines *l, size_t first, struct outline *out)
{
    struct outline scanned = {0};
    bool ok = scan_blocks(a, l, first, &scanned);
    if (ok) {
        fill_gaps(l, first, &scanned, out);
        mark_tables(l, out);
        read_headings(a, l, out);
    }
    outline_free(&scanned);
    return ok;
}

bool document_markdown(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    const struct lines *l = &d->lines;
    struct outline o = {0};
    size_t front = front_matter_lines(l);
    if (front) {
        outline_add(&o,
                    (struct block){.first = 0, .last = (uint32_t)front - 1, .kind = BLOCK_META});
        out->title = front_matter_title(a, l, front);
    }
    if (!parse_blocks(a, l, front, &o)) {
        facts_add_warning(a, out, S("too intricate to be read as Markdown; read as plain text"));
        document_paragraphs(l, front, &o);
    }
    if (!out->title.len)
        out->title = title_of(&o);
    if (!out->title.len)
        out->title = document_file_name(d->name);
    bool ok = passages_cut(a, l, &o, out, e);
    outline_free(&o);
    return ok;
}

static bool is_sniffed_heading(const struct lines *l, size_t i)
{
    str line = lines_text(l, i, i);
    size_t marks = 0;
    while (marks < line.len && line.at[marks] == '#')
        marks++;
    return marks && marks <= MAX_HEADING_LEVEL && marks < line.len && line.at[marks] == ' ' &&
           (i == 0 || line_is_blank(l, i - 1)) && (i + 1 == l->count || line_is_blank(l, i + 1));
}

/* A heading with blank lines around it (in a script or configuration # begins a comment, which
 * stands next to something), a fence, or front matter. */
bool markdown_sniff(str name, const struct lines *l)
{
    enum { LINES = 400 };
    (void)name;
    for (size_t i = 0; i < l->count && i < LINES; i++)
        if (is_sniffed_heading(l, i) || str_starts(lines_text(l, i, i), S("```")))
            return true;
    return front_matter_lines(l) > 0;
}
