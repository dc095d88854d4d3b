#!/usr/bin/env python3
"""Which names carry a graph of 150 conversations, how many of them tell nothing, and what recall loses when they go.

Remembers the first 150 sessions of a file in LoCoMo's format, all in one project, turn by turn; tends the graph once, then answers up to
20 review questions, yes to those that dismiss and no to all others. R@10 of the questions whose evidence was remembered, before and after."""

import argparse
import json
import random
import re
import subprocess
import sys

import bench

MAX_ANSWERS = 20
NEXT_DAY = "2026-05-02T13:00:00Z"  # a day behind what the tests call now: sleep has seen all names


def sessions_of(path, most):
    """(name, turns, questions) of each session in the order of the file, a question at the last session that it needs."""
    with open(path, encoding="utf-8") as file:
        for number, sample in enumerate(json.load(file)):
            talk = sample["conversation"]
            numbers = sorted(int(key[8:]) for key in talk if re.fullmatch(r"session_\d+", key))
            for session in numbers:
                if most == 0:
                    return
                most -= 1
                questions = [q for q in sample["qa"] if q.get("category") in (1, 2, 3, 4) and q["evidence"]
                             and max((int(m) for e in q["evidence"] for m in re.findall(r"D(\d+):", e)), default=0) == session]
                yield f"{number}-{session}", talk[f"session_{session}"], [(q["question"], [f"{number}/{e}" for e in q["evidence"]]) for q in questions]


def recall_at_10(server, questions, ids):
    hits = []
    for question, evidence in questions:
        wanted = {ids[e] for e in evidence if e in ids}
        if wanted:
            found = {item["id"] for item in server.recall(question, limit=10, min_score=0, budget_tokens=20000)["items"]}
            hits.append(len(wanted & found) / len(wanted))
    return sum(hits) / max(1, len(hits)), len(hits)


def heaviest(world, most=30):
    return world.query("SELECT node.name, entity.type, count(*) FROM edge JOIN node ON node.id = edge.dst JOIN entity ON entity.id = node.id"
                       " WHERE edge.kind = 0 AND node.state = 0 GROUP BY node.id ORDER BY 3 DESC, node.id LIMIT ?", most)


def show(title, rows):
    print(f"{title}: " + ", ".join(f"{name} ({type or '-'}) {count}" for name, type, count in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench.add_arguments(parser)
    parser.add_argument("file", help="conversations in LoCoMo's format")
    parser.add_argument("--sessions", type=int, default=150)
    parser.add_argument("--questions", type=int, default=300, help="drawn at random with a fixed seed")
    arguments = parser.parse_args()
    env = {**bench.environment(arguments), "ENGRAM_ENCODER": "off"}
    ids, questions, count = {}, [], 0
    from support import engram
    with bench.project(env) as (world, server):
        for name, turns, asked in sessions_of(arguments.file, arguments.sessions):
            count += 1
            for turn in turns:
                answer = server.remember(turn["text"], speaker=turn["speaker"], session=name)
                ids[f"{name.split('-')[0]}/{turn['dia_id']}"] = answer["id"]
            questions += asked
        questions = random.Random(1).sample(questions, min(arguments.questions, len(questions)))
        entities = world.count("SELECT count(*) FROM node WHERE kind = 1")
        print(f"{count} conversations, {len(ids)} turns, {entities} entities, {entities / max(1, count):.1f} a conversation")
        show("heaviest", heaviest(world))
        print("R@10 %.4f of %d questions" % recall_at_10(server, questions, ids))
        done = subprocess.run([engram.BINARY, "--json", "consolidate", "--only", "growth"], cwd=world.project, env={**world.env, **env, "ENGRAM_NOW": NEXT_DAY},
                              capture_output=True, check=True)
        for row in json.loads(done.stdout)["passes"]:
            print(f"{row['pass']}: {row['text']}")
        print("R@10 after the automatic part %.4f of %d" % recall_at_10(server, questions, ids))
        answered, yes = set(), []
        while len(answered) < MAX_ANSWERS:
            shown = [q for q in server.call("review_entities", limit=5)["questions"] if q["id"] not in answered]
            if not shown:
                break
            for question in shown[:MAX_ANSWERS - len(answered)]:
                answered.add(question["id"])
                verdict = "yes" if question["kind"] in ("dismiss", "once") else "no"
                yes += [question["text"]] if verdict == "yes" else []
                server.call("review_entities", answers=[{"question": question["id"], "verdict": verdict}])
        print(f"{len(answered)} answers, {len(yes)} dismissed: {yes}")
        show("heaviest then", heaviest(world, 10))
        print("R@10 after the answers %.4f of %d" % recall_at_10(server, questions, ids))


if __name__ == "__main__":
    sys.exit(main())
