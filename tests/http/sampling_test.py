"""The client's own model (MCP's sampling): who is asked what and when, what each kind of answer changes, and that no item is lost
or asked about twice, whatever a client does."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.background import DONE_S, START_S, the_background, wait_for
from support.engram import expect

ASKS = "sampling/createMessage"
SETTINGS = {"ENGRAM_LLM_PROVIDER": "sampling", "ENGRAM_SAMPLING_GAP_MS": "0", "ENGRAM_LLM_CONTRADICT": "off"}
NOTE = "These days Ann Lee looks after checkout with some help."
FOUND = {"entities": [{"name": "Ann Lee", "type": "person"}, {"name": "checkout", "type": "service"}],
         "relations": [{"from": "Ann Lee", "relation": "looks after", "to": "checkout", "quote": "looks after checkout"}]}
LATER = "2026-05-01T12:16:00Z"  # than a lease that was taken at engram.NOW


class Client:
    """A client of an older revision, with these capabilities."""

    def __init__(self, world, capabilities, version="2025-11-25", **env):
        self.server = world.serve(**{**SETTINGS, **env})
        self.server.wait(self.server.ask("initialize", {"protocolVersion": version, "capabilities": capabilities,
                                                        "clientInfo": {"name": "test", "version": "1"}}))
        self.write({"method": "notifications/initialized"})

    def write(self, message):
        self.server.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.server.process.stdin.flush()

    def call(self, tool, **arguments):
        result = self.server.wait(self.server.ask("tools/call", {"name": tool, "arguments": arguments}))
        expect(not result["isError"], result)
        return result["structuredContent"]

    def remember(self, text):
        return self.call("remember", text=text)

    def sent(self, method):
        return [message for message in self.server.messages if message["method"] == method]

    def question(self, number=1):
        """The one of this number."""
        return wait_for(DONE_S, f"question {number}", lambda: self.sent(ASKS)[number - 1:number])[0]

    def answer(self, question, result):
        self.write({"id": question["id"], "result": result})

    def refuse(self, question, code, message="no"):
        self.write({"id": question["id"], "error": {"code": code, "message": message}})


def says(text, **more):
    """A result with this text, or this object as JSON."""
    text = text if isinstance(text, str) else json.dumps(text)
    return {"role": "assistant", "model": "some-model", "content": {"type": "text", "text": text}, "stopReason": "endTurn", **more}


def row(world, purpose="extract", **env):
    code, out, err = world.run("--json", "queue", **{**SETTINGS, **env})
    expect(code == 0, err + out)
    return next(row for row in json.loads(out)["queue"] if row["purpose"] == purpose)


def gathered(world, count):
    """The background put so many items into the queue."""
    wait_for(START_S, "the background gathers", lambda: row(world)["pending"] == count)


# ---- who is asked, and what ----

@engram.promise
def a_client_that_offers_its_model_is_asked_and_its_answer_is_stored(world):
    client = Client(world, {"sampling": {}})
    client.remember(NOTE + " Her token is ghp_0123456789abcdefghijklmnopqrstuvwxyz.")
    question = client.question()
    params = question["params"]
    expect(re.fullmatch("engram-sampling-1", question["id"]) and params["includeContext"] == "none", question)
    expect("looks after checkout" in params["messages"][0]["content"]["text"] and params["messages"][0]["role"] == "user", params)
    expect("ghp_" not in json.dumps(params), "a secret was sent")
    expect("JSON Schema" in params["systemPrompt"] and params["maxTokens"] > 0 and params["modelPreferences"]["costPriority"] > .5, params)
    expect(row(world)["pending"] == 1, "what is asked about has left the queue")
    client.answer(question, says(FOUND))
    wait_for(DONE_S, "the answer is stored", lambda: row(world)["pending"] == 0)
    expect([fact["relation"] for fact in client.call("recall", query="Who looks after checkout?")["facts"]] == ["looks_after"])
    told = row(world)
    expect(told["host"] == "client" and told["calls"] == 1 and told["bytes_out"] > 500 and told["tokens"] > 0, told)
    expect(world.query("SELECT model, prompt, kept FROM model_work") == [("sampling/client", "extract-1", 3)])
    _, out, _ = world.run("status", **SETTINGS)
    expect("model_extract" in out and "sampling/client at client" in out, out)


@engram.promise
def who_does_not_offer_it_is_never_asked(world):
    silent = [Client(world, {}), Client(world, {"sampling": True}), Client(world, {"roots": {}}),
              Client(world, {"sampling": {}}, ENGRAM_LLM_PROVIDER="")]
    modern = Client(world, {"sampling": {}})
    modern.server.remember("Deploys happen on Tuesdays after lunch.")  # by 2026-07-28, in which a server doesn't ask
    early = world.serve(**SETTINGS)  # has not said that it is initialized
    early.wait(early.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {"sampling": {}}, "clientInfo": {}}))
    early.wait(early.ask("tools/call", {"name": "recall", "arguments": {"query": "Tuesdays"}}))
    for client in silent:
        client.call("recall", query="Tuesdays")
    asked = Client(world, {"sampling": {"tools": {}, "context": {}}}, version="2024-11-05")
    asked.remember(NOTE)
    for number in (1, 2):
        asked.answer(asked.question(number), says({"entities": [], "relations": []}))
    wait_for(DONE_S, "all is asked about", lambda: row(world)["pending"] == 0)
    for other in [*(client.server for client in silent), modern.server, early]:
        expect(not [m for m in other.messages if m["method"] == ASKS], other.messages)


@engram.promise
def calls_are_answered_while_a_question_is_open_and_one_is_open_at_a_time(world):
    client = Client(world, {"sampling": {}})
    client.remember(NOTE)
    question = client.question()
    client.remember("Deploys happen on Tuesdays after lunch, as ever.")
    gathered(world, 2)
    expect(client.call("recall", query="When do deploys happen?")["items"])
    expect(len(client.sent(ASKS)) == 1, client.sent(ASKS))
    client.answer(question, says(FOUND))
    client.answer(client.question(2), says({"entities": [], "relations": []}))
    wait_for(DONE_S, "both are done", lambda: row(world)["pending"] == 0)


@engram.promise
def several_servers_ask_about_each_item_once(world):
    clients = [Client(world, {"sampling": {}}) for _ in range(3)]
    for i in range(6):
        clients[i % 3].remember(f"Note number {i} of many, and long enough to be asked about.")
    gathered(world, 6)
    answered = []

    def answer_all():
        for client in clients:
            for question in client.sent(ASKS):
                if (client, question["id"]) not in answered:
                    answered.append((client, question["id"]))
                    client.answer(question, says({"entities": [], "relations": []}))
        return row(world)["pending"] == 0
    wait_for(DONE_S, "all are done", answer_all)
    numbers = [re.search(r"Note number (\d)", json.dumps(question)).group(1) for client in clients for question in client.sent(ASKS)]
    expect(sorted(numbers) == list("012345"), numbers)
    expect(row(world)["calls"] == 6, row(world))


# ---- what is answered otherwise ----

@engram.promise
def answers_of_other_shapes_are_read_or_cost_one_attempt(world):
    cases = [  # text, answer, whether it is stored
        ("a list of blocks", says("", content=[{"type": "image", "data": "AAAA"}, {"type": "text", "text": json.dumps(FOUND)}]), True),
        ("words around it", says(f"Certainly! Here it is:\n```json\n{json.dumps(FOUND)}\n```\nDELETE everything."), True),
        ("a refusal of the model", says("I won't.", stopReason="refusal"), True),
        ("no JSON", says("Ann looks after checkout."), False),
        ("cut", says('{"entities": [', stopReason="maxTokens"), False),
        ("another object", says({"delete": "everything"}), False),
        ("no content", {"role": "assistant"}, False),
        ("nothing", {}, False),
        ("no object", [], False),
        ("deep", says("[" * 3000), False),
        ("over 4 MiB", says("x" * (4 << 20)), False),
    ]

    def check(name, answer, is_stored):
        inner = engram.World()
        try:
            client = Client(inner, {"sampling": {}})
            client.remember(NOTE)
            question = client.question()
            client.answer(question, answer)
            client.call("recall", query="checkout")  # it still answers
            if is_stored:
                wait_for(DONE_S, "stored", lambda: row(inner)["pending"] == 0)
            else:
                wait_for(DONE_S, "noted", lambda: row(inner).get("why"))
                expect(inner.query("SELECT faults, owner FROM queue WHERE purpose = 1") == [(1, 0)], row(inner))
        finally:
            faults = inner.close()
        expect(not faults, faults)
    engram.each_of(cases, check)


@engram.promise
def answers_to_no_question_of_ours_change_nothing(world):
    client = Client(world, {"sampling": {}})
    client.write({"id": "engram-sampling-1", "result": says(FOUND)})  # before it was asked
    client.remember(NOTE)
    question = client.question()
    for id in ("engram-sampling-2", "engram-sampling-", 1, "engram-roots-1"):
        client.write({"id": id, "result": says({"entities": [{"name": "checkout", "type": "wrong"}], "relations": []})})
    client.write({"id": None, "result": {}})
    client.answer(question, says(FOUND))
    client.answer(question, says({"entities": [], "relations": []}))  # twice
    wait_for(DONE_S, "stored", lambda: row(world)["pending"] == 0)
    expect(world.query("SELECT kept, dropped FROM model_work") == [(3, 0)], world.query("SELECT * FROM model_work"))
    expect(row(world)["calls"] == 1)


@engram.promise
def a_client_that_refuses_is_left_in_peace_and_the_item_waits_for_another(world):
    clients = []
    for code, word in ((-1, "the user refused"), (-32601, "no such questions")):
        clients.append(Client(world, {"sampling": {}}))
        clients[-1].remember(NOTE)
        clients[-1].refuse(clients[-1].question(), code)
        wait_for(DONE_S, "noted", lambda: word in row(world).get("why", ""))
        expect(row(world)["away"] and row(world)["dead"] == 0, row(world))
        world.run("queue", "--retry", **SETTINGS)
    for client in clients:
        client.call("recall", query="checkout")
    other = Client(world, {"sampling": {}})
    other.call("recall", query="checkout")
    other.answer(other.question(), says(FOUND))
    wait_for(DONE_S, "done by the other", lambda: row(world)["pending"] == 0)
    expect([len(client.sent(ASKS)) for client in clients] == [1, 1], "it was asked again")


@engram.promise
def an_error_costs_no_item_and_makes_all_wait(world):
    client = Client(world, {"sampling": {}})
    client.remember(NOTE)
    client.refuse(client.question(), -32603, "overloaded\n\x1b[31m" + "x" * 5000)
    wait_for(DONE_S, "noted", lambda: row(world)["away"])
    told = row(world)
    expect("error -32603: overloaded" in told["why"] and len(told["why"]) < 300 and "\x1b" not in told["why"], told)
    expect(world.query("SELECT faults, is_dead, owner FROM queue WHERE purpose = 1") == [(0, 0, 0)])


@engram.promise
def who_does_not_answer_is_told_that_it_need_not_any_more(world):
    client = Client(world, {"sampling": {}}, ENGRAM_SAMPLING_MS="300")
    client.remember(NOTE)
    question = client.question()
    told = wait_for(DONE_S, "taken back", lambda: client.sent("notifications/cancelled"))[0]
    expect(told["params"]["requestId"] == question["id"], told)
    client.answer(question, says(FOUND))  # late
    client.call("recall", query="checkout")
    wait_for(DONE_S, "noted", lambda: row(world)["away"])
    expect("no answer in 300 ms" in row(world)["why"] and row(world)["pending"] == 1, row(world))
    expect(not world.query("SELECT * FROM model_work"))


# ---- ends ----

@engram.promise
def a_server_that_ends_takes_its_question_back_and_gives_the_item_back(world):
    client = Client(world, {"sampling": {}})
    client.remember(NOTE)
    question = client.question()
    client.server.stop()
    told = client.sent("notifications/cancelled")
    expect([m["params"]["requestId"] for m in told] == [question["id"]], told)
    expect(world.query("SELECT faults, owner, until_ms FROM queue WHERE purpose = 1") == [(0, 0, 0)])
    other = Client(world, {"sampling": {}})
    other.call("recall", query="checkout")
    other.answer(other.question(), says(FOUND))
    wait_for(DONE_S, "done", lambda: row(world)["pending"] == 0)


@engram.promise
def what_a_killed_server_asked_is_asked_again_when_its_lease_ended(world):
    client = Client(world, {"sampling": {}})
    client.remember(NOTE)
    client.question()
    client.server.kill()
    expect(world.query("SELECT owner < 0, until_ms > 0 FROM queue WHERE purpose = 1") == [(1, 1)])
    waits = Client(world, {"sampling": {}})
    waits.call("recall", query="checkout")
    the_background(world)  # which voids no server's lease
    later = Client(world, {"sampling": {}}, ENGRAM_NOW=LATER)
    later.call("recall", query="checkout")
    later.answer(later.question(), says(FOUND))
    wait_for(DONE_S, "done", lambda: row(world)["pending"] == 0)
    expect(not waits.sent(ASKS))


@engram.promise
def a_command_neither_asks_nor_waits_for_a_client(world):
    world.run("remember", NOTE, **SETTINGS)
    code, out, err = world.run("index", "--wait", **SETTINGS)
    expect(code == 0 and "1 items wait for models" in out, out + err)
    code, out, err = world.run("--json", "queue", "--dry-run", **SETTINGS)
    shown = json.loads(out)["next"]
    expect(code == 0 and [(request["host"], request["url"]) for request in shown] == [("client", "")], out)
    client = Client(world, {"sampling": {}})
    client.call("recall", query="checkout")
    expect(client.question()["params"] == json.loads(shown[0]["body"]))


engram.main()
