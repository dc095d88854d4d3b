; Swift

[(comment) (multiline_comment)] @comment

(import_declaration (identifier) @module) @reference.import

(protocol_declaration name: (type_identifier) @name) @definition.interface
(class_declaration "enum" name: (type_identifier) @name) @definition.enum
(class_declaration "struct" name: (type_identifier) @name) @definition.struct
(class_declaration "class" name: (type_identifier) @name) @definition.class
(class_declaration "actor" name: (type_identifier) @name) @definition.class
(class_declaration "extension" name: (_) @name) @container
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

(enum_entry name: (simple_identifier) @name) @definition.constant

(source_file
  (function_declaration
    name: [(simple_identifier) (custom_operator)] @name) @definition.function)
(_
  [
    (function_declaration
      name: [
        (simple_identifier) (custom_operator) (bang)
        "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "~"
        "+=" "-=" "*=" "/=" "===" "!==" "..." "..<" "&" "|" "^" "<<" ">>"] @name) @definition.method
    (protocol_function_declaration name: (simple_identifier) @name) @definition.method
    (init_declaration "init" @name) @definition.method
    (deinit_declaration "deinit" @name body: (_) @body) @definition.method
    (subscript_declaration "subscript" @name (computed_property) @body) @definition.method
    (protocol_property_declaration
      name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property
  ])
(source_file
  (property_declaration
    (value_binding_pattern "let")
    name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(source_file
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(class_body
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)
(enum_class_body
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)

(modifiers (visibility_modifier) @private (#any-of? @private "private" "fileprivate"))

(class_declaration
  "extension"
  name: (_) @owner
  (inheritance_specifier
    inherits_from: (user_type (type_identifier) @name @reference.inherit)))
(inheritance_specifier
  inherits_from: (user_type (type_identifier) @name)) @reference.inherit

(call_expression . (simple_identifier) @name) @reference.call
(call_expression
  . (navigation_expression
    target: (_) @qualifier
    suffix: (navigation_suffix suffix: (simple_identifier) @name))) @reference.call
(macro_invocation (simple_identifier) @name) @reference.call

(user_type (type_identifier) @name @reference.type)
