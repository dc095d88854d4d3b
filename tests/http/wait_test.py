"""A recall that waits for a model: the other calls of its server don't, it can be taken back, and the server ends all the same."""

import json
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram, web
from support.background import parsers_of, wait_for
from support.engram import META, expect
from support.scripted_models import Models

LONG_MS = "100000"  # a budget that nobody reaches
NOTE = "The login token expires after an hour."
QUERY = "What about the login token and the queue of mails?"


class Slow:
    """Answers as Models does, but only once it is told to; keeps who hung up before."""

    def __init__(self, world):
        self.models = Models(rerank=lambda _, text: 1.0 if "alarm" in text else 0.0)
        self.told, self.left = threading.Event(), threading.Event()
        self.site = web.Site({path: self.page for path in ("/v1/embeddings", "/v1/rerank")})
        world.cleanups += [self.models.stop, self.told.set, self.site.close]
        self.models.port = self.site.port
        self.env = {**self.models.embeds(), **self.models.reranks(), "ENGRAM_EMBED_MS": LONG_MS, "ENGRAM_RERANK_MS": LONG_MS}

    def page(self, request):
        body = json.dumps(self.models.answer(request.path, request.json()))

        def then(connection, site):
            connection.settimeout(.05)
            while not self.told.is_set():
                try:
                    if connection.recv(1) == b"":
                        self.left.set()
                        return
                except TimeoutError:
                    continue
            connection.sendall(web.Page(body, type="application/json").answer(request))

        return web.Page(then=then)

    def is_asked(self, *queries):
        """About each of them; the background asks, too."""
        def asked():
            bodies = [request.body.decode() for request in self.site.requests]
            return sum(any(query in body for body in bodies) for query in queries) == len(queries)
        wait_for(engram.PATIENCE_S, "the model is asked", asked)


def waiting_recall(world):
    """A server with a note, its recall that waits, and the model that it waits for."""
    slow = Slow(world)
    server = world.serve(**slow.env)
    server.remember(NOTE)
    server.remember("The queue of mails is watched by an alarm.")
    id = server.send("recall", {"query": QUERY, "explain": True, "min_score": 0})
    slow.is_asked(QUERY)
    return slow, server, id


@engram.promise
def while_a_recall_waits_for_a_model_other_calls_are_answered(world):
    slow, server, id = waiting_recall(world)
    expect(server.remember("Deploys happen on Tuesdays.")["status"] == "stored")
    expect(server.call("review_entities")["questions"] == [])
    more = server.send("recall", {"query": "Which day are deploys on?"})  # has a thread of its own
    slow.is_asked("Which day")
    expect(id not in server.answers and more not in server.answers)
    slow.told.set()
    answer = server.wait(id)["structuredContent"]
    expect("rerank" in answer["legs"] and "alarm" in answer["items"][0]["text"], answer)
    expect("legs_off" not in answer, answer)
    expect("Tuesdays" in json.dumps(server.wait(more)["structuredContent"]))


@engram.promise
def more_recalls_than_threads_that_ask_are_all_answered(world):
    slow, server, id = waiting_recall(world)
    more = [server.send("recall", {"query": f"And the mails of {n}?"}) for n in range(9)]
    slow.is_asked("of 0?", "of 1?", "of 2?")  # three, beside the one that waits
    expect(server.remember("Deploys happen on Tuesdays.")["status"] == "stored")
    slow.told.set()
    for each in [id, *more]:
        answer = server.wait(each)["structuredContent"]
        expect(answer["items"] and "legs_off" not in answer, answer)


@engram.promise
def a_prompt_that_recalls_waits_likewise(world):
    slow, server, id = waiting_recall(world)
    prompt = server.ask("prompts/get", {"name": "recall", "arguments": {"query": "When does the login token expire?"}, "_meta": META})
    slow.is_asked("When does")
    slow.told.set()
    server.wait(id)
    expect("login token" in server.wait(prompt)["messages"][0]["content"]["text"])


@engram.promise
def a_recall_that_is_taken_back_hangs_up(world):
    slow, server, id = waiting_recall(world)
    server.process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}).encode() + b"\n")
    server.process.stdin.flush()
    expect(slow.left.wait(engram.PATIENCE_S), "the question was not given up")
    slow.told.set()
    answer = server.recall(QUERY, explain=True)  # the model is asked again: nothing was wrong with it
    expect("legs_off" not in answer, answer)
    expect(id not in server.answers)


@engram.promise
def a_server_ends_while_a_recall_waits_and_leaves_no_helper(world):
    slow, server, _ = waiting_recall(world)
    server.stop()
    expect(slow.left.wait(engram.PATIENCE_S), "the helper lives on")
    expect(server.process.returncode == 0 and parsers_of(server.process.pid) == [])


engram.main()
