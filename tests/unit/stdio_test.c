#include "server/stdio.h"

#include "memory/base/arena.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_str(str seen, const char *wanted)
{
    if (!str_eq(seen, str_of(wanted)))
        fail_msg("seen \"%.*s\", wanted \"%s\"", FMT(seen), wanted);
}

/* A reader over a pipe, and the end to write to. */
static struct line_reader reader_over_pipe(int *feed)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    *feed = fds[1];
    return (struct line_reader){.fd = fds[0]};
}

static void feed_text(int feed, const char *text)
{
    assert_int_equal(write(feed, text, strlen(text)), (ssize_t)strlen(text));
}

/* ---- lines in ---- */

static void lines_come_whole_however_they_are_cut(void **state)
{
    (void)state;
    int feed;
    struct line_reader r = reader_over_pipe(&feed);
    str line;
    const char *text = "one\r\n\ntwo\nthr";
    for (const char *c = text; *c; c++) {
        feed_text(feed, (char[]){*c, '\0'});
        reader_fill(&r);
    }
    assert_int_equal(reader_next(&r, &line), LINE_WHOLE);
    assert_str(line, "one");
    assert_int_equal(reader_next(&r, &line), LINE_WHOLE);
    assert_str(line, "");
    assert_int_equal(reader_next(&r, &line), LINE_WHOLE);
    assert_str(line, "two");
    assert_int_equal(reader_next(&r, &line), LINE_NONE);
    close(feed);
    reader_fill(&r);
    assert_true(r.ended);
    assert_int_equal(reader_next(&r, &line), LINE_WHOLE);
    assert_str(line, "thr");
    assert_int_equal(reader_next(&r, &line), LINE_NONE);
    reader_free(&r);
}

/* Writes and reads in turn until all of `bytes` went through; counts what reader_next gave. */
static void pump(struct line_reader *r, int feed, size_t bytes, size_t *pieces, size_t *ends,
                 size_t *seen)
{
    static char block[32 * 1024];
    memset(block, 'x', sizeof block);
    str line;
    for (size_t done = 0; done < bytes;) {
        size_t now = bytes - done < sizeof block ? bytes - done : sizeof block;
        assert_int_equal(write(feed, block, now), (ssize_t)now);
        done += now;
        reader_fill(r);
        for (enum line_kind kind; (kind = reader_next(r, &line)) != LINE_NONE;) {
            *pieces += kind == LINE_OVERLONG;
            *ends += kind == LINE_OVERLONG_END;
            *seen += line.len;
        }
    }
}

static void an_overlong_line_comes_in_pieces_and_the_next_one_whole(void **state)
{
    (void)state;
    int feed;
    struct line_reader r = reader_over_pipe(&feed);
    size_t pieces = 0, ends = 0, seen = 0, bytes = MAX_LINE_BYTES + 1000 * 1000;
    pump(&r, feed, bytes, &pieces, &ends, &seen);
    assert_true(pieces > 1);
    assert_int_equal(ends, 0);
    feed_text(feed, "end\nnext\n");
    reader_fill(&r);
    str line;
    assert_int_equal(reader_next(&r, &line), LINE_OVERLONG_END);
    assert_int_equal(seen + line.len, bytes + 3);
    assert_int_equal(reader_next(&r, &line), LINE_WHOLE);
    assert_str(line, "next");
    close(feed);
    reader_fill(&r);
    assert_true(r.buf.capacity < MAX_LINE_BYTES); /* memory was given back */
    reader_free(&r);
}

static void a_line_of_exactly_the_limit_is_whole(void **state)
{
    (void)state;
    int feed;
    struct line_reader r = reader_over_pipe(&feed);
    size_t pieces = 0, ends = 0, seen = 0;
    pump(&r, feed, MAX_LINE_BYTES, &pieces, &ends, &seen);
    assert_int_equal(pieces + ends + seen, 0);
    feed_text(feed, "\n");
    reader_fill(&r);
    str line;
    assert_int_equal(reader_next(&r, &line), LINE_WHOLE);
    assert_int_equal(line.len, MAX_LINE_BYTES);
    close(feed);
    reader_free(&r);
}

static void a_bad_descriptor_is_an_end(void **state)
{
    (void)state;
    struct line_reader r = {.fd = -1};
    reader_fill(&r);
    assert_true(r.ended);
    buf_free(&r.buf);
}

/* ---- messages out ---- */

/* Fills until nothing goes any more, then reads all of it back. */
static void write_more_than_fits(int out, int in)
{
    struct line_writer w;
    int flags = fcntl(out, F_GETFL);
    int kept = dup(out);
    writer_open(&w, out);
    size_t message = 100 * 1000, count = 20;
    char *text = heap_alloc(message, 1);
    memset(text, 'y', message);
    for (size_t i = 0; i < count; i++)
        writer_add(&w, (str){text, message});
    assert_true(writer_flush(&w));
    assert_true(writer_waiting(&w) > 0);
    assert_int_equal(fcntl(kept, F_GETFL), flags); /* who shares it isn't disturbed */
    size_t got = 0, lines = 0;
    while (got < count * (message + 1)) {
        char block[4096];
        ssize_t n = read(in, block, sizeof block);
        assert_true(n > 0);
        for (ssize_t i = 0; i < n; i++)
            lines += block[i] == '\n';
        got += (size_t)n;
        assert_true(writer_flush(&w));
    }
    assert_int_equal(writer_waiting(&w), 0);
    assert_int_equal(lines, count);
    heap_free(text);
    close(kept);
    writer_close(&w);
}

static void a_full_pipe_never_blocks(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    write_more_than_fits(fds[1], fds[0]);
    close(fds[0]);
}

static void a_full_socket_never_blocks(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    write_more_than_fits(fds[1], fds[0]);
    close(fds[0]);
}

static void a_pipe_in_small_pieces_never_blocks(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    struct line_writer w = {.fd = fds[1], .how = WRITE_SMALL};
    char text[3000] = {0};
    for (int i = 0; i < 1000; i++)
        writer_add(&w, (str){text, sizeof text});
    assert_true(writer_flush(&w));
    assert_true(writer_waiting(&w) > 0);
    close(fds[0]);
    writer_close(&w);
}

static void a_reader_that_left_is_told(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    struct line_writer w;
    writer_open(&w, fds[1]);
    close(fds[0]);
    writer_add(&w, S("hello"));
    assert_false(writer_flush(&w));
    writer_drop(&w);
    assert_true(writer_flush(&w));
    writer_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_whole_however_they_are_cut),
        cmocka_unit_test(an_overlong_line_comes_in_pieces_and_the_next_one_whole),
        cmocka_unit_test(a_line_of_exactly_the_limit_is_whole),
        cmocka_unit_test(a_bad_descriptor_is_an_end),
        cmocka_unit_test(a_full_pipe_never_blocks),
        cmocka_unit_test(a_full_socket_never_blocks),
        cmocka_unit_test(a_pipe_in_small_pieces_never_blocks),
        cmocka_unit_test(a_reader_that_left_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
