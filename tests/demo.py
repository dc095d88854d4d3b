#!/usr/bin/env python3
"""The main job on real input: a real server over stdio remembers this repository and answers questions about it.

  tests/demo.py build/engram        (what ./dev demo runs; nothing is kept)
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

DOCUMENTS = ["README.md", "docs/architecture.md"]

DECISIONS = [
    {"text": "We compile SQLite's own amalgamation instead of linking Debian's 3.40.1, because that version can corrupt a "
             "database in WAL mode when several processes write and checkpoint at once.",
     "topic": "which SQLite", "kind": "decision",
     "relations": [{"from": "engram", "relation": "depends_on", "to": "SQLite amalgamation"},
                   {"from": "Debian's SQLite 3.40.1", "relation": "has_bug", "to": "WAL-reset corruption"}]},
    {"text": "Every write takes a lock file first, then BEGIN IMMEDIATE, then commits with synchronous=FULL, and only then is "
             "the call answered: busy_timeout alone let writes fail under eight processes.",
     "topic": "write path", "kind": "decision", "files": ["memory/store.c"]},
    {"text": "Untrusted bytes are parsed in a worker process of its own, so that a crash or an endless loop costs one document.",
     "topic": "parsing", "kind": "decision", "files": ["server/worker/parse.c"],
     "relations": [{"from": "engram-worker", "relation": "protects", "to": "engram"}]},
    {"text": "Reciprocal rank fusion was tried for joining the legs of recall and lost to a weighted sum.", "kind": "fact",
     "topic": "fusion of the legs"},
    {"text": "Personalized PageRank begins with a damping of 0.5, as HippoRAG does.", "topic": "damping", "at": "2026-11-01"},
    {"text": "The damping of Personalized PageRank is 0.7: on conversations it found more turns than 0.5 did.",
     "topic": "damping", "at": "2026-11-20"},
]

QUESTIONS = [
    "Why don't we use the SQLite that Debian ships?",
    "Which damping does PageRank walk with?",
    "What happens when a document crashes the parser?",
]


# Asked of the sources and the history of this repository.
CODE_QUESTIONS = [
    ("Who calls memory_recall?", ["symbol"]),
    ("Where are secrets taken out of a text before it is stored?", ["symbol", "file"]),
    ("why may a first start that was killed not leave a broken project", ["commit"]),
]


def environment_of(home):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")}
    environment.update(XDG_DATA_HOME=home, ENGRAM_PROJECT=ROOT)
    return environment


class Server:
    def __init__(self, binary, home):
        environment = environment_of(home)
        self.process = subprocess.Popen([binary, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "demo", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("demo: the server ended early")
            reply = json.loads(line)
            if reply.get("id") == self.number and "method" not in reply:
                return reply

    def call(self, tool, arguments):
        reply = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in reply or reply["result"].get("isError"):
            sys.exit(f"demo: {tool} failed: {json.dumps(reply)}")
        return reply["result"]["structuredContent"]

    def close(self):
        self.process.stdin.close()
        return self.process.wait(20)


def show(answer):
    for fact in answer["facts"][:5]:
        print(f"    fact   {fact['from']} -[{fact['relation']}]-> {fact['to']}  ({fact.get('id', '')})")
    for item in answer["items"][:3]:
        source = item["source"]
        place = source.get("path") or source.get("session") or item["at"][:10]
        if source.get("path") and source.get("line_start"):
            place += f":{source['line_start']}"
        text = " ".join(item["text"].split())
        print(f"    {item['score']:.2f}  [{item['id']}] {place}: {text[:150]}{'...' if len(text) > 150 else ''}")
        for why in item["why"]:
            print(f"          why: {why}")
    print(f"    {answer['tokens']} tokens, {answer['withheld']} more above the floor")
    if not answer["items"]:
        sys.exit("demo: a question was not answered")


def index(binary, home):
    done = subprocess.run([binary, "index", "--wait", "--json"], env=environment_of(home), cwd=ROOT, check=True, capture_output=True)
    out = json.loads(done.stdout)
    code, history = out["code"], out.get("history", {})
    print(f"  {code['files']} files, {code['symbols']} symbols, {code['edges']} calls, imports and definitions in {code['seconds']:.1f} s;"
          f" {history.get('commits', 0)} commits in {history.get('seconds', 0):.1f} s")
    return history.get("commits", 0)


def main():
    binary = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/engram"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:  # the background may end a moment later
        server = Server(binary, home)
        print("== attaching documents")
        for path in DOCUMENTS:
            out = server.call("attach_document", {"path": path})
            print(f"  {out['id']} {out['title']}: {out['passages']} passages, {out['entities']} entities, {out['tokens']} tokens")
        print("== remembering decisions")
        for decision in DECISIONS:
            out = server.call("remember", decision)
            names = ", ".join(e["name"] for e in out["entities"][:5])
            replaced = f"; replaces {', '.join(out['supersedes'])}" if out["supersedes"] else ""
            print(f"  {out['id']} {out['kind']}: {names}{replaced}")
        for question in QUESTIONS:
            print(f"== {question}")
            show(server.call("recall", {"query": question}))
        print("== reading the sources and the history")
        commits = index(binary, home)
        for question, kinds in CODE_QUESTIONS:
            if kinds == ["commit"] and not commits:
                continue  # an archive of the sources has no history
            print(f"== {question}")
            show(server.call("recall", {"query": question, "kinds": kinds, "min_score": 0}))
        if server.close() != 0:
            sys.exit("demo: the server did not end cleanly")
    print("== done; the memory of this demo was temporary. README.md tells how to add engram to an agent.")


if __name__ == "__main__":
    main()
