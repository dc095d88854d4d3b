"""Small worlds: some memories, one question, and what must come of it. The file says the kind, the name what is promised.

worlds/KIND.json holds a list of
    {"name": sentence, "memories": [...], "documents": [...], "edits": [...], "query": {...}, expectations}
memories    arguments of remember; "label" names one for this file, "supersedes" holds labels
documents   arguments of attach_document, with "label"; attached before the memories
files       {path: content} of the project, indexed when all is remembered; the path is a label, of any item from the file
edits       of review_entities, applied when all is remembered
query       arguments of recall
and of these expectations at least one:
    lead          {"k": n, "ids": [labels]}: all are among the first n; a document is there by any passage
    order         [labels]: they come, in this order
    absent        [labels] that don't come at all
    abstains      true: no items, no facts
    facts         [[from, relation, to, label?]] that come, with the memory that says it
    absent_facts  the same, that don't
    entities      [names] that the question is found to mean, with confidence >= .6
    superseded    {label: label}: the first is marked as superseded by the second
    replaces      {label: [labels]}: the first tells that it replaced the others
    why           {label: [words]} in what its item tells of how it was found
    once          [labels] of documents of which one item comes, a passage or itself
    holds, lacks  [words] in the text of what leads; in no text at all
    asks          [words]: one question of review_entities holds all of them
    unasked       [words]: no question does
"only_ppr": true claims that nothing but PageRank gets there: question and answer share no word, which is checked, and
with ENGRAM_PPR=off the world is lost even without a floor, which is counted in the last line of the table.

expected_failures.json names the worlds that aren't kept yet, with the reason; a named one that is kept is told as stale.
Words on the command line choose worlds by name or kind; --explain prints what came instead."""

import json
import os
import re
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from support import engram
from support.engram import expect

KS = (1, 3, 5, 10)
ONLY_PPR_AT_LEAST = 10  # worlds that are lost without PageRank
STOP_WORDS = set("""a about after all an and any are as at be been before by can did do does else for from had has have he her here
    him his how i if in into is it its may me my no nor not now of off on one only or our out over she should since so than that
    the their them then there these they this those to too two under up us was we were what when where which while who whom whose
    why will with you your""".split())


# ---- a world is built and asked ----

def build(place, server, world):
    """Remembers everything; the ids by label."""
    ids = {path: path for path in world.get("files", {})}
    for document in world.get("documents", []):
        answer = server.call("attach_document", without_label(document))
        if "label" in document:
            ids[document["label"]] = answer["id"]
    for memory in world["memories"]:
        arguments = without_label(memory)
        if "supersedes" in arguments:
            arguments["supersedes"] = [ids[label] for label in arguments["supersedes"]]
        answer = server.call("remember", arguments)
        if "label" in memory:
            ids[memory["label"]] = answer["id"]
    if world.get("edits"):
        server.call("review_entities", edits=world["edits"])
    for path, content in world.get("files", {}).items():
        place.write(path, content)
    if "files" in world:
        code, _, said = place.run("index", "--wait", ENGRAM_INDEX="on")
        expect(code == 0, said)
    return ids


def without_label(arguments):
    return {name: value for name, value in arguments.items() if name != "label"}


def rank_of(items, id):
    """From 1; 0 where it didn't come. A passage stands for its document, a symbol for its file."""
    def names(item):
        source = item.get("source", {})
        return item["id"], source.get("document"), source.get("path") if item["kind"] in ("symbol", "file") else None
    return next((rank for rank, item in enumerate(items, 1) if id in names(item)), 0)


class Answer:
    """What a world gave back: to the question, and when a person would review."""

    def __init__(self, world, **env):
        place = engram.World()
        try:
            server = place.serve(ENGRAM_ENCODER="off", **env)
            self.ids = build(place, server, world)
            self.recall = server.call("recall", world["query"])
            self.items = self.recall["items"]
            self.questions = []
            if "asks" in world or "unasked" in world:
                self.questions = server.call("review_entities", limit=20)["questions"]
        finally:
            faults = place.close()
        expect(not faults, faults and faults[0])

    def rank(self, label):
        return rank_of(self.items, self.ids[label])

    def facts(self):
        return [[fact["from"], fact["relation"], fact["to"], fact["id"]] for fact in self.recall["facts"]]

    def item(self, label):
        expect(self.rank(label), f"{label} didn't come")
        return self.items[self.rank(label) - 1]

    def asked(self, words):
        """The text of a question that holds all the words, as words of their own."""
        for question in self.questions:
            if all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", question["text"], re.IGNORECASE) for word in words):
                return question["text"]
        return None


# ---- expectations: one function each, named as in the files ----

def lead(answer, wanted):
    ranks = {label: answer.rank(label) for label in wanted["ids"]}
    late = {label: rank or "absent" for label, rank in ranks.items() if not 0 < rank <= wanted["k"]}
    expect(not late, f"not in the first {wanted['k']}: {late}")


def order(answer, labels):
    ranks = [answer.rank(label) for label in labels]
    expect(all(ranks) and ranks == sorted(ranks), f"{labels} come as {ranks}")


def absent(answer, labels):
    came = [label for label in labels if answer.rank(label)]
    expect(not came, f"came all the same: {came}")


def abstains(answer, wanted):
    expect(answer.recall["abstained"] is wanted and not answer.items and not answer.recall["facts"],
           f"answered with {[item['text'][:60] for item in answer.items]} {answer.recall['facts']}")


def says(answer, facts):
    """Of the wanted facts, those that came."""
    came = answer.facts()
    return [fact for fact in facts
            if any(row[:3] == fact[:3] and (len(fact) < 4 or row[3] == answer.ids[fact[3]]) for row in came)]


def facts(answer, wanted):
    missing = [fact for fact in wanted if fact not in says(answer, wanted)]
    expect(not missing, f"facts missing: {missing}")


def absent_facts(answer, unwanted):
    expect(not says(answer, unwanted), f"facts came all the same: {says(answer, unwanted)}")


def entities(answer, names):
    found = {entity["name"] for entity in answer.recall["entities"] if entity["confidence"] >= 0.6}
    expect(found >= set(names), f"{names} not among the entities {sorted(found)}")


def superseded(answer, heirs):
    for label, heir in heirs.items():
        expect(answer.item(label).get("superseded_by") == answer.ids[heir], f"{label} isn't told as superseded by {heir}")


def replaces(answer, replaced):
    for label, olds in replaced.items():
        told = set(answer.item(label).get("supersedes", []))
        expect(told >= {answer.ids[old] for old in olds}, f"{label} tells that it replaced {sorted(told)}")


def once(answer, labels):
    for label in labels:
        came = [item["id"] for item in answer.items if rank_of([item], answer.ids[label])]
        expect(len(came) == 1, f"{label} came as {came}")


def why(answer, wanted):
    for label, words in wanted.items():
        told = " / ".join(answer.item(label)["why"])
        expect(all(word in told for word in words), f"{label} came by {told!r}")


def holds(answer, words):
    text = answer.items[0]["text"] if answer.items else ""
    missing = [word for word in words if word not in text]
    expect(not missing, f"{missing} not in {text!r}")


def lacks(answer, words):
    found = [word for word in words for item in answer.items if word in item["text"]]
    expect(not found, f"{found} came all the same")


def asks(answer, words):
    expect(answer.asked(words), f"no question of review_entities holds {words}")


def unasked(answer, words):
    expect(not answer.asked(words), f"review_entities asks: {answer.asked(words)}")


EXPECTATIONS = {check.__name__: check for check in (lead, order, absent, abstains, facts, absent_facts, entities, superseded,
                                                    replaces, once, why, holds, lacks, asks, unasked)}
FIELDS = {"name", "kind", "memories", "documents", "files", "edits", "query", "only_ppr", *EXPECTATIONS}


def troubles_of(world, answer):
    """What isn't as promised, a line each."""
    troubles = []
    for name, check in EXPECTATIONS.items():
        if name in world:
            try:
                check(answer, world[name])
            except engram.Broken as trouble:
                troubles.append(str(trouble))
    return troubles


# ---- the files themselves ----

def load():
    worlds = []
    for name in sorted(os.listdir(os.path.join(HERE, "worlds"))):
        with open(os.path.join(HERE, "worlds", name), encoding="utf-8") as file:
            worlds += [{"kind": name.removesuffix(".json"), **world} for world in json.load(file)]
    return worlds


def content_words(text):
    return {word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS}


def shared_words(world):
    """Words of the question, or of one stem with them, that stand in the memories that must lead."""
    labels = set(world["lead"]["ids"])
    question = content_words(world["query"]["query"])
    answers = set().union(*(content_words(memory["text"]) for memory in world["memories"] if memory.get("label") in labels))
    return {(a, b) for a in question for b in answers
            if a == b or min(len(a), len(b)) >= 4 and (a.startswith(b) or b.startswith(a))}


def faults_of(worlds, expected):
    """Mistakes in the data, a line each."""
    faults = [f"expected_failures.json names no world: {name}" for name in expected if name not in {w["name"] for w in worlds}]
    for world in worlds:
        said = [world["name"]] if sum(w["name"] == world["name"] for w in worlds) == 1 else ["the name is taken twice"]
        labels = [row["label"] for row in world["memories"] + world.get("documents", []) if "label" in row]
        if len(set(labels)) < len(labels):
            said.append("a label is taken twice")
        if not set(world) <= FIELDS:
            said.append(f"unknown fields {set(world) - FIELDS}")
        if not set(world) & set(EXPECTATIONS):
            said.append("nothing is expected")
        if world.get("only_ppr") and shared_words(world):
            said.append(f"question and answer share {shared_words(world)}")
        faults += [f"{world['kind']}: {': '.join(said)}"] if len(said) > 1 or said[0] != world["name"] else []
    return faults


# ---- the report ----

def table(rows):
    """How far in front the labels that must lead came, by kind."""
    print(f"\n{'kind':<16}{'worlds':>7}{'kept':>6}" + "".join(f"{f'R@{k}':>7}" for k in KS) + f"{'MRR':>7}")
    for kind in [*sorted({row["kind"] for row in rows}), "all"]:
        chosen = [row for row in rows if kind in (row["kind"], "all")]
        ranked = [row["ranks"] for row in chosen if row["ranks"]]
        figures = [sum(sum(0 < rank <= k for rank in ranks) / len(ranks) for ranks in ranked) for k in KS]
        figures.append(sum(1 / min(filter(None, ranks), default=float("inf")) for ranks in ranked))
        print(f"{kind:<16}{len(chosen):>7}{sum(row['kept'] for row in chosen):>6}"
              + "".join(f"{figure / len(ranked):>7.2f}" if ranked else f"{'-':>7}" for figure in figures))


def tell(world, answer):
    print(f"         asked {json.dumps(world['query'], ensure_ascii=False)}")
    labels = {id: label for label, id in answer.ids.items()}
    for item in answer.items:
        print(f"         {item['score']:.3f} {labels.get(item['id'], '')[:10]:<10} {item['text'][:90]!r} {item['why']}")
    for fact in answer.facts():
        print(f"         fact {fact}")
    print(f"         entities {[(e['name'], e['confidence']) for e in answer.recall['entities']]} "
          f"questions {[q['text'] for q in answer.questions]}", flush=True)


def judge(world, **env):
    """(troubles, answer); the answer is None where the world can't even be asked."""
    try:
        answer = Answer(world, **env)
        return troubles_of(world, answer), answer
    except (engram.Broken, engram.ToolError, engram.Gone, KeyError):
        return [traceback.format_exc(limit=-2)], None


def kept_without_pagerank(world):
    """With the floor lifted, so that nothing but the walk is missing."""
    return not judge({**world, "query": {**world["query"], "min_score": 0}}, ENGRAM_PPR="off")[0]


def main():
    explain = "--explain" in sys.argv
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    with open(os.path.join(HERE, "expected_failures.json"), encoding="utf-8") as file:
        expected = json.load(file)
    worlds = load()
    bad = faults_of(worlds, expected)
    rows, graph_worlds = [], []
    for world in worlds:
        if words and not any(word.lower() in world["name"].lower() or word == world["kind"] for word in words):
            continue
        troubles, answer = judge(world)
        ranks = [answer.rank(label) for label in world["lead"]["ids"]] if answer and "lead" in world else []
        rows.append({"kind": world["kind"], "kept": not troubles, "ranks": ranks})
        if world.get("only_ppr"):
            graph_worlds.append({"kept": not troubles, "lost without": not kept_without_pagerank(world)})
        name = f"{world['kind']}: {world['name']}"
        if troubles and world["name"] in expected:
            print(f"expected {name}: {expected[world['name']]}")
        elif troubles:
            print(f"BROKEN   {name}\n         " + "\n         ".join(troubles))
            bad.append(f"broken: {name}")
        elif world["name"] in expected:
            bad.append(f"stale in expected_failures.json, it is kept now: {name}")
        else:
            print(f"kept     {name}")
        if explain and troubles and answer:
            print("         " + "\n         ".join(troubles))
            tell(world, answer)
        sys.stdout.flush()
    table(rows)
    lost = [row for row in graph_worlds if row["lost without"]]
    print(f"\n{len(graph_worlds)} worlds claim that only PageRank answers them: {len(lost)} are lost with ENGRAM_PPR=off, "
          f"of those {sum(row['kept'] for row in lost)} are kept with it")
    if not words and len(lost) < ONLY_PPR_AT_LEAST:
        bad.append(f"fewer than {ONLY_PPR_AT_LEAST} worlds need PageRank")
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
