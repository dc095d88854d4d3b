/* Places that questions name. */
#include "memory/query_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Question -> places, a blank between two. */
static const char *const cases[][2] = {
    {"why is src/a.c:120 so?", "src/a.c@120"},
    {"src/a.c:120", "src/a.c@120"},
    {"(see `src/a.c:120`), please", "src/a.c@120"},
    {"error at ./src/a.c:120:7: no such name", "src/a.c@120"},
    {"/home/me/shop/src/a.c:3", "/home/me/shop/src/a.c@3"},
    {"lib/x.rb#L20 and lib/y.rb:4.", "lib/x.rb@20 lib/y.rb@4"},
    {"[a.c:1](x)", ""},
    {"<a.c:1>, \"b.c:2\"", "a.c@1 b.c@2"},
    {"localhost:8080", "localhost@8080"},
    {"at 12:30", "12@30"},
    {"a.c:4294967295", "a.c@4294967295"},
    {"a.c:4294967296 a.c:99999999999999999999999", ""},
    {"a.c:0 a.c: :12 a.c:-3 a.c#20 a.c#L ./:5", ""},
    {"a:b.c:7", "a:b.c@7"},
    {"std::vector Cart::add:12", "Cart::add@12"},
    {"", ""},
    {"a:1 b:2 c:3 d:4 e:5 f:6 g:7 h:8 i:9", "a@1 b@2 c@3 d@4 e@5 f@6 g@7 h@8"},
};

static void places_are_found_where_they_stand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct query_place places[MAX_QUERY_PLACES];
        char text[256] = "";
        size_t count = query_places(str_of(cases[i][0]), places);
        for (size_t k = 0; k < count; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s@%u", k ? " " : "",
                     FMT(places[k].path), places[k].line);
        if (strcmp(text, cases[i][1]) != 0)
            fail_msg("%s: %s, not %s", cases[i][0], text, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_are_found_where_they_stand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
