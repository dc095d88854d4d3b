; Dart. What a function is called by and its body stand side by side in the tree.

[(comment) (documentation_comment)] @comment

(library_import
  (import_specification
    (configurable_uri (uri) @module)
    (identifier)? @alias)) @reference.import
(library_export (configurable_uri (uri) @module)) @reference.import
(part_directive (uri) @module) @reference.import
(part_of_directive (uri) @module) @reference.import

(class_definition name: (identifier) @name) @definition.class
(mixin_declaration (mixin) . (identifier) @name (class_body)? @body) @definition.trait
(extension_declaration class: (_) @name) @container
(extension_type_declaration name: (_) @name) @definition.class
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(type_alias . (type_identifier) @name) @definition.type

; Members: with a body, which stands behind, and without.
(_
  (method_signature
    [
      (function_signature name: (identifier) @name)
      (getter_signature name: (identifier) @name)
      (setter_signature name: (identifier) @name)
      (operator_signature (binary_operator) @name)
      (constructor_signature . name: (identifier) @name . parameters: (_))
      (constructor_signature name: (identifier) name: (identifier) @name)
      (factory_constructor_signature (identifier) @name . (formal_parameter_list))
    ]) @definition.method
  . (function_body) @body)
(_
  (declaration
    [
      (function_signature name: (identifier) @name)
      (getter_signature name: (identifier) @name)
      (setter_signature name: (identifier) @name)
      (operator_signature (binary_operator) @name)
      (constructor_signature . name: (identifier) @name . parameters: (_))
      (constructor_signature name: (identifier) name: (identifier) @name)
      (factory_constructor_signature (identifier) @name . (formal_parameter_list))
      (constant_constructor_signature (identifier) @name . (formal_parameter_list))
      (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))
    ]) @definition.method
  . ";" @body)
(declaration
  (initialized_identifier_list
    . (initialized_identifier . (identifier) @name))) @definition.field
(declaration
  (static_final_declaration_list
    . (static_final_declaration . (identifier) @name))) @definition.field

(program
  (function_signature name: (identifier) @name) @definition.function
  . (function_body) @body)
(program
  (getter_signature name: (identifier) @name) @definition.function
  . (function_body) @body)
(program
  (setter_signature name: (identifier) @name) @definition.function
  . (function_body) @body)
(program
  (static_final_declaration_list
    (static_final_declaration . (identifier) @name) @definition.constant))
(program
  (initialized_identifier_list
    (initialized_identifier . (identifier) @name) @definition.variable))

; What stands before a variable of the file is no part of it in the tree.
(program
  [
    (annotation) (const_builtin) (final_builtin) (type_identifier) (type_arguments)
  ] @lead)
(class_body (annotation) @lead)

; A library's own names begin with an underscore.
(function_signature name: (identifier) @private (#match? @private "^_"))
(getter_signature name: (identifier) @private (#match? @private "^_"))
(setter_signature name: (identifier) @private (#match? @private "^_"))
(class_definition name: (identifier) @private (#match? @private "^_"))
(enum_declaration name: (identifier) @private (#match? @private "^_"))
(initialized_identifier . (identifier) @private (#match? @private "^_"))
(static_final_declaration . (identifier) @private (#match? @private "^_"))

(superclass (type_identifier) @name) @reference.inherit
(superclass (mixins (type_identifier) @name @reference.inherit))
(mixins (type_identifier) @name @reference.inherit)
(interfaces (type_identifier) @name @reference.inherit)
(mixin_declaration (type_identifier) @name @reference.inherit)

; a.f(), a.b.f(), f()
(_
  [(identifier) (this) (super)] @qualifier
  . (selector
    [
      (unconditional_assignable_selector (identifier) @name @reference.call)
      (conditional_assignable_selector (identifier) @name @reference.call)
    ])
  . (selector (argument_part)))
(_
  (selector
    [
      (unconditional_assignable_selector (identifier) @name @reference.call)
      (conditional_assignable_selector (identifier) @name @reference.call)
    ])
  . (selector (argument_part)))
(_
  (identifier) @name @reference.call
  . (selector (argument_part)))
(new_expression (type_identifier) @name) @reference.call
(const_object_expression (type_identifier) @name) @reference.call

(type_identifier) @name @reference.type
