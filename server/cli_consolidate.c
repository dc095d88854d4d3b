#include "memory/memory_sleep.h"
#include "server/cli_command.h"

#include <stdio.h>

static const struct cli_option consolidate_options[] = {
    {"dry-run", 0, NULL, "only say what would be done, with the texts", NULL, NULL},
    {"only", 0, "PART", "sleep or growth; the default is both", NULL, NULL},
    {"undo", 0, "J,...", "take back steps by their journal ids", NULL, NULL},
    {0},
};

/* ---- telling ---- */

static json_t *json_of_str(str s)
{
    return json_stringn(s.at, s.len);
}

static json_t *json_of_id(char letter, int64_t id)
{
    return json_sprintf("%c%lld", letter, (long long)id);
}

/* {action, id?, members: [ids], journal?, why, text?} */
static json_t *step_json(const struct sleep_step *s)
{
    json_t *json = json_object(), *members = json_array();
    json_object_set_new(json, "action", json_string(sleep_action_name[s->action]));
    if (s->id)
        json_object_set_new(json, "id", json_of_id('m', s->id));
    for (size_t i = 0; i < s->member_count; i++)
        json_array_append_new(members, json_of_id('m', s->members[i]));
    json_object_set_new(json, "members", members);
    if (s->journal)
        json_object_set_new(json, "journal", json_of_id('j', s->journal));
    json_object_set_new(json, "why", json_of_str(s->why));
    if (s->text.len)
        json_object_set_new(json, "text", json_of_str(s->text));
    return json;
}

/* {pass, changed, text, journal?} */
static json_t *pass_json(const struct tend_report *r)
{
    json_t *json = json_object();
    json_object_set_new(json, "pass", json_of_str(r->pass));
    json_object_set_new(json, "changed", json_integer((json_int_t)r->changed));
    json_object_set_new(json, "text", r->text.len ? json_of_str(r->text) : json_string(""));
    if (r->journal)
        json_object_set_new(json, "journal", json_of_id('j', r->journal));
    return json;
}

/* What both halves of a run did; a half that was left out is empty. */
struct told {
    struct sleep_result sleep;
    struct tend_report *passes;
    size_t pass_count;
    bool dry_run;
};

static void print_json(const struct told *t)
{
    json_t *json = json_object(), *steps = json_array(), *passes = json_array();
    for (size_t i = 0; i < t->sleep.step_count; i++)
        json_array_append_new(steps, step_json(&t->sleep.steps[i]));
    for (size_t i = 0; i < t->pass_count; i++)
        json_array_append_new(passes, pass_json(&t->passes[i]));
    json_object_set_new(json, "steps", steps);
    json_object_set_new(json, "passes", passes);
    json_object_set_new(json, "looked_at", json_integer((json_int_t)t->sleep.looked_at));
    json_object_set_new(json, "dry_run", json_boolean(t->dry_run));
    json_object_set_new(json, "is_cut", json_boolean(t->sleep.is_cut));
    json_object_set_new(json, "longest_lock_ms",
                        json_integer((json_int_t)t->sleep.longest_lock_ms));
    cli_print_json(json);
    json_decref(json);
}

static void print_step(struct cli *c, const struct sleep_step *s, bool with_text)
{
    struct buf line = {0};
    if (s->journal)
        buf_printf(&line, "j%lld  ", (long long)s->journal);
    buf_printf(&line, "%s", sleep_action_name[s->action]);
    if (s->id)
        buf_printf(&line, " m%lld", (long long)s->id);
    for (size_t i = 0; i < s->member_count && i < 16; i++)
        buf_printf(&line, "%s m%lld", i ? "," : ":", (long long)s->members[i]);
    if (s->member_count > 16)
        buf_printf(&line, " and %zu more", s->member_count - 16);
    buf_printf(&line, " (%.*s)", FMT(s->why));
    cli_print(c, buf_str(&line));
    str rest = s->text, text;
    while (with_text && str_next_line(&rest, &text))
        cli_print(c, arena_printf(&c->arena, "    %.*s", FMT(text)));
    buf_free(&line);
}

static void print_pass(struct cli *c, const struct tend_report *r)
{
    str journal = r->journal ? arena_printf(&c->arena, "j%lld  ", (long long)r->journal) : S("");
    if (r->changed)
        cli_print(
            c, arena_printf(&c->arena, "%.*s%.*s: %.*s", FMT(journal), FMT(r->pass), FMT(r->text)));
}

static void print_result(struct cli *c, const struct told *t)
{
    size_t done = t->sleep.step_count;
    for (size_t i = 0; i < t->sleep.step_count; i++)
        print_step(c, &t->sleep.steps[i], t->dry_run);
    for (size_t i = 0; i < t->pass_count; i++) {
        print_pass(c, &t->passes[i]);
        done += t->passes[i].changed > 0;
    }
    printf("Looked at %zu working memor%s%s.%s\n", t->sleep.looked_at,
           t->sleep.looked_at == 1 ? "y" : "ies", done ? "" : ", and there is nothing to do",
           t->dry_run ? " Nothing was written."
           : done     ? " What has a j in front can be taken back with --undo."
                      : "");
}

/* ---- undoing ---- */

static bool read_journal_ids(struct cli *c, str list, str **ids, size_t *count)
{
    size_t from = 0;
    *ids = ARENA_ARRAY(&c->arena, str, list.len + 1);
    *count = 0;
    while (from <= list.len) {
        size_t comma = str_find_char(list, ',', from);
        str id = str_trim(str_cut(list, from, comma));
        if (!id.len || *count == MAX_IDS)
            return false;
        (*ids)[(*count)++] = id;
        from = comma + 1;
    }
    return true;
}

static int undo(struct cli *c, struct memory *memory, str list)
{
    struct err e = {0};
    struct applied *applied;
    str *ids;
    size_t count;
    if (!read_journal_ids(c, list, &ids, &count))
        return cli_usage(c, "--undo is \"%.*s\"; wanted: 1 to %d journal ids, such as j4,j5",
                         FMT(list), MAX_IDS);
    if (!memory_consolidate_undo(memory, &c->arena, ids, count, c->request.now_ms, &applied, &e))
        return cli_fail(c, &e);
    json_t *json = json_object(), *undone = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(undone, json_of_id('j', applied[i].journal));
        if (!c->json)
            cli_print(c, arena_printf(&c->arena, "Taken back: %.*s", FMT(applied[i].text)));
    }
    json_object_set_new(json, "undone", undone);
    if (c->json)
        cli_print_json(json);
    json_decref(json);
    return CLI_DONE;
}

/* ---- running ---- */

static bool is_part(const struct cli_value *only)
{
    return !only || str_eq(only->first, S("sleep")) || str_eq(only->first, S("growth"));
}

static bool do_both(struct cli *c, struct memory *memory, struct told *t, struct err *e)
{
    const struct cli_value *only = cli_value(c, "only");
    struct provenance from = {.origin = c->request.origin, .now_ms = c->request.now_ms};
    struct sleep_input sleep = {.from = from, .dry_run = t->dry_run};
    struct tend_input growth = {.from = from, .dry_run = t->dry_run};
    if ((!only || str_eq(only->first, S("sleep"))) &&
        !memory_consolidate(memory, &c->arena, &sleep, &t->sleep, e))
        return false;
    return (only && !str_eq(only->first, S("growth"))) ||
           memory_tend(memory, &c->arena, &growth, &t->passes, &t->pass_count, e);
}

static int run_consolidate(struct cli *c)
{
    struct err e = {0};
    struct memory *memory;
    struct project_ref ref;
    const struct cli_value *undone = cli_value(c, "undo");
    struct told told = {.dry_run = cli_value(c, "dry-run") != NULL};
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    if (!is_part(cli_value(c, "only")))
        return cli_usage(c, "--only is \"%.*s\"; wanted: sleep or growth",
                         FMT(cli_value(c, "only")->first));
    if (undone && told.dry_run)
        return cli_usage(c, "--undo and --dry-run don't go together");
    if (!cli_open(c, &e) || !cli_memory(c, &memory, &ref, &e))
        return cli_fail(c, &e);
    if (undone)
        return undo(c, memory, undone->first);
    if (!do_both(c, memory, &told, &e))
        return cli_fail(c, &e);
    if (c->json)
        print_json(&told);
    else
        print_result(c, &told);
    return CLI_DONE;
}

const struct command command_consolidate = {
    .name = "consolidate",
    .operands = "",
    .summary = "Make long-term memory of working memory; let the graph grow and fade.",
    .help =
        "Sleep: memories that speak of the same things become one, built from their own sentences; "
        "they stay,\n"
        "and its text names them. What matters or is a day old is kept for long as it is.\n"
        "Growth: what is used together is tied, names that are too general are dismissed, "
        "questions "
        "for `review`\n"
        "are found, and what nobody used for long is archived: still reachable, and back when it "
        "is "
        "used.\n\n"
        "Servers leave both to a background process; ENGRAM_CONSOLIDATE=off turns that off, not "
        "this command.\n"
        "What was taken back with --undo isn't done by itself again.\n\n"
        "Examples:\n"
        "  engram consolidate --dry-run\n"
        "  engram consolidate --undo j12,j13\n",
    .options = consolidate_options,
    .run = run_consolidate,
};
