"""What review asks beside names that look alike and contradictions: kinds of questions, their effect, and how they end."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect, expect_words
from support.repository import commit, git

REVIEW = "review_entities"
NEXT_DAY, NEXT_WEEK = "2026-05-02T13:00:00Z", "2026-05-09T13:00:00Z"


def tend(world, now=NEXT_DAY, *options):
    code, out, err = world.run("--json", "consolidate", "--only", "growth", *options, ENGRAM_NOW=now)
    expect(code == 0, f"{out}{err}")
    return {row["pass"]: row for row in json.loads(out)["passes"]}


def questions(server, kind, **more):
    return [q for q in server.call(REVIEW, limit=20, **more)["questions"] if q["kind"] == kind]


def the_question(server, kind):
    found = questions(server, kind)
    expect(len(found) == 1, f"{kind}: {found}")
    return found[0]


def answer(server, question, verdict):
    return server.call(REVIEW, answers=[{"question": question["id"], "verdict": verdict}])["applied"][0]


def undo(server, applied):
    return server.call(REVIEW, undo=applied["journal"])["applied"][0]


def card(server, entity):
    return server.call(REVIEW, entity=entity)["entity"]


def graph(world):
    return [world.query(sql) for sql in (
        "SELECT id, state, key, name, trust FROM node ORDER BY id", "SELECT * FROM entity ORDER BY id",
        "SELECT * FROM alias ORDER BY 1", "SELECT id, src, dst, kind, label FROM edge ORDER BY id", "SELECT id, name, text FROM body ORDER BY id")]


# ---- one name, two meanings ----

PLANET = ["Venus", "Apollo", "Jupiter"]
QUEUE = ["Kafka", "Orders", "Billing"]


def two_meanings(world):
    server = world.serve()
    ids = []
    for topic in (PLANET, QUEUE):
        for n in range(6 if topic is PLANET else 5):
            names = [topic[n % 3], topic[(n + 1) % 3]]
            ids.append(server.remember(f"Mercury and {names[0]} were seen beside {names[1]} in report {n}.",
                                       entities=[{"name": name} for name in ["Mercury", *names]])["id"])
    return server, ids


@engram.promise
def a_name_with_two_meanings_is_asked_about_and_yes_splits_it(world):
    server, ids = two_meanings(world)
    tend(world)
    before = graph(world)
    question = the_question(server, "split")
    expect_words(question["text"], "Is Mercury (e", ") two things?", "6 texts", "5 with", "share nothing else")
    applied = answer(server, question, "yes")
    expect_words(applied["text"], "split", "Mercury", "5 texts")
    other = card(server, applied["text"].split()[1])
    expect(other["name"].startswith("Mercury (") and any(name in other["name"] for name in QUEUE), other)
    expect(other["mentions"] == 5 and card(server, "Mercury")["mentions"] == 6)
    between = server.remember("Mercury is hot.", entities=[{"name": other["name"]}])["id"]
    undo(server, applied)
    expect(card(server, "Mercury")["mentions"] == 12, "also what came between")
    expect([q["id"] for q in questions(server, "split")] == [question["id"]], "asked again")
    server.call("forget", ids=[between])
    expect(graph(world)[1:] == before[1:])


@engram.promise
def a_name_of_one_meaning_is_not_asked_about_and_no_is_for_good(world):
    server, _ = two_meanings(world)
    tend(world)
    answer(server, the_question(server, "split"), "no")
    tend(world, NEXT_WEEK)
    expect(questions(server, "split") == [])
    for n in range(6):  # Vulcan is one thing, whatever it is told with
        server.remember(f"Vulcan {n} and Venus and Kafka.", entities=[{"name": name} for name in ("Vulcan", "Venus", "Kafka")])
    tend(world, "2026-05-16T13:00:00Z")
    asked = [q["text"] for q in questions(server, "split")]
    expect(not any(text.startswith(f"Is {name} (") for name in ("Mercury", "Vulcan") for text in asked), asked)


# ---- memories that may have had their time ----

def index(world):
    code, out, err = world.run("--json", "index", ENGRAM_INDEX="on")
    expect(code == 0, f"{out}{err}")


@engram.promise
def a_memory_whose_code_is_gone_is_asked_about_once_it_is_gone_everywhere(world):
    world.write("src/cart.py", "def add_to_cart(item):\n    return item\n\n\ndef empty_cart():\n    return []\n")
    commit_all(world)
    server = world.serve()
    told = server.remember("Adding to the cart must check the stock.", files=["src/cart.py#add_to_cart"])["id"]
    index(world)
    tend(world)
    expect(questions(server, "retire") == [], "it is there")
    world.write("src/cart.py", "def empty_cart():\n    return []\n")
    index(world)
    tend(world)
    question = the_question(server, "retire")
    expect_words(question["text"], told, "add_to_cart", "gone", "check the stock")
    world.write("src/cart.py", "def add_to_cart(item):\n    return item\n\n\ndef empty_cart():\n    return []\n")
    index(world)
    expect(questions(server, "retire") == [], "it is back")
    world.write("src/cart.py", "def empty_cart():\n    return []\n")
    index(world)
    applied = answer(server, the_question(server, "retire"), "yes")
    expect(told not in [item["id"] for item in server.recall("What must adding to the cart check?")["items"]])
    expect(server.recall(ids=[told])["items"][0]["id"] == told, "by its id it is still there")
    undo(server, applied)
    expect(world.count("SELECT state FROM node WHERE id = ?", int(told[1:])) == 0)


def commit_all(world):
    git(world.project, "init", "-q")
    commit(world.project, "Begin")


@engram.promise
def a_decision_read_out_of_a_commit_is_confirmed_or_goes(world):
    world.write("a.txt", "a\n")
    commit_all(world)
    for n, name in enumerate(("Redis", "Postgres")):
        world.write("a.txt", f"{n}\n")
        commit(world.project, f"Store carts in {name}\n\nWe decided to use {name} for the carts because the disk of the old host is too slow.")
    index(world)
    tend(world)
    server = world.serve()
    found = questions(server, "confirm")
    expect(len(found) == 2, found)
    expect_words(found[0]["text"], "commit", "decided")
    yes, no = [answer(server, question, verdict) for question, verdict in zip(found, ("yes", "no"))]
    rows = dict(world.query("SELECT state, trust FROM node JOIN memory USING (id) WHERE origin = 3"))
    expect(rows[0] == 1.0 and abs(rows[2] - .6) < .001, rows)
    tend(world, NEXT_WEEK)
    expect(questions(server, "confirm") == [])
    undo(server, yes)
    undo(server, no)
    rows = world.query("SELECT state, round(trust, 3) FROM node JOIN memory USING (id) WHERE origin = 3")
    expect(rows == [(0, .6), (0, .6)], rows)


# ---- names that were said once ----

ONCE = ["Quarzborn", "Feldwick", "Ostrava", "Lindenau", "Brentavo", "Halmstad"]


def said_once(world):
    server = world.serve()
    for n, name in enumerate(ONCE):
        server.remember(f"Somebody from {name} called about invoice {n}.", entities=[{"name": name}])
    return server


@engram.promise
def names_that_were_said_once_are_dismissed_in_one_answer(world):
    server = said_once(world)
    tend(world, engram.NOW)
    expect(questions(server, "once") == [], "sleep has not seen them")
    tend(world)
    before = graph(world)
    question = the_question(server, "once")
    expect_words(question["text"], *ONCE)
    applied = answer(server, question, "yes")
    expect({card(server, f"e{id}")["status"] for id, in world.query("SELECT node.id FROM node WHERE kind = 1")} == {"dismissed"})
    server.remember("Ostrava called again.", entities=[{"name": "Ostrava"}])
    expect(world.count("SELECT state FROM node WHERE kind = 1 AND name = 'Ostrava'") == 3, "extracted again it stays dismissed")
    undo(server, applied)
    expect([row for row in graph(world)[0] if row[0] <= before[0][-1][0]] == before[0])


@engram.promise
def no_keeps_these_names_for_good_and_later_ones_are_asked_about(world):
    server = said_once(world)
    tend(world)
    answer(server, the_question(server, "once"), "no")
    tend(world, NEXT_WEEK)
    expect(questions(server, "once") == [])
    server.stop()
    server = world.serve(ENGRAM_NOW=NEXT_WEEK)
    for n in range(6):
        server.remember(f"A letter came from Zweithof{chr(97 + n)}.", entities=[{"name": f"Zweithof{chr(97 + n)}"}])
    tend(world, "2026-05-12T00:00:00Z")
    text = the_question(server, "once")["text"]
    expect_words(text, "Zweithofa", "Zweithoff")
    expect("Ostrava" not in text, text)


@engram.promise
def names_too_new_for_the_question_that_was_refused_are_asked_about_later(world):
    said_once(world).stop()
    tend(world)
    server = world.serve(ENGRAM_NOW=NEXT_DAY)
    for n in range(6):
        server.remember(f"A letter came from Zweithof{chr(97 + n)}.", entities=[{"name": f"Zweithof{chr(97 + n)}"}])
    answer(server, the_question(server, "once"), "no")
    tend(world, NEXT_WEEK)
    text = the_question(server, "once")["text"]
    expect_words(text, "Zweithofa", "Zweithoff")
    expect("Ostrava" not in text, text)


@engram.promise
def what_is_said_of_a_name_keeps_it(world):
    server = said_once(world)
    server.remember("Ostrava is a town.", entities=[{"name": "Ostrava"}])
    server.remember("Invoices.", entities=[{"name": "Feldwick", "type": "town"}])
    tend(world)
    expect(questions(server, "once") == [], "four are too few to ask about")


# ---- what is asked first ----

@engram.promise
def what_would_change_most_is_asked_first(world):
    server = world.serve()
    for n in range(10):  # two names of one thing, each on half of what there is
        server.remember(f"Step {n} of the deployment.", entities=[{"name": "Kubernetes" if n % 2 else "Kubernetis"}])
    server.remember("A lone remark.", entities=[{"name": "Prometheus"}])
    server.remember("Another one.", entities=[{"name": "Promotheus"}])
    found = questions(server, "merge")
    expect(len(found) == 2 and "Kubernet" in found[0]["text"], found)
    shares = [float(q["effect"].split("expected to move ")[1].split(" %")[0]) for q in found]
    expect(shares[0] > shares[1] >= 0 and shares[0] > 1, shares)
    expect([q["id"] for q in questions(server, "merge")] == [q["id"] for q in found], "the same twice")


@engram.promise
def who_speaks_is_no_generic_hub_and_everyday_words_are_asked_about(world):
    server = world.serve()
    for n in range(30):
        server.remember(f"Remark {n} about the weather.", speaker="Quentin", entities=[{"name": "Weather"}] if n < 3 else [])
    tend(world)
    asked = [q["text"] for q in questions(server, "dismiss")]
    expect(len(asked) == 1 and "Weather" in asked[0], asked)


@engram.promise
def kinds_that_people_answer_with_no_come_later(world):
    server = world.serve()
    pairs = [("Kubernetes", "Kubernetis"), ("Prometheus", "Promotheus"), ("Terraform", "Terrafarm")]
    for one, other in pairs:
        for name in (one, other):
            server.remember(f"{name} was set up by hand.", entities=[{"name": name}])
    weights = dict(world.query("SELECT id, weight FROM question")) if questions(server, "merge") else {}
    first = questions(server, "merge")[0]
    answer(server, first, "no")
    later = dict(world.query("SELECT id, weight FROM question WHERE state = 0"))
    expect(later and all(weight < weights[id] for id, weight in later.items()), (weights, later))


@engram.promise
def what_was_restored_is_never_asked_about_again(world):
    server = world.serve()
    for n in range(40):
        server.remember(f"Note {n} of the Omnibus project.", entities=[{"name": "Omnibus"}])
    server.call(REVIEW, edits=[{"action": "dismiss", "entity": "Omnibus"}])
    restored = server.call(REVIEW, edits=[{"action": "restore", "entity": card(server, "Omnibus")["id"]}])["applied"][0]
    expect(questions(server, "dismiss") == [])
    tend(world)
    expect(questions(server, "dismiss") == [] and card(server, "Omnibus")["status"] == "active")
    undo(server, restored)
    expect(card(server, "Omnibus")["status"] == "dismissed")


@engram.promise
def the_question_of_a_dismissed_name_is_closed_and_opens_with_the_undo(world):
    server = world.serve()
    server.remember("Kubernetes runs it.", entities=[{"name": "Kubernetes"}])
    server.remember("Kubernetis is a typo.", entities=[{"name": "Kubernetis"}])
    question = the_question(server, "merge")
    applied = server.call(REVIEW, edits=[{"action": "dismiss", "entity": "Kubernetis"}])["applied"][0]
    expect(questions(server, "merge") == [])
    undo(server, applied)
    expect([q["id"] for q in questions(server, "merge")] == [question["id"]])


@engram.promise
def a_dismissed_name_whose_last_memory_is_forgotten_leaves_no_trace_and_stays_dismissed(world):
    server = world.serve()
    id = server.remember("The Xylographquince is everywhere.", entities=[{"name": "Xylographquince"}])["id"]
    server.call(REVIEW, edits=[{"action": "dismiss", "entity": "Xylographquince"}])
    server.call("forget", ids=[id])
    expect(world.files_with("xylographquince") == [])
    server.remember("Xylographquince again.", entities=[{"name": "Xylographquince"}])
    expect(card(server, "Xylographquince")["status"] == "dismissed")


@engram.promise
def the_prompt_leads_through_review(world):
    server = world.serve()
    prompt = server.wait(server.ask("prompts/get", {"name": "review", "_meta": engram.META}))
    expect_words(prompt["messages"][0]["content"]["text"], REVIEW, "user", "undo")


engram.main()
