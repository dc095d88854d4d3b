/* Resources, prompts and completion: what MCP offers beside tools. The lists are fixed; reading
 * needs the memory. */
#ifndef ENGRAM_RESOURCES_H
#define ENGRAM_RESOURCES_H

#include "tools/tool.h"

/* New references to the arrays that resources/list, resources/templates/list and prompts/list
 * carry. */
json_t *resources_list(void);
json_t *resource_templates_list(void);
json_t *prompts_list(void);

/* {contents:[...]} of engram://status, engram://memory/{id}, engram://document/{id}. ERR_NOT_FOUND
 * for every other URI. */
bool resource_read(struct request *r, str uri, json_t **result, struct err *e);

/* {description, messages:[...]} of prompt recall {query}, review {}, summarise_session {}.
 * ERR_INPUT for a bad name or argument. */
bool prompt_get(struct request *r, str name, const json_t *arguments, json_t **result,
                struct err *e);

/* {completion:{values,total,hasMore}} for an argument of a prompt or a resource template. ERR_INPUT
 * for an unknown reference. */
bool complete(struct request *r, const json_t *ref, str argument, str value, json_t **result,
              struct err *e);

/* What `engram status` and engram://status show: counts, sizes, legs, project. */
bool status_json(struct request *r, json_t **result, struct err *e);

#endif
