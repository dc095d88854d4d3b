#!/usr/bin/env python3
"""Fits the weights of the ranker of passages on the questions of questions.jsonl that the encoder hasn't learned from.

  fit_passages.py --server build/engram --files DIR --rows FILE.npz --set late [--env NAME=VALUE ...] [--features NAME,NAME,...]

The documents of the packages that are held out are attached to one project. Each question's candidates, their features and which of
them hold its passage are written to FILE; what is there isn't asked again (without the encoder and with it want a file each). Then
the weights under which the right candidates get the most of a softmax are fitted: with each package left out, for the figures, and
with all, printed as memory/rank_passage_weights.c has them. These are scaled and moved so that the mean of the best sum and the
spread of the ten best stay as the set --set of that file has them.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import sys

import numpy as np

import corpus
import bench
import documents
import weights
from documents import plain

CANDIDATES = 220
PROBE_WORDS, PROBE_STEP = 8, 6
ASKED_AT_ONCE = 2
RIDGE, STEPS, RATE = 1e-3, 300, .3
SPREAD_OF = 10
FEATURES = {"words": "text,coverage,heading,document", "encoder": "text,coverage,cosine,document",
            "late": "text,coverage,cosine,document,late"}


# ---- asking ----

def stored(world):
    """{document's name: [(passage's id, its words)]}"""
    found = collections.defaultdict(list)
    for id, key, text in world.query("SELECT p.id, d.key, b.text FROM passage p JOIN node d ON d.id = p.document "
                                     "JOIN node n ON n.id = p.id JOIN body b ON b.id = p.id WHERE n.state = 0"):
        found[key.removeprefix("file:")].append((f"p{id}", plain(text)))
    return found


def holders(text, candidates):
    """The ids of what holds a good part of a text that may have been cut otherwise than it was asked upon."""
    words = plain(text).split()
    probes = [" ".join(words[at:at + PROBE_WORDS]) for at in range(0, max(1, len(words) - PROBE_WORDS), PROBE_STEP)]
    hits = {id: sum(probe in held for probe in probes) for id, held in candidates}
    most = max(hits.values(), default=0)
    return {id for id, count in hits.items() if count and 2 * count >= most}


def ask(world, env, question):
    """(names of the features, [(passage's id, values)])"""
    code, out, err = world.run("recall", "--json", "--features", "--min-score", "0", "--limit", "1", "--kinds", "passage", "--",
                               question, **env)
    if code:
        raise RuntimeError(err)
    features = json.loads(out)["features"]
    return features["names"], [(row["id"], row["values"]) for row in features["rows"]][:CANDIDATES]


def rows_of(found, env, files):
    """Of the questions upon the passages `found`, asked in one project that has their documents: names of the features, values
    [questions][CANDIDATES][features], which are right, which there are; a question's package."""
    with bench.project(env) as (world, server), concurrent.futures.ThreadPoolExecutor(ASKED_AT_ONCE) as threads:
        names = sorted({row["name"] for row in found})
        documents.attach(world, server, [{"name": name} for name in names], files)
        bench.wait_for_index(world, env)
        passages = stored(world)
        asked = [(question, right, row["group"]) for row in found for right in [holders(row["text"], passages[row["name"]])] if right
                 for question in row["questions"]]
        replies = list(threads.map(lambda item: ask(world, env, item[0]), asked))
    names = replies[0][0]
    values = np.zeros((len(asked), CANDIDATES, len(names)), np.float32)
    right, there = np.zeros(values.shape[:2], bool), np.zeros(values.shape[:2], bool)
    for number, ((_, wanted, _), (_, candidates)) in enumerate(zip(asked, replies)):
        for at, (id, features) in enumerate(candidates):
            values[number, at], right[number, at], there[number, at] = features, id in wanted, True
    return {"names": np.array(names), "values": values, "right": right, "there": there,
            "package": np.array([package for _, _, package in asked])}


def ask_all(arguments, env):
    if not os.path.exists(arguments.rows):
        held_out = [row for row in corpus.load() if corpus.group(row) in corpus.HELD_OUT]
        np.savez_compressed(arguments.rows, **rows_of(list(corpus.passages(held_out, arguments.files)), env, arguments.files))


# ---- fitting ----

def load(path, names):
    """Values of these features, which candidates are right, which there are."""
    with np.load(path) as file:
        columns = [list(file["names"]).index(name) for name in names]
        return file["values"][:, :, columns], file["right"], file["there"]


def sums(values, there, weight):
    return np.where(there, values @ weight, -1e9)


def softmax(scores):
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def fit(values, right, there):
    """The weights under which all right candidates of a question together are likeliest (Adam, the rate falling to 0)."""
    answered = right.any(1)
    values, right, there = values[answered], right[answered], there[answered]
    weight = np.zeros(values.shape[2], np.float32)
    mean, square = weight.copy(), weight.copy()
    for step in range(1, STEPS + 1):
        chance = softmax(sums(values, there, weight))
        among_right = chance * right / np.maximum((chance * right).sum(1, keepdims=True), 1e-9)
        slope = np.einsum("qc,qcf->f", chance - among_right, values) / len(values) + RIDGE * weight
        mean, square = .9 * mean + .1 * slope, .99 * square + .01 * slope * slope
        change = mean / (1 - .9 ** step) / (np.sqrt(square / (1 - .99 ** step)) + 1e-8)
        weight = weight - RATE * (1 - step / (STEPS + 1)) * change
    return weight


def held_out_scores(values, right, there, packages):
    """Sums of each package's questions, by the weights that the others' give."""
    scores = np.zeros(there.shape, np.float32)
    for package in sorted(set(packages)):
        own = packages == package
        scores[own] = sums(values[own], there[own], fit(values[~own], right[~own], there[~own]))
    return scores


def figures(scores, right):
    """What is no candidate counts as missed."""
    best = np.where(right, scores, -1e9).max(1)
    ranks = np.where(right.any(1), 1 + (scores > best[:, None]).sum(1), np.inf)
    return {"questions": len(ranks), **{f"first {n}": 100 * float((ranks <= n).mean()) for n in (1, 3, 10)},
            "MRR": float((1 / ranks).mean())}


# ---- the table ----

def shipped(name):
    """{feature: weight} of a set of memory/rank_passage_weights.c."""
    with open(weights.RANKERS["passage"][0], encoding="utf-8") as file:
        [rows] = re.findall(r"struct rank_weights " + name + r" = \{(.*?)\n\};", file.read(), re.S)
    return {feature.lower(): float(value) for feature, value in re.findall(r"\[FEATURE_(\w+)\] = (-?[\d.]+)f", rows)}


def level(values, there, weight):
    """Means of the best sum and of how far the tenth is below it, over the questions that have ten candidates."""
    many = there.sum(1) >= SPREAD_OF
    best = -np.sort(-sums(values[many], there[many], weight), 1)
    return best[:, 0].mean(), (best[:, 0] - best[:, SPREAD_OF - 1]).mean()


def placed(path, names, weight, before):
    """The weights on the scale of those before; `passage`, which all candidates have, moves them."""
    old_names = [name for name in before if name not in ("passage", "archived")]
    old, _, there = load(path, old_names)
    old_best, old_spread = level(old, there, np.array([before[name] for name in old_names]))
    new, _, there = load(path, names)
    best, spread = level(new, there, weight)
    scale = old_spread / spread
    return {**{name: float(value) * scale for name, value in zip(names, weight)},
            "passage": float(old_best - scale * best) + before.get("passage", 0)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench.add_arguments(parser)
    parser.add_argument("--files", required=True, metavar="DIR", help="the documents that corpus.py fetched")
    parser.add_argument("--rows", required=True, metavar="FILE.npz", help="where the candidates of each question lie, or go")
    parser.add_argument("--set", required=True, choices=list(FEATURES), help="which set of weights this is to be")
    parser.add_argument("--features", metavar="NAME,...", help="that get a weight")
    parser.add_argument("--out", metavar="FILE", help="also write the weights there, for tests/bench/weights.py passage_SET=FILE")
    arguments = parser.parse_args()
    env = bench.environment(arguments)
    names = (arguments.features or FEATURES[arguments.set]).split(",")
    ask_all(arguments, env)
    values, right, there = load(arguments.rows, names)
    with np.load(arguments.rows) as file:
        packages = file["package"]
    before = shipped(f"passage_{arguments.set}")
    old = [name for name in before if name not in ("passage", "archived")]
    old_values = load(arguments.rows, old)[0]
    result = {"shipped": figures(sums(old_values, there, np.array([before[name] for name in old])), right),
              "fitted, each package left out": figures(held_out_scores(values, right, there, packages), right)}
    bench.print_table(result)
    table = placed(arguments.rows, names, fit(values, right, there), before)
    out = arguments.out or f"{os.path.splitext(arguments.rows)[0]}.passage_{arguments.set}.weights"
    with open(out, "w", encoding="utf-8") as file:
        file.writelines(f"{name} {value:.4f}\n" for name, value in table.items())
    print(weights.initializer(out, "passage"))
    bench.write_json(arguments, result)


if __name__ == "__main__":
    sys.exit(main())
