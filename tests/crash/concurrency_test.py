"""Many servers over one memory: nothing is lost, nothing is doubled, nobody is told "locked".

ENGRAM_STRESS is the number of memories that each of the eight servers writes; 500 by hand."""

import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect, expect_words

SERVERS = 8
EACH = engram.number("ENGRAM_STRESS", 25)
READERS = 2
WORDS = ("amber birch cedar delta ember frost grove haven iris jade karst lotus maple north ocean pearl quartz raven "
         "slate tulip umber viola willow xenon yarrow zephyr").split()


def text_of(writer, turn):
    """No two alike, and each with a word of its own to ask for."""
    return (f"Writer {WORDS[writer]} settled matter {WORDS[turn % 26]}{WORDS[turn // 26 % 26]} as "
            f"tag{writer}x{turn}, because the {WORDS[(turn * 7 + writer) % 26]} queue was full.")


def in_threads(functions):
    """Runs all at once; the first failure is raised here."""
    failures = []

    def guarded(function):
        try:
            function()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@engram.promise
def eight_servers_that_write_at_once_lose_and_double_nothing(world):
    stored, done = {}, threading.Event()
    servers = [world.serve() for _ in range(SERVERS + READERS)]

    def write(writer):
        for turn in range(EACH):
            answer = servers[writer].remember(text_of(writer, turn), session=f"run-{writer}",
                                              entities=[{"name": "Queue Service", "type": "service"}])
            expect(answer["status"] == "stored", answer)
            stored[text_of(writer, turn)] = answer["id"]
            if turn % 5 == 4:
                servers[writer].recall(f"tag{writer}x{turn}")

    def read(reader):
        while not done.is_set():
            servers[reader].recall("Which queue was full?")

    def write_all():
        try:
            in_threads([lambda w=w: write(w) for w in range(SERVERS)])
        finally:
            done.set()

    in_threads([write_all] + [lambda r=r: read(SERVERS + r) for r in range(READERS)])
    expect(len(set(stored.values())) == SERVERS * EACH, "an id was given twice")
    expect(world.count("SELECT count(*) FROM node WHERE kind = 0") == SERVERS * EACH, "rows")
    expect(dict(world.query("SELECT text, 'm' || body.id FROM body JOIN memory USING (id)")) == stored, "texts")
    expect(world.count("SELECT count(*) FROM alias WHERE normal = 'queue service'") == 1, "one entity of one name")
    expect(world.count("SELECT count(*) FROM node WHERE kind = 7") == SERVERS, "one session of one name")
    fresh = world.serve()
    for writer in range(SERVERS):
        for turn in range(0, EACH, 10):
            items = fresh.recall(f"tag{writer}x{turn}", limit=3)["items"]
            expect(items and items[0]["id"] == stored[text_of(writer, turn)], (writer, turn, items[:1]))
    world.doctor()


@engram.promise
def the_same_text_from_eight_servers_at_once_is_one_memory(world):
    servers = [world.serve() for _ in range(SERVERS)]
    answers = []
    in_threads([lambda s=s: answers.append(s.remember("The release branch is cut on Mondays.")) for s in servers])
    expect(len({answer["id"] for answer in answers}) == 1, answers)
    expect([answer["status"] for answer in answers].count("stored") == 1, answers)


@engram.promise
def one_topic_from_eight_servers_at_once_has_one_current_memory(world):
    servers = [world.serve() for _ in range(SERVERS)]
    in_threads([lambda i=i, s=s: s.remember(f"The deploy window is at {i + 1} o'clock.", topic="deploy window")
                for i, s in enumerate(servers)])
    expect(world.count("SELECT count(*) FROM memory JOIN node USING (id) WHERE topic_key <> '' AND state = 0") == 1)
    expect(len(servers[0].recall("When is the deploy window?")["items"]) == 1)


@engram.promise
def fifty_calls_sent_without_waiting_are_each_answered_once_and_stored(world):
    server = world.serve()
    ids = [server.send("remember", {"text": text_of(0, turn)}) for turn in range(50)]
    results = [server.wait(id) for id in reversed(ids)]
    expect(all(result["isError"] is False for result in results))
    expect(len({result["structuredContent"]["id"] for result in results}) == 50)
    expect(world.count("SELECT count(*) FROM memory") == 50)


@engram.promise
def calls_that_were_sent_before_the_end_of_the_input_are_answered_truly(world):
    server = world.serve()
    ids = [server.send("remember", {"text": text_of(1, turn)}) for turn in range(20)]
    server.stop()  # whoever ends within a second may refuse the rest, but says so
    stored = {result["structuredContent"]["id"] for result in map(server.wait, ids) if not result["isError"]}
    expect(stored and {f"m{id}" for id, in world.query("SELECT id FROM memory")} == stored, stored)


@engram.promise
def eight_servers_open_a_new_project_at_once_without_an_error(world):
    for round_number in range(5):
        project = world.path(f"new-{round_number}")
        os.mkdir(project)
        servers = [world.serve(project) for _ in range(SERVERS)]
        in_threads([lambda i=i, s=s: s.remember(f"Server {i} was here first.") for i, s in enumerate(servers)])
        for server in servers:
            server.stop()
        expect(world.query("SELECT count(*) FROM memory", project=project) == [(SERVERS,)])
        folders = [name for name in os.listdir(os.path.join(world.data, "engram")) if name.startswith(f"new-{round_number}-")]
        expect(len(folders) == 1, folders)
        world_of = world.run("--json", "doctor", project=project)
        expect(world_of[0] == 0, world_of)


@engram.promise
def a_write_of_another_server_is_recalled_at_once(world):
    one, other = world.serve(), world.serve()
    other.recall("anything")
    for turn in range(10):
        id = one.remember(text_of(2, turn))["id"]
        expect(other.recall(f"tag2x{turn}")["items"][0]["id"] == id, turn)
    one.call("forget", ids=["m1"])
    expect_words(other.refused("recall", ids=["m1"]), "m1")
    expect(all(item["id"] != "m1" for item in other.recall("tag2x0", min_score=0)["items"]))


engram.main()
