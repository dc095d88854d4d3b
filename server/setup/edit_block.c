/* A block of ours in somebody else's Markdown, between two comments. The first one carries a
 * fingerprint of what it encloses: a block that was changed by hand is known by it, and kept.
 *
 *     <!-- engram:begin 0123456789abcdef, by `engram setup --instructions` -->
 *     ...
 *     <!-- engram:end -->
 */
#include "memory/base/hash.h"
#include "server/setup/edit.h"

#define BEGIN "<!-- engram:begin "
#define END "<!-- engram:end -->"

enum { FINGERPRINT_DIGITS = 16 };

struct block {
    bool is_there;
    size_t from, to; /* whole lines */
    str fingerprint, body;
};

static str fingerprint_of(struct arena *a, str body)
{
    return str_cut(hash128_hex(a, str_trim(body)), 0, FINGERPRINT_DIGITS);
}

/* Where a line begins with `mark`, behind `from`; text.len: nowhere. */
static size_t find_line(str text, str mark, size_t from)
{
    size_t at = str_find(text, mark, from);
    while (at < text.len && edit_line_start(text, at) != at)
        at = str_find(text, mark, at + 1);
    return at;
}

static bool find_block(str text, struct block *out, struct err *e)
{
    *out = (struct block){0};
    if (!edit_readable(text, e))
        return false;
    size_t begin = find_line(text, S(BEGIN), 0);
    if (begin == text.len)
        return true;
    size_t end = find_line(text, S(END), begin);
    size_t again = find_line(text, S(BEGIN), begin + 1);
    if (end == text.len)
        return edit_fail_at(text, begin, e, "the block has no %s", END);
    if (again < text.len)
        return edit_fail_at(text, again, e, "the block stands there twice");
    size_t print = begin + S(BEGIN).len;
    *out = (struct block){
        .is_there = true,
        .from = begin,
        .to = edit_next_line(text, end),
        .fingerprint = str_cut(text, print, print + FINGERPRINT_DIGITS),
        .body = str_cut(text, edit_next_line(text, begin), end),
    };
    return true;
}

/* The body as it was hashed: line ends of any kind are the same. */
static str plain_lines(struct arena *a, str body)
{
    return edit_indented(a, body, S(""), S("  "), "\n");
}

static bool put(struct arena *a, str text, const struct edit *edit, str *out, struct err *e)
{
    struct block block;
    *out = text;
    if (!find_block(text, &block, e))
        return false;
    str body = str_trim(edit->value), print = fingerprint_of(a, body);
    str lines = arena_printf(a, BEGIN "%.*s, by `engram setup --instructions` -->\n%.*s\n" END,
                             FMT(print), FMT(body));
    if (!block.is_there) {
        *out = edit_append(a, text, lines);
        return true;
    }
    bool by_hand = !str_eq(block.fingerprint, fingerprint_of(a, plain_lines(a, block.body)));
    if (by_hand || str_eq(block.fingerprint, print))
        return true;
    const char *eol = edit_line_end(text);
    lines = edit_indented(a, lines, S(""), S("  "), eol);
    *out = edit_splice(a, text, block.from, block.to, arena_printf(a, "%.*s%s", FMT(lines), eol));
    return true;
}

static bool take(struct arena *a, str text, str before, const struct edit *edit, str *out,
                 struct err *e)
{
    (void)before, (void)edit;
    struct block block;
    *out = text;
    if (!find_block(text, &block, e))
        return false;
    if (block.is_there)
        *out = edit_remove_lines(a, text, block.from, block.to);
    return true;
}

const struct edit_format edit_block = {put, take, NULL};
