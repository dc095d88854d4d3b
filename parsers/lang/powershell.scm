; PowerShell

(comment) @comment

(command
  command_name: (command_name) @_command
  command_elements: (command_elements
    . (command_argument_sep)
    . [(generic_token) (array_literal_expression)] @module)
  (#match? @_command "^[Ii]mport-[Mm]odule$")) @reference.import
(command
  command_name: (command_name) @_command
  command_elements: (command_elements
    . (command_argument_sep)
    . (generic_token)
    . (command_argument_sep)
    . [(generic_token) (array_literal_expression)] @module)
  (#eq? @_command "using")) @reference.import
(command
  (command_invokation_operator) @_dot
  command_name: (command_name_expr) @module
  (#eq? @_dot ".")) @reference.import

(function_statement (function_name) @name (script_block)? @body) @definition.function
(class_statement . (simple_name) @name) @definition.class
(class_method_definition (simple_name) @name (script_block)? @body) @definition.method
(enum_statement . (simple_name) @name) @definition.enum
(enum_member . (simple_name) @name) @definition.constant

((class_attribute) @private (#eq? @private "hidden"))

(class_statement . (simple_name) (simple_name) @name @reference.inherit)

(command
  command_name: (command_name) @name
  (#not-any-of? @name "using" "param" "Import-Module" "import-module")) @reference.call
(invokation_expression (variable) @qualifier . (member_name) @name) @reference.call
(invokation_expression
  (type_literal (type_spec (type_name (type_identifier) @qualifier)))
  (member_name) @name) @reference.call
(invokation_expression (_) . (member_name) @name) @reference.call

((type_identifier) @name @reference.type
  (#not-match? @name "^([Ss]tring|[Ii]nt|[Bb]ool|[Oo]bject|[Ss]witch|[Vv]oid|[Hh]ashtable)$"))
