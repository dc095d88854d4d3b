/* What a text names, and what stays behind where the store can't say. */
#include "memory/named.h"

#include "memory/store_sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/memory_world.h"

static int set_up(void **state)
{
    (void)state;
    make_directory();
    open_memory_with((struct memory_options){0});
    return 0;
}

static void write_one(const char *sql)
{
    struct err e = {0};
    if (!store_begin(m->store, &e) || !store_end(m->store, store_run(m->store, &e, sql, ""), &e))
        fail_msg("%s: %s", sql, e.text);
}

static bool look_up(str text, size_t *count, struct err *e)
{
    struct named *names;
    return names_in_text(m, &arena, text, NULL, &names, count, NULL, e);
}

static void a_lookup_that_fails_leaves_the_store_free_for_the_next_write(void **state)
{
    (void)state;
    static const str text = {"the parcel is on its way", 24};
    struct err e = {0};
    size_t count;
    write_one("ALTER TABLE alias RENAME TO away");
    assert_false(look_up(text, &count, &e));
    assert_int_equal(e.code, ERR_DB);
    write_one("ALTER TABLE away RENAME TO alias");
    e = (struct err){0};
    if (!look_up(text, &count, &e))
        fail_msg("%s", e.text);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(a_lookup_that_fails_leaves_the_store_free_for_the_next_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
