-- The whole graph of one project. Kinds, states and edge kinds are the enums of memory/facts.h and memory/store.h.
-- Times are milliseconds since 1970 (UTC).

-- Everything that has a public id (letter of the kind + id). AUTOINCREMENT: a number is never used again.
CREATE TABLE node (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    kind      INTEGER NOT NULL,
    state     INTEGER NOT NULL DEFAULT 0,
    key       TEXT,                          -- what makes it the same again, within its kind; NULL where nothing does
    name      TEXT NOT NULL DEFAULT '',      -- entity name, document title, session name, qualified symbol name
    origin    INTEGER NOT NULL,
    trust     REAL    NOT NULL,
    at_ms     INTEGER NOT NULL,              -- when it was so
    stored_ms INTEGER NOT NULL,              -- our clock
    session   INTEGER REFERENCES node (id) ON DELETE SET NULL,
    branch    TEXT NOT NULL DEFAULT '',
    head      TEXT NOT NULL DEFAULT '',
    flags     INTEGER NOT NULL DEFAULT 0,    -- enum node_flag
    words     INTEGER NOT NULL DEFAULT 0,    -- tokens of its body, the length that BM25 divides by
    uses      INTEGER NOT NULL DEFAULT 0,
    used_ms   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX node_key ON node (kind, key);          -- "is it there already?"
CREATE INDEX node_session ON node (session) WHERE session IS NOT NULL; -- the memories of a session; ON DELETE

-- The text that is indexed: one row for each memory, passage, symbol, commit, file that has any.
CREATE TABLE body (
    id   INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    name TEXT NOT NULL,                      -- speaker, heading path, symbol name
    text TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE fts USING fts5 (name, text, content='body', content_rowid='id', columnsize=0, tokenize='engram');
INSERT INTO fts (fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE memory (
    id      INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    kind    INTEGER NOT NULL,
    tier    INTEGER NOT NULL DEFAULT 0,      -- 0 working, 1 long-term
    speaker INTEGER REFERENCES node (id) ON DELETE SET NULL,
    topic   TEXT NOT NULL DEFAULT '',        -- as given
    topic_key TEXT NOT NULL DEFAULT '',      -- its normal form
    retry   TEXT NOT NULL,                   -- hash of text, speaker, session and at; node.key holds it while the row is current
    superseded_by INTEGER REFERENCES node (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX memory_topic ON memory (topic_key) WHERE topic_key <> '';             -- the current memory of a topic
CREATE INDEX memory_retry ON memory (retry);                                       -- a repeat of what was superseded
CREATE INDEX memory_speaker ON memory (speaker) WHERE speaker IS NOT NULL;         -- ON DELETE of an entity
CREATE INDEX memory_superseded_by ON memory (superseded_by) WHERE superseded_by IS NOT NULL; -- the chain; ON DELETE

CREATE TABLE entity (
    id    INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    type  TEXT NOT NULL DEFAULT '',
    typed INTEGER NOT NULL DEFAULT 0,        -- 1: the type was given, not found by rule
    merged_into INTEGER REFERENCES node (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX entity_merged ON entity (merged_into) WHERE merged_into IS NOT NULL;  -- split, ON DELETE

CREATE TABLE property (
    entity INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    key    TEXT NOT NULL,
    value  TEXT NOT NULL,
    said_by INTEGER REFERENCES node (id) ON DELETE CASCADE,
    PRIMARY KEY (entity, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX property_said_by ON property (said_by) WHERE said_by IS NOT NULL;     -- ON DELETE

-- Every name by which an entity is found, its own included.
CREATE TABLE alias (
    normal TEXT PRIMARY KEY,                 -- text_normal_name of name
    name   TEXT NOT NULL,
    entity INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX alias_entity ON alias (entity);                                       -- the card of an entity; ON DELETE

CREATE TABLE edge (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    src     INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    dst     INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    kind    INTEGER NOT NULL,
    label   TEXT NOT NULL DEFAULT '',        -- the user's own, of RELATION
    said_by INTEGER REFERENCES node (id) ON DELETE CASCADE, -- memory, passage or commit that says it; NULL: nobody needs to
    weight  REAL NOT NULL DEFAULT 1,
    uses    REAL NOT NULL DEFAULT 0,         -- decayed sum of co-retrievals at used_ms (seed 001, Eq. 1)
    used_ms INTEGER NOT NULL DEFAULT 0,
    at_ms   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX edge_same ON edge (src, dst, kind, label, coalesce(said_by, 0)); -- put once; edges between two nodes
CREATE INDEX edge_src ON edge (src, kind);                                         -- newest edges of a kind out of a node
CREATE INDEX edge_dst ON edge (dst, kind);                                         -- newest edges of a kind into a node; ON DELETE
CREATE INDEX edge_said_by ON edge (said_by) WHERE said_by IS NOT NULL;             -- relations of a memory; ON DELETE

CREATE TABLE document (
    id         INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE, -- node.key is the source, node.name the title
    path       TEXT NOT NULL DEFAULT '',
    hash       TEXT NOT NULL,
    media_type TEXT NOT NULL DEFAULT '',
    tokens     INTEGER NOT NULL DEFAULT 0,
    entities   INTEGER NOT NULL DEFAULT 0,
    warnings   TEXT NOT NULL DEFAULT ''      -- one a line
) STRICT;

CREATE TABLE passage (
    id         INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE, -- body.name is the heading path
    document   INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    line_start INTEGER NOT NULL DEFAULT 0,
    line_end   INTEGER NOT NULL DEFAULT 0,
    page       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX passage_document ON passage (document, position);                     -- a document's passages in order; ON DELETE

CREATE TABLE file (
    id   INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,       -- node.key is path + blob hash
    path TEXT NOT NULL,
    hash TEXT NOT NULL,
    language TEXT NOT NULL DEFAULT '',
    bytes INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX file_path ON file (path);                                             -- the versions of a path

-- Which version of a path each worktree has.
CREATE TABLE manifest (
    worktree TEXT NOT NULL,
    path     TEXT NOT NULL,
    file     INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    mtime_ns INTEGER NOT NULL DEFAULT 0,
    bytes    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (worktree, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX manifest_file ON manifest (file);                                     -- ON DELETE

CREATE TABLE symbol (
    id         INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE, -- node.key is path + qualified name
    file       INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    signature  TEXT NOT NULL DEFAULT '',
    line_start INTEGER NOT NULL DEFAULT 0,
    line_end   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX symbol_file ON symbol (file);                                         -- a file's symbols; ON DELETE

CREATE TABLE git_commit (
    id        INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,  -- node.key is the object id
    author    INTEGER REFERENCES node (id) ON DELETE SET NULL,
    reachable INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX git_commit_author ON git_commit (author) WHERE author IS NOT NULL;    -- ON DELETE

-- Places in the code that a memory speaks of, as given; bound to symbols when code is indexed.
CREATE TABLE anchor (
    memory INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    path   TEXT NOT NULL,
    line   INTEGER NOT NULL DEFAULT 0,
    symbol TEXT NOT NULL DEFAULT '',
    hash   TEXT NOT NULL DEFAULT '',         -- of the file; empty: it was missing
    PRIMARY KEY (memory, path, line, symbol)
) STRICT, WITHOUT ROWID;
CREATE INDEX anchor_path ON anchor (path);                                         -- memories of a file

-- What was forgotten, by hash only: keeps re-attaching, re-importing and sync from bringing it back.
CREATE TABLE tombstone (
    hash      TEXT PRIMARY KEY,
    kind      INTEGER NOT NULL,
    stored_ms INTEGER NOT NULL,
    reason    TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- Decisions of review, each with what it takes to undo it (lines of "table id column old").
CREATE TABLE journal (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    stored_ms INTEGER NOT NULL,
    action    TEXT NOT NULL,
    text      TEXT NOT NULL,
    undo      TEXT NOT NULL,
    undone_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE question (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    kind      TEXT NOT NULL,
    a         INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    b         INTEGER REFERENCES node (id) ON DELETE CASCADE,
    state     INTEGER NOT NULL DEFAULT 0,    -- 0 open, 1 yes, 2 no, 3 later
    weight    REAL NOT NULL DEFAULT 0,
    stored_ms INTEGER NOT NULL,
    answered_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX question_same ON question (kind, a, coalesce(b, 0));           -- asked once
CREATE INDEX question_b ON question (b) WHERE b IS NOT NULL;                       -- ON DELETE

-- Content that crashed or overran the parse worker.
CREATE TABLE quarantine (
    hash      TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    why       TEXT NOT NULL,
    strikes   INTEGER NOT NULL,
    stored_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Rows whose snapshot entry is out of date: a node whose state changed or that is gone, an edge that is gone. New nodes and
-- edges need no row here: their numbers tell.
CREATE TABLE change (
    seq  INTEGER PRIMARY KEY AUTOINCREMENT,
    node INTEGER NOT NULL DEFAULT 0,
    body INTEGER NOT NULL DEFAULT 0,         -- 1: the node's text changed
    src  INTEGER NOT NULL DEFAULT 0,         -- of an edge that is gone or whose weight changed, with dst
    dst  INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
