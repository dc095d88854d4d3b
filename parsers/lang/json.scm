; JSON: keys to a depth of three, nothing in arrays.

(comment) @comment

; What holds more is told by its name alone.
(document
  (object
    (pair
      key: (string (string_content) @name)
      value: [(object) (array)]? @body) @definition.key))
(document
  (object
    (pair
      value: (object
        (pair
          key: (string (string_content) @name)
          value: [(object) (array)]? @body) @definition.key))))
(document
  (object
    (pair
      value: (object
        (pair
          value: (object
            (pair
              key: (string (string_content) @name)
              value: [(object) (array)]? @body) @definition.key))))))
