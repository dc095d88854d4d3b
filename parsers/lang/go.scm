; Go

(comment) @comment

(import_spec
  name: (_)? @alias
  path: (_) @module) @reference.import

; "type X struct": the doc comment stands before the keyword.
[
  (type_declaration)
  (const_declaration)
  (var_declaration)
] @outer

(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @owner
        (generic_type type: (type_identifier) @owner)
        (pointer_type
          [
            (type_identifier) @owner
            (generic_type type: (type_identifier) @owner)
          ])
      ]))
  name: (field_identifier) @name) @definition.method

(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec
  name: (type_identifier) @name
  type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(method_elem name: (field_identifier) @name) @definition.method
(field_declaration
  name: (field_identifier) @name
  type: (function_type)) @definition.field

(const_spec (identifier) @name) @definition.constant
(var_spec
  name: (identifier) @name
  value: (expression_list . (func_literal body: (_) @body) .)) @definition.function
(var_spec (identifier) @name) @definition.variable

; Embedded types
(field_declaration
  !name
  type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (qualified_type package: (package_identifier) @qualifier name: (type_identifier) @name)
  ]) @reference.inherit
(interface_type
  (type_elem
    .
    [
      (type_identifier) @name
      (qualified_type package: (package_identifier) @qualifier name: (type_identifier) @name)
    ]
    .) @reference.inherit)

(call_expression
  function: [
    (identifier) @name
    (selector_expression operand: (_) @qualifier field: (field_identifier) @name)
    (parenthesized_expression (identifier) @name)
  ]) @reference.call

(qualified_type
  package: (package_identifier) @qualifier
  name: (type_identifier) @name) @reference.type
((type_identifier) @name @reference.type
  (#not-any-of? @name
    "string" "error" "int" "bool" "byte" "any" "int64" "uint64" "int32" "uint32" "float64" "uint8"
    "uint" "rune" "uintptr" "float32" "int16" "uint16" "int8" "comparable"))
