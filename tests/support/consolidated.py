"""What holds of consolidated memories behind a kill at any point, and notes that make many of them."""

from support.engram import expect

NEXT_DAY = "2026-05-02T13:00:00Z"  # a day behind engram.NOW
SYLLABLES = "ka lo mi ren tas vu dor bel qui nef sar ost ump gra zil hex".split()
VERBS = ["calls", "waits for", "writes to", "was moved behind", "is tested with", "shares a queue with", "falls back to"]

# Each must be zero.
HALVES = {
    "a consolidated memory without node, text or version":
        "SELECT count(*) FROM memory WHERE tier = 2 AND (id NOT IN (SELECT id FROM node) OR id NOT IN (SELECT id FROM body)"
        " OR id NOT IN (SELECT id FROM consolidated))",
    "one with fewer than two members":
        "SELECT count(*) FROM memory WHERE tier = 2 AND (SELECT count(*) FROM member WHERE consolidated = memory.id) < 2",
    "a member that is still working": "SELECT count(*) FROM memory WHERE tier = 0 AND id IN (SELECT memory FROM member)",
    "a member that isn't quoted":
        "SELECT count(*) FROM member JOIN body ON body.id = consolidated WHERE instr(text, '[m' || memory || ']') = 0",
    "one without an edge to an entity":
        "SELECT count(*) FROM memory WHERE tier = 2 AND id NOT IN (SELECT src FROM edge WHERE kind = 7)",
}


def expect_whole(world, count):
    """Every cluster is whole or not there, and all `count` memories are."""
    with world.copy() as connection:
        for name, sql in HALVES.items():
            expect(connection.execute(sql).fetchone()[0] == 0, f"half a cluster: {name}")
        stored = connection.execute("SELECT count(*) FROM memory WHERE tier <> 2").fetchone()[0]
        expect(stored == count, f"{stored} of {count} memories are left")
        told = {line.split("\t")[1] for undo, in connection.execute("SELECT undo FROM journal") for line in undo.splitlines()}
        untold = [id for id, in connection.execute("SELECT memory FROM member") if str(id) not in told]
        expect(not untold, f"members without an entry of the journal: {untold[:5]}")


def notes(source, count):
    """Texts on so many subjects that about 25 are on one, each with two or three of its four names; a question for each subject."""
    subjects = []
    for _ in range(max(1, count // 25)):
        names = set()
        while len(names) < 4:
            names.add("".join(source.choice(SYLLABLES) for _ in range(3)).capitalize())
        subjects.append(sorted(names))
    texts = []
    for n in range(count):
        some = source.sample(source.choice(subjects), source.choice((2, 3)))
        texts.append(f"{some[0]} {source.choice(VERBS)} {some[1]}" + (f" and {some[2]}" if len(some) > 2 else "") + f" in step {n}.")
    return texts, [f"What does {subject[0]} do with {subject[1]}?" for subject in subjects]
