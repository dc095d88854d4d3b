/* Dockerfile: a line is an instruction, its arguments go on behind a \ at the line's end. Each FROM
 * begins a stage. */
#include "parsers/source_lines.h"

enum {
    MAX_STAGES = 100, /* of one file that others can name */
    NO_STAGE = MAX_STAGES,
};

struct dockerfile {
    struct line_scan *scan;
    str stages[MAX_STAGES];
    size_t stage_count;
    size_t stage; /* mark of the last one */
    bool in_stage;
};

/* Of the instruction's words the next one; a \ at a line's end is none. */
static str next_word(str *rest)
{
    str word;
    while (str_next_word(rest, &word))
        if (!str_eq(word, S("\\")))
            return word;
    return S("");
}

static bool is_stage(const struct dockerfile *d, str name)
{
    for (size_t i = 0; i < d->stage_count; i++)
        if (str_eq_nocase(d->stages[i], name))
            return true;
    return false;
}

/* "host/image[:tag][@digest]": what the image is called. */
static str image_name(str image)
{
    size_t slash = image.len;
    while (slash > 0 && image.at[slash - 1] != '/')
        slash--;
    size_t end = slash;
    while (end < image.len && image.at[end] != ':' && image.at[end] != '@')
        end++;
    return str_cut(image, slash, end);
}

static void add_stage(struct dockerfile *d, str instruction, str rest)
{
    struct line_scan *s = d->scan;
    size_t from = scan_offset(s, instruction);
    str image = next_word(&rest);
    while (str_starts(image, S("--")))
        image = next_word(&rest);
    str name = str_eq_nocase(next_word(&rest), S("as")) ? next_word(&rest) : image_name(image);
    if (is_stage(d, image))
        scan_reference(s, REF_INHERIT, S(""), image, from);
    else
        scan_reference(s, REF_IMPORT, image, S(""), from);
    d->stage = scan_symbol(s, SYMBOL_TARGET, name, from, from + instruction.len);
    d->in_stage = true;
    if (d->stage_count < MAX_STAGES)
        d->stages[d->stage_count++] = name;
}

static bool is_key_name(str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-",
                    name.at[i]) ||
            !name.at[i])
            return false;
    return name.len > 0;
}

/* "ENV a=b c=d" has several, "ENV a b c" and "ARG a" one. */
static void add_keys(struct dockerfile *d, str rest)
{
    struct line_scan *s = d->scan;
    str word = next_word(&rest);
    bool several = str_find_char(word, '=', 0) < word.len;
    for (; word.len > 0; word = next_word(&rest)) {
        str name = str_cut(word, 0, str_find_char(word, '=', 0));
        size_t from = scan_offset(s, word);
        bool fits = is_key_name(name) && (!several || name.len < word.len);
        if (fits)
            scan_symbol(s, SYMBOL_KEY, name, from,
                        several ? from + word.len : scan_offset(s, rest) + rest.len);
        if (!several)
            return;
    }
}

/* What --from names: a stage, else an image. */
static void add_copy(struct dockerfile *d, str rest)
{
    static const str FROM = {"--from=", 7};
    struct line_scan *s = d->scan;
    for (str word = next_word(&rest); str_starts(word, S("--")); word = next_word(&rest)) {
        str from = str_cut(word, FROM.len, word.len);
        if (!str_starts(word, FROM))
            continue;
        if (is_stage(d, from))
            scan_reference(s, REF_CALL, S(""), from, scan_offset(s, word));
        else
            scan_reference(s, REF_IMPORT, from, S(""), scan_offset(s, word));
    }
}

static void add_instruction(struct dockerfile *d, str instruction)
{
    str rest = instruction, word = next_word(&rest);
    size_t end = scan_offset(d->scan, instruction) + instruction.len;
    if (str_eq_nocase(word, S("from"))) {
        add_stage(d, instruction, rest);
    } else if (str_eq_nocase(word, S("arg")) || str_eq_nocase(word, S("env"))) {
        add_keys(d, rest);
    } else if (str_eq_nocase(word, S("copy")) || str_eq_nocase(word, S("add"))) {
        add_copy(d, rest);
    }
    if (d->in_stage)
        scan_end_symbol(d->scan, d->stage, end);
}

/* The instruction that begins with `line`, with the lines that it goes on in; comments and empty
 * lines between these count. */
static str whole_instruction(struct line_scan *s, str line)
{
    size_t from = scan_offset(s, line), end = from + line.len;
    str last = str_trim(line);
    while (str_ends(last, S("\\")) && scan_line(s, &line)) {
        str trimmed = str_trim(line);
        end = scan_offset(s, line) + line.len;
        if (trimmed.len > 0 && trimmed.at[0] != '#')
            last = trimmed;
    }
    return str_trim(str_cut(s->text, from, end));
}

void rules_dockerfile(struct line_scan *s)
{
    struct dockerfile d = {.scan = s};
    str line;
    while (scan_line(s, &line)) {
        str trimmed = str_trim(line);
        size_t from = trimmed.len ? scan_offset(s, trimmed) : 0;
        if (trimmed.len && trimmed.at[0] == '#')
            source_add_comment(s->source, (uint32_t)from, (uint32_t)(from + trimmed.len));
        else if (trimmed.len)
            add_instruction(&d, whole_instruction(s, line));
    }
}
