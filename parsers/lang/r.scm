; R

(comment) @comment

(call
  function: (identifier) @_library
  arguments: (arguments . argument: (argument value: [(identifier) (string)] @module))
  (#any-of? @_library
    "library" "require" "requireNamespace" "loadNamespace" "source")) @reference.import

; Classes: R6 and reference classes by what they are assigned to, S4's by their name.
(binary_operator
  lhs: (identifier) @name
  rhs: (call
    function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
    arguments: (_) @body)
  (#any-of? @_class "R6Class" "setRefClass" "new_class" "setClass")) @definition.class
(program
  (call
    function: (identifier) @_class
    arguments: (arguments . argument: (argument value: (string (string_content) @name)))
    (#any-of? @_class "setClass" "setRefClass")) @definition.class)
(argument
  name: (identifier) @_list
  value: (call
    arguments: (arguments
      argument: (argument
        name: (identifier) @name
        value: (function_definition body: (_) @body)) @definition.method))
  (#any-of? @_list "public" "private" "active" "methods"))
(call
  function: (identifier) @_method
  arguments: (arguments
    . argument: (argument value: (string (string_content) @name))
    (comma)
    . argument: (argument
      value: [
        (string (string_content) @owner)
        (call arguments: (arguments . argument: (argument value: (string (string_content) @owner))))
      ]))
  (#any-of? @_method "setMethod" "setReplaceMethod")) @definition.method
(call
  function: (identifier) @_generic
  arguments: (arguments . argument: (argument value: (string (string_content) @name)))
  (#eq? @_generic "setGeneric")) @definition.function

(binary_operator
  lhs: [(identifier) (string)] @name
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @definition.function
(program
  (binary_operator
    lhs: (identifier) @name
    operator: ["<-" "=" "<<-"]) @definition.variable)
(call
  function: (identifier) @_test
  arguments: (arguments . argument: (argument value: (string (string_content) @name))) @body
  (#any-of? @_test "test_that" "describe" "it")) @definition.test

(argument
  name: (identifier) @_parent
  value: [
    (identifier) @name
    (string (string_content) @name)
    (namespace_operator lhs: (identifier) @qualifier rhs: (identifier) @name)]
  (#any-of? @_parent "inherit" "contains" "parent")) @reference.inherit

(call
  function: [
    (identifier) @name
    (namespace_operator lhs: (_) @qualifier rhs: (identifier) @name)
    (extract_operator lhs: (_) @qualifier rhs: (identifier) @name)
  ]
  (#not-any-of? @name
    "c" "library" "list" "loadNamespace" "require" "requireNamespace" "return" "setClass"
    "setGeneric" "setMethod" "setRefClass" "source" "stop")) @reference.call
