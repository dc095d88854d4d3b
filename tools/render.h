/* Results as JSON and as text with the same data. All that leaves is made visible: no control,
 * bidirectional or zero-width character of a stored text reaches a client. */
#ifndef ENGRAM_TOOL_RENDER_H
#define ENGRAM_TOOL_RENDER_H

#include "tools/tool.h"

struct buf;

json_t *json_str(struct arena *a, str s); /* visible; new reference */
json_t *json_id(struct arena *a, enum node_kind kind, int64_t id);
json_t *json_time(struct arena *a, int64_t ms);
json_t *json_project(struct arena *a, const struct project_ref *ref);
void set_str(struct arena *a, json_t *object, const char *key, str s); /* left out where empty */
void set_new(json_t *object, const char *key, json_t *value);

json_t *render_entity(struct arena *a, const struct entity_ref *ref, bool with_status);
json_t *render_fact(struct arena *a, const struct fact_ref *f);
json_t *render_item(struct arena *a, const struct item *item);

/* A text for a line of its own, outside of any fence. */
str render_line(struct arena *a, str s);

/* `before` and s as such a text; nothing where s is empty. */
void render_part(struct arena *a, struct buf *b, const char *before, str s);

/* One item of a recall as text, fenced by `fence` so that what it says can't pass for anything
 * else. */
str render_item_text(struct arena *a, const struct item *item, str fence);

/* Any reply as indented lines, "key: value"; for tools whose text needs no form of its own. */
str render_lines(struct arena *a, const json_t *object);

#endif
