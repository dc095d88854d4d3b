; Scala

[(comment) (block_comment)] @comment

(import_declaration) @tree @reference.import

(class_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.trait
(object_definition name: (_) @name) @definition.class
(package_object name: (_) @name) @definition.module
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.constant
(full_enum_case name: (_) @name) @definition.constant
(type_definition name: (type_identifier) @name) @definition.type

(template_body
  [
    (function_definition name: (_) @name) @definition.method
    (function_declaration name: (_) @name) @definition.method
    (val_definition pattern: (identifier) @name) @definition.property
    (var_definition pattern: (identifier) @name) @definition.property
    (val_declaration name: (identifier) @name) @definition.property
    (var_declaration name: (identifier) @name) @definition.property
  ])
(enum_body
  (function_definition name: (_) @name) @definition.method)
(function_definition name: (_) @name) @definition.function
(given_definition name: (_) @name) @definition.variable
(compilation_unit
  [
    (val_definition pattern: (identifier) @name) @definition.variable
    (var_definition pattern: (identifier) @name) @definition.variable
  ])
(class_parameter ["val" "var"] name: (identifier) @name) @definition.property

((access_modifier) @private (#any-of? @private "private" "private[this]"))

(extends_clause (type_identifier) @name @reference.inherit)
(extends_clause
  [
    (generic_type type: (type_identifier) @name)
    (stable_type_identifier (type_identifier) @name)
    (generic_type type: (stable_type_identifier (type_identifier) @name))
  ] @reference.inherit)

(call_expression
  function: [
    (identifier) @name
    (field_expression value: (_) @qualifier field: (identifier) @name)
    (generic_function
      function: [
        (identifier) @name
        (field_expression value: (_) @qualifier field: (identifier) @name)])
  ]) @reference.call
(instance_expression
  [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (stable_type_identifier (_) @qualifier (type_identifier) @name)
  ]) @reference.call
(infix_expression left: (_) @qualifier operator: (identifier) @name) @reference.call

(type_identifier) @name @reference.type
