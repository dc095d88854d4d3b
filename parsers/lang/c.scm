; C

(comment) @comment

(preproc_include path: (_) @module) @reference.import

; Old-style (K&R) definitions have the same shape.
(function_definition declarator: (_) @declarator) @definition.function

; Structs, unions and enums with a body; a typedef's name where they have none of their own.
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.union
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(type_definition
  type: (struct_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (union_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.union
(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum
(type_definition type: (_ name: (_) @tag) declarator: (_) @declarator) @definition.type
(type_definition declarator: (_) @declarator) @definition.type

(enumerator name: (identifier) @name) @definition.constant

; Callbacks in a struct.
(field_declaration declarator: (function_declarator) @declarator) @definition.field

; An include guard is no macro: it has no value.
(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

; Variables of the file; prototypes are left out.
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

(call_expression
  function: [
    (identifier) @name
    (field_expression argument: (_) @qualifier field: (field_identifier) @name)
  ]) @reference.call

(type_identifier) @name @reference.type
