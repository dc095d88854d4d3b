; <Cart/> is a use of Cart; <div/> is none.
([
  (jsx_opening_element
    name: [
      (identifier) @name
      (member_expression object: (_) @qualifier property: (property_identifier) @name)
    ])
  (jsx_self_closing_element
    name: [
      (identifier) @name
      (member_expression object: (_) @qualifier property: (property_identifier) @name)
    ])
] @reference.call
  (#match? @name "^[A-Z]"))
