"""kill -9 at any point: what was acknowledged is there, whole, and the next start works.

ENGRAM_KILLS is how often a writer is killed (1000 by hand), ENGRAM_SEED chooses the points."""

import os
import random
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect

KILLS = engram.number("ENGRAM_KILLS", 60)
SEED = engram.number("ENGRAM_SEED", 1)
WRITERS = 4

# Each must be zero; a memory is its row, its text and its edges, or none of them. Doctor compares texts and index.
HALVES = {
    "memory without node": "SELECT count(*) FROM memory WHERE id NOT IN (SELECT id FROM node)",
    "memory node without memory": "SELECT count(*) FROM node WHERE kind = 0 AND id NOT IN (SELECT id FROM memory)",
    "memory without text": "SELECT count(*) FROM memory WHERE id NOT IN (SELECT id FROM body)",
    "text without node": "SELECT count(*) FROM body WHERE id NOT IN (SELECT id FROM node)",
    "memory without its mention": "SELECT count(*) FROM memory WHERE id NOT IN (SELECT src FROM edge WHERE kind = 0)",
    "memory without its relation": "SELECT count(*) FROM memory WHERE id NOT IN (SELECT said_by FROM edge WHERE said_by IS NOT NULL)",
    "edge to nowhere": "SELECT count(*) FROM edge WHERE src NOT IN (SELECT id FROM node) OR dst NOT IN (SELECT id FROM node)",
    "passage without text": "SELECT count(*) FROM passage WHERE id NOT IN (SELECT id FROM body)",
    # A document is stored in steps; until it is whole it is pending, and nobody sees it.
    "document without passages": "SELECT count(*) FROM document JOIN node USING (id) WHERE state = 0"
                                 " AND id NOT IN (SELECT document FROM passage)",
}


def memory(writer, turn):
    """The arguments of one remember; the text has a tag that nothing else has."""
    tag = f"zq{writer}w{turn}"
    return tag, {"text": f"Worker {writer} noted {tag}: the cache of step {turn} is rebuilt at night. " + "Filler. " * (turn % 90),
                 "session": f"kills-{writer}",
                 "relations": [{"from": f"Step {turn}", "relation": "rebuilt_by", "to": f"Worker {writer}"}]}


def write_until_killed(world, writer, acknowledged, random_source, killed):
    """One life of a server: calls without a pause until a timer or a count kills it."""
    server = world.serve()
    timer = threading.Timer(random_source.uniform(0, .25), server.kill)
    timer.start()
    try:
        while True:
            turn = acknowledged.setdefault(f"turn-{writer}", 0)
            acknowledged[f"turn-{writer}"] = turn + 1
            tag, arguments = memory(writer, turn)
            answer = server.call("remember", arguments)
            acknowledged[tag] = (answer["id"], arguments["text"].strip())
            if turn % 7 == 0:
                server.recall(tag)
            if turn % 11 == 0:
                server.call("attach_document", name=f"note-{writer}.md", content=f"# Note {turn}\n\nText of {tag}.\n")
    except engram.Gone:
        killed.append(writer)
    finally:
        timer.cancel()
        server.kill()


def kill_within(server, seconds, source):
    """At a point that only the seed knows: not a wait for anything."""
    timer = threading.Timer(source.uniform(0, seconds), server.kill)
    timer.start()
    timer.join()


def check_all(world, acknowledged):
    stored = {id: text for id, text in world.query("SELECT id, text FROM body JOIN memory USING (id)")}
    known = {key: value for key, value in acknowledged.items() if not key.startswith("turn-")}
    lost = [tag for tag, (id, _) in known.items() if int(id[1:]) not in stored]
    expect(not lost, f"{len(lost)} of {len(known)} acknowledged memories are lost, such as {lost[:3]}")
    other = [tag for tag, (id, text) in known.items() if stored[int(id[1:])].strip() != text]
    expect(not other, f"texts are not what was sent: {other[:3]}")
    for name, sql in HALVES.items():
        expect(world.count(sql) == 0, name)
    world.doctor()


@engram.promise
def killed_writers_lose_nothing_acknowledged_and_leave_no_half_memory(world):
    random_source, acknowledged, killed, failures = random.Random(SEED), {}, [], []
    lives = [KILLS // WRITERS + (KILLS % WRITERS > w) for w in range(WRITERS)]

    def live(writer, source):
        try:
            for _ in range(lives[writer]):
                write_until_killed(world, writer, acknowledged, source, killed)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=live, args=(w, random.Random(random_source.random()))) for w in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    expect(len(killed) == KILLS, len(killed))
    check_all(world, acknowledged)
    server = world.serve()
    tags = [tag for tag in acknowledged if not tag.startswith("turn-")]
    expect(len(tags) > 0, "nothing was acknowledged between the kills")
    for tag in random_source.sample(tags, min(40, len(tags))):
        items = server.recall(tag, kinds=["memory"])["items"]
        expect(items and items[0]["id"] == acknowledged[tag][0], tag)
    expect(server.remember("The machine is back.")["status"] == "stored")


@engram.promise
def a_first_start_that_is_killed_anywhere_leaves_a_project_that_opens(world):
    source = random.Random(SEED)
    for turn in range(max(8, KILLS // 5)):
        project = world.path(f"first-{turn}")
        os.mkdir(project)
        server = world.serve(project)
        timer = threading.Timer(source.uniform(0, .06), server.kill)
        timer.start()
        try:
            server.remember("The very first memory of this project.")
        except engram.Gone:
            pass
        finally:
            timer.join()
            server.kill()
        next_one = world.serve(project)
        expect(next_one.remember("The very first memory of this project.")["id"].startswith("m"))
        next_one.stop()
        expect(world.query("SELECT count(*) FROM memory", project=project) == [(1,)])


@engram.promise
def a_call_that_is_sent_again_after_a_kill_is_one_memory_with_one_id(world):
    source, ids = random.Random(SEED + 1), []
    for turn in range(max(8, KILLS // 5)):
        _, arguments = memory(9, turn)
        server = world.serve()
        server.recall("warm")
        id = server.send("remember", arguments)
        kill_within(server, .01, source)
        try:
            first = server.wait(id)["structuredContent"]["id"]
        except engram.Gone:
            first = None
        again = world.serve()
        second = again.call("remember", arguments)
        again.stop()
        expect(first in (None, second["id"]), (first, second["id"]))
        ids.append(second["id"])
    expect(len(set(ids)) == len(ids))
    expect(world.count("SELECT count(*) FROM memory") == len(ids))


@engram.promise
def forgetting_and_attaching_are_whole_or_nothing_under_kills(world):
    source, server = random.Random(SEED + 2), world.serve()
    session = [server.remember(f"Line {n} of the doomed talk about Kestrel.", session="doomed")["id"] for n in range(30)]
    number = world.query("SELECT id FROM node WHERE kind = 7")[0][0]
    content = "".join(f"## Part {n}\n\nThe passage {n} speaks of Kestrel {n}.\n\n" + "Words follow. " * 150 for n in range(20))
    server.stop()
    for turn in range(max(6, KILLS // 8)):
        server = world.serve()
        server.recall("warm")
        server.send("attach_document", {"name": "parts.md", "content": content + f"Turn {turn}.\n"})
        if turn % 3 == 2:
            server.send("forget", {"ids": [f"n{number}"]})
        kill_within(server, .08, source)
        left = world.count("SELECT count(*) FROM memory")
        expect(left in (0, len(session)), f"{left} of the session's memories are left")
        expect(world.count(HALVES["passage without text"]) == 0 and world.count(HALVES["document without passages"]) == 0)
        world.doctor()
        if left == 0:
            break


engram.main()
