-- Models that the user runs elsewhere: what waits for them, what was said to whom, and what came of it.

-- 0: texts that lack its vectors are being gathered, 1: they are being encoded, 2: it is whole, 3: another one took its place.
ALTER TABLE vector_model ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
UPDATE vector_model SET state = 2 WHERE (SELECT count(*) FROM vector_model) = 1;
DROP INDEX vector_part;
CREATE UNIQUE INDEX vector_part ON vector (node, model, part);    -- the vectors of a node that changed; ON DELETE

-- What is to be asked of a model: a row for each question, once; it goes with the transaction that stores the answer.
CREATE TABLE queue (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    purpose     INTEGER NOT NULL,            -- enum queue_purpose
    node        INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    other       INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE, -- what the node is compared with; itself where nothing is
    attempts    INTEGER NOT NULL DEFAULT 0,
    faults      INTEGER NOT NULL DEFAULT 0,  -- attempts that failed by what was asked, not by the endpoint
    next_try_ms INTEGER NOT NULL DEFAULT 0,
    owner       INTEGER NOT NULL DEFAULT 0,  -- whose lease it is; 0: nobody's
    until_ms    INTEGER NOT NULL DEFAULT 0,  -- the lease's end
    is_dead     INTEGER NOT NULL DEFAULT 0,  -- 1: not tried again by itself
    why         TEXT NOT NULL DEFAULT ''     -- of the last failure
) STRICT;
CREATE UNIQUE INDEX queue_item ON queue (purpose, node, other);                    -- once
CREATE INDEX queue_due ON queue (purpose, is_dead, id);                            -- the next ones of a purpose; counts
CREATE INDEX queue_node ON queue (node);                                           -- ON DELETE
CREATE INDEX queue_other ON queue (other);                                         -- ON DELETE

-- Up to which node everything was put into the queue.
CREATE TABLE queue_mark (
    purpose INTEGER PRIMARY KEY,
    node    INTEGER NOT NULL
) STRICT;

-- Where models are, and whether they answer.
CREATE TABLE endpoint (
    host      TEXT PRIMARY KEY,
    failures  INTEGER NOT NULL DEFAULT 0,    -- in a row
    closed_ms INTEGER NOT NULL DEFAULT 0,    -- not asked before then
    why       TEXT NOT NULL DEFAULT ''       -- of the last failure
) STRICT, WITHOUT ROWID;

-- What was sent where, day by day.
CREATE TABLE model_usage (
    day        INTEGER NOT NULL,             -- since 1970, UTC
    purpose    INTEGER NOT NULL,             -- enum model_purpose
    host       TEXT    NOT NULL,
    calls      INTEGER NOT NULL,
    tokens_in  INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    bytes_out  INTEGER NOT NULL,
    PRIMARY KEY (day, purpose, host)
) STRICT, WITHOUT ROWID;

-- What a model answered, by a hash of what it was asked, its name and the prompt's version. Goes with the text that was asked about.
CREATE TABLE model_answer (
    hash   TEXT PRIMARY KEY,
    node   INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    at_ms  INTEGER NOT NULL,
    answer TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX model_answer_node ON model_answer (node);                             -- ON DELETE
CREATE INDEX model_answer_at ON model_answer (at_ms);                              -- the oldest go

-- Which model said something of a node, by which prompt, and what became of it.
CREATE TABLE model_work (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    purpose INTEGER NOT NULL,
    node    INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    model   TEXT    NOT NULL,
    prompt  TEXT    NOT NULL,                -- its name and version
    at_ms   INTEGER NOT NULL,
    kept    INTEGER NOT NULL,                -- what it proposed and the text bears out
    dropped INTEGER NOT NULL                 -- what the text doesn't
) STRICT;
CREATE INDEX model_work_node ON model_work (node, purpose);                        -- of a node; ON DELETE

-- Edges that nobody but a model proposed.
CREATE TABLE model_edge (
    edge INTEGER PRIMARY KEY REFERENCES edge (id) ON DELETE CASCADE,
    work INTEGER NOT NULL REFERENCES model_work (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX model_edge_work ON model_edge (work);                                 -- ON DELETE
