#!/usr/bin/env python3
"""Questions of developers over their own notes: does `recall` find the notes that answer, and keep quiet where none does?

developer_questions.json is the diary of a made-up product. All its notes go into one fresh project with `remember`, in
order, with session, time, kind and speaker. Then
- each question with an answer is asked for a long list without floor: R@k is the mean of |found| / |answers| in the first
  k items, MRR of 1 / rank of the first answer among the first ten;
- each question, answerable or not, is asked as an agent asks, with the query alone: "kept quiet" is the share of the
  unanswerable that recall abstains from, "lost" that of the answerable, "abstention precision" how many of the abstentions
  were right. "near" ones ask for what the diary could well tell but doesn't, "far" ones come from another world.

"rare" are questions that share a word with an answer which at most 1 % of the notes hold; "paraphrased" are the others.

    developer_notes.py --server build/engram [--half A] [--env ENGRAM_ENCODER=off]... [--json FILE] [--misses]
"""

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import bench

KS = (1, 5, 10, 20)
RARE = 0.01


def rare_words(notes):
    """The stems that at most RARE of the notes hold."""
    count = {}
    for note in notes:
        for word in bench.stems(note["text"]):
            count[word] = count.get(word, 0) + 1
    return {word for word, times in count.items() if times <= RARE * len(notes)}


def shares_rare(question, notes, rare):
    held = set().union(*(bench.stems(note["text"]) for note in notes if note["id"] in question["answers"]))
    return bool(bench.stems(question["query"]) & held & rare)


def ask(server, note_of, question):
    """A row of figures for a question that has answers."""
    answer = server.recall(question["query"], kinds=["memory"], limit=50, budget_tokens=20000, min_score=0)
    ranked = [note_of[item["id"]] for item in answer["items"]]
    wanted = set(question["answers"])
    first = next((rank for rank, note in enumerate(ranked[:10], 1) if note in wanted), None)
    return {**question, "found": {k: len(wanted & set(ranked[:k])) / len(wanted) for k in KS}, "rr": 1 / first if first else 0.0,
            "ranked": ranked[:5], "abstained": server.recall(question["query"])["abstained"]}


def measure(data, env):
    """(rows of the answerable, rows of the unanswerable)"""
    with bench.project(env) as (world, server):
        note_of = {}
        for note in data["notes"]:
            arguments = {name: note[name] for name in ("text", "session", "at", "kind", "speaker") if name in note}
            note_of[server.call("remember", arguments)["id"]] = note["id"]
        bench.wait_for_index(world, env)
        return ([ask(server, note_of, question) for question in data["questions"]],
                [{**question, "abstained": server.recall(question["query"])["abstained"]} for question in data["unanswerable"]])


def figures(answerable, unanswerable):
    """What is reported of some questions; shares in percent."""
    quiet, lost = [row["abstained"] for row in unanswerable], [row["abstained"] for row in answerable]
    return {"questions": len(answerable), **{f"R@{k}": 100 * bench.mean(row["found"][k] for row in answerable) for k in KS},
            "MRR": bench.mean(row["rr"] for row in answerable),
            "unanswerable": len(unanswerable), "kept quiet": 100 * bench.mean(quiet), "lost": 100 * bench.mean(lost),
            "abstention precision": sum(quiet) / sum(quiet + lost) if quiet and any(quiet + lost) else float("nan")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench.add_arguments(parser)
    parser.add_argument("--half", choices=["A", "B"], help="only this half's questions (all notes are remembered)")
    parser.add_argument("--misses", action="store_true", 
                        help="print what wasn't in the first five, and what should not have been answered")
    arguments = parser.parse_args()
    with open(os.path.join(HERE, "developer_questions.json"), encoding="utf-8") as file:
        data = json.load(file)
    if arguments.half:
        for part in ("questions", "unanswerable"):
            data[part] = [row for row in data[part] if row["half"] == arguments.half]
    rare = rare_words(data["notes"])
    answerable, unanswerable = measure(data, bench.environment(arguments))
    for row in answerable:
        row["rare"] = shares_rare(row, data["notes"], rare)
    groups = {"all": (answerable, unanswerable)}
    for half in sorted({row["half"] for row in answerable}):
        groups[f"half {half}"] = ([row for row in answerable if row["half"] == half],
                                  [row for row in unanswerable if row["half"] == half])
    groups["rare"] = ([row for row in answerable if row["rare"]], [])
    groups["paraphrased"] = ([row for row in answerable if not row["rare"]], [])
    for sort in sorted({row["sort"] for row in unanswerable}):
        groups[f"unanswerable, {sort}"] = ([], [row for row in unanswerable if row["sort"] == sort])
    result = {name: figures(*rows) for name, rows in groups.items()}
    bench.print_table(result)
    if arguments.misses:
        text_of = {note["id"]: note["text"] for note in data["notes"]}
        for row in answerable:
            if row["found"][5] < 1:
                print(f"\n{row['query']}  (wanted {', '.join(row['answers'])}{', abstained' if row['abstained'] else ''})")
                for note in [*row["answers"], "", *row["ranked"]]:
                    print(f"    {note} {text_of.get(note, '')[:110]}")
        for row in unanswerable:
            if not row["abstained"]:
                print(f"\nanswered although nothing is known: {row['query']}")
    bench.write_json(arguments, result)


if __name__ == "__main__":
    main()
