"""remember: what is stored, what is a repeat, what supersedes what, and what is told of it."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect, expect_words

TEXT = "We chose PostgreSQL for the ledger because it has row locks."
KINDS = ["decision", "fact", "preference", "identity", "question", "context", "episode"]

# Fields that make a text another memory, and such as are merged into the one that is there.
OTHERS = {"speaker": "Ada", "session": "s1", "at": "2026-01-02"}
MERGED = {"kind": "decision", "topic": "ledger store", "pin": True, "entities": [{"name": "Ledger"}], "files": ["src/ledger.c:3"],
          "relations": [{"from": "Ledger", "relation": "uses", "to": "PostgreSQL"}]}
# The same text, written otherwise.
SAME_TEXTS = [TEXT, "  " + TEXT + "\n", TEXT.replace(" ", "  "), TEXT.replace(" for", "\n\tfor"), TEXT.replace(" ", "\u00a0")]


def edges(world, kind):
    return world.query("SELECT src, dst FROM edge WHERE kind = ? ORDER BY id", kind)


@engram.promise
def the_answer_tells_what_was_stored(world):
    answer = world.serve().remember(TEXT)
    expect(answer["id"] == "m1" and answer["status"] == "stored" and answer["kind"] == "decision", answer)
    expect(answer["entities"] == [{"id": "e2", "name": "PostgreSQL", "type": "technology", "status": "new"}], answer["entities"])
    expect(answer["relations"] == answer["supersedes"] == answer["similar"] == answer["redacted"] == [], answer)
    expect(set(answer["project"]) == {"id", "name", "root"} and answer["project"]["root"] == world.project, answer["project"])
    expect("was_forgotten" not in answer)


@engram.promise
def text_and_structured_answer_carry_the_same(world):
    result = world.serve().result("remember", {"text": TEXT, "topic": "store", "relations": MERGED["relations"]})
    for word in ("m1", "stored", "decision", "PostgreSQL", "technology", "Ledger", "uses", world.project):
        expect_words(result["content"][0]["text"], word)


@engram.promise
def the_same_text_is_a_duplicate_however_its_spaces_are(world):
    server = world.serve()
    ids = {server.remember(text)["id"] for text in SAME_TEXTS}
    expect(ids == {"m1"}, ids)
    expect(server.remember("Caf\u00e9 Central hosts the meeting.")["id"] == server.remember("Cafe\u0301 Central hosts the meeting.")["id"])
    expect(server.remember(TEXT)["status"] == "duplicate")
    expect(server.remember(TEXT.lower())["status"] == "stored", "case is not folded")


@engram.promise
def speaker_session_and_time_make_it_another_memory(world):
    server = world.serve()
    server.remember(TEXT)
    for field, value in OTHERS.items():
        expect(server.remember(TEXT, **{field: value})["status"] == "stored", field)
        expect(server.remember(TEXT, **{field: value})["status"] == "duplicate", field)
    expect(server.remember(TEXT, **OTHERS)["status"] == "stored")
    expect(server.remember(TEXT, at="2026-01-02T00:00:00Z")["status"] == "duplicate", "the same moment, written otherwise")


@engram.promise
def what_a_repeat_adds_is_merged_in(world):
    server = world.serve()
    server.remember(TEXT)
    for field, value in MERGED.items():
        answer = server.remember(TEXT, **{field: value})
        expect(answer["id"] == "m1" and answer["status"] == "duplicate", (field, answer))
    item = server.recall(ids=["m1"])["items"][0]
    expect(item["memory_kind"] == "decision" and item["source"]["path"] == "src/ledger.c", item)
    expect(world.query("SELECT topic, flags & 2, uses FROM memory JOIN node USING (id)") == [("ledger store", 2, len(MERGED))])
    expect(server.recall("Ledger")["facts"] == [{"from": "Ledger", "relation": "uses", "to": "PostgreSQL", "id": "m1"}])
    expect(server.remember("A new ledger store: SQLite.", topic="ledger store")["supersedes"] == ["m1"])


@engram.promise
def a_repeat_counts_a_use_unless_usage_is_off(world):
    world.serve(ENGRAM_USAGE="off").remember(TEXT)
    world.serve(ENGRAM_USAGE="off").remember(TEXT)
    expect(world.query("SELECT uses FROM node WHERE kind = 0") == [(0,)])


@engram.promise
def superseding_by_id_takes_the_old_one_out_of_recall(world):
    server = world.serve()
    old = server.remember("Deploys go out on Fridays.")["id"]
    answer = server.remember("Deploys go out on Tuesdays.", supersedes=[old])
    expect(answer["supersedes"] == [old], answer)
    expect(server.texts("When do deploys go out?") == ["Deploys go out on Tuesdays."])
    both = server.recall("When do deploys go out?", include_superseded=True)["items"]
    expect({item["id"]: item.get("superseded_by") for item in both} == {old: answer["id"], answer["id"]: None}, both)
    expect(server.recall(ids=[old])["items"][0]["superseded_by"] == answer["id"])


@engram.promise
def a_superseded_text_that_is_said_again_is_a_new_memory_that_is_current(world):
    server = world.serve()
    old = server.remember("Deploys go out on Fridays.")["id"]
    server.remember("Deploys go out on Tuesdays.", supersedes=[old])
    again = server.remember("Deploys go out on Fridays.", topic="deploy day")
    expect(again["status"] == "stored" and again["id"] != old, again)
    expect("Deploys go out on Fridays." in server.texts("When do deploys go out?"))


@engram.promise
def a_topic_has_one_current_memory(world):
    server = world.serve()
    ids = [server.remember(f"The build takes {n} minutes.", topic=topic)["id"]
           for n, topic in enumerate(["Build time", "build  time", "BUILD TIME", "build-time"])]
    items = server.recall("How long does the build take?", include_superseded=True, min_score=0)["items"]
    current = [item["id"] for item in items if "superseded_by" not in item]
    expect(current == [ids[-1]], (current, ids))


@engram.promise
def an_older_memory_of_a_topic_does_not_hide_the_newer(world):
    server = world.serve()
    new = server.remember("The office is in Oslo.", topic="office", at="2026-03-01")["id"]
    old = server.remember("The office is in Bergen.", topic="office", at="2019-03-01")
    expect(old["supersedes"] == [], old)
    expect(server.texts("Where is the office?") == ["The office is in Oslo."])
    expect(server.recall(ids=[old["id"]])["items"][0]["superseded_by"] == new)


@engram.promise
def an_older_memory_of_a_topic_that_is_sent_twice_is_stored_once(world):
    server = world.serve()
    server.remember("The office is in Oslo.", topic="office", at="2026-03-01")
    first = server.remember("The office is in Bergen.", topic="office", at="2019-03-01")
    again = server.remember("The office is in Bergen.", topic="office", at="2019-03-01")
    expect(again["id"] == first["id"], (first["id"], again["id"]))
    expect(world.count("SELECT count(*) FROM memory") == 2)


@engram.promise
def a_topic_that_changed_five_hundred_times_shows_its_current_memory(world):
    server = world.serve()
    for n in range(500):
        server.remember(f"The release number of the gateway is {n}.", topic="gateway release")
    expect(server.texts("What is the release number of the gateway?") == ["The release number of the gateway is 499."])


@engram.promise
def facts_of_a_superseded_memory_are_no_longer_facts(world):
    server = world.serve()
    old = server.remember("Billing belongs to the Red Team.", relations=[{"from": "Billing", "relation": "owned_by", "to": "Red Team"}])
    expect(len(server.recall("Who owns Billing?")["facts"]) == 1)
    server.remember("Billing belongs to the Blue Team.", supersedes=[old["id"]],
                    relations=[{"from": "Billing", "relation": "owned_by", "to": "Blue Team"}])
    facts = server.recall("Who owns Billing?")["facts"]
    expect([fact["to"] for fact in facts] == ["Blue Team"], facts)
    card = server.call("review_entities", entity="Billing")["entity"]
    expect([fact["to"] for fact in card["relations"]] == ["Blue Team"], card["relations"])


@engram.promise
def what_was_superseded_stays_marked_when_its_successor_is_forgotten(world):
    server = world.serve()
    old = server.remember("Deploys go out on Fridays.")["id"]
    new = server.remember("Deploys go out on Tuesdays.", supersedes=[old])["id"]
    server.call("forget", ids=[new])
    expect(server.texts("When do deploys go out?") == [])
    result = server.result("recall", {"ids": [old]})
    item = result["structuredContent"]["items"][0]
    expect("superseded_by" in item or item.get("archived") or "superseded" in item, item)
    expect_words(result["content"][0]["text"], "not current")


@engram.promise
def a_forgotten_text_that_is_remembered_again_says_so(world):
    server = world.serve()
    server.call("forget", ids=[server.remember(TEXT)["id"]])
    again = server.remember(TEXT + " ")
    expect(again["status"] == "stored" and again["was_forgotten"] is True and again["id"] != "m1", again)
    expect("was_forgotten" not in server.remember(TEXT))


@engram.promise
def near_repeats_are_stored_and_named(world):
    server = world.serve()
    first = server.remember("The retry limit of the payment client is five attempts.")
    near = server.remember("The retry limit of the payment client is six attempts.")
    expect(near["status"] == "stored" and [row["id"] for row in near["similar"]] == [first["id"]], near)
    expect(0 < near["similar"][0]["score"] <= 1 and "five attempts" in near["similar"][0]["text"])
    expect(server.remember("Penguins live in the south.")["similar"] == [])


@engram.promise
def the_kind_is_as_given_else_inferred(world):
    server = world.serve()
    for kind in KINDS:
        expect(server.remember(f"Something of kind {kind}.", kind=kind)["kind"] == kind)
    for text, kind in [("We decided to drop Windows support.", "decision"), ("Which region do we use?", "question"),
                       ("I prefer tabs over spaces.", "preference"), ("My name is Ada.", "identity")]:
        expect(server.remember(text)["kind"] == kind, (text, kind))


@engram.promise
def a_speaker_is_a_person_and_a_prefix_is_not(world):
    server = world.serve()
    answer = server.remember("The budget is approved.", speaker="Grace Hopper")
    expect([(e["name"], e["type"]) for e in answer["entities"]] == [("Grace Hopper", "person")], answer["entities"])
    expect(server.recall("budget")["items"][0]["source"]["speaker"] == "Grace Hopper")
    expect(server.recall("What did Grace Hopper say?")["items"][0]["id"] == answer["id"])
    server.remember("Linus: the merge window is open.")
    expect(world.count("SELECT count(*) FROM memory WHERE speaker IS NOT NULL") == 1)


@engram.promise
def given_entities_get_their_type_and_properties(world):
    server = world.serve()
    answer = server.remember("It runs on two nodes.", entities=[
        {"name": "Ledger", "type": "Service", "props": {"tier": "gold", "port": "5432"}}])
    expect((answer["entities"][0]["name"], answer["entities"][0]["type"]) == ("Ledger", "service"), answer["entities"])
    card = server.call("review_entities", entity="ledger")["entity"]
    expect(card["props"] == {"tier": "gold", "port": "5432"} and card["status"] == "active", card)
    expect(server.remember("The LEDGER is fast.")["entities"][0]["status"] == "known")


@engram.promise
def files_are_kept_as_anchors_and_a_missing_one_is_accepted(world):
    world.write("src/cart.c", "int add(void);\n")
    server = world.serve()
    answer = server.remember("Rounding happens here.", files=["src/cart.c:1", "src/cart.c#Cart.add", "src/gone.c", "./src/../src/cart.c:2"])
    rows = world.query("SELECT path, line, symbol, hash <> '' FROM anchor ORDER BY path, line, symbol")
    expect(rows == [("src/cart.c", 0, "Cart.add", 1), ("src/cart.c", 1, "", 1), ("src/cart.c", 2, "", 1), ("src/gone.c", 0, "", 0)], rows)
    expect(server.recall(file="src/cart.c")["items"][0]["id"] == answer["id"])
    expect(server.recall("src/gone.c")["items"][0]["id"] == answer["id"])


@engram.promise
def files_outside_the_project_are_refused_and_nothing_is_stored(world):
    world.write("inside.c", "int x;\n")
    os.symlink("/etc/passwd", os.path.join(world.project, "link.c"))
    os.mkfifo(os.path.join(world.project, "pipe.c"))
    os.mkdir(os.path.join(world.project, "folder"))
    server = world.serve()
    server.remember("First.")
    before = world.digest()
    for name in ("/etc/passwd", "../outside.c", "link.c", "pipe.c", "folder", "/proc/self/environ", "a\0b", "", "inside.c/../../x"):
        text = server.refused("remember", text="Not stored.", files=["inside.c", name])
        expect_words(text, "files[1]")
    expect(world.digest() == before)


@engram.promise
def turns_of_a_session_follow_each_other_within_six_hours(world):
    times = [("s", "2026-05-01T08:00:00Z"), ("s", "2026-05-01T14:00:00Z"), ("s", "2026-05-01T20:00:01Z"), ("t", "2026-05-01T20:00:02Z"),
             ("s", "2026-05-01T20:00:03Z")]
    for number, (session, now) in enumerate(times):
        server = world.serve(ENGRAM_NOW=now)
        server.remember(f"Turn {number}.", session=session, at="2020-01-01")
        server.remember(f"Turn without a session {number}.")
        server.stop()
    numbers = {f"Turn {n}.": n for n in range(len(times))}
    turns = {id: numbers[text] for id, text in world.query("SELECT id, text FROM body WHERE text LIKE 'Turn _.'")}
    expect([(turns[a], turns[b]) for a, b in edges(world, 1)] == [(0, 1), (2, 4)], edges(world, 1))


@engram.promise
def the_session_of_the_environment_counts_where_none_is_given(world):
    world.serve(CLAUDE_CODE_SESSION_ID="from-claude").remember("One.")
    world.serve(COPILOT_AGENT_SESSION_ID="from-copilot").remember("Two.")
    world.serve(CLAUDE_CODE_SESSION_ID="from-claude").remember("Three.", session="given")
    world.serve().remember("Four.")
    rows = world.query("SELECT text, s.name FROM body JOIN node n ON n.id = body.id LEFT JOIN node s ON s.id = n.session"
                       " WHERE n.kind = 0 ORDER BY n.id")
    expect(rows == [("One.", "from-claude"), ("Two.", "from-copilot"), ("Three.", "given"), ("Four.", None)], rows)


@engram.promise
def another_project_is_written_by_its_name_and_an_unknown_one_is_refused(world):
    other = world.path("otherproject")
    os.mkdir(other)
    world.serve(other).remember("The other one is here.")
    server = world.serve()
    answer = server.remember("Said from afar.", project="otherproject")
    expect(answer["project"]["name"] == "otherproject", answer["project"])
    expect(server.texts("Who said it from afar?", project=answer["project"]["id"]) == ["Said from afar."])
    expect(server.texts("Who said it from afar?", min_score=0) == [])
    expect_words(server.refused("remember", text="Lost.", project="nowhere"), "project", "nowhere")


engram.main()
