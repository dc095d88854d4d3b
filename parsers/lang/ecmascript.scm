; What JavaScript and TypeScript share

(comment) @comment

; import x, {a as b}, * as c from "m"; import "m"
(import_statement
  (import_clause (identifier) @alias)
  source: (string) @module
  (#set! name "default")) @reference.import
(import_statement
  (import_clause (namespace_import (identifier) @alias))
  source: (string) @module) @reference.import
(import_statement
  (import_clause
    (named_imports
      (import_specifier name: (_) @name alias: (identifier)? @alias)))
  source: (string) @module) @reference.import
(import_statement . source: (string) @module) @reference.import
(export_statement
  (export_clause (export_specifier name: (_) @name))
  source: (string) @module) @reference.import
(export_statement
  "*" @name
  source: (string) @module) @reference.import

; const x = require("m"), {a, b: c} = require("m"), y = require("m").y
(variable_declarator
  name: [
    (identifier) @alias @forward
    (object_pattern
      [
        (shorthand_property_identifier_pattern) @name
        (pair_pattern key: (property_identifier) @name value: (identifier) @alias)
      ])
  ]
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string) @module))
  (#eq? @_require "require")) @reference.import
(variable_declarator
  name: (identifier) @alias @forward
  value: (member_expression
    object: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string) @module))
    property: (property_identifier) @name)
  (#eq? @_require "require")) @reference.import
; Anywhere else the module alone; where one of the above fits, this is left out.
(call_expression
  function: (identifier) @_require
  arguments: (arguments . (string) @module)
  (#eq? @_require "require")) @reference.import
(call_expression
  function: (import)
  arguments: (arguments . (string) @module)) @reference.import

; What other files see
(export_statement) @exported @outer
(export_specifier name: (identifier) @exported)
(export_statement value: (identifier) @exported)
(assignment_expression
  left: (member_expression) @_exports
  right: [
    (_) @exported
    (object
      [
        (shorthand_property_identifier) @exported
        (pair value: (identifier) @exported)
      ])
  ]
  (#match? @_exports "^(module[.])?exports\\b"))

; app.Cart = Cart: app may be what is exported.
(assignment_expression
  left: (member_expression)
  right: (identifier) @visible)

; var app = module.exports = {}
(variable_declarator
  name: (identifier) @visible
  value: (assignment_expression))

; module.exports = function x; Cart.prototype.add = function, this.add = function; app.use = () =>,
; exports.x = function
(assignment_expression
  left: (member_expression) @_exports
  right: (function_expression name: (identifier) @name body: (_) @body)
  (#eq? @_exports "module.exports")) @definition.function
(assignment_expression
  left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: [
    (function_expression body: (_) @body)
    (arrow_function body: (_) @body)
    (generator_function body: (_) @body)
  ]
  (#match? @owner "^this$|[.]prototype$")) @definition.method
(assignment_expression
  left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: [
    (function_expression body: (_) @body)
    (arrow_function body: (_) @body)
    (generator_function body: (_) @body)
  ]
  (#match? @owner "^[\\w.$]+$")) @definition.function

(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (function_expression body: (_) @body)
      (arrow_function body: (_) @body)
      (generator_function body: (_) @body)
    ])) @definition.function
(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (function_expression body: (_) @body)
      (arrow_function body: (_) @body)
      (generator_function body: (_) @body)
    ])) @definition.function
(method_definition
  name: [
    (property_identifier) @name
    (private_property_identifier) @name @private
    (string) @name
    (computed_property_name) @name
  ]) @definition.method

; defineGetter(req, 'xhr', function xhr() {})
(arguments (function_expression name: (identifier) @name) @definition.function)
; A function in an object, which has a name.
(pair
  key: [(property_identifier) (string)] @name
  value: [
    (function_expression body: (_) @body)
    (arrow_function body: (_) @body)
  ]) @definition.method @inner

(program
  [
    (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable
    (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable
    (export_statement
      declaration: [
        (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable
        (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable
      ])
  ])

(call_expression
  function: [
    (identifier) @name
    (member_expression
      object: (_) @qualifier
      property: [(property_identifier) (private_property_identifier)] @name)
  ]
  (#not-eq? @name "require")) @reference.call
(new_expression
  constructor: [
    (identifier) @name
    (member_expression object: (_) @qualifier property: (property_identifier) @name)
  ]) @reference.call
(decorator
  [
    (identifier) @name
    (member_expression object: (_) @qualifier property: (property_identifier) @name)
  ]) @reference.call
