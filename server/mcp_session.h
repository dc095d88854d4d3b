/* What the parts of a session share: mcp.c reads messages and steers, mcp_answer.c sends,
 * mcp_jobs.c keeps what waits for an answer. Private to them. */
#ifndef ENGRAM_MCP_SESSION_H
#define ENGRAM_MCP_SESSION_H

#include "server/mcp.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_SERVER "io.modelcontextprotocol/serverInfo"
#define META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"

enum {
    CODE_BAD_VERSION = -32022,        /* 2026-07-28 */
    CODE_RESOURCE_NOT_FOUND = -32002, /* before it; since then CODE_INVALID_PARAMS */
    LISTS_TTL_MS = 60 * 60 * 1000,    /* our lists change with the program only */
    QUOTED_BYTES = 80,                /* of the client's own text in an error */
};

/* The order is that of time. */
enum version { NOT_YET, V_2024_11_05, V_2025_03_26, V_2025_06_18, V_2025_11_25, V_2026_07_28 };

extern const char *const mcp_version_names[];
static const enum version newest_legacy = V_2025_11_25, modern = V_2026_07_28;

/* Answers to one array of messages, sent together as an array. */
struct batch {
    struct buf out;
    size_t waiting; /* jobs whose answer belongs in it */
};

/* A request in our hands: where its answer goes and in which form. */
struct call {
    str id; /* as JSON text */
    enum version version;
    struct batch *batch; /* NULL: alone */
    json_t *params;      /* NULL where there are none */
    size_t bytes;        /* of its line */
};

/* A request that became a job. */
struct pending {
    uint64_t number;
    enum job_kind kind;
    str id; /* heap */
    enum version version;
    struct batch *batch;
    json_t *token; /* for progress; NULL: none wanted */
    size_t bytes;
    char *uri; /* of a resource; NULL for other kinds */
};

struct mcp {
    const struct config *config;
    struct mcp_port port;
    struct arena scratch; /* of one line */

    enum version version; /* that initialize agreed on */
    bool has_roots;       /* declared by the client */
    bool roots_asked;
    uint64_t roots_number; /* of the last roots/list; only its answer counts */
    bool roots_open;       /* it was not answered yet */

    bool has_sampling; /* declared by the client */
    bool offers_sampling;
    uint64_t sampling_number; /* of the question that waits for its answer; 0: none does */

    struct pending *pending;
    size_t pending_count, pending_capacity, pending_bytes;
    uint64_t last_number;

    str subscriptions[MAX_SUBSCRIPTIONS]; /* ids as JSON text; heap */
    size_t subscription_count;

    json_t *tools, *resources, *templates, *prompts; /* the lists, made when first asked for */
};

/* ---- sending (mcp_answer.c) ---- */

void mcp_send(struct mcp *m, struct buf *out); /* frees out */
void mcp_send_batch_when_complete(struct mcp *m, struct batch *b);

/* data may be NULL and is taken. */
void mcp_answer_error(struct mcp *m, const struct call *c, int code, json_t *data, str text);
void mcp_refuse(struct mcp *m, const struct call *c, int code, json_t *data, const char *format,
                ...) __attribute__((format(printf, 5, 6)));

/* What the client sent, as it may stand in an error that a model reads. */
str mcp_quoted(struct mcp *m, str text);
json_t *mcp_server_info(void);

enum cache { CACHE_PUBLIC, CACHE_PRIVATE };
void mcp_answer(struct mcp *m, const struct call *c, json_t *result); /* takes result */
void mcp_answer_cacheable(struct mcp *m, const struct call *c, json_t *result, int ttl_ms,
                          enum cache scope); /* takes result */

/* ---- looking into params (mcp_answer.c) ---- */

json_t *mcp_param(const struct call *c, const char *key);
json_t *mcp_meta_of(const json_t *params, const char *key);
str mcp_text_of(const json_t *value); /* empty where it is no string */

/* Who is talking, for memories of one conversation: the client's thread or session, else its
 * environment's. */
str mcp_session_hint(const struct mcp *m, const json_t *params);

/* ---- what the client answers (mcp_sampling.c) ---- */

/* Whether questions may be put to the client from now on; none stays open where not. */
void mcp_offer_sampling(struct mcp *m, bool offers);

/* false: it answers no question of ours. */
bool mcp_sampled(struct mcp *m, const struct message *message);

/* ---- jobs (mcp_jobs.c) ---- */

str mcp_heap_str(str s);                                 /* a copy */
void mcp_drop_pending(struct mcp *m, struct pending *p); /* after its answer or instead of one */
void on_tools_call(struct mcp *m, const struct call *c);
void on_resources_read(struct mcp *m, const struct call *c);
void on_prompts_get(struct mcp *m, const struct call *c);
void on_complete(struct mcp *m, const struct call *c);

#endif
