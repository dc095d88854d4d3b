; YAML: keys to a depth of three, nothing in sequences.

(comment) @comment

; What holds more is told by its name alone.
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        key: (flow_node) @name
        value: (block_node)? @body) @definition.key)))
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        value: (block_node
          (block_mapping
            (block_mapping_pair
              key: (flow_node) @name
              value: (block_node)? @body) @definition.key))))))
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        value: (block_node
          (block_mapping
            (block_mapping_pair
              value: (block_node
                (block_mapping
                  (block_mapping_pair
                    key: (flow_node) @name
                    value: (block_node)? @body) @definition.key)))))))))

; What a job uses and which jobs come before it; what a container is made of.
(block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node) @module
  (#any-of? @_key "uses" "image" "extends" "$ref")) @reference.import
(block_mapping_pair
  key: (flow_node) @_key
  value: [
    (flow_node (plain_scalar) @name @reference.call)
    (flow_node (flow_sequence (flow_node) @name @reference.call))
    (block_node (block_sequence (block_sequence_item (flow_node) @name @reference.call)))
  ]
  (#any-of? @_key "needs" "depends_on"))
