"""What documents say doesn't change how near memories are to a question: each are measured among themselves."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect

ENCODER = os.path.join(os.path.dirname(engram.BINARY), "encoder.bin")
THINGS = ["database", "cache", "queue", "mail server", "build", "login page", "invoice", "search index", "backup", "test suite", "proxy",
          "log file"]
WORKS = ["is rebuilt every night", "keeps its state for a week", "was slow until we doubled the memory", "has no owner since May"]
QUESTION = "Who looks after the bills?"


def cosines(world):
    code, out, err = world.run("recall", "--json", "--features", "--min-score", "0", "--kinds", "memory", "--", QUESTION)
    expect(code == 0, err)
    features = json.loads(out)["features"]
    at = features["names"].index("cosine")
    return {row["id"]: row["values"][at] for row in features["rows"]}


def wait(world):
    code, _, err = world.run("index", "--wait")
    expect(code == 0, err)


@engram.promise
def a_handbook_leaves_memories_as_near_as_they_were(world):
    if not os.path.exists(ENCODER):
        raise engram.Skip("a build without the encoder")
    world.env.update(ENGRAM_ENCODER="on", ENGRAM_INDEX="off")
    server = world.serve()
    for thing in THINGS:
        for work in WORKS:
            server.remember(text=f"The {thing} {work}.")
    wait(world)
    before = cosines(world)
    server.call("attach_document", {"name": "handbook.md", "content": "".join(
        f"# Chapter {n}\n\n" + f"Whoever sails to island number {n} takes {n} barrels of water. " * 12 + "\n\n" for n in range(40))})
    wait(world)
    after = cosines(world)
    shared = before.keys() & after.keys()
    expect(len(shared) >= 20, f"{len(before)} and {len(after)} candidates")
    for id in shared:
        expect(abs(before[id] - after[id]) < 1e-6, f"{id}: {before[id]} became {after[id]}")


engram.main()
