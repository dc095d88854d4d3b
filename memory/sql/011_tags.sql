-- The tags of the repository, as they were when the history was read last: "before v2.1" asks for a time by one of them.
CREATE TABLE git_tag (
    name  TEXT PRIMARY KEY,
    oid   TEXT    NOT NULL,                  -- of the commit behind it
    at_ms INTEGER NOT NULL                   -- when that was committed
) STRICT, WITHOUT ROWID;
