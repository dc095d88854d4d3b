#include "server/parse_wire.h"

#include "memory/base/pack.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static const char JOB_MAGIC[4] = "EGJ1", REPLY_MAGIC[4] = "EGR1";

static void put_u32(char *to, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        to[i] = (char)(v >> 8 * i);
}

static uint32_t get_u32(const char *from)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v |= (uint32_t)(unsigned char)from[i] << 8 * i;
    return v;
}

static void put_header(char to[WIRE_HEADER_BYTES], const char magic[4], uint32_t first,
                       uint32_t second)
{
    memcpy(to, magic, 4);
    put_u32(to + 4, first);
    put_u32(to + 8, second);
}

bool wire_is_socket(int fd)
{
    int type;
    socklen_t length = sizeof type;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

static bool send_all(int socket, str bytes)
{
    while (bytes.len) {
        ssize_t n = send(socket, bytes.at, bytes.len, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        bytes = str_cut(bytes, n > 0 ? (size_t)n : 0, bytes.len);
    }
    return true;
}

bool wire_receive_all(int socket, char *to, size_t bytes)
{
    while (bytes) {
        ssize_t n = recv(socket, to, bytes, 0);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        to += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Room for one descriptor beside a message. */
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

bool wire_send_job(int socket, const struct parse_job *job)
{
    char header[WIRE_HEADER_BYTES];
    put_header(header, JOB_MAGIC, job->kind, (uint32_t)job->name.len);

    union control control = {0};
    struct iovec part = {header, sizeof header};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof job->fd);
    memcpy(CMSG_DATA(c), &job->fd, sizeof job->fd);

    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent >= 0 && send_all(socket, str_from(header + sent, sizeof header - (size_t)sent)) &&
           send_all(socket, job->name);
}

/* The descriptor that came along; further ones are closed. -1 where there is none. */
static int take_descriptor(struct msghdr *message)
{
    int taken = -1;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= c->cmsg_len; at += sizeof(int)) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + at, sizeof fd);
            if (taken < 0)
                taken = fd;
            else
                close(fd);
        }
    }
    return taken;
}

static uint32_t max_name_bytes(uint32_t kind)
{
    bool is_list = kind == PARSE_SOURCES || kind == PARSE_HISTORY || kind == PARSE_BLAME ||
                   kind == PARSE_ANCESTRY;
    return is_list ? MAX_JOB_LIST_BYTES : MAX_JOB_NAME_BYTES;
}

enum wire_result wire_receive_job(struct arena *a, int socket, struct parse_job *job)
{
    char header[WIRE_HEADER_BYTES];
    union control control = {0};
    struct iovec part = {header, sizeof header};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return got == 0 || errno == ECONNRESET ? WIRE_END : WIRE_BAD;

    *job = (struct parse_job){.fd = take_descriptor(&message)};
    bool ok = job->fd >= 0 && wire_receive_all(socket, header + got, sizeof header - (size_t)got) &&
              memcmp(header, JOB_MAGIC, sizeof JOB_MAGIC) == 0;
    uint32_t length = ok ? get_u32(header + 8) : 0;
    job->kind = ok ? get_u32(header + 4) : 0;
    ok = ok && length <= max_name_bytes(job->kind);
    if (ok) {
        char *name = arena_bytes(a, length);
        job->name = str_from(name, length);
        ok = wire_receive_all(socket, name, length);
    }
    if (!ok && job->fd >= 0)
        close(job->fd);
    return ok ? WIRE_JOB : WIRE_BAD;
}

bool wire_send_reply(int socket, uint32_t status, str bytes)
{
    char header[WIRE_HEADER_BYTES];
    put_header(header, REPLY_MAGIC, status, (uint32_t)bytes.len);
    return send_all(socket, str_from(header, sizeof header)) && send_all(socket, bytes);
}

bool wire_read_reply(const char bytes[WIRE_HEADER_BYTES], size_t max_bytes,
                     struct reply_header *out)
{
    *out = (struct reply_header){get_u32(bytes + 4), get_u32(bytes + 8)};
    return memcmp(bytes, REPLY_MAGIC, sizeof REPLY_MAGIC) == 0 &&
           (out->status <= ERR_CANCELLED || out->status == REPLY_BEGUN ||
            out->status == REPLY_MORE) &&
           out->length <= max_bytes;
}

/* ---- lists of sources: count u32 | path, known | ... ---- */

void wire_write_sources(struct buf *out, const struct wire_source *sources, size_t count)
{
    pack_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        pack_text(out, sources[i].path);
        pack_text(out, sources[i].known);
    }
}

bool wire_read_sources(struct arena *a, str list, struct wire_source **sources, size_t *count)
{
    enum { MIN_SOURCE_BYTES = 8 };
    struct unpack u = {list, false};
    *count = unpack_count(&u, MAX_JOB_SOURCES, MIN_SOURCE_BYTES);
    *sources = ARENA_ARRAY(a, struct wire_source, *count);
    for (size_t i = 0; i < *count; i++) {
        (*sources)[i].path = unpack_text(&u);
        (*sources)[i].known = unpack_text(&u);
    }
    return unpack_done(&u);
}

static void pack_ids(struct buf *out, const str *ids, size_t count)
{
    pack_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        pack_text(out, ids[i]);
}

static str *unpack_ids(struct arena *a, struct unpack *u, size_t *count)
{
    enum { MIN_ID_BYTES = 4 };
    *count = unpack_count(u, MAX_JOB_COMMITS, MIN_ID_BYTES);
    str *ids = ARENA_ARRAY(a, str, *count);
    for (size_t i = 0; i < *count; i++)
        ids[i] = unpack_text(u);
    return ids;
}

void wire_write_history(struct buf *out, const struct wire_history *ask)
{
    pack_text(out, ask->root);
    pack_u32(out, ask->most);
    pack_u32(out, ask->lines_for);
    pack_ids(out, ask->tips, ask->tip_count);
    pack_u32(out, ask->from_branches);
}

bool wire_read_history(struct arena *a, str job, struct wire_history *ask)
{
    struct unpack u = {job, false};
    *ask = (struct wire_history){.root = unpack_text(&u)};
    ask->most = unpack_u32(&u);
    ask->lines_for = unpack_u32(&u);
    ask->tips = unpack_ids(a, &u, &ask->tip_count);
    ask->from_branches = unpack_below(&u, 2);
    return unpack_done(&u);
}

void wire_write_ancestry(struct buf *out, const uint8_t *ancestry, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pack_u32(out, ancestry[i]);
}

bool wire_read_ancestry(str reply, uint8_t *ancestry, size_t count)
{
    struct unpack u = {reply, false};
    for (size_t i = 0; i < count; i++)
        ancestry[i] = (uint8_t)unpack_below(&u, WIRE_ANCESTRY_COUNT);
    return unpack_done(&u);
}

/* ---- blame: root, path, line u32; and back:
 * head | line u32 | count u32 | id, path, cut u32 | ... | count u32 | maker u32, line u32 | ...
 * ---- */

void wire_write_blame(struct buf *out, const struct wire_blame *ask)
{
    pack_text(out, ask->root);
    pack_text(out, ask->path);
    pack_u32(out, ask->line);
}

bool wire_read_blame(str job, struct wire_blame *ask)
{
    struct unpack u = {job, false};
    *ask = (struct wire_blame){.root = unpack_text(&u)};
    ask->path = unpack_text(&u);
    ask->line = unpack_u32(&u);
    return unpack_done(&u) && ask->path.len && ask->path.len <= MAX_BLAME_PATH_BYTES;
}

void wire_write_blamed(struct buf *out, const struct wire_blamed *b)
{
    pack_text(out, b->head);
    pack_u32(out, b->line_at_head);
    pack_u32(out, (uint32_t)b->maker_count);
    for (size_t i = 0; i < b->maker_count; i++) {
        pack_text(out, b->makers[i].id);
        pack_text(out, b->makers[i].path);
        pack_u32(out, b->makers[i].is_cut);
    }
    pack_u32(out, (uint32_t)b->line_count);
    for (size_t i = 0; i < b->line_count; i++) {
        pack_u32(out, b->lines[i].maker);
        pack_u32(out, b->lines[i].line);
    }
}

static bool is_object_id(str id)
{
    enum { OBJECT_ID_DIGITS = 40 };
    for (size_t i = 0; i < id.len; i++)
        if (!((id.at[i] >= '0' && id.at[i] <= '9') || (id.at[i] >= 'a' && id.at[i] <= 'f')))
            return false;
    return id.len == OBJECT_ID_DIGITS;
}

bool wire_read_blamed(struct arena *a, str reply, struct wire_blamed *b)
{
    enum { MIN_MAKER_BYTES = 12, LINE_BYTES = 8 };
    struct unpack u = {reply, false};
    *b = (struct wire_blamed){.head = unpack_text(&u)};
    bool ok = !b->head.len || is_object_id(b->head);
    b->line_at_head = unpack_u32(&u);
    b->maker_count = unpack_count(&u, MAX_BLAMED_LINES, MIN_MAKER_BYTES);
    b->makers = ARENA_ARRAY(a, struct wire_maker, b->maker_count);
    for (size_t i = 0; i < b->maker_count; i++) {
        struct wire_maker *m = &b->makers[i];
        m->id = unpack_text(&u);
        m->path = unpack_text(&u);
        m->is_cut = unpack_below(&u, 2);
        ok = ok && is_object_id(m->id) && m->path.len && m->path.len <= MAX_BLAME_PATH_BYTES;
    }
    b->line_count = unpack_count(&u, MAX_BLAMED_LINES, LINE_BYTES);
    b->lines = ARENA_ARRAY(a, struct wire_made, b->line_count);
    for (size_t i = 0; i < b->line_count; i++) {
        struct wire_made *l = &b->lines[i];
        l->maker = unpack_u32(&u);
        l->line = unpack_u32(&u);
        ok = ok && (l->maker == NO_MAKER || (l->maker < b->maker_count && l->line));
    }
    return unpack_done(&u) && ok;
}
