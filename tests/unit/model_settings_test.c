/* Settings of models: what is taken, and what is refused with the setting's name. */
#include "server/model_settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

/* embed is set as told, nothing else. */
static bool load(const char *provider, const char *url, const char *model, const char *key,
                 struct models *out, struct err *e)
{
    struct config c = {.embed_provider = str_of(provider),
                       .embed_url = str_of(url),
                       .embed_model = str_of(model),
                       .embed_key = str_of(key),
                       .embed_ms = 1,
                       .rerank_ms = 1,
                       .model_ms = 1,
                       .model_retry_ms = 1,
                       .model_jobs = 1,
                       .rerank_texts = MIN_RERANK_TEXTS,
                       .sampling_ms = 1,
                       .llm_query_ms = 1};
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
    struct config c = {.llm_provider = S("sampling"),
                       .llm_url = str_of(url),
                       .llm_model = str_of(model),
                       .llm_key = str_of(key),
                       .embed_ms = 1,
                       .rerank_ms = 1,
                       .model_ms = 1,
                       .model_retry_ms = 1,
                       .model_jobs = 1,
                       .rerank_texts = MIN_RERANK_TEXTS,
                       .sampling_ms = 1,
                       .llm_query_ms = 1,
                       .sampling_daily = 5};
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
    c.rerank_texts++;
    assert_false(model_settings(&arena, &c, &m, &e));
    assert_non_null(strstr(e.text, "ENGRAM_RERANK_TEXTS is 101, wanted: 2 to 100"));
}

static void numbers_have_bounds(void **state)
{
    (void)state;
    static const struct {
        int64_t embed_ms, rerank_ms, model_ms, retry_ms, jobs;
        const char *words;
    } rows[] = {
        {1, 1, 1, 1, 1, NULL},
        {600000, 600000, 600000, MAX_MODEL_RETRY_MS, MAX_MODEL_JOBS, NULL},
        {0, 1, 1, 1, 1, "ENGRAM_EMBED_MS is 0, wanted: 1 to 600000"},
        {-1, 1, 1, 1, 1, "ENGRAM_EMBED_MS is -1, wanted: 1 to 600000"},
        {600001, 1, 1, 1, 1, "ENGRAM_EMBED_MS is 600001, wanted: 1 to 600000"},
        {1, 0, 1, 1, 1, "ENGRAM_RERANK_MS is 0, wanted: 1 to 600000"},
        {1, INT64_MAX, 1, 1, 1, "ENGRAM_RERANK_MS is 9223372036854775807, wanted: 1 to 600000"},
        {1, 1, 0, 1, 1, "ENGRAM_MODEL_MS is 0, wanted: 1 to 600000"},
        {1, 1, 600001, 1, 1, "ENGRAM_MODEL_MS is 600001, wanted: 1 to 600000"},
        {1, 1, 1, 0, 1, "ENGRAM_MODEL_RETRY_MS is 0, wanted: 1 to 600000"},
        {1, 1, 1, 600001, 1, "ENGRAM_MODEL_RETRY_MS is 600001, wanted: 1 to 600000"},
        {1, 1, 1, 1, 0, "ENGRAM_MODEL_JOBS is 0, wanted: 1 to 16"},
        {1, 1, 1, 1, 17, "ENGRAM_MODEL_JOBS is 17, wanted: 1 to 16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config c = {.embed_ms = rows[i].embed_ms,
                           .rerank_ms = rows[i].rerank_ms,
                           .model_ms = rows[i].model_ms,
                           .model_retry_ms = rows[i].retry_ms,
                           .model_jobs = rows[i].jobs,
                           .rerank_texts = MIN_RERANK_TEXTS,
                           .sampling_ms = 1,
                           .llm_query_ms = 1};
        struct models m;
        struct err e = {0};
        bool ok = model_settings(&arena, &c, &m, &e);
        if (ok != !rows[i].words || (!ok && !strstr(e.text, rows[i].words)))
            fail_msg("row %zu: %s", i, e.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sound_is_taken),
        cmocka_unit_test(the_clients_own_model_has_neither_an_address_nor_a_key),
        cmocka_unit_test(what_is_wrong_names_its_setting_and_never_the_key),
        cmocka_unit_test(each_purpose_has_settings_of_its_own),
        cmocka_unit_test(numbers_have_bounds),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
