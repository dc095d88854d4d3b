#include "server/cli_command.h"

#include "server/background.h"

#include <stdio.h>
#include <unistd.h>

/* Work for the index is done by whoever holds background.lock: a background process, or this
 * command where there is none. */

enum {
    LOOK_MS = 50,              /* how often who waits looks */
    MAX_STANDSTILL_MS = 60000, /* of a holder with something pending, before who waits gives up */
};

static const struct cli_option index_options[] = {
    {"wait", 'w', NULL, "also wait for another process that is at it", NULL, NULL},
    {0},
};

struct indexing {
    struct memory *memory;
    struct encoder *encoder;
    int lock;
    bool shows; /* progress */
    size_t encoded;
    struct vector_counts counts; /* last seen */
};

static void show_progress(struct indexing *x)
{
    size_t done = x->counts.texts, all = done + x->counts.pending;
    if (x->shows && all)
        fprintf(stderr, "\rencoding %3zu %%  %zu of %zu texts ", done * 100 / all, done, all);
}

static bool look(struct indexing *x, struct err *e)
{
    struct arena scratch = {0};
    bool ok = memory_count_vectors(x->memory, &scratch, &x->counts, e);
    arena_free(&scratch);
    show_progress(x);
    return ok;
}

/* We hold the lock. */
static bool encode_all(struct indexing *x, struct err *e)
{
    struct text_batch batch;
    do {
        struct arena a = {0};
        batch = (struct text_batch){0};
        if (memory_pending_texts(x->memory, &a, x->encoder, &batch, e) && batch.text_count) {
            memory_encode_texts(x->encoder, &a, &batch, NULL, NULL);
            memory_put_vectors(x->memory, &batch, e);
        }
        x->encoded += e->code == ERR_NONE ? batch.encoded : 0;
        arena_free(&a);
    } while (batch.text_count && e->code == ERR_NONE && look(x, e));
    return e->code == ERR_NONE && look(x, e);
}

/* Until nothing is pending: the holder is at it, or ends, and then it's ours to do. */
static bool encode_or_wait(struct indexing *x, bool waits, struct err *e)
{
    int64_t moved_ms = monotonic_ms();
    size_t pending = SIZE_MAX;
    while (look(x, e) && x->counts.pending) {
        if (background_elect(x->lock))
            return encode_all(x, e);
        if (!waits)
            return true;
        if (x->counts.pending != pending)
            moved_ms = monotonic_ms();
        pending = x->counts.pending;
        if (monotonic_ms() - moved_ms > MAX_STANDSTILL_MS)
            return fail(e, ERR_BUSY,
                        "another process holds the project's background.lock and has encoded "
                        "nothing for %d s; %zu texts are pending",
                        MAX_STANDSTILL_MS / 1000, pending);
        sleep_for_ms(LOOK_MS);
    }
    return e->code == ERR_NONE;
}

static bool bring_up_to_date(struct cli *c, struct indexing *x, struct err *e)
{
    struct project_ref ref;
    str directory;
    if (!memory_open_encoder(&x->encoder, e) || !cli_memory(c, &x->memory, &ref, e) ||
        !projects_directory(c->projects, &c->arena, &directory, e) ||
        (x->lock = background_open_lock(directory, BACKGROUND_LOCK, e)) < 0)
        return false;
    x->shows = !c->json && isatty(STDERR_FILENO);
    bool ok = encode_or_wait(x, cli_value(c, "wait"), e);
    if (x->shows)
        fprintf(stderr, "\r\033[K");
    close(x->lock);
    return ok;
}

static void print_result(struct cli *c, const struct indexing *x, const char *encoder)
{
    if (c->json) {
        json_t *json = json_pack("{s:I, s:I, s:s}", "pending", (json_int_t)x->counts.pending,
                                 "encoded", (json_int_t)x->encoded, "encoder", encoder);
        cli_print_json(json);
        json_decref(json);
    } else if (x->counts.pending) {
        printf("%zu texts are pending; a background process is at work on them.\n",
               x->counts.pending);
    } else {
        printf("Nothing is pending. Encoded %zu text%s; the encoder is %s.\n", x->encoded,
               x->encoded == 1 ? "" : "s", encoder);
    }
}

static int run_index(struct cli *c)
{
    struct err e = {0};
    struct indexing x = {0};
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    if (!cli_open(c, &e))
        return cli_fail(c, &e);
    const char *encoder = !c->config.encoder               ? "off"
                          : !memory_encoder_is_installed() ? "not installed"
                                                           : "on";
    bool ok = strcmp(encoder, "on") != 0 || bring_up_to_date(c, &x, &e);
    memory_close_encoder(x.encoder);
    if (!ok)
        return cli_fail(c, &e);
    print_result(c, &x, encoder);
    return CLI_DONE;
}

const struct command command_index = {
    .name = "index",
    .operands = "",
    .summary = "Bring the index up to date.",
    .help = "Encodes the memories and passages that the sentence encoder hasn't seen yet, which "
            "servers leave to a\n"
            "background process. Where one is at work already, --wait waits until nothing is "
            "pending. With\n"
            "ENGRAM_ENCODER=off there is nothing to do.\n",
    .options = index_options,
    .run = run_index,
};
