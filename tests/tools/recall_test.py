"""recall: what comes out, in what bounds, and that nothing goes in."""

import hashlib
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect, expect_words

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "incident.json"), encoding="utf-8") as file:
    INCIDENT = json.load(file)

ONE_OF_EACH = [("decision", "We decided that lanterns burn kerosene."), ("fact", "The lantern room has nine lanterns."),
               ("preference", "I prefer brass lanterns."), ("identity", "My name is Wick, I keep the lanterns."),
               ("question", "Who cleans the lanterns?"), ("context", "The lanterns are on the east tower."),
               ("episode", "Yesterday we replaced two lanterns.")]
LOREM = ("The keeper of the lighthouse wrote each evening how the lamp had burned, how much oil was left, which ships had "
         "passed the strait, and whether fog or snow had hidden them from the signal station on the far shore. ")


def with_each_kind(world, **env):
    server = world.serve(**env)
    for kind, text in ONE_OF_EACH:
        server.remember(text, kind=kind)
    server.call("attach_document", name="lanterns.md", content="# Lanterns\n\nLanterns are trimmed at dusk.\n")
    return server


def ids_of(server, query, **more):
    return [item["id"] for item in server.recall(query, **more)["items"]]


@engram.promise
def an_item_tells_what_it_is_when_it_was_and_where_it_is_from(world):
    server = world.serve()
    id = server.remember("Lanterns burn kerosene.", session="s1", speaker="Ada", at="2025-03-04T05:06:07+02:00", kind="fact")["id"]
    item = server.recall("What do lanterns burn?")["items"][0]
    expect(item["id"] == id and item["kind"] == "memory" and item["memory_kind"] == "fact", item)
    expect(item["at"] == "2025-03-04T03:06:07Z" and item["source"] == {"session": "s1", "speaker": "Ada"}, item)
    expect(item["origin"] == "agent" and 0 < item["trust"] <= 1 and 0 < item["score"] <= 1 and item["why"], item)


@engram.promise
def kinds_choose_what_comes_out(world):
    server = with_each_kind(world)
    everything = server.recall("lanterns", min_score=0, limit=50, budget_tokens=20000)["items"]
    expect("entity" not in {item["kind"] for item in everything}, "entities only where asked for")
    for kind, text in ONE_OF_EACH:
        items = server.recall("lanterns", kinds=[kind], min_score=0)["items"]
        expect([item["text"] for item in items] == [text], (kind, items))
    cases = [(["memory"], {"memory"}, 7), (["passage"], {"passage"}, 1), (["fact", "passage"], {"memory", "passage"}, 2),
             (["memory", "fact"], {"memory"}, 7), ([], {"memory", "passage", "document"}, None), (["commit", "symbol", "file"], set(), 0)]
    for kinds, allowed, count in cases:
        items = server.recall("lanterns", kinds=kinds, min_score=0, limit=50)["items"]
        expect({item["kind"] for item in items} <= allowed and count in (None, len(items)), (kinds, [i["id"] for i in items]))
    server.remember("Trinity House owns them.", entities=[{"name": "Trinity House", "type": "organisation"}])
    expect(server.recall("Trinity House", kinds=["entity"], min_score=0)["items"][0]["text"] == "Trinity House")


@engram.promise
def kinds_never_narrow_the_candidates(world):
    server = world.serve()
    server.call("attach_document", name="lanterns.md", content="# Lanterns\n\nLanterns are trimmed at dusk.\n")
    for n in range(300):
        server.remember(f"Lanterns are trimmed at dusk on day {n}.", kind="episode")
    wanted = server.remember("Lanterns are trimmed at dusk by Wick.", kind="decision")["id"]
    expect(ids_of(server, "Lanterns are trimmed at dusk", kinds=["decision"]) == [wanted])
    expect(len(ids_of(server, "Lanterns are trimmed at dusk", kinds=["passage"])) == 1)


@engram.promise
def since_and_until_go_by_when_it_was_so(world):
    server = world.serve()
    days = ["2025-01-01", "2025-01-02", "2025-01-02T23:59:59Z", "2025-01-03T00:00:00Z"]
    ids = [server.remember(f"Lantern log {n}.", at=day)["id"] for n, day in enumerate(days)]
    cases = [({"since": "2025-01-02"}, ids[1:]), ({"until": "2025-01-02"}, ids[:3]), ({"until": "2025-01-02T00:00:00Z"}, ids[:1]),
             ({"since": "2025-01-02", "until": "2025-01-02"}, ids[1:3]), ({"since": "2025-01-03T00:00:00Z"}, ids[3:]),
             ({"since": "2025-01-03T00:00:01Z"}, []), ({"since": "2025-01-03T01:00:00+01:00"}, ids[3:]),
             ({"since": "2026-01-01", "until": "2024-01-01"}, [])]
    for bounds, wanted in cases:
        found = sorted(ids_of(server, "lantern log", min_score=0, **bounds), key=lambda id: int(id[1:]))
        expect(found == wanted, (bounds, found))


@engram.promise
def limit_bounds_the_items_and_the_rest_is_counted_as_withheld(world):
    server = world.serve()
    for n in range(60):
        server.remember(f"Lantern {n} is lit.")
    for limit in (1, 7, 50):
        answer = server.recall("lantern lit", limit=limit, budget_tokens=20000)
        expect(len(answer["items"]) == limit and answer["withheld"] == 60 - limit, (limit, len(answer["items"]), answer["withheld"]))
    expect(len(server.recall("lantern lit", budget_tokens=20000)["items"]) == 10, "the default")


@engram.promise
def the_budget_bounds_the_larger_of_the_two_renderings(world):
    server = world.serve()
    for n in range(30):
        server.remember(f"Night {n}. " + LOREM * (1 + n % 9), session="log", speaker="Keeper", files=[f"logs/{n}.md"],
                        relations=[{"from": f"Night {n}", "relation": "kept_by", "to": "Keeper"}])
    for budget in (50, 100, 300, 800, 1700, 6000, 20000):
        for query in ("lighthouse keeper oil", "Keeper"):
            result = server.result("recall", {"query": query, "budget_tokens": budget, "limit": 50})
            answer, text = result["structuredContent"], result["content"][0]["text"]
            expect(answer["tokens"] <= budget, (budget, answer["tokens"]))
            for size in (len(text), len(json.dumps(answer, separators=(",", ":")))):
                expect(size / 4 <= budget * 1.3 + 60, f"budget {budget}: {size} characters in one rendering")
            expect(answer["items"] or budget < 300, f"budget {budget}: nothing")
    default = server.recall("lighthouse keeper oil", limit=50)
    expect(default["tokens"] <= 1700, default["tokens"])


@engram.promise
def a_long_text_is_cut_to_the_window_that_answers_and_given_whole_by_ids(world):
    server, needle = world.serve(), "The spare wick lies in the copper box."
    text = LOREM * 60 + needle + " " + LOREM * 60
    id = server.remember(text)["id"]
    item = server.recall("Where does the spare wick lie?")["items"][0]
    expect(item["id"] == id and needle in item["text"] and len(item["text"]) < 400 * 6, len(item["text"]))
    expect(server.recall(ids=[id])["items"][0]["text"].strip() == text.strip())


@engram.promise
def what_shares_a_common_word_with_the_question_is_no_answer(world):
    server = world.serve()
    for text in ("Lanterns burn kerosene.", "The tower has nine windows.", "Deploys go out on Tuesdays.", "The kettle is new."):
        server.remember(text)
    question = "How new is the quantum flux capacitor of the old delorean behind the barn?"
    result = server.result("recall", {"query": question})
    answer = result["structuredContent"]
    expect(answer["abstained"] is True and answer["items"] == [] and answer["nearest"]["text"] == "The kettle is new.", answer)
    expect_words(result["content"][0]["text"], "abstained", answer["nearest"]["id"])
    lifted = server.recall(question, min_score=0)
    expect(lifted["abstained"] is False and [item["text"] for item in lifted["items"]] == ["The kettle is new."], lifted)


@engram.promise
def a_question_to_which_nothing_is_known_abstains(world):
    server = world.serve()
    expect(server.recall("anything at all")["abstained"] is True, "an empty memory")
    server.remember("Lanterns burn kerosene.")
    for query in ("Which language is the parser written in?", "zzzz", "the of and", "?!"):
        answer = server.recall(query)
        expect(answer["abstained"] is True and answer["items"] == [] and answer["facts"] == [], (query, answer))
    expect(server.recall("What do lanterns burn?", min_score=1)["abstained"] is True)
    expect(server.recall("What do lanterns burn?", min_score=1)["nearest"]["text"] == "Lanterns burn kerosene.")
    server.remember("What lanterns burn is decided: lanterns burn oil.", kind="decision")
    expect(server.recall("What do lanterns burn?", min_score=1, kinds=["fact"])["nearest"]["text"] == "Lanterns burn kerosene.")


@engram.promise
def ids_give_each_item_and_an_unknown_one_fails_the_call(world):
    server = with_each_kind(world)
    document = [item for item in server.recall("Lanterns", kinds=["document", "passage"], min_score=0)["items"]]
    wanted = ["m1", "m2", document[0]["id"]]
    answer = server.recall(ids=wanted)
    expect([item["id"] for item in answer["items"]] == wanted and answer["abstained"] is False, answer)
    for bad in ("m999", "m0", "x1", "12", "", "m1 ", "M1", "m-1", "m1x", "m99999999999999999999", "e1", "q1"):
        expect_words(server.refused("recall", ids=["m1", bad]), "ids")


@engram.promise
def explain_lists_the_legs_and_the_features(world):
    server = with_each_kind(world)
    answer = server.recall("Who keeps the lanterns?", explain=True)
    expect({"lexical", "ppr"} <= set(answer["legs"]) and all(item["explain"] for item in answer["items"]), answer)
    off = world.serve(ENGRAM_PPR="off", ENGRAM_NEIGHBOURS="off", ENGRAM_USAGE="off").recall("Who keeps the lanterns?", explain=True)
    expect(off["legs"] == ["lexical"], off["legs"])
    expect("legs" not in server.recall("Who keeps the lanterns?"))


@engram.promise
def the_path_itself_answers_which_teams_are_involved_and_what_changed(world):
    server, ids = world.serve(), {}
    for memory in INCIDENT["memories"]:
        ids[memory["text"]] = server.call("remember", memory)["id"]
    result = server.result("recall", {"query": INCIDENT["question"]})
    answer = result["structuredContent"]
    said = {(fact["from"], fact["relation"], fact["to"]): fact.get("id") for fact in answer["facts"]}
    for wanted in map(tuple, INCIDENT["facts"]):
        expect(wanted in said, f"{wanted} is not among {sorted(said)}")
        expect(said[wanted] in ids.values(), f"nobody says {wanted}")
        for word in wanted:
            expect_words(result["content"][0]["text"], word)
    expect(any("latency" in entity["name"].lower() for entity in answer["entities"]), answer["entities"])


@engram.promise
def neighbours_of_a_turn_come_as_its_context(world):
    server = world.serve()
    server.remember("Which oil do the lanterns burn?", session="talk", speaker="Ada")
    server.remember("Kerosene.", session="talk", speaker="Wick")
    item = next(item for item in server.recall("Which oil do the lanterns burn?")["items"] if item["text"] == "Kerosene.")
    expect_words(item["context"]["before"], "Ada", "Which oil")


@engram.promise
def every_reply_names_its_project(world):
    server = with_each_kind(world)
    for tool, arguments in [("recall", {"query": "x"}), ("remember", {"text": "x"}), ("review_entities", {}),
                            ("forget", {"ids": ["m1"], "dry_run": True}), ("attach_document", {"name": "x.md", "content": "x"})]:
        project = server.call(tool, arguments)["project"]
        expect(project["root"] == world.project and project["name"] == "project" and len(project["id"]) == 12, (tool, project))


@engram.promise
def recall_writes_nothing(world):
    server = with_each_kind(world, ENGRAM_USAGE="off")
    server.stop()

    def bytes_of_all():
        out = {}
        for name in os.listdir(world.folder()):
            if not name.endswith((".lock", "project.json")):
                with open(os.path.join(world.folder(), name), "rb") as data:
                    out[name] = hashlib.sha256(data.read()).hexdigest()
        return out

    before, rows = bytes_of_all(), world.digest()
    server = world.serve(ENGRAM_USAGE="off")
    for query in ("lanterns", "Who keeps the lanterns?", "nothing of that kind"):
        server.recall(query, explain=True, include_superseded=True)
    server.recall(ids=["m1"])
    server.recall(file="src/none.c")
    expect(world.digest() == rows)
    server.stop()
    expect(bytes_of_all() == before, "the bytes of the database changed")


@engram.promise
def uses_are_counted_later_and_make_no_rows_while_recalling(world):
    server = with_each_kind(world)
    rows = world.digest()
    for _ in range(3):
        server.recall("Who keeps the lanterns?")
    id = server.recall("Who keeps the lanterns?")["items"][0]["id"]
    server.recall(ids=[id])
    expect(world.digest() == rows)
    server.stop()
    expect(world.count("SELECT uses FROM node WHERE id = ?", int(id[1:])) == 1, "what was expanded is used, what was shown isn't")
    expect(world.count("SELECT count(*) FROM asked") == 1, "one question, however often it was asked")


@engram.promise
def no_query_is_syntax(world):
    server = with_each_kind(world)
    for query in ('"', "'", "lantern*", "lantern AND", "NEAR(lantern)", "text:lantern", "(((", "-lantern", "lantern -", "^lantern", "{lantern}",
                  "%", "_", ";", "--", "\\", "a OR b NOT c", "std::vector<int>", "foo.bar()", "src/a.c:12", "\0", "\u202e", "🦉", "?", " . "):
        result = server.result("recall", {"query": query})
        text = result["content"][0]["text"]
        expect(not result.get("isError") or "missing" in text, (query, text))


@engram.promise
def each_answer_has_a_fence_of_its_own(world):
    server = with_each_kind(world)
    fences = [re.search(r"<(data-[a-z]+)>", server.result("recall", {"query": f"lanterns {n}"})["content"][0]["text"]).group(1)
              for n in range(8)]
    expect(len(set(fences)) == len(fences), fences)


engram.main()
