#include "memory/redact.h"

#include "memory/base/buf.h"
#include "memory/base/unicode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct redactor *redactor;

static int open_redactor(void **state)
{
    (void)state;
    struct err e = {0};
    redactor = redactor_open(&e);
    if (!redactor)
        print_error("%s\n", e.text);
    return redactor ? 0 : -1;
}

static int close_redactor(void **state)
{
    (void)state;
    redactor_close(redactor);
    return 0;
}

static str redacted(struct arena *a, str text)
{
    struct redaction *counts;
    size_t count;
    return redact(a, redactor, text, &counts, &count);
}

/* %A, %a, %9, %h, %H, %x and a length: that many random letters or digits, upper-case, lower-case,
 * digits, hexadecimal digits, upper-case and digits, letters and digits. So no secret's form stands
 * in this file, and no scanner stumbles. */
static str make(struct arena *a, const char *form, uint64_t *seed)
{
    static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                      lower[] = "abcdefghijklmnopqrstuvwxyz", digits[] = "0123456789",
                      hex[] = "0123456789abcdef", shout[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
                      mixed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char *out = arena_bytes(a, 4096);
    size_t n = 0;
    for (const char *c = form; *c; c++) {
        if (*c != '%') {
            out[n++] = *c;
            continue;
        }
        c++;
        const char *set = *c == 'A'   ? upper
                          : *c == 'a' ? lower
                          : *c == '9' ? digits
                          : *c == 'h' ? hex
                          : *c == 'H' ? shout
                                      : mixed;
        size_t length = 0;
        while (c[1] >= '0' && c[1] <= '9')
            length = length * 10 + (size_t)(*++c - '0');
        for (size_t i = 0; i < length; i++) {
            *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            out[n++] = set[(*seed >> 33) % strlen(set)];
        }
        out[n - 1] = set == mixed || set == shout || set == digits || set == hex
                         ? '7'
                         : out[n - 1]; /* one digit at least */
    }
    return str_from(out, n);
}

/* What stands in < > is the secret (without them when the text is built); the rest has to stay. */
static const struct {
    const char *rule, *before, *secret, *behind;
} positives[] = {
    {"private-block", "a ", "<private>my %x9</private>", " b"},
    {"private-block", "a ", "<PRIVATE>to the end", ""},
    {"private-key", "x ", "-----BEGIN RSA PRIVATE KEY-----\nMII%x60\n-----END RSA PRIVATE KEY-----",
     " y"},
    {"private-key", "",
     "-----BEGIN PGP PRIVATE KEY BLOCK-----\n%x60\n-----END PGP PRIVATE KEY BLOCK-----", "\n"},
    {"private-key", "x ", "-----BEGIN PRIVATE KEY-----\n%x60 without an end", ""},
    {"private-key", "", "-----BEGIN OPENSSH PRIVATE KEY-----%x60-----END OPENSSH PRIVATE KEY-----",
     "."},
    {"aws-access-key", "key ", "AKIA%H16", ", ok"},
    {"aws-access-key", "", "ASIA%H16", ""},
    {"aws-secret-key", "aws_secret_access_key = ", "%x40", "\n"},
    {"aws-secret-key", "AWS_SECRET_ACCESS_KEY=\"", "%x40", "\""},
    {"aws-secret-key", "\"SecretAccessKey\": \"", "%x40", "\""},
    {"github-token", "token ", "ghp_%x36", "."},
    {"github-token", "", "gho_%x36", ""},
    {"github-token", "", "ghu_%x36", ""},
    {"github-token", "", "ghs_%x36", ""},
    {"github-token", "", "ghr_%x36", ""},
    {"github-token", "", "github_pat_%x22_%x59", ""},
    {"gitlab-token", "(", "glpat-%x20", ")"},
    {"gitlab-token", "", "glrt-%x20", ""},
    {"slack-token", "", "xoxb-%912-%912-%x24", " !"},
    {"slack-token", "", "xoxp-%912-%912-%912-%h32", ""},
    {"slack-token", "", "xapp-1-A%H10-%912-%h32", ""},
    {"slack-webhook", "https://hooks.slack.com/services/", "T%H8/B%H8/%x24", ""},
    {"stripe-key", "", "sk_live_%x24", ""},
    {"stripe-key", "", "rk_live_%x24", ""},
    {"stripe-key", "", "sk_test_%x24", ""},
    {"google-api-key", "", "AIza%x35", "&x=1"},
    {"google-oauth", "", "GOCSPX-%x28", ""},
    {"google-service-account", "\"private_key_id\": \"", "%h40", "\""},
    {"anthropic-key", "", "sk-ant-api03-%x93AA", ""},
    {"openai-key", "", "sk-%x20T3BlbkFJ%x20", ""},
    {"openai-key", "", "sk-proj-%x48", ""},
    {"npm-token", "", "npm_%x36", ""},
    {"npm-token", "//registry.npmjs.org/:_authToken=", "%x8-%x8", "\n"},
    {"pypi-token", "", "pypi-AgEIcHlwaS5vcmc%x60", ""},
    {"docker-token", "", "dckr_pat_%x27", ""},
    {"docker-token", "{\"auths\": {\"x\": {\"auth\": \"", "%x32==", "\"}}}"},
    {"sendgrid-key", "", "SG.%x22.%x43", ""},
    {"twilio-key", "", "SK%h32", ""},
    {"telegram-token", "bot 123456789:", "AA%x33", ""},
    {"discord-token", "", "MTk4NjIyNDgzNDcx%x8.%x6.%x27", ""},
    {"discord-webhook", "https://discord.com/api/webhooks/%918/", "%x68", ""},
    {"teams-webhook", "https://a.webhook.office.com/",
     "webhookb2/%h36@%h36/IncomingWebhook/%h32/%h36", ""},
    {"azure-secret", "", "%x3%91Q~%x31", ""},
    {"azure-storage-key", "AccountName=a;AccountKey=", "%x86==", ";"},
    {"mailchimp-key", "", "%h32-us12", ""},
    {"mailgun-key", "", "key-%h32", ""},
    {"terraform-token", "", "%x14.atlasv1.%x64", ""},
    {"vault-token", "", "hvs.%x24", ""},
    {"shopify-token", "", "shpat_%h32", ""},
    {"huggingface-token", "", "hf_%x34", ""},
    {"new-relic-key", "", "NRAK-%H27", ""},
    {"newrelic-license", "", "%h36NRAL", ""},
    {"square-token", "", "sq0atp-%x22", ""},
    {"facebook-token", "", "EAAM%x120", ""},
    {"easypost-key", "", "EZAK%x54", ""},
    {"alibaba-key", "", "LTAI%x20", ""},
    {"nuget-key", "", "oy2%a42%91", ""},
    {"yandex-key", "", "AQVN%x35", ""},
    {"age-key", "", "AGE-SECRET-KEY-1%H58", ""},
    {"onepassword-key", "", "A3-%H6-%H11-%H5-%H5-%H5", ""},
    {"openshift-token", "", "sha256~%x43", ""},
    {"flutterwave-key", "", "FLWSECK_TEST-%x12", ""},
    {"notion-token", "", "ntn_%x46", ""},
    {"databricks-token", "", "dapi%h32", ""},
    {"doppler-token", "", "dp.pt.%x43", ""},
    {"dropbox-token", "", "sl.%x130", ""},
    {"okta-token", "SSWS ", "00%x40", ""},
    {"lob-key", "", "live_%h35", ""},
    {"service-token", "", "dop_v1_%h64", ""},
    {"service-token", "", "glsa_%x32_%h8", ""},
    {"other-token", "", "pul-%h40", ""},
    {"other-token", "", "pat.%x22.%h24.%x20", ""},
    {"jwt", "", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.%x43", " x"},
    {"authorization-header", "Authorization: Bearer ", "%x30", "\r\n"},
    {"authorization-header", "-H 'authorization: Basic ", "dXNlcjpwYXNzd29yZA==", "'"},
    {"authorization-header", "with bearer ", "%x40", " now"},
    {"url-password", "postgres://user:", "pa55word", "@db.example.com/x"},
    {"url-password", "https://u:", "p%x3", "@h"},
    {"url-password", "redis://:", "hunter2", "@localhost:6379"},
    {"command-line-password", "mysql --password ", "%x12", " db"},
    {"password-assignment", "password = \"", "hunter2hunter2", "\""},
    {"password-assignment", "DB_PASSWORD=", "supersecret99", "\n"},
    {"password-assignment", "\"password\": \"", "correcthorse", "\","},
    {"password-assignment", "api_key: ", "%x32", "\n"},
    {"password-assignment", "client_secret='", "%x24", "'"},
    {"password-assignment", "secretKey := \"", "abcDEF%x9", "\""},
    {"password-assignment", "my password: ", "hunter2hunter2", " ok"},
    {"password-assignment", "config['token'] = '", "%x20", "'"},
    {"password-element", "<password>", "hunter2hunter2", "</password>"},
};

static void every_secret_goes_and_what_is_around_it_stays(void **state)
{
    (void)state;
    struct arena a = {0};
    uint64_t seed = 17;
    for (size_t i = 0; i < sizeof positives / sizeof *positives; i++)
        for (int round = 0; round < 20; round++) {
            str before = make(&a, positives[i].before, &seed),
                secret = make(&a, positives[i].secret, &seed);
            str text =
                arena_printf(&a, "%.*s%.*s%s", FMT(before), FMT(secret), positives[i].behind);
            str wanted = arena_printf(&a, "%.*s[REDACTED:%s]%s", FMT(before), positives[i].rule,
                                      positives[i].behind);
            struct redaction *counts;
            size_t count;
            str got = redact(&a, redactor, text, &counts, &count);
            if (!str_eq(got, wanted))
                fail_msg("%.*s\n  got    %.*s\n  wanted %.*s", FMT(text), FMT(got), FMT(wanted));
            assert_int_equal(count, 1);
            assert_string_equal(counts[0].rule, positives[i].rule);
            assert_int_equal(counts[0].count, 1);
            str again = redacted(&a, got);
            if (!str_eq(again, got))
                fail_msg("%.*s, then %.*s", FMT(got), FMT(again));
            arena_free(&a);
        }
}

static void every_rule_has_a_positive(void **state)
{
    (void)state;
    for (size_t rule = 0; redact_rule_name(rule); rule++) {
        bool found = false;
        for (size_t i = 0; i < sizeof positives / sizeof *positives; i++)
            found |= strcmp(positives[i].rule, redact_rule_name(rule)) == 0;
        if (!found)
            fail_msg("%s", redact_rule_name(rule));
    }
}

static void ordinary_text_stays_the_very_same(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "the password is stored hashed, the secret: never give up",
        "password = os.environ[\"DB_PASSWORD\"]",
        "password: ${DB_PASSWORD}",
        "password=$DB_PASSWORD",
        "password = \"<your password here>\"",
        "password = \"changeme-please\"",
        "password: ********",
        "token=xxxxxxxxxxxxxxxxxxxx",
        "token: string",
        "const token = getToken();",
        "const password = req.body.password1;",
        "secretName: my-app-secrets-2024",
        "token_type: \"bearer_token1\"",
        "access_token_url = \"https://x.com/oauth2/token1\"",
        "password_hash_algorithm = \"argon2id-v19\"",
        "api_key = \"YOUR_API_KEY_HERE_EXAMPLE\"",
        "max_tokens = 128000000",
        "tokenizer = \"whitespace1\"",
        "secret = config.get(\"secret_key2\")",
        "if token == \"identifier_name\":",
        "password: see 1Password vault",
        "PASSWORD_FILE=/run/secrets/db1",
        "sk-learn-is-a-fine-library-for-python",
        "task-force-alpha-beta-gamma-delta-epsilon-2",
        "the skater said, SKU 12345, sketch",
        "https://example.com/a:b@c",
        "git@github.com:user/repo.git",
        "https://user@host/path, http://localhost:8080/@x",
        "postgres://user:${PASSWORD}@host/db, https://user:<password>@host",
        "see src/token/password.c:120",
        "eyJ is how a JWT begins, AKIA is a prefix, ghp_ too",
        "Authorization: Bearer $TOKEN, authorization: Bearer <token>, bearer of bad news",
        "npm_config_registry=https://registry.npmjs.org",
        "hf_hub_download(repo_id)",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit dc8401663686aa00ffee1122334455667788aabb",
        "550e8400-e29b-41d4-a716-446655440000",
        "key-value-store-with-many-words-and-2-numbers",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----",
        "[REDACTED:github-token] password=[REDACTED:password-assignment]",
        "postgres://user:[REDACTED:url-password]@host/db",
        "re_render_component_2024_update_all, pat.ternmatching.is.nice.and.long2",
        "test_user_accounts_are_created_here_2024_for_all",
        "live_reload_server_port_number_35729",
        "private, <private, </private>",
        "Stra\xC3\x9F"
        "e \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80",
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct redaction *counts;
        size_t count;
        str text = str_of(texts[i]), got = redact(&a, redactor, text, &counts, &count);
        if (!str_eq(got, text))
            fail_msg("%s\n  became %.*s", texts[i], FMT(got));
        assert_ptr_equal(got.at, text.at);
        assert_int_equal(count, 0);
    }
    arena_free(&a);
}

static void the_more_particular_rule_names_what_two_rules_find(void **state)
{
    (void)state;
    struct arena a = {0};
    uint64_t seed = 23;
    str got =
        redacted(&a, make(&a, "api_token = \"ghp_%x36\"; Authorization: Bearer ghp_%x36", &seed));
    assert_true(str_eq(got, S("api_token = \"[REDACTED:github-token]\"; Authorization: Bearer "
                              "[REDACTED:github-token]")));
    arena_free(&a);
}

static void hits_are_counted_by_rule(void **state)
{
    (void)state;
    struct arena a = {0};
    uint64_t seed = 29;
    struct redaction *counts;
    size_t count;
    redact(&a, redactor, make(&a, "ghp_%x36 AKIA%H16 ghp_%x36 ghs_%x36", &seed), &counts, &count);
    assert_int_equal(count, 2);
    assert_string_equal(counts[0].rule, "aws-access-key");
    assert_int_equal(counts[0].count, 1);
    assert_string_equal(counts[1].rule, "github-token");
    assert_int_equal(counts[1].count, 3);
    arena_free(&a);
}

static void a_bad_byte_hides_no_secret(void **state)
{
    (void)state;
    struct arena a = {0};
    uint64_t seed = 31;
    str got = redacted(&a, arena_printf(&a, "\xFF%.*s\xE2\x82", FMT(make(&a, "ghp_%x36", &seed))));
    assert_true(str_eq(got, S("\xEF\xBF\xBD[REDACTED:github-token]\xEF\xBF\xBD")));
    got = redacted(
        &a, arena_printf(&a, "\xE6\x97\xA5%.*s\xE6\x97\xA5", FMT(make(&a, "AKIA%H16", &seed))));
    assert_true(str_eq(got, S("\xE6\x97\xA5[REDACTED:aws-access-key]\xE6\x97\xA5")));
    arena_free(&a);
}

static void a_megabyte_of_one_keyword_ends(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    static const char *const units[] = {
        "AKIA",
        "://",
        "-----BEGIN",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "eyJaaaaaaaaaaaa.",
        "password",
        "password=",
        "token_",
        "a:b@",
        "://a:",
        "xoxb-",
        "Bearer ",
        "sk-",
        "a",
        "\xC3\xA9",
        "<private",
        "hf_",
        ".q~",
        "-us1",
        "secret=\"aaaa",
        "MTaaaaaaaaaaaaaaaaaaaaaaa.",
        "--password ",
        "ops_eyJ",
        "password=\"",
        "token: ",
        "</private>",
        "-----END",
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char *text = arena_bytes(&a, BYTES);
        for (size_t k = 0; k < BYTES; k++)
            text[k] = units[i][k % strlen(units[i])];
        assert_true(utf8_valid(redacted(&a, str_from(text, BYTES))));
        arena_free(&a);
    }
}

static void any_bytes_are_taken_and_redacting_twice_is_redacting_once(void **state)
{
    (void)state;
    static const char *const pieces[] = {"password",
                                         "=",
                                         ": ",
                                         "\"",
                                         "'",
                                         "token",
                                         "://",
                                         "user:",
                                         "@",
                                         "host",
                                         "<private>",
                                         "</private>",
                                         "-----BEGIN",
                                         " RSA PRIVATE KEY-----",
                                         "-----END",
                                         "-----",
                                         "eyJ",
                                         ".",
                                         "aaaaaaaaaaaa1",
                                         "ghp_",
                                         "0123456789abcdef0123456789abcdef0123",
                                         " ",
                                         "\n",
                                         "\xFF",
                                         "\xE6\x97\xA5",
                                         "Authorization: ",
                                         "Bearer ",
                                         "[REDACTED:",
                                         "]",
                                         "$X",
                                         "-us1",
                                         "Q~",
                                         "x1y2z3w4"};
    struct arena a = {0};
    uint64_t seed = 37;
    for (int i = 0; i < 10000; i++) {
        char text[1500];
        size_t n = 0;
        for (size_t left = (size_t)(i % 25); left; left--) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            const char *piece = pieces[(seed >> 33) % (sizeof pieces / sizeof *pieces)];
            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
        }
        str once = redacted(&a, str_from(text, n)), twice = redacted(&a, once);
        assert_true(utf8_valid(once));
        if (!str_eq(once, twice))
            fail_msg("%.*s\n  became %.*s\n  then   %.*s", (int)n, text, FMT(once), FMT(twice));
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_secret_goes_and_what_is_around_it_stays),
        cmocka_unit_test(every_rule_has_a_positive),
        cmocka_unit_test(ordinary_text_stays_the_very_same),
        cmocka_unit_test(the_more_particular_rule_names_what_two_rules_find),
        cmocka_unit_test(hits_are_counted_by_rule),
        cmocka_unit_test(a_bad_byte_hides_no_secret),
        cmocka_unit_test(a_megabyte_of_one_keyword_ends),
        cmocka_unit_test(any_bytes_are_taken_and_redacting_twice_is_redacting_once),
    };
    return cmocka_run_group_tests(tests, open_redactor, close_redactor);
}
