/* YAML: keys to a depth of three by indent, nothing in sequences; what jobs and services name. The
 * grammar's scanner writes past its buffer where lines nest deeply. */
#include "parsers/source_lines.h"

enum { MAX_KEY_DEPTH = 3 };

struct yaml {
    struct line_scan *scan;
    size_t marks[MAX_KEY_DEPTH], indents[MAX_KEY_DEPTH];
    size_t depth;    /* keys that are open */
    size_t last_end; /* of the last line that isn't empty */
    size_t scalar;   /* indent of the key whose block text (| or >) goes on */
    bool in_scalar;
    size_t needs; /* indent of a key whose sequence names jobs */
    bool in_needs;
};

/* A line's "key:" with where its value begins. */
struct yaml_key {
    str name;        /* without quotes */
    str value;       /* trimmed, without a comment */
    size_t at, body; /* bytes of the key and behind its colon */
};

static size_t indent_of(str line)
{
    size_t n = 0;
    while (n < line.len && line.at[n] == ' ')
        n++;
    return n;
}

static str unquoted(str s)
{
    bool quoted = s.len >= 2 && (s.at[0] == '"' || s.at[0] == '\'') && s.at[s.len - 1] == s.at[0];
    return quoted ? str_cut(s, 1, s.len - 1) : s;
}

/* Cut before " #". */
static str without_comment(str s)
{
    if (s.len && s.at[0] == '#')
        return S("");
    size_t at = str_find(s, S(" #"), 0);
    return str_trim(str_cut(s, 0, at));
}

/* "key: value", "'key' :"; false where the text is none. */
static bool take_key(const struct yaml *y, str text, struct yaml_key *out)
{
    size_t colon = 0;
    if (!text.len || strchr("-?[]{}#&*!|>%@`,", text.at[0]))
        return false;
    if (text.at[0] == '"' || text.at[0] == '\'')
        colon = str_find_char(text, text.at[0], 1) + 1;
    while (colon < text.len &&
           !(text.at[colon] == ':' && (colon + 1 == text.len || strchr(" \t", text.at[colon + 1]))))
        colon++;
    if (colon >= text.len)
        return false;
    out->name = unquoted(str_trim(str_cut(text, 0, colon)));
    out->value = without_comment(str_trim(str_cut(text, colon + 1, text.len)));
    out->at = scan_offset(y->scan, text);
    out->body = out->at + colon;
    return true;
}

static void close_keys(struct yaml *y, size_t indent)
{
    while (y->depth > 0 && y->indents[y->depth - 1] >= indent)
        scan_end_symbol(y->scan, y->marks[--y->depth], y->last_end);
}

/* Each name of "a", "[a, b]" or one item. */
static void add_needs(struct yaml *y, str value)
{
    for (size_t i = 0; i < value.len;) {
        while (i < value.len && strchr("[], \t", value.at[i]))
            i++;
        size_t from = i;
        while (i < value.len && !strchr("[], \t", value.at[i]))
            i++;
        str name = unquoted(str_cut(value, from, i));
        if (name.len && !strchr("{&*|>", name.at[0]))
            scan_reference(y->scan, REF_CALL, S(""), name, scan_offset(y->scan, name));
    }
}

static void add_uses(struct yaml *y, const struct yaml_key *k, size_t indent)
{
    str value = unquoted(k->value);
    if (word_among(k->name, S("uses image extends $ref")) && k->name.len && value.len &&
        !strchr("{[&*|>", value.at[0]))
        scan_reference(y->scan, REF_IMPORT, value, S(""), scan_offset(y->scan, value));
    y->in_needs = str_eq(k->name, S("needs")) || str_eq(k->name, S("depends_on"));
    y->needs = indent;
    if (y->in_needs)
        add_needs(y, k->value);
}

/* Does the value go on in the lines below, whatever these are? */
static bool begins_scalar(str value)
{
    return value.len > 0 && (value.at[0] == '|' || value.at[0] == '>');
}

static void add_key(struct yaml *y, const struct yaml_key *k, size_t indent, str text)
{
    bool outer = y->depth == 0 ? indent == 0 : true;
    if (!outer || y->depth == MAX_KEY_DEPTH || !k->name.len)
        return;
    bool holds = !k->value.len || strchr("|>&", k->value.at[0]);
    size_t end = scan_offset(y->scan, text) + text.len;
    y->marks[y->depth] = scan_symbol(y->scan, SYMBOL_KEY, k->name, k->at, holds ? k->body : end);
    y->scan->source->marks.at[y->marks[y->depth]].rank = (uint16_t)y->depth;
    y->indents[y->depth++] = indent;
    scan_end_symbol(y->scan, y->marks[y->depth - 1], end);
}

/* What stands behind "- ": its keys are no symbols. */
static void take_item(struct yaml *y, str text, size_t indent)
{
    struct yaml_key k;
    size_t dashes = 0;
    while (dashes < text.len && strchr("- ", text.at[dashes]))
        dashes++;
    text = str_cut(text, dashes, text.len);
    if (y->in_needs && indent >= y->needs) {
        add_needs(y, without_comment(text));
    } else if (take_key(y, text, &k)) {
        add_uses(y, &k, indent + dashes);
        y->in_scalar = begins_scalar(k.value);
        y->scalar = indent;
    }
}

static void take_line(struct yaml *y, str line, size_t *item, bool *in_item)
{
    struct yaml_key k;
    size_t indent = indent_of(line);
    str text = str_trim(line);
    if (!text.len || (y->in_scalar && indent > y->scalar))
        return;
    y->in_scalar = false;
    if (text.at[0] == '#') {
        size_t from = scan_offset(y->scan, text);
        source_add_comment(y->scan->source, (uint32_t)from, (uint32_t)(from + text.len));
        return;
    }
    bool is_item = text.at[0] == '-' && (text.len == 1 || text.at[1] == ' ');
    if (*in_item && !is_item && indent <= *item)
        *in_item = false;
    /* a sequence may stand at its key's own indent */
    close_keys(y, is_item ? indent + 1 : *in_item ? SIZE_MAX : indent);
    if (str_eq(text, S("---")) || str_eq(text, S("..."))) {
        close_keys(y, 0);
    } else if (is_item) {
        if (!*in_item)
            *item = indent;
        *in_item = true;
        take_item(y, text, indent);
    } else if (take_key(y, text, &k)) {
        if (!*in_item)
            add_key(y, &k, indent, text);
        add_uses(y, &k, indent);
        y->in_scalar = begins_scalar(k.value);
        y->scalar = indent;
    }
}

void rules_yaml(struct line_scan *s)
{
    struct yaml y = {.scan = s};
    str line;
    size_t item = 0;
    bool in_item = false;
    while (scan_line(s, &line)) {
        take_line(&y, line, &item, &in_item);
        str text = str_trim(line);
        if (text.len)
            y.last_end = scan_offset(s, text) + text.len;
    }
    close_keys(&y, 0);
}
