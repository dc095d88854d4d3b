/* Messages to stderr by level: never blocking, dropped when nobody reads, escaped, one line each.
 * Only server/ logs. */
#ifndef ENGRAM_LOG_H
#define ENGRAM_LOG_H

#include "memory/base/str.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Sets the level by name (unknown: as it was, warn at first) and finds out how stderr is written to
 * without blocking; its flags, which other processes may share, stay as they are. */
void log_open(str level);

/* From any thread; keeps errno. Texts are cut at 1,023 bytes. */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
