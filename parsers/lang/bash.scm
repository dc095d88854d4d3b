; Bash and other shells

(comment) @comment

(command
  name: (command_name) @_command
  . argument: [(word) (string) (raw_string) (concatenation)] @module
  (#any-of? @_command "source" ".")) @reference.import

(function_definition name: (word) @name) @definition.function

; Variables of the script: those it declares, and those in capitals.
(program
  (declaration_command
    "readonly"
    (variable_assignment name: (variable_name) @name)) @definition.constant)
(program
  (declaration_command
    ["declare" "typeset" "export"]
    (variable_assignment name: (variable_name) @name)) @definition.variable)
(program
  (variable_assignment
    name: (variable_name) @name
    value: (_)
    (#match? @name "^[A-Z][A-Z0-9_]*$")) @definition.variable)

(command
  name: (command_name) @_command
  . argument: (word) @name
  (#eq? @_command "trap")) @reference.call

(command
  name: (command_name (word) @name)
  (#not-any-of? @name
    "." ":" "[" "alias" "bg" "break" "builtin" "cd" "command" "continue" "declare" "echo" "eval"
    "exec" "exit" "export" "false" "getopts" "let" "local" "printf" "pwd" "read" "readonly"
    "return" "set" "shift" "shopt" "source" "test" "trap" "true" "type" "ulimit" "umask" "unset"
    "wait")) @reference.call
