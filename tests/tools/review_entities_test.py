"""review_entities: edits and their undoing, questions and answers, the card."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import each_of, expect, expect_words

REVIEW = "review_entities"


def prepared(world):
    """Memories about Postgres under two names, and about Kafka."""
    server = world.serve()
    server.remember("Postgres holds the ledger.", entities=[{"name": "Postgres", "type": "technology"}],
                    relations=[{"from": "Ledger", "relation": "stored_in", "to": "Postgres"}])
    server.remember("PG was upgraded in May.", entities=[{"name": "PG"}], relations=[{"from": "PG", "relation": "upgraded_by", "to": "Maya"}])
    server.remember("Postgres and PG are backed up nightly.", entities=[{"name": "Postgres"}, {"name": "PG"}])
    server.remember("Kafka carries the events.", entities=[{"name": "Kafka", "type": "technology"}])
    return server


def edit(server, **fields):
    applied = server.call(REVIEW, edits=[fields])["applied"]
    expect(len(applied) == 1 and applied[0]["journal"].startswith("j") and applied[0]["text"], applied)
    return applied[0]["journal"]


def card(server, entity):
    return server.call(REVIEW, entity=entity)["entity"]


def graph(world):
    """What edits may change; each undo must bring it back."""
    return [world.query(sql) for sql in (
        "SELECT id, state, key, name FROM node WHERE kind = 1 ORDER BY id", "SELECT * FROM entity ORDER BY id",
        "SELECT * FROM alias ORDER BY 1", "SELECT id, src, dst, kind, label FROM edge ORDER BY id", "SELECT id, name, text FROM body ORDER BY id")]


# Each edit, and how the answer to a question shows it.
EDITS = [
    ("merge", {"action": "merge", "entity": "PG", "into": "Postgres"}, lambda s: card(s, "PG")["name"] == "Postgres" and card(s, "Postgres")["mentions"] == 3),
    ("dismiss", {"action": "dismiss", "entity": "Kafka"}, lambda s: card(s, "Kafka")["status"] == "dismissed"),
    ("rename", {"action": "rename", "entity": "Kafka", "name": "Apache Kafka"},
     lambda s: card(s, "Kafka")["name"] == card(s, "apache kafka")["name"] == "Apache Kafka"),
    ("alias", {"action": "alias", "entity": "Kafka", "name": "Event Bus"}, lambda s: card(s, "event bus")["name"] == "Kafka"),
    ("set_type", {"action": "set_type", "entity": "Kafka", "type": "Broker"}, lambda s: card(s, "Kafka")["type"] == "broker"),
]


@engram.promise
def each_edit_does_what_it_says_and_its_undo_takes_it_back(world):
    server = prepared(world)
    for name, fields, holds in EDITS:
        before = graph(world)
        journal = edit(server, **fields)
        expect(holds(server), f"{name} is not seen")
        undone = server.call(REVIEW, undo=journal)["applied"][0]
        expect(undone["journal"] == journal and undone["undone"] is True and undone["action"] == name, undone)
        expect(graph(world) == before, f"the undo of {name} leaves something else")
        expect_words(server.refused(REVIEW, undo=journal), "undone already")


@engram.promise
def restore_brings_a_dismissed_entity_back_and_split_undoes_a_name(world):
    server = prepared(world)
    edit(server, action="dismiss", entity="Kafka")
    before = graph(world)
    journal = edit(server, action="restore", entity="Kafka")
    expect(card(server, "Kafka")["status"] == "active")
    server.call(REVIEW, undo=journal)
    expect(graph(world) == before, "the undo of restore")
    edit(server, action="merge", entity="PG", into="Postgres")
    before = graph(world)
    journal = edit(server, action="split", entity="Postgres", name="PG")
    expect(card(server, "PG")["name"] == "PG" and card(server, "PG")["id"] != card(server, "Postgres")["id"])
    expect([row["text"] for row in card(server, "PG")["latest"]][-1] == "PG was upgraded in May.", card(server, "PG"))
    server.call(REVIEW, undo=journal)
    expect(graph(world) == before, "the undo of split")


@engram.promise
def a_merge_joins_mentions_facts_and_names(world):
    server = prepared(world)
    edit(server, action="merge", entity="PG", into="Postgres")
    facts = {(f["from"], f["relation"], f["to"]) for f in server.recall("What do we know about Postgres?")["facts"]}
    expect(facts == {("Ledger", "stored_in", "Postgres"), ("Postgres", "upgraded_by", "Maya")}, facts)
    expect("PG" in card(server, "Postgres")["aliases"], card(server, "Postgres"))
    answer = server.remember("PG is at version 16 now.")
    expect([e["name"] for e in answer["entities"]] == ["Postgres"], answer["entities"])
    expect("PG was upgraded in May." in server.texts("When was Postgres upgraded?"))


@engram.promise
def edits_are_undone_in_any_order_that_makes_sense(world):
    server = prepared(world)
    start = graph(world)
    first = edit(server, action="merge", entity="PG", into="Postgres")
    second = edit(server, action="merge", entity="Postgres", into="Kafka")
    third = edit(server, action="rename", entity="Kafka", name="Apache Kafka")
    fourth = edit(server, action="dismiss", entity="Kafka")
    expect_words(server.refused(REVIEW, undo=first), second, "undo")
    for journal in (second, third, first, fourth):  # what each was about is as it left it
        server.call(REVIEW, undo=journal)
    expect(graph(world) == start)


@engram.promise
def ids_that_only_look_alike_stand_in_nobodys_way(world):
    """m1's number stands in steps as a state, a side or a question's: forgetting it touches none of them."""
    server = world.serve()
    first = server.remember("Nothing to do with the rest.")["id"]
    expect(first == "m1", first)
    server.remember("PG was upgraded in May.", entities=[{"name": "PG"}])
    server.remember("Postgres holds the ledger.", entities=[{"name": "Postgres"}])
    before = graph(world)
    journal = edit(server, action="merge", entity="PG", into="Postgres")
    server.call("forget", ids=[first])
    server.call(REVIEW, undo=journal)
    expect(graph(world)[:2] == [[row for row in before[0] if row[0] != 1], before[1]])


@engram.promise
def memories_stored_between_a_merge_and_its_undo_stay_whole(world):
    server = prepared(world)
    journal = edit(server, action="merge", entity="PG", into="Postgres")
    between = server.remember("PG runs in the second zone.")["id"]
    server.call(REVIEW, undo=journal)
    expect("PG runs in the second zone." in server.texts("Where does PG run?"), "still found")
    expect(card(server, "PG")["name"] == "PG" and between)
    world.doctor()


@engram.promise
def all_of_one_call_is_applied_or_nothing(world):
    server = prepared(world)
    before = graph(world)
    text = server.refused(REVIEW, edits=[{"action": "dismiss", "entity": "Kafka"}, {"action": "merge", "entity": "PG", "into": "Nobody"}])
    expect_words(text, "into", "Nobody")
    expect(graph(world) == before and world.count("SELECT count(*) FROM journal") == 0)


# What is wrong, and words of the error.
REFUSED = [
    ({"action": "merge", "entity": "PG"}, ["into"]), ({"action": "merge", "entity": "PG", "into": "PG"}, ["itself"]),
    ({"action": "merge", "entity": "Nobody", "into": "PG"}, ["entity", "Nobody"]), ({"action": "rename", "entity": "PG"}, ["name"]),
    ({"action": "rename", "entity": "PG", "name": "Kafka"}, ["name", "Kafka"]), ({"action": "alias", "entity": "PG", "name": "kafka"}, ["kafka"]),
    ({"action": "alias", "entity": "PG", "name": "!!"}, ["name", "!!"]), ({"action": "split", "entity": "PG", "name": "PG"}, ["name"]),
    ({"action": "split", "entity": "PG", "name": "Other"}, ["Other"]), ({"action": "set_type", "entity": "PG"}, ["type"]),
    ({"action": "set_type", "entity": "PG", "type": "x" * 41}, ["type", "40"]), ({"action": "dismiss", "entity": "e9999"}, ["e9999"]),
    ({"action": "dismiss", "entity": "m1"}, ["m1"]), ({"action": "dismiss", "entity": " "}, ["entity"]),
]

WRONG = [
    ({"undo": "j99"}, ["j99"]), ({"undo": "4"}, ["4", "j4"]), ({"undo": "jx"}, ["jx"]), ({"entity": "Nobody"}, ["Nobody"]),
    ({"answers": [{"question": "q99", "verdict": "yes"}]}, ["q99"]), ({"answers": [{"question": "1", "verdict": "no"}]}, ["q3"]),
]


@engram.promise
def wrong_edits_are_refused_and_change_nothing(world):
    server = prepared(world)
    before = graph(world)
    each_of([({"edits": [fields]}, words) for fields, words in REFUSED] + WRONG,
            lambda arguments, words: expect_words(server.refused(REVIEW, arguments), *words))
    expect(graph(world) == before and world.count("SELECT count(*) FROM journal") == 0)


def with_near_names(world):
    server = world.serve()
    server.remember("Postgresql is our store.", entities=[{"name": "Postgresql"}])
    server.remember("Postgres was patched.", entities=[{"name": "Postgres"}])
    return server


@engram.promise
def near_equal_names_are_asked_about_and_yes_merges_them(world):
    server = with_near_names(world)
    questions = server.call(REVIEW)["questions"]
    expect(len(questions) == 1 and questions[0]["kind"] == "merge" and questions[0]["effect"], questions)
    expect_words(questions[0]["text"], "Postgresql", "Postgres")
    answer = server.call(REVIEW, answers=[{"question": questions[0]["id"], "verdict": "yes"}])
    expect(answer["questions"] == [] and answer["applied"][0]["journal"], answer)
    expect(card(server, "Postgres")["id"] == card(server, "Postgresql")["id"])
    server.call(REVIEW, undo=answer["applied"][0]["journal"])
    expect(card(server, "Postgres")["id"] != card(server, "Postgresql")["id"])
    expect([q["id"] for q in server.call(REVIEW)["questions"]] == [questions[0]["id"]], "the question is open again")


@engram.promise
def no_is_never_asked_again_and_later_comes_last(world):
    server = with_near_names(world)
    id = server.call(REVIEW)["questions"][0]["id"]
    server.call(REVIEW, answers=[{"question": id, "verdict": "later"}])
    expect([q["id"] for q in server.call(REVIEW)["questions"]] == [id])
    server.remember("Kubernetes runs it.", entities=[{"name": "Kubernetes"}])
    server.remember("Kubernetis is a typo.", entities=[{"name": "Kubernetis"}])
    expect([q["id"] for q in server.call(REVIEW)["questions"]][-1] == id, "put off behind the others")
    server.call(REVIEW, answers=[{"question": id, "verdict": "no"}])
    server.remember("Postgres and Postgresql again.", entities=[{"name": "Postgres"}, {"name": "Postgresql"}])
    expect(id not in [q["id"] for q in server.call(REVIEW)["questions"]])
    expect_words(server.refused(REVIEW, answers=[{"question": id, "verdict": "yes"}]), "answered")


@engram.promise
def limit_bounds_the_questions_and_pending_counts_the_others(world):
    server = world.serve()
    for n in range(8):
        server.remember(f"Pair {n}.", entities=[{"name": f"Componentum {chr(97 + n)}lphabeta"}, {"name": f"Componentum {chr(97 + n)}lphabetaa"}])
    everything = server.call(REVIEW, limit=20)
    total = len(everything["questions"]) + everything["pending"]
    expect(total >= 8, everything)
    for limit in (1, 3):
        answer = server.call(REVIEW, limit=limit)
        expect(len(answer["questions"]) == limit and answer["pending"] == total - limit, answer)
    expect(len(server.call(REVIEW)["questions"]) == 5, "the default")


@engram.promise
def a_hub_is_asked_about_and_dismissing_survives_being_mentioned_again(world):
    server = world.serve()
    for n in range(40):
        server.remember(f"Note {n} of the Omnibus project.", entities=[{"name": "Omnibus"}])
    question = next(q for q in server.call(REVIEW)["questions"] if q["kind"] == "dismiss")
    expect_words(question["text"], "Omnibus")
    server.call(REVIEW, answers=[{"question": question["id"], "verdict": "yes"}])
    server.remember("Omnibus was mentioned once more.", entities=[{"name": "Omnibus"}])
    expect(card(server, "Omnibus")["status"] == "dismissed", card(server, "Omnibus"))
    expect(all(e["name"] != "Omnibus" for e in server.recall("What about Omnibus?")["entities"]))


@engram.promise
def the_card_shows_names_properties_relations_and_latest_mentions(world):
    server = prepared(world)
    server.remember("Postgres is at version 16.", entities=[{"name": "Postgres", "props": {"version": "16"}}])
    edit(server, action="alias", entity="Postgres", name="The Elephant")
    shown = card(server, "postgres")
    expect(shown["name"] == "Postgres" and shown["type"] == "technology" and shown["status"] == "active", shown)
    expect(shown["aliases"] == ["The Elephant"] and shown["props"] == {"version": "16"}, shown)
    expect(shown["mentions"] == 3 and [row["text"] for row in shown["latest"]][0] == "Postgres is at version 16.", shown)
    expect(shown["relations"] == [{"from": "Ledger", "relation": "stored_in", "to": "Postgres", "id": "m1"}] or shown["relations"][0]["to"] == "Postgres", shown)
    expect(card(server, shown["id"]) == shown)


@engram.promise
def a_card_is_shown_while_another_process_writes(world):
    import fcntl
    server = world.serve(ENGRAM_WRITE_DEADLINE_MS="200")
    server.remember("Kafka carries the events.", entities=[{"name": "Kafka"}])
    with open(os.path.join(world.folder(), "write.lock"), "rb+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        expect(card(server, "Kafka")["name"] == "Kafka")


@engram.promise
def a_merged_name_is_followed_through_a_chain_of_merges(world):
    server = world.serve()
    names = [f"Alpha{chr(97 + n) * 4}" for n in range(6)]
    server.remember("All of them.", entities=[{"name": name} for name in names])
    for one, other in zip(names, names[1:]):
        edit(server, action="merge", entity=one, into=other)
    expect({card(server, name)["name"] for name in names} == {names[-1]})


OLD, NEW = "Staging runs Postgres 14.", "Staging runs on Postgres 16."


def disputed(world):
    """Two memories that contradict, the newer told first: what is so goes by at. Their ids and the question."""
    server = world.serve()
    new = server.remember(NEW, at="2026-09-01")["id"]
    server.remember("Production runs MySQL 8.")
    old = server.remember(OLD, at="2026-03-01")["id"]
    questions = [q for q in server.call(REVIEW)["questions"] if q["kind"] == "contradiction"]
    expect(len(questions) == 1, questions)
    return server, old, new, questions[0]


def contradictions(server):
    return [q["id"] for q in server.call(REVIEW)["questions"] if q["kind"] == "contradiction"]


def asked(server):
    return {item["id"]: item for item in server.recall("Which Postgres does staging run?")["items"]}


@engram.promise
def a_contradiction_that_nobody_declared_is_shown_side_by_side_and_asked_about(world):
    server, old, new, question = disputed(world)
    expect_words(question["text"], old, new, "2026-03-01", "2026-09-01", OLD, NEW, "14", "16")
    expect_words(question["effect"], f"{new} supersedes {old}", "no: both are true")
    found = asked(server)
    expect(list(found)[:2] == [new, old], "the newest first")
    expect(found[new]["why"][0] == f"may contradict {old} (2026-03-01): 14 there, 16 here", found[new]["why"])
    expect(found[old]["why"][0] == f"may contradict {new} (2026-09-01): 16 there, 14 here", found[old]["why"])
    expect(server.recall(ids=[old])["items"][0]["why"] == found[old]["why"][:1], "also where it is asked for by its id")
    expect(not any("contradict" in why for item in server.recall("What does production run?", min_score=0)["items"]
                   if item["id"] not in (old, new) for why in item["why"]))


@engram.promise
def yes_makes_the_newer_supersede_the_older_and_its_undo_takes_that_back(world):
    server, old, new, question = disputed(world)
    before = graph(world)
    answer = server.call(REVIEW, answers=[{"question": question["id"], "verdict": "yes"}])
    expect_words(answer["applied"][0]["text"], f"{new} supersedes {old}")
    expect(contradictions(server) == [])
    found = asked(server)
    expect(old not in found and found[new]["supersedes"] == [old] and "contradict" not in found[new]["why"][0], found)
    server.call(REVIEW, undo=answer["applied"][0]["journal"])
    expect(graph(world) == before and contradictions(server) == [question["id"]], "open again")
    expect(list(asked(server))[:2] == [new, old])
    world.doctor()


@engram.promise
def no_is_for_good_and_the_two_are_no_longer_marked(world):
    server, old, new, question = disputed(world)
    server.call(REVIEW, answers=[{"question": question["id"], "verdict": "later"}])
    expect(contradictions(server) == [question["id"]] and "contradict" in asked(server)[new]["why"][0], "put off is open")
    answer = server.call(REVIEW, answers=[{"question": question["id"], "verdict": "no"}])
    server.remember(OLD, at="2026-03-01")
    server.remember(NEW, at="2026-09-01")
    expect(contradictions(server) == [])
    found = asked(server)
    expect(old in found and new in found and not any("contradict" in why for item in found.values() for why in item["why"]), found)
    server.call(REVIEW, undo=answer["applied"][0]["journal"])
    expect(contradictions(server) == [question["id"]], "also that can be taken back")


@engram.promise
def superseding_or_forgetting_either_side_closes_the_question(world):
    server, old, new, question = disputed(world)
    server.remember("Staging was shut down.", supersedes=[new])
    expect(contradictions(server) == [] and server.call(REVIEW)["pending"] == 0)
    expect_words(server.refused(REVIEW, answers=[{"question": question["id"], "verdict": "yes"}]), new, "current")
    third = server.remember("Staging runs Postgres 17 now.")["id"]
    expect(len(contradictions(server)) == 1)
    server.call("forget", ids=[third])
    expect(contradictions(server) == [] and old in asked(server))
    expect(not any("contradict" in why for item in asked(server).values() for why in item["why"]))


@engram.promise
def an_undo_says_when_the_older_was_told_anew(world):
    server, old, new, question = disputed(world)
    journal = server.call(REVIEW, answers=[{"question": question["id"], "verdict": "yes"}])["applied"][0]["journal"]
    again = server.remember(OLD, at="2026-03-01")["id"]
    expect(again != old)
    expect_words(server.refused(REVIEW, undo=journal), again, old)
    server.call("forget", ids=[again])
    server.call(REVIEW, undo=journal)
    expect(old in asked(server))


@engram.promise
def a_question_asked_of_the_memory_states_nothing(world):
    server = world.serve()
    server.remember("Does staging run Postgres 14?")
    server.remember("Staging runs Postgres 16.")
    server.remember("The limit is 3.", topic="limit")
    server.remember("The limit is 5.", topic="limit")
    expect(contradictions(server) == [], "nor is what was declared asked about")


engram.main()
