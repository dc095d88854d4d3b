/* Decision records: what is read of them, as data. */
#include "tools/adr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A record, and "number|title|status|date|decision|why|>supersedes|<superseded by"; NULL: none. */
static const struct {
    const char *name, *text, *wanted;
} cases[] = {
    {"0009-use-sqlite.md",
     "# 9. Use SQLite\n\nDate: 2024-05-06\n\n## Status\n\nAccepted\n\n## Context\n\nOne *file*.\n\n"
     "## Decision\n\nWe will use SQLite.\n\n## Consequences\n\nNo server.\n",
     "9|Use SQLite|accepted|2024-05-06|We will use SQLite.|One file.||"},
    {"0001-a.md",
     "# 1. A\n\n## Status\n\nAccepted\n\nSuperseded by [10. B](0010-b.md#status)\n\n## "
     "Decision\n\nA.\n",
     "1|A|superseded||A.|||<10:0010-b.md"},
    {"0010-b.md",
     "# 10. B\n\n## Status\n\n2024-01-02 accepted\n\nSupersedes [1. A](../adr/0001-a.md), "
     "[2](0002-c.md)\n",
     "10|B|accepted||||>1:0001-a.md>2:0002-c.md|"},
    {"0003-c.md",
     "# C\n\n* Status: superseded by ADR-0005\n* Date: 2023-02-03\n\n## Decision Outcome\n\nC it "
     "is.\n",
     "3|C|superseded|2023-02-03|C it is.|||<5:"},
    {"use-d.md",
     "---\nstatus: \"rejected\"\ndate: 2022-03-04\ndecision-makers: me\n---\n# Use D\n\n"
     "## Context and Problem Statement\n\nWhich one?\n\n## Considered Options\n\n* D\n\n"
     "## Decision Outcome\n\nChosen option: \"D\".\n\n### Consequences\n\n* Bad\n",
     "-1|Use D|rejected|2022-03-04|Chosen option: \"D\".|Which one?||"},
    {"e.md",
     "ADR 7: E\n========\n\nStatus\n------\n\nProposed\n\nDecision\n--------\n\nPerhaps E.\n",
     "7|E|proposed||Perhaps E.|||"},
    {"f.adoc", "= ADR-12: F\n\n== Status\n\nDeprecated\n\n== Decision\n\nF.\n",
     "12|F|deprecated||F.|||"},
    {"g.md", "# G\n\n**Status**: Approved\n\n**Supersedes**: 4\n\n## 2. Decision\n\nG.\n",
     "-1|G|accepted||G.||>4:|"},
    {"h.md", "# H\n\n## Decision\n\n<!-- say what\nyou chose -->\nH.\n\n```\nx = 1\n```\n",
     "-1|H|accepted||H. x = 1|||"},
    {"adrian.md", "# ADRian\n\n## Status\n\nAccepted\n", "-1|ADRian|accepted|||||"},
    {"README.md", "# Decisions\n\nWe write down what we decide.\n", NULL},
    {"template.md", "Status: accepted\n", NULL},
    {"empty.md", "", NULL},
    {"dates.md", "# D\n\n## Status\n\nSuperseded by the one of 2024-05-06\n\n## Decision\n\nD.\n",
     "-1|D|superseded||D.|||"},
};

static void add_refs(char *to, size_t size, char mark, const struct adr_ref *refs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        snprintf(to + strlen(to), size - strlen(to), "%c%lld:%.*s", mark, (long long)refs[i].number,
                 FMT(refs[i].file));
}

static void records_are_read_as_they_are_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a = {0};
        struct adr r;
        char got[1024] = "";
        bool is_record = adr_read(&a, str_of(cases[i].name), str_of(cases[i].text), &r);
        if (is_record) {
            snprintf(got, sizeof got, "%lld|%.*s|%s|%.*s|%.*s|%.*s|", (long long)r.number,
                     FMT(r.title), adr_status_name[r.status], FMT(r.date), FMT(r.decision),
                     FMT(r.why));
            add_refs(got, sizeof got, '>', r.supersedes, r.supersedes_count);
            strcat(got, "|");
            add_refs(got, sizeof got, '<', r.superseded_by, r.superseded_by_count);
        }
        const char *wanted = cases[i].wanted ? cases[i].wanted : "";
        if (strcmp(got, wanted) != 0)
            fail_msg("%s: %s, not %s", cases[i].name, got, wanted);
        arena_free(&a);
    }
}

static void a_long_decision_is_cut_behind_a_sentence(void **state)
{
    (void)state;
    struct arena a = {0};
    struct adr r;
    str text = S("# X\n\n## Decision\n\n");
    for (int i = 0; i < 100; i++)
        text = arena_printf(&a, "%.*sThis is sentence number one. ", FMT(text));
    assert_true(adr_read(&a, S("x.md"), text, &r));
    assert_true(r.decision.len <= MAX_ADR_PART_BYTES && r.decision.len > MAX_ADR_PART_BYTES / 2);
    assert_int_equal(r.decision.at[r.decision.len - 1], '.');
    arena_free(&a);
}

static void more_references_than_are_kept_do_no_harm(void **state)
{
    (void)state;
    struct arena a = {0};
    struct adr r;
    str text = S("# X\n\n## Status\n\nSupersedes ");
    for (int i = 0; i < 2 * MAX_ADR_REFS; i++)
        text = arena_printf(&a, "%.*s[%d](%04d.md) ", FMT(text), i, i);
    assert_true(adr_read(&a, S("x.md"), arena_printf(&a, "%.*s\nAccepted\n", FMT(text)), &r));
    assert_int_equal(r.supersedes_count, MAX_ADR_REFS);
    arena_free(&a);
}

static void a_sentence_tells_what_is_proposed(void **state)
{
    (void)state;
    struct arena a = {0};
    struct adr r = {.number = 4, .title = S("Use X"), .decision = S("X."), .why = S("Fast.")};
    assert_true(str_eq(adr_sentence(&a, &r), S("ADR 4: Use X. Decision: X. Because: Fast.")));
    r.status = ADR_PROPOSED;
    r.number = -1;
    assert_true(str_eq(adr_sentence(&a, &r), S("Proposed: Use X. Proposal: X. Because: Fast.")));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_read_as_they_are_written),
        cmocka_unit_test(a_long_decision_is_cut_behind_a_sentence),
        cmocka_unit_test(more_references_than_are_kept_do_no_harm),
        cmocka_unit_test(a_sentence_tells_what_is_proposed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
