#include "memory/extract.h"

#include "memory/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* "name:type | name:type" */
static str spell_entities(struct arena *a, str text)
{
    size_t count;
    struct found_entity *found = extract_entities(a, text, &count);
    str out = S("");
    for (size_t i = 0; i < count; i++) {
        assert_true(found[i].from < found[i].to && found[i].to <= text.len);
        str written = str_cut(text, found[i].from, found[i].to);
        if (str_find_char(written, '\n', 0) == written.len)
            assert_true(str_eq(written, found[i].name));
        out = arena_printf(a, "%.*s%s%.*s:%.*s", FMT(out), i ? " | " : "", FMT(found[i].name),
                           FMT(found[i].type));
    }
    return out;
}

struct sample {
    const char *text, *entities;
};

static void check(const struct sample *cases, size_t n)
{
    struct arena a = {0};
    for (size_t i = 0; i < n; i++) {
        str got = spell_entities(&a, str_of(cases[i].text));
        if (!str_eq(got, str_of(cases[i].entities)))
            fail_msg("%s\n  got    %.*s\n  wanted %s", cases[i].text, FMT(got), cases[i].entities);
    }
    arena_free(&a);
}

#define CHECK(cases) check(cases, sizeof(cases) / sizeof *(cases))

static void a_developers_note_names_its_things(void **state)
{
    (void)state;
    static const struct sample cases[] = {
        {"We decided to use PostgreSQL instead of MongoDB for the billing service because of ACID "
         "(see docs/adr/0007.md, #123, v2.3.1)",
         "PostgreSQL:technology | MongoDB:technology | ACID:acronym | docs/adr/0007.md:path | "
         "#123:issue | v2.3.1:version"},
        {"Fixed in abc1234f by @bob: `store_open` no longer calls sqlite3_open(); see GH-42, "
         "JIRA-123 and owner/repo#7.",
         "abc1234f:commit | @bob:mention | store_open:identifier | sqlite3_open:identifier | "
         "GH-42:issue | JIRA-123:issue | owner/repo#7:issue"},
        {"Use redis, Node.js and C++ on AWS Lambda; mail ops@example.com or read "
         "https://example.com/a_(b).",
         "redis:technology | Node.js:technology | C++:technology | AWS Lambda:name | "
         "ops@example.com:email | https://example.com/a_(b):url"},
        {"HttpServer.start() and std::vector in src/net/server.c:120, ./run.sh, Makefile, "
         "CMakeLists.txt",
         "HttpServer.start:identifier | std::vector:identifier | src/net/server.c:path | "
         "./run.sh:path | Makefile:path | CMakeLists.txt:path"},
        {"PostgreSQL 16 runs the my-billing-db-replica; auth-service talks OAuth2.",
         "PostgreSQL:technology | my-billing-db-replica:identifier | auth-service:identifier | "
         "OAuth2:technology"},
        {"Set MAX_RETRIES=3 in config.h; config.maxRetries and foo.bar.baz follow, 1.2.3-rc1 too.",
         "MAX_RETRIES:identifier | config.h:path | config.maxRetries:identifier | "
         "foo.bar.baz:identifier | 1.2.3-rc1:version"},
        {"Refactored the parser. Tightened the bounds. Migrate Kafka to NATS.",
         "Kafka:technology | NATS:technology"},
        {"GitHub Actions runs on GitHub; iPhone builds use Redis-backed caches.",
         "GitHub Actions:name | GitHub:technology | iPhone:identifier | Redis:technology"},
        {"`npm install` fails, \"connection reset by peer\" in the log",
         "npm install:quoted | connection reset by peer:quoted"},
        {"Type \u2018typeset -Z\u2019, not \u2018!#:0\u2019 or \u2018*(-o)\u2019; don\u2019t.",
         "typeset -Z:quoted"},
        {"Read \u2018the user\u2019s guide\u2019, then \u2018cat -n\u2019.",
         "the user\u2019s guide:quoted | cat -n:quoted"},
        {"Read \u2018the user\u2019s and\nthe guide\u2019.", ""},
        {"Set `worker_pool <configuration.html#worker-pool>`__ as `Routing Tasks`_ says "
         "`\u2020 <#id2>`__.",
         "worker_pool:identifier | Routing Tasks:quoted"},
    };
    CHECK(cases);
}

static void an_article_names_people_works_and_places(void **state)
{
    (void)state;
    static const struct sample cases[] = {
        {"Johnny Cash and June Carter met Barack Obama Sr. in the Bank of America.",
         "Johnny Cash:name | June Carter:name | Barack Obama Sr.:name | Bank of America:name"},
        {"The Matrix Reloaded is a 2003 film.", "The Matrix Reloaded:name"},
        {"Sir Arthur Conan Doyle wrote it. J. K. Rowling and George R. R. Martin did not.",
         "Sir Arthur Conan Doyle:name | J. K. Rowling:name | George R. R. Martin:name"},
        {"Martin Luther King, Jr. spoke at the University of California, Berkeley.",
         "Martin Luther King, Jr.:name | University of California:name | Berkeley:name"},
        {"Pride and Prejudice is by Jane Austen; Alexander the Great, Ludwig van Beethoven, Winnie "
         "the Pooh.",
         "Pride and Prejudice:name | Jane Austen:name | Alexander the Great:name | Ludwig van "
         "Beethoven:name | Winnie the Pooh:name"},
        {"He led the Department of Health and Human Services in World War 2 and Apollo 11.",
         "Department of Health and Human Services:name | World War 2:name | Apollo 11:name"},
        {"Schindler's List was directed by Steven Spielberg, Nolan's Inception was not.",
         "Schindler's List:name | Steven Spielberg:name | Nolan:name | Inception:name"},
        {"The Android team of AT&T met in London.", "Android:name | AT&T:acronym | London:name"},
        {"Johnson & Johnson and Ronald McDonald", "Johnson & Johnson:name | Ronald McDonald:name"},
        {"Hank Williams\nHank Williams was born in Alabama.", "Hank Williams:name | Alabama:name"},
        {"It was recorded when the band of the same name toured New South\nWales.",
         "New South Wales:name"},
        {"M\xC3\xBCnchen liegt bei \xC3\x89vry", "M\xC3\xBCnchen:name | \xC3\x89vry:name"},
    };
    CHECK(cases);
}

static void a_conversation_names_only_whom_and_what_it_is_about(void **state)
{
    (void)state;
    static const struct sample cases[] = {
        {"Hey Caroline! Good to see you! I'm swamped with the kids & work. What's up with you? "
         "Anything new?",
         "Caroline:name"},
        {"Thanks, Evan! Will do. Bye for now.", "Evan:name"},
        {"Wow, Japan sounds amazing. Can't wait to hear all about it! When are you leaving?",
         "Japan:name"},
        {"I went to a LGBTQ support group on Monday 5 May 2023 and it was so powerful.",
         "LGBTQ:acronym"},
        {"Mel gave Alice 20 dollars. When Tom saw Jerry, he ran.",
         "Mel:name | Alice:name | Tom:name | Jerry:name"},
        {"That was Plan B. Then we left.", "Plan B:name"},
        {"Grace is here. Hope you are well. Mark said no.", "Grace:name | Mark:name"},
        {"He said \"I love this so much\" and \"Hello!\" about \"Hotel California\"",
         "Hotel California:quoted"},
        {"PLEASE READ THIS FIRST, it is SO important", ""},
        {"A state-of-the-art, three-year-old and/or 1/2, 24/7, e.g. UTF-8, SHA-256, COVID-19, Q3, "
         "3rd, 10am, 3.14, 24.12.2024",
         ""},
        {"Yes. No. OK. I. The. Today we talked about the system, the data and the code.", ""},
        {"", ""},
    };
    CHECK(cases);
}

static void each_normal_form_comes_once_and_first_ones_count(void **state)
{
    (void)state;
    struct arena a = {0};
    str got =
        spell_entities(&a, S("HTTP_Server, HttpServer and http_server by Alice, alice and @Alice"));
    assert_true(str_eq(got, S("HTTP_Server:identifier | Alice:name")));
    struct buf text = {0};
    for (int i = 0; i < 200; i++)
        buf_printf(&text, "name_%d ", i);
    size_t count;
    struct found_entity *found = extract_entities(&a, buf_str(&text), &count);
    assert_int_equal(count, MAX_RULE_ENTITIES);
    assert_true(str_eq(found[MAX_RULE_ENTITIES - 1].name, S("name_63")));
    buf_free(&text);
    arena_free(&a);
}

static void any_bytes_are_taken(void **state)
{
    (void)state;
    static const char *const pieces[] = {"Alice",
                                         "and",
                                         "of",
                                         "the",
                                         "The",
                                         " ",
                                         " ",
                                         "\n",
                                         ".",
                                         ",",
                                         "'s",
                                         "\xE2\x80\x99s",
                                         "\"",
                                         "`",
                                         "'",
                                         "#12",
                                         "@a",
                                         "://",
                                         "/",
                                         "_",
                                         "-",
                                         "::",
                                         "()",
                                         "I",
                                         "J.",
                                         "Jr.",
                                         "2",
                                         "v1.2",
                                         "\xC3\x84",
                                         "\xE2\x80\x9C",
                                         "\xE2\x80\x9D",
                                         "\xFF",
                                         "\xF0\x9F\x98\x80",
                                         "->",
                                         "--uses-->",
                                         "uses",
                                         "AT&T",
                                         "C++",
                                         ".NET",
                                         "deadbee1",
                                         "Redis",
                                         "(",
                                         ")",
                                         "?",
                                         "!"};
    struct arena a = {0};
    uint64_t seed = 13;
    for (int i = 0; i < 20000; i++) {
        struct arena mark = a;
        char *text = arena_bytes(&a, 65536) + 65536; /* nothing readable behind its end */
        size_t n = 0, pieces_left = (seed >> 40) % 25;
        char buffer[600];
        while (pieces_left--) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            const char *piece = pieces[(seed >> 33) % (sizeof pieces / sizeof *pieces)];
            memcpy(buffer + n, piece, strlen(piece));
            n += strlen(piece);
        }
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        memcpy(text - n, buffer, n);
        str s = str_from(text - n, n);
        size_t count, relations;
        spell_entities(&a, s);
        struct found_entity *found = extract_entities(&a, s, &count);
        struct found_relation *r = extract_relations(&a, s, found, count, &relations);
        assert_true(relations <= MAX_RULE_RELATIONS);
        for (size_t k = 0; k < relations; k++)
            assert_true(r[k].from.len && r[k].relation.len && r[k].to.len);
        assert_true(extract_kind(s) < MEMORY_KIND_COUNT);
        arena_rewind(&a, mark);
    }
    arena_free(&a);
}

static void long_texts_of_one_thing_end(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    static const char *const units[] = {"A",  "A ", "Aa ", "a.", "`",    "\"",  "/",    "://",
                                        "#",  "@",  "-",   "A-", "A. ",  "of ", "The ", "aB",
                                        "1.", "'",  "->",  "(",  "Aa'b", "A\n", "?"};
    struct arena a = {0};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct arena mark = a;
        char *text = arena_bytes(&a, BYTES);
        for (size_t k = 0; k < BYTES; k++)
            text[k] = units[i][k % strlen(units[i])];
        size_t count, relations;
        struct found_entity *found = extract_entities(&a, str_from(text, BYTES), &count);
        extract_relations(&a, str_from(text, BYTES), found, count, &relations);
        str rest = str_from(text, BYTES), sentence;
        for (int n = 0; n < 1000 && text_next_sentence(&rest, &sentence); n++)
            continue;
        arena_rewind(&a, mark);
    }
    arena_free(&a);
}

static void the_kind_is_told_by_the_words(void **state)
{
    (void)state;
    static const struct {
        enum memory_kind kind;
        const char *text;
    } cases[] = {
        {KIND_DECISION, "We decided to use PostgreSQL."},
        {KIND_DECISION, "Chose Redis over Memcached for the sessions"},
        {KIND_DECISION, "Decision: no ORM."},
        {KIND_DECISION, "Let's go with SQLite"},
        {KIND_DECISION, "We\xE2\x80\x99ll use tabs"},
        {KIND_DECISION, "The API will use JSON"},
        {KIND_DECISION, "Use pnpm instead of npm"},
        {KIND_DECISION, "We decided to always use tabs"},
        {KIND_DECISION, "Switched from Jenkins to GitHub Actions"},
        {KIND_PREFERENCE, "I prefer short functions"},
        {KIND_PREFERENCE, "Always use spaces"},
        {KIND_PREFERENCE, "Text. Never push to main"},
        {KIND_PREFERENCE, "Anna likes green tea"},
        {KIND_PREFERENCE, "Please don't reformat the file"},
        {KIND_IDENTITY, "My name is Alice"},
        {KIND_IDENTITY, "Hi, I'm a backend developer"},
        {KIND_IDENTITY, "I work at Acme"},
        {KIND_QUESTION, "Should we use Redis?"},
        {KIND_QUESTION, "\"Should we use Redis?\""},
        {KIND_QUESTION, "Open question: which queue"},
        {KIND_QUESTION, "TODO: decide on the queue"},
        {KIND_CONTEXT, "Currently working on the parser"},
        {KIND_CONTEXT, "The migration is in progress"},
        {KIND_CONTEXT, "Blocked on review"},
        {KIND_FACT, "The server listens on port 8080."},
        {KIND_FACT, "The undecided voters"},
        {KIND_FACT, "The function always returns"},
        {KIND_FACT, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (extract_kind(str_of(cases[i].text)) != cases[i].kind)
            fail_msg("%s: %s", cases[i].text,
                     memory_kind_name[extract_kind(str_of(cases[i].text))]);
}

static void plain_sentences_and_chains_tell_relations(void **state)
{
    (void)state;
    static const struct {
        const char *text, *relations; /* "from>label>to | ..." */
    } cases[] = {
        {"Alice works on billing-service.", "Alice>works_on>billing-service"},
        {"auth-service depends on Redis and PostgreSQL 16.",
         "auth-service>depends_on>Redis | auth-service>depends_on>PostgreSQL"},
        {"Alice and Bob currently work on the auth-service",
         "Alice>works_on>auth-service | Bob>works_on>auth-service"},
        {"`store_open` is called by `memory_open`.", "store_open>called_by>memory_open"},
        {"Carol reports to Dave. Dave manages Carol.",
         "Carol>reports_to>Dave | Dave>manages>Carol"},
        {"Schindler's List was directed by Steven Spielberg.",
         "Schindler's List>directed_by>Steven Spielberg"},
        {"Kafka replaced RabbitMQ, which was owned by Team Rocket.",
         "Kafka>replaces>RabbitMQ | RabbitMQ>owned_by>Team Rocket"},
        {"Alice -> works on -> billing service", "Alice>works_on>billing service"},
        {"a service -> depends on -> Redis -> runs on -> host 7",
         "a service>depends_on>Redis | Redis>runs_on>host 7"},
        {"Billing API --depends_on--> Payments DB --owned by--> Team Rocket",
         "Billing API>depends_on>Payments DB | Payments DB>owned_by>Team Rocket"},
        {"- Alice \xE2\x86\x92 manages \xE2\x86\x92 Bob", "Alice>manages>Bob"},
        {"Alice thinks that Bob eats Redis", ""},
        {"Alice uses Alice", ""},
        {"p->next = q; return p->next;", ""},
        {"", ""},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t entity_count, count;
        str text = str_of(cases[i].text), got = S("");
        struct found_entity *entities = extract_entities(&a, text, &entity_count);
        struct found_relation *r = extract_relations(&a, text, entities, entity_count, &count);
        for (size_t k = 0; k < count; k++)
            got = arena_printf(&a, "%.*s%s%.*s>%.*s>%.*s", FMT(got), k ? " | " : "", FMT(r[k].from),
                               FMT(r[k].relation), FMT(r[k].to));
        if (!str_eq(got, str_of(cases[i].relations)))
            fail_msg("%s\n  got    %.*s\n  wanted %s", cases[i].text, FMT(got), cases[i].relations);
    }
    arena_free(&a);
}

static void relations_are_at_most_so_many(void **state)
{
    (void)state;
    struct arena a = {0};
    struct buf text = {0};
    for (int i = 0; i < 100; i++)
        buf_printf(&text, "a%d -> uses -> b%d\n", i, i);
    size_t count;
    extract_relations(&a, buf_str(&text), NULL, 0, &count);
    assert_int_equal(count, MAX_RULE_RELATIONS);
    buf_free(&text);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_developers_note_names_its_things),
        cmocka_unit_test(an_article_names_people_works_and_places),
        cmocka_unit_test(a_conversation_names_only_whom_and_what_it_is_about),
        cmocka_unit_test(each_normal_form_comes_once_and_first_ones_count),
        cmocka_unit_test(any_bytes_are_taken),
        cmocka_unit_test(long_texts_of_one_thing_end),
        cmocka_unit_test(the_kind_is_told_by_the_words),
        cmocka_unit_test(plain_sentences_and_chains_tell_relations),
        cmocka_unit_test(relations_are_at_most_so_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
