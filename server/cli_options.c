#include "server/cli_command.h"

#include "memory/base/unicode.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

const struct cli_option cli_common_options[] = {
    {"project", 'C', "DIR", "use the memory of the project in DIR (default: found from here)", NULL,
     NULL},
    {"json", 0, NULL, "print JSON", NULL, NULL},
    {"help", 'h', NULL, "print this help", NULL, NULL},
    {0},
};
static const struct cli_option version_option[] = {
    {"version", 'V', NULL, "print the version", NULL, NULL},
    {0},
};
static const struct cli_option no_options[] = {{0}};

/* ---- getopt's tables, made from ours ---- */

enum { FIRST_OPTION = 1000 /* beyond every letter */ };

struct option_set {
    const struct cli_option **rows; /* by index */
    struct option *options;         /* val is FIRST_OPTION + index */
    char *letters;
    size_t count;
};

static size_t rows_in(const struct cli_option *table)
{
    size_t n = 0;
    while (table[n].name)
        n++;
    return n;
}

static void add_row(struct option_set *set, const struct cli_option *row)
{
    set->options[set->count] = (struct option){
        .name = row->name,
        .has_arg = row->operand ? required_argument : no_argument,
        .val = FIRST_OPTION + (int)set->count,
    };
    set->rows[set->count++] = row;
    size_t len = strlen(set->letters);
    if (row->letter) {
        set->letters[len++] = row->letter;
        if (row->operand)
            set->letters[len++] = ':';
    }
    set->letters[len] = '\0';
}

/* `lead` opens getopt's string of letters: "+" stops at the first operand, ":" tells a missing
 * value apart. */
static struct option_set make_set(struct arena *a, const char *lead, const struct cli_option *own)
{
    size_t most = rows_in(own) + rows_in(cli_common_options);
    struct option_set set = {
        .rows = ARENA_ARRAY(a, const struct cli_option *, most),
        .options = ARENA_ARRAY(a, struct option, most + 1),
        .letters = ARENA_ARRAY(a, char, 2 * most + 4),
    };
    strcpy(set.letters, lead);
    for (size_t i = 0; own[i].name; i++)
        add_row(&set, &own[i]);
    for (size_t i = 0; cli_common_options[i].name; i++)
        add_row(&set, &cli_common_options[i]);
    return set;
}

static const struct cli_option *row_of(const struct option_set *set, int found)
{
    if (found >= FIRST_OPTION)
        return set->rows[found - FIRST_OPTION];
    for (size_t i = 0; i < set->count; i++)
        if (set->rows[i]->letter == found)
            return set->rows[i];
    return NULL;
}

/* ---- reading ---- */

static bool fail_option(int found, char **argv, struct err *e)
{
    const char *why = found == ':' ? "wants a value" : "is no option here";
    if (optopt > 0 && optopt < FIRST_OPTION)
        return fail(e, ERR_INPUT, "-%c %s", optopt, why);
    str word = str_of(argv[optind - 1]);
    return fail(e, ERR_INPUT, "%.*s %s", FMT(str_cut(word, 0, str_find_char(word, '=', 0))), why);
}

/* The second operand of an option that takes two is the next word. */
static bool second_operand(const struct cli_option *row, int argc, char **argv, str *out,
                           struct err *e)
{
    *out = S("");
    if (!row->operand || !strchr(row->operand, ' '))
        return true;
    if (optind >= argc)
        return fail(e, ERR_INPUT, "--%s wants two values: %s", row->name, row->operand);
    *out = str_of(argv[optind++]);
    return true;
}

static void keep(struct cli *c, const struct cli_option *row, str first, str second, bool *help)
{
    str name = str_of(row->name);
    if (str_eq(name, S("project")))
        c->project = first;
    else if (str_eq(name, S("json")))
        c->json = true;
    else if (str_eq(name, S("help")))
        *help = true;
    else
        c->values[c->value_count++] = (struct cli_value){row, first, second};
}

static bool read_set(struct cli *c, const struct option_set *set, int argc, char **argv, bool *help,
                     struct err *e)
{
    opterr = 0;
    optind = 0; /* starts getopt anew */
    int found;
    while ((found = getopt_long(argc, argv, set->letters, set->options, NULL)) != -1) {
        const struct cli_option *row = row_of(set, found);
        if (!row)
            return fail_option(found, argv, e);
        str first = row->operand ? str_of(optarg) : S(""), second;
        if (!second_operand(row, argc, argv, &second, e))
            return false;
        keep(c, row, first, second, help);
    }
    return true;
}

bool cli_read_global_options(struct cli *c, int argc, char **argv, int *at, bool *help,
                             bool *version, struct err *e)
{
    struct option_set set = make_set(&c->arena, "+:", version_option);
    c->values = ARENA_ARRAY(&c->arena, struct cli_value, argc);
    if (!read_set(c, &set, argc, argv, help, e))
        return false;
    *version = c->value_count > 0;
    c->value_count = 0;
    *at = optind;
    return true;
}

bool cli_read_options(struct cli *c, int argc, char **argv, bool *help, struct err *e)
{
    if (argc > MAX_WORDS)
        return fail(e, ERR_INPUT, "%d words, at most %d", argc, MAX_WORDS);
    struct option_set set =
        make_set(&c->arena, ":", c->command->options ? c->command->options : no_options);
    c->values = ARENA_ARRAY(&c->arena, struct cli_value, argc + 1);
    if (!read_set(c, &set, argc, argv, help, e))
        return false;
    c->words = ARENA_ARRAY(&c->arena, str, argc - optind + 1);
    for (; optind < argc; optind++)
        c->words[c->word_count++] = str_of(argv[optind]);
    return true;
}

const struct cli_value *cli_value(const struct cli *c, const char *name)
{
    for (size_t i = c->value_count; i-- > 0;)
        if (strcmp(c->values[i].option->name, name) == 0)
            return &c->values[i];
    return NULL;
}

str cli_joined_words(struct cli *c)
{
    struct buf joined = {0};
    for (size_t i = 0; i < c->word_count; i++) {
        if (i)
            buf_add_char(&joined, ' ');
        buf_add(&joined, c->words[i]);
    }
    str text = arena_str(&c->arena, buf_str(&joined));
    buf_free(&joined);
    return text;
}

/* ---- into a tool's arguments ---- */

json_t *cli_arguments(struct cli *c, struct err *e)
{
    json_t *arguments = json_object();
    for (size_t i = 0; i < c->value_count; i++) {
        const struct cli_value *v = &c->values[i];
        if (v->option->take && !v->option->take(arguments, v, e)) {
            fail_context(e, "--%s", v->option->name);
            json_decref(arguments);
            return NULL;
        }
    }
    return arguments;
}

static bool put(json_t *object, const char *field, str text, struct err *e)
{
    if (json_object_set_new(object, field, json_stringn(text.at, text.len)) != 0)
        return fail(e, ERR_INPUT, "the value isn't valid UTF-8");
    return true;
}

/* The array in `field`, made at its first use; borrowed. */
static json_t *array_in(json_t *arguments, const char *field)
{
    json_t *array = json_object_get(arguments, field);
    if (!array) {
        array = json_array();
        json_object_set_new(arguments, field, array);
    }
    return array;
}

static bool append_text(json_t *arguments, const char *field, str text, struct err *e)
{
    if (json_array_append_new(array_in(arguments, field), json_stringn(text.at, text.len)) != 0)
        return fail(e, ERR_INPUT, "the value isn't valid UTF-8");
    return true;
}

bool take_text(json_t *arguments, const struct cli_value *v, struct err *e)
{
    return put(arguments, v->option->field, v->first, e);
}

bool take_switch(json_t *arguments, const struct cli_value *v, struct err *e)
{
    (void)e;
    json_object_set_new(arguments, v->option->field, json_true());
    return true;
}

bool take_each(json_t *arguments, const struct cli_value *v, struct err *e)
{
    return append_text(arguments, v->option->field, v->first, e);
}

/* a,b,c */
bool take_list(json_t *arguments, const struct cli_value *v, struct err *e)
{
    str rest = v->first;
    while (rest.len) {
        size_t comma = str_find_char(rest, ',', 0);
        str part = str_trim(str_cut(rest, 0, comma));
        if (part.len && !append_text(arguments, v->option->field, part, e))
            return false;
        rest = str_cut(rest, comma + 1, rest.len);
    }
    return true;
}

/* Where NAME ends and :TYPE begins: at the last colon, where a lower-case word follows and no colon
 * stands before (a::b is a name). */
static size_t type_colon(str s)
{
    size_t colon = s.len;
    while (colon > 0 && s.at[colon - 1] != ':')
        colon--;
    if (colon < 2 || colon == s.len || s.at[colon - 2] == ':')
        return s.len;
    for (size_t i = colon; i < s.len; i++)
        if (!((s.at[i] >= 'a' && s.at[i] <= 'z') ||
              (i > colon && (s.at[i] == '_' || s.at[i] == '-' || s.at[i] == ' '))))
            return s.len;
    return colon - 1;
}

bool take_entity(json_t *arguments, const struct cli_value *v, struct err *e)
{
    size_t colon = type_colon(v->first);
    json_t *entity = json_object();
    json_array_append_new(array_in(arguments, v->option->field), entity);
    return put(entity, "name", str_cut(v->first, 0, colon), e) &&
           (colon == v->first.len ||
            put(entity, "type", str_cut(v->first, colon + 1, v->first.len), e));
}

bool take_relation(json_t *arguments, const struct cli_value *v, struct err *e)
{
    size_t first = str_find_char(v->first, '|', 0),
           second = str_find_char(v->first, '|', first + 1);
    if (second >= v->first.len || str_find_char(v->first, '|', second + 1) < v->first.len)
        return fail(e, ERR_INPUT, "\"%.*s\", wanted: 'FROM|relation|TO'",
                    FMT(utf8_prefix(v->first, 80)));
    json_t *relation = json_object();
    json_array_append_new(array_in(arguments, v->option->field), relation);
    return put(relation, "from", str_trim(str_cut(v->first, 0, first)), e) &&
           put(relation, "relation", str_trim(str_cut(v->first, first + 1, second)), e) &&
           put(relation, "to", str_trim(str_cut(v->first, second + 1, v->first.len)), e);
}

/* --yes q1,q2: the option's name is the verdict. */
bool take_answer(json_t *arguments, const struct cli_value *v, struct err *e)
{
    str rest = v->first;
    while (rest.len) {
        size_t comma = str_find_char(rest, ',', 0);
        json_t *answer = json_object();
        json_array_append_new(array_in(arguments, "answers"), answer);
        if (!put(answer, "question", str_trim(str_cut(rest, 0, comma)), e) ||
            !put(answer, "verdict", str_of(v->option->name), e))
            return false;
        rest = str_cut(rest, comma + 1, rest.len);
    }
    return true;
}

/* --merge A B: the option's name is the action, its field says what the second operand is. */
bool take_edit(json_t *arguments, const struct cli_value *v, struct err *e)
{
    char action[16];
    snprintf(action, sizeof action, "%s", v->option->name);
    for (char *dash = action; (dash = strchr(dash, '-'));)
        *dash = '_';
    json_t *edit = json_object();
    json_array_append_new(array_in(arguments, "edits"), edit);
    return put(edit, "action", str_of(action), e) && put(edit, "entity", v->first, e) &&
           (!v->option->field || put(edit, v->option->field, v->second, e));
}

/* ---- help ---- */

enum { HELP_COLUMN = 30 };

static void print_option(const struct cli_option *o)
{
    char left[128];
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    int width = snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->operand ? " " : "",
                         o->operand ? o->operand : "");
    if (width >= HELP_COLUMN)
        printf("%s\n%*s%s\n", left, HELP_COLUMN, "", o->help);
    else
        printf("%-*s%s\n", HELP_COLUMN, left, o->help);
}

void cli_print_help(const struct command *command)
{
    printf("Usage: engram %s [OPTION...]%s%s\n\n%s\n\nOptions:\n", command->name,
           *command->operands ? " " : "", command->operands, command->summary);
    for (const struct cli_option *o = command->options; o && o->name; o++)
        print_option(o);
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        print_option(o);
    if (*command->help)
        printf("\n%s", command->help);
}

void cli_print_overview(void)
{
    printf(
        "engram remembers for coding agents, per project. Agents start it as an MCP server on "
        "stdio.\n\n"
        "Usage: engram [--project DIR] [--json] COMMAND [OPTION...] [OPERAND...]\n\nCommands:\n");
    for (size_t i = 0; i < cli_command_count; i++)
        printf("  %-11s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    printf("\n`engram help COMMAND` tells more, `engram help settings` lists the settings.\n"
           "Without a command, with standard input from a pipe, engram serves.\n"
           "Exit codes: 0 done, 1 nothing found or a check failed, 2 wrong usage, 3 refused, 4 "
           "busy or I/O error.\n");
}
