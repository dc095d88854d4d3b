#include "server/setup/edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

#define T(literal)                                                                                 \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    } /* a constant str */

static const char *const server_keys[] = {"servers", "engram", NULL};
static const char *const hook_keys[] = {"hooks", "Start", NULL};
static const char *const list_keys[] = {"mcp", NULL};

#define JSON_VALUE "{\n  \"command\": \"engram\",\n  \"args\": [\"serve\"]\n}"
static const struct edit json_entry = {
    .keys = server_keys,
    .value = T(JSON_VALUE),
    .current = T("\"engram\""),
};
static const struct edit json_hook = {
    .keys = hook_keys,
    .is_element = true,
    .value = T("{\n  \"run\": \"engram hook Start\"\n}"),
    .own = T("engram hook Start\""),
    .current = T("\"engram hook Start\""),
};
#define TOML_VALUE "[servers.engram]\ncommand = \"engram\"\n# why\nargs = [\"serve\"]"
static const struct edit toml_entry = {
    .keys = server_keys,
    .value = T(TOML_VALUE),
    .current = T("\"engram\""),
};
static const struct edit yaml_entry = {
    .keys = server_keys,
    .value = T("cmd: engram\nargs:\n  - serve"),
    .current = T("cmd: engram"),
    .fresh = T("name: x\n"),
};
static const struct edit yaml_element = {
    .keys = list_keys,
    .is_element = true,
    .value = T("- name: engram\n  cmd: engram"),
    .own = T("name: engram"),
    .current = T("cmd: engram"),
};
static const struct edit block_entry = {.value = T("Ask engram first.\n")};
static const struct edit whole_entry = {.value = T("// engram\nx\n"), .own = T("// engram")};

/* ---- what goes in, and comes out again ---- */

/* `before` with the edit is `after`; without it, it is `before` again. */
struct put_case {
    const char *name;
    const struct edit_format *format;
    const struct edit *edit;
    const char *before, *after;
};

static const struct put_case puts_and_takes[] = {
    {"a key that isn't there", &edit_json, &json_entry, "{\n    \"a\": 1\n}\n",
     "{\n    \"a\": 1,\n    \"servers\": {\n        \"engram\": {\n            \"command\": "
     "\"engram\",\n            \"args\": [\"serve\"]\n        }\n    }\n}\n"},
    {"among others, with tabs and without a last line end", &edit_json, &json_entry,
     "{\n\t\"servers\": {\n\t\t\"x\": {}\n\t}\n}",
     "{\n\t\"servers\": {\n\t\t\"x\": {},\n\t\t\"engram\": {\n\t\t\t\"command\": \"engram\",\n"
     "\t\t\t\"args\": [\"serve\"]\n\t\t}\n\t}\n}"},
    {"comments, and a comma at the end", &edit_json, &json_entry,
     "// top\n{\n  \"servers\": { // mine\n    \"x\": {}, // keep\n    // last\n  },\n}\n",
     "// top\n{\n  \"servers\": { // mine\n    \"x\": {}, // keep\n    \"engram\": {\n      "
     "\"command\": \"engram\",\n      \"args\": [\"serve\"]\n    },\n    // last\n  },\n}\n"},
    {"a comment behind the last member", &edit_json, &json_entry,
     "{\n  \"servers\": {\n    \"x\": {} /* keep */\n  }\n}\n",
     "{\n  \"servers\": {\n    \"x\": {}, /* keep */\n    \"engram\": {\n      \"command\": "
     "\"engram\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n"},
    {"an empty object", &edit_json, &json_entry, "{\n  \"servers\": {}\n}\n",
     "{\n  \"servers\": {\n    \"engram\": {\n      \"command\": \"engram\",\n      \"args\": "
     "[\"serve\"]\n    }\n  }\n}\n"},
    {"everything on one line", &edit_json, &json_entry, "{\"servers\": {\"x\": {}}, \"b\": 2}",
     "{\"servers\": {\"x\": {}, \"engram\": {\"command\": \"engram\", \"args\": [\"serve\"]}}, "
     "\"b\": 2}"},
    {"everything on one line without spaces", &edit_json, &json_entry, "{\"a\":[1,2]}",
     "{\"a\":[1,2],\"servers\":{\"engram\":{\"command\":\"engram\",\"args\":[\"serve\"]}}}"},
    {"one member on a line in a text of several", &edit_json, &json_entry,
     "{\n  \"servers\": {\"x\": {}}\n}\n",
     "{\n  \"servers\": {\"x\": {}, \"engram\": {\"command\": \"engram\", \"args\": "
     "[\"serve\"]}}\n}\n"},
    {"line ends of another system and a byte order mark", &edit_json, &json_entry,
     "\xEF\xBB\xBF{\r\n  \"servers\": {\r\n    \"x\": {}\r\n  }\r\n}\r\n",
     "\xEF\xBB\xBF{\r\n  \"servers\": {\r\n    \"x\": {},\r\n    \"engram\": {\r\n      "
     "\"command\": \"engram\",\r\n      \"args\": [\"serve\"]\r\n    }\r\n  }\r\n}\r\n"},
    {"duplicate keys elsewhere are nobody's business", &edit_json, &json_entry,
     "{\n  \"a\": 1,\n  \"a\": 2,\n  \"servers\": {}\n}\n",
     "{\n  \"a\": 1,\n  \"a\": 2,\n  \"servers\": {\n    \"engram\": {\n      \"command\": "
     "\"engram\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n"},
    {"a list that isn't there", &edit_json, &json_hook, "{\n  \"a\": 1\n}\n",
     "{\n  \"a\": 1,\n  \"hooks\": {\n    \"Start\": [\n      {\n        \"run\": \"engram hook "
     "Start\"\n      }\n    ]\n  }\n}\n"},
    {"one more of a list", &edit_json, &json_hook,
     "{\n  \"hooks\": {\n    \"Start\": [\n      {\"run\": \"x\"}\n    ]\n  }\n}\n",
     "{\n  \"hooks\": {\n    \"Start\": [\n      {\"run\": \"x\"},\n      {\n        \"run\": "
     "\"engram hook Start\"\n      }\n    ]\n  }\n}\n"},
    {"a table at the end", &edit_toml, &toml_entry,
     "a = 1 # one\n\n[servers.x]\nb = '''\n[no]\n'''\n",
     "a = 1 # one\n\n[servers.x]\nb = '''\n[no]\n'''\n\n" TOML_VALUE "\n"},
    {"a table behind values of every kind", &edit_toml, &toml_entry,
     "d = 1979-05-27 07:32:00\r\ne = [1, # x\r\n 2,]\r\nf = {g = \"}\", h.i = +1.5e3}\r\n[[j]]\r\n",
     "d = 1979-05-27 07:32:00\r\ne = [1, # x\r\n 2,]\r\nf = {g = \"}\", h.i = +1.5e3}\r\n[[j]]\r\n"
     "\r\n[servers.engram]\r\ncommand = \"engram\"\r\n# why\r\nargs = [\"serve\"]\r\n"},
    {"a key of a mapping that isn't there", &edit_yaml, &yaml_entry, "a: 1 # one\nb:\n  - c\n",
     "a: 1 # one\nb:\n  - c\nservers:\n  engram:\n    cmd: engram\n    args:\n      - serve\n"},
    {"a key of a mapping, as deep as the others", &edit_yaml, &yaml_entry,
     "servers:\n    x:\n        cmd: y\n\n# last\nz: |\n servers:\n",
     "servers:\n    x:\n        cmd: y\n    engram:\n      cmd: engram\n      args:\n        - "
     "serve\n\n# last\nz: |\n servers:\n"},
    {"an element as deep as the others", &edit_yaml, &yaml_element,
     "mcp:\n- name: x\n  cmd: y\nz: 1\n",
     "mcp:\n- name: x\n  cmd: y\n- name: engram\n  cmd: engram\nz: 1\n"},
    {"an element of a list that isn't there", &edit_yaml, &yaml_element, "a: \"b\n  c: d\"\n",
     "a: \"b\n  c: d\"\nmcp:\n  - name: engram\n    cmd: engram\n"},
    {"an element of an empty list", &edit_yaml, &yaml_element, "mcp: []\nz: 1\n",
     "mcp:\n  - name: engram\n    cmd: engram\nz: 1\n"},
    {"a block behind other text", &edit_block, &block_entry, "# Mine\r\n",
     "# Mine\r\n\r\n<!-- engram:begin @, by `engram setup --instructions` -->\r\nAsk engram "
     "first.\r\n<!-- engram:end -->\r\n"},
    {"a file of ours", &edit_whole, &whole_entry, "", "// engram\nx\n"},
};

/* The fingerprint is left out of the data: @ stands for its digits. */
static str without_fingerprint(str text)
{
    str mark = S("<!-- engram:begin ");
    size_t at = str_find(text, mark, 0) + mark.len;
    return at < text.len ? edit_splice(&arena, text, at, at + 16, S("@")) : text;
}

static void assert_text(const char *name, str is, const char *wanted)
{
    if (!str_eq(is, str_of(wanted)))
        fail_msg("%s: is\n%.*s\nwanted\n%s", name, FMT(is), wanted);
}

static void entries_go_in_and_come_out_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof puts_and_takes / sizeof *puts_and_takes; i++) {
        const struct put_case *c = &puts_and_takes[i];
        struct err e = {0};
        str before = str_of(c->before), after, again, back;
        if (!c->format->put(&arena, before, c->edit, &after, &e))
            fail_msg("%s: %s", c->name, e.text);
        assert_text(c->name, without_fingerprint(after), c->after);
        assert_true(c->format->put(&arena, after, c->edit, &again, &e));
        assert_ptr_equal(again.at, after.at);
        if (!c->format->take(&arena, after, before, c->edit, &back, &e))
            fail_msg("%s: %s", c->name, e.text);
        assert_text(c->name, back, c->before);
        assert_true(c->format->take(&arena, back, before, c->edit, &again, &e));
        assert_ptr_equal(again.at, back.at);
    }
    arena_free(&arena);
}

/* ---- what only goes in ---- */

static const struct put_case only_puts[] = {
    {"nothing at all", &edit_json, &json_entry, " \n",
     "{\n  \"servers\": {\n    \"engram\": {\n      \"command\": \"engram\",\n      \"args\": "
     "[\"serve\"]\n    }\n  }\n}\n"},
    {"an old entry is renewed", &edit_json, &json_entry,
     "{\n  \"servers\": {\n    \"engram\": {\"command\": \"/old\"}, // c\n    \"x\": 1\n  }\n}\n",
     "{\n  \"servers\": {\n    \"engram\": {\n      \"command\": \"engram\",\n      \"args\": "
     "[\"serve\"]\n    }, // c\n    \"x\": 1\n  }\n}\n"},
    {"an entry that was added to stays", &edit_json, &json_entry,
     "{\"servers\": {\"engram\": {\"command\": \"engram\", \"env\": {}}}}",
     "{\"servers\": {\"engram\": {\"command\": \"engram\", \"env\": {}}}}"},
    {"a key written with an escape is the same key", &edit_json, &json_entry,
     "{\"s\\u0065rvers\": {\"engram\": {\"command\": \"engram\"}}}",
     "{\"s\\u0065rvers\": {\"engram\": {\"command\": \"engram\"}}}"},
    {"a bracket behind the last member", &edit_json, &json_entry,
     "{\n  \"servers\": {\n    \"x\": 1 }}",
     "{\n  \"servers\": {\n    \"x\": 1,\n    \"engram\": {\n      \"command\": \"engram\",\n      "
     "\"args\": [\"serve\"]\n    } }}"},
    {"an old hook is renewed", &edit_json, &json_hook,
     "{\"hooks\": {\"Start\": [{\"run\": \"/old/engram hook Start\"}]}}",
     "{\"hooks\": {\"Start\": [{\"run\": \"engram hook Start\"}]}}"},
    {"an old table is renewed, what is below it stays", &edit_toml, &toml_entry,
     "[ servers . \"engram\" ] # x\ncommand = \"/old\"\n\n[servers.engram.env]\nA = \"b\"\n",
     TOML_VALUE "\n\n[servers.engram.env]\nA = \"b\"\n"},
    {"a table without a last line end", &edit_toml, &toml_entry, "a = 1", "a = 1\n\n" TOML_VALUE},
    {"an entry in another form that is current", &edit_toml, &toml_entry,
     "[servers]\nengram = {command = \"engram\"}\n",
     "[servers]\nengram = {command = \"engram\"}\n"},
    {"a new file has its beginning", &edit_yaml, &yaml_entry, "",
     "name: x\nservers:\n  engram:\n    cmd: engram\n    args:\n      - serve\n"},
    {"an old element is renewed", &edit_yaml, &yaml_element,
     "mcp:\n  - cmd: /old\n    name: \"engram\"\n  - name: y\n",
     "mcp:\n  - name: engram\n    cmd: engram\n  - name: y\n"},
    {"an element behind a line without an end", &edit_yaml, &yaml_element, "mcp:\n  - name: x",
     "mcp:\n  - name: x\n  - name: engram\n    cmd: engram"},
    {"a block that was changed by hand stays", &edit_block, &block_entry,
     "<!-- engram:begin 0123456789abcdef, -->\nMy own words.\n<!-- engram:end -->\n",
     "<!-- engram:begin @, -->\nMy own words.\n<!-- engram:end -->\n"},
};

static void entries_fit_what_is_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof only_puts / sizeof *only_puts; i++) {
        const struct put_case *c = &only_puts[i];
        struct err e = {0};
        str after;
        if (!c->format->put(&arena, str_of(c->before), c->edit, &after, &e))
            fail_msg("%s: %s", c->name, e.text);
        assert_text(c->name, without_fingerprint(after), c->after);
    }
    arena_free(&arena);
}

static void a_block_of_an_older_version_is_renewed(void **state)
{
    (void)state;
    struct err e = {0};
    struct edit older = {.value = S("Older.")};
    str text, now;
    assert_true(edit_block.put(&arena, S("a\n\nb\n"), &older, &text, &e));
    assert_true(edit_block.put(&arena, text, &block_entry, &now, &e));
    assert_text("renewed", without_fingerprint(now),
                "a\n\nb\n\n<!-- engram:begin @, by `engram setup --instructions` -->\nAsk engram "
                "first.\n<!-- engram:end -->\n");
    arena_free(&arena);
}

/* ---- what only comes out ---- */

struct take_case {
    const char *name;
    const struct edit_format *format;
    const struct edit *edit;
    const char *text, *before, *after; /* before: NULL where nobody knows */
};

static const struct take_case takes[] = {
    {"the first of several", &edit_json, &json_entry,
     "{\"servers\": {\"engram\": {\"command\": \"engram\"}, \"x\": {}}}", NULL,
     "{\"servers\": {\"x\": {}}}"},
    {"one in the middle, lines", &edit_json, &json_entry,
     "{\n\"servers\": {\n  \"a\": 1,\n  \"engram\": {},\n  // b's\n  \"b\": 2\n}}", NULL,
     "{\n\"servers\": {\n  \"a\": 1,\n  // b's\n  \"b\": 2\n}}"},
    {"the object around it stays where nobody knows", &edit_json, &json_entry,
     "{\n  \"servers\": {\n    \"engram\": {}\n  }\n}\n", NULL, "{\n  \"servers\": {}\n}\n"},
    {"the object around it goes where it came along", &edit_json, &json_entry,
     "{\n  \"a\": 1,\n  \"servers\": {\n    \"engram\": {}\n  }\n}\n", "{\n  \"a\": 1\n}\n",
     "{\n  \"a\": 1\n}\n"},
    {"what others put beside it stays", &edit_json, &json_entry,
     "{\n  \"servers\": {\n    \"engram\": {},\n    \"x\": 1\n  }\n}\n", "",
     "{\n  \"servers\": {\n    \"x\": 1\n  }\n}\n"},
    {"a comment in the object stays", &edit_json, &json_entry,
     "{\n  \"servers\": {\n    // hi\n    \"engram\": {}\n  }\n}\n", NULL,
     "{\n  \"servers\": {\n    // hi\n  }\n}\n"},
    {"a table and what is below it", &edit_toml, &toml_entry,
     "a = 1\n\n[servers.engram]\ncommand = \"x\"\n\n[servers.engram.env]\nA = \"b\"\n\n# c\n[d]\n",
     NULL, "a = 1\n\n# c\n[d]\n"},
    {"an entry in another form", &edit_toml, &toml_entry,
     "[servers]\nengram.command = \"x\"\nengram.args = [\n]\ny = 1\n", NULL, "[servers]\ny = 1\n"},
    {"the only element", &edit_yaml, &yaml_element, "mcp:\n  - name: engram\n    cmd: z\n", NULL,
     "mcp: []\n"},
    {"an element between comments", &edit_yaml, &yaml_element,
     "mcp:\n  # x\n  - name: x\n  # ours\n  - name: engram\n    cmd: z\n  # y\n  - name: y\n", NULL,
     "mcp:\n  # x\n  - name: x\n  # ours\n  # y\n  - name: y\n"},
    {"a block changed by hand", &edit_block, &block_entry,
     "a\n\n<!-- engram:begin 0 -->\nx\n<!-- engram:end -->\n\nb\n", NULL, "a\n\nb\n"},
    {"somebody else's file", &edit_whole, &whole_entry, "other\n", NULL, "other\n"},
};

static void entries_come_out_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        const struct take_case *c = &takes[i];
        struct err e = {0};
        str after, before = c->before ? str_of(c->before) : (str){NULL, 0};
        if (!c->format->take(&arena, str_of(c->text), before, c->edit, &after, &e))
            fail_msg("%s: %s", c->name, e.text);
        assert_text(c->name, after, c->after);
    }
    arena_free(&arena);
}

/* ---- what is refused ---- */

struct refused_case {
    const struct edit_format *format;
    const struct edit *edit;
    const char *text, *where, *why;
};

static const struct refused_case refused[] = {
    {&edit_json, &json_entry, "{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3", "a comma or }"},
    {&edit_json, &json_entry, "{\"a\": \"x\n\"}", "line 1, column 7", "closing quote"},
    {&edit_json, &json_entry, "{\"ä\": 01}", "line 1, column 7", "no value"},
    {&edit_json, &json_entry, "{\"a\": tru}", "line 1, column 7", "no value"},
    {&edit_json, &json_entry, "{\"a\": 1", "line 1, column 8", "wanted here"},
    {&edit_json, &json_entry, "{a: 1}", "line 1, column 2", "double quotes"},
    {&edit_json, &json_entry, "{} x", "line 1, column 4", "goes on"},
    {&edit_json, &json_entry, "{ /* ", "line 1, column 3", "no end"},
    {&edit_json, &json_entry, "[]", "line 1, column 1", "an object"},
    {&edit_json, &json_entry, "{\"servers\": []}", "line 1, column 13", "no object"},
    {&edit_json, &json_hook, "{\"hooks\": {\"Start\": {}}}", "line 1, column 21", "no list"},
    {&edit_json, &json_entry, "{\n\"servers\": {},\n\"servers\": {}}", "line 3, column 1", "twice"},
    {&edit_json, &json_entry, "{\"a\": \"\xFF\"}", "line 1, column 8", "UTF-8"},
    {&edit_toml, &toml_entry, "a = \n", "line 1, column 5", "a value"},
    {&edit_toml, &toml_entry, "a = 1\nb\n", "line 2, column 2", "= is wanted"},
    {&edit_toml, &toml_entry, "a = [1\nb = 2\n", "line 2, column 1", "a comma or ]"},
    {&edit_toml, &toml_entry, "a = 1 2\n", "line 1, column 7", "end of the line"},
    {&edit_toml, &toml_entry, "a = \"\"\"x\n", "line 1, column 5", "closing quotes"},
    {&edit_toml, &toml_entry, "[a\n", "line 1, column 3", "] is wanted"},
    {&edit_toml, &toml_entry, "servers = {}\n", "line 1, column 1", "no table of tables"},
    {&edit_toml, &toml_entry, "[servers.engram]\n[servers.engram]\n", "line 2, column 1", "twice"},
    {&edit_toml, &toml_entry, "servers.engram.command = \"x\"\n", "line 1, column 1", "by hand"},
    {&edit_yaml, &yaml_entry, "a:\n\t- b\n", "line 2, column 1", "a tab"},
    {&edit_yaml, &yaml_entry, "a: 1\nb\n", "line 2, column 1", "a key with a colon"},
    {&edit_yaml, &yaml_entry, "- a\n", "line 1, column 1", "keys are wanted"},
    {&edit_yaml, &yaml_entry, "a: [1\n", "line 1, column 4", "nothing closes"},
    {&edit_yaml, &yaml_entry, "a: 1\n---\nb: 1\n", "line 2, column 1", "more than one document"},
    {&edit_yaml, &yaml_entry, "servers: {x: 1}\n", "line 1, column 1", "on its own line"},
    {&edit_yaml, &yaml_entry, "servers:\n  - x\n", "line 2, column 1", "no mapping"},
    {&edit_yaml, &yaml_element, "mcp:\n  x: 1\n", "line 2, column 1", "no list"},
    {&edit_yaml, &yaml_element, "mcp: []\nmcp: []\n", "line 2, column 1", "twice"},
    {&edit_block, &block_entry, "a\n<!-- engram:begin 0 -->\n", "line 2, column 1", "has no"},
};

static void assert_refused(const struct edit_format *format, const struct edit *edit, str text,
                           const char *where, const char *why)
{
    struct err e = {0};
    str out;
    if (format->put(&arena, text, edit, &out, &e))
        fail_msg("taken: %.*s", FMT(str_cut(text, 0, 80)));
    if (!strstr(e.text, where) || !strstr(e.text, why))
        fail_msg("%.*s: \"%s\", wanted: %s, %s", FMT(str_cut(text, 0, 80)), e.text, where, why);
}

static void what_cant_be_read_is_refused_and_the_place_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct refused_case *c = &refused[i];
        assert_refused(c->format, c->edit, str_of(c->text), c->where, c->why);
    }
    assert_refused(&edit_json, &json_entry, str_from("{\0}", 3), "line 1, column 2", "NUL");
    arena_free(&arena);
}

static str repeated(const char *what, size_t times)
{
    str one = str_of(what);
    char *out = arena_bytes(&arena, one.len * times);
    for (size_t i = 0; i < times; i++)
        memcpy(out + i * one.len, one.at, one.len);
    return str_from(out, one.len * times);
}

static void depth_and_size_have_limits(void **state)
{
    (void)state;
    assert_refused(&edit_json, &json_entry,
                   arena_printf(&arena, "{\"a\": %.*s", FMT(repeated("[", MAX_EDIT_DEPTH))),
                   "column 134", "too deep");
    assert_refused(&edit_toml, &toml_entry,
                   arena_printf(&arena, "a = %.*s", FMT(repeated("[", MAX_EDIT_DEPTH + 1))),
                   "column 133", "too deep");
    assert_refused(&edit_yaml, &yaml_entry,
                   arena_printf(&arena, "a: %.*s", FMT(repeated("[", MAX_EDIT_DEPTH + 1))),
                   "column 4", "nothing closes");
    const struct edit_format *all[] = {&edit_json, &edit_toml, &edit_yaml, &edit_block};
    const struct edit *edits[] = {&json_entry, &toml_entry, &yaml_entry, &block_entry};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_refused(all[i], edits[i], repeated("\n", MAX_EDIT_BYTES + 1), "4194305 bytes",
                       "at most 4194304");
    struct err e = {0};
    str out, most = repeated(" ", MAX_EDIT_BYTES - 2);
    assert_true(
        edit_json.put(&arena, arena_printf(&arena, "{}%.*s", FMT(most)), &json_entry, &out, &e));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_go_in_and_come_out_again),
        cmocka_unit_test(entries_fit_what_is_there),
        cmocka_unit_test(a_block_of_an_older_version_is_renewed),
        cmocka_unit_test(entries_come_out_alone),
        cmocka_unit_test(what_cant_be_read_is_refused_and_the_place_named),
        cmocka_unit_test(depth_and_size_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
