/* Perl, which only perl can parse: packages and subs by how their lines begin, ends by indent,
 * calls by the arrow or the bracket. */
#include "parsers/source_lines.h"

#include <ctype.h>

enum {
    MAX_PERL_LINE_BYTES = 4096, /* of one line that are looked at */
};

struct perl {
    struct line_scan *scan;
    size_t package, sub; /* their marks while they are open */
    size_t indent;       /* of the open sub's line */
    size_t last_end;     /* of the last line that isn't empty */
    bool in_package, in_sub, in_pod;
};

/* A call of these is told of nothing. */
static const char builtin[] =
    "and bless ref defined delete die do each elsif eval exists for foreach grep if join keys lc"
    " length local map my not open or our pop print printf push q qq qr qw return reverse say"
    " scalar shift sort splice split sprintf sub substr uc undef unless unshift until values"
    " wantarray warn while x";

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Splits the name at the front off ("Foo::Bar"), behind white space; empty where there is none. */
static str take_name(str *rest)
{
    size_t from = 0;
    while (from < rest->len && isspace((unsigned char)rest->at[from]))
        from++;
    size_t to = from;
    for (;;) {
        if (to < rest->len && is_letter(rest->at[to]))
            to++;
        else if (to > from && str_starts(str_cut(*rest, to, rest->len), S("::")))
            to += 2;
        else
            break;
    }
    str name = str_cut(*rest, from, to);
    *rest = str_cut(*rest, to, rest->len);
    return name;
}

/* Splits "Foo::Bar::run" into "Foo::Bar" and "run". */
static void split_name(str name, str *qualifier, str *last)
{
    size_t colon = name.len;
    while (colon > 0 && name.at[colon - 1] != ':')
        colon--;
    *qualifier = str_cut(name, 0, colon >= 2 ? colon - 2 : 0);
    *last = str_cut(name, colon, name.len);
}

static void end_sub(struct perl *p, size_t end)
{
    if (p->in_sub)
        scan_end_symbol(p->scan, p->sub, end);
    p->in_sub = false;
}

static void end_package(struct perl *p, size_t end)
{
    end_sub(p, end);
    if (p->in_package)
        scan_end_symbol(p->scan, p->package, end);
    p->in_package = false;
}

/* The names in what is left of a line are classes: 'A', "B", qw(C D). */
static void add_parents(struct perl *p, str rest)
{
    struct line_scan *s = p->scan;
    if (p->in_package)
        s->source->marks.at[p->package].kind = SYMBOL_CLASS;
    while (rest.len > 0) {
        if (rest.at[0] == '-' || !is_letter(rest.at[0])) {
            bool option = rest.at[0] == '-';
            rest = str_cut(rest, 1, rest.len);
            if (option)
                take_name(&rest);
            continue;
        }
        str qualifier, last, name = take_name(&rest);
        if (str_eq(name, S("qw")) || isdigit((unsigned char)name.at[0]))
            continue;
        split_name(name, &qualifier, &last);
        scan_reference(s, REF_INHERIT, qualifier, last, scan_offset(s, name));
    }
}

static void add_use(struct perl *p, str line, str rest)
{
    struct line_scan *s = p->scan;
    size_t from = scan_offset(s, line);
    str name = take_name(&rest);
    if (str_eq(name, S("parent")) || str_eq(name, S("base"))) {
        add_parents(p, rest);
    } else if (str_eq(name, S("constant"))) {
        name = take_name(&rest);
        if (name.len)
            scan_symbol(s, SYMBOL_CONSTANT, name, from, from + line.len);
    } else if (name.len > 0 && isupper((unsigned char)name.at[0])) {
        scan_reference(s, REF_IMPORT, name, S(""), from);
        rest = str_trim(rest);
        if (str_ends(name, S("::Base")) && p->in_package)
            add_parents(p, rest.len && strchr("'\"", rest.at[0])
                               ? str_cut(rest, 0, str_find_char(rest, rest.at[0], 1))
                               : S(""));
    }
}

/* "package Foo::Bar;": the symbol's name is all of it. */
static void begin_package(struct perl *p, str line, str rest)
{
    struct line_scan *s = p->scan;
    size_t from = scan_offset(s, line);
    end_package(p, p->last_end);
    str name = take_name(&rest);
    if (!name.len)
        return;
    str owner, last;
    split_name(name, &owner, &last);
    p->package = scan_symbol(s, SYMBOL_MODULE, last, from, from + str_find_char(line, '{', 0));
    s->source->marks.at[p->package].owner = owner;
    p->in_package = true;
}

static void begin_sub(struct perl *p, str line, str rest, size_t indent)
{
    struct line_scan *s = p->scan;
    size_t from = scan_offset(s, line);
    str name = take_name(&rest);
    end_sub(p, p->last_end);
    bool has_body = str_find_char(line, '{', 0) < line.len || !str_ends(line, S(";"));
    if (!name.len || !has_body)
        return;
    bool method = p->in_package && s->source->marks.at[p->package].kind == SYMBOL_CLASS;
    str owner, last;
    split_name(name, &owner, &last);
    p->sub = scan_symbol(s, method ? SYMBOL_METHOD : SYMBOL_FUNCTION, last, from,
                         from + str_find_char(line, '{', 0));
    s->source->marks.at[p->sub].owner = owner;
    p->in_sub = true;
    p->indent = indent;
}

/* has name => ..., has 'name'; */
static void add_attribute(struct perl *p, str line, str rest)
{
    size_t from = scan_offset(p->scan, line);
    rest = str_trim(rest);
    if (rest.len && strchr("'\"", rest.at[0]))
        rest = str_cut(rest, 1, rest.len);
    str name = take_name(&rest);
    if (name.len)
        scan_symbol(p->scan, SYMBOL_PROPERTY, name, from, from + line.len);
}

static bool is_one_line_sub(str line)
{
    return str_ends(line, S("}")) || str_ends(line, S(";"));
}

/* Behind the string that begins at line.at[i]; it ends with the line at the latest. */
static size_t skip_string(str line, size_t i)
{
    char quote = line.at[i++];
    while (i < line.len && line.at[i] != quote)
        i += line.at[i] == '\\' ? 2 : 1;
    return i < line.len ? i + 1 : line.len;
}

/* name(...), ->name, Foo::name(...), Foo->name. `object` is what stood before an arrow. */
static void add_call(struct perl *p, str name, str object, bool arrow, bool bracket)
{
    if ((!arrow && !bracket) || name.len == 0 || isdigit((unsigned char)name.at[0]) ||
        (!arrow && word_among(name, str_of(builtin))))
        return;
    str qualifier, last;
    split_name(name, &qualifier, &last);
    scan_reference(p->scan, REF_CALL, arrow ? object : qualifier, last, scan_offset(p->scan, name));
}

static void add_calls(struct perl *p, str line)
{
    str object = S("");
    bool arrow = false;
    for (size_t i = 0; i < line.len;) {
        char c = line.at[i];
        if (c == '#' && (i == 0 || isspace((unsigned char)line.at[i - 1]))) {
            size_t from = scan_offset(p->scan, line) + i;
            source_add_comment(p->scan->source, (uint32_t)from, (uint32_t)(from + line.len - i));
            return;
        }
        if ((c == '\'' || c == '"') && (i == 0 || line.at[i - 1] != '$')) {
            i = skip_string(line, i);
            object = S("");
        } else if (is_letter(c)) {
            bool variable = i > 0 && strchr("$@%&{", line.at[i - 1]) && line.at[i - 1] != '&';
            str rest = str_cut(line, i, line.len), name = take_name(&rest);
            i += name.len;
            if (!variable)
                add_call(p, name, object, arrow, i < line.len && line.at[i] == '(');
            object = arrow ? S("") : str_eq(name, S("shift")) ? S("self") : name;
            arrow = false;
            continue;
        } else {
            arrow = c == '-' && i + 1 < line.len && line.at[i + 1] == '>';
            if (!arrow)
                object = S("");
            i += arrow ? 2 : 1;
        }
    }
}

static void add_line(struct perl *p, str line)
{
    struct line_scan *s = p->scan;
    str code = str_trim(line), rest = code, word = take_name(&rest);
    size_t indent = code.len ? (size_t)(code.at - line.at) : 0;
    size_t end = scan_offset(s, line) + line.len;
    if (p->in_sub && code.len && code.at[0] == '}' && indent <= p->indent) {
        end_sub(p, end);
    } else if (str_eq(word, S("package"))) {
        begin_package(p, code, rest);
    } else if (str_eq(word, S("sub")) && rest.len && isspace((unsigned char)rest.at[0])) {
        begin_sub(p, code, rest, indent);
        add_calls(p, str_cut(rest, str_find_char(rest, '{', 0), rest.len));
        if (is_one_line_sub(code))
            end_sub(p, end);
    } else if (str_eq(word, S("use")) || str_eq(word, S("require"))) {
        add_use(p, code, rest);
    } else if (!p->in_sub && (str_eq(word, S("extends")) || str_eq(word, S("with")))) {
        add_parents(p, rest);
    } else if (!p->in_sub && str_eq(word, S("has"))) {
        add_attribute(p, code, rest);
    } else {
        add_calls(p, line);
    }
    p->last_end = code.len ? end : p->last_end;
}

void rules_perl(struct line_scan *s)
{
    struct perl p = {.scan = s};
    str line;
    while (scan_line(s, &line)) {
        line = str_cut(line, 0, MAX_PERL_LINE_BYTES);
        if (str_starts(line, S("__END__")) || str_starts(line, S("__DATA__")))
            break;
        if (line.len > 1 && line.at[0] == '=' && isalpha((unsigned char)line.at[1]))
            p.in_pod = !str_starts(line, S("=cut"));
        else if (!p.in_pod)
            add_line(&p, line);
    }
    end_package(&p, p.last_end);
}
