"""forget reaches whatever a memory has become, and nothing that works by itself brings it back: the files on disk are searched for the secret."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.background import DONE_S, wait_for
from support.engram import each_of, expect, expect_words
from support.repository import commit, git

SECRET = "xylographquince"  # stands nowhere else
NAME = SECRET.capitalize()
NEXT_DAY, NEXT_YEAR = "2026-05-02T13:00:00Z", "2027-05-01T12:00:00Z"
TEXT = f"The {SECRET} opens the vault of Checkout at night."


def run(world, *arguments, **more):
    code, out, err = world.run("--json", *arguments, **more)
    expect(code == 0, f"{arguments}: {out}{err}")
    return json.loads(out) if out else None


def holders(world):
    """Ids of the memories that say it, archived and superseded ones, too."""
    return [f"m{id}" for id, in world.query("SELECT id FROM body JOIN memory USING (id) WHERE instr(lower(text || name), ?)", SECRET)]


def forget_all(world):
    server = world.serve()
    ids = holders(world)
    expect(ids, "nobody says it")
    server.call("forget", ids=ids)
    server.stop()


def gone(world):
    expect(world.files_with(SECRET) == [], world.files_with(SECRET))
    expect(world.count("SELECT count(*) FROM vector WHERE node NOT IN (SELECT id FROM node)") == 0)


# ---- the ways in, and what memory makes of it; each leaves memories that say the secret ----

def told(world):
    server = world.serve()
    server.remember(TEXT, entities=[{"name": NAME, "type": "key"}], topic=f"{SECRET} topic", session=f"{SECRET} session")
    server.stop()


def told_and_asked_about(world):
    """Use: what was shown and expanded is counted by the next write, and an edge joins what was used together."""
    server = world.serve()
    ids = [server.remember(text)["id"] for text in (TEXT, "Checkout closes its vault at six.", "The vault of Checkout is made of steel.")]
    for n in range(4):
        server.recall(f"What does the {SECRET} open in step {n}?")
        server.recall(ids=ids)
    server.remember("Something else.")
    server.stop()
    run(world, "consolidate", "--only", "growth")


def told_and_edited(world):
    server = world.serve()
    server.remember(TEXT, entities=[{"name": NAME}, {"name": "Locksmith"}])
    for edit in ({"action": "alias", "entity": NAME, "name": f"{SECRET} two"}, {"action": "split", "entity": NAME, "name": f"{SECRET} two"},
                 {"action": "merge", "entity": NAME, "into": "Locksmith"}, {"action": "set_type", "entity": "Locksmith", "type": SECRET}):
        server.call("review_entities", edits=[edit])
    server.stop()


def told_and_consolidated(world):
    server = world.serve()
    for n, text in enumerate((TEXT, "The night shift of Checkout keeps the vault locked.", f"The vault of Checkout needs the {SECRET}, says shift {5}.")):
        server.remember(text, entities=[{"name": name} for name in ("Checkout", "Vault", NAME)] if n != 1 else [{"name": name} for name in ("Checkout", "Vault")])
    server.stop()
    made = run(world, "consolidate", ENGRAM_NOW=NEXT_DAY)
    expect(any(step["action"] == "consolidated" for step in made["steps"]), made)


def told_and_archived(world):
    told(world)
    server = world.serve()
    server.remember("Another thing.", supersedes=holders(world))
    server.stop()


def told_and_disputed(world):
    server = world.serve()
    server.remember(f"The {SECRET} runs Postgres 14.", at="2026-03-01")
    server.remember(f"The {SECRET} runs on Postgres 16.", at="2026-04-01")
    server.call("review_entities")
    server.stop()


def imported(world):
    path = world.write("memory.jsonl", json.dumps({"type": "entity", "name": NAME, "entityType": "key", "observations": [TEXT]}) + "\n")
    run(world, "import", path)


def written_down(world):
    world.write("docs/adr/0001-vault.md", f"# 1. Open the vault\n\n## Status\n\nAccepted\n\n## Context\n\nThe vault is shut.\n\n## Decision\n\nWe will open it by the {SECRET}.\n")
    run(world, "init")
    document = world.query("SELECT 'd' || id FROM node WHERE kind = 2")
    server = world.serve()  # the file as a document, too
    server.call("forget", ids=[id for id, in document])
    server.stop()


def indexed(world, message):
    """Told by a commit. Where it is told already, a clone gets the memory and its history is read from the beginning."""
    if os.path.exists(os.path.join(world.project, ".git")):
        clone = world.path("clone")
        git(world.project, "clone", "-q", ".", clone)
        run(world, "export", world.path("all.jsonl"))
        run(world, "import", world.path("all.jsonl"), project=clone)
        run(world, "index", project=clone, ENGRAM_INDEX="on")
        expect(world.query("SELECT count(*) FROM git_commit", project=clone) == [(1,)], "the history wasn't read")
        return
    world.write("a.txt", "a\n")
    git(world.project, "init", "-q")
    commit(world.project, message)
    run(world, "index", ENGRAM_INDEX="on")


def committed(world):
    indexed(world, f"Open the vault\n\nWe decided to open it by the {SECRET} because the lock of Checkout is too slow at night.")


def took_back(world):
    """The subject of what a commit takes back is kept beside the message that names it."""
    indexed(world, f'Revert "Open the vault by the {SECRET}"\n\nWe decided to take it back because the lock of Checkout is too slow.')


WAYS = [told, told_and_asked_about, told_and_edited, told_and_consolidated, told_and_archived, told_and_disputed, imported, written_down, committed, took_back]


def way(function):
    """A promise for each, so that every one has a world of its own."""
    def keeps(world):
        function(world)
        expect(world.files_with(SECRET), "it never was there")
        forget_all(world)
        gone(world)
        if function in (imported, written_down, committed, took_back):  # what works by itself doesn't bring it back
            server = world.serve()
            world.run("init") if function is written_down else function(world)
            server.stop()
            expect(holders(world) == [])
            gone(world)
        run(world, "consolidate", ENGRAM_NOW=NEXT_YEAR)
        gone(world)
        world.doctor()

    keeps.__name__ = f"nothing_is_left_of_what_was_{function.__name__}"
    engram.promise(keeps)


for function in WAYS:
    way(function)


@engram.promise
def what_was_done_to_the_forgotten_cannot_be_undone_and_the_rest_can(world):
    told_and_edited(world)
    told_and_consolidated(world)
    entries = [id for id, in world.query("SELECT 'j' || id FROM journal ORDER BY id DESC")]
    forget_all(world)
    server = world.serve()
    undone, refused = [], []
    for journal in entries:
        try:
            server.call("review_entities", undo=journal)
            undone.append(journal)
        except engram.ToolError as error:
            expect_words(str(error), "undo")
            refused.append(journal)
    server.stop()
    expect(undone and refused, (undone, refused))
    gone(world)
    expect(holders(world) == [] and world.count("SELECT count(*) FROM memory WHERE tier = 2") == 0)
    world.doctor()


@engram.promise
def an_explicit_remember_says_that_it_was_forgotten_and_stores_it(world):
    told(world)
    forget_all(world)
    server = world.serve()
    answer = server.remember(TEXT)
    expect(answer["was_forgotten"] is True and answer["status"] == "stored", answer)
    expect("was_forgotten" not in server.remember(TEXT + " So be it."))


@engram.promise
def vectors_of_what_is_forgotten_go(world):
    server = world.serve(ENGRAM_ENCODER="on")
    id = server.remember(TEXT)["id"]
    server.remember("Another thing that is encoded as well.")
    wait_for(DONE_S, "both vectors", lambda: world.count("SELECT count(DISTINCT node) FROM vector") == 2)
    server.call("forget", ids=[id])
    expect(world.query("SELECT count(DISTINCT node), min(node) = ? FROM vector", int(id[1:])) == [(1, 0)])
    gone(world)


@engram.promise
def an_undone_answer_does_not_bring_a_forgotten_memory_back(world):
    server = world.serve()
    old, new = server.remember(f"The {SECRET} runs Postgres 14.", at="2026-03-01")["id"], server.remember(f"The {SECRET} runs on Postgres 16.", at="2026-04-01")["id"]
    question = next(q for q in server.call("review_entities")["questions"] if q["kind"] == "contradiction")
    journal = server.call("review_entities", answers=[{"question": question["id"], "verdict": "yes"}])["applied"][0]["journal"]
    server.call("forget", ids=[old])
    server.call("review_entities", undo=journal)
    expect(holders(world) == [new])


engram.main()
