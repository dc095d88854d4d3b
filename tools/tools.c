/* The table of tools, in the order in which clients see them. */
#include "tools/rows.h"

#include "embed_tools.h"

const struct tool tools[] = {
    {"remember", embed_tools_remember_json, tool_remember, NULL, NULL},
    {"recall", embed_tools_recall_json, tool_recall, NULL, NULL},
    {"attach_document", embed_tools_attach_document_json, tool_attach, tool_attach_resume,
     tool_attach_pend},
    {"review_entities", embed_tools_review_entities_json, tool_review, NULL, NULL},
    {"forget", embed_tools_forget_json, tool_forget, NULL, NULL},
};
const size_t tool_count = sizeof tools / sizeof *tools;

const struct tool *tool_find(str name)
{
    for (size_t i = 0; i < tool_count; i++)
        if (str_eq(name, str_of(tools[i].name)))
            return &tools[i];
    return NULL;
}
