; Zig

(comment) @comment

(variable_declaration
  (identifier) @alias
  (builtin_function
    (builtin_identifier) @_import
    (arguments (string (string_content) @module)))
  (#eq? @_import "@import")) @reference.import
(field_expression
  object: (builtin_function
    (builtin_identifier) @_import
    (arguments (string (string_content) @module)))
  (#eq? @_import "@import")) @reference.import

; Types are values of constants; a function that returns one is one of many types.
(variable_declaration
  . (identifier) @name [(struct_declaration) (opaque_declaration)] @body) @definition.struct
(variable_declaration
  . (identifier) @name [(enum_declaration) (error_set_declaration)] @body) @definition.enum
(variable_declaration . (identifier) @name (union_declaration) @body) @definition.union
(function_declaration
  name: (identifier) @name
  type: (builtin_type) @_type
  body: (block (expression_statement (return_expression (struct_declaration))))
  (#eq? @_type "type")) @definition.struct

(struct_declaration (function_declaration name: (identifier) @name) @definition.method)
(union_declaration (function_declaration name: (identifier) @name) @definition.method)
(enum_declaration (function_declaration name: (identifier) @name) @definition.method)
(opaque_declaration (function_declaration name: (identifier) @name) @definition.method)
(function_declaration name: (identifier) @name) @definition.function
(test_declaration [(string) (identifier)] @name (block) @body) @definition.test

(struct_declaration (container_field name: (identifier) @name) @definition.field)
(union_declaration (container_field name: (identifier) @name) @definition.field)
(enum_declaration (container_field name: (identifier) @name) @definition.constant)
(source_file
  (variable_declaration "const" . (identifier) @name (_) @_value
    (#not-match? @_value "^@import|^@This")) @definition.constant)
(source_file
  (variable_declaration "var" . (identifier) @name) @definition.variable)

(source_file (function_declaration ["pub" "export"] name: (identifier) @exported))
(source_file (variable_declaration ["pub" "export"] . ["const" "var"] . (identifier) @exported))

(call_expression
  function: [
    (identifier) @name
    (field_expression object: (_)? @qualifier member: (identifier) @name)
  ]) @reference.call

(parameter type: (identifier) @name @reference.type)
(function_declaration type: (identifier) @name @reference.type)
(pointer_type (identifier) @name @reference.type)
(container_field type: (identifier) @name @reference.type)
