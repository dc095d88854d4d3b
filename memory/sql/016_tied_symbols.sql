-- What the symbols were that names are tied to (SAME_AS), by symbol: an entity may have more ties than one once another
-- was merged into it, and gives them back when that is undone. Derived: left out of exports, made again where it is missing.
CREATE TABLE tied_symbol (
    symbol     INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    body_hash  INTEGER NOT NULL,              -- as in definition
    shape_hash INTEGER NOT NULL
) STRICT;
INSERT OR IGNORE INTO tied_symbol (symbol, body_hash, shape_hash)
    SELECT target, body_hash, shape_hash FROM tie ORDER BY body_hash = 0;
DROP TABLE tie;
