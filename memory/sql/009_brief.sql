-- What a session is told at its start, found without walking all memories.
CREATE INDEX node_pinned ON node (id) WHERE (flags & 2) <> 0;
CREATE INDEX memory_kind ON memory (kind, id);
