#include "memory/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool fail(struct err *e, enum err_code code, const char *format, ...)
{
    if (e->code != ERR_NONE)
        return false;
    e->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    return false;
}

bool fail_context(struct err *e, const char *format, ...)
{
    char prefix[ERR_TEXT_BYTES / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    char text[ERR_TEXT_BYTES];
    memcpy(text, e->text, sizeof text);
    size_t used = strnlen(prefix, sizeof prefix);
    memcpy(e->text, prefix, used);
    snprintf(e->text + used, sizeof e->text - used, ": %s", text);
    return false;
}
