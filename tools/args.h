/* Reading checked arguments: absent is empty, texts borrow from the JSON. */
#ifndef ENGRAM_TOOL_ARGS_H
#define ENGRAM_TOOL_ARGS_H

#include "tools/tool.h"

str arg_str(const json_t *args, const char *name);                /* empty where absent */
bool arg_bool(const json_t *args, const char *name);              /* false where absent */
bool arg_int(const json_t *args, const char *name, int64_t *out); /* false where absent */
bool arg_real(const json_t *args, const char *name, double *out); /* false where absent */
str *arg_strs(struct arena *a, const json_t *args, const char *name, size_t *count);
const json_t *arg_array(const json_t *args, const char *name,
                        size_t *count); /* NULL, 0 where absent */

/* A time: false with ERR_INPUT naming the field where it is there and none. *given tells whether it
 * is there. A bare date is its start, or with end_of_day the start of the next day. */
bool arg_time(const json_t *args, const char *name, bool end_of_day, bool *given, int64_t *ms,
              struct err *e);

#endif
