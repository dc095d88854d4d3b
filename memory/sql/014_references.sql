-- The references of the repository as they were when a worktree's history was read last: a branch that was fetched or a
-- tag on an old commit is news without a new head. And the revision of the history up to which it was followed what
-- its commits mean together (reverts, files that change together): an interrupted run has left more than that.
ALTER TABLE worktree ADD COLUMN history_refs TEXT NOT NULL DEFAULT '';
ALTER TABLE history ADD COLUMN followed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX git_commit_lost ON git_commit (id) WHERE reachable = 0;                 -- is any on no branch?
