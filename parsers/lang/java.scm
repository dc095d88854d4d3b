; Java

[
  (line_comment)
  (block_comment)
] @comment

(import_declaration
  (scoped_identifier scope: (_) @module name: (identifier) @name) .) @reference.import
(import_declaration
  (_) @module
  (asterisk) @name) @reference.import

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(modifiers "private" @private)

([
  (superclass
    [
      (type_identifier) @name
      (generic_type (type_identifier) @name)
      (scoped_type_identifier (_) @qualifier (type_identifier) @name .)
    ])
  (super_interfaces
    (type_list
      [
        (type_identifier) @name
        (generic_type (type_identifier) @name)
        (scoped_type_identifier (_) @qualifier (type_identifier) @name .)
      ]))
  (extends_interfaces
    (type_list
      [
        (type_identifier) @name
        (generic_type (type_identifier) @name)
        (scoped_type_identifier (_) @qualifier (type_identifier) @name .)
      ]))
] @reference.inherit)

(method_invocation
  object: (_) @qualifier
  name: (identifier) @name) @reference.call
(method_invocation name: (identifier) @name) @reference.call
(object_creation_expression
  type: [
    (type_identifier) @name
    (generic_type (type_identifier) @name)
    (scoped_type_identifier (_) @qualifier (type_identifier) @name .)
  ]) @reference.call
(method_reference (_) @qualifier (identifier) @name .) @reference.call

(scoped_type_identifier (_) @qualifier (type_identifier) @name .) @reference.type
(type_identifier) @name @reference.type
