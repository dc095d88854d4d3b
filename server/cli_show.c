/* What recall found, for a person at a terminal. */
#include "server/cli_command.h"
#include "server/terminal.h"

#include <stdio.h>

enum { INDENT = 3 };

struct show {
    const struct terminal *terminal;
    struct arena *arena;
    struct buf out;
};

static str text_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? str_from(json_string_value(value), json_string_length(value))
                                 : S("");
}

/* Texts of an array with something between them. */
static str joined(struct show *s, const json_t *list, const char *between)
{
    struct buf text = {0};
    size_t i;
    json_t *one;
    json_array_foreach((json_t *)list, i, one) buf_printf(
        &text, "%s%s", i ? between : "", json_is_string(one) ? json_string_value(one) : "");
    str out = arena_str(s->arena, buf_str(&text));
    buf_free(&text);
    return out;
}

static void add_word(struct show *s, enum paint paint, str word)
{
    if (!word.len)
        return;
    if (s->out.len && s->out.at[s->out.len - 1] != '\n')
        buf_add(&s->out, S("  "));
    terminal_add(s->terminal, &s->out, paint, word);
}

static void add_line(struct show *s, enum paint paint, const char *before, str text)
{
    if (text.len)
        terminal_wrap(s->terminal, &s->out, paint, INDENT,
                      arena_printf(s->arena, "%s%.*s", before, FMT(text)));
}

/* "docs/a.md:10-20, page 3, Heading" */
static str source_of(struct show *s, const json_t *item)
{
    const json_t *source = json_object_get(item, "source");
    struct buf text = {0};
    str path = text_of(source, "path"), heading = text_of(source, "heading"),
        speaker = text_of(source, "speaker"), commit = text_of(source, "commit");
    json_int_t line = json_integer_value(json_object_get(source, "line_start")),
               page = json_integer_value(json_object_get(source, "page"));
    buf_add(&text, path);
    if (path.len && line)
        buf_printf(&text, ":%lld", (long long)line);
    if (page)
        buf_printf(&text, "%spage %lld", text.len ? ", " : "", (long long)page);
    if (heading.len)
        buf_printf(&text, "%s%.*s", text.len ? ", " : "", FMT(heading));
    if (speaker.len)
        buf_printf(&text, "%ssaid by %.*s", text.len ? ", " : "", FMT(speaker));
    if (commit.len)
        buf_printf(&text, "%scommit %.*s", text.len ? ", " : "",
                   FMT(str_cut(commit, 0, commit.len < 12 ? commit.len : 12)));
    str out = arena_str(s->arena, buf_str(&text));
    buf_free(&text);
    return out;
}

/* What a reader has to know before he believes it. */
static void add_warnings(struct show *s, const json_t *item)
{
    str by = text_of(item, "superseded_by"), stale = text_of(item, "stale"),
        note = text_of(item, "stale_note");
    if (json_is_true(json_object_get(item, "superseded")))
        add_line(s, PAINT_WARNING, "no longer current",
                 by.len ? arena_printf(s->arena, ": %.*s replaced it", FMT(by)) : S("."));
    if (json_is_true(json_object_get(item, "archived")))
        add_line(s, PAINT_WARNING, "archived: ", S("nobody used it for long"));
    if (stale.len)
        add_line(s, PAINT_WARNING, "the code it speaks of: ",
                 note.len ? arena_printf(s->arena, "%.*s, %.*s", FMT(stale), FMT(note)) : stale);
}

static void add_item(struct show *s, size_t number, const json_t *item)
{
    str kind = text_of(item, "memory_kind"), at = text_of(item, "at");
    const json_t *context = json_object_get(item, "context");
    buf_printf(&s->out, "%zu. ", number);
    terminal_add(s->terminal, &s->out, PAINT_STRONG, kind.len ? kind : text_of(item, "kind"));
    add_word(s, PAINT_NAME, text_of(item, "id"));
    add_word(s, PAINT_DIM, str_cut(at, 0, str_find_char(at, 'T', 0)));
    add_word(
        s, PAINT_DIM,
        arena_printf(s->arena, "score %.2f", json_number_value(json_object_get(item, "score"))));
    buf_add_char(&s->out, '\n');
    add_warnings(s, item);
    add_line(s, PAINT_DIM, "", text_of(context, "before"));
    add_line(s, PAINT_PLAIN, "", text_of(item, "text"));
    add_line(s, PAINT_DIM, "", text_of(context, "after"));
    add_line(s, PAINT_NAME, "", source_of(s, item));
    add_line(s, PAINT_DIM, "why: ", joined(s, json_object_get(item, "why"), "; "));
    add_line(s, PAINT_DIM, "", joined(s, json_object_get(item, "explain"), "\n"));
    buf_add_char(&s->out, '\n');
}

static void add_facts(struct show *s, const json_t *facts)
{
    size_t i;
    json_t *fact;
    json_array_foreach((json_t *)facts, i, fact)
    {
        terminal_add(s->terminal, &s->out, PAINT_STRONG, text_of(fact, "from"));
        buf_printf(&s->out, " %.*s ", FMT(text_of(fact, "relation")));
        terminal_add(s->terminal, &s->out, PAINT_STRONG, text_of(fact, "to"));
        add_word(s, PAINT_NAME, text_of(fact, "id"));
        buf_add_char(&s->out, '\n');
    }
    if (json_array_size(facts))
        buf_add_char(&s->out, '\n');
}

static void add_end(struct show *s, const json_t *reply, size_t items)
{
    json_int_t withheld = json_integer_value(json_object_get(reply, "withheld"));
    const json_t *nearest = json_object_get(reply, "nearest");
    if (nearest) {
        terminal_wrap(s->terminal, &s->out, PAINT_PLAIN, 0,
                      S("Nothing is known of that. The nearest:"));
        add_item(s, 1, nearest);
    } else if (!items) {
        terminal_wrap(s->terminal, &s->out, PAINT_PLAIN, 0, S("Nothing is known of that."));
    }
    if (withheld)
        terminal_wrap(s->terminal, &s->out, PAINT_DIM, 0,
                      arena_printf(s->arena, "%lld more: --limit, --budget", (long long)withheld));
}

bool cli_show_recall(struct cli *c, const json_t *reply)
{
    struct terminal terminal;
    struct show s = {.terminal = &terminal, .arena = &c->arena};
    if (!terminal_of_stdout(&terminal))
        return false;
    const json_t *items = json_object_get(reply, "items");
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)items, i, item) add_item(&s, i + 1, item);
    add_facts(&s, json_object_get(reply, "facts"));
    add_end(&s, reply, json_array_size(items));
    fwrite(s.out.at, 1, s.out.len, stdout);
    buf_free(&s.out);
    return true;
}
