/* The rows against exchanges written down from the vendors' documentation: what is asked must be
 * the request of the file, and its answer must give the values of the file. providers/NAME/ holds
 * one exchange a file, providers/bad/ lists of answers that must be refused, and why. */
#include "memory/provider/answer.h"
#include "memory/provider/prefix.h"
#include "memory/provider/provider.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <glob.h>
#include <jansson.h>
#include <math.h>

#include "tests/support/transports.h"

static struct arena arena;

static int drop_arena(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* ---- a case of the data ---- */

struct exchange {
    const char *path;
    json_t *json;
    struct provider_settings settings;
    enum provider_purpose purpose;
    str texts[MAX_RERANK_TEXTS];
    size_t count;
    struct replay replay;
};

static str member(const json_t *object, const char *name)
{
    return answer_string(object, name);
}

/* A value's text: of the member itself, or of NAME_text as it stands. */
static str answer_of(const json_t *json)
{
    const json_t *text = json_object_get(json, "answer_text");
    if (text)
        return member(json, "answer_text");
    char *dumped = json_dumps(json_object_get(json, "answer"), JSON_COMPACT | JSON_ENCODE_ANY);
    str answer = arena_str(&arena, str_of(dumped));
    free(dumped);
    return answer;
}

static void prepare(struct exchange *x, const char *path, str row, json_t *json,
                    struct provider_response *response)
{
    static const char *const purposes[] = {"embed", "rerank", "llm"};
    *x = (struct exchange){.path = path, .json = json};
    x->settings = (struct provider_settings){.row = provider_find(row),
                                             .url = member(json, "url"),
                                             .model = member(json, "model"),
                                             .key = member(json, "key")};
    if (!x->settings.row)
        fail_msg("%s: there is no row %.*s", path, FMT(row));
    while (!str_eq(member(json, "purpose"), str_of(purposes[x->purpose])))
        assert_true(++x->purpose < PROVIDER_PURPOSES);
    size_t i;
    json_t *text;
    json_array_foreach(json_object_get(json, "texts"), i, text)
    {
        x->texts[x->count++] = str_from(json_string_value(text), json_string_length(text));
    }
    const json_t *status = json_object_get(json, "status");
    *response = (struct provider_response){.status = status ? json_integer_value(status) : 200,
                                           .body = answer_of(json)};
    x->replay = (struct replay){.responses = response, .count = 1};
}

struct outcome {
    struct embeddings embeddings;
    struct reranked reranked;
    struct llm_answer llm;
};

static bool run(struct exchange *x, struct outcome *out, struct err *e)
{
    struct transport t = replay_transport(&x->replay);
    str schema = S("");
    char *dumped = json_dumps(json_object_get(x->json, "schema"), JSON_COMPACT);
    if (dumped)
        schema = arena_str(&arena, str_of(dumped));
    free(dumped);
    struct embed_ask embed = {x->texts, x->count,
                              json_is_true(json_object_get(x->json, "is_query"))};
    struct rerank_ask rerank = {member(x->json, "query"), x->texts, x->count};
    struct llm_ask llm = {
        member(x->json, "system"), member(x->json, "user"), member(x->json, "schema_name"), schema,
        (size_t)json_integer_value(json_object_get(x->json, "max_output_tokens"))};
    *out = (struct outcome){0};
    switch (x->purpose) {
    case PROVIDER_EMBED:
        return provider_embed(&arena, &x->settings, &t, &embed, 1000, &out->embeddings, NULL, e);
    case PROVIDER_RERANK:
        return provider_rerank(&arena, &x->settings, &t, &rerank, 1000, &out->reranked, NULL, e);
    default:
        return provider_llm(&arena, &x->settings, &t, &llm, 1000, &out->llm, NULL, e);
    }
}

/* ---- exchanges ---- */

static void check_request(const struct exchange *x)
{
    const json_t *wanted = json_object_get(x->json, "request");
    const struct provider_request *asked = &x->replay.asked;
    if (!str_eq(asked->url, member(wanted, "url")))
        fail_msg("%s: it goes to %.*s", x->path, FMT(asked->url));
    const json_t *headers = json_object_get(wanted, "headers");
    assert_int_equal(asked->header_count, json_array_size(headers));
    for (size_t i = 0; i < asked->header_count; i++)
        if (!str_eq(asked->headers[i], str_of(json_string_value(json_array_get(headers, i)))))
            fail_msg("%s: header %.*s", x->path, FMT(asked->headers[i]));
    json_t *body = json_loadb(asked->body.at, asked->body.len, 0, NULL);
    if (!json_equal(body, json_object_get(wanted, "body")))
        fail_msg("%s: it asks %.*s", x->path, FMT(asked->body));
    json_decref(body);
}

/* Both scaled to unit length: float32 keeps seven digits, of which the sum may take one. */
static void check_vectors(const struct exchange *x, const struct embeddings *got)
{
    const json_t *wanted = json_object_get(x->json, "vectors");
    assert_int_equal(got->count, json_array_size(wanted));
    for (size_t i = 0; i < got->count; i++) {
        const json_t *v = json_array_get(wanted, i);
        assert_int_equal(got->dimensions, json_array_size(v));
        double sum = 0;
        for (size_t j = 0; j < got->dimensions; j++)
            sum += pow(json_number_value(json_array_get(v, j)), 2);
        for (size_t j = 0; j < got->dimensions; j++) {
            double want = json_number_value(json_array_get(v, j)) / sqrt(sum);
            if (!(fabs(got->values[i * got->dimensions + j] - want) < 1e-6))
                fail_msg("%s: vector %zu, dimension %zu", x->path, i, j);
        }
    }
    assert_int_equal(got->tokens, json_integer_value(json_object_get(x->json, "tokens")));
}

static void check_scores(const struct exchange *x, const struct reranked *got)
{
    const json_t *wanted = json_object_get(x->json, "scores");
    assert_int_equal(json_array_size(wanted), x->count);
    for (size_t i = 0; i < x->count; i++)
        if (got->scores[i] != (float)json_number_value(json_array_get(wanted, i)))
            fail_msg("%s: score %zu is %g", x->path, i, (double)got->scores[i]);
    assert_int_equal(got->tokens, json_integer_value(json_object_get(x->json, "tokens")));
}

static void check_object(const struct exchange *x, const struct llm_answer *got)
{
    const json_t *tokens = json_object_get(x->json, "tokens");
    json_t *object = json_loadb(got->json.at, got->json.len, 0, NULL);
    assert_int_equal(got->is_refused, json_is_true(json_object_get(x->json, "refused")));
    if (!got->is_refused && !json_equal(object, json_object_get(x->json, "object")))
        fail_msg("%s: it gives %.*s", x->path, FMT(got->json));
    assert_int_equal(got->tokens_in, json_integer_value(json_array_get(tokens, 0)));
    assert_int_equal(got->tokens_out, json_integer_value(json_array_get(tokens, 1)));
    json_decref(object);
}

static json_t *load(const char *path)
{
    json_error_t why;
    json_t *json = json_load_file(path, 0, &why);
    if (!json)
        fail_msg("%s:%d: %s", path, why.line, why.text);
    return json;
}

static str folder_of(const char *path)
{
    str file = str_file_name(str_of(path));
    str folder = str_cut(str_of(path), 0, (size_t)(file.at - path) - 1);
    return str_file_name(folder);
}

static void every_row_asks_and_reads_as_its_vendor_documents(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob("tests/unit/providers/*/*.json", 0, NULL, &files), 0);
    size_t exchanges = 0;
    bool is_shown[64][PROVIDER_PURPOSES] = {0};
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *path = files.gl_pathv[i];
        if (str_eq(folder_of(path), S("bad")))
            continue;
        struct exchange x;
        struct provider_response response;
        struct outcome out;
        struct err e = {0};
        json_t *json = load(path);
        prepare(&x, path, folder_of(path), json, &response);
        if (!run(&x, &out, &e))
            fail_msg("%s: %s", path, e.text);
        check_request(&x);
        if (x.purpose == PROVIDER_EMBED)
            check_vectors(&x, &out.embeddings);
        else if (x.purpose == PROVIDER_RERANK)
            check_scores(&x, &out.reranked);
        else
            check_object(&x, &out.llm);
        for (size_t r = 0; r < provider_row_count; r++)
            is_shown[r][x.purpose] |= provider_rows[r] == x.settings.row;
        exchanges++;
        json_decref(json);
    }
    globfree(&files);
    assert_true(exchanges >= provider_row_count);
    for (size_t r = 0; r < provider_row_count; r++)
        for (int p = 0; p < PROVIDER_PURPOSES; p++)
            if (provider_serves(provider_rows[r], p) != is_shown[r][p])
                fail_msg("%s, purpose %d: no exchange shows it", provider_rows[r]->name, p);
}

/* The line of docs/models.md that begins with a row's name. */
static str documented(str text, const char *name)
{
    str line, start = arena_printf(&arena, "| `%s` |", name);
    while (str_next_line(&text, &line))
        if (str_starts(line, start))
            return line;
    return S("");
}

static void every_row_is_documented_as_it_is(void **state)
{
    (void)state;
    static char bytes[32768];
    FILE *file = fopen("docs/models.md", "r");
    assert_non_null(file);
    str text = str_from(bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
    assert_in_range(text.len, 1, sizeof bytes - 1);
    for (size_t r = 0; r < provider_row_count; r++) {
        const struct provider_row *row = provider_rows[r];
        str line = documented(text, row->name);
        const char *told[] = {row->url, row->key_variable, row->models[PROVIDER_EMBED],
                              row->models[PROVIDER_RERANK], row->models[PROVIDER_LLM]};
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            if (told[i] && str_find(line, arena_printf(&arena, "`%s`", told[i]), 0) == line.len)
                fail_msg("docs/models.md: %s: %s isn't told", row->name, told[i]);
        assert_true(line.len > 0);
    }
}

static const char *code_name(enum err_code code)
{
    return code == ERR_INPUT      ? "INPUT"
           : code == ERR_NET      ? "NET"
           : code == ERR_LIMIT    ? "LIMIT"
           : code == ERR_CONFLICT ? "CONFLICT"
                                  : "another";
}

static void a_bad_answer_is_refused_and_the_error_says_why(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob("tests/unit/providers/bad/*.json", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        json_t *cases = load(files.gl_pathv[i]), *json;
        size_t at;
        json_array_foreach(cases, at, json)
        {
            struct exchange x;
            struct provider_response response;
            struct outcome out;
            struct err e = {0};
            const char *name = json_string_value(json_object_get(json, "name"));
            prepare(&x, name, member(json, "row"), json, &response);
            if (run(&x, &out, &e))
                fail_msg("%s: taken", name);
            str error = member(json, "error"), text = str_of(e.text);
            if (!error.len)
                fail_msg("%s: the case lacks its error", name);
            if (str_find(text, error, 0) == text.len)
                fail_msg("%s: it says: %s", name, e.text);
            if (!str_eq(member(json, "code"), str_of(code_name(e.code))))
                fail_msg("%s: the code is %s", name, code_name(e.code));
            str head = str_cut(x.settings.key, 0, 12);
            if (head.len && str_find(text, head, 0) < text.len)
                fail_msg("%s: the key is told", name);
        }
        json_decref(cases);
    }
    globfree(&files);
}

/* ---- bounds and settings ---- */

static struct err embed_fails(struct provider_settings s, const str *texts, size_t count)
{
    struct transport t = refusing_transport();
    struct embed_ask ask = {texts, count, false};
    struct embeddings out;
    struct err e = {0};
    assert_false(provider_embed(&arena, &s, &t, &ask, 1000, &out, NULL, &e));
    return e;
}

static void what_is_set_wrong_is_told_before_anything_is_sent(void **state)
{
    (void)state;
    str texts[MAX_EMBED_REQUEST_TEXTS + 1];
    for (size_t i = 0; i < MAX_EMBED_REQUEST_TEXTS + 1; i++)
        texts[i] = S("t");
    static const struct {
        const char *row, *url, *key;
        size_t count;
        enum err_code code;
        const char *text;
    } cases[] = {
        {"openai", "", "k", 0, ERR_LIMIT, "openai takes 1 to 32 texts a request, not 0"},
        {"openai", "", "k", 33, ERR_LIMIT, "openai takes 1 to 32 texts a request, not 33"},
        {"tei", "", "", 33, ERR_LIMIT, "tei takes 1 to 32 texts a request, not 33"},
        {"anthropic", "", "k", 1, ERR_INPUT, "anthropic has no embeddings"},
        {"vllm", "", "", 1, ERR_INPUT, "no model is set, and vllm has none by default"},
        {"openai", "", "a\r\nX-Evil: b", 1, ERR_INPUT, "the key of openai holds"},
        {"openai", "", "schl\xc3\xbcssel", 1, ERR_INPUT, "the key of openai holds"},
        {"openai", "http://example.org", "k", 1, ERR_CONFLICT,
         "openai at http://example.org: a key goes over https only"},
        {"openai", "http://127.0.0.1.example.org", "k", 1, ERR_CONFLICT, "a key goes over https"},
        {"openai", "http://localhost.example.org", "k", 1, ERR_CONFLICT, "a key goes over https"},
        {"openai", "HTTP://example.org", "k", 1, ERR_CONFLICT, "a key goes over https"},
        {"openai", "https://ann:secret@example.org", "k", 1, ERR_INPUT,
         "the URL of openai holds a name or a password"},
        {"openai", "http://127.0.0.1:80@example.org", "k", 1, ERR_INPUT,
         "the URL of openai holds a name or a password"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = embed_fails((struct provider_settings){provider_find(str_of(cases[i].row)),
                                                              str_of(cases[i].url), S(""),
                                                              str_of(cases[i].key)},
                                   texts, cases[i].count);
        if (e.code != cases[i].code || !strstr(e.text, cases[i].text))
            fail_msg("%s %s: %s", cases[i].row, cases[i].url, e.text);
    }
}

static struct provider_request asked_of(const char *url, str key, str text)
{
    struct provider_settings s = {provider_find(S("openai")), str_of(url), S(""), key};
    struct provider_response one_vector = {
        .status = 200, .body = S("{\"data\":[{\"embedding\":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}]}")};
    struct replay replay = {.responses = &one_vector, .count = 1};
    struct transport t = replay_transport(&replay);
    struct embed_ask ask = {&text, 1, false};
    struct embeddings out;
    struct err e = {0};
    if (!provider_embed(&arena, &s, &t, &ask, 1000, &out, NULL, &e))
        fail_msg("%s: %s", url, e.text);
    return replay.asked;
}

static void a_url_may_hold_a_part_of_the_path_already(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "https://api.openai.com/v1/embeddings"},
        {"https://h", "https://h/v1/embeddings"},
        {"https://h/", "https://h/v1/embeddings"},
        {"https://h/v1", "https://h/v1/embeddings"},
        {"https://h/v1//", "https://h/v1/embeddings"},
        {"https://h/v1/embeddings", "https://h/v1/embeddings"},
        {"https://h/openai/v1", "https://h/openai/v1/embeddings"},
        {"https://h/av1", "https://h/av1/v1/embeddings"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str url = asked_of(cases[i][0], S(""), S("t")).url;
        if (!str_eq(url, str_of(cases[i][1])))
            fail_msg("%s: %.*s", cases[i][0], FMT(url));
    }
}

static void a_key_goes_to_this_machine_without_https(void **state)
{
    (void)state;
    static const char *const urls[] = {"http://127.0.0.1:8080", "http://localhost:1",
                                       "http://LocalHost:1", "http://[::1]", "http://127.9.9.9/v1"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        assert_int_equal(asked_of(urls[i], S("key"), S("t")).header_count, 2);
}

static void a_text_is_cut_at_a_character_and_repaired(void **state)
{
    (void)state;
    char *long_text = arena_bytes(&arena, MAX_EMBED_TEXT_BYTES + 1);
    memset(long_text, 'a', MAX_EMBED_TEXT_BYTES + 1);
    memcpy(long_text + MAX_EMBED_TEXT_BYTES - 1, "\xc3\xbc", 2);
    str body = asked_of("", S(""), str_from(long_text, MAX_EMBED_TEXT_BYTES + 1)).body;
    assert_true(str_find(body, S("\xc3"), 0) == body.len);
    json_t *json = json_loadb(body.at, body.len, 0, NULL);
    json_t *text = json_array_get(json_object_get(json, "input"), 0);
    assert_int_equal(json_string_length(text), MAX_EMBED_TEXT_BYTES - 1);
    json_decref(json);
    body = asked_of("", S(""), S("a\xff\"b")).body;
    assert_true(str_find(body, S("\"a\xef\xbf\xbd\\\"b\""), 0) < body.len);
}

static void how_long_to_wait_is_handed_on(void **state)
{
    (void)state;
    struct provider_settings s = {provider_find(S("openai")), S(""), S(""), S("k")};
    struct provider_response busy = {.status = 429, .body = S(""), .retry_after_ms = 2500};
    struct replay replay = {.responses = &busy, .count = 1};
    struct transport t = replay_transport(&replay);
    str text = S("t");
    struct embed_ask ask = {&text, 1, false};
    struct embeddings out;
    struct err e = {0};
    int64_t wait_ms = 0;
    assert_false(provider_embed(&arena, &s, &t, &ask, 1000, &out, &wait_ms, &e));
    assert_int_equal(wait_ms, 2500);
}

static void what_the_transport_says_keeps_its_code_and_gets_the_place(void **state)
{
    (void)state;
    struct provider_settings s = {provider_find(S("openai")), S(""), S(""), S("k")};
    static const enum err_code codes[] = {ERR_NET, ERR_LIMIT, ERR_CONFLICT, ERR_CANCELLED};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct replay replay = {.failure = codes[i]};
        struct transport t = replay_transport(&replay);
        str text = S("t");
        struct embed_ask ask = {&text, 1, false};
        struct embeddings out;
        struct err e = {0};
        assert_false(provider_embed(&arena, &s, &t, &ask, 1000, &out, NULL, &e));
        assert_int_equal(e.code, codes[i]);
        assert_string_equal(e.text, "openai at https://api.openai.com: the replay fails");
    }
}

static void an_answer_at_the_bound_is_read_and_one_byte_more_is_not(void **state)
{
    (void)state;
    char *bytes = arena_bytes(&arena, MAX_ANSWER_BYTES + 1);
    memset(bytes, ' ', MAX_ANSWER_BYTES + 1);
    memcpy(bytes, "[1]", 3);
    json_t *json;
    struct err e = {0};
    assert_true(answer_parse(str_from(bytes, MAX_ANSWER_BYTES), &json, &e));
    json_decref(json);
    assert_false(answer_parse(str_from(bytes, MAX_ANSWER_BYTES + 1), &json, &e));
    assert_int_equal(e.code, ERR_LIMIT);
}

/* The longest way in which a double is written, so many that one request may ask for them. */
static void the_largest_honest_answer_is_within_the_bound(void **state)
{
    (void)state;
    static const char number[] = "-1.2345678901234567e-200";
    assert_true((size_t)MAX_EMBED_REQUEST_TEXTS * MAX_MODEL_DIMENSIONS * sizeof number <
                MAX_ANSWER_BYTES);
}

/* Repeats `unit` between two brackets. */
static str array_of(const char *unit, size_t count)
{
    size_t len = strlen(unit);
    char *bytes = arena_bytes(&arena, 2 + count * len);
    bytes[0] = '[';
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + 1 + i * len, unit, len);
    bytes[count * len] = ']'; /* in the place of the last comma */
    return str_from(bytes, 1 + count * len);
}

static void an_answer_of_many_small_things_is_refused_before_it_is_built(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        size_t count;
        bool is_taken;
    } cases[] = {
        {"{},", MAX_ANSWER_CONTAINERS - 1, true}, {"{},", MAX_ANSWER_CONTAINERS, false},
        {"1,", MAX_ANSWER_VALUES, true},          {"1,", MAX_ANSWER_VALUES + 2, false},
        {"\"[[[{,,,:\",", 30000, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json;
        struct err e = {0};
        bool ok = answer_parse(array_of(cases[i].unit, cases[i].count), &json, &e);
        if (ok != cases[i].is_taken)
            fail_msg("%zu x %s: %s", cases[i].count, cases[i].unit, e.text);
        json_decref(json);
    }
}

static void the_object_is_found_whatever_stands_around_it(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{\"a\":1}", "{\"a\":1}"},
        {"```json\n{\"a\": \"}{\"}\n```", "{\"a\": \"}{\"}"},
        {"Use {braces}: {\"a\":{\"b\":2}} {\"c\":3}", "{\"a\":{\"b\":2}}"},
        {"<think>{\"a\":0}</think>{\"a\":1}", "{\"a\":1}"},
        {"<think>{\"a\":0} never closed", "{\"a\":0}"},
        {"{\"a\":\"\\\"}\"}", "{\"a\":\"\\\"}\"}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct llm_answer out = {0};
        struct err e = {0};
        if (!answer_object(&arena, str_of(cases[i][0]), &out, &e) ||
            !str_eq(out.json, str_of(cases[i][1])))
            fail_msg("%s: %.*s %s", cases[i][0], FMT(out.json), e.text);
    }
}

static void a_model_at_home_gets_the_words_it_was_trained_with(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"nomic-embed-text:latest", "search_query: ", "search_document: "},
        {"text-embedding-nomic-embed-text-v1.5", "search_query: ", "search_document: "},
        {"intfloat/multilingual-e5-base", "query: ", "passage: "},
        {"BAAI/bge-m3", "", ""},
        {"BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""},
        {"all-minilm", "", ""},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int is_query = 0; is_query < 2; is_query++)
            if (!str_eq(embed_prefix(str_of(cases[i][0]), is_query),
                        str_of(cases[i][is_query ? 1 : 2])))
                fail_msg("%s, %d", cases[i][0], is_query);
}

/* Any byte of a good answer changed: never a crash, never a vector that isn't of unit length. */
static void a_damaged_answer_is_refused_or_still_good(void **state)
{
    (void)state;
    static const char good[] = "{\"data\":[{\"index\":1,\"embedding\":[1,2,3,4,5,6,7,8,9,10,11,12,"
                               "13,14,15,16]},{\"index\":0,\"embedding\":[-1,2.5,3,4e1,5,6,7,8,9,"
                               "10,11,12,13,14,15,16]}],\"usage\":{\"total_tokens\":3}}";
    static const char bytes[] = "\0\"{}[],:-.e09a\\\xff";
    str texts[2] = {S("a"), S("b")};
    struct embed_ask ask = {texts, 2, false};
    const struct provider_row *row = provider_find(S("openai"));
    for (size_t at = 0; at < sizeof good - 1; at++)
        for (size_t b = 0; b < sizeof bytes - 1; b++) {
            struct arena mark = arena;
            struct embeddings out = {0};
            struct err e = {0};
            str body = arena_str(&arena, str_of(good));
            ((char *)(uintptr_t)body.at)[at] = bytes[b];
            if (row->read_embeddings(&arena, &ask, body, &out, &e))
                for (size_t i = 0; i < out.count; i++) {
                    double sum = 0;
                    for (size_t j = 0; j < out.dimensions; j++)
                        sum += pow(out.values[i * out.dimensions + j], 2);
                    assert_true(fabs(sum - 1) < 1e-5);
                }
            else
                assert_true(e.code != ERR_NONE);
            arena_rewind(&arena, mark);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_asks_and_reads_as_its_vendor_documents),
        cmocka_unit_test(every_row_is_documented_as_it_is),
        cmocka_unit_test(a_bad_answer_is_refused_and_the_error_says_why),
        cmocka_unit_test(what_is_set_wrong_is_told_before_anything_is_sent),
        cmocka_unit_test(a_url_may_hold_a_part_of_the_path_already),
        cmocka_unit_test(a_key_goes_to_this_machine_without_https),
        cmocka_unit_test(a_text_is_cut_at_a_character_and_repaired),
        cmocka_unit_test(how_long_to_wait_is_handed_on),
        cmocka_unit_test(what_the_transport_says_keeps_its_code_and_gets_the_place),
        cmocka_unit_test(an_answer_at_the_bound_is_read_and_one_byte_more_is_not),
        cmocka_unit_test(the_largest_honest_answer_is_within_the_bound),
        cmocka_unit_test(an_answer_of_many_small_things_is_refused_before_it_is_built),
        cmocka_unit_test(the_object_is_found_whatever_stands_around_it),
        cmocka_unit_test(a_model_at_home_gets_the_words_it_was_trained_with),
        cmocka_unit_test(a_damaged_answer_is_refused_or_still_good),
    };
    return cmocka_run_group_tests(tests, NULL, drop_arena);
}
