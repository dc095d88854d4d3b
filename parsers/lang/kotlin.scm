; Kotlin

[(line_comment) (block_comment)] @comment

(import) @tree @reference.import

; A class and what is written like one. A companion's members are called by the class's name.
(class_declaration
  "interface"
  name: (identifier) @name
  (class_body)? @body) @definition.interface
(class_declaration
  name: (identifier) @name
  (enum_class_body) @body) @definition.enum
(class_declaration
  name: (identifier) @name
  (class_body)? @body) @definition.class
(object_declaration
  name: (identifier) @name
  (class_body)? @body) @definition.class
(companion_object) @container
(type_alias type: (identifier) @name) @definition.type
(enum_entry (identifier) @name (class_body)? @body) @definition.constant

; Functions; one of a receiver belongs to it.
(function_declaration
  [(user_type) (nullable_type)] @owner
  "."
  name: (identifier) @name
  (function_body)? @body) @definition.function
(class_body
  (function_declaration
    name: (identifier) @name
    (function_body)? @body) @definition.method)
(enum_class_body
  (function_declaration
    name: (identifier) @name
    (function_body)? @body) @definition.method)
(function_declaration
  name: (identifier) @name
  (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name (block)? @body) @definition.method

; Properties of classes and of the file; locals are none.
(class_parameter ["val" "var"] (identifier) @name) @definition.property
(source_file
  (property_declaration
    (modifiers (property_modifier) @_const)
    (variable_declaration . (identifier) @name)
    (#eq? @_const "const")) @definition.constant)
(source_file
  (property_declaration
    [(user_type) (nullable_type)] @owner
    "."
    (variable_declaration . (identifier) @name)) @definition.property)
(source_file
  (property_declaration
    (variable_declaration . (identifier) @name)) @definition.variable)
(class_body
  (property_declaration
    (variable_declaration . (identifier) @name)) @definition.property)
(enum_class_body
  (property_declaration
    (variable_declaration . (identifier) @name)) @definition.property)

(modifiers (visibility_modifier) @private (#eq? @private "private"))

(delegation_specifier
  [
    (user_type (identifier) @name . (type_arguments)? .)
    (constructor_invocation (user_type (identifier) @name . (type_arguments)? .))
    (explicit_delegation (user_type (identifier) @name . (type_arguments)? .))
  ]) @reference.inherit

(call_expression . (identifier) @name) @reference.call
(call_expression
  . (navigation_expression . (_) @qualifier (identifier) @name .)) @reference.call
(callable_reference (identifier) @name .) @reference.call
(infix_expression . (_) @qualifier . (identifier) @name) @reference.call

(user_type (identifier) @name @reference.type)
(annotation (user_type (identifier) @name)) @reference.type
