#include "server/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/engram-config-XXXXXX";
static char file_path[128];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file_path, sizeof file_path, "%s/engram", folder);
    mkdir(file_path, 0700);
    snprintf(file_path, sizeof file_path, "%s/engram/config", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(file_path);
    char inner[128];
    snprintf(inner, sizeof inner, "%s/engram", folder);
    return rmdir(inner) || rmdir(folder);
}

/* Nothing set but where the user's file would be. */
static int forget_everything(void **state)
{
    (void)state;
    for (size_t i = 0; i < config_help_count; i++)
        unsetenv(config_help[i].name);
    setenv("XDG_CONFIG_HOME", folder, 1);
    unlink(file_path);
    return 0;
}

static void write_bytes(const char *text, size_t n)
{
    FILE *f = fopen(file_path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
    chmod(file_path, 0600);
}

static void write_file(const char *text)
{
    write_bytes(text, strlen(text));
}

static struct arena arena;

static struct config loaded(void)
{
    struct config c;
    struct err e = {0};
    if (!config_load(&arena, &c, &e))
        fail_msg("%s", e.text);
    return c;
}

/* The load must fail with a text that holds all of `words`, a NULL-ended list. */
static void refused(const char *first, ...)
{
    struct config c;
    struct err e = {0};
    assert_false(config_load(&arena, &c, &e));
    assert_int_equal(e.code, ERR_INPUT);
    va_list words;
    va_start(words, first);
    for (const char *word = first; word; word = va_arg(words, const char *))
        if (!strstr(e.text, word))
            fail_msg("\"%s\" lacks \"%s\"", e.text, word);
    va_end(words);
}

static void equals(str found, const char *wanted)
{
    if (!str_eq(found, str_of(wanted)))
        fail_msg("\"%.*s\", wanted \"%s\"", FMT(found), wanted);
}

static void without_settings_the_defaults_hold(void **state)
{
    (void)state;
    struct config c = loaded();
    equals(c.project, "");
    equals(c.log, "warn");
    assert_true(c.ppr && c.neighbours && c.ranker && c.encoder && c.history && c.index &&
                c.consolidate && c.usage);
    assert_int_equal(c.write_deadline_ms, 30000);
    assert_int_equal(c.attach_wait_ms, 20000);
    assert_int_equal(c.parse_deadline_ms, 60000);
}

static void the_file_is_read_and_the_environment_wins(void **state)
{
    (void)state;
    write_file("# mine\n\nENGRAM_LOG = debug\r\nENGRAM_PPR=off\nENGRAM_USAGE=off\n  "
               "ENGRAM_PROJECT=/a=b c  \n");
    setenv("ENGRAM_PPR", "on", 1);
    setenv("ENGRAM_USAGE", "", 1);
    struct config c = loaded();
    equals(c.log, "debug");
    equals(c.project, "/a=b c");
    assert_true(c.ppr);
    assert_false(c.usage);
}

static void switches_take_the_usual_words(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool on;
    } cases[] = {{"on", true},   {"ON", true},   {"1", true},  {"true", true},   {"yes", true},
                 {"off", false}, {"Off", false}, {"0", false}, {"false", false}, {"no", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        setenv("ENGRAM_ENCODER", cases[i].word, 1);
        assert_int_equal(loaded().encoder, cases[i].on);
    }
    setenv("ENGRAM_ENCODER", "maybe", 1);
    refused("ENGRAM_ENCODER", "\"maybe\"", "on or off", NULL);
}

static void bad_values_name_the_setting_the_value_and_what_is_wanted(void **state)
{
    static const struct {
        const char *name, *value, *wanted;
    } cases[] = {
        {"ENGRAM_NOW", "yesterday", "RFC 3339"},
        {"ENGRAM_NOW", "2026-13-01", "RFC 3339"},
        {"ENGRAM_LOG", "loud", "error, warn, info"},
        {"ENGRAM_WRITE_DEADLINE_MS", "-1", "0 to 86400000"},
        {"ENGRAM_ATTACH_WAIT_MS", "5s", "milliseconds"},
        {"ENGRAM_PARSE_DEADLINE_MS", "86400001", "86400000"},
        {"ENGRAM_MODEL_DAILY_TOKENS", "1000000001", "1000000000"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        forget_everything(state);
        setenv(cases[i].name, cases[i].value, 1);
        refused(cases[i].name, cases[i].value, cases[i].wanted, "environment", NULL);
    }
}

static void the_greatest_number_is_taken(void **state)
{
    (void)state;
    setenv("ENGRAM_PARSE_DEADLINE_MS", "86400000", 1);
    assert_int_equal(loaded().parse_deadline_ms, MAX_SETTING_NUMBER);
}

static void a_bad_line_is_named_by_its_number(void **state)
{
    (void)state;
    write_file("ENGRAM_LOG=info\nENGRAM_PPR\n");
    refused("/engram/config line 2", "ENGRAM_PPR", "NAME=VALUE", NULL);
    write_file("\n\nENGRAM_LOUD=1\n");
    refused("line 3", "ENGRAM_LOUD", "no setting", NULL);
    write_file("HOME=/x\n");
    refused("line 1", "HOME", "environment", NULL);
    write_file("ENGRAM_PPR=maybe\n");
    refused("line 1", "ENGRAM_PPR", "maybe", "on or off", NULL);
    write_bytes("ENGRAM_PROJECT=/a\0b\n", sizeof("ENGRAM_PROJECT=/a\0b\n") - 1);
    refused("line 1", "NUL", NULL);
}

static void a_file_that_is_too_big_or_open_to_others_or_no_file_is_refused(void **state)
{
    (void)state;
    static char big[MAX_CONFIG_BYTES + 1];
    static const char last[] = "ENGRAM_PPR=off\n";
    memset(big, '\n', sizeof big);
    memcpy(big + MAX_CONFIG_BYTES - (sizeof last - 1), last, sizeof last - 1);
    write_bytes(big, MAX_CONFIG_BYTES);
    assert_false(loaded().ppr);
    write_bytes(big, sizeof big);
    refused("/engram/config", "65536", NULL);
    write_file("ENGRAM_PPR=off\n");
    chmod(file_path, 0666);
    refused("/engram/config", "chmod", NULL);
    unlink(file_path);
    assert_int_equal(mkfifo(file_path, 0600), 0);
    refused("/engram/config", "not a regular file", NULL);
}

static void a_value_over_the_bound_is_refused(void **state)
{
    (void)state;
    static char big[MAX_SETTING_BYTES + 2];
    memset(big, 'x', sizeof big - 1);
    setenv("ENGRAM_PROJECT", big, 1);
    refused("ENGRAM_PROJECT", "4097", "4096", NULL);
}

static void a_relative_config_home_does_not_count(void **state)
{
    (void)state;
    setenv("XDG_CONFIG_HOME", "relative", 1);
    setenv("HOME", "/home/me", 1);
    struct config c = loaded();
    equals(config_file_path(&arena, &c), "/home/me/.config/engram/config");
    unsetenv("HOME");
    c = loaded();
    equals(config_file_path(&arena, &c), "");
}

static void a_session_that_is_no_text_is_repaired(void **state)
{
    (void)state;
    setenv("CLAUDE_CODE_SESSION_ID",
           "a\xff"
           "b",
           1);
    equals(loaded().claude_session, "a\xef\xbf\xbd"
                                    "b");
}

static void now_is_fixed_by_its_setting(void **state)
{
    (void)state;
    setenv("ENGRAM_NOW", "2026-05-08T13:56:00Z", 1);
    struct config c = loaded();
    assert_int_equal(config_now_ms(&c), 1778248560000);
    unsetenv("ENGRAM_NOW");
    c = loaded();
    assert_true(config_now_ms(&c) > 1600000000000);
}

static void the_monotonic_clock_grows_by_at_least_what_was_slept(void **state)
{
    (void)state;
    int64_t before = monotonic_ms();
    sleep_for_ms(5);
    assert_true(monotonic_ms() - before >= 4); /* both readings are cut to whole milliseconds */
    sleep_for_ms(0);
    sleep_for_ms(-1);
}

/* ---- keys ---- */

static void keys_are_handed_on_as_lines_and_nothing_else_is(void **state)
{
    (void)state;
    setenv("ENGRAM_EMBED_KEY", "sk-1=", 1);
    setenv("ENGRAM_LLM_KEY", "sk-2", 1);
    setenv("ENGRAM_HTTP_PROXY", "http://me:pw@proxy", 1);
    struct config c = loaded(), other = {0};
    struct err e = {0};
    equals(config_secrets(&arena, &c), "ENGRAM_EMBED_KEY=sk-1=\nENGRAM_LLM_KEY=sk-2\n"
                                       "ENGRAM_HTTP_PROXY=http://me:pw@proxy\n");
    assert_true(config_add_secrets(&arena, &other, config_secrets(&arena, &c), &e));
    equals(other.embed_key, "sk-1=");
    equals(other.llm_key, "sk-2");
    equals(other.http_proxy, "http://me:pw@proxy");
    assert_false(config_add_secrets(&arena, &other, S("ENGRAM_PROJECT=/x\n"), &e));
    assert_true(config_is_secret(S("ENGRAM_RERANK_KEY")));
    assert_false(config_is_secret(S("ENGRAM_RERANK_URL")));
}

static void a_key_that_is_wrong_is_never_shown(void **state)
{
    static const char *const lines[] = {"ENGRAM_EMBED_KEY sk-Secret1", "sk-Secret1",
                                        "sk-Secret1=", "ENGRAM_EMBED_KEY=sk-Secret1 x",
                                        "ENGRAM_EMBED_KEY=sk-Secret1\xc3\xa4"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct config c;
        struct err e = {0};
        forget_everything(state);
        write_file(lines[i]);
        assert_false(config_load(&arena, &c, &e));
        assert_non_null(strstr(e.text, "line 1"));
        assert_null(strstr(e.text, "Secret1"));
    }
    forget_everything(state);
    setenv("ENGRAM_EMBED_KEY", "sk\r\nX-Header: 1", 1);
    refused("ENGRAM_EMBED_KEY", "can stand in a header", NULL);
}

static void a_file_with_a_key_is_nobody_elses(void **state)
{
    (void)state;
    write_file("ENGRAM_EMBED_KEY=sk-1\n");
    equals(loaded().embed_key, "sk-1");
    chmod(file_path, 0640);
    refused("/engram/config", "chmod 600", NULL);
    write_file("ENGRAM_EMBED_URL=http://localhost\n");
    chmod(file_path, 0644);
    equals(loaded().embed_url, "http://localhost");
}

static void a_vendors_variable_counts_where_the_user_wants_it(void **state)
{
    (void)state;
    setenv("OPENAI_API_KEY", "sk-vendor", 1);
    setenv("ENGRAM_EMBED_PROVIDER", "openai", 1);
    setenv("ENGRAM_LLM_PROVIDER", "nobody", 1);
    equals(loaded().embed_key, "");
    setenv("ENGRAM_VENDOR_KEYS", "on", 1);
    equals(loaded().embed_key, "sk-vendor");
    equals(loaded().llm_key, "");
    setenv("ENGRAM_EMBED_KEY", "sk-own", 1);
    equals(loaded().embed_key, "sk-own");
    setenv("OPENAI_API_KEY", "sk vendor", 1);
    equals(loaded().embed_key, "sk-own");
    unsetenv("ENGRAM_EMBED_KEY");
    refused("OPENAI_API_KEY", NULL);
    unsetenv("OPENAI_API_KEY");
}

static void pages_are_fetched_where_it_is_said_so(void **state)
{
    (void)state;
    assert_int_equal(loaded().urls, URLS_OFF);
    setenv("ENGRAM_URLS", "ON", 1);
    assert_int_equal(loaded().urls, URLS_ON);
    setenv("ENGRAM_URLS", "loopback", 1);
    assert_int_equal(loaded().urls, URLS_LOOPBACK);
    setenv("ENGRAM_URLS", "all", 1);
    refused("ENGRAM_URLS", "\"all\"", "off, on or loopback", NULL);
}

#define TEST(name) cmocka_unit_test_setup(name, forget_everything)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_settings_the_defaults_hold),
        TEST(the_file_is_read_and_the_environment_wins),
        TEST(switches_take_the_usual_words),
        TEST(bad_values_name_the_setting_the_value_and_what_is_wanted),
        TEST(the_greatest_number_is_taken),
        TEST(a_bad_line_is_named_by_its_number),
        TEST(a_file_that_is_too_big_or_open_to_others_or_no_file_is_refused),
        TEST(a_value_over_the_bound_is_refused),
        TEST(a_relative_config_home_does_not_count),
        TEST(a_session_that_is_no_text_is_repaired),
        TEST(keys_are_handed_on_as_lines_and_nothing_else_is),
        TEST(a_key_that_is_wrong_is_never_shown),
        TEST(a_file_with_a_key_is_nobody_elses),
        TEST(a_vendors_variable_counts_where_the_user_wants_it),
        TEST(pages_are_fetched_where_it_is_said_so),
        TEST(now_is_fixed_by_its_setting),
        TEST(the_monotonic_clock_grows_by_at_least_what_was_slept),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    arena_free(&arena);
    return failed;
}
