-- What the names that texts use mean in the sources, beside the edge (SAME_AS): tells where a symbol went that is defined
-- nowhere any more. Derived: left out of exports, made again where it is missing.
CREATE TABLE tie (
    entity     INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    target     INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE, -- a symbol
    body_hash  INTEGER NOT NULL DEFAULT 0,    -- as in definition, when an index last came to its end
    shape_hash INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX tie_target ON tie (target);                                             -- ON DELETE
INSERT INTO tie (entity, target) SELECT edge.src, edge.dst FROM edge JOIN node ON node.id = edge.dst
    WHERE edge.kind = 8 AND node.kind = 5 ORDER BY edge.id ON CONFLICT DO NOTHING;

-- Files by the last part of their path, as texts name them. The expression is the one of memory/store_tie.c.
CREATE INDEX file_base ON node (substr(name, length(rtrim(name, replace(name, '/', ''))) + 1)) WHERE kind = 4;

-- Documents by their title, whatever its case: a question that is nothing but a title asks for the document.
CREATE INDEX document_title ON node (lower(name)) WHERE kind = 2;
