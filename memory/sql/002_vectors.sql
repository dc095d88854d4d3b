-- What a sentence encoder made of texts. Derived: left out of exports, made again where it is missing.

-- Vectors of two models can't be compared. There is more than one row only while texts are encoded anew.
CREATE TABLE vector_model (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
) STRICT;

-- The rows of a node are written together, in order of part. AUTOINCREMENT: who keeps them in memory takes in new ones by number.
CREATE TABLE vector (
    seq   INTEGER PRIMARY KEY AUTOINCREMENT,
    node  INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    part  INTEGER NOT NULL,                  -- a window of the text, counted from 0; -1: the text in its context
    model INTEGER NOT NULL REFERENCES vector_model (id),
    scale REAL NOT NULL,                     -- element i is scale * data[i]
    data  BLOB NOT NULL                      -- a signed byte for each dimension
) STRICT;
CREATE UNIQUE INDEX vector_part ON vector (node, part);    -- the vectors of a node that changed; ON DELETE

-- Memories and passages whose text no encoder has seen yet.
CREATE TABLE vector_pending (
    node INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE
) STRICT;
INSERT INTO vector_pending SELECT body.id FROM body JOIN node ON node.id = body.id WHERE node.kind IN (0, 3);
