; HTML: headings, what has an id, scripts and style sheets.

(comment) @comment

(element
  (start_tag (tag_name) @_tag)
  . (text) @name
  (#match? @_tag "^([Tt][Ii][Tt][Ll][Ee]|[Hh][1-6])$")) @definition.heading
(element
  [
    (start_tag
      (attribute
        (attribute_name) @_id
        [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))
    (self_closing_tag
      (attribute
        (attribute_name) @_id
        [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))
  ]
  . (_)? @body
  (#eq? @_id "id")) @definition.element
(script_element
  (start_tag
    (attribute
      (attribute_name) @_src
      [(quoted_attribute_value (attribute_value) @module) (attribute_value) @module]))
  (#eq? @_src "src")) @reference.import
(element
  [
    (start_tag
      (tag_name) @_tag
      (attribute
        (attribute_name) @_href
        [(quoted_attribute_value (attribute_value) @module) (attribute_value) @module]))
    (self_closing_tag
      (tag_name) @_tag
      (attribute
        (attribute_name) @_href
        [(quoted_attribute_value (attribute_value) @module) (attribute_value) @module]))
  ]
  (#eq? @_tag "link")
  (#eq? @_href "href")) @reference.import
