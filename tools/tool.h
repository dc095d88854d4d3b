/* What a tool is to the server: a row with its definition and its functions. JSON in, JSON out;
 * knows neither stdio nor SQL. */
#ifndef ENGRAM_TOOL_H
#define ENGRAM_TOOL_H

#include "memory/facts.h"
#include "memory/memory.h"

#include <jansson.h>

/* Which project a reply speaks of: {id, name, root} in every reply. Borrowed for the request. */
struct project_ref {
    str id, name, root;
};

/* What the caller of a tool (server or command line) lends to it. Functions return false with *e
 * set. */
struct services {
    void *ctx;
    /* The memory of the caller's own project (wanted is empty), or of one in the registry by id or
     * name. Opens it at the first use. */
    bool (*project)(void *ctx, str wanted, struct memory **memory, struct project_ref *ref,
                    struct err *e);
    /* Opens a regular file beneath the caller's project root for reading (openat2, no links out);
     * *relative is its path from the root, in the request's arena. The caller closes fd. ERR_INPUT
     * / ERR_NOT_FOUND name the path. */
    bool (*open_file)(void *ctx, struct arena *a, str path, int *fd, str *relative, struct err *e);
    /* Which commit made a line of a file (path below `root`, the caller's worktree). Empty where
     * none did, and where that can't be told: another worktree, no git, switched off, not in time.
     * May take seconds at the first question on a file: hold nothing meanwhile. */
    void (*blame)(void *ctx, struct arena *a, str root, str path, uint32_t line,
                  struct line_origin *out);
    /* NULL, or asks whether the client took the request back. */
    bool (*cancelled)(void *ctx);
    bool fetches; /* the user lets pages be attached */
};

struct request {
    struct arena *arena; /* lives until the reply is written */
    int64_t now_ms;
    enum origin origin; /* ORIGIN_AGENT over MCP, ORIGIN_USER by command line */
    str session; /* hint from _meta or the environment; the call's own `session` wins; may be empty
                  */
    str branch, head; /* of the caller's worktree; may be empty */
    struct services *services;
    struct model_query *models; /* of this request; NULL: no model is asked */
    bool features; /* recall: also the rows that the ranker is fitted from (command line only) */
};

/* A page that must be fetched before it can be parsed. */
struct page_order {
    str url;
    str etag, modified; /* of what is stored, to be sent along; then as the server says */
    str hash;           /* of the bytes that came */
    bool is_unchanged;  /* since `etag` or `modified`: nothing came */
};

/* A document that must be parsed before the tool can answer. The server gives fd to a parse worker
 * while other calls go on. */
struct parse_order {
    int fd;   /* the bytes; closed by whoever runs the order; -1: they have to be fetched */
    str name; /* for messages; chooses the format of what isn't fetched */
    str hash; /* of the bytes, for quarantine */
    struct page_order *page; /* NULL, or filled by whoever runs the order */
    bool strike; /* set by whoever ran the order: the content itself was at fault (crash, deadline,
                    memory) */
    void *state; /* the tool's own, in the order's arena */
    struct arena *arena; /* heap-made for the order, outlives the request; freed by whoever runs the
                            order, after resume */
};

struct tool_reply {
    json_t *structured;        /* new reference; an object; the structuredContent */
    str text;                  /* the same data for readers of text only, in the request's arena */
    struct parse_order *order; /* set instead of the above when a document must be parsed first */
    bool again; /* of resume: some of the work is done; call it again with the same, others first */
    bool waits; /* of call: set instead of the above when r->models has a question that must be
                   asked first; then call it again with the same */
};

struct tool {
    const char *name;
    const char *json; /* name, title, description, inputSchema, outputSchema, annotations, _meta as
                         tools/list sends them */
    /* false with *e: the server sends isError with e->text. Arguments were checked against
     * inputSchema before. */
    bool (*call)(struct request *r, const json_t *arguments, struct tool_reply *reply,
                 struct err *e);
    /* After the parse: facts, or NULL with *parse_error. Called until reply->again is false; with
     * *parse_error instead of facts it gives up what it had begun. NULL for tools that never order
     * a parse. */
    bool (*resume)(struct request *r, struct parse_order *order, const struct facts *facts,
                   const struct err *parse_error, struct tool_reply *reply, struct err *e);
    /* The wait is over before the parse is: what to answer now; resume still follows, its reply is
     * dropped. */
    bool (*pend)(struct request *r, struct parse_order *order, struct tool_reply *reply,
                 struct err *e);
};

extern const struct tool tools[];
extern const size_t tool_count;

const struct tool *tool_find(str name);

/* Checks `arguments` (NULL counts as {}) against the tool's inputSchema: type, required, enum,
 * minimum, maximum, maxLength (in bytes), maxItems, additionalProperties false. A string where an
 * object, array, number or boolean is due is parsed as JSON first (some clients send them so):
 * *checked is a new reference with those put right. ERR_INPUT names the field, the value and what
 * is wanted. */
bool tool_check_arguments(const struct tool *t, json_t *arguments, json_t **checked, struct err *e);

#endif
