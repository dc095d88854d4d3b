/* How a parse worker and its parent talk: one stream socket, jobs one way, replies the other, in
 * turn. Integers are little-endian; neither side trusts the other's.
 *
 * - job: "EGJ1" | kind u32 | length u32 | name
 *   with the document's descriptor on the first byte (SCM_RIGHTS)
 *
 * - reply: "EGR1" | status u32 | length u32 | bytes
 *   status 0: what facts_write wrote; else an err_code, whose text the bytes are
 */
#ifndef ENGRAM_PARSE_WIRE_H
#define ENGRAM_PARSE_WIRE_H

#include "memory/facts.h"

enum {
    WORKER_SOCKET = 3, /* the worker's descriptor */
    WIRE_HEADER_BYTES = 12,
    MAX_JOB_NAME_BYTES = 4096,
    MAX_REPLY_BYTES = MAX_FACTS_BYTES,
};

/* Exit codes of a worker. A crash of the sanitizers gives 1, or a signal; no memory gives 70
 * (memory/base/arena.h). */
enum {
    WORKER_DONE = 0,
    WORKER_USAGE = 2,
    WORKER_SETUP = 3,
    WORKER_PROTOCOL = 4,
    WORKER_NO_MEMORY = 70
};

/* The address sanitizer needs what a worker otherwise does without: terabytes of address space,
 * being traced, its settings. */
#ifdef __SANITIZE_ADDRESS__
#define UNDER_SANITIZER true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZER true
#endif
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER false
#endif

enum parse_kind { PARSE_DOCUMENT = 1 };

struct parse_job {
    uint32_t kind; /* enum parse_kind, unchecked */
    str name;
    int fd; /* the receiver closes it */
};

struct reply_header {
    uint32_t status; /* enum err_code */
    uint32_t length; /* at most MAX_REPLY_BYTES */
};

/* false with errno where the worker is gone. The job is smaller than any socket's buffer. */
bool wire_send_job(int socket, const struct parse_job *job);

/* Waits for the next job. WIRE_END: the parent hung up; WIRE_BAD: what came is no job. */
enum wire_result { WIRE_JOB, WIRE_END, WIRE_BAD };
enum wire_result wire_receive_job(struct arena *a, int socket, struct parse_job *job);

/* false with errno where the parent is gone. */
bool wire_send_reply(int socket, enum err_code status, str bytes);

/* false for what is no header of a reply. */
bool wire_read_reply(const char bytes[WIRE_HEADER_BYTES], struct reply_header *out);

#endif
