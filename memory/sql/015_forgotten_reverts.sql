-- What a commit takes back may be named by the subject of another: words that stayed when the commit's own were forgotten.
UPDATE git_commit SET reverts = '' WHERE reverts GLOB '*[^0-9a-f ]*'
    AND id IN (SELECT id FROM node WHERE kind = 6 AND name = '(forgotten)');
