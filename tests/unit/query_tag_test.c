#include "memory/query_tag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* `said`: the words that say it; NULL: no tag is named. */
static const struct {
    const char *query, *said, *name, *project;
    bool before;
} queries[] = {
    {"What did we decide before v2.1?", "before v2.1", "v2.1", "", true},
    {"what changed since the 1.4 release", "since the 1.4 release", "1.4", "", false},
    {"decisions after release 1.4.2, please", "after release 1.4.2", "1.4.2", "", false},
    {"How did login work until version 3?", "until version 3", "3", "", true},
    {"bugs since redis 7.0", "since redis 7.0", "7.0", "redis", false},
    {"notes made since the tag nightly", "since the tag nightly", "nightly", "", false},
    {"notes from before tokio-util-0.7.0", "before tokio-util-0.7.0", "tokio-util-0.7.0", "", true},
    {"since 2.0-rc1", "since 2.0-rc1", "2.0-rc1", "", false},
    {"What did we say before the release?", NULL, "", "", false},
    {"since 3 days", NULL, "", "", false},
    {"after lunch", NULL, "", "", false},
    {"what is v2.1?", NULL, "", "", false},
    {"before", NULL, "", "", false},
    {"since the release", NULL, "", "", false},
    {"", NULL, "", "", false},
};

static void the_words_that_name_a_tag_are_told_from_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        struct query_tag q;
        str query = str_of(queries[i].query);
        bool found = query_tag_parse(query, &q);
        print_message("%s\n", queries[i].query);
        assert_int_equal(found, queries[i].said != NULL);
        if (!found)
            continue;
        assert_true(str_eq(str_cut(query, q.from, q.to), str_of(queries[i].said)));
        assert_true(str_eq(q.name, str_of(queries[i].name)));
        assert_true(str_eq(q.project, str_of(queries[i].project)));
        assert_int_equal(q.before, queries[i].before);
    }
}

#define TAG(text, s)                                                                               \
    {                                                                                              \
        .name = {text, sizeof text - 1}, .commit_s = s                                             \
    }
static const struct commit_tag tags[] = {
    TAG("1.4.1", 30),       TAG("1.4.2", 20),       TAG("nightly", 90),
    TAG("release-2.0", 40), TAG("v1.5", 35),        TAG("v2.0-rc.1", 38),
    TAG("V2.1.0", 50),      TAG("tokio-1.5.0", 34), TAG("tokio-util-0.7.0", 33),
    TAG("v10.0.0", 70),     TAG("2024-05-01", 80),  TAG("7.0", 60),
};

static void a_tag_is_found_by_its_name_its_version_or_its_series(void **state)
{
    (void)state;
    static const struct {
        const char *query, *tag;
    } cases[] = {
        {"before v2.1", "V2.1.0"},
        {"before 2.1.0.0", "V2.1.0"},
        {"since the 1.4 release", "1.4.2"}, /* the first of 1.4, by time */
        {"since version 1.4.1", "1.4.1"},
        {"since 1.5", "v1.5"},
        {"since tokio 1.5", "tokio-1.5.0"},
        {"since tokio-1.5", "tokio-1.5.0"},
        {"since tokio-util 0.7", "tokio-util-0.7.0"},
        {"since redis 7.0", "7.0"},
        {"before the 2.0 release", "release-2.0"},
        {"before 2.0-rc.1", "v2.0-rc.1"},
        {"before the tag nightly", "nightly"},
        {"before v10", "v10.0.0"},
        {"before v1", "1.4.2"},
        {"before v3", NULL},
        {"before 2.1-beta", NULL},
        {"since the tag weekly", NULL},
        {"since 99999999999999999999.1", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct query_tag q;
        print_message("%s\n", cases[i].query);
        assert_true(query_tag_parse(str_of(cases[i].query), &q));
        const struct commit_tag *t = query_tag_find(&q, tags, sizeof tags / sizeof *tags);
        assert_int_equal(t != NULL, cases[i].tag != NULL);
        if (t)
            assert_true(str_eq(t->name, str_of(cases[i].tag)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_words_that_name_a_tag_are_told_from_others),
        cmocka_unit_test(a_tag_is_found_by_its_name_its_version_or_its_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
