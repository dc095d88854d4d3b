; Make

(comment) @comment

(include_directive filenames: (list (word) @module)) @reference.import

(rule
  (targets (word) @name)
  (recipe)? @body
  (#not-match? @name "^\\.[A-Z]")) @definition.target

(variable_assignment
  name: (word) @name
  operator: ["=" ":=" "::=" "?=" "!="]) @definition.variable
(define_directive name: (word) @name value: (_)? @body) @definition.macro

(rule
  (targets (word) @_target)
  (prerequisites (word) @name @reference.call)
  (#not-match? @_target "^\\.[A-Z]"))
(variable_reference (word) @name) @reference.type
