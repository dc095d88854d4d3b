#include "server/cli_command.h"

#include "memory/base/unicode.h"
#include "server/file_write.h"
#include "server/http_client.h"
#include "server/model_settings.h"
#include "server/model_try.h"
#include "server/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What is asked for: one provider, for some purposes. */
struct wish {
    const struct provider_row *row;
    bool purposes[PROVIDER_PURPOSES];
    bool keeps_key[PROVIDER_PURPOSES]; /* provider and host are as before, no key is given */
    str url, model, key;
};

static const struct cli_option setup_model_options[] = {
    {"purpose", 0, "PURPOSE",
     "embed, rerank or llm (default: all that the provider has a model for)", NULL, NULL},
    {"url", 0, "URL", "where it is (default: the provider's own)", NULL, NULL},
    {"model", 0, "MODEL", "its model (default: the provider's own)", NULL, NULL},
    {"key-stdin", 0, NULL, "read its key from standard input", NULL, NULL},
    {"untried", 0, NULL, "write the settings without asking it anything", NULL, NULL},
    {"dry-run", 'n', NULL, "show what would be written; ask nobody", NULL, NULL},
    {0},
};

/* ---- what is asked for ---- */

static str option(struct cli *c, const char *name)
{
    const struct cli_value *v = cli_value(c, name);
    return v ? v->first : S("");
}

static bool choose_purposes(struct cli *c, struct wish *w, struct err *e)
{
    str wanted = option(c, "purpose");
    int chosen = 0;
    for (int p = 0; p < PROVIDER_PURPOSES; p++) {
        bool has_model = w->model.len || w->row->models[p];
        w->purposes[p] =
            provider_serves(w->row, (enum provider_purpose)p) &&
            (wanted.len ? str_eq(wanted, str_of(config_models[p].purpose)) : has_model);
        chosen += w->purposes[p];
    }
    if (wanted.len && !chosen)
        return fail(e, ERR_INPUT,
                    "--purpose is \"%.*s\"; wanted: embed, rerank or llm, if %s has it",
                    FMT(utf8_prefix(wanted, 80)), w->row->name);
    if (!chosen || (chosen > 1 && w->model.len))
        return fail(e, ERR_INPUT, "--purpose is missing; wanted: what the model is for");
    return true;
}

static bool read_wish(struct cli *c, struct wish *w, struct err *e)
{
    str text;
    *w = (struct wish){provider_find(c->words[0]), .url = option(c, "url"),
                       .model = option(c, "model"), .key = S("")};
    if (!w->row)
        return fail(e, ERR_INPUT, "\"%.*s\" is no provider; `engram setup-model` lists them",
                    FMT(utf8_prefix(c->words[0], 80)));
    if (cli_value(c, "key-stdin")) {
        if (!cli_read_stdin(c, "the key", &text, e))
            return false;
        w->key = str_trim(text);
    }
    return choose_purposes(c, w, e);
}

/* ---- the settings as they would be ---- */

static str value_of(const struct wish *w, enum model_part part)
{
    const str values[MODEL_PARTS] = {
        [PART_PROVIDER] = str_of(w->row->name),
        [PART_URL] = w->url,
        [PART_MODEL] = w->model,
        [PART_KEY] = w->key,
    };
    return values[part];
}

static bool changes(const struct wish *w, int purpose, int part)
{
    return w->purposes[purpose] && (part != PART_KEY || !w->keeps_key[purpose]);
}

static bool is_set_here(const struct wish *w, str name)
{
    for (int p = 0; p < PROVIDER_PURPOSES; p++)
        for (int part = 0; part < MODEL_PARTS; part++)
            if (changes(w, p, part) && str_eq(name, str_of(config_models[p].parts[part].name)))
                return true;
    return false;
}

static void add_line(struct buf *out, const struct wish *w, int purpose, int part, bool shown)
{
    const char *name = config_models[purpose].parts[part].name;
    str value = value_of(w, (enum model_part)part);
    if (value.len)
        buf_printf(out, "%s=%.*s\n", name,
                   FMT(shown && config_is_secret(str_of(name)) ? S("...") : value));
}

/* The lines that the wish adds; `shown`: for people, without the key. */
static void add_lines(struct buf *out, const struct wish *w, bool shown)
{
    for (int p = 0; p < PROVIDER_PURPOSES; p++)
        for (int part = 0; part < MODEL_PARTS; part++)
            if (changes(w, p, part))
                add_line(out, w, p, part, shown);
}

/* The file's text with the wish in place of what it said before of the same purposes. */
static str new_text(struct arena *a, const struct wish *w, str old)
{
    struct buf out = {0};
    str line;
    while (str_next_line(&old, &line)) {
        str name = str_trim(str_cut(line, 0, str_find_char(line, '=', 0)));
        if (!is_set_here(w, name))
            buf_printf(&out, "%.*s\n", FMT(line));
    }
    add_lines(&out, w, false);
    str text = arena_str(a, buf_str(&out));
    buf_free(&out);
    return text;
}

static bool apply_one(struct cli *c, const struct wish *w, int purpose, struct err *e)
{
    for (int part = 0; part < MODEL_PARTS; part++)
        if (changes(w, purpose, part) &&
            !config_set(&c->arena, &c->config, str_of(config_models[purpose].parts[part].name),
                        value_of(w, (enum model_part)part), e))
            return false;
    return true;
}

/* A stored key stays where neither the provider nor its host becomes another one. */
static bool apply(struct cli *c, struct wish *w, struct err *e)
{
    for (int i = 0; i < PROVIDER_PURPOSES; i++) {
        enum provider_purpose purpose = (enum provider_purpose)i;
        str provider = config_model_part(&c->config, purpose, PART_PROVIDER),
            url = config_model_part(&c->config, purpose, PART_URL);
        w->keeps_key[purpose] =
            !w->key.len && str_eq(provider, str_of(w->row->name)) && str_eq(url, w->url);
        if (!apply_one(c, w, purpose, e))
            return false;
    }
    return config_take_vendor_keys(&c->arena, &c->config, e);
}

/* ---- trying and writing ---- */

static bool try_all(struct cli *c, const struct wish *w,
                    const struct provider_settings of[PROVIDER_PURPOSES], json_t *tried,
                    struct err *e)
{
    struct http_client *client = http_client_open(c->config.http_proxy);
    struct transport t = http_client_transport(client);
    bool ok = true;
    for (int p = 0; ok && p < PROVIDER_PURPOSES; p++) {
        str said;
        int64_t began = monotonic_ms();
        if (!w->purposes[p])
            continue;
        ok = model_try(&c->arena, &t, &of[p], (enum provider_purpose)p, &said, e);
        if (!ok)
            fail_context(e, "%s, nothing was written", config_models[p].purpose);
        str model = provider_model(&of[p], (enum provider_purpose)p);
        said = ok ? unicode_visible(&c->arena, said) : S("");
        if (ok)
            json_array_append_new(
                tried, json_pack("{s:s, s:s, s:s%, s:s%, s:I}", "purpose", config_models[p].purpose,
                                 "provider", w->row->name, "model", model.at, model.len, "answer",
                                 said.at, said.len, "ms", (json_int_t)(monotonic_ms() - began)));
    }
    http_client_close(client);
    return ok;
}

/* The key in it is the user's alone. A link stays one: what it leads to is written. */
static bool write_file(struct cli *c, str path, str text, struct err *e)
{
    char real[PATH_MAX];
    if (text.len > MAX_CONFIG_BYTES)
        return fail(e, ERR_LIMIT, "%.*s would have %zu bytes, at most %d", FMT(path), text.len,
                    MAX_CONFIG_BYTES);
    if (realpath(arena_cstr(&c->arena, path), real))
        path = str_of(real);
    str name = str_file_name(path), folder = str_cut(path, 0, path.len - name.len);
    if (!file_write_folders(&c->arena, folder, 0700, NULL, e))
        return false;
    int fd = open(arena_cstr(&c->arena, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail(e, ERR_IO, "%.*s: %s", FMT(folder), strerror(errno));
    bool ok = file_write_replace(&c->arena, fd, name, text, NULL, 0600, e);
    close(fd);
    return ok;
}

static bool read_file(struct cli *c, str *path, str *text, struct err *e)
{
    struct err trouble = {0};
    *text = S("");
    *path = config_file_path(&c->arena, &c->config);
    if (!path->len)
        return fail(e, ERR_INPUT, "set HOME or XDG_CONFIG_HOME to an absolute path");
    return small_file_read(&c->arena, AT_FDCWD, *path, 0, MAX_CONFIG_BYTES, NULL, text, &trouble) ||
           trouble.code == ERR_NOT_FOUND || fail(e, trouble.code, "%s", trouble.text);
}

static bool set_up(struct cli *c, json_t *reply, struct err *e)
{
    struct wish w;
    struct models m;
    str path, old;
    struct buf lines = {0};
    json_t *tried = json_array();
    json_object_set_new(reply, "tried", tried);
    if (!config_load(&c->arena, &c->config, e) || !read_wish(c, &w, e) || !apply(c, &w, e))
        return false;
    config_hide_secrets(&c->config);
    if (!model_settings(&c->arena, &c->config, &m, e) || !read_file(c, &path, &old, e))
        return false;
    add_lines(&lines, &w, true);
    bool dry = cli_value(c, "dry-run") != NULL;
    json_object_set_new(reply, "file", json_stringn(path.at, path.len));
    json_object_set_new(reply, "lines", json_stringn(lines.at, lines.len));
    json_object_set_new(reply, "written", json_boolean(!dry));
    buf_free(&lines);
    return dry || ((cli_value(c, "untried") || try_all(c, &w, m.of, tried, e)) &&
                   write_file(c, path, new_text(&c->arena, &w, old), e));
}

/* ---- the command ---- */

/* A member for each purpose that a provider serves: its model, "" where it has none by default. */
static void print_providers_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < provider_row_count; i++) {
        const struct provider_row *row = provider_rows[i];
        json_t *one = json_pack("{s:s}", "provider", row->name);
        for (int p = 0; p < PROVIDER_PURPOSES; p++)
            if (provider_serves(row, (enum provider_purpose)p))
                json_object_set_new(one, config_models[p].purpose,
                                    json_string(row->models[p] ? row->models[p] : ""));
        json_array_append_new(list, one);
    }
    json_t *reply = json_pack("{s:o}", "providers", list);
    cli_print_json(reply);
    json_decref(reply);
}

static void list_providers(struct cli *c)
{
    if (c->json) {
        print_providers_json();
        return;
    }
    for (size_t i = 0; i < provider_row_count; i++) {
        const struct provider_row *row = provider_rows[i];
        struct buf line = {0};
        buf_printf(&line, "%-17s", row->name);
        for (int p = 0; p < PROVIDER_PURPOSES; p++)
            if (provider_serves(row, (enum provider_purpose)p))
                buf_printf(&line, " %s%s%s", config_models[p].purpose, row->models[p] ? "=" : "",
                           row->models[p] ? row->models[p] : "");
        cli_print(c, buf_str(&line));
        buf_free(&line);
    }
}

static int run_setup_model(struct cli *c)
{
    struct err e = {0};
    if (c->word_count > 1)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[1]));
    if (!c->word_count) {
        list_providers(c);
        return CLI_DONE;
    }
    json_t *reply = json_object();
    bool ok = set_up(c, reply, &e);
    if (ok && c->json)
        cli_print_json(reply);
    else if (ok)
        cli_print_fields(c, reply);
    json_decref(reply);
    return ok ? CLI_DONE : cli_fail(c, &e);
}

const struct command command_setup_model = {
    .name = "setup-model",
    .operands = "[PROVIDER]",
    .summary = "Use a model of yours for embeddings, reranking or proposals.",
    .options = setup_model_options,
    .help = "Without a PROVIDER it lists them. It asks the model something, shows the answer, and "
            "writes your settings\n"
            "file (0600, the rest of it stays); where the model doesn't answer nothing is written. "
            "A key is read from\n"
            "standard input, never from the command line.\n\n"
            "Examples:\n"
            "  engram setup-model ollama\n"
            "  engram setup-model --key-stdin voyage < key\n"
            "  engram setup-model --purpose llm --model qwen3:8b --url http://gpu-box:11434 "
            "ollama\n",
    .run = run_setup_model,
};
