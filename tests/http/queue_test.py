"""Models over HTTP from end to end, against a scripted server on loopback: what a provider's vectors, a reranker and a language
model change, that nothing is lost and nothing waits while they are away, and that each item is done once, whatever is killed.

ENGRAM_KILLS_QUEUE is how often the background is killed while it asks, ENGRAM_SEED chooses the points."""

import collections
import json
import os
import random
import re
import signal
import sqlite3
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.background import DONE_S, START_S, backgrounds, holds_lock, the_background, wait_for
from support.engram import expect
from support.scripted_models import Models

KILLS = engram.number("ENGRAM_KILLS_QUEUE", 20)
SEED = engram.number("ENGRAM_SEED", 1)
NOTES = ["The login token expires after an hour.", "Deploys happen on Tuesdays after lunch.", "Invoices are numbered without gaps.",
         "The mail queue drains through Postfix.", "Backups run at three in the morning.", "Search uses a trigram index.",
         "Feature flags live in a table of their own.", "The billing job retries four times.",
         "Old sessions are swept every night.", "The queue of mails is watched by an alarm."]


def scripted(world, **more):
    models = Models(**more)
    world.cleanups.append(models.stop)
    return models


def queue(world, *arguments):
    code, out, err = world.run("--json", "queue", *arguments)
    expect(code == 0, err + out)
    return {row["purpose"]: row for row in json.loads(out)["queue"]}


def index(world):
    code, out, err = world.run("--json", "index", "--wait")
    expect(code == 0, err + out)
    return json.loads(out)


def recall(world, query):
    code, out, err = world.run("--json", "recall", "--explain", "--min-score", "0", query)
    expect(code == 0, err + out)
    return json.loads(out)


# ---- vectors ----

@engram.promise
def texts_are_embedded_in_the_background_and_recall_embeds_its_query(world):
    models = scripted(world)
    world.env.update(models.embeds())
    server = world.serve()
    for note in NOTES:
        server.remember(note)
    the_background(world)
    wait_for(DONE_S, "all are embedded", lambda: world.count("SELECT count(DISTINCT node) FROM vector") == len(NOTES))
    answer = server.recall("When does the login token expire?", explain=True)
    expect("embeddings" in answer["legs"] and "legs_off" not in answer, answer)
    expect(models.texts()[-1] == "When does the login token expire?", models.texts()[-1])
    server.stop()
    expect(queue(world)["embed"]["pending"] == 0 and queue(world)["embed"]["bytes_out"] > 0)


@engram.promise
def the_commands_ask_and_wait_by_themselves(world):
    models = scripted(world, chat=lambda _: {"entities": [], "relations": []})
    world.env.update({**models.embeds(), **models.talks()})
    for note in NOTES:
        world.run("remember", note)
    expect(not models.asked, "a command that stores asked somebody")
    index(world)
    rows = queue(world)
    expect(rows["embed"]["pending"] == rows["extract"]["pending"] == 0, rows)
    expect(world.count("SELECT count(DISTINCT node) FROM vector") == len(NOTES))
    expect(len(models.texts("/v1/chat/completions")) == len(NOTES))


@engram.promise
def a_dry_run_shows_what_would_be_sent_and_sends_nothing(world):
    models = scripted(world)
    world.env.update({**models.embeds(), **models.talks()})
    world.run("remember", NOTES[0])
    code, out, _ = world.run("--json", "queue", "--dry-run")
    shown = json.loads(out)["next"]
    expect(code == 0 and {row["purpose"] for row in shown} == {"embed", "extract"}, out)
    expect(all("login token" in row["body"] and row["host"] == models.url and row["ids"] == ["m1"] for row in shown), shown)
    expect(not models.asked)
    index(world)
    expect(sorted(row["body"] for row in shown) == sorted(models.bodies), (shown, models.bodies))
    expect([row["url"] for row in shown] == [models.url + path for path, _ in models.asked], (shown, models.asked))


# ---- a query that is read ----

@engram.promise
def a_language_model_reads_the_query_and_its_absence_is_told(world):
    asked = []

    def reads(text):
        asked.append(text)
        return {"entities": ["Postfix", "Zaphod"], "intent": "factual", "time_words": "letzte Woche", "time_from": "2026-04-20",
                "time_until": "2026-04-27"}
    models = scripted(world, chat=reads)
    for note in NOTES:
        world.run("remember", note)
    world.env.update(models.talks())
    recall(world, "Was war letzte Woche mit Postfix?")
    expect(not models.asked, "it is off unless it is switched on")
    world.env.update(ENGRAM_LLM_QUERY="on", ENGRAM_LLM_QUERY_MS="60000")  # however busy the machine is
    answer = recall(world, "Was war letzte Woche mit Postfix?")
    expect("question: 1 names, 1 dropped, a time" in answer["legs"] and "2026-04-20" in json.dumps(answer), answer)
    expect("letzte Woche" in asked[0] and "Today is 2026-05-01" in asked[0], asked)
    server = world.serve()
    for _ in range(3):
        server.recall("Was war letzte Woche mit Postfix?", explain=True)
    expect(len(models.asked) == 2, "a server asks about the same query once")
    models.fails = 503
    answer = server.recall("And the trigram index?", explain=True)
    expect(answer["items"] and answer["legs_off"][0].startswith("question: "), answer)
    expect(queue(world)["question"]["host"] == models.url, queue(world))


# ---- a reranker ----

@engram.promise
def a_reranker_decides_what_comes_first_and_its_absence_is_told(world):
    models = scripted(world, rerank=lambda _, text: 1.0 if "alarm" in text else 0.0)
    for note in NOTES:
        world.run("remember", note)
    expect("alarm" not in recall(world, "What about the mail queue?")["items"][0]["text"])
    world.env.update(models.reranks())
    answer = recall(world, "What about the mail queue?")
    expect("alarm" in answer["items"][0]["text"] and "rerank" in answer["legs"], answer)
    models.stop()
    answer = recall(world, "What about the mail queue?")
    expect("alarm" not in answer["items"][0]["text"] and answer["legs_off"], answer)


# ---- a language model ----

def ann(message):
    if "Ann Lee" not in message:
        return {"entities": [], "relations": []}
    return {"entities": [{"name": "Ann Lee", "type": "person"}, {"name": "checkout", "type": "service"},
                         {"name": "Zaphod", "type": "person"}],
            "relations": [{"from": "Ann Lee", "relation": "looks after", "to": "checkout", "quote": "looks after checkout"}]}


@engram.promise
def what_a_model_reads_in_a_text_is_told_by_recall_and_what_it_makes_up_is_not(world):
    models = scripted(world, chat=ann)
    world.env.update(models.talks())
    world.run("remember", "These days Ann Lee looks after checkout with some help.")
    index(world)
    answer = recall(world, "What does Ann Lee look after?")
    expect([f for f in answer["facts"] if (f["relation"], f["to"], f.get("origin")) == ("looks_after", "checkout", "model")], answer["facts"])
    expect(world.count("SELECT count(*) FROM node WHERE name = 'Zaphod'") == 0)
    expect(world.query("SELECT kept, dropped FROM model_work") == [(3, 1)], world.query("SELECT * FROM model_work"))


REDIS = ["We decided to keep the sessions of Checkout in Redis, because Postgres was slow.",
         "The Redis cluster of Checkout runs in Frankfurt.",
         "Should Checkout use Redis Streams, too?"]


def summary(message):
    """A line of each note but the last, and one that nobody said."""
    notes = re.findall(r"==== (m\d+)[^\n]*\n(.*?)\n====", message, re.S)
    lines = [{"section": "fact", "text": f"As somebody put it: {text.strip()}", "member": id, "quote": text.strip()} for id, text in notes]
    return {"lines": [*lines, {"section": "fact", "text": "Everything is on fire.", "member": notes[0][0], "quote": "on fire"}]}


@engram.promise
def a_model_writes_a_summary_and_a_forgotten_member_takes_the_text_along(world):
    models = scripted(world, chat=summary)
    ids = []
    for text in REDIS:
        code, out, err = world.run("--json", "remember", text)
        expect(code == 0, err)
        ids.append(json.loads(out)["id"])
    world.env.update({**models.talks(), "ENGRAM_LLM_SUMMARISE": "on", "ENGRAM_LLM_EXTRACT": "off",
                      "ENGRAM_NOW": "2026-05-02T13:00:00Z"})
    world.run("consolidate")
    text = "SELECT text FROM body JOIN consolidated USING (id)"
    by_rule = world.query(text)
    expect(len(by_rule) == 1 and "somebody put it" not in by_rule[0][0], by_rule)
    index(world)
    by_model = world.query(text)[0][0]
    expect("As somebody put it" in by_model and "**Facts**" in by_model and "fire" not in by_model, by_model)
    expect(world.query("SELECT kept, dropped, prompt FROM model_work") == [(3, 1, "summary-1")])
    expect(world.query("SELECT (SELECT count(*) FROM model_answer), (SELECT count(*) FROM model_answer_part)") == [(1, 2)])
    sent = len(models.asked)
    connection = sqlite3.connect(world.database())
    with connection:  # to be asked about once more, and nothing has changed
        connection.execute("INSERT INTO queue (purpose, node, other) SELECT 2, id, id FROM consolidated")
    connection.close()
    index(world)
    expect(len(models.asked) == sent and queue(world)["summarise"]["pending"] == 0, "it was asked again")
    expect(world.query(text)[0][0] == by_model)
    world.run("forget", "--yes", ids[2])
    anew = world.query(text)[0][0]
    expect("Streams" not in anew and "somebody" not in anew, anew)
    expect(world.count("SELECT count(*) FROM model_answer") == 0, "an answer of its words is kept")
    expect(world.files_with("Redis Streams") == [], "what was forgotten stands somewhere")
    index(world)
    anew = world.query(text)[0][0]
    expect("As somebody put it" in anew and "Streams" not in anew, anew)


# ---- an endpoint that is away ----

@engram.promise
def while_the_endpoint_is_away_everything_works_and_the_queue_drains_when_it_is_back(world):
    models = scripted(world, chat=ann)
    world.env.update({**models.embeds(), **models.talks()})
    models.stop()
    server = world.serve()
    for note in NOTES:
        server.remember(note)
    answer = server.recall("When does the login token expire?")
    expect(answer["items"][0]["text"] == NOTES[0] and answer["legs_off"], answer)
    the_background(world)
    wait_for(DONE_S, "it was tried", lambda: queue(world)["embed"].get("why"))
    server.stop()
    rows = queue(world)
    expect(rows["embed"]["pending"] == len(NOTES) and rows["embed"]["dead"] == 0 and rows["embed"]["away"], rows["embed"])

    models.start()
    queue(world, "--retry")  # the clock of this world stands still
    index(world)
    rows = queue(world)
    expect(rows["embed"]["pending"] == rows["extract"]["pending"] == 0 and not rows["embed"]["away"], rows)
    expect(world.count("SELECT count(DISTINCT node) FROM vector") == len(NOTES))


@engram.promise
def a_hook_asks_nobody(world):
    models = scripted(world)
    world.run("remember", NOTES[0])
    world.env.update({**models.embeds(), **models.reranks()})
    event = {"session_id": "s", "cwd": world.project, "hook_event_name": "UserPromptSubmit",
             "prompt": "When does the login token expire?"}
    code, out, err = world.run("hook", "UserPromptSubmit", input=json.dumps(event))
    expect(code == 0 and "expires after an hour" in out, (code, out, err))
    expect(not models.asked)
    recall(world, event["prompt"])
    expect(models.asked)  # it would have been


# ---- kills ----

@engram.promise
def killed_anywhere_each_item_is_done_once_or_still_pending(world):
    models = scripted(world, chat=ann)
    world.env.update({**models.embeds(), **models.talks()})
    rng, count, hits = random.Random(SEED), 0, 0
    for _ in range(KILLS):
        server = world.serve()  # each one starts a background but a few times in ten minutes
        for _ in range(6):
            count += 1
            server.remember(f"Note {count}: these days Ann Lee looks after checkout, room {count}, with some help.")
        pid = the_background(world)
        asked = len(models.asked)
        with models.news:  # while it asks, or just behind it
            hits += models.news.wait_for(lambda: len(models.asked) > asked + rng.randrange(4), 5)
        time.sleep(rng.random() * .01)
        os.kill(pid, signal.SIGKILL)
        server.stop()
        wait_for(START_S, "its death", lambda: not backgrounds(world) and not holds_lock(world))
    expect(hits > KILLS // 2, f"{hits} of {KILLS} kills came while it asked")
    done = "SELECT count(*) FROM model_work WHERE purpose = 1"
    left = world.count("SELECT count(*) FROM queue WHERE purpose = 1")
    mark = world.query("SELECT node FROM queue_mark WHERE purpose = 1")
    behind = world.query("SELECT count(*) FROM node WHERE kind = 0 AND id > ?", mark[0][0] if mark else 0)[0][0]
    expect(world.count(done) + left + behind == count, (world.count(done), left, behind, count))
    queue(world, "--retry")
    index(world)
    expect(world.query("SELECT node, count(*) FROM model_work WHERE purpose = 1 GROUP BY node HAVING count(*) > 1") == [])
    expect(world.count(done) == count, (world.count(done), count))
    expect(world.count("SELECT count(*) FROM queue") == world.count("SELECT count(*) FROM vector_pending") == 0)
    expect(world.count("SELECT count(*) FROM (SELECT node FROM vector WHERE part = 0 GROUP BY node)") == count)
    asked = collections.Counter(models.texts("/v1/chat/completions"))
    print(f"         {KILLS} kills: {count} items, {sum(asked.values()) - count} asked again")
    world.doctor()


engram.main()
