; TypeScript alone: types and typed classes

(import_statement
  (import_require_clause (identifier) @alias source: (string) @module)) @reference.import

(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: (class body: (_) @body))) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(enum_body
  [
    (property_identifier) @name
    (enum_assignment name: (property_identifier) @name)
  ] @definition.constant)
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.module
(ambient_declaration) @outer
(ambient_declaration
  (function_signature name: (identifier) @name) @definition.function)

(public_field_definition
  name: [
    (property_identifier) @name
    (private_property_identifier) @name @private
  ]
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method
(public_field_definition
  name: [
    (property_identifier) @name
    (private_property_identifier) @name @private
  ]) @definition.field
(abstract_method_signature name: (property_identifier) @name) @definition.method
(interface_body
  [
    (method_signature name: (property_identifier) @name) @definition.method
    (property_signature name: (property_identifier) @name) @definition.property
  ])
((accessibility_modifier) @private
  (#eq? @private "private"))
(decorator) @lead

; await find<User>(id), create!()
(call_expression
  function: [
    (await_expression
      [
        (identifier) @name
        (member_expression object: (_) @qualifier property: (property_identifier) @name)
      ])
    (non_null_expression
      [
        (identifier) @name
        (member_expression object: (_) @qualifier property: (property_identifier) @name)
      ])
  ]) @reference.call

(extends_clause
  value: [
    (identifier) @name
    (member_expression object: (_) @qualifier property: (property_identifier) @name)
  ]) @reference.inherit
([
  (implements_clause
    [
      (type_identifier) @name
      (generic_type name: (type_identifier) @name)
      (nested_type_identifier module: (_) @qualifier name: (type_identifier) @name)
    ])
  (extends_type_clause
    [
      (type_identifier) @name
      (generic_type name: (type_identifier) @name)
      (nested_type_identifier module: (_) @qualifier name: (type_identifier) @name)
    ])
] @reference.inherit)

(nested_type_identifier
  module: (_) @qualifier
  name: (type_identifier) @name) @reference.type
(type_identifier) @name @reference.type
