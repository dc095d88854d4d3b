#!/usr/bin/env python3
"""How sure is it that a memory answers a question at all? Fits the logistic regression of memory/rank_confidence.c.

  floor.py --server build/engram --locomo locomo10.json --sets NAME.json,NAME.json --set words_only [--env ENGRAM_ENCODER=off]
           [--write | --check]

Each store is asked its own questions, and questions of others that it can't answer: of three other LoCoMo conversations, of the
other multi-hop set, of the diary; the diary its own unanswerable ones, too. Of each question the features of evidence that
`recall --json --features` gives are the row. Groups are left out in five folds. The diary's questions weigh four times, its unanswerable
ones eight times, and the bias is moved so that MOST_LOST of the diary's answerable questions, held out, end below the floor.
Speaker swaps (LoCoMo's category 5) are no part of the fit and are told apart.
"""
import argparse
import collections
import json
import math
import os
import re
import subprocess
import tempfile

import rows

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..", "memory", "rank_confidence.c")
DIARY = os.path.join(HERE, "developer_questions.json")
FLOOR, MOST_LOST, FOLDS, RIDGE = 0.30, 0.05, 5, 1.0
WEIGHT = {"own": 1, "foreign": 0.75, "near": 8, "far": 8}
DIARY_OWN = 4


def stores(arguments):
    """[(set, group, memories, [(question, kind, fold)])] with kind own or swap; the diary's unanswerable are added."""
    conversations = json.load(open(arguments.locomo))
    found = []
    for number, (group, memories, questions, _) in enumerate(rows.groups_of(arguments.locomo)):
        kinds = ["swap" if q["category"] == 5 else "own" for q in conversations[number]["qa"]]
        found.append(("locomo", group, memories, [(q, kind, number % FOLDS) for (q, w), kind in zip(questions, kinds) if w]))
    for number, path in enumerate(arguments.sets.split(",")):
        _, memories, questions, _ = next(iter(rows.groups_of(path)))
        found.append(("passages", os.path.basename(path), memories,
                      [(q, "own", 2 * number + i % 2) for i, (q, w) in enumerate(questions) if w]))
    diary, fold = json.load(open(DIARY)), {"A": 4, "B": 0}
    _, memories, _, _ = next(iter(rows.groups_of(DIARY)))
    found.append(("diary", "diary", memories, [(q["query"], "own", fold[q["half"]]) for q in diary["questions"] if q.get("answers")] +
                  [(q["query"], q["sort"], fold[q["half"]]) for q in diary["unanswerable"]]))
    return found


def foreign(index, all_stores):
    """Questions of other stores: a third of three conversations' or a twentieth of all, an eighth of the diary's."""
    kind, fold = all_stores[index][0], all_stores[index][3][0][2]
    for other, (other_kind, _, _, questions) in enumerate(all_stores):
        own = [q for q, k, _ in questions if k in ("own", "swap")]
        apart = (other - index) % 10
        if other == index or (kind == "locomo" and other_kind == "locomo" and apart not in (1, 4, 7)):
            continue
        step = {("locomo", "locomo"): 3, ("locomo", "diary"): 8, ("passages", "passages"): 1, ("diary", "locomo"): 20,
                ("diary", "passages"): 3}.get((kind, other_kind))
        for place, question in enumerate(own[::step] if step else []):
            yield question, "foreign", fold if kind == "locomo" else (fold + place % 2 if kind == "passages" else place % 2 * 4)


def ask(arguments, all_stores):
    """[(set, kind, fold, {evidence})]"""
    binary, out = os.path.abspath(arguments.server), []
    for index, (kind_of_set, _, memories, questions) in enumerate(all_stores):
        with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as project:
            env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")}
            env.update(HOME=home, XDG_DATA_HOME=home, ENGRAM_PROJECT=project, ENGRAM_INDEX="off", ENGRAM_USAGE="off",
                       ENGRAM_CONSOLIDATE="off", **dict(item.split("=", 1) for item in arguments.env))
            server = rows.Server(binary, env, project)
            for _, memory in memories:
                server.remember(memory)
            subprocess.run([binary, "index", "--wait"], env=env, cwd=project, check=True, stdout=subprocess.DEVNULL)
            for question, kind, fold in questions + list(foreign(index, all_stores)):
                reply = subprocess.run([binary, "recall", "--json", "--features", "--limit", "1", "--min-score", "0", "--kinds", "memory",
                                        "--", question], env=env, cwd=project, capture_output=True)
                out.append((kind_of_set, kind, fold, json.loads(reply.stdout)["features"]["evidence"]))
            server.close()
    return out


def solve(matrix, right):
    """Gauss with the largest pivot."""
    rows_of = [row[:] + [value] for row, value in zip(matrix, right)]
    n = len(right)
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows_of[k][i]))
        rows_of[i], rows_of[pivot] = rows_of[pivot], rows_of[i]
        for k in range(i + 1, n):
            factor = rows_of[k][i] / rows_of[i][i]
            rows_of[k] = [a - factor * b for a, b in zip(rows_of[k], rows_of[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows_of[i][n] - sum(rows_of[i][j] * x[j] for j in range(i + 1, n))) / rows_of[i][i]
    return x


def confidence(weights, evidence):
    return 1 / (1 + math.exp(-max(-30, min(30, sum(w * evidence[name] for name, w in weights.items())))))


def fit(asked, names):
    """Newton's method on the weighted log loss with a ridge."""
    data = [([e[name] for name in names], kind == "own", WEIGHT[kind] * (DIARY_OWN if kind == "own" and of == "diary" else 1))
            for of, kind, _, e in asked if kind in WEIGHT]
    weights = [0.0] * len(names)
    for _ in range(12):
        gradient = [RIDGE * w for w in weights]
        hessian = [[RIDGE * (i == j) for j in range(len(names))] for i in range(len(names))]
        for x, answered, weight in data:
            p = 1 / (1 + math.exp(-max(-30, min(30, sum(w * v for w, v in zip(weights, x))))))
            for i, value in enumerate(x):
                if value:
                    gradient[i] += weight * (p - answered) * value
                    scale = weight * p * (1 - p) * value
                    hessian[i] = [h + scale * other for h, other in zip(hessian[i], x)]
        weights = [w - d for w, d in zip(weights, solve(hessian, gradient))]
    return dict(zip(names, weights))


def initializer(weights):
    return "".join(f"        [EVIDENCE_{name.upper()}] = {value:.4f}f,\n" for name, value in weights.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True)
    parser.add_argument("--locomo", required=True)
    parser.add_argument("--sets", required=True, help="the two multi-hop sets, by comma")
    parser.add_argument("--set", required=True, choices=["words_only", "with_vectors"])
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    asked = ask(arguments, stores(arguments))
    names = [name for name in asked[0][3] if any(row[3][name] for row in asked)]
    scored = []
    for left_out in range(FOLDS):
        weights = fit([row for row in asked if row[2] != left_out], names)
        scored += [(confidence(weights, row[3]), row) for row in asked if row[2] == left_out]
    diary = sorted(score for score, row in scored if row[0] == "diary" and row[1] == "own")
    bar = diary[int(MOST_LOST * len(diary))]
    share = collections.defaultdict(list)
    for score, row in scored:
        share[row[1], row[0]].append(score < bar)
        share[row[1], "all"].append(score < bar)
    for (kind, of), below in sorted(share.items()):
        print(f"{kind:>8} {of:<9} {len(below):5} asked, below the floor {100 * sum(below) / len(below):.1f} %")
    quiet, lost = (sum(share[kind, "all"]) / len(share[kind, "all"]) for kind in ("foreign", "own"))
    print(f"precision of abstention, were half of the questions foreign: {quiet / (quiet + lost):.3f}")
    weights = fit(asked, names)
    weights["bias"] += math.log(FLOOR / (1 - FLOOR)) - math.log(bar / (1 - bar))
    text = open(SOURCE).read()
    pattern = re.compile(r"(static const struct confidence_weights " + arguments.set + r" = \{\n    \.weight = \{\n).*?(    \},\n\};)", re.S)
    fitted = pattern.sub(lambda m: m.group(1) + initializer(weights) + m.group(2), text)
    if arguments.check and fitted != text:
        raise SystemExit("floor.py: rank_confidence.c isn't what the fit says")
    if arguments.write:
        open(SOURCE, "w").write(fitted)


if __name__ == "__main__":
    main()
