#include "parsers/commit_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static struct commit_record read_message(const char *message)
{
    struct commit_record c = {0};
    commit_message_read(&arena, str_of(message), &c);
    return c;
}

/* One line for each thing that was found. */
static const char *show(const struct commit_record *c)
{
    static const char *const kinds[] = {"issue", "ticket", "url", "commit"};
    struct buf out = {0};
    for (size_t i = 0; i < c->trailer_count; i++)
        buf_printf(&out, "trailer %.*s=%.*s\n", FMT(c->trailers[i].key), FMT(c->trailers[i].value));
    for (size_t i = 0; i < c->reference_count; i++)
        buf_printf(&out, "%s %.*s\n", kinds[c->references[i].kind], FMT(c->references[i].text));
    if (c->type.len)
        buf_printf(&out, "type %.*s(%.*s)%s\n", FMT(c->type), FMT(c->scope),
                   c->is_breaking ? "!" : "");
    if (c->reverts.len || c->reverts_subject.len)
        buf_printf(&out, "reverts %.*s \"%.*s\"\n", FMT(c->reverts), FMT(c->reverts_subject));
    for (size_t i = 0; i < c->reason_count; i++)
        buf_printf(&out, "%s: %.*s\n", c->reasons[i].is_decision ? "decision" : "fact",
                   FMT(c->reasons[i].text));
    const char *text = arena_cstr(&arena, buf_str(&out));
    buf_free(&out);
    return text;
}

static void a_message_is_subject_body_and_trailers(void **state)
{
    (void)state;
    static const struct {
        const char *message, *subject, *body, *found;
    } rows[] = {
        {"", "", "", ""},
        {"one line", "one line", "", ""},
        {"\n\n  one line\n", "one line", "", ""},
        {"two\nlines\n\nbody\n\nmore\n", "two lines", "body\n\nmore", ""},
        {"s\r\n\r\nbody\r\nmore\r\n", "s", "body\nmore", ""},
        {"s\n\nbody\n\nSigned-off-by: Ann <a@b.c>\nFixes: thing\n", "s", "body",
         "trailer Signed-off-by=Ann <a@b.c>\ntrailer Fixes=thing\n"},
        {"s\n\nSigned-off-by: Ann <a@b.c>", "s", "", "trailer Signed-off-by=Ann <a@b.c>\n"},
        /* a wrapped value, and a line between that no tool wrote */
        {"s\n\nb\n\nCc: one,\n two\nAcked-by: Bob", "s", "b",
         "trailer Cc=one,\ntrailer Acked-by=Bob\n"},
        {"s\n\nb\n\n[a note]\nSigned-off-by: Ann", "s", "b", "trailer Signed-off-by=Ann\n"},
        /* prose with a colon is no trailer */
        {"s\n\nNote: this one\nis a sentence", "s", "Note: this one\nis a sentence", ""},
        {"s\n\nsee\nhttps://example.org/x", "s", "see\nhttps://example.org/x",
         "url https://example.org/x\n"},
        {"subject: alone", "subject: alone", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct commit_record c = read_message(rows[i].message);
        assert_string_equal(arena_cstr(&arena, c.subject), rows[i].subject);
        assert_string_equal(arena_cstr(&arena, c.body), rows[i].body);
        assert_string_equal(show(&c), rows[i].found);
        assert_false(c.message_cut);
    }
}

static void a_conventional_subject_has_a_type(void **state)
{
    (void)state;
    static const struct {
        const char *message, *found;
    } rows[] = {
        {"feat: add", "type feat()\n"},
        {"fix(parser): x", "type fix(parser)\n"},
        {"refactor(a/b)!: x", "type refactor(a/b)!\n"},
        {"perf: x\n\nBREAKING CHANGE: the old name is gone for good",
         "trailer BREAKING CHANGE=the old name is gone for good\ntype perf()!\n"},
        {"redis-cli: x", ""},
        {"fix parser: x", ""},
        {"fix(parser: x", ""},
        {"fix:x", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct commit_record c = read_message(rows[i].message);
        assert_string_equal(show(&c), rows[i].found);
    }
}

static void a_message_names_issues_tickets_addresses_and_commits(void **state)
{
    (void)state;
    static const struct {
        const char *message, *found;
    } rows[] = {
        {"fix it (#123)", "issue #123\n"},
        {"GH-12, owner/project#34; #12 and #12 again",
         "issue GH-12\nissue owner/project#34\nissue #12\n"},
        {"JIRA-12 and ABC-3.", "ticket JIRA-12\nticket ABC-3\n"},
        {"UTF-8, SHA-256, ISO-8859-1, RFC-2616, x86-64, CVE-2024-1", ""},
        {"a#1 &#39; #1a #1234567890 ##", ""},
        {"see https://a.org/x/1). And <http://b.org>", "url https://a.org/x/1\nurl http://b.org\n"},
        {"since 1a2b3c4 and 0123456789abcdef0123456789abcdef01234567",
         "commit 1a2b3c4\ncommit 0123456789abcdef0123456789abcdef01234567\n"},
        {"DEADBEEF1 is lower", "commit deadbeef1\n"},
        {"commit 1234567 but not 1234567 alone, nor defaced, 0x1234abcd, a1b2c3",
         "commit 1234567\n"},
        {"123e4567-e89b-12d3-a456-426614174000 color #1a2b3c4 v1.2.3a4b5c6d", ""},
        {"0123456789abcdef0123456789abcdef012345678 is too long", ""},
        {"s\n\nFixes: 1a2b3c4d (\"old subject\")\nCloses: #5",
         "trailer Fixes=1a2b3c4d (\"old subject\")\ntrailer Closes=#5\ncommit 1a2b3c4d\nissue "
         "#5\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct commit_record c = read_message(rows[i].message);
        assert_string_equal(show(&c), rows[i].found);
    }
}

static void a_revert_says_what_it_takes_back(void **state)
{
    (void)state;
    static const struct {
        const char *message, *reverts, *subject;
    } rows[] = {
        {"Revert \"add x\"\n\nThis reverts commit 1a2b3c4d5e.", "1a2b3c4d5e", "add x"},
        {"Revert \"Revert \"add x\"\"\n\nThis reverts commit 99999999.", "99999999",
         "Revert \"add x\""},
        {"Reapply \"add x\"\n\nThis reverts commit 1a2b3c4.", "1a2b3c4", "Revert \"add x\""},
        {"Revert \"add x (#1)\" (#2)", "", "add x (#1)"},
        {"revert: add x", "", "add x"},
        {"undo it\n\nReverts commit 1a2b3c4, because", "1a2b3c4", ""},
        {"Reverted the flag\n\nThis reverts nothing", "", ""},
        {"Revert 1a2b3c4 (add x, 2013-01-17)", "1a2b3c4", "1a2b3c4 (add x, 2013-01-17)"},
        {"Revert 1a2b3c4 and 5d6e7f8", "1a2b3c4 5d6e7f8", "1a2b3c4 and 5d6e7f8"},
        {"undo it\n\nThis reverts commits 1a2b3c4 (add x), 5d6e7f8, and\n99aabbc. They broke "
         "1111111.",
         "1a2b3c4 5d6e7f8 99aabbc", ""},
        {"undo it\n\nThis reverts commit\n1a2b3c4 and this is why.", "1a2b3c4", ""},
        {"undo it\n\nIt was wrong.  This effectively reverts 1A2B3C4.", "1a2b3c4", ""},
        {"undo it\n\nIn the end it is basically a revert of 1a2b3c4.", "1a2b3c4", ""},
        {"undo it\n\nSo, let's revert 1a2b3c4 and go on", "1a2b3c4", ""},
        {"undo it\n\nHence this reverts commit 1a2b3c4.", "1a2b3c4", ""},
        {"Bump it\n\n* Revert 1a2b3c4\n- This reverts 5d6e7f8\n", "1a2b3c4 5d6e7f8", ""},
        {"Bump it\n\nAs in a - Revert 1a2b3c4", "", ""},
        /* 17 of them: the first MAX_COMMIT_REVERTS */
        {"undo it\n\nThis reverts 0000001, 0000002, 0000003, 0000004, 0000005, 0000006, 0000007, "
         "0000008, 0000009, 000000a, 000000b, 000000c, 000000d, 000000e, 000000f, 0000010, 0000011",
         "0000001 0000002 0000003 0000004 0000005 0000006 0000007 0000008 0000009 000000a 000000b "
         "000000c 000000d 000000e 000000f 0000010",
         ""},
        {"undo it\n\nThis reverts commit 1a2b3c4, reversing\nchanges made to 5d6e7f8.", "1a2b3c4",
         ""},
        /* a part is not the whole, and what could be done wasn't */
        {"undo it\n\nThis reverts most of 1a2b3c4", "", ""},
        {"undo it\n\nThis partially reverts commit 1a2b3c4", "", ""},
        {"undo it\n\nIf we revert 1a2b3c4, it fails. I tested by reverting 1a2b3c4.", "", ""},
        {"undo it\n\nThis is a remake of the reverted 1a2b3c4", "", ""},
        /* examples, and what others did */
        {"revert: refer to commits\n\nThe message is then\n\n    This reverts commit 1a2b3c4.", "",
         "refer to commits"},
        {"Merge branch 'x'\n\nRevert 1a2b3c4", "", ""},
        {"plain", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct commit_record c = read_message(rows[i].message);
        assert_string_equal(arena_cstr(&arena, c.reverts), rows[i].reverts);
        assert_string_equal(arena_cstr(&arena, c.reverts_subject), rows[i].subject);
    }
}

static void sentences_that_say_why_are_reasons(void **state)
{
    (void)state;
    static const struct {
        const char *message, *found;
    } rows[] = {
        {"s\n\nWe retry three times\nbecause the server drops\nidle connections. Then we stop.",
         "fact: We retry three times because the server drops idle connections.\n"},
        {"use a heap instead of a sorted list", "decision: use a heap instead of a sorted list\n"},
        {"s\n\nThe lock is taken first so that readers never wait. Fixes #12.",
         "issue #12\ndecision: The lock is taken first so that readers never wait.\n"},
        {"s\n\n> because of what you wrote to me\n\n    because code says so in here\n\nNothing "
         "else.",
         ""},
        {"s\n\nThere are many of them, so that's fine with us. And so that\xE2\x80\x99s it then.",
         ""},
        {"s\n\nthe becausexx word isn't one of them", ""},
        {"s\n\n- to avoid a copy of each row\n- plain item of this list",
         "decision: to avoid a copy of each row\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct commit_record c = read_message(rows[i].message);
        assert_string_equal(show(&c), rows[i].found);
    }
}

static const char *repeat(const char *piece, size_t bytes)
{
    size_t length = strlen(piece), count = bytes / length + 1;
    char *text = arena_bytes(&arena, count * length + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * length, piece, length);
    text[count * length] = '\0';
    return text;
}

/* Each of these is read in a moment, within its bounds, and says that it was cut. */
static void huge_messages_are_cut(void **state)
{
    (void)state;
    enum { HUGE_BYTES = 5 << 20 };
    static const char *const pieces[] = {"x",
                                         "a-",
                                         "a/",
                                         "word ",
                                         "line\n",
                                         "a\n\n",
                                         "#1 ",
                                         "Key: v\n",
                                         "Signed-off-by: x\n",
                                         "because it is so that way. ",
                                         "1a2b3c4 ",
                                         "\xF0\x9F\x92\xA5",
                                         "Revert \"",
                                         "http://",
                                         "(((",
                                         "AB-1 "};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct arena mark = arena;
        const char *lines = repeat(pieces[i], HUGE_BYTES);
        struct commit_record c = read_message(arena_printf(&arena, "%s\n\n%s", lines, lines).at);
        assert_true(c.message_cut);
        assert_true(c.subject.len <= MAX_COMMIT_SUBJECT_BYTES);
        assert_true(c.body.len <= MAX_COMMIT_BODY_BYTES);
        assert_true(c.trailer_count <= MAX_COMMIT_TRAILERS);

        struct buf packed = {0};
        struct commit_record again;
        struct err e = {0};
        c.id = S("0123456789abcdef0123456789abcdef01234567");
        commit_record_write(&packed, &c);
        if (!commit_record_read(&arena, buf_str(&packed), &again, &e))
            fail_msg("\"%s\" often: %s", pieces[i], e.text);
        buf_free(&packed);
        arena_rewind(&arena, mark);
    }
}

static void trailers_behind_a_huge_body_are_found(void **state)
{
    (void)state;
    const char *body = repeat("some words\n", 5 << 20);
    struct commit_record c =
        read_message(arena_printf(&arena, "s\n\n%s\nSigned-off-by: Ann <a@b.c>\n", body).at);
    assert_int_equal(c.trailer_count, 1);
    assert_true(c.message_cut);
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_message_is_subject_body_and_trailers, tear_down),
        cmocka_unit_test_teardown(a_conventional_subject_has_a_type, tear_down),
        cmocka_unit_test_teardown(a_message_names_issues_tickets_addresses_and_commits, tear_down),
        cmocka_unit_test_teardown(a_revert_says_what_it_takes_back, tear_down),
        cmocka_unit_test_teardown(sentences_that_say_why_are_reasons, tear_down),
        cmocka_unit_test_teardown(huge_messages_are_cut, tear_down),
        cmocka_unit_test_teardown(trailers_behind_a_huge_body_are_found, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
