/* A person's profile, line by line. */
#include "tools/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A profile, and "kind text @topic" of each of its lines. */
static const struct {
    const char *text, *wanted;
} cases[] = {
    {"", ""},
    {"# About me\n\n- backend developer\n",
     "identity About me: backend developer @profile backend developer\n"},
    {"Name: Ada\r\nStack: Go, C\n",
     "identity Name: Ada @profile Name\npreference Stack: Go, C @profile Stack\n"},
    {"## Style\n* short  answers\n+ no emojis\n",
     "preference Style: short answers @profile short answers\n"
     "preference Style: no emojis @profile no emojis\n"},
    {"# Meetings\n- none on Mondays\n",
     "preference Meetings: none on Mondays @profile none on Mondays\n"},
    {"# About me\nEditor: vim\n", "preference Editor: vim @profile Editor\n"},
    {"I like tests: they tell me what broke, and when: always\n",
     "preference I like tests: they tell me what broke, and when: always @profile I like tests\n"},
    {"what I want of you is this: be brief\n", "preference what I want of you is this: be brief "
                                               "@profile what I want of you is this: be brief\n"},
};

static void lines_become_identities_and_preferences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a = {0};
        struct err e = {0};
        struct profile_line lines[MAX_PROFILE_LINES];
        size_t count;
        char got[1024] = "";
        assert_true(profile_read(&a, str_of(cases[i].text), lines, &count, &e));
        for (size_t k = 0; k < count; k++)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s %.*s @%.*s\n",
                     lines[k].identity ? "identity" : "preference", FMT(lines[k].text),
                     FMT(lines[k].topic));
        if (strcmp(got, cases[i].wanted) != 0)
            fail_msg("%s: %s, not %s", cases[i].text, got, cases[i].wanted);
        arena_free(&a);
    }
}

static void what_is_too_much_is_refused(void **state)
{
    (void)state;
    struct arena a = {0};
    struct profile_line lines[MAX_PROFILE_LINES];
    size_t count;
    char *many = arena_bytes(&a, 2 * (MAX_PROFILE_LINES + 1)),
         *wide = arena_bytes(&a, MAX_PROFILE_BYTES + 1);
    for (int i = 0; i <= MAX_PROFILE_LINES; i++)
        memcpy(many + 2 * i, "x\n", 2);
    memset(wide, 'x', MAX_PROFILE_BYTES + 1);
    const struct {
        str text;
        bool fits;
    } sizes[] = {
        {str_from(many, 2 * MAX_PROFILE_LINES), true},
        {str_from(many, 2 * (MAX_PROFILE_LINES + 1)), false},
        {str_from(wide, MAX_PROFILE_LINE_BYTES), true},
        {str_from(wide, MAX_PROFILE_LINE_BYTES + 1), false},
        {str_from(wide, MAX_PROFILE_BYTES + 1), false},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct err e = {0};
        assert_int_equal(profile_read(&a, sizes[i].text, lines, &count, &e), sizes[i].fits);
        assert_int_equal(e.code, sizes[i].fits ? ERR_NONE : ERR_LIMIT);
    }
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_become_identities_and_preferences),
                                       cmocka_unit_test(what_is_too_much_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
