/* The Model Context Protocol as a function of text: a line in, messages out. No thread, no clock,
 * no descriptor: what a session can't answer by itself it submits as a job, whose answer comes back
 * by mcp_done.
 *
 * Both eras at once, decided per message: params._meta["io.modelcontextprotocol/protocolVersion"]
 * makes it one of 2026-07-28, everything else belongs to the connection that `initialize` opened
 * (2024-11-05 to 2025-11-25). */
#ifndef ENGRAM_MCP_H
#define ENGRAM_MCP_H

#include "server/config.h"
#include "server/job.h"
#include "server/jsonrpc.h"
#include "server/sampling.h"

enum {
    MAX_BATCH = 1000,             /* messages in one array (2025-03-26) */
    MAX_PENDING = 1000,           /* jobs that wait or run; more are refused */
    MAX_PENDING_BYTES = 64 << 20, /* lines of theirs */
    MAX_SUBSCRIPTIONS = 64,
    MAX_INSTRUCTIONS_BYTES = 1500,
};

/* What the session asks of whoever drives it. Nothing calls back into the session. */
struct mcp_port {
    void *ctx;
    /* One message, without its newline; copied before it returns. */
    void (*send)(void *ctx, str message);
    /* The job is the driver's until it is handed to mcp_done. */
    void (*submit)(void *ctx, struct job *job);
    /* The client took a job back: mcp_done may follow or not. */
    void (*cancel)(void *ctx, uint64_t number);
    /* roots/list was sent: jobs wait for its answer, for a moment. */
    void (*hold)(void *ctx);
    /* The answer came: the first file root, empty where there is none; NULL where the client failed
     * to answer. */
    void (*release)(void *ctx, const str *root);
    /* The client takes questions to its model by mcp_sample, or no more. */
    void (*offer_sampling)(void *ctx, bool offers);
    /* What came of one; its result is the driver's. */
    void (*sampled)(void *ctx, const struct sampling_answer *answer);
};

struct mcp;

/* What a model reads about this server before any tool. */
extern const char mcp_instructions[];

struct mcp *mcp_open(const struct config *config,
                     const struct mcp_port *port); /* config is borrowed */
void mcp_close(struct mcp *m);

/* One line from the client, without its newline. A blank one is no message. */
void mcp_line(struct mcp *m, str line);

/* A line that was longer than may be read. */
void mcp_overlong(struct mcp *m, const struct envelope *v);

/* The job has its answer, which is sent unless the client took the request back. Frees the job. */
void mcp_done(struct mcp *m, struct job *job);

/* A job that wants_progress still waits, `seconds` (growing, above 0) after it began. */
void mcp_progress(struct mcp *m, uint64_t number, int64_t seconds, str what);

/* Sends a question to the client's model; params are those of sampling/createMessage as JSON text.
 * Its answer comes by the port, but for one that was taken back, which the client is told. */
void mcp_sample(struct mcp *m, uint64_t number, str params);
void mcp_unsample(struct mcp *m, uint64_t number, str reason);

/* No line comes any more: ends what would go on for ever (subscriptions) and what waits for one. */
void mcp_end(struct mcp *m);

#endif
