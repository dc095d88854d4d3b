#include "parsers/source_declarator.h"

enum { MAX_DEPTH = 32 }; /* of what people write: (*(*x)[3])(int) has 5 */

static bool is_type(TSNode node, const char *type)
{
    return strcmp(ts_node_type(node), type) == 0;
}

/* The next node on the way to the name; null at its end. Parentheses and references hold theirs
 * without a field, behind an optional attribute. */
static TSNode inner_of(TSNode node, TSFieldId declarator_field)
{
    TSNode inner = ts_node_child_by_field_id(node, declarator_field);
    bool wraps = is_type(node, "parenthesized_declarator") ||
                 is_type(node, "reference_declarator") || is_type(node, "attributed_declarator");
    uint32_t count = wraps && ts_node_is_null(inner) ? ts_node_named_child_count(node) : 0;
    for (uint32_t i = 0; i < count && i < MAX_DEPTH; i++) {
        TSNode child = ts_node_named_child(node, i);
        if (strstr(ts_node_type(child), "declarator") || strstr(ts_node_type(child), "identifier"))
            return child;
    }
    return inner;
}

/* `shop::Cart`, `Cart<int>`: the name is a field of it. */
static bool names_inside(TSNode node)
{
    return is_type(node, "qualified_identifier") || is_type(node, "template_type") ||
           is_type(node, "template_function");
}

struct declarator source_declarator(TSNode node, TSFieldId declarator_field, TSFieldId name_field)
{
    struct declarator found = {.name = node};
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        TSNode inner = inner_of(found.name, declarator_field);
        if (ts_node_is_null(inner))
            break;
        if (!is_type(found.name, "parenthesized_declarator"))
            found.is_function = is_type(found.name, "function_declarator");
        found.name = inner;
    }
    found.qualified = found.name;
    for (int depth = 0; depth < MAX_DEPTH && names_inside(found.name); depth++) {
        TSNode inner = ts_node_child_by_field_id(found.name, name_field);
        if (ts_node_is_null(inner))
            break;
        found.name = inner;
    }
    return found;
}
