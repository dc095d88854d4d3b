; C

(comment) @comment

(preproc_include
  path: [(string_literal) (system_lib_string)] @module) @reference.import

; Functions, behind up to two pointers. Old-style (K&R) definitions have the same shape.
(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator
      declarator: [
        (function_declarator declarator: (identifier) @name)
        (pointer_declarator
          declarator: (function_declarator declarator: (identifier) @name))])
  ]) @definition.function

(function_definition
  (storage_class_specifier) @private (#eq? @private "static"))

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

; "typedef struct x {...} x" is the struct alone.
(type_definition
  type: (_ name: (type_identifier) @_tag)
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)]
  (#not-eq? @name @_tag)) @definition.type
(type_definition
  type: [(primitive_type) (sized_type_specifier) (type_identifier)]
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)]) @definition.type
(type_definition
  declarator: [
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator
      declarator: [
        (type_identifier) @name
        (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))])
    (pointer_declarator
      declarator: (function_declarator declarator: (type_identifier) @name))
  ]) @definition.type

(enumerator name: (identifier) @name) @definition.constant

; Callbacks in a struct.
(field_declaration
  declarator: (function_declarator
    declarator: (parenthesized_declarator
      (pointer_declarator declarator: (field_identifier) @name)))) @definition.field

; An include guard is no macro: it has no value.
(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

; Variables of the file; the engine leaves those of a function out.
(declaration
  declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (init_declarator
      declarator: [
        (identifier) @name
        (pointer_declarator declarator: (identifier) @name)
        (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
        (array_declarator declarator: (identifier) @name)])
  ]) @definition.variable
(declaration
  (storage_class_specifier) @forward (#eq? @forward "extern"))
(declaration
  (storage_class_specifier) @private (#eq? @private "static"))

(call_expression
  function: [
    (identifier) @name
    (field_expression argument: (_) @qualifier field: (field_identifier) @name)
  ]) @reference.call

(type_identifier) @name @reference.type
