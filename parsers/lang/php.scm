; PHP

(comment) @comment
(attribute_list) @lead

(namespace_use_declaration
  !body
  (namespace_use_clause
    .
    [
      (qualified_name prefix: (_) @module (name) @name)
      (name) @name
    ]
    alias: (name)? @alias)) @reference.import
(namespace_use_declaration
  (namespace_name) @module
  body: (namespace_use_group
    (namespace_use_clause
      .
      [
        (name) @name
        (qualified_name (name) @name)
      ]
      alias: (name)? @alias))) @reference.import
; require __DIR__ . "/x.php": what can be known of it
([
  (include_expression
    [
      (string (string_content) @module)
      (binary_expression right: (string (string_content) @module))
    ])
  (include_once_expression
    [
      (string (string_content) @module)
      (binary_expression right: (string (string_content) @module))
    ])
  (require_expression
    [
      (string (string_content) @module)
      (binary_expression right: (string (string_content) @module))
    ])
  (require_once_expression
    [
      (string (string_content) @module)
      (binary_expression right: (string (string_content) @module))
    ])
] @reference.import)

(namespace_definition
  name: (namespace_name) @name
  body: (_)) @definition.namespace
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.constant
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(const_declaration (const_element (name) @name)) @definition.constant
(property_declaration
  (property_element name: (variable_name (name) @name))) @definition.property
((visibility_modifier) @private
  (#eq? @private "private"))

([
  (base_clause
    [
      (name) @name
      (qualified_name prefix: (_)? @qualifier (name) @name)
    ])
  (class_interface_clause
    [
      (name) @name
      (qualified_name prefix: (_)? @qualifier (name) @name)
    ])
  (use_declaration
    [
      (name) @name
      (qualified_name prefix: (_)? @qualifier (name) @name)
    ])
] @reference.inherit)

(function_call_expression
  function: [
    (name) @name
    (qualified_name prefix: (_)? @qualifier (name) @name)
  ]) @reference.call
(member_call_expression
  object: [
    (variable_name (name) @qualifier)
    (_) @qualifier
  ]
  name: (name) @name) @reference.call
(nullsafe_member_call_expression
  object: (_) @qualifier
  name: (name) @name) @reference.call
(scoped_call_expression
  scope: (_) @qualifier
  name: (name) @name) @reference.call
(object_creation_expression
  [
    (name) @name
    (qualified_name prefix: (_)? @qualifier (name) @name)
  ]) @reference.call

(named_type
  [
    (name) @name
    (qualified_name prefix: (_)? @qualifier (name) @name)
  ]) @reference.type
