/* Settings of models: what is taken, and what is refused with the setting's name. */
#include "server/model_settings.h"

#include "memory/provider/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

/* Nothing is set up, and the numbers are as small as may be. */
static struct config least(void)
{
    return (struct config){.embed_ms = 1,
                           .rerank_ms = 1,
                           .model_ms = 1,
                           .model_retry_ms = 1,
                           .model_jobs = 1,
                           .rerank_texts = MIN_RERANK_TEXTS,
                           .sampling_ms = 1,
                           .llm_query_ms = 1};
}

/* embed is set as told, nothing else. */
static bool load(const char *provider, const char *url, const char *model, const char *key,
                 struct models *out, struct err *e)
{
    struct config c = least();
    c.embed_provider = str_of(provider);
    c.embed_url = str_of(url);
    c.embed_model = str_of(model);
    c.embed_key = str_of(key);
    *e = (struct err){0};
    return model_settings(&arena, &c, out, e);
}

static void what_is_sound_is_taken(void **state)
{
    (void)state;
    static const struct {
        const char *provider, *url, *model, *key;
    } rows[] = {
        {"", "", "", ""},
        {"ollama", "", "", ""},
        {"ollama", "http://gpu-box:11434", "nomic-embed-text", ""},
        {"ollama", "https://gpu-box", "", "k"},
        {"ollama", "http://localhost:11434", "", "k"},
        {"ollama", "HTTP://LocalHost:11434", "", "k"},
        {"ollama", "HTTPS://gpu-box", "", "k"},
        {"ollama", "http://127.0.0.1:11434", "", "k"},
        {"ollama", "http://[::1]:11434/prefix", "", "k"},
        {"openai", "", "", "k"},
        {"openai", "http://localhost:8080", "m", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct models m;
        struct err e;
        if (!load(rows[i].provider, rows[i].url, rows[i].model, rows[i].key, &m, &e))
            fail_msg("row %zu: %s", i, e.text);
        assert_true(model_settings_any(&m) == (rows[i].provider[0] != 0));
        assert_true(!m.of[PROVIDER_EMBED].row == !rows[i].provider[0]);
        assert_null(m.of[PROVIDER_RERANK].row);
        assert_null(m.of[PROVIDER_LLM].row);
        assert_true(str_eq(m.of[PROVIDER_EMBED].key, str_of(rows[i].key)));
    }
}

/* llm is set as told. */
static bool load_client(const char *url, const char *model, const char *key, struct models *out,
                        struct err *e)
{
    struct config c = least();
    c.llm_provider = S("sampling");
    c.llm_url = str_of(url);
    c.llm_model = str_of(model);
    c.llm_key = str_of(key);
    c.sampling_daily = 5;
    *e = (struct err){0};
    return model_settings(&arena, &c, out, e);
}

static void the_clients_own_model_has_neither_an_address_nor_a_key(void **state)
{
    (void)state;
    struct models m;
    struct err e;
    assert_true(load_client("", "", "", &m, &e));
    assert_true(model_settings_any(&m));
    assert_int_equal(m.client_daily, 5);
    assert_true(load_client("", "haiku", "", &m, &e));
    assert_false(load_client("http://localhost", "", "", &m, &e));
    assert_non_null(strstr(e.text, "ENGRAM_LLM_URL is set; sampling asks the client itself"));
    assert_false(load_client("", "", "sk-1", &m, &e));
    assert_non_null(strstr(e.text, "ENGRAM_LLM_KEY is set"));
    assert_null(strstr(e.text, "sk-1"));
}

static void what_is_wrong_names_its_setting_and_never_the_key(void **state)
{
    (void)state;
    static const struct {
        const char *provider, *url, *model, *key, *words;
    } rows[] = {
        {"nobody", "", "", "", "ENGRAM_EMBED_PROVIDER is \"nobody\", wanted: one of "},
        {"anthropic", "", "", "sk-1", "ENGRAM_EMBED_PROVIDER is \"anthropic\", wanted: one of "},
        {"", "http://localhost", "", "", "ENGRAM_EMBED_URL is set, ENGRAM_EMBED_PROVIDER isn't"},
        {"", "", "m", "", "ENGRAM_EMBED_MODEL is set"},
        {"", "", "", "sk-1", "ENGRAM_EMBED_KEY is set"},
        {"openai", "", "", "",
         "ENGRAM_EMBED_KEY isn't set; wanted: a key of openai, or OPENAI_API_KEY"},
        {"llamacpp", "", "", "", "ENGRAM_EMBED_MODEL isn't set"},
        {"ollama", "gpu-box:11434", "", "", "ENGRAM_EMBED_URL isn't the address of a server"},
        {"ollama", "ftp://gpu-box", "", "", "ENGRAM_EMBED_URL isn't"},
        {"ollama", "http://", "", "", "ENGRAM_EMBED_URL isn't"},
        {"ollama", "http:///api", "", "", "ENGRAM_EMBED_URL isn't"},
        {"ollama", "http://me:pw@localhost", "", "", "ENGRAM_EMBED_URL isn't"},
        {"ollama", "http://localhost?x=1", "", "", "ENGRAM_EMBED_URL isn't"},
        {"ollama", "http://local host", "", "", "ENGRAM_EMBED_URL isn't"},
        {"ollama", "http://gpu-box:11434", "", "sk-1", "ENGRAM_EMBED_KEY is set; wanted: https://"},
        {"ollama", "http://localhost.example.com", "", "sk-1", "wanted: https://"},
        {"ollama", "http://127.0.0.1.example.com", "", "sk-1", "wanted: https://"},
        {"ollama", "http://127.example", "", "sk-1", "wanted: https://"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct models m;
        struct err e;
        assert_false(load(rows[i].provider, rows[i].url, rows[i].model, rows[i].key, &m, &e));
        assert_int_equal(e.code, ERR_INPUT);
        if (!strstr(e.text, rows[i].words) || strstr(e.text, "sk-1") || strstr(e.text, "pw"))
            fail_msg("row %zu: %s", i, e.text);
    }
}

static void each_purpose_has_settings_of_its_own(void **state)
{
    (void)state;
    struct config c = {.rerank_texts = MAX_RERANK_TEXTS,
                       .embed_ms = 7,
                       .rerank_ms = 8,
                       .model_ms = 9,
                       .model_retry_ms = 10,
                       .model_jobs = 1,
                       .model_daily_tokens = 9,
                       .sampling_ms = 1,
                       .llm_query_ms = 1,
                       .llm_summarise = true,
                       .rerank_provider = S("voyage"),
                       .rerank_key = S("k1"),
                       .llm_provider = S("anthropic"),
                       .llm_model = S("m2"),
                       .llm_key = S("k2")};
    struct models m;
    struct err e = {0};
    assert_true(model_settings(&arena, &c, &m, &e));
    assert_null(m.of[PROVIDER_EMBED].row);
    assert_string_equal(m.of[PROVIDER_RERANK].row->name, "voyage");
    assert_true(str_eq(m.of[PROVIDER_RERANK].key, S("k1")));
    assert_string_equal(m.of[PROVIDER_LLM].row->name, "anthropic");
    assert_true(str_eq(m.of[PROVIDER_LLM].model, S("m2")));
    assert_true(m.query_ms == 7 && m.rerank_ms == 8 && m.daily_tokens == 9);
    assert_true(m.summarises && !m.extracts && !m.contradicts);
    assert_true(model_settings_any(&m));
    c.llm_key = S("");
    assert_false(model_settings(&arena, &c, &m, &e));
    assert_non_null(strstr(e.text, "ENGRAM_LLM_KEY"));
    config_clear_models(&c);
    e = (struct err){0};
    assert_true(model_settings(&arena, &c, &m, &e));
    assert_false(model_settings_any(&m));
}

static void a_url_has_a_greatest_length(void **state)
{
    (void)state;
    struct models m;
    struct err e;
    str path = arena_printf(&arena, "https://h/%0*d", MAX_HTTP_URL_BYTES + 1 - 10, 0);
    assert_int_equal(path.len, MAX_HTTP_URL_BYTES + 1);
    assert_false(load("openai", path.at, "", "k", &m, &e));
    assert_non_null(strstr(e.text, "ENGRAM_EMBED_URL has 2049 bytes, at most 2048"));
    path = arena_str(&arena, str_cut(path, 0, MAX_HTTP_URL_BYTES));
    assert_true(load("openai", path.at, "", "k", &m, &e));
}

static void numbers_have_bounds(void **state)
{
    (void)state;
#define NUMBER(field, name, least, most)                                                           \
    {                                                                                              \
        offsetof(struct config, field), name, least, most                                          \
    }
    static const struct {
        size_t offset;
        const char *name;
        int64_t least, most;
    } rows[] = {
        NUMBER(embed_ms, "ENGRAM_EMBED_MS", 1, 600000),
        NUMBER(rerank_ms, "ENGRAM_RERANK_MS", 1, 600000),
        NUMBER(rerank_texts, "ENGRAM_RERANK_TEXTS", 2, 100),
        NUMBER(llm_query_ms, "ENGRAM_LLM_QUERY_MS", 1, 600000),
        NUMBER(sampling_ms, "ENGRAM_SAMPLING_MS", 1, 600000),
        NUMBER(model_ms, "ENGRAM_MODEL_MS", 1, 600000),
        NUMBER(model_retry_ms, "ENGRAM_MODEL_RETRY_MS", 1, 600000),
        NUMBER(model_jobs, "ENGRAM_MODEL_JOBS", 1, 16),
    };
#undef NUMBER
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t tried[] = {rows[i].least, rows[i].most, rows[i].least - 1, rows[i].most + 1};
        for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
            struct config c = least();
            struct models m;
            struct err e = {0};
            *(int64_t *)(void *)((char *)&c + rows[i].offset) = tried[k];
            str words = arena_printf(&arena, "%s is %lld, wanted: %lld to %lld", rows[i].name,
                                     (long long)tried[k], (long long)rows[i].least,
                                     (long long)rows[i].most);
            bool ok = model_settings(&arena, &c, &m, &e);
            if (ok != (k < 2) || (!ok && !str_eq(str_of(e.text), words)))
                fail_msg("%.*s: %s", FMT(words), e.text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sound_is_taken),
        cmocka_unit_test(the_clients_own_model_has_neither_an_address_nor_a_key),
        cmocka_unit_test(what_is_wrong_names_its_setting_and_never_the_key),
        cmocka_unit_test(each_purpose_has_settings_of_its_own),
        cmocka_unit_test(a_url_has_a_greatest_length),
        cmocka_unit_test(numbers_have_bounds),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
