; HCL, as Terraform writes it: blocks of the file by their labels, and what they name.

(comment) @comment

(config_file
  (body
    (block . (identifier) @name . (block_start) @body) @definition.block)
  (#not-eq? @name "locals"))
((block . (identifier) @_locals . (block_start)) @container
  (#eq? @_locals "locals")
  (#set! name "local"))
(config_file
  (body
    (block
      . (identifier) @owner
      . (string_lit (template_literal) @name)
      . (block_start) @body) @definition.block))
(config_file
  (body
    (block
      . (identifier) @owner
      . (string_lit (template_literal) @owner)
      . (string_lit (template_literal) @name)
      . (block_start) @body) @definition.block))
(config_file
  (body
    (block
      . (identifier) @_locals
      (body (attribute . (identifier) @name (expression)) @definition.variable)))
  (#eq? @_locals "locals"))
(config_file
  (body (attribute . (identifier) @name (expression)) @definition.key))

(block
  . (identifier) @_module
  (body
    (attribute
      . (identifier) @_source
      (expression (literal_value (string_lit (template_literal) @module)))))
  (#any-of? @_module "module" "terraform")
  (#eq? @_source "source")) @reference.import

(expression
  . (variable_expr (identifier) @_data)
  . (get_attr (identifier) @qualifier)
  . (get_attr (identifier) @name)
  (#eq? @_data "data")) @reference.call
(expression
  . (variable_expr (identifier) @qualifier)
  . (get_attr (identifier) @name)
  (#not-any-of? @qualifier "count" "data" "each" "path" "self" "terraform")) @reference.call
