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
HANDBOOK = "".join(f"# Chapter {n}\n\n" + f"Whoever sails to island number {n} takes {n} barrels of water. " * 12 + "\n\n"
                   for n in range(40))


def with_encoder(world):
    if not os.path.exists(ENCODER):
        raise engram.Skip("a build without the encoder")
    world.env.update(ENGRAM_ENCODER="on", ENGRAM_INDEX="off")
    return world.serve()


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
    server = with_encoder(world)
    for thing in THINGS:
        for work in WORKS:
            server.remember(text=f"The {thing} {work}.")
    wait(world)
    before, [(vectors,)] = cosines(world), world.query("SELECT count(*) FROM vector")
    expect(len(set(before.values())) > 10, before)
    server.call("attach_document", {"name": "handbook.md", "content": HANDBOOK})
    wait(world)
    after = cosines(world)
    expect(world.query("SELECT count(*) FROM vector")[0][0] >= vectors + 40, "the handbook has no vectors")
    shared = before.keys() & after.keys()
    expect(len(shared) >= 20, f"{len(before)} and {len(after)} candidates")
    for id in shared:
        expect(abs(before[id] - after[id]) < 1e-6, f"{id}: {before[id]} became {after[id]}")


@engram.promise
def a_few_memories_beside_a_handbook_are_told_apart_by_meaning(world):
    server = with_encoder(world)
    for thing in ("invoices belong to Alice's team", "tests run on every push", "logs are kept for a week"):
        server.remember(text=f"The {thing}.")
    server.call("attach_document", {"name": "handbook.md", "content": HANDBOOK})
    wait(world)
    near = cosines(world)
    expect(max(near, key=near.get) == "m" + str(min(int(id[1:]) for id in near)), near)


engram.main()
