#include "server/serve.h"

#include "server/engine.h"
#include "server/log.h"
#include "server/mcp.h"
#include "server/stdio.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Sent when a thread of the parent ends, which need not be the parent's end. */
enum { PARENT_SIGNAL = SIGUSR2 };

struct server {
    struct line_reader in;
    struct line_writer out;
    struct envelope overlong; /* of the line that is being skipped */
    struct mcp *mcp;
    struct engine *engine;
    int signals, wake;
    pid_t parent;
    enum { SERVING, DRAINING, STOPPING } phase;
    bool hung_up; /* the client closed stdin while we didn't read it */
    bool unread;  /* nobody reads stdout any more */
    bool settled;
    int64_t settle_ms, quit_ms, stall_ms; /* when; INT64_MAX: not yet known */
};

/* ---- phases ---- */

static void settle(struct server *s)
{
    s->settled = true;
    s->settle_ms = INT64_MAX;
    engine_settle(s->engine);
}

static void stop(struct server *s, const char *why)
{
    if (s->phase == STOPPING)
        return;
    log_line(LOG_INFO, "ending: %s", why);
    s->phase = STOPPING;
    s->quit_ms = monotonic_ms() + STOP_MS;
    settle(s);
}

static void drain(struct server *s)
{
    if (s->phase != SERVING)
        return;
    int64_t now_ms = monotonic_ms();
    log_line(LOG_INFO, "ending: end of input");
    s->phase = DRAINING;
    s->settle_ms = now_ms + DRAIN_START_MS;
    s->quit_ms = now_ms + DRAIN_MS;
    s->stall_ms = now_ms + STALL_MS;
    mcp_end(s->mcp);
}

/* What the clock asks for. */
static void follow_clock(struct server *s, int64_t now_ms)
{
    if (!s->settled && now_ms >= s->settle_ms)
        settle(s);
    if (s->phase == SERVING && s->hung_up && now_ms >= s->stall_ms)
        stop(s, "the client neither writes nor reads");
}

static bool is_finished(struct server *s, int64_t now_ms)
{
    bool busy = engine_is_busy(s->engine) || memory_is_writing(),
         unsent = writer_waiting(&s->out) > 0;
    if (s->phase == SERVING)
        return false;
    if (!busy && !unsent)
        return true;
    /* A transaction that began is finished: who asked may have been promised it. It is short, and
     * nothing waits in it. */
    bool too_late = now_ms >= s->quit_ms && !memory_is_writing() && (busy || s->phase == STOPPING);
    return too_late || (unsent && now_ms >= s->stall_ms);
}

/* ---- the session's port ---- */

static void port_send(void *ctx, str message)
{
    struct server *s = ctx;
    if (!s->unread)
        writer_add(&s->out, message);
}

static void port_submit(void *ctx, struct job *job)
{
    engine_submit(((struct server *)ctx)->engine, job);
}

static void port_cancel(void *ctx, uint64_t number)
{
    engine_cancel(((struct server *)ctx)->engine, number);
}

static void port_hold(void *ctx)
{
    engine_hold(((struct server *)ctx)->engine);
}

static void port_release(void *ctx, const str *root)
{
    engine_release(((struct server *)ctx)->engine, root);
}

static void port_offer_sampling(void *ctx, bool offers)
{
    engine_offer_sampling(((struct server *)ctx)->engine, offers);
}

static void port_sampled(void *ctx, const struct sampling_answer *answer)
{
    engine_sampled(((struct server *)ctx)->engine, answer);
}

/* ---- work that needs no waiting ---- */

static void follow_order(struct server *s, const struct sampling_order *order)
{
    if (order->kind == ORDER_ASK)
        mcp_sample(s->mcp, order->number, str_of(order->text));
    else
        mcp_unsample(s->mcp, order->number, str_of(order->text));
    heap_free(order->text);
}

static bool has_room(const struct server *s)
{
    return writer_waiting(&s->out) < MAX_QUEUED_BYTES;
}

static bool take_event(struct server *s)
{
    if (!has_room(s))
        return false;
    struct engine_event event = engine_take(s->engine);
    if (event.kind == EVENT_DONE)
        mcp_done(s->mcp, event.job);
    else if (event.kind == EVENT_PROGRESS)
        mcp_progress(s->mcp, event.number, event.seconds, str_of(event.what));
    else if (event.kind == EVENT_SAMPLING)
        follow_order(s, &event.order);
    return event.kind != EVENT_NONE;
}

static bool take_line(struct server *s)
{
    str line;
    if (s->phase == STOPPING || !has_room(s))
        return false;
    enum line_kind kind = reader_next(&s->in, &line);
    if (kind != LINE_NONE)
        log_line(LOG_DEBUG, "%zu bytes came", line.len);
    if (kind == LINE_WHOLE)
        mcp_line(s->mcp, line);
    else if (kind != LINE_NONE)
        envelope_add(&s->overlong, line);
    if (kind == LINE_OVERLONG_END) {
        mcp_overlong(s->mcp, &s->overlong);
        s->overlong = (struct envelope){0};
    }
    if (kind == LINE_NONE && s->in.ended)
        drain(s);
    return kind != LINE_NONE;
}

static void give_up_output(struct server *s)
{
    s->unread = true;
    writer_drop(&s->out);
    stop(s, "nobody reads stdout");
}

/* true when something went out and made room. */
static bool flush(struct server *s)
{
    size_t before = writer_waiting(&s->out);
    if (!writer_flush(&s->out))
        give_up_output(s);
    if (writer_waiting(&s->out) == before)
        return false;
    s->stall_ms = s->stall_ms == INT64_MAX ? INT64_MAX : monotonic_ms() + STALL_MS;
    return before >= MAX_QUEUED_BYTES && has_room(s);
}

/* Everything that can be done now, answers first. */
static void work(struct server *s)
{
    do {
        while (take_event(s))
            continue;
        while (take_line(s))
            continue;
    } while (flush(s));
}

/* ---- waiting ---- */

/* Until the next of our times that is still to come; -1: there is none. */
static int timeout_ms(const struct server *s, int64_t now_ms)
{
    const int64_t times[] = {s->settle_ms, s->quit_ms, s->stall_ms};
    int64_t due_ms = INT64_MAX;
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        if (times[i] > now_ms && times[i] < due_ms)
            due_ms = times[i];
    return due_ms == INT64_MAX ? -1 : (int)(due_ms - now_ms);
}

static void on_signal(struct server *s)
{
    struct signalfd_siginfo info;
    while (read(s->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != PARENT_SIGNAL)
            stop(s, strsignal((int)info.ssi_signo));
        else if (getppid() != s->parent)
            stop(s, "the parent is gone");
}

static void on_wake(struct server *s)
{
    uint64_t count;
    ssize_t ignored = read(s->wake, &count, sizeof count);
    (void)ignored;
}

/* While answers pile up stdin isn't read; only its hang-up is noticed, once. */
static void on_input(struct server *s, bool reading, short what)
{
    if (reading) {
        reader_fill(&s->in);
    } else if (what & (POLLHUP | POLLERR)) {
        s->hung_up = true;
        s->stall_ms = monotonic_ms() + STALL_MS;
    }
}

static void wait_for_something(struct server *s, int64_t now_ms)
{
    bool reading = s->phase == SERVING && !s->in.ended && has_room(s);
    bool listening = s->phase == SERVING && !s->in.ended && (reading || !s->hung_up);
    struct pollfd fds[] = {
        {.fd = s->signals, .events = POLLIN},
        {.fd = s->wake, .events = POLLIN},
        {.fd = listening ? s->in.fd : -1, .events = reading ? POLLIN : 0},
        {.fd = s->unread ? -1 : s->out.fd, .events = writer_waiting(&s->out) ? POLLOUT : 0},
    };
    if (poll(fds, sizeof(fds) / sizeof(fds[0]), timeout_ms(s, now_ms)) < 0)
        return;
    if (fds[0].revents)
        on_signal(s);
    if (fds[1].revents)
        on_wake(s);
    if (fds[2].revents)
        on_input(s, reading, fds[2].revents);
    if (fds[3].revents & (POLLERR | POLLHUP | POLLNVAL))
        give_up_output(s);
}

static void serve_until_finished(struct server *s)
{
    work(s);
    for (int64_t now_ms; !is_finished(s, now_ms = monotonic_ms());) {
        wait_for_something(s, now_ms);
        follow_clock(s, monotonic_ms());
        work(s);
    }
}

/* ---- opening and closing ---- */

/* Signals become readable; those of a broken pipe and a file over its limit become errors of the
 * call. */
static bool open_signals(struct server *s, struct err *e)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, PARENT_SIGNAL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    s->parent = getppid();
    bool ok = sigprocmask(SIG_BLOCK, &set, NULL) == 0;
    s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (!ok || s->signals < 0)
        return fail(e, ERR_IO, "signals can't be received: %s", strerror(errno));
    prctl(PR_SET_PDEATHSIG, PARENT_SIGNAL);
    if (getppid() != s->parent)
        return fail(e, ERR_IO, "the parent is gone");
    return true;
}

static bool open_server(struct server *s, const struct config *config, struct err *e)
{
    int out;
    if (!stdio_take(&s->in.fd, &out, e) || !open_signals(s, e))
        return false;
    writer_open(&s->out, out);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->wake < 0)
        return fail(e, ERR_IO, "no eventfd: %s", strerror(errno));
    s->engine = engine_open(config, s->wake);
    struct mcp_port port = {s,         port_send,    port_submit,         port_cancel,
                            port_hold, port_release, port_offer_sampling, port_sampled};
    s->mcp = mcp_open(config, &port);
    s->settle_ms = s->quit_ms = s->stall_ms = INT64_MAX;
    return true;
}

/* A thread that is stuck is left behind: nothing that it still does was acknowledged. */
static void close_server(struct server *s)
{
    enum { CLOSE_MS = 100 }; /* for closing databases where the time is used up */
    int64_t deadline_ms = monotonic_ms() + (engine_is_busy(s->engine) ? 0 : CLOSE_MS);
    if (!engine_close(s->engine, deadline_ms > s->quit_ms ? deadline_ms : s->quit_ms))
        _exit(0);
    mcp_close(s->mcp);
    reader_free(&s->in);
    writer_close(&s->out);
    close(s->signals);
    close(s->wake);
}

int serve(const struct config *config)
{
    struct server s = {0};
    struct err e = {0};
    log_open(config->log);
    if (!open_server(&s, config, &e)) {
        log_line(LOG_ERROR, "%s", e.text);
        return 4;
    }
    serve_until_finished(&s);
    close_server(&s);
    return 0;
}
