/* One way to fail: a code that callers decide on and a text that tells an agent what to change. */
#ifndef ENGRAM_BASE_ERR_H
#define ENGRAM_BASE_ERR_H

#include <stdbool.h>

enum err_code {
    ERR_NONE,
    ERR_INPUT,     /* the caller's value is wrong: the text names the field, the value and what is
                      wanted */
    ERR_NOT_FOUND, /* an id or name that names nothing */
    ERR_LIMIT,     /* a bound of ours was met */
    ERR_CONFLICT,  /* the state forbids it */
    ERR_BUSY,      /* another process held the lock beyond the deadline; nothing was stored */
    ERR_IO,        /* files, processes, a full disk */
    ERR_DB,        /* the database refuses or is damaged */
    ERR_NET,       /* an endpoint is away */
    ERR_CANCELLED, /* the client took the request back */
};

enum { ERR_TEXT_BYTES = 512 };

struct err {
    enum err_code code;
    char text[ERR_TEXT_BYTES];
};

/* Sets *e unless it is already set (the first error wins). Always returns false. */
bool fail(struct err *e, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " in front of the text that is there: what only the caller knows (which file, which
 * row). */
bool fail_context(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
