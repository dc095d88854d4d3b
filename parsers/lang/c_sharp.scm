; C#

(comment) @comment

(using_directive
  .
  [
    (identifier) @module
    (qualified_name) @module
  ]
  .) @reference.import
(using_directive
  name: (identifier) @alias
  (_) @module .) @reference.import

(namespace_declaration name: (_) @name) @definition.namespace
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.constant
(delegate_declaration name: (identifier) @name) @definition.type
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(destructor_declaration name: (identifier) @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(property_declaration
  name: (identifier) @name
  accessors: (_)? @body) @definition.property
(indexer_declaration "this" @name) @definition.property
(event_declaration name: (identifier) @name) @definition.event
(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.event
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
((modifier) @private
  (#eq? @private "private"))

(base_list
  [
    (identifier) @name
    (generic_name . (identifier) @name)
    (qualified_name qualifier: (_) @qualifier name: (identifier) @name)
    (primary_constructor_base_type type: (identifier) @name)
  ] @reference.inherit)

(invocation_expression
  function: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (member_access_expression
      expression: (_) @qualifier
      name: [
        (identifier) @name
        (generic_name . (identifier) @name)
      ])
    (conditional_access_expression
      condition: (_) @qualifier
      (member_binding_expression
        name: [
          (identifier) @name
          (generic_name . (identifier) @name)
        ]))
  ]) @reference.call
(object_creation_expression
  type: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (qualified_name qualifier: (_) @qualifier name: (identifier) @name)
  ]) @reference.call

(parameter type: [(identifier) @name (generic_name . (identifier) @name)] @reference.type)
(variable_declaration
  type: [(identifier) @name (generic_name . (identifier) @name)] @reference.type)
(property_declaration type: [(identifier) @name (generic_name . (identifier) @name)] @reference.type)
(method_declaration returns: [(identifier) @name (generic_name . (identifier) @name)] @reference.type)
(type_argument_list (identifier) @name @reference.type)
(attribute name: (identifier) @name) @reference.type
