-- Sources. A node of kind file stands for a path in whatever content; a node of kind symbol for a qualified name in a path.
-- Both keep their number while contents come and go. All but the nodes is derived: left out of exports, read again from the sources.
-- The tables of 001 for it were never filled: they had one content for a symbol, and two worktrees have two.
DROP TABLE manifest;
DROP TABLE symbol;
DROP TABLE file;

-- A folder whose files are indexed: the project's, or one of its linked worktrees.
CREATE TABLE worktree (
    id         INTEGER PRIMARY KEY,
    root       TEXT NOT NULL UNIQUE,
    head       TEXT NOT NULL DEFAULT '',
    branch     TEXT NOT NULL DEFAULT '',
    note       TEXT NOT NULL DEFAULT '',      -- what could not be read, for the status
    is_whole   INTEGER NOT NULL DEFAULT 0,    -- 0: an index of it has not come to its end
    indexed_ms INTEGER NOT NULL DEFAULT 0,
    revision   INTEGER NOT NULL DEFAULT 0     -- grows with each change of its manifest
) STRICT;

-- What a file held. An identical blob at the same path is read once, whichever worktree has it.
CREATE TABLE content (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    file       INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    blob       TEXT NOT NULL,                 -- git's object id of the bytes
    is_whole   INTEGER NOT NULL DEFAULT 0,    -- 0: its rows are still being written
    language   TEXT NOT NULL DEFAULT '',
    lines      INTEGER NOT NULL DEFAULT 0,
    warning    TEXT NOT NULL DEFAULT '',
    refs       BLOB NOT NULL                  -- its references by name: source_references_write of memory/facts_source.h
) STRICT;
CREATE UNIQUE INDEX content_blob ON content (file, blob);                            -- "is it known already?"; ON DELETE

-- What each worktree has at a path: a content, or the reason why it is not indexed.
CREATE TABLE manifest (
    worktree INTEGER NOT NULL REFERENCES worktree (id) ON DELETE CASCADE,
    path     TEXT NOT NULL,
    content  INTEGER REFERENCES content (id) ON DELETE CASCADE,
    skipped  TEXT NOT NULL DEFAULT '',
    mtime_ns INTEGER NOT NULL DEFAULT 0,
    ctime_ns INTEGER NOT NULL DEFAULT 0,
    bytes    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (worktree, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX manifest_content ON manifest (content) WHERE content IS NOT NULL;       -- contents that nobody has; ON DELETE

CREATE TABLE symbol (
    id     INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE, -- node.key is path#qualified name, node.name the latter
    file   INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    kind   INTEGER NOT NULL,
    simple TEXT NOT NULL                      -- the last part of its name
) STRICT;
CREATE INDEX symbol_file ON symbol (file);                                           -- ON DELETE
CREATE INDEX symbol_simple ON symbol (simple);                                       -- symbols that a text names

CREATE TABLE definition (
    content    INTEGER NOT NULL REFERENCES content (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,              -- in the file, from 0
    symbol     INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    parent     INTEGER NOT NULL DEFAULT -1,   -- position of the symbol around it
    line_start INTEGER NOT NULL,
    line_end   INTEGER NOT NULL,
    is_private INTEGER NOT NULL,
    body_hash  INTEGER NOT NULL,
    shape_hash INTEGER NOT NULL,
    signature  TEXT NOT NULL,
    doc        TEXT NOT NULL,
    PRIMARY KEY (content, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX definition_symbol ON definition (symbol);                               -- where a symbol stands; ON DELETE

-- A window of text of a content; its words are in code_fts under the same number, the text itself stays in the file.
CREATE TABLE chunk (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    content    INTEGER NOT NULL REFERENCES content (id) ON DELETE CASCADE,
    symbol     INTEGER REFERENCES node (id) ON DELETE CASCADE,
    line_start INTEGER NOT NULL,
    line_end   INTEGER NOT NULL,
    words      INTEGER NOT NULL
) STRICT;
CREATE INDEX chunk_content ON chunk (content);                                       -- ON DELETE
CREATE INDEX chunk_symbol ON chunk (symbol) WHERE symbol IS NOT NULL;                -- ON DELETE
CREATE VIRTUAL TABLE code_fts USING fts5 (name, text, content='', contentless_delete=1, tokenize='engram code');

-- What an anchor meant when it was first seen in the index: tells later whether that changed, is gone, or went elsewhere.
CREATE TABLE binding (
    memory     INTEGER NOT NULL,
    path       TEXT    NOT NULL,              -- these three as in anchor
    line       INTEGER NOT NULL,
    symbol     TEXT    NOT NULL,
    target     INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE, -- a symbol or a file
    blob       TEXT    NOT NULL DEFAULT '',   -- of a file
    body_hash  INTEGER NOT NULL DEFAULT 0,    -- of a symbol, as in definition
    shape_hash INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (memory, path, line, symbol),
    FOREIGN KEY (memory, path, line, symbol) REFERENCES anchor (memory, path, line, symbol) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX binding_target ON binding (target);                                     -- ON DELETE; memories of a symbol
CREATE INDEX definition_body ON definition (body_hash);                              -- where a symbol may have gone
CREATE INDEX definition_shape ON definition (shape_hash);                            -- the same under another name
