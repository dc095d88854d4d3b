; CSS

[(comment) (js_comment)] @comment

(import_statement
  [
    (string_value (string_content) @module)
    (call_expression
      (arguments [(string_value (string_content) @module) (plain_value) @module]))
  ]) @reference.import

(rule_set (selectors) @name (block) @body) @definition.selector
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.block
(declaration (property_name) @name (#match? @name "^--")) @definition.variable

(call_expression
  (function_name) @_var
  (arguments . (plain_value) @name @reference.type)
  (#eq? @_var "var"))
