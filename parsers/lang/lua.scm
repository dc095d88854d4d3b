; Lua

(comment) @comment

; require, with the local name where there is one.
(assignment_statement
  (variable_list . name: (identifier) @alias)
  (expression_list
    . value: (function_call
      name: (identifier) @_require
      arguments: (arguments . (string content: (string_content) @module))))
  (#eq? @_require "require")) @reference.import
(function_call
  name: (identifier) @_require
  arguments: (arguments . (string content: (string_content) @module))
  (#eq? @_require "require")) @reference.import

(function_declaration
  name: [
    (identifier) @name
    (dot_index_expression table: (_) @owner field: (identifier) @name)
  ]) @definition.function
(function_declaration
  name: (method_index_expression
    table: (_) @owner
    method: (identifier) @name)) @definition.method

; Functions that are values of a variable or a field.
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition body: (_)? @body)))) @definition.function
(assignment_statement
  (variable_list
    . name: [
      (identifier) @name
      (dot_index_expression table: (_) @owner field: (identifier) @name)])
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(field
  name: (identifier) @name
  value: (function_definition body: (_)? @body)) @definition.method

(function_declaration . "local" @private)
(variable_declaration . "local" @private)

; Other variables of the file and fields of its tables.
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list) @_value)
    (#not-match? @_value "^require\\b")) @definition.variable)
(chunk
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list) @_value
    (#not-match? @_value "^require\\b")) @definition.variable)
(chunk
  (assignment_statement
    (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name))
    (expression_list)
    (#not-match? @name "^__")) @definition.field)

(field
  name: (identifier) @_index
  value: (identifier) @name
  (#eq? @_index "__index")) @reference.inherit

(function_call
  name: [
    (identifier) @name
    (dot_index_expression table: (_) @qualifier field: (identifier) @name)
    (method_index_expression table: (_) @qualifier method: (identifier) @name)
  ]
  (#not-any-of? @name "require" "setmetatable" "pcall" "pairs" "ipairs")) @reference.call
