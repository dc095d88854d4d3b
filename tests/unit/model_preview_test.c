/* A dry run of the queue shows what is sent, and sends nothing. */
#include "memory/model_job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/queue_world.h"

#define SECRET "ghp_0123456789abcdefghijklmnopqrstuvwxyz"

static void a_preview_shows_what_would_be_sent_without_secrets(void **state)
{
    (void)state;
    struct err e = {0};
    struct model_preview *shown;
    size_t count;
    models.of[PROVIDER_EMBED].row = &fake_row;
    put_text("The first note, long enough to be asked about, holds " SECRET ".");
    if (!model_queue_preview(m, &arena, now_ms, &shown, &count, &e))
        fail_msg("%s", e.text);
    assert_int_equal(count, 2); /* to embed, and to extract from */
    assert_int_equal(fake.sent, 0);
    assert_true(str_eq(shown[0].purpose, S("embed")) && str_eq(shown[1].purpose, S("extract")));
    for (size_t i = 0; i < count; i++) {
        str body = shown[i].body;
        assert_true(str_find(body, S("first note"), 0) < body.len);
        assert_int_equal(str_find(body, S(SECRET), 0), body.len);
        assert_true(str_find(body, S("REDACTED"), 0) < body.len);
        assert_int_equal(shown[i].id_count, 1);
        assert_true(str_starts(shown[i].ids[0], S("m")));
    }
}

/* The requests are those of the jobs, in the same order, whatever the batches. */
static void a_preview_is_what_is_sent_byte_for_byte(void **state)
{
    (void)state;
    struct err e = {0};
    struct model_preview *shown;
    size_t count;
    models.of[PROVIDER_EMBED].row = &fake_row;
    for (int i = 0; i < MAX_EMBED_REQUEST_TEXTS + 5; i++)
        put_text(arena_printf(&arena, "Note number %d of many, and long enough.", i).at);
    if (!model_queue_preview(m, &arena, now_ms, &shown, &count, &e))
        fail_msg("%s", e.text);
    assert_int_equal(count, 2 + MAX_JOB_QUESTIONS);
    assert_int_equal(shown[0].id_count, MAX_EMBED_REQUEST_TEXTS);
    assert_int_equal(shown[1].id_count, 5);
    says(NOTHING);
    size_t at = 0;
    for (int jobs = 0; jobs < 2; jobs++) {
        struct model_job *j = next_job();
        struct model_request *requests;
        size_t made;
        assert_true(model_job_requests(j, &requests, &made, &e));
        for (size_t i = 0; i < made; i++)
            assert_true(str_eq(requests[i].request.body, shown[at++].body));
        model_job_ask(j, &fake_transport);
        assert_true(str_eq(str_of(fake.texts), shown[at - 1].body)); /* the last one sent */
        finish_job(j);
    }
    assert_int_equal(at, count);
}

static void a_preview_leaves_out_what_is_not_asked(void **state)
{
    (void)state;
    struct err e = {0};
    struct model_preview *shown;
    size_t count;
    says(NOTHING);
    put_text("The same words twice, and long enough.");
    run_queue();
    put_text("The same words twice, and long enough. "); /* a repeat: nothing new */
    assert_true(model_queue_preview(m, &arena, now_ms, &shown, &count, &e));
    assert_int_equal(count, 0);
    models.of[PROVIDER_LLM] = (struct provider_settings){
        .row = provider_find(S("openai")), .model = S("gpt"), .key = S("sk-0123456789abcdef")};
    put_text("Another note, and long enough.");
    assert_true(model_queue_preview(m, &arena, now_ms, &shown, &count, &e));
    assert_int_equal(count, 1);
    assert_true(str_eq(shown[0].url, S("https://api.openai.com/v1/chat/completions")));
    assert_true(str_eq(shown[0].headers[1], S("Authorization: ...")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(a_preview_shows_what_would_be_sent_without_secrets),
        PROMISE(a_preview_is_what_is_sent_byte_for_byte),
        PROMISE(a_preview_leaves_out_what_is_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
