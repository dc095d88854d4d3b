#!/usr/bin/env python3
"""Changed facts: does what is outdated ever come back as current, and is a change noticed that nobody declared?

changed_facts/DOMAIN.json hold 20 changes and 20 pairs of statements that are both true, for each of ten domains; five are
held out: look at them only when the code is done. Each case is a project of its own: the old statements, the distractors,
the new statement, then the question, asked as an agent asks.

declared (by topic, by supersedes)
    stale       an old statement came without the mark that it is superseded, as an item or as a fact
    current     the new one came first of what was said of it
not declared
    side        old and new came next to each other, the newer first
    asked       a question of review_entities is about the two
    flagged     both
both true
    flagged     a question of review_entities is about the two, although neither is wrong
    others      a question about a contradiction that is not between the two: the distractors hold none
    both came   both were among the items

A question is about two statements when it holds the ids of both or what tells them apart.

    changed_facts.py --server build/engram [--domains services,people] [--held-out no|only]
        [--env X=Y]... [--json FILE] [--misses]
"""

import argparse
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import bench

QUESTIONS = 20  # the most that review_entities gives


def load():
    folder = os.path.join(HERE, "changed_facts")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield json.load(file)


# ---- one case is told, and asked ----

def tell(server, statements, topic=None, supersede=False):
    """Remembers them in order; their ids."""
    ids = []
    for statement in statements:
        arguments = dict(statement)
        if topic:
            arguments["topic"] = topic
        if supersede and ids:
            arguments["supersedes"] = ids[-1:]
        ids.append(server.call("remember", arguments)["id"])
    return ids


def rank_of(items, id):
    """From 1; 0 where it didn't come."""
    return next((rank for rank, item in enumerate(items, 1) if item["id"] == id), 0)


def stands(value, text):
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


def asked_about(server, ids, values):
    """Of the questions of review_entities: is one about both, and is one about another contradiction?"""
    both, others = False, False
    for question in server.call("review_entities", limit=QUESTIONS)["questions"]:
        text = " ".join(str(question.get(field, "")) for field in ("text", "effect"))
        if all(stands(id, text) for id in ids) or all(stands(value, text) for value in values):
            both = True
        elif re.search("contradict|conflict", question.get("kind", "")):
            others = True
    return both, others


def ask_change(env, case):
    with bench.project(env) as (world, server):
        declared, half = case["declared"], len(case["distractors"]) // 2
        topic = case.get("topic")
        olds = tell(server, case["old"], topic, declared == "supersedes")
        tell(server, case["distractors"][:half])
        new = {**case["new"], **({"supersedes": olds[-1:]} if declared == "supersedes" else {})}
        new_id = tell(server, [new], topic)[0]
        tell(server, case["distractors"][half:])
        bench.wait_for_index(world, env)
        answer = server.recall(case["question"])
        items = answer["items"]
        row = {"id": case["id"], "declared": declared, "question": case["question"], "items": [item["text"] for item in items]}
        if declared != "none":
            unmarked = [item for item in items if item["id"] in olds and not item.get("superseded_by")]
            stale_facts = [fact for fact in answer["facts"] if fact["id"] in olds and not fact.get("until")]
            said = [item["id"] for item in items if item["id"] in [new_id, *olds]]
            return {**row, "stale": bool(unmarked or stale_facts), "current": said[:1] == [new_id]}
        old_rank, new_rank = rank_of(items, olds[-1]), rank_of(items, new_id)
        asked, others = asked_about(server, [olds[-1], new_id], [case["old_value"], case["new_value"]])
        side = bool(new_rank) and old_rank == new_rank + 1
        return {**row, "side": side, "asked": asked, "flagged": side and asked, "others": others}


def ask_pair(env, case):
    with bench.project(env) as (world, server):
        half = len(case["distractors"]) // 2
        ids = tell(server, [case["first"]])
        tell(server, case["distractors"][:half])
        ids += tell(server, [case["second"]])
        tell(server, case["distractors"][half:])
        bench.wait_for_index(world, env)
        items = server.recall(case["question"])["items"]
        flagged, others = asked_about(server, ids, case["values"])
        return {"id": case["id"], "declared": "both true", "question": case["question"],
                "items": [item["text"] for item in items],
                "flagged": flagged, "others": others, "both came": all(rank_of(items, id) for id in ids)}


# ---- the report ----

OUTCOMES = {"topic": ("stale", "current"), "supersedes": ("stale", "current"), "none": ("side", "asked", "flagged", "others"),
            "both true": ("flagged", "others", "both came")}


def figures(rows):
    """Percent of each outcome, by how the change was declared."""
    result = {}
    for declared, outcomes in OUTCOMES.items():
        chosen = [row for row in rows if row["declared"] == declared]
        result[declared] = {"cases": len(chosen), **{name: 100 * bench.mean(row[name] for row in chosen) for name in outcomes}}
    return result


def print_figures(name, result):
    print(name)
    for declared, row in result.items():
        shares = "  ".join(f"{outcome} {share:.1f} %" for outcome, share in row.items() if outcome != "cases")
        print(f"    {declared:<12}{row['cases']:>4} cases   {shares}")


def failed(row):
    if row["declared"] == "both true":
        return row["flagged"] or row["others"] or not row["both came"]
    return not row["flagged"] if row["declared"] == "none" else row["stale"] or not row["current"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench.add_arguments(parser)
    parser.add_argument("--domains", default="", help="names, e.g. services,people (default: all)")
    parser.add_argument("--held-out", choices=["no", "only"], help="leave the held-out domains out, or take only them")
    parser.add_argument("--misses", action="store_true", 
                        help="print the cases that went wrong; never those of held-out domains")
    arguments = parser.parse_args()
    env = bench.environment(arguments)
    wanted, parts = [name for name in arguments.domains.split(",") if name], {}
    for domain in load():
        unasked = arguments.held_out and domain["held_out"] != (arguments.held_out == "only")
        if unasked or wanted and domain["domain"] not in wanted:
            continue
        rows = [ask_change(env, case) for case in domain["changed"]] + [ask_pair(env, case) for case in domain["both_true"]]
        parts.setdefault("held-out domains" if domain["held_out"] else "open domains", []).extend(rows)
        print(f"{domain['domain']}: {sum(map(failed, rows))} of {len(rows)} not as wanted", file=sys.stderr, flush=True)
        for row in rows:
            if arguments.misses and failed(row) and not domain["held_out"]:
                print(f"{row['id']} ({row['declared']}): {row['question']}")
                for text in row["items"][:5]:
                    print(f"    {text}")
    result = {name: figures(rows) for name, rows in parts.items()}
    result["all domains"] = figures([row for rows in parts.values() for row in rows])
    for name, part in result.items():
        print_figures(name, part)
    bench.write_json(arguments, result)


if __name__ == "__main__":
    main()
