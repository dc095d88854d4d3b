#include "memory/contradict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct pair {
    const char *older, *newer, *values; /* "14 -> 16"; NULL: both may be true */
};

static str spell(struct arena *a, const struct saying *older, const struct saying *newer)
{
    struct saying x = saying_of(a, older->text), y = saying_of(a, newer->text);
    struct contradiction c;
    x.speaker = older->speaker;
    y.speaker = newer->speaker;
    x.relations = older->relations;
    y.relations = newer->relations;
    x.relation_count = older->relation_count;
    y.relation_count = newer->relation_count;
    return contradict(&x, &y, &c) ? arena_printf(a, "%.*s -> %.*s", FMT(c.older), FMT(c.newer))
                                  : S("both may be true");
}

static void check(const struct pair *pairs, size_t n)
{
    struct arena a = {0};
    for (size_t i = 0; i < n; i++) {
        struct saying older = {.text = str_of(pairs[i].older)},
                      newer = {.text = str_of(pairs[i].newer)};
        str wanted = pairs[i].values ? str_of(pairs[i].values) : S("both may be true");
        str got = spell(&a, &older, &newer);
        if (!str_eq(got, wanted))
            fail_msg("%s / %s\n  got    %.*s\n  wanted %.*s", pairs[i].older, pairs[i].newer,
                     FMT(got), FMT(wanted));
    }
    arena_free(&a);
}

#define CHECK(pairs) check(pairs, sizeof(pairs) / sizeof *(pairs))

static void another_value_of_the_same_thing_contradicts(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"Staging runs Postgres 14.", "Staging runs on Postgres 16.", "14 -> 16"},
        {"The retry limit is 3.", "We raised the retry limit to 5.", "3 -> 5"},
        {"Standup at 9:30.", "The stand-up moved to 10.", "9:30 -> 10"},
        {"CI uses Jenkins.", "We switched CI from Jenkins to GitHub Actions.",
         "Jenkins -> GitHub Actions"},
        {"We use Redis for sessions.", "We use Postgres for sessions.", "Redis -> Postgres"},
        {"Billing is owned by Maya.", "Billing is owned by Jonas.", "Maya -> Jonas"},
        {"Maya owns billing.", "Jonas took over billing.", "Maya -> Jonas"},
        {"The API deploys to Fly.io.", "The API deploys to Render now.", "Fly.io -> Render"},
        {"Force push is allowed on main.", "Force push is no longer allowed on main.",
         "so -> not so"},
        {"We allow force push on main.", "We don't allow force push on main.", "so -> not so"},
        {"The default timeout is 30 seconds.", "The default timeout is 10 seconds.", "30 -> 10"},
        {"The default branch is master.", "The default branch is main.", "master -> main"},
        {"Uploads may have at most 10 MB.", "Uploads may have at most 25 MB.", "10 -> 25"},
        {"Deploys happen on Tuesdays.", "Deploys happen on Thursdays.", "Tuesdays -> Thursdays"},
        {"Logs are kept for 30 days.", "Logs are now kept for 90 days.", "30 -> 90"},
        {"The session cookie expires after 30 minutes.",
         "The session cookie expires after 12 hours.", "30 minutes -> 12 hours"},
        {"Python 3.9 is the minimum version.", "The minimum version is Python 3.11.",
         "3.9 -> 3.11"},
        {"Tests run with pytest.", "We replaced pytest with nose; tests run with nose.",
         "pytest -> nose"},
        {"The queue is hosted on AWS.", "The queue was migrated to GCP.", "AWS -> GCP"},
        {"The office is in Berlin.", "The office moved from Berlin to Hamburg.",
         "Berlin -> Hamburg"},
        {"The primary color is blue.", "The primary color is green.", "blue -> green"},
        {"Feature flags live in LaunchDarkly.",
         "Feature flags live in Unleash since the contract ended.", "LaunchDarkly -> Unleash"},
        {"The nightly build starts at 2:00.", "The nightly build starts at 4:30.", "2:00 -> 4:30"},
        {"The cache TTL is 60 seconds.", "The cache TTL was lowered to 20 seconds.", "60 -> 20"},
        {"Secrets are stored in Vault.", "Secrets are stored in AWS Secrets Manager.",
         "Vault -> AWS Secrets Manager"},
        {"Anna leads the platform team.", "Ben leads the platform team.", "Anna -> Ben"},
        {"The lead of the platform team is Anna.", "The lead of the platform team is Ben.",
         "Anna -> Ben"},
        {"Our contact at Acme is Lisa.", "Tom is our contact at Acme.", "Lisa -> Tom"},
        {"PRs need two approvals.", "PRs need one approval now.", "two -> one"},
        {"We release every two weeks.", "We release every four weeks.", "two -> four"},
        {"Debug logging is enabled in the gateway.", "Debug logging is disabled in the gateway.",
         "enabled -> disabled"},
        {"The gateway listens on port 8080.", "The gateway listens on port 9090.", "8080 -> 9090"},
        {"The search index is rebuilt every 6 hours.",
         "The search index is rebuilt every 12 hours.", "6 -> 12"},
        {"The mascot of the project is an otter.", "The mascot of the project is a heron.",
         "otter -> heron"},
        {"Invoices are sent by Mailgun.", "Invoices are sent by Postmark instead of Mailgun.",
         "Mailgun -> Postmark"},
        {"We pin Node 18.", "We pin Node 20 now.", "18 -> 20"},
        {"The project license is MIT.", "The project license changed to Apache-2.0.",
         "MIT -> Apache-2.0"},
        {"The accent colour is teal.", "We went with orange as the accent colour.",
         "teal -> orange"},
        {"Jonas took over billing.", "Lea took over billing.", "Jonas -> Lea"},
        {"The demo is on Friday.", "The demo was postponed to Monday.", "Friday -> Monday"},
        {"IE11 is supported.", "IE11 isn't supported any more.", "so -> not so"},
    };
    CHECK(pairs);
}

static void what_may_both_be_true_is_passed_over(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"The read replica is in Dublin.", "The primary is in Frankfurt.", NULL},
        {"In staging the timeout is 10 seconds.", "The timeout is 30 seconds.", NULL},
        {"The timeout in staging is 10 seconds.", "The timeout in production is 30 seconds.", NULL},
        {"Billing depends on Redis.", "Billing depends on Kafka.", NULL},
        {"Maya owns billing.", "Maya owns search.", NULL},
        {"Issue 12 is about the login page.", "Issue 14 is about the login page.", NULL},
        {"Step 1 is installing Node.", "Step 2 is installing Postgres.", NULL},
        {"We deployed version 1.2 on Monday.", "We deployed version 1.3 on Thursday.", NULL},
        {"The build broke because of OpenSSL.", "The build broke because of zlib.", NULL},
        {"The gateway supports HTTP/2.", "The gateway supports WebSockets.", NULL},
        {"On Linux the config is in /etc/app.", "On macOS the config is in /Library/App.", NULL},
        {"Linux builds use gcc.", "Windows builds use MSVC.", NULL},
        {"Anna speaks German.", "Ben speaks German.", NULL},
        {"Anna speaks German.", "Anna speaks French.", NULL},
        {"The API has a rate limit of 100 requests.", "The API has a page limit of 50 rows.", NULL},
        {"The parser is written in C.", "The parser is tested with cmocka.", NULL},
        {"The dashboard is slow.", "The dashboard is public.", NULL},
        {"Marlin was down on 3 May.", "Marlin was down on 9 June.", NULL},
        {"We met Acme on Monday.", "We met Acme on Thursday.", NULL},
        {"The meeting is on Monday and the demo is on Friday.", "The demo is on Friday.", NULL},
        {"If the cache is cold the query takes 3 seconds.",
         "The query takes 20 milliseconds when the cache is warm.", NULL},
        {"The old dashboard is built with Angular.", "The new dashboard is built with React.",
         NULL},
        {"The iOS app requires iOS 15.", "The Android app requires Android 9.", NULL},
        {"Jonas reviewed the PR for search.", "Jonas reviewed the PR for billing.", NULL},
        {"The first parameter is the path.", "The second parameter is the mode.", NULL},
        {"The service logs errors to Sentry.", "The service logs requests to Loki.", NULL},
        {"We chose Postgres for the ledger.", "We chose Redis for the cache.", NULL},
        {"Retries are capped at 5 for payments.", "Retries are capped at 3 for mails.", NULL},
        {"The queue holds jobs.", "The queue holds events.", NULL},
        {"Tom likes tea.", "Tom likes coffee.", NULL},
        {"The module exports parse().", "The module exports render().", NULL},
        {"Keep going and never give up!", "Let's keep each other going.", NULL},
        {"Check out this crowd.", "Check out this piece that I made.", NULL},
        {"Yesterday I took the kids to the museum.",
         "We went to the beach recently. The kids had such a blast.", NULL},
        {"Kan uses Sen.", "Kan migrates Pan.", NULL},
        {"Marlin replaces Tuna.", "Marlin replaces Trout.", NULL},
        {"The lobby is on floor 1.", "The kitchen is on floor 2.", NULL},
        {"store_open returns NULL on error.", "store_close returns NULL on error.", NULL},
        {"The team has 3 backend developers.", "The team has 2 designers.", NULL},
        {"Sprint 12 ends on 3 May.", "Sprint 13 ends on 17 May.", NULL},
        {"The bug in the parser is fixed.", "The bug in the lexer is fixed.", NULL},
        {"The US region is in Virginia.", "The EU region is in Ireland.", NULL},
        {"Customers can pay by card.", "Customers can pay by invoice.", NULL},
        {"Don't use var in new code.", "Don't use eval in new code.", NULL},
        {"Use tabs in Makefiles.", "Use spaces in Python.", NULL},
        {"I live in Porto.", "You live in Bergen.", NULL},
        {"The config file is parsed by toml.", "The config file is read at startup.", NULL},
        {"The worker restarts after 3 failures.", "The worker sleeps 10 seconds after a failure.",
         NULL},
        {"Unit tests run in 20 seconds.", "Integration tests run in 5 minutes.", NULL},
        {"The invoice for May is 300 euros.", "The invoice for June is 420 euros.", NULL},
        {"Version 2.0 dropped Python 2.", "Version 3.0 dropped Python 3.7.", NULL},
        {"The header is 80 pixels high.", "The header is 320 pixels wide.", NULL},
        {"We moved the docs to Notion.", "We moved the tickets to Linear.", NULL},
        {"The migration took 3 hours.", "The rollback took 20 minutes.", NULL},
        {"The endpoint returns 404 for unknown users.",
         "The endpoint returns 403 for blocked users.", NULL},
        {"Monday's build failed in test A.", "Tuesday's build failed in test B.", NULL},
        {"The admin password is rotated monthly.", "The deploy key is rotated yearly.", NULL},
        {"The table has an index on user_id.", "The table has an index on created_at.", NULL},
        {"Docs are written in English.", "Docs are hosted on GitHub Pages.", NULL},
        {"Anna is on vacation from Monday.", "Anna is on call from Friday.", NULL},
        {"The CLI prints JSON with --json.", "The CLI prints YAML with --yaml.", NULL},
        {"Alice works on billing.", "Alice works on search.", NULL},
        {"Mail is sent to Anna.", "Mail is sent to Ben.", NULL},
        {"The rack in room 3 has 4 servers.", "The rack in room 5 has 6 servers.", NULL},
        {"Error 12 means that the disk is full.", "Error 13 means that the network is down.", NULL},
        {"We decided to use Redis.", "We decided to use gRPC.", NULL},
        {"The plan for Q1 is hiring.", "The plan for Q2 is billing.", NULL},
    };
    CHECK(pairs);
}

static void the_same_value_in_other_words_is_none(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"The timeout is 60 minutes.", "The timeout is 1 hour.", NULL},
        {"The timeout is 2 seconds.", "The timeout is two seconds.", NULL},
        {"The stand-up is at 09:30.", "Standup is at 9:30.", NULL},
        {"Staging runs Postgres 14.", "Staging runs on Postgres 14 now.", NULL},
        {"We don't allow force push.", "Force push isn't allowed.", NULL},
    };
    CHECK(pairs);
}

static void the_statement_is_found_among_others(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"We had a long talk on tools. The retry limit is 3; nobody minds.",
         "Finance agreed that the retry limit is 5. Lunch was good.", "3 -> 5"},
        {"The state of Saffron lies in Redis.", "The state of Saffron was moved; it lies in etcd.",
         "Redis -> etcd"},
        {"The limit is 3 in staging (see the wiki).", "The limit is 5.", NULL},
        {"Staging: the limit is 3.", "The limit is 5.", NULL},
    };
    CHECK(pairs);
}

static void who_speaks_of_himself_contradicts_only_himself(void **state)
{
    (void)state;
    struct arena a = {0};
    struct saying older = {.text = S("I live in Porto."), .speaker = S("Ana")},
                  newer = {.text = S("I live in Bergen."), .speaker = S("Ben")};
    assert_true(str_eq(spell(&a, &older, &newer), S("both may be true")));
    newer.speaker = S("Ana");
    assert_true(str_eq(spell(&a, &older, &newer), S("Porto -> Bergen")));
    arena_free(&a);
}

static void a_relation_that_takes_one_contradicts_in_any_language(void **state)
{
    (void)state;
    struct arena a = {0};
    struct said_relation was[] = {{S("Saffron"), S("owned_by"), S("Harbor")},
                                  {S("Saffron"), S("depends_on"), S("Redis")}},
                         is[] = {{S("Saffron"), S("owned_by"), S("Cobalt")},
                                 {S("Saffron"), S("depends_on"), S("Kafka")}};
    struct saying older = {.text = S("Saffron hat Harbor gebaut"), .relations = was},
                  newer = {.text = S("Um Saffron kümmert sich Cobalt"), .relations = is};
    older.relation_count = newer.relation_count = 2;
    assert_true(str_eq(spell(&a, &older, &newer), S("Harbor -> Cobalt")));
    older.relations = was + 1;
    newer.relations = is + 1;
    older.relation_count = newer.relation_count = 1;
    assert_true(str_eq(spell(&a, &older, &newer), S("both may be true")));
    arena_free(&a);
}

static void hostile_texts_are_bounded(void **state)
{
    (void)state;
    enum { BYTES = 64 * 1024 };
    static const char *const patterns[] = {"a ",  "the limit is 3, ", "(((: ",        "\xff\xfe ",
                                           "x. ", "it it it. ",       "from to from "};
    static char text[BYTES];
    struct arena a = {0};
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        size_t length = strlen(patterns[p]);
        for (size_t i = 0; i < BYTES; i++)
            text[i] = patterns[p][i % length];
        struct saying whole = {.text = str_from(text, BYTES)},
                      plain = {.text = S("The limit is 5.")};
        spell(&a, &whole, &plain);
        spell(&a, &plain, &whole);
        spell(&a, &whole, &whole);
    }
    struct saying nothing = {.text = S("")};
    assert_true(str_eq(spell(&a, &nothing, &nothing), S("both may be true")));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_value_of_the_same_thing_contradicts),
        cmocka_unit_test(what_may_both_be_true_is_passed_over),
        cmocka_unit_test(the_same_value_in_other_words_is_none),
        cmocka_unit_test(the_statement_is_found_among_others),
        cmocka_unit_test(who_speaks_of_himself_contradicts_only_himself),
        cmocka_unit_test(a_relation_that_takes_one_contradicts_in_any_language),
        cmocka_unit_test(hostile_texts_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
