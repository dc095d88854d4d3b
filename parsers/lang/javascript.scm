; JavaScript alone: its classes

(class_declaration name: (identifier) @name) @definition.class
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: (class body: (_) @body))) @definition.class
(assignment_expression
  left: (member_expression) @_exports
  right: (class name: (identifier) @name @exported body: (_) @body)
  (#eq? @_exports "module.exports")) @definition.class
(class_heritage
  [
    (identifier) @name
    (member_expression object: (_) @qualifier property: (property_identifier) @name)
  ]) @reference.inherit

(field_definition
  property: [
    (property_identifier) @name
    (private_property_identifier) @name @private
  ]
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method
(field_definition
  property: [
    (property_identifier) @name
    (private_property_identifier) @name @private
  ]) @definition.field
