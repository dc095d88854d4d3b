-- What is used grows together, what isn't fades: when something happened, what was used with what, and the shape of the
-- graph as the last pass found it.

-- Spans of six hours in which something was stored or recalled; the only time that decay knows.
CREATE TABLE activity (
    cycle INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL                   -- the first that is known to have happened in it
) STRICT;

-- Questions whose answers were counted, by hash: the same one again counts for nothing.
CREATE TABLE asked (
    hash  INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX asked_at ON asked (at_ms);                                            -- the oldest go

-- When a memory was last among the first that an answer gave: it isn't dormant, though nobody took it up.
CREATE TABLE returned (
    node  INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    at_ms INTEGER NOT NULL
) STRICT;

-- Used together, a < b: a decayed sum and the cycle at which it stands (Eq. 1). A pass makes edges of the strong ones.
CREATE TABLE co_use (
    a     INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    b     INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    sum   REAL    NOT NULL,
    cycle INTEGER NOT NULL,
    PRIMARY KEY (a, b)
) STRICT, WITHOUT ROWID;
CREATE INDEX co_use_b ON co_use (b);                                               -- ON DELETE

-- A community keeps its number while most of its members stay.
CREATE TABLE community (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    label   TEXT    NOT NULL,
    members INTEGER NOT NULL
) STRICT;

CREATE TABLE topology (
    node       INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    centrality REAL    NOT NULL,             -- times the number of nodes: 1 is the average
    degree     INTEGER NOT NULL,             -- neighbours as decay counts them
    is_hub     INTEGER NOT NULL,
    community  INTEGER REFERENCES community (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX topology_community ON topology (community) WHERE community IS NOT NULL; -- members; ON DELETE
