-- History. A node of kind commit has the object id as key and the subject as name; at_ms is when it was committed.
-- Derived from the repository: left out of exports but for what memories hold on to.
DROP TABLE git_commit; -- of 001, never filled

CREATE TABLE git_commit (
    id        INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    author    TEXT NOT NULL,                  -- as the mailmap says
    text      TEXT NOT NULL,                  -- the message behind the subject, without trailers; may be cut
    parents   TEXT NOT NULL,                  -- object ids, a blank between two
    changes   INTEGER NOT NULL,               -- files that it changed, listed or not
    words     INTEGER NOT NULL,               -- of subject, text and paths, the length that BM25 divides by
    is_merge  INTEGER NOT NULL DEFAULT 0,
    reachable INTEGER NOT NULL DEFAULT 1,     -- 0: no branch leads to it any more
    reverts   TEXT NOT NULL DEFAULT ''        -- what it takes back: an id, maybe shortened, else a subject
) STRICT;
CREATE INDEX git_commit_reverts ON git_commit (reverts) WHERE reverts <> '';         -- who took this back
CREATE VIRTUAL TABLE commit_fts USING fts5 (subject, text, paths, content='', contentless_delete=1, tokenize='engram');

-- What messages name: issues, tickets.
CREATE TABLE git_reference (
    text   TEXT    NOT NULL,
    id     INTEGER NOT NULL REFERENCES git_commit (id) ON DELETE CASCADE,
    PRIMARY KEY (text, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX git_reference_id ON git_reference (id);                                 -- ON DELETE

-- Where paths of the past are now; the history is read newest first, so a rename is known before what it explains.
CREATE TABLE git_rename (
    old TEXT PRIMARY KEY,
    now TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far the history was read.
CREATE TABLE history (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    frontier TEXT    NOT NULL,                -- where to go on, a blank between two ids; empty: all was read
    note     TEXT    NOT NULL,                -- what could not be read
    revision INTEGER NOT NULL                 -- grows with each change
) STRICT;

-- The head up to which each worktree's history was read, and how it stands to heads at which memories were made.
ALTER TABLE worktree ADD COLUMN history_head TEXT NOT NULL DEFAULT '';
CREATE TABLE lineage (
    worktree INTEGER NOT NULL REFERENCES worktree (id) ON DELETE CASCADE,
    head     TEXT    NOT NULL,
    relation INTEGER NOT NULL,                -- enum lineage of memory/history.h
    PRIMARY KEY (worktree, head)
) STRICT, WITHOUT ROWID;
