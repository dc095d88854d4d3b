; Rust

[
  (line_comment)
  (block_comment)
] @comment
(attribute_item) @lead

(use_declaration argument: (_) @tree) @reference.import
(mod_item !body name: (identifier) @name) @reference.import
(extern_crate_declaration name: (identifier) @module alias: (identifier)? @alias) @reference.import

(mod_item name: (identifier) @name body: (_)) @definition.module
(impl_item
  type: [
    (type_identifier) @name
    (generic_type type: [(type_identifier) (scoped_type_identifier)] @name)
    (scoped_type_identifier) @name
    (reference_type type: (_) @name)
    (primitive_type) @name
  ]) @container
(impl_item
  trait: [
    (type_identifier) @name
    (scoped_type_identifier path: (_) @qualifier name: (type_identifier) @name)
    (generic_type
      type: [
        (type_identifier) @name
        (scoped_type_identifier path: (_) @qualifier name: (type_identifier) @name)
      ])
  ]
  type: [
    (type_identifier) @owner
    (generic_type type: (_) @owner)
    (scoped_type_identifier) @owner
  ]) @reference.inherit
(trait_item name: (type_identifier) @name) @definition.trait
(trait_bounds
  [
    (type_identifier) @name
    (scoped_type_identifier path: (_) @qualifier name: (type_identifier) @name)
    (generic_type type: (type_identifier) @name)
  ] @reference.type)
(trait_item
  bounds: (trait_bounds
    [
      (type_identifier) @name
      (scoped_type_identifier path: (_) @qualifier name: (type_identifier) @name)
      (generic_type type: (type_identifier) @name)
    ] @reference.inherit))

(impl_item
  body: (declaration_list
    (function_item name: (identifier) @name) @definition.method))
(trait_item
  body: (declaration_list
    [
      (function_item name: (identifier) @name)
      (function_signature_item name: (identifier) @name)
    ] @definition.method))
(function_item name: (identifier) @name) @definition.function

(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.union
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.constant
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(macro_definition name: (identifier) @name) @definition.macro

(call_expression
  function: [
    (identifier) @name
    (scoped_identifier path: (_) @qualifier name: (identifier) @name)
    (field_expression value: (_) @qualifier field: (field_identifier) @name)
    (generic_function
      function: [
        (identifier) @name
        (scoped_identifier path: (_) @qualifier name: (identifier) @name)
        (field_expression value: (_) @qualifier field: (field_identifier) @name)
      ])
  ]) @reference.call
(macro_invocation
  macro: [
    (identifier) @name
    (scoped_identifier path: (_) @qualifier name: (identifier) @name)
  ]) @reference.call

; What is given to a macro is but a row of tokens; the text before the name tells its qualifier.
(token_tree
  (identifier) @name @reference.call
  .
  (token_tree . "("))

; What variables are. A name declared anew is something else, whether or not that is told.
(parameter pattern: (identifier) @name type: (_) @type) @variable
(parameter pattern: (mut_pattern (identifier) @name) type: (_) @type) @variable
(let_declaration pattern: (identifier) @name type: (_)? @type) @variable
(let_declaration
  pattern: (identifier) @name
  value: [
    (call_expression
      function: (scoped_identifier path: (_) @type name: (identifier) @_maker))
    (struct_expression name: (_) @type)
    (macro_invocation macro: (identifier) @type)
  ]
  (#match? @_maker "^(new|default|from|with_[a-z_]+)$")
  (#match? @type "^([A-Z]|vec$|format$)|::[A-Z]")) @variable
(field_declaration name: (field_identifier) @name type: (_) @type) @variable
(type_parameter name: (type_identifier) @parameter.type)

(scoped_type_identifier
  path: (_) @qualifier
  name: (type_identifier) @name) @reference.type
((type_identifier) @name @reference.type
  (#not-eq? @name "Self"))
