/* JSON as it leaves: compact, one line for every reader, numbers as short as they are told. */
#ifndef ENGRAM_TOOL_JSON_WRITE_H
#define ENGRAM_TOOL_JSON_WRITE_H

#include "memory/base/buf.h"

#include <jansson.h>

/* Adds `value`, whatever it is, with six digits of a real. U+2028 and U+2029, at which some readers
 * end a line, are escaped. */
void json_write(struct buf *out, const json_t *value);

#endif
