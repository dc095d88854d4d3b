#include "memory/triage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void check(const char *const *texts, size_t n, bool is_chatter)
{
    for (size_t i = 0; i < n; i++)
        if (triage_is_chatter(str_of(texts[i])) != is_chatter)
            fail_msg("\"%s\" is %schatter", texts[i], is_chatter ? "no " : "");
}

#define CHECK(texts, is_chatter) check(texts, sizeof(texts) / sizeof *(texts), is_chatter)

static void politeness_and_announcements_are_chatter(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "  \n ",
        "Thanks!",
        "Thanks, Ann.",
        "OK, great, thanks!",
        "Perfect. Thank you so much!",
        "LGTM",
        "You're right.",
        "You’re right.",
        "Let me take a look at src/cart.c.",
        "Now let me run the tests again.",
        "I'll now update the three call sites.",
        "Got it. Let me check the logs first.",
        "Would you like me to go on with the second file?",
        "Let me know if you need anything else!",
        "Hi there! How are you?",
        "\xf0\x9f\x91\x8d", /* thumbs up */
        "yes please",
        "You too, see you later!",
        "That was great, thank you all!",
        "Same to you. Bye for now!",
    };
    CHECK(texts, true);
}

static void what_says_something_is_kept(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Thanks, the port is 8443.",
        "Not that one.",
        "It is always the same.",
        "You need Docker.",
        "Okay, we use Redis then.",
        "Great, so the release is on Friday.",
        "Let me use port 8443 instead.",
        "Let me keep the lock because two writers may come.",
        "I'm going to never touch the vendored code.",
        "Yes, but staging runs Postgres 14.",
        "No. The retry limit is 3.",
        "Running as root is forbidden on the build hosts.",
        "Reading goes to the replica.",
        "Checkout retries three times.",
        "Спасибо, порт 8443.",
        "好的，端口是8443。",
        "fix the flaky test in cart_test.c",
        "Shall I? The old key is still in Vault.",
    };
    CHECK(texts, false);
}

static void a_long_sentence_is_never_idle(void **state)
{
    (void)state;
    char text[1200] = "Let me";
    for (size_t i = 0; i < 200; i++)
        strcat(text, " look");
    assert_false(triage_is_chatter(str_of(text)));
    assert_true(triage_is_chatter(S("Let me look look look look look look look look look look")));
}

static void what_is_about_the_talk_is_told_by_its_opening(void **state)
{
    (void)state;
    static const char *const talk[] = {"I think Redis is faster.", "Could you look at the tests?",
                                       "I\xe2\x80\x99ll use the second one.", "Let me see."};
    static const char *const others[] = {"No, we use Redis.", "Metadata lies in Redis.",
                                         "Illness is no reason.", "\xc3\xa9t\xc3\xa9", ""};
    for (size_t i = 0; i < sizeof talk / sizeof *talk; i++)
        assert_true(triage_is_talk(str_of(talk[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(triage_is_talk(str_of(others[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(politeness_and_announcements_are_chatter),
        cmocka_unit_test(what_says_something_is_kept),
        cmocka_unit_test(what_is_about_the_talk_is_told_by_its_opening),
        cmocka_unit_test(a_long_sentence_is_never_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
