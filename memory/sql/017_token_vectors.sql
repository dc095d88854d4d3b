-- What late interaction compares a query with: a vector for each piece of a passage, by the model that made its vectors.
-- Put and replaced with a passage's vectors; derived: left out of exports. Searched by model only when one goes, which walks
-- over all rows.
CREATE TABLE token_vectors (
    node  INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    model INTEGER NOT NULL REFERENCES vector_model (id),
    data  BLOB NOT NULL,                     -- rows one behind the other, as memory/late_interaction.h packs them
    PRIMARY KEY (node, model)
) STRICT;
