; Ruby

(comment) @comment

(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string (string_content) @module))
  (#any-of? @_require "require" "require_relative" "load" "autoload")) @reference.import

(class
  name: [
    (constant) @name
    (scope_resolution scope: (_)? @owner name: (constant) @name)
  ]) @definition.class
(module
  name: [
    (constant) @name
    (scope_resolution scope: (_)? @owner name: (constant) @name)
  ]) @definition.module
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(assignment left: (constant) @name) @definition.constant
(call
  !receiver
  method: (identifier) @_attribute
  arguments: (argument_list (simple_symbol) @name @definition.property)
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor"))
(alias name: (identifier) @name) @definition.method

(superclass
  [
    (constant) @name
    (scope_resolution scope: (_) @qualifier name: (constant) @name)
  ]) @reference.inherit
(call
  !receiver
  method: (identifier) @_include
  arguments: (argument_list
    [
      (constant) @name
      (scope_resolution scope: (_) @qualifier name: (constant) @name)
    ] @reference.inherit)
  (#any-of? @_include "include" "extend" "prepend"))

(call
  receiver: (_)? @qualifier
  method: [(identifier) (constant)] @name
  (#not-any-of? @name
    "require" "require_relative" "load" "autoload" "include" "extend" "prepend"
    "attr_reader" "attr_writer" "attr_accessor" "private" "public" "protected"
    "private_constant" "module_function" "raise")) @reference.call
