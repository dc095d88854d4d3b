/* CMake: a file is a row of commands, each a word and arguments in brackets. */
#include "parsers/source_lines.h"

enum {
    MAX_ARGUMENTS = 64, /* of one command that are looked at */
    MAX_OPEN = 32,      /* functions inside each other */
};

struct cmake {
    struct line_scan *scan;
    size_t open[MAX_OPEN]; /* functions and macros before their ends */
    size_t depth;
};

struct command {
    str name;
    str arguments[MAX_ARGUMENTS];
    size_t count;
    size_t from, to; /* its bytes */
};

/* What defines a symbol by its first argument. */
static const struct {
    const char *command;
    enum symbol_kind kind;
} definitions[] = {
    {"add_custom_target", SYMBOL_TARGET},
    {"add_executable", SYMBOL_TARGET},
    {"add_library", SYMBOL_TARGET},
    {"add_test", SYMBOL_TEST},
    {"cmake_dependent_option", SYMBOL_KEY},
    {"function", SYMBOL_FUNCTION},
    {"macro", SYMBOL_MACRO},
    {"option", SYMBOL_KEY},
    {"project", SYMBOL_MODULE},
};

/* What names another file, package or folder. */
static const char imports[] = "add_subdirectory find_package include subdirs";

/* What names targets behind its first argument. */
static const char users[] = "add_dependencies target_link_libraries";

/* CMake's own commands that occur most: a call of them is told of nothing. */
static const char builtin[] =
    "add_compile_definitions add_compile_options add_custom_command add_definitions"
    " add_link_options block break cmake_minimum_required cmake_parse_arguments cmake_path"
    " cmake_policy configure_file continue define_property else elseif enable_language"
    " enable_testing endblock endforeach endfunction endif endmacro endwhile execute_process"
    " export file find_file find_library find_path find_program foreach get_cmake_property"
    " get_directory_property get_filename_component get_property get_target_property if"
    " include_directories include_guard install link_directories link_libraries list"
    " mark_as_advanced math message return separate_arguments set set_property"
    " set_target_properties set_tests_properties string target_compile_definitions"
    " target_compile_features target_compile_options target_include_directories"
    " target_link_options target_precompile_headers target_sources try_compile try_run unset"
    " while";

/* Reads the arguments behind the "(" that was taken. */
static void read_arguments(struct line_scan *s, struct command *c)
{
    int depth = 1;
    while (depth > 0) {
        struct token t = scan_token(s);
        if (t.type == TOKEN_END)
            break;
        depth += token_is(t, '(') ? 1 : token_is(t, ')') ? -1 : 0;
        if (t.type != TOKEN_MARK && c->count < MAX_ARGUMENTS)
            c->arguments[c->count++] = t.text;
    }
    c->to = s->at;
}

/* Capitals throughout are the command's own words: PUBLIC, REQUIRED. */
static bool is_keyword(str argument)
{
    for (size_t i = 0; i < argument.len; i++)
        if (!(argument.at[i] >= 'A' && argument.at[i] <= 'Z') && argument.at[i] != '_')
            return false;
    return true;
}

/* Made out of variables, so nothing that has this name. */
static bool is_computed(str argument)
{
    return str_find(argument, S("${"), 0) < argument.len ||
           str_find(argument, S("$<"), 0) < argument.len;
}

static void add_definition(struct cmake *m, const struct command *c, enum symbol_kind kind)
{
    str name = c->arguments[0];
    if (kind == SYMBOL_TEST && c->count > 1 && str_eq(name, S("NAME")))
        name = c->arguments[1];
    if (is_computed(name))
        return;
    size_t symbol = scan_symbol(m->scan, kind, name, c->from, c->to);
    if ((kind == SYMBOL_FUNCTION || kind == SYMBOL_MACRO) && m->depth < MAX_OPEN)
        m->open[m->depth++] = symbol;
}

static void add_uses(struct line_scan *s, const struct command *c)
{
    for (size_t i = 1; i < c->count; i++)
        if (!is_keyword(c->arguments[i]) && !is_computed(c->arguments[i]))
            scan_reference(s, REF_TYPE, S(""), c->arguments[i], c->from);
}

static void add_command(struct cmake *m, const struct command *c)
{
    struct line_scan *s = m->scan;
    if (str_eq_nocase(c->name, S("endfunction")) || str_eq_nocase(c->name, S("endmacro"))) {
        if (m->depth > 0)
            scan_end_symbol(s, m->open[--m->depth], c->to);
        return;
    }
    for (size_t i = 0; c->count > 0 && i < sizeof definitions / sizeof *definitions; i++)
        if (str_eq_nocase(c->name, str_of(definitions[i].command))) {
            add_definition(m, c, definitions[i].kind);
            return;
        }
    if (word_among(c->name, str_of(imports)) && c->count > 0)
        scan_reference(s, REF_IMPORT, c->arguments[0], S(""), c->from);
    else if (word_among(c->name, str_of(users)))
        add_uses(s, c);
    else if (!word_among(c->name, str_of(builtin)))
        scan_reference(s, REF_CALL, S(""), c->name, c->from);
}

void rules_cmake(struct line_scan *s)
{
    struct cmake m = {.scan = s};
    struct token t = scan_token(s);
    while (t.type != TOKEN_END) {
        struct token next = scan_token(s);
        if (t.type == TOKEN_WORD && token_is(next, '(')) {
            struct command c = {.name = t.text, .from = t.at};
            read_arguments(s, &c);
            add_command(&m, &c);
            next = scan_token(s);
        }
        t = next;
    }
}
