"""What is used grows together, what isn't fades, through the real server and `engram consolidate --only growth`."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect, promise

DAY = 24 * 3600
START = 1767225600  # 2026-01-01


def at(day, hour=0):
    import datetime
    moment = datetime.datetime.fromtimestamp(START, datetime.timezone.utc) + datetime.timedelta(days=day, hours=hour)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def tend(world, *options, **env):
    code, out, err = world.run("--json", "consolidate", "--only", "growth", *options, **env)
    expect(code == 0, f"tend: {code} {err}")
    return {row["pass"]: row for row in json.loads(out)["passes"]}


def status(world):
    return json.loads(world.run("--json", "status")[1])


def live(world, days, hours=(0,)):
    """Something is recalled in each of these cycles, of no memory that the tests look at."""
    for day in days:
        for hour in hours:
            server = world.serve(ENGRAM_NOW=at(day, hour))
            server.recall("zzz nothing of the kind")
            server.stop()


def chatter(world, server, text):
    return server.remember(text, kind="episode")["id"]


# ---- growth ----

TOPICS = ["The billing job runs at midnight.", "The billing job retries three times.", "Billing invoices are PDF files.",
          "Invoices are stored for ten years.", "The billing team is on call in turns.", "Midnight is in UTC everywhere.",
          "Retries wait ten seconds each.", "PDF files are made by a small service.", "The small service is written in Go.",
          "On call starts on Monday."]


def fingerprint(answer):
    return [(item["id"], item["score"]) for item in answer["items"]]


@promise
def the_same_question_a_hundred_times_does_not_change_its_own_answer(world):
    server = world.serve()
    for text in TOPICS:
        server.remember(text)
    first = fingerprint(server.recall("When does the billing job run and retry?"))
    expect(len(first) > 3, first)
    for round in range(10):
        for _ in range(10):
            found = [i for i, _ in fingerprint(server.recall("When does the billing job run and retry?"))]
            expect(found[:4] == [i for i, _ in first][:4], f"{first}\n{found}")
        server.remember(f"unrelated {round}: lorem ipsum quux")  # takes along what was counted
        server.stop()
        tend(world)
        server = world.serve()
    again = server.recall("When does the billing job run and retry?")
    expect([i for i, _ in fingerprint(again)][:4] == [i for i, _ in first][:4], f"{first}\n{fingerprint(again)}")
    expect(status(world)["associations"] == 0, "one question ties nothing")


@promise
def a_hundred_repeats_alone_leave_the_answer_as_it_was_to_the_last_digit(world):
    server = world.serve()
    for text in TOPICS:
        server.remember(text)
    first = fingerprint(server.recall("billing retries"))
    for _ in range(10):
        for _ in range(10):
            server.recall("billing retries")
        server.stop()  # writes down what was counted
        tend(world)
        server = world.serve()
    expect(fingerprint(server.recall("billing retries")) == first)


@promise
def what_two_questions_bring_up_together_and_somebody_takes_up_is_tied(world):
    server = world.serve()
    ids = [server.remember(text)["id"] for text in TOPICS]
    for question in ("billing job", "the job of billing that retries at midnight"):
        found = [item["id"] for item in server.recall(question)["items"]]
        expect(ids[0] in found and ids[1] in found, found)
        server.recall(ids=[ids[0], ids[1]])
    server.stop()
    report = tend(world)["associations"]
    expect(report["changed"] >= 1, report)
    edge = world.query("SELECT src, dst, weight, uses FROM edge WHERE kind = 11 AND src = ? AND dst = ?",
                       int(ids[0][1:]), int(ids[1][1:]))
    expect(len(edge) == 1 and 0.6 < edge[0][2] < 3, edge)
    expect(status(world)["associations"] >= 1)
    expect(tend(world)["associations"]["changed"] == 0, "a second pass has nothing to do")


@promise
def a_tie_that_nobody_uses_goes_again(world):
    server = world.serve(ENGRAM_NOW=at(0))
    ids = [server.remember(text)["id"] for text in TOPICS]
    for question in ("billing job", "the job of billing that retries at midnight"):
        server.recall(question)
        server.recall(ids=[ids[0], ids[1]])
    server.stop()
    tend(world, ENGRAM_NOW=at(0))
    expect(status(world)["associations"] >= 1)
    tend(world, ENGRAM_NOW=at(60))
    expect(status(world)["associations"] == 0)


@promise
def usage_off_counts_nothing_and_ties_nothing(world):
    world.env["ENGRAM_USAGE"] = "off"
    server = world.serve()
    ids = [server.remember(text)["id"] for text in TOPICS]
    for question in ("billing job", "the job of billing that retries at midnight"):
        server.recall(question)
        server.recall(ids=[ids[0], ids[1]])
    server.stop()
    tend(world)
    for table in ("co_use", "returned", "asked"):
        expect(world.count(f"SELECT count(*) FROM {table}") == 0, table)
    expect(world.count("SELECT sum(uses) FROM node") == 0)
    expect(status(world)["associations"] == 0)


@promise
def recall_itself_writes_nothing(world):
    server = world.serve()
    for text in TOPICS:
        server.remember(text)
    before = world.digest()
    server.recall("billing job")
    server.recall(ids=["m1"])
    expect(world.digest() == before)
    server.stop()
    expect(world.count("SELECT uses FROM node WHERE id = 1") == 1, "it was written down at the end")


# ---- decay ----

@promise
def what_nobody_uses_fades_and_what_is_lasting_stays(world):
    server = world.serve(ENGRAM_NOW=at(0))
    loose = chatter(world, server, "Had a sandwich and looked at the rain for a while.")
    used = chatter(world, server, "Gate code of the office in Basel is kept by Urs.")
    pinned = server.remember("The demo went fine, nobody asked anything.", kind="episode", pin=True)["id"]
    lasting = {kind: server.remember(f"Of kind {kind}: a sentence without any name in it.", kind=kind)["id"]
               for kind in ("fact", "decision", "preference", "identity")}
    server.stop()
    live(world, range(1, 41))
    server = world.serve(ENGRAM_NOW=at(40, 6))
    server.recall(ids=[used])
    server.stop()
    live(world, range(41, 60))
    told = tend(world, "--dry-run", ENGRAM_NOW=at(60))["decay"]
    expect(told["changed"] == 1, told)
    expect(world.count("SELECT count(*) FROM node WHERE state = 2") == 0, "a dry run changes nothing")
    done = tend(world, ENGRAM_NOW=at(60))["decay"]
    expect(done["changed"] == 1 and done["journal"].startswith("j"), done)
    states = dict(world.query("SELECT id, state FROM node WHERE kind = 0"))
    expect(states[int(loose[1:])] == 2, "the loose one fell")
    for id in [used, pinned, *lasting.values()]:
        expect(states[int(id[1:])] == 0, f"{id} stays")
    expect(tend(world, ENGRAM_NOW=at(60))["decay"]["changed"] == 0, "several passes are one cycle")


@promise
def a_project_that_rests_forgets_nothing(world):
    server = world.serve(ENGRAM_NOW=at(0))
    chatter(world, server, "Had a sandwich and looked at the rain for a while.")
    server.stop()
    tend(world, ENGRAM_NOW=at(400))
    expect(world.count("SELECT count(*) FROM node WHERE state = 2") == 0)
    expect(status(world)["decay_cycles"] == 1)


@promise
def what_is_archived_is_reachable_and_comes_back_when_it_is_used(world):
    server = world.serve(ENGRAM_NOW=at(0))
    text = "Had a sandwich and looked at the rain for a while."
    id = chatter(world, server, text)
    for fact in TOPICS:
        server.remember(fact, kind="fact")
    server.stop()
    live(world, range(1, 60))
    tend(world, ENGRAM_NOW=at(60))
    server = world.serve(ENGRAM_NOW=at(60))
    expect(text not in server.texts("sandwich in the rain"))
    shown = server.recall("sandwich in the rain", include_superseded=True)["items"]
    expect([item for item in shown if item["id"] == id and item.get("archived")], shown)
    expect(server.recall(ids=[id])["items"][0]["text"] == text)
    server.stop()
    server = world.serve(ENGRAM_NOW=at(60))
    expect(text in server.texts("sandwich in the rain"), "use revives")
    server.stop()
    expect(tend(world, ENGRAM_NOW=at(60))["decay"]["changed"] == 0)


@promise
def the_text_of_an_archived_memory_may_be_remembered_anew(world):
    server = world.serve(ENGRAM_NOW=at(0))
    text = "Had a sandwich and looked at the rain for a while."
    old = chatter(world, server, text)
    for fact in TOPICS:
        server.remember(fact, kind="fact")
    server.stop()
    live(world, range(1, 60))
    tend(world, ENGRAM_NOW=at(60))
    server = world.serve(ENGRAM_NOW=at(60))
    new = server.remember(text, kind="episode")
    expect(new["status"] == "stored" and new["id"] != old, new)
    server.recall(ids=[old])  # its text has a current memory: it stays where it is
    server.stop()
    states = dict(world.query("SELECT id, state FROM node WHERE kind = 0"))
    expect(states[int(old[1:])] == 2 and states[int(new["id"][1:])] == 0, states)


@promise
def an_entry_of_decay_is_taken_back_and_stays_so(world):
    server = world.serve(ENGRAM_NOW=at(0))
    ids = [chatter(world, server, f"Small talk number {word}, about the rain.") for word in ("one", "two", "three")]
    for fact in TOPICS:
        server.remember(fact, kind="fact")
    server.stop()
    live(world, range(1, 60))
    journal = tend(world, ENGRAM_NOW=at(60))["decay"]["journal"]
    server = world.serve(ENGRAM_NOW=at(60))
    server.call("forget", ids=[ids[1]])
    undone = server.call("review_entities", undo=journal)["applied"]
    expect(undone[0]["undone"], undone)
    server.stop()
    states = dict(world.query("SELECT id, state FROM node WHERE kind = 0"))
    expect([states.get(int(id[1:])) for id in ids] == [0, None, 0], states)
    expect(tend(world, ENGRAM_NOW=at(60))["decay"]["changed"] == 0, "it isn't archived again at once")


# ---- the shape ----

def two_worlds(server):
    for i in range(12):
        server.remember(f"Note {i}: the kitchen of the Alder house gets a Gaggenau oven.",
                        entities=[{"name": "Alder house"}, {"name": "Gaggenau"}], kind="fact")
        server.remember(f"Note {i}: the Kestrel drone flies with a Pixhawk board.",
                        entities=[{"name": "Kestrel"}, {"name": "Pixhawk"}], kind="fact")


@promise
def communities_have_labels_and_keep_their_numbers(world):
    server = world.serve()
    two_worlds(server)
    server.stop()
    tend(world)
    before = world.query("SELECT id, label, members FROM community ORDER BY id")
    labels = " / ".join(label for _, label, _ in before)
    expect(len(before) == 2 and all(word in labels for word in ("Alder", "Kestrel")), before)
    expect(status(world)["communities"] == 2 and status(world)["macro_hubs"] >= 1, status(world))
    server = world.serve()
    for i in range(5):
        server.remember(f"Log {i}: the Mistral mill grinds rye for Tobler.", entities=[{"name": "Mistral mill"}, {"name": "Tobler"}])
    server.stop()
    tend(world)
    after = world.query("SELECT id, label FROM community ORDER BY id")
    expect([row[:1] for row in before] == [row[:1] for row in after[:2]] and len(after) == 3, f"{before} {after}")


@promise
def status_tells_what_all_hangs_on_and_what_belongs_together(world):
    server = world.serve()
    for n in range(6):
        server.remember(f"Kafka feeds Billing in step {n}.", entities=[{"name": "Kafka"}, {"name": "Billing"}])
        server.remember(f"Venus is near Jupiter in picture {n}.", entities=[{"name": "Venus"}, {"name": "Jupiter"}])
    server.stop()
    expect("top_entities" not in status(world), "before the first pass")
    tend(world)
    told = status(world)
    expect(all(name in told["top_entities"] for name in ("Kafka (e", "Venus (e")), told["top_entities"])
    expect(any("Kafka" in part and "Venus" not in part for part in told["top_communities"].split("; ")), told["top_communities"])


@promise
def running_it_again_writes_nothing(world):
    server = world.serve()
    two_worlds(server)
    server.stop()
    tend(world)
    before = world.digest()
    tend(world)
    expect(world.digest() == before)


# ---- names ----

@promise
def names_that_look_the_same_become_a_question_once(world):
    server = world.serve()
    for name in ("Anna Schmidt", "Schmidt Anna", "Kontinuum Gateway", "Kontinum Gatewey"):
        server.remember(f"{name} was at the meeting.", entities=[{"name": name}])
    server.stop()
    tend(world)
    merges = world.query("SELECT a, b FROM question WHERE kind = 'merge' ORDER BY a, b")
    expect(len(merges) == 2, merges)
    server = world.serve()
    question = next(q for q in server.call("review_entities")["questions"] if "Schmidt" in q["text"])
    server.call("review_entities", answers=[{"question": question["id"], "verdict": "no"}])
    server.stop()
    tend(world)
    expect(len(world.query("SELECT a, b FROM question WHERE kind = 'merge'")) == 2, "a no is remembered")


@promise
def a_name_too_general_is_dismissed_and_stays_where_that_is_taken_back(world):
    server = world.serve()
    for i in range(8):
        server.remember(f"Remark {i} on Weather and on Kestrel.", entities=[{"name": "Kestrel", "type": "drone"}])
        server.remember(f"Remark {i}, second: see Weather.", relations=[])
    weather = world.query("SELECT id FROM node WHERE kind = 1 AND key = 'weather'")
    server.stop()
    expect(weather, "the name was found in the texts")
    report = tend(world)["generic_names"]
    expect("Weather" in report["text"], report)
    server = world.serve()
    card = server.call("review_entities", entity="Weather")["entity"]
    expect(card["status"] == "dismissed", card)
    server.call("review_entities", undo=report["journal"])
    server.stop()
    expect(tend(world)["generic_names"]["changed"] == 0)
    expect(world.query("SELECT state FROM node WHERE id = ?", weather[0][0]) == [(0,)])


@promise
def tend_takes_no_words(world):
    code, _, err = world.run("consolidate", "everything")
    expect(code == 2 and "one word too many" in err, err)


engram.main()
