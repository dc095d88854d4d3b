; Elixir

(comment) @comment

; What a definition is told by.
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_doc (arguments [(string) (sigil)]))
  (#any-of? @_doc "doc" "typedoc")) @comment
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_lead)
  (#any-of? @_lead "spec" "impl" "deprecated")) @lead
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_doc (arguments (string) @doc))
  (#eq? @_doc "moduledoc"))

(call
  target: (identifier) @_use
  (arguments . [(alias) (dot)] @tree (keywords (pair value: (alias) @alias))?)
  (#any-of? @_use "alias" "require")) @reference.import
(call
  target: (identifier) @_use
  (arguments . (alias) @module)
  (#any-of? @_use "import" "use")
  (#set! name "*")) @reference.import

(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block)? @body
  (#eq? @_def "defmodule")) @definition.module
(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block)? @body
  (#eq? @_def "defprotocol")) @definition.interface
(call
  target: (identifier) @_def
  (arguments
    . (alias)
    (keywords (pair key: (keyword) @_for value: (alias) @name)))
  (#eq? @_def "defimpl")
  (#match? @_for "^for:")) @container

(call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator left: (identifier) @name operator: "when")]
    . (keywords)? @body)
  (do_block)? @body
  (#any-of? @_def "def" "defp" "defdelegate" "defguard" "defguardp" "defmacro" "defmacrop")
  (#set! goes-on "yes")) @definition.function
(call
  target: (identifier) @private
  (#any-of? @private "defp" "defmacrop" "defguardp"))
(call
  target: (identifier) @_test
  (arguments . (string) @name)
  (do_block) @body
  (#eq? @_test "test")) @definition.test

(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_type
    (arguments
      (binary_operator
        left: [(identifier) @name (call target: (identifier) @name)]
        operator: "::")))
  (#any-of? @_type "type" "opaque" "typep")) @definition.type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_callback
    (arguments
      (binary_operator left: (call target: (identifier) @name) operator: "::")))
  (#any-of? @_callback "callback" "macrocallback")) @definition.method
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @name (arguments))
  (#not-any-of? @name
    "after_compile" "behaviour" "before_compile" "callback" "compile" "deprecated" "derive"
    "dialyzer" "doc" "enforce_keys" "external_resource" "impl" "macrocallback" "moduledoc"
    "moduletag" "on_load" "opaque" "optional_callbacks" "since" "spec" "tag" "type" "typedoc"
    "typep")) @definition.constant

(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_behaviour (arguments (alias) @name @reference.inherit))
  (#eq? @_behaviour "behaviour"))
(call
  target: (identifier) @_def
  (arguments
    . (alias) @name @reference.inherit
    (keywords (pair value: (alias) @owner)))
  (#eq? @_def "defimpl"))

; The head of a specification is no call.
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_spec
    (arguments
      (binary_operator left: (call target: (identifier) @name @reference.type))))
  (#eq? @_spec "spec"))

(call
  target: (identifier) @name
  (#not-any-of? @name
    "alias" "and" "behaviour" "callback" "case" "cond" "def" "defdelegate" "defexception"
    "defguard" "defguardp" "defimpl" "defmacro" "defmacrop" "defmodule" "defoverridable" "defp"
    "defprotocol" "defstruct" "doc" "else" "fn" "for" "if" "impl" "import" "in" "macrocallback"
    "moduledoc" "not" "opaque" "or" "quote" "raise" "receive" "require" "spec" "super" "test"
    "throw" "try" "type" "typedoc" "typep" "unless" "unquote" "use" "when" "with")) @reference.call
(call
  target: (dot left: (alias) @qualifier right: (identifier) @name)) @reference.call
(call
  target: (dot left: (_) @qualifier right: (identifier) @name)
  (arguments)) @reference.call
(binary_operator
  operator: "|>"
  right: (identifier) @name @reference.call)
(struct (alias) @name) @reference.type
