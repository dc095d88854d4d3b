"""Sleep through the real program: working memory becomes long-term memory, is found, grows, is taken back and forgotten."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.background import DONE_S, wait_for
from support.engram import expect, expect_words

NEXT_DAY, DAY_AFTER = "2026-05-02T13:00:00Z", "2026-05-03T14:00:00Z"
SECRET = "xylographquince"
REDIS = ["We decided to keep the sessions of Checkout in Redis, because Postgres was slow.",
         "The Redis cluster of Checkout runs in Frankfurt.",
         "Should Checkout use Redis Streams, too?"]


def fill(world, texts=REDIS, **more):
    """Remembers each; their ids."""
    server = world.serve()
    ids = [server.remember(text, **more)["id"] for text in texts]
    server.stop()
    return ids


def consolidate(world, *arguments, now=NEXT_DAY, wanted=0):
    code, out, err = world.run("--json", "consolidate", *arguments, ENGRAM_NOW=now)
    expect(code == wanted, f"exit code {code}: {out}{err}")
    return json.loads(out)


def steps(answer, action):
    return [step for step in answer["steps"] if step["action"] == action]


def the_consolidated(world, **more):
    made = steps(consolidate(world, **more), "consolidated")
    expect(len(made) == 1, made)
    return made[0]


def by_id(world, id):
    server = world.serve()
    item = server.call("recall", ids=[id])["items"][0]
    server.stop()
    return item


def tiers(world):
    return dict(world.query("SELECT 'm' || id, tier FROM memory"))


# ---- what becomes long-term ----

@engram.promise
def a_cluster_becomes_one_memory_of_its_members_own_sentences(world):
    ids = fill(world)
    made = the_consolidated(world)
    expect(made["members"] == ids and made["journal"].startswith("j"), made)
    expect_words(made["why"], "Checkout", "Redis", "24 hours")
    item = by_id(world, made["id"])
    expect(item["members"] == ids, item)
    expect(item["text"] == f"**Decisions**\n- [{ids[0]}] {REDIS[0]}\n**Facts**\n- [{ids[1]}] {REDIS[1]}\n"
                           f"**Open questions**\n- [{ids[2]}] {REDIS[2]}", item["text"])
    expect(set(tiers(world).values()) == {1, 2}, tiers(world))
    names = world.query("SELECT node.name, weight FROM edge JOIN node ON node.id = dst WHERE edge.kind = 7")
    expect({"Checkout", "Redis", "Frankfurt"} <= {name for name, _ in names}, names)
    weights = dict(names)
    expect(weights["Redis"] > weights["Frankfurt"] > 0 and max(weights.values()) <= 5, weights)
    expect([by_id(world, id)["text"] for id in ids] == REDIS, "members stay")
    expect(consolidate(world)["steps"] == [], "nothing is left to do")


@engram.promise
def before_its_day_is_over_only_what_matters_is_kept_for_long(world):
    fill(world, ["Ann likes tea.", "Maya owns the bakery."])
    expect(consolidate(world, now=engram.NOW)["steps"] == [])
    later = consolidate(world)
    expect([len(step["members"]) for step in steps(later, "promoted")] == [2], later)
    expect(set(tiers(world).values()) == {1}, tiers(world))
    expect(world.count("SELECT count(*) FROM node WHERE kind = 0 AND state <> 0") == 0, "nothing is archived")


@engram.promise
def use_refreshes_a_day(world):
    first, second = fill(world, ["Ann likes tea with lemon.", "Billing is closed on Mondays."])
    server = world.serve(ENGRAM_NOW="2026-05-02T06:00:00Z")
    server.call("recall", ids=[first])  # being shown is no use, being asked for is
    server.stop()
    done = consolidate(world)
    expect([step["members"] for step in steps(done, "promoted")] == [[second]], done)
    expect(tiers(world)[first] == 0, tiers(world))


@engram.promise
def a_dry_run_tells_and_changes_nothing(world):
    fill(world)
    before = world.digest()
    told = consolidate(world, "--dry-run")
    expect(told["dry_run"] and len(steps(told, "consolidated")) == 1 and "**Decisions**" in told["steps"][0]["text"], told)
    expect(world.digest() == before)


@engram.promise
def a_session_that_was_summed_up_is_over(world):
    server = world.serve()
    ids = [server.remember(text, session="mine")["id"] for text in REDIS]
    other = server.remember("The Redis cluster of Checkout is backed up at night.", session="other")["id"]
    server.stop()
    expect(steps(consolidate(world, now=engram.NOW), "consolidated") == [])
    ids += fill(world, ["Looked at the Redis of Checkout and settled where sessions lie."], session="mine", kind="episode")
    made = the_consolidated(world, now=engram.NOW)
    expect(made["members"] == ids and other not in made["members"], made)
    expect_words(made["why"], "session is over")


@engram.promise
def the_prompt_that_ends_a_session_leads_to_its_consolidation(world):
    """As an agent does it: the prompt, a call for each thing, the episode last; the background sees to the rest."""
    server = world.serve(ENGRAM_CONSOLIDATE="on", CLAUDE_CODE_SESSION_ID="a-session")
    ids = [server.remember(REDIS[0], kind="decision", topic="checkout sessions")["id"]]
    prompt = server.wait(server.ask("prompts/get", {"name": "summarise_session", "_meta": engram.META}))
    expect_words(prompt["messages"][0]["content"]["text"], "remember", "kind decision", "Last", "kind episode", "session is over", "`session`")
    ids += [server.remember(REDIS[1])["id"], server.remember(REDIS[2], kind="question")["id"],
            server.remember("Settled where Checkout keeps sessions: in Redis.", kind="episode")["id"]]
    wait_for(DONE_S, "the session's consolidation", lambda: world.count("SELECT count(*) FROM memory WHERE tier = 2") == 1)
    expect([f"m{id}" for id, in world.query("SELECT memory FROM member ORDER BY memory")] == ids)
    text = world.query("SELECT text FROM body JOIN memory USING (id) WHERE tier = 2")[0][0]
    expect_words(text, "**Decisions**", "**Facts**", "**Open questions**", *ids)
    expect_words(world.query("SELECT text FROM journal ORDER BY id")[0][0], "session is over")


# ---- growing ----

@engram.promise
def new_members_update_it_and_what_they_contradict_is_superseded(world):
    ids = fill(world, [*REDIS, "The Redis cluster of Checkout has 3 nodes."])
    made = the_consolidated(world)
    server = world.serve(ENGRAM_NOW=NEXT_DAY)
    newer = server.remember("The Redis cluster of Checkout has 5 nodes.")["id"]
    server.stop()
    done = steps(consolidate(world, now=DAY_AFTER), "updated")
    expect(len(done) == 1 and done[0]["id"] == made["id"] and done[0]["members"] == [newer], done)
    current, _, superseded = by_id(world, made["id"])["text"].partition("**Superseded**")
    expect(f"[{newer}] The Redis cluster of Checkout has 5 nodes." in current and "3 nodes" not in current, current)
    expect_words(superseded, ids[3], "3 nodes", f"since {newer}")


@engram.promise
def what_is_consolidated_is_no_source_of_another(world):
    fill(world)
    fill(world, ["Checkout pays for Redis by the hour.", "The Redis of Checkout is patched on Sundays."], at="2026-04-01")
    for now in (NEXT_DAY, DAY_AFTER, "2026-06-01T00:00:00Z"):
        consolidate(world, now=now)
    expect(world.count("SELECT count(*) FROM member JOIN memory ON memory.id = member.memory WHERE tier = 2") == 0)
    expect(world.count("SELECT count(*) FROM memory WHERE tier = 2") == 1)


@engram.promise
def a_member_that_stepped_back_is_never_told_as_current(world):
    ids = fill(world, REDIS[:2]) + fill(world, ["The Redis cluster of Checkout has 3 nodes."], topic="redis nodes")
    made = the_consolidated(world)
    server = world.serve(ENGRAM_NOW=NEXT_DAY)
    newer = server.remember("Checkout keeps Redis on 5 nodes.", topic="redis nodes")["id"]
    for when in ("at once", "built anew"):
        current, _, superseded = by_id(world, made["id"])["text"].partition("**Superseded**")
        expect("3 nodes" not in current, f"{when}: {current}")
        expect_words(superseded, ids[2], f"superseded by {newer}")
        if when == "at once":
            done = consolidate(world)
            expect([step["id"] for step in steps(done, "rewritten")] == [made["id"]], done)


# ---- recall ----

@engram.promise
def recall_finds_it_with_its_members_and_tells_nothing_twice(world):
    ids = fill(world)
    made = the_consolidated(world)
    server = world.serve()
    items = server.recall("What was decided and asked about Redis, Checkout, sessions, Frankfurt and Streams?")["items"]
    whole = next((item for item in items if item["id"] == made["id"]), None)
    expect(whole and whole["members"] == ids, items)
    behind = [item["id"] for item in items[items.index(whole) + 1:]]
    expect(not any(f"[{id}]" in whole["text"] for id in behind), behind)
    expect(server.recall("Where does the Redis cluster of Checkout run?")["items"][0]["text"].find("Frankfurt") >= 0)
    explained = server.recall("Redis", explain=True)["items"][0]
    expect(any("importance" in line for line in explained["explain"]), explained)


@engram.promise
def it_is_no_party_to_a_contradiction_and_not_told_as_similar(world):
    fill(world)
    made = the_consolidated(world)
    answer = world.serve().remember("The Redis cluster of Checkout runs in Dublin.")
    expect(made["id"] not in [row["id"] for row in answer["similar"]], answer)
    whole = int(made["id"][1:])
    expect(world.count("SELECT count(*) FROM question WHERE a = ? OR b = ?", whole, whole) == 0)
    expect(world.count("SELECT count(*) FROM question WHERE kind = 'contradiction'") == 1)


# ---- taking back ----

@engram.promise
def a_step_is_taken_back_whole_and_is_not_done_again_by_itself(world):
    fill(world)
    before = world.query("SELECT * FROM node ORDER BY id"), world.query("SELECT src, dst, kind, weight FROM edge ORDER BY id")
    made = the_consolidated(world)
    expect(consolidate(world, "--undo", made["journal"])["undone"] == [made["journal"]])
    after = world.query("SELECT * FROM node ORDER BY id"), world.query("SELECT src, dst, kind, weight FROM edge ORDER BY id")
    expect(before == after, "the graph is not what it was")
    expect(set(tiers(world).values()) == {0} and world.count("SELECT count(*) FROM member") == 0)
    expect(consolidate(world)["steps"] == [], "done again")
    world.doctor()


@engram.promise
def versions_are_taken_back_in_order(world):
    fill(world)
    made = the_consolidated(world)
    first = by_id(world, made["id"])["text"]
    server = world.serve(ENGRAM_NOW=NEXT_DAY)
    server.remember("The Redis of Checkout is patched on Sundays.")
    server.stop()
    updated = steps(consolidate(world, now=DAY_AFTER), "updated")[0]
    code, _, err = world.run("consolidate", "--undo", made["journal"])
    expect(code == 3 and updated["journal"] in err, err)
    consolidate(world, "--undo", updated["journal"])
    expect(by_id(world, made["id"])["text"] == first)
    consolidate(world, "--undo", made["journal"])
    expect(world.count("SELECT count(*) FROM memory WHERE tier = 2") == 0)


@engram.promise
def what_is_no_step_of_it_is_refused(world):
    ids = fill(world)
    server = world.serve()
    applied = server.call("review_entities", edits=[{"action": "dismiss", "entity": "Redis"}])["applied"][0]["journal"]
    server.stop()
    for undo, word in ((applied, "review"), ("j99", "not in the journal"), (ids[0], "no journal id")):
        code, _, err = world.run("consolidate", "--undo", undo)
        expect(code == 3 and word in err, err)
    code, _, err = world.run("consolidate", "--undo", "j1,,j2")
    expect(code == 2, err)
    code, _, err = world.run("consolidate", "--undo", "j1", "--dry-run")
    expect(code == 2, err)


# ---- forgetting ----

@engram.promise
def forgetting_a_member_rewrites_what_quotes_it(world):
    ids = fill(world, [*REDIS, f"The Redis password of Checkout is on the {SECRET}."])
    made = the_consolidated(world)
    expect(SECRET in by_id(world, made["id"])["text"])
    server = world.serve()
    server.call("forget", ids=[ids[3]])
    server.stop()
    item = by_id(world, made["id"])
    expect(item["members"] == ids[:3] and SECRET not in item["text"] and REDIS[1] in item["text"], item)
    expect(world.files_with(SECRET) == [], world.files_with(SECRET))
    for now in (NEXT_DAY, DAY_AFTER):
        consolidate(world, now=now)
    expect(world.files_with(SECRET) == [])
    world.doctor()


@engram.promise
def one_member_alone_is_no_consolidated_memory(world):
    ids = fill(world)
    made = the_consolidated(world)
    server = world.serve()
    server.call("forget", ids=ids[:2])
    try:
        server.call("recall", ids=[made["id"]])
        expect(False, "it is still there")
    except engram.ToolError:
        pass
    expect(server.call("recall", ids=[ids[2]])["items"][0]["text"] == REDIS[2])


@engram.promise
def a_forgotten_consolidated_memory_does_not_come_back(world):
    ids = fill(world)
    made = the_consolidated(world)
    server = world.serve()
    server.call("forget", ids=[made["id"]])
    server.remember("The Redis of Checkout is patched on Sundays.")
    server.stop()
    done = consolidate(world, now=DAY_AFTER)
    expect(steps(done, "consolidated") == [], done)
    expect([by_id(world, id)["text"] for id in ids] == REDIS)


# ---- the background ----

@engram.promise
def a_server_leaves_sleep_to_the_background(world):
    server = world.serve(ENGRAM_CONSOLIDATE="on")
    for text in REDIS:
        server.remember(text, session="talk")
    server.remember("Talked about the Redis of Checkout; sessions stay there.", session="talk", kind="episode")
    wait_for(DONE_S, "the consolidated memory", lambda: any(
        item.get("members") for item in server.recall("Redis Checkout sessions Frankfurt Streams", min_score=0)["items"]))
    expect(world.count("SELECT count(*) FROM memory WHERE tier = 2") == 1)


@engram.promise
def exports_keep_members(world):
    fill(world)
    made = the_consolidated(world)
    before = by_id(world, made["id"])
    other = world.path("other")
    os.mkdir(other)
    expect(world.run("export", world.path("all.jsonl"))[0] == 0)
    code, out, err = world.run("import", world.path("all.jsonl"), project=other)
    expect(code == 0, out + err)
    expect(world.query("SELECT memory, consolidated FROM member ORDER BY memory", project=other) ==
           world.query("SELECT memory, consolidated FROM member ORDER BY memory"))
    expect(before["text"] == world.query("SELECT text FROM body WHERE id = ?", int(made["id"][1:]), project=other)[0][0])


engram.main()
