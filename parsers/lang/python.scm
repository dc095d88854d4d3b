; Python

(comment) @comment

(import_statement
  name: [
    (dotted_name) @module
    (aliased_import name: (dotted_name) @module alias: (identifier) @alias)
  ]) @reference.import
(import_from_statement
  module_name: (_) @module
  name: [
    (dotted_name) @name
    (aliased_import name: (dotted_name) @name alias: (identifier) @alias)
  ]) @reference.import
(import_from_statement
  module_name: (_) @module
  (wildcard_import) @name) @reference.import

(decorated_definition (decorator) @lead)

; @overload tells types alone.
(decorated_definition
  (decorator [(identifier) @_overload (attribute attribute: (identifier) @_overload)])
  definition: (function_definition name: (identifier) @forward)
  (#eq? @_overload "overload"))

(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(class_definition
  superclasses: (argument_list
    [
      (identifier) @name
      (attribute object: (_) @qualifier attribute: (identifier) @name)
      (subscript value: [
        (identifier) @name
        (attribute object: (_) @qualifier attribute: (identifier) @name)])
    ] @reference.inherit))

(function_definition
  body: (block . (comment)* . (expression_statement . (string) @doc)))
(class_definition
  body: (block . (comment)* . (expression_statement . (string) @doc)))

; Names of a module and of a class.
(module
  (expression_statement
    (assignment left: (identifier) @name) @definition.variable))
(class_definition
  body: (block
    (expression_statement
      (assignment left: (identifier) @name) @definition.field)))

(call
  function: [
    (identifier) @name
    (attribute object: (_) @qualifier attribute: (identifier) @name)
  ]) @reference.call
(decorator
  [
    (identifier) @name
    (attribute object: (_) @qualifier attribute: (identifier) @name)
  ] @reference.call)

(type
  [
    (identifier) @name
    (generic_type (identifier) @name)
    (attribute object: (_) @qualifier attribute: (identifier) @name)
  ] @reference.type)
