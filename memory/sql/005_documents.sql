-- Where a document came from, so that what changed there is read again, and what didn't is told cheaply.
CREATE TABLE document_source (
    id       INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    root     TEXT    NOT NULL DEFAULT '',    -- of a file: the worktree that it was read in; empty: it isn't looked after
    bytes    INTEGER NOT NULL DEFAULT 0,
    mtime_ns INTEGER NOT NULL DEFAULT 0,     -- of the file as it was read; -1: to be read again whatever it is
    gone_ms  INTEGER NOT NULL DEFAULT 0,     -- since when the file isn't there; 0: it is
    title    TEXT    NOT NULL DEFAULT '',    -- as the caller gave it
    etag     TEXT    NOT NULL DEFAULT '',    -- of a page, as its server said
    modified TEXT    NOT NULL DEFAULT ''
) STRICT;
INSERT INTO document_source (id) SELECT id FROM document;

-- A document that is being stored, in many transactions. Who does it holds a lock of the system's on byte `ticket` of attach.lock:
-- a ticket that nobody holds is of a process that was killed.
CREATE TABLE document_ticket (
    ticket   INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL UNIQUE REFERENCES node (id) ON DELETE CASCADE,
    is_shown INTEGER NOT NULL DEFAULT 0      -- 1: its passages are current; what is left is tidying
) STRICT;
