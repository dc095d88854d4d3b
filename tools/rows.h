/* The functions behind the rows of the table in tools.c; one file a tool. */
#ifndef ENGRAM_TOOL_ROWS_H
#define ENGRAM_TOOL_ROWS_H

#include "tools/tool.h"

bool tool_remember(struct request *r, const json_t *args, struct tool_reply *reply, struct err *e);
bool tool_recall(struct request *r, const json_t *args, struct tool_reply *reply, struct err *e);
bool tool_attach(struct request *r, const json_t *args, struct tool_reply *reply, struct err *e);
bool tool_attach_resume(struct request *r, struct parse_order *order, const struct facts *facts,
                        const struct err *parse_error, struct tool_reply *reply, struct err *e);
bool tool_attach_pend(struct request *r, struct parse_order *order, struct tool_reply *reply,
                      struct err *e);
bool tool_review(struct request *r, const json_t *args, struct tool_reply *reply, struct err *e);
bool tool_forget(struct request *r, const json_t *args, struct tool_reply *reply, struct err *e);

#endif
