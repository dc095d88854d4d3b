; C++

(comment) @comment

(preproc_include path: (_) @module) @reference.import
(using_declaration (qualified_identifier) @tree) @reference.import

; `void shop::Cart::add()` is a method, and what stands in a class.
(function_definition declarator: (_) @declarator) @definition.function
(function_definition declarator: (operator_cast) @name) @definition.method
; Pure virtual: no other file defines it.
(field_declaration
  declarator: (function_declarator declarator: (field_identifier) @name)
  default_value: (number_literal)) @definition.method
(field_declaration declarator: (_) @declarator) @definition.field

(template_declaration) @outer
(namespace_definition name: (_) @name) @definition.namespace
(class_specifier name: (_) @declarator body: (_)) @definition.class
(struct_specifier name: (_) @declarator body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.union
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(type_definition type: (_ !name body: (_) @body) declarator: (_) @declarator) @definition.struct
(type_definition type: (_ name: (_) @tag) declarator: (_) @declarator) @definition.type
(type_definition declarator: (_) @declarator) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

[
  (translation_unit (declaration declarator: (_) @declarator) @definition.variable)
  (preproc_ifdef (declaration declarator: (_) @declarator) @definition.variable)
  (preproc_if (declaration declarator: (_) @declarator) @definition.variable)
  (preproc_else (declaration declarator: (_) @declarator) @definition.variable)
  (declaration_list (declaration declarator: (_) @declarator) @definition.variable)
]
((storage_class_specifier) @forward
  (#eq? @forward "extern"))
((storage_class_specifier) @internal
  (#eq? @internal "static"))

(base_class_clause
  [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier
      scope: (_) @qualifier
      name: [
        (type_identifier) @name
        (template_type name: (type_identifier) @name)
      ])
  ] @reference.inherit)

(call_expression
  function: [
    (identifier) @name
    (field_expression
      argument: (_) @qualifier
      field: [
        (field_identifier) @name
        (template_method name: (field_identifier) @name)
      ])
    (qualified_identifier) @path
    (template_function name: [(identifier) @name (qualified_identifier) @path])
  ]
  (#not-any-of? @name "static_cast" "dynamic_cast" "reinterpret_cast" "const_cast")) @reference.call
(new_expression
  type: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier) @path
  ]) @reference.call

; What variables are.
(parameter_declaration type: (_) @type declarator: (_) @declarator) @variable
(optional_parameter_declaration type: (_) @type declarator: (_) @declarator) @variable
(declaration type: (_) @type declarator: (_) @declarator) @variable
(for_range_loop type: (_) @type declarator: (_) @declarator) @variable
(field_declaration type: (_) @type declarator: (_) @declarator) @variable
(type_parameter_declaration (type_identifier) @parameter.type)
(optional_type_parameter_declaration name: (type_identifier) @parameter.type)

(type_identifier) @name @reference.type
