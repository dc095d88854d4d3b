"""forget: gone from rows, index, log and file; what comes back, and what does not."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import each_of, expect, expect_words

# Words that stand nowhere else, so that any file of the data folder that holds one was not cleaned.
SECRET = "xylographquince"
NAMES = ["Zanzibarium", "Quetzalwerk"]


def gone(world, *words):
    for word in words:
        expect(world.files_with(word) == [], f"{word} is still in {world.files_with(word)}")


def full(server):
    """A memory with everything that can hang on it."""
    return server.remember(f"The {SECRET} is kept by Zanzibarium.", speaker="Quetzalwerk", topic=f"{SECRET} topic", session=f"{SECRET} session",
                           entities=[{"name": "Zanzibarium", "type": "vault", "props": {"inside": f"{SECRET}prop"}}],
                           relations=[{"from": "Zanzibarium", "relation": f"keeps_{SECRET}", "to": "Quetzalwerk"}],
                           files=[f"src/{SECRET}.c#{SECRET}fn"])["id"]


@engram.promise
def a_forgotten_memory_is_gone_from_every_file(world):
    server = world.serve()
    for n in range(40):
        server.remember(f"Filler {n} keeps the pages busy with words of its own, number {n}.")
    id = full(server)
    expect(world.files_with(SECRET), "it was there")
    answer = server.call("forget", ids=[id], reason="asked to")
    expect(answer["forgotten"][0] == id and answer["tombstones"] == 1 and answer["entities_collected"] >= 2, answer)
    gone(world, SECRET, *NAMES)
    expect_words(server.refused("recall", ids=[id]), id)
    expect(server.texts(SECRET, min_score=0) == [] and server.recall("Zanzibarium")["facts"] == [])
    expect_words(server.refused("review_entities", entity="Zanzibarium"), "Zanzibarium")
    server.stop()
    gone(world, SECRET, *NAMES)
    world.doctor()


@engram.promise
def forgetting_while_other_servers_are_open_cleans_the_files_too(world):
    server, other = world.serve(), world.serve()
    other.remember("The other one writes as well.")
    id = full(server)
    other.recall("what does the other one do")
    server.call("forget", ids=[id])
    gone(world, SECRET, *NAMES)
    expect(other.texts(SECRET, min_score=0) == [])


@engram.promise
def a_dry_run_tells_the_same_and_changes_nothing(world):
    server = world.serve()
    id = full(server)
    server.call("attach_document", name="a.md", content="# A\n\nText of A.\n")
    before = world.digest()
    dry = server.call("forget", ids=[id, "d" + str(world.count("SELECT id FROM document"))], dry_run=True)
    expect(dry["dry_run"] is True and world.digest() == before and server.recall(ids=[id])["items"])
    wet = server.call("forget", ids=[id, "d" + str(world.count("SELECT id FROM document"))])
    expect({**dry, "dry_run": 0} == {**wet, "dry_run": 0}, (dry, wet))


@engram.promise
def an_entity_that_something_else_names_stays(world):
    server = world.serve()
    one = server.remember("Kafka carries events.", entities=[{"name": "Kafka", "props": {"port": f"{SECRET}9092"}}])["id"]
    server.remember("Kafka has three brokers.", entities=[{"name": "Kafka"}])
    answer = server.call("forget", ids=[one])
    expect(answer["entities_collected"] == 0, answer)
    card = server.call("review_entities", entity="Kafka")["entity"]
    expect(card["mentions"] == 1 and card["props"] == {}, card)
    gone(world, SECRET)


@engram.promise
def names_that_were_edited_go_with_the_last_memory(world):
    def check(action, more):
        server = world.serve()
        id = full(server)
        server.call("review_entities", edits=[{"action": action, "entity": "Zanzibarium", **more}])
        server.call("forget", ids=[id])
        server.stop()
        gone(world, SECRET, *NAMES, "Xochimilco")

    each_of([("rename", {"name": "Xochimilco"}), ("alias", {"name": "Xochimilco"}), ("merge", {"into": "Quetzalwerk"})], check)


@engram.promise
def a_rename_that_is_undone_leaves_no_name_behind(world):
    server = world.serve()
    id = full(server)
    journal = server.call("review_entities", edits=[{"action": "rename", "entity": "Zanzibarium", "name": "Xochimilco"}])["applied"][0]["journal"]
    server.call("review_entities", undo=journal)
    server.call("forget", ids=[id])
    gone(world, SECRET, *NAMES, "Xochimilco")


@engram.promise
def a_session_goes_with_its_memories(world):
    server = world.serve()
    ids = [server.remember(f"Turn {n} of the {SECRET} talk.", session=f"{SECRET}")["id"] for n in range(3)]
    kept = server.remember("Another talk.", session="other")["id"]
    session = f"n{world.count('SELECT id FROM node WHERE kind = 7 ORDER BY id LIMIT 1')}"
    answer = server.call("forget", ids=[session])
    expect(sorted(answer["forgotten"]) == sorted(ids + [session]) and answer["tombstones"] == 3, answer)
    gone(world, SECRET)
    expect(server.recall(ids=[kept])["items"])
    server.call("forget", ids=[kept])
    expect(world.count("SELECT count(*) FROM node WHERE kind = 7") == 0, "an empty session stays")


@engram.promise
def a_document_goes_with_its_passages_and_an_agent_cannot_bring_it_back(world):
    server = world.serve()
    content = f"# Paper on {SECRET}\n\nThe {SECRET} is mentioned by Zanzibarium.\n\n" + "More text follows here. " * 300
    world.write("paper.md", content)
    id = server.call("attach_document", path="paper.md")["id"]
    expect(world.count("SELECT count(*) FROM passage") > 1)
    answer = server.call("forget", ids=[id])
    expect(answer["forgotten"][-1] == id or id in answer["forgotten"], answer)
    expect(world.count("SELECT count(*) FROM passage") == 0)
    gone(world, SECRET)
    for arguments in ({"path": "paper.md"}, {"name": "copy.md", "content": content}):
        expect_words(server.refused("attach_document", arguments), "forgotten")
    world.write("paper.md", content + "changed\n")
    expect_words(server.refused("attach_document", path="paper.md"), "forgotten")
    code, out, err = world.run("attach", "paper.md")
    expect(code == 0, f"a person may: {out}{err}")
    expect(server.call("attach_document", path="paper.md")["status"] == "unchanged")


@engram.promise
def a_single_passage_stays_away_when_its_document_is_replaced(world):
    server = world.serve()
    parts = [f"## Part {n}\n\n" + f"Sentence of part {n}{' about ' + SECRET if n == 1 else ''}. " * 120 for n in range(3)]
    server.call("attach_document", name="parts.md", content="\n\n".join(parts))
    rows = world.query("SELECT passage.id FROM passage JOIN body USING (id) WHERE text LIKE ?", f"%{SECRET}%")
    server.call("forget", ids=[f"p{row[0]}" for row in rows])
    gone(world, SECRET)
    server.call("attach_document", name="parts.md", content="\n\n".join(parts) + "\n\nA new end.\n")
    gone(world, SECRET)


@engram.promise
def forgetting_all_of_several_kinds_is_one_call_and_all_or_nothing(world):
    server = world.serve()
    one, two = server.remember("One.", session="s")["id"], server.remember("Two.", session="s")["id"]
    document = server.call("attach_document", name="a.md", content="# A\n\nText of A.\n")["id"]
    session = f"n{world.count('SELECT id FROM node WHERE kind = 7')}"
    before = world.digest()
    for bad in ("m999", "e1", "q1", "j1", "s1", "zz", "", "m1.5"):
        expect_words(server.refused("forget", ids=[one, bad]), "ids")
        expect(world.digest() == before, bad)
    answer = server.call("forget", ids=[session, one, document, two, one])
    expect(sorted(answer["forgotten"])[:1] and len(set(answer["forgotten"])) == len(answer["forgotten"]), answer)
    expect({session, one, two, document} <= set(answer["forgotten"]), answer)
    expect(world.count("SELECT count(*) FROM node WHERE kind IN (0, 2, 3, 7)") == 0)


@engram.promise
def numbers_are_never_used_again(world):
    server = world.serve()
    first = server.remember("One.")["id"]
    server.call("forget", ids=[first])
    server.stop()
    second = world.serve().remember("Two.")["id"]
    expect(int(second[1:]) > int(first[1:]), (first, second))


@engram.promise
def what_hung_on_the_forgotten_is_mended(world):
    server = world.serve()
    ids = [server.remember(f"Turn {n} of the talk.", session="talk")["id"] for n in range(3)]
    server.remember("Later truth.", supersedes=[ids[0]])
    server.call("forget", ids=[ids[1]])
    for id in (ids[0], ids[2]):
        expect(server.recall(ids=[id])["items"][0]["id"] == id)
    expect(server.recall("turn of the talk", include_superseded=True, explain=True)["items"])
    world.doctor()


@engram.promise
def a_secret_in_the_reason_is_not_kept(world):
    server, secret = world.serve(), "ghp_" + "a1B2c3D4e5F6" * 3
    server.call("forget", ids=[server.remember("One.")["id"]], reason=f"It held {secret}.")
    server.stop()
    gone(world, secret)


engram.main()
