/* Who asks models: in order of arrival, on threads of their own, and what comes too late is given
 * back without being asked. */
#include "server/askers.h"

#include "memory/base/arena.h"
#include "server/config.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LATER_MS = 60000 };

struct one {
    struct asking asking;
    bool waits; /* until `go` */
    atomic_bool is_unwanted, was_asked, was_given_back;
};

static struct askers *askers;
static sem_t began, go, ended;

static void ask(struct asking *a, const struct transport *t)
{
    struct one *o = (struct one *)a;
    if (t && o->waits) {
        sem_post(&began);
        sem_wait(&go);
    }
    atomic_store(t ? &o->was_asked : &o->was_given_back, true);
    sem_post(&ended);
}

static bool is_unwanted(const struct asking *a)
{
    return atomic_load(&((const struct one *)a)->is_unwanted);
}

static void add(struct one *o, int64_t until_ms)
{
    o->asking = (struct asking){.ask = ask, .unwanted = is_unwanted, .until_ms = until_ms};
    askers_add(askers, &o->asking);
}

static int set_up(void **state)
{
    (void)state;
    sem_init(&began, 0, 0);
    sem_init(&go, 0, 0);
    sem_init(&ended, 0, 0);
    askers = askers_open(S(""), 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    askers_close(askers);
    return 0;
}

static void each_is_asked_once_and_they_need_no_more_threads_than_there_may_be(void **state)
{
    (void)state;
    struct one all[20] = {0};
    for (size_t i = 0; i < 20; i++)
        add(&all[i], monotonic_ms() + LATER_MS);
    for (size_t i = 0; i < 20; i++)
        sem_wait(&ended);
    for (size_t i = 0; i < 20; i++)
        assert_true(atomic_load(&all[i].was_asked) && !atomic_load(&all[i].was_given_back));
}

static void what_waits_too_long_behind_another_is_given_back(void **state)
{
    (void)state;
    struct one first = {.waits = true}, late = {0}, unwanted = {0}, next = {0}, patient = {0};
    int64_t now_ms = monotonic_ms();
    add(&first, now_ms + LATER_MS);
    sem_wait(&began);
    assert_true(askers_tend(askers, now_ms) == INT64_MAX);
    add(&patient, INT64_MAX);
    assert_true(askers_tend(askers, now_ms) == INT64_MAX);
    add(&late, now_ms + 1000);
    add(&unwanted, now_ms + LATER_MS);
    add(&next, now_ms + LATER_MS);
    assert_true(askers_tend(askers, now_ms + 1000) == now_ms + 1001);
    assert_false(atomic_load(&late.was_given_back));
    atomic_store(&unwanted.is_unwanted, true);
    assert_true(askers_tend(askers, now_ms + 1001) == now_ms + LATER_MS + 1);
    assert_true(atomic_load(&late.was_given_back) && atomic_load(&unwanted.was_given_back));
    sem_post(&go);
    for (int i = 0; i < 5; i++)
        sem_wait(&ended);
    assert_true(atomic_load(&first.was_asked) && atomic_load(&next.was_asked));
    assert_true(atomic_load(&patient.was_asked));
    assert_false(atomic_load(&late.was_asked) || atomic_load(&unwanted.was_asked));
}

static void what_nobody_wants_any_more_isnt_asked(void **state)
{
    (void)state;
    struct one first = {.waits = true}, taken_back = {0};
    add(&first, monotonic_ms() + LATER_MS);
    sem_wait(&began);
    add(&taken_back, monotonic_ms() + LATER_MS);
    atomic_store(&taken_back.is_unwanted, true);
    sem_post(&go);
    sem_wait(&ended);
    sem_wait(&ended);
    assert_true(atomic_load(&taken_back.was_given_back));
}

#define PROMISE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(each_is_asked_once_and_they_need_no_more_threads_than_there_may_be),
        PROMISE(what_waits_too_long_behind_another_is_given_back),
        PROMISE(what_nobody_wants_any_more_isnt_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
