-- Consolidated memories. A memory's tier is 0 working, 1 long-term, 2 consolidated: its text is built from others', its members,
-- and is built again whenever they change, so no earlier text is kept.
CREATE TABLE consolidated (
    id      INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    version INTEGER NOT NULL                 -- grows with each addition of members
) STRICT;

CREATE TABLE member (
    memory       INTEGER PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
    consolidated INTEGER NOT NULL REFERENCES node (id) ON DELETE CASCADE,
    version      INTEGER NOT NULL,           -- of the consolidated memory that first had it
    state        INTEGER NOT NULL,           -- of the memory when the text was built; another one by now: it is out of date
    weight       REAL NOT NULL               -- importance when it joined
) STRICT;
CREATE INDEX member_consolidated ON member (consolidated, memory);                 -- the members of one; ON DELETE
