#!/usr/bin/env python3
"""Data to time an import with: a graph of N entities as the reference memory server keeps it, and M transcripts as Claude
Code writes them. Seeded: the same arguments give the same bytes.

    tests/bench/import_data.py graph 10000 >memory.jsonl
    tests/bench/import_data.py transcripts 50 FOLDER PROJECT
"""
import json
import os
import random
import sys

PARTS = ["cart", "billing", "search", "login", "mailer", "ledger", "gateway", "planner", "archive", "import"]
THINGS = ["SQLite", "Postgres", "Redis", "Kafka", "gRPC", "OpenTelemetry", "Terraform", "Envoy", "Rust", "TypeScript"]
VERBS = ["depends_on", "works_on", "owns", "calls", "replaces"]


def graph(count):
    pick = random.Random(8)
    names = [f"{pick.choice(PARTS)}-service-{i}" for i in range(count)]
    for i, name in enumerate(names):
        thing = pick.choice(THINGS)
        print(json.dumps({"type": "entity", "name": name, "entityType": "service", "observations": [
            f"Stores its state in {thing} since release {pick.randrange(1, 40)}.{pick.randrange(10)}",
            f"Its retention is {pick.randrange(5, 400)} days because audit rule {i} says so"]}))
    for i, name in enumerate(names):
        print(json.dumps({"type": "relation", "from": name, "to": names[(i + pick.randrange(1, count)) % count],
                          "relationType": pick.choice(VERBS)}))


def turns(pick, number):
    for i in range(pick.randrange(20, 60)):
        part, thing, other = pick.choice(PARTS), *pick.sample(THINGS, 2)
        yield "user", pick.choice([
            f"Please look at the {part} module, it is slow.",
            f"We decided to use {thing} instead of {other} for the {part} module.",
            f"I prefer small commits in {part}. Go on.",
            "yes", "thanks, looks good",
            f"Why does the {part} test fail?"])
        yield "assistant", pick.choice([
            f"Let me look at the {part} module first.",
            f"The root cause was that {part} opened {thing} twice.\n\n```c\nopen(); open();\n```\nI'll fix it now.",
            f"Done. All tests pass now, and {part} is faster.",
            f"The {part} module must hold its lock while {thing} is written, because a crash would lose rows {number}.{i}."])


def transcripts(count, folder, project):
    pick = random.Random(9)
    os.makedirs(folder, exist_ok=True)
    for number in range(count):
        session = f"session-{number:04}"
        with open(os.path.join(folder, session + ".jsonl"), "w") as out:
            for i, (role, text) in enumerate(turns(pick, number)):
                content = text if role == "user" else [
                    {"type": "text", "text": text},
                    {"type": "tool_use", "id": f"t{i}", "name": "Edit", "input": {
                        "file_path": f"{project}/src/{pick.choice(PARTS)}.c", "old_string": "x" * 400, "new_string": "y" * 400}}]
                out.write(json.dumps({"parentUuid": None, "isSidechain": False, "cwd": project, "sessionId": session,
                                      "type": role, "message": {"role": role, "content": content},
                                      "uuid": f"{number}-{i}", "timestamp": f"2026-05-{1 + number % 28:02}T10:{i % 60:02}:00Z"}) + "\n")
                out.write(json.dumps({"isSidechain": False, "cwd": project, "sessionId": session, "type": "user", "message": {
                    "role": "user", "content": [{"type": "tool_result", "content": "line of output\n" * 200}]},
                    "uuid": f"{number}-{i}-r", "timestamp": "2026-05-01T10:00:00Z"}) + "\n")


if sys.argv[1:2] == ["graph"] and len(sys.argv) == 3:
    graph(int(sys.argv[2]))
elif sys.argv[1:2] == ["transcripts"] and len(sys.argv) == 5:
    transcripts(int(sys.argv[2]), sys.argv[3], sys.argv[4])
else:
    sys.exit(__doc__)
