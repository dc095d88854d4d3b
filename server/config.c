#include "server/config.h"

#include "memory/base/buf.h"
#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"
#include "server/parse_wire.h"
#include "server/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define X(field, name, type, initial, help) {name, initial, help},
const struct setting_help config_help[] = {CONFIG_SETTINGS(X)};
#undef X
const size_t config_help_count = sizeof(config_help) / sizeof(config_help[0]);

/* ---- a value of each type: text into the field ---- */

typedef bool value_parse(struct arena *a, const char *name, str value, void *field, struct err *e);

/* `wanted` says what would have been right. */
static bool bad_value(const char *name, str value, const char *wanted, struct err *e)
{
    str shown = utf8_prefix(value, 80);
    return fail(e, ERR_INPUT, "%s is \"%.*s\", wanted: %s", name, FMT(shown), wanted);
}

static bool parse_SWITCH(struct arena *a, const char *name, str value, void *field, struct err *e)
{
    (void)a;
    static const struct {
        const char *word;
        bool on;
    } words[] = {{"on", true},   {"off", false},   {"1", true},   {"0", false},
                 {"true", true}, {"false", false}, {"yes", true}, {"no", false}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_eq_nocase(value, str_of(words[i].word))) {
            *(bool *)field = words[i].on;
            return true;
        }
    return bad_value(name, value, "on or off", e);
}

static bool parse_number(const char *name, str value, int64_t most, const char *wanted, void *field,
                         struct err *e)
{
    int64_t number;
    if (!str_to_int(value, &number) || number > most)
        return bad_value(name, value, wanted, e);
    *(int64_t *)field = number;
    return true;
}

static bool parse_NUMBER(struct arena *a, const char *name, str value, void *field, struct err *e)
{
    (void)a;
    return parse_number(name, value, MAX_SETTING_NUMBER, "milliseconds, 0 to 86400000", field, e);
}

static bool parse_COUNT(struct arena *a, const char *name, str value, void *field, struct err *e)
{
    (void)a;
    return parse_number(name, value, MAX_SETTING_COUNT, "a number, 0 to 1000000000", field, e);
}

static bool parse_PATH(struct arena *a, const char *name, str value, void *field, struct err *e)
{
    (void)name;
    (void)e;
    *(str *)field = arena_str(a, value);
    return true;
}

static bool parse_TEXT(struct arena *a, const char *name, str value, void *field, struct err *e)
{
    return parse_PATH(a, name, utf8_repair(a, value), field, e);
}

static bool parse_TIME(struct arena *a, const char *name, str value, void *field, struct err *e)
{
    int64_t ms;
    if (value.len && !iso_parse(value, &ms, NULL))
        return bad_value(name, value, "an RFC 3339 time such as 2026-05-08T13:56:00Z", e);
    return parse_PATH(a, name, value, field, e);
}

static bool parse_LEVEL(struct arena *a, const char *name, str value, void *field, struct err *e)
{
    static const char *const levels[] = {"error", "warn", "info", "debug"};
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (str_eq_nocase(value, str_of(levels[i])))
            return parse_PATH(a, name, str_of(levels[i]), field, e);
    return bad_value(name, value, "error, warn, info or debug", e);
}

static bool parse_URLS(struct arena *a, const char *name, str value, void *field, struct err *e)
{
    bool on;
    if (str_eq_nocase(value, S("loopback"))) {
        *(enum config_urls *)field = URLS_LOOPBACK;
        return true;
    }
    if (!parse_SWITCH(a, name, value, &on, &(struct err){0}))
        return bad_value(name, value, "off, on or loopback", e);
    *(enum config_urls *)field = on ? URLS_ON : URLS_OFF;
    return true;
}

/* It will stand in a header. */
static bool parse_SECRET(struct arena *a, const char *name, str value, void *field, struct err *e)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.at[i] <= ' ' || value.at[i] > '~')
            return fail(e, ERR_INPUT,
                        "%s holds a blank, a control character or one beyond ASCII; wanted: "
                        "what can stand in a header",
                        name);
    return parse_PATH(a, name, value, field, e);
}

/* ---- the table ---- */

static const struct setting {
    const char *name;
    value_parse *parse;
    size_t offset;
    const char *initial;
} settings[] = {
#define X(field, name, type, initial, help)                                                        \
    {name, parse_##type, offsetof(struct config, field), initial},
    CONFIG_SETTINGS(X)
#undef X
};
static const size_t setting_count = sizeof(settings) / sizeof(settings[0]);

static const struct setting *setting_find(str name)
{
    for (size_t i = 0; i < setting_count; i++)
        if (str_eq(name, str_of(settings[i].name)))
            return &settings[i];
    return NULL;
}

static bool is_secret(const struct setting *s)
{
    return s->parse == parse_SECRET;
}

static str secret_of(const struct config *c, const struct setting *s)
{
    return *(const str *)(const void *)((const char *)c + s->offset);
}

/* The two settings that say where the user's file lies can't come from it. */
static bool locates_the_file(const struct setting *s)
{
    return s->offset == offsetof(struct config, home) ||
           s->offset == offsetof(struct config, config_home);
}

static bool set_value(struct arena *a, const char *name, value_parse *parse, str value, void *field,
                      struct err *e)
{
    if (value.len > MAX_SETTING_BYTES)
        return fail(e, ERR_INPUT, "%s has %zu bytes, at most %d", name, value.len,
                    MAX_SETTING_BYTES);
    return parse(a, name, value, field, e);
}

static bool set(struct arena *a, struct config *c, const struct setting *s, str value,
                struct err *e)
{
    return set_value(a, s->name, s->parse, value, (char *)c + s->offset, e);
}

static bool set_defaults(struct arena *a, struct config *c, struct err *e)
{
    for (size_t i = 0; i < setting_count; i++)
        if (!set(a, c, &settings[i], str_of(settings[i].initial), e))
            return false;
    return true;
}

static bool set_from_environment(struct arena *a, struct config *c, struct err *e)
{
    for (size_t i = 0; i < setting_count; i++) {
        str value = str_of(getenv(settings[i].name));
        if (value.len && !set(a, c, &settings[i], value, e))
            return fail_context(e, "environment");
    }
    return true;
}

/* ---- the user's file ---- */

/* A line may be a key that was put into the wrong place. */
static str shown_name(str name)
{
    enum { MAX_NAME_BYTES = 80 };
    for (size_t i = 0; i < name.len; i++)
        if (!(name.at[i] >= 'A' && name.at[i] <= 'Z') && name.at[i] != '_')
            return S("what it says");
    return str_cut(name, 0, MAX_NAME_BYTES);
}

static bool set_from_line(struct arena *a, struct config *c, str line, struct err *e)
{
    line = str_trim(line);
    if (!line.len || line.at[0] == '#')
        return true;
    size_t equals = str_find_char(line, '=', 0);
    str name = str_trim(str_cut(line, 0, equals));
    if (equals == line.len)
        return fail(e, ERR_INPUT, "%.*s, wanted: NAME=VALUE", FMT(shown_name(name)));
    str value = str_trim(str_cut(line, equals + 1, line.len));
    const struct setting *s = setting_find(name);
    if (!s)
        return fail(e, ERR_INPUT, "%.*s is no setting; `engram help settings` lists them",
                    FMT(shown_name(name)));
    if (locates_the_file(s))
        return fail(e, ERR_INPUT, "%s can only be set in the environment", s->name);
    if (memchr(value.at, 0, value.len))
        return fail(e, ERR_INPUT, "%s holds a NUL byte", s->name);
    return !value.len || set(a, c, s, value, e);
}

static bool set_from_text(struct arena *a, struct config *c, str path, str text, struct err *e)
{
    str line;
    for (int number = 1; str_next_line(&text, &line); number++)
        if (!set_from_line(a, c, line, e))
            return fail_context(e, "%.*s line %d", FMT(path), number);
    return true;
}

static bool has_secrets(const struct config *c)
{
    for (size_t i = 0; i < setting_count; i++)
        if (is_secret(&settings[i]) && secret_of(c, &settings[i]).len)
            return true;
    return false;
}

static bool file_is_private(str path, const struct stat *info, struct err *e)
{
    return (info->st_mode & (S_IRGRP | S_IROTH)) == 0 ||
           fail(e, ERR_INPUT, "%.*s holds a key and may be read by others; run chmod 600 on it",
                FMT(path));
}

/* Whoever may write the file decides where memories go, so it must be the user's. */
static bool file_is_the_users(str path, const struct stat *info, struct err *e)
{
    if (info->st_uid != geteuid() && info->st_uid != 0)
        return fail(e, ERR_INPUT, "%.*s belongs to user %u, wanted: a file of your own", FMT(path),
                    (unsigned)info->st_uid);
    if (info->st_mode & S_IWOTH)
        return fail(e, ERR_INPUT, "%.*s may be written by everybody; run chmod o-w on it",
                    FMT(path));
    return true;
}

static bool set_from_file(struct arena *a, struct config *c, struct err *e)
{
    str path = config_file_path(a, c), text;
    if (!path.len)
        return true;
    struct stat info;
    struct err trouble = {0};
    if (!small_file_read(a, AT_FDCWD, path, 0, MAX_CONFIG_BYTES, &info, &text, &trouble))
        return trouble.code == ERR_NOT_FOUND || fail(e, ERR_INPUT, "%s", trouble.text);
    return file_is_the_users(path, &info, e) && set_from_text(a, c, path, text, e) &&
           (!has_secrets(c) || file_is_private(path, &info, e));
}

/* ---- models ---- */

#define X(field, name, type, initial, help) {name, offsetof(struct config, field)},
#define M(X, PURPOSE, purpose, help)                                                               \
    [PROVIDER_##PURPOSE] = {#purpose, {CONFIG_MODEL(X, PURPOSE, purpose, help)}},
const struct config_model config_models[PROVIDER_PURPOSES] = {CONFIG_MODELS(M, X)};
#undef M
#undef X

static str *model_part(struct config *c, enum provider_purpose purpose, enum model_part part)
{
    return (str *)(void *)((char *)c + config_models[purpose].parts[part].offset);
}

str config_model_part(const struct config *c, enum provider_purpose purpose, enum model_part part)
{
    return *(const str *)(const void *)((const char *)c +
                                        config_models[purpose].parts[part].offset);
}

void config_clear_models(struct config *c)
{
    for (int p = 0; p < PROVIDER_PURPOSES; p++)
        for (int part = 0; part < MODEL_PARTS; part++)
            *model_part(c, (enum provider_purpose)p, (enum model_part)part) = S("");
}

/* ---- keys ---- */

bool config_take_vendor_keys(struct arena *a, struct config *c, struct err *e)
{
    for (int i = 0; c->vendor_keys && i < PROVIDER_PURPOSES; i++) {
        enum provider_purpose purpose = (enum provider_purpose)i;
        const struct provider_row *row =
            provider_find(config_model_part(c, purpose, PART_PROVIDER));
        str *key = model_part(c, purpose, PART_KEY);
        /* A vendor's key is for the vendor's own host. */
        bool is_vendors = row && !config_model_part(c, purpose, PART_URL).len;
        const char *name = is_vendors ? row->key_variable : NULL;
        if (!key->len && name && getenv(name) &&
            !set_value(a, name, parse_SECRET, str_of(getenv(name)), key, e))
            return fail_context(e, "environment");
    }
    return true;
}

bool config_set(struct arena *a, struct config *c, str name, str value, struct err *e)
{
    const struct setting *s = setting_find(name);
    if (!s)
        return fail(e, ERR_INPUT, "%.*s is no setting", FMT(utf8_prefix(name, 80)));
    for (size_t i = 0; i < value.len; i++)
        if ((unsigned char)value.at[i] < ' ')
            return fail(e, ERR_INPUT, "%s holds a control character, wanted: one line", s->name);
    return set(a, c, s, value, e);
}

bool config_is_secret(str name)
{
    const struct setting *s = setting_find(name);
    return s && is_secret(s);
}

str config_secrets(struct arena *a, const struct config *c)
{
    struct buf lines = {0};
    for (size_t i = 0; i < setting_count; i++)
        if (is_secret(&settings[i]) && secret_of(c, &settings[i]).len)
            buf_printf(&lines, "%s=%.*s\n", settings[i].name, FMT(secret_of(c, &settings[i])));
    str out = arena_str(a, buf_str(&lines));
    buf_free(&lines);
    return out;
}

bool config_add_secrets(struct arena *a, struct config *c, str lines, struct err *e)
{
    str line;
    while (str_next_line(&lines, &line)) {
        str name = str_cut(line, 0, str_find_char(line, '=', 0));
        if (!config_is_secret(name))
            return fail(e, ERR_INPUT, "what was handed over isn't a secret");
        if (!set_from_line(a, c, line, e))
            return false;
    }
    return true;
}

void config_hide_secrets(const struct config *c)
{
    if (has_secrets(c) && !UNDER_SANITIZER) /* which looks for leaks by looking at itself */
        prctl(PR_SET_DUMPABLE, 0);
}

/* ---- all of it ---- */

str config_file_path(struct arena *a, const struct config *c)
{
    if (str_starts(c->config_home, S("/")))
        return arena_printf(a, "%.*s/engram/config", FMT(c->config_home));
    if (str_starts(c->home, S("/")))
        return arena_printf(a, "%.*s/.config/engram/config", FMT(c->home));
    return S("");
}

bool config_load(struct arena *a, struct config *out, struct err *e)
{
    *out = (struct config){0};
    if (!set_defaults(a, out, e))
        return false;
    out->home = str_of(getenv("HOME"));
    out->config_home = str_of(getenv("XDG_CONFIG_HOME"));
    return set_from_file(a, out, e) && set_from_environment(a, out, e) &&
           config_take_vendor_keys(a, out, e);
}

/* ---- clocks ---- */

static int64_t clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t config_now_ms(const struct config *c)
{
    int64_t fixed_ms;
    return c->now.len && iso_parse(c->now, &fixed_ms, NULL) ? fixed_ms : clock_ms(CLOCK_REALTIME);
}

int64_t monotonic_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

void sleep_for_ms(int64_t ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (ms > 0 && nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}
