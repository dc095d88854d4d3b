; TOML: tables and their keys, nothing in arrays of tables.

(comment) @comment

(table . [(bare_key) (dotted_key) (quoted_key)] @name (pair)? @body) @definition.key
(table
  (pair
    . [(bare_key) (dotted_key) (quoted_key)] @name
    [(inline_table) (array)]? @body) @definition.key)
(document
  (pair
    . [(bare_key) (dotted_key) (quoted_key)] @name
    [(inline_table) (array)]? @body) @definition.key)
