#include "server/worker/http.h"

#include "server/http_wire.h"
#include "server/parse_wire.h"
#include "server/worker/limits.h"

#include <fcntl.h>
#include <signal.h>

enum { MAX_REQUEST_CPU_SECONDS = 20 };

/* false where the parent is gone or says what is no request; *code is what to end with. */
static bool receive(struct arena *a, struct http_request *request, int *code)
{
    char head[HTTP_WIRE_HEAD_BYTES];
    size_t length;
    *code = WORKER_DONE;
    if (!wire_receive_all(WORKER_SOCKET, head, sizeof head))
        return false;
    *code = WORKER_PROTOCOL;
    if (!http_wire_read_head(head, &length))
        return false;
    char *bytes = arena_bytes(a, length);
    return wire_receive_all(WORKER_SOCKET, bytes, length) &&
           http_wire_read_request(a, str_from(bytes, length), request);
}

static bool answer(struct arena *a, const struct http_request *request)
{
    struct http_response response;
    struct err e = {0};
    struct buf packed = {.max_bytes = MAX_HTTP_ANSWER_BYTES};
    limits_grant_cpu(MAX_REQUEST_CPU_SECONDS);
    bool ok = http_fetch(a, request, &response, &e);
    if (ok)
        http_wire_write_answer(&packed, &response);
    if (packed.overflow)
        ok = fail(&e, ERR_LIMIT, "its headers have more than %d bytes", MAX_HTTP_FIELDS_BYTES);
    bool sent = wire_send_reply(WORKER_SOCKET, ok ? ERR_NONE : e.code,
                                ok ? buf_str(&packed) : str_of(e.text));
    buf_free(&packed);
    return sent;
}

/* false when there is nothing more to do; *code is what to end with. */
static bool serve(struct http_connections *kept, int *code)
{
    struct arena a = {0};
    struct http_request request;
    bool ok = receive(&a, &request, code);
    if (ok) {
        request.kept = kept;
        *code = WORKER_DONE;
        ok = answer(&a, &request);
    }
    arena_free(&a);
    return ok;
}

int worker_http(char **operands)
{
    int code;
    (void)operands;
    if (!wire_is_socket(WORKER_SOCKET) || fcntl(WORKER_SOCKET, F_SETFD, FD_CLOEXEC) != 0)
        return WORKER_USAGE;
    if (!limits_set())
        return WORKER_SETUP;
    signal(SIGPIPE, SIG_IGN); /* of a server that hangs up */
    struct http_connections *kept = http_connections_open();
    while (serve(kept, &code))
        continue;
    http_connections_close(kept);
    return code;
}
