#!/usr/bin/env python3
"""Why-questions about real repositories: is the commit that holds the reason among the first ten?

  why.py --engram build/engram [--half open|held|fresh] [--budget TOKENS] [--recalled FILE] NAME=PATH...

NAME is one of why_questions.json's repositories, PATH a clone of it with its whole history; none is fetched here. Each is
indexed in a store of its own and asked by `engram recall --kinds commit`. Beside it stands BM25 over the messages alone
(k1 .9, b .4, a light stemmer, stop words off). Checked first: every commit exists and is in HEAD's history, and no
question shares more than two content words with the subject of its commit.

Abstained: at the default floor nothing is answered to a question that the history doesn't answer. Lost: at that floor the
right commit is not among the first ten although it is without a floor.
"""
import argparse
import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_SHARED = 2
STOP = set("""a about after again all also an and any are as at be because been before being but by can could did do does
doesn't don't down during each else for from get give given had has have he her here him his how i if in instead into is it
its itself just like made make many me more most my need needs no nobody nor not nothing now of off on once one only or
other our out over own put rather same should so some something stay still such than that the their them themselves then
there these they this those through to too under up us use used uses using very was we were what when where which while who
whose why will with without would you your""".split())


def stem(word):
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "edly", "ed", "es", "ly", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[:-len(ending)]
    return word


def words(text):
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text).replace("_", " ").lower()
    return [stem(w) for w in re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text) if w not in STOP]


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], check=True,
                          capture_output=True).stdout.decode("utf-8", "replace")


def messages(repository):
    records = git(repository, "log", "--format=%H%x01%s%x01%b%x00", "HEAD").split("\0")
    return {oid: (subject, body) for oid, subject, body in
            (record.strip("\n").split("\1") for record in records if record.strip())}


def check(questions, history):
    wrong = []
    for question in questions:
        for commit in question["commits"]:
            if commit not in history:
                wrong.append(f"{question['id']}: {commit} is not in the history of HEAD")
                continue
            shared = set(words(question["query"])) & set(words(history[commit][0]))
            if len(shared) > MOST_SHARED:
                wrong.append(f"{question['id']}: shares {', '.join(sorted(shared))} with \"{history[commit][0]}\"")
    return wrong


class Bm25:
    def __init__(self, history):
        self.postings, self.length = collections.defaultdict(list), {}
        for oid, (subject, body) in history.items():
            counts = collections.Counter(words(subject + "\n" + body))
            self.length[oid] = sum(counts.values())
            for word, count in counts.items():
                self.postings[word].append((oid, count))
        self.mean = sum(self.length.values()) / max(1, len(self.length))

    def first(self, query, most):
        scores = collections.Counter()
        for word in set(words(query)):
            found = self.postings.get(word, [])
            idf = math.log(1 + (len(self.length) - len(found) + .5) / (len(found) + .5))
            for oid, count in found:
                scores[oid] += idf * count * 1.9 / (count + .9 * (.6 + .4 * self.length[oid] / self.mean))
        return [oid for oid, _ in sorted(scores.items(), key=lambda s: (-s[1], s[0]))[:most]]


class Engram:
    def __init__(self, binary, repository, home, budget):
        self.budget = budget
        self.binary, self.repository = os.path.abspath(binary), os.path.abspath(repository)
        self.env = {**os.environ, "HOME": home, "XDG_DATA_HOME": os.path.join(home, "data"), "ENGRAM_PROJECT": self.repository,
                    "ENGRAM_ENCODER": os.environ.get("ENGRAM_ENCODER", "off")}
        self.run("index", "--wait")

    def run(self, *arguments):
        done = subprocess.run([self.binary, *arguments], cwd=self.repository, env=self.env, capture_output=True)
        if done.returncode and not done.stdout.startswith(b"{"):  # recall ends with 1 where it found nothing
            sys.exit(f"why.py: engram {arguments[0]}: {done.stderr.decode('utf-8', 'replace')}")
        return done.stdout.decode("utf-8", "replace")

    def first(self, query, floor):
        items = json.loads(self.run("recall", "--json", "--kinds", "commit", "--limit", "10",
                                    "--budget", str(self.budget), *([] if floor else ["--min-score", "0"]), "--", query))["items"]
        return [item["source"]["commit"] for item in items], [item["score"] for item in items]


def rank_of(found, wanted):
    return next((i + 1 for i, oid in enumerate(found) if any(w.startswith(oid) for w in wanted)), 0)


class Tally:
    def __init__(self):
        self.asked = self.hit = self.lost = self.none = self.abstained = self.base_hit = 0
        self.reciprocal = self.base_reciprocal = 0.0

    def add(self, other):
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def line(self, name):
        share = lambda part: f"{part:3}/{self.asked} {100 * part / self.asked:5.1f} %" if self.asked else "-"
        mean = lambda total: f"{total / self.asked:.3f}" if self.asked else "-"
        return (f"{name:<10} {share(self.hit):>15} {mean(self.reciprocal):>6} {self.lost:>5} "
                f"{self.abstained:>5}/{self.none:<3} {share(self.base_hit):>15} {mean(self.base_reciprocal):>6}")


def ask(engram, base, questions, log):
    tally = Tally()
    for question in questions:
        kept, scores = engram.first(question["query"], True)
        if not question["commits"]:
            tally.none += 1
            tally.abstained += not kept
            log.append({"id": question["id"], "kept": len(kept), "score": max(scores, default=0)})
            continue
        found, scores = engram.first(question["query"], False)
        rank = rank_of(found, question["commits"])
        base_rank = rank_of(base.first(question["query"], 10), question["commits"])
        tally.asked += 1
        tally.hit += rank > 0
        tally.reciprocal += 1 / rank if rank else 0
        tally.lost += rank > 0 and not rank_of(kept, question["commits"])
        tally.base_hit += base_rank > 0
        tally.base_reciprocal += 1 / base_rank if base_rank else 0
        log.append({"id": question["id"], "rank": rank, "bm25": base_rank, "kept": len(kept),
                    "score": scores[rank - 1] if rank else 0, "found": found})
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engram", required=True)
    parser.add_argument("--questions", default=os.path.join(HERE, "why_questions.json"))
    parser.add_argument("--half", choices=["open", "held", "fresh"], help="only the repositories of this half")
    parser.add_argument("--budget", type=int, default=6000, help="tokens of an answer; 1700, recall's own, hold six commits")
    parser.add_argument("--recalled", help="write what was found, a line of JSON a question")
    parser.add_argument("repositories", nargs="+", metavar="NAME=PATH")
    options = parser.parse_args()
    data, log, total = json.load(open(options.questions)), [], Tally()
    print(f"{'':<10} {'first ten':>15} {'MRR':>6} {'lost':>5} {'abstained':>9} {'BM25 first ten':>15} {'MRR':>6}")
    for name, path in (argument.split("=", 1) for argument in options.repositories):
        if options.half and not data["repositories"][name]["half"].startswith(options.half):
            continue
        questions = [q for q in data["questions"] if q["repository"] == name]
        history = messages(path)
        wrong = check(questions, history)
        if wrong:
            sys.exit("why.py: " + "\n".join(wrong))
        with tempfile.TemporaryDirectory(prefix="engram-why-") as home:
            tally = ask(Engram(options.engram, path, home, options.budget), Bm25(history), questions, log)
        print(tally.line(name), flush=True)
        total.add(tally)
    print(total.line("all"))
    if options.recalled:
        with open(options.recalled, "w") as out:
            out.writelines(json.dumps(entry) + "\n" for entry in log)


if __name__ == "__main__":
    main()
