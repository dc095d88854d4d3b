#!/usr/bin/env python3
"""Feature rows of the ranker for a data set with known answers: what tests/bench/fit.c fits from.

  rows.py --server build/engram --data FILE --out ROWS [--env NAME=VALUE ...] [--only GROUP,GROUP]

FILE is LoCoMo's locomo10.json (each conversation a group), a HippoRAG tuning set (NAME.json beside NAME_corpus.json; its
questions in two halves as groups), or tests/bench/developer_questions.json (its two halves). Then

  cc -O2 -o build/fit tests/bench/fit.c -lm && build/fit ROWS build/weights

writes the weights with each group left out, and those of all groups. Data sets are inputs, never part of the product.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

def locomo(samples):
    for number, sample in enumerate(samples):
        memories, conversation, session = [], sample["conversation"], 1
        while f"session_{session}_date_time" in conversation:
            when = time.strptime(conversation[f"session_{session}_date_time"].replace(",", ""), "%I:%M %p on %d %B %Y")
            for turn in conversation.get(f"session_{session}", []):
                text = turn["text"] + (f" [shares an image: {turn['blip_caption']}]" if turn.get("blip_caption") else "")
                memories.append((turn["dia_id"], {"text": text, "speaker": turn["speaker"], "session": f"session_{session}",
                                                  "kind": "episode", "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", when)}))
            session += 1
        yield f"conversation_{number}", memories, [(q["question"], set(q.get("evidence", []))) for q in sample["qa"]], None


def hipporag(name, questions, corpus):
    entries = [(t, "".join(x) if isinstance(x, list) else x) for t, x in corpus.items()] if isinstance(corpus, dict) else \
        [(entry["title"], entry["text"]) for entry in corpus]
    memories = [(i, {"text": f"{title}\n{text}", "kind": "fact", "entities": [{"name": title}]})
                for i, (title, text) in enumerate(entries)]
    asked = []
    for question in questions:
        if "supporting_facts" in question:
            gold = {title for title, _ in question["supporting_facts"]}
            support = {i for i, (title, _) in enumerate(entries) if title in gold}
        else:
            gold = {(p["title"], p["paragraph_text"]) for p in question["paragraphs"] if p["is_supporting"]}
            support = {i for i, entry in enumerate(entries) if entry in gold}
        asked.append((question["question"], support))
    yield name, memories, asked, lambda index: f"{name}_{index % 2}"


def diary(data):
    memories = [(n["id"], {k: n[k] for k in ("text", "session", "at", "kind", "speaker") if n.get(k)}) for n in data["notes"]]
    questions = [q for q in data["questions"] if q.get("answers")]
    yield "diary", memories, [(q["query"], set(q["answers"])) for q in questions], lambda index: f"diary_{questions[index]['half']}"


def groups_of(path):
    data = json.load(open(path))
    corpus = re.sub(r"\.json$", "_corpus.json", path)
    if os.path.exists(corpus):
        return hipporag(os.path.basename(path).removesuffix(".json"), data, json.load(open(corpus)))
    if isinstance(data, dict) and "notes" in data:
        return diary(data)
    if isinstance(data, list) and "conversation" in data[0]:
        return locomo(data)
    raise SystemExit(f"rows.py: {path} is no data set that it knows")


class Server:
    def __init__(self, binary, env, cwd):
        self.process = subprocess.Popen([binary, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "rows", "version": "1"}})

    def request(self, method, params):
        self.number += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def remember(self, arguments):
        return self.request("tools/call", {"name": "remember", "arguments": arguments})["structuredContent"]["id"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    binary, names, only = os.path.abspath(arguments.server), None, set(filter(None, arguments.only.split(",")))
    with open(arguments.out, "w") as out:
        for group, memories, questions, split in groups_of(arguments.data):
            if only and group not in only:
                continue
            with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as project:
                env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")}
                env.update(HOME=home, XDG_DATA_HOME=home, ENGRAM_PROJECT=project, ENGRAM_INDEX="off", ENGRAM_USAGE="off",
                           ENGRAM_CONSOLIDATE="off", **dict(item.split("=", 1) for item in arguments.env))
                server, label_of = Server(binary, env, project), {}
                for label, memory in memories:
                    label_of.setdefault(server.remember(memory), label)
                subprocess.run([binary, "index", "--wait"], env=env, cwd=project, check=True, stdout=subprocess.DEVNULL)
                for index, (question, wanted) in enumerate(questions):
                    if not wanted:
                        continue
                    reply = subprocess.run([binary, "recall", "--json", "--features", "--limit", "1", "--min-score", "0",
                                            "--kinds", "memory", "--", question], env=env, cwd=project, capture_output=True)
                    features = json.loads(reply.stdout)["features"]
                    if names is None:
                        names = features["names"]
                        out.write(" ".join(names) + "\n")
                    place = split(index) if split else group
                    for row in features["rows"]:
                        label = int(label_of.get(row["id"]) in wanted)
                        out.write(f"{place} {group}_{index} {label} {' '.join(f'{v:.5g}' for v in row['values'])}\n")
                server.close()
            print(f"{group}: {len(questions)} questions", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
