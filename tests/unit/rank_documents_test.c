#include "memory/rank_documents.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { FIRST, SECOND, UNSEEN, NOTE, BODIES };
enum { HANDBOOK = BODIES, FAQ, OTHER, NODES };

/* A snapshot of these nodes, and the hits among them, best first. */
static void make(struct snapshot *snap, struct node_meta meta[], struct lexical *l,
                 struct scored *ranked, size_t hits)
{
    *snap = (struct snapshot){.meta = meta};
    *l = (struct lexical){.ranked = ranked, .ranked_count = hits};
}

static void assert_near(float is, double wanted)
{
    if (fabs((double)is - wanted) > 1e-6)
        fail_msg("%f is not %f", (double)is, wanted);
}

static void several_good_passages_speak_for_a_document_as_one_first_does(void **state)
{
    (void)state;
    struct node_meta meta[NODES] = {[FIRST] = {.kind = NODE_PASSAGE, .group = HANDBOOK},
                                    [SECOND] = {.kind = NODE_PASSAGE, .group = FAQ},
                                    [UNSEEN] = {.kind = NODE_PASSAGE, .group = OTHER},
                                    [NOTE] = {.kind = NODE_MEMORY, .group = NO_NODE}};
    struct scored ranked[] = {{NOTE, 9}, {FIRST, 8}, {SECOND, 7}, {SECOND, 6}};
    struct snapshot snap;
    struct lexical l;
    struct document_shares d;
    make(&snap, meta, &l, ranked, 4);
    document_shares_build(&d, &snap, &l);
    assert_near(document_share(&d, &snap, FIRST), 1);
    assert_near(document_share(&d, &snap, SECOND), 1.0 / 2 + 1.0 / 3);
    assert_near(document_share(&d, &snap, UNSEEN), 0);
    assert_near(document_share(&d, &snap, NOTE), 0);
}

static void only_the_best_passages_count(void **state)
{
    (void)state;
    enum { MANY = BEST_PASSAGES + 5 };
    struct node_meta meta[NODES] = {[FIRST] = {.kind = NODE_PASSAGE, .group = HANDBOOK},
                                    [SECOND] = {.kind = NODE_PASSAGE, .group = FAQ}};
    struct scored ranked[MANY];
    struct snapshot snap;
    struct lexical l;
    struct document_shares d;
    for (size_t i = 0; i < MANY; i++)
        ranked[i] = (struct scored){i < BEST_PASSAGES ? FIRST : SECOND, (float)(MANY - i)};
    make(&snap, meta, &l, ranked, MANY);
    document_shares_build(&d, &snap, &l);
    assert_near(document_share(&d, &snap, FIRST), 1);
    assert_near(document_share(&d, &snap, SECOND), 0);
}

static void without_hits_no_document_is_meant(void **state)
{
    (void)state;
    struct node_meta meta[NODES] = {[FIRST] = {.kind = NODE_PASSAGE, .group = HANDBOOK}};
    struct snapshot snap;
    struct lexical l;
    struct document_shares d;
    make(&snap, meta, &l, NULL, 0);
    document_shares_build(&d, &snap, &l);
    assert_near(document_share(&d, &snap, FIRST), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_good_passages_speak_for_a_document_as_one_first_does),
        cmocka_unit_test(only_the_best_passages_count),
        cmocka_unit_test(without_hits_no_document_is_meant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
