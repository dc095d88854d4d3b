-- The texts that a model's answer was made of beside that of its own node: with any of them it goes, whole.
CREATE TABLE model_answer_part (
    node INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    hash TEXT    NOT NULL REFERENCES model_answer (hash) ON DELETE CASCADE,
    PRIMARY KEY (node, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX model_answer_part_hash ON model_answer_part (hash);                   -- ON DELETE
