-- What came out of other tools' memories, so that a second import stores nothing again and a changed item replaces its older self.
CREATE TABLE import_source (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    format    TEXT    NOT NULL,
    path      TEXT    NOT NULL,              -- of the file, as it was when something of it was stored
    stored_ms INTEGER NOT NULL               -- when that was last
) STRICT;
CREATE UNIQUE INDEX import_source_path ON import_source (format, path);

CREATE TABLE imported (
    key    TEXT PRIMARY KEY,                 -- hash of the format and of what the item is known by there
    hash   TEXT NOT NULL,                    -- of the item as it was read
    memory INTEGER REFERENCES node (id) ON DELETE SET NULL, -- NULL: it was forgotten here
    source INTEGER NOT NULL REFERENCES import_source (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_memory ON imported (memory) WHERE memory IS NOT NULL;        -- ON DELETE; where a memory comes from
CREATE INDEX imported_source ON imported (source);                                 -- ON DELETE
