#!/usr/bin/env python3
"""What consolidation does to recall of conversations: the same turns with `engram consolidate` after each session, and without.

Reads LoCoMo's conversations through the folder of its own driver (--driver FOLDER: locomo.py and mcp_client.py). Each question
is asked twice: for fifty items without a budget (R@10 of raw turns: consolidated memories are passed over), and for what 1,700
tokens hold. There a question counts as answered where all of its evidence came: as an item, or as a member of a consolidated
memory ("by ids"), or quoted in the text that was shown ("shown").

  sleep.py --server build/engram --driver FOLDER --data locomo10.json [--conversations 0,1] [--env ENGRAM_ENCODER=off]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

BUDGET = 1700
QUOTE = re.compile(r"^- \[(m\d+)\] ", re.MULTILINE)


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


class Project:
    """A home and a project of its own, with the server and the command line on it."""

    def __init__(self, driver, binary, folder, extra):
        self.driver, self.binary = driver, binary
        self.home, self.project = os.path.join(folder, "home"), os.path.join(folder, "project")
        os.makedirs(self.home)
        os.makedirs(self.project)
        self.env = {"HOME": self.home, "XDG_DATA_HOME": self.home, "ENGRAM_PROJECT": self.project, "ENGRAM_INDEX": "off",
                    "ENGRAM_USAGE": "off", "ENGRAM_CONSOLIDATE": "off", **extra}
        self.server = driver.Server([binary], env=self.env, cwd=self.project)
        self.server.initialize()

    def run(self, *arguments):
        environment = {**{k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")}, **self.env}
        done = subprocess.run([self.binary, "--json", *arguments], env=environment, cwd=self.project, capture_output=True,
                              check=True)
        return json.loads(done.stdout)


def evidence_within(project, turn_of, question):
    """Shares of the evidence: in the first ten raw turns; by ids and as shown within the budget."""
    evidence = set(question["evidence"])
    call = {"query": question["question"], "kinds": ["memory"], "min_score": 0, "limit": 50}
    out, _, _ = project.server.call("recall", {**call, "budget_tokens": 20000})
    ranked = [turn_of[i["id"]] for i in out["items"] if i["id"] in turn_of]
    first = next((r for r, turn in enumerate(ranked[:10], 1) if turn in evidence), None)
    out, _, _ = project.server.call("recall", {**call, "budget_tokens": BUDGET})
    by_ids = {turn_of[m] for i in out["items"] for m in [i["id"], *i.get("members", [])] if m in turn_of}
    shown = {turn_of[m] for i in out["items"] for m in [i["id"], *(QUOTE.findall(i["text"]) if i.get("members") else [])]
             if m in turn_of}
    return {"R@5": len(evidence & set(ranked[:5])) / len(evidence), "R@10": len(evidence & set(ranked[:10])) / len(evidence),
            "MRR": 1 / first if first else 0,
            "by ids": len(evidence & by_ids) / len(evidence), "shown": len(evidence & shown) / len(evidence),
            "all by ids": evidence <= by_ids, "all shown": evidence <= shown,
            "consolidated items": sum(bool(i.get("members")) for i in out["items"]), "items": len(out["items"])}


def evaluate(locomo, arguments, sample, consolidates, extra):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        project = Project(locomo, arguments.server, folder, extra)
        turn_of, last, steps = {}, None, []

        def sleep():
            if extra.get("ENGRAM_ENCODER") != "off":
                project.run("index", "--wait")  # as a background process would have by then
            steps.extend(project.run("consolidate")["steps"])

        for turn, speaker, text, at, session in locomo.turns_of(sample, True):
            if consolidates and last and session != last:
                sleep()
            last = session
            out, _, _ = project.server.call("remember", {"text": text, "speaker": speaker, "at": at, "session": session,
                                                         "kind": "episode"})
            turn_of.setdefault(out["id"], turn)
        if consolidates:
            sleep()
        project.run("index", "--wait")
        rows = [evidence_within(project, turn_of, q) for q in sample["qa"] if q.get("evidence")]
        project.server.close()
    made = [s for s in steps if s["action"] == "consolidated"]
    joined = sum(len(s["members"]) for s in steps if s["action"] in ("consolidated", "updated"))
    return rows, {"made": len(made), "joined": joined, "turns": len(turn_of)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, help="the engram program; its worker lies beside it")
    parser.add_argument("--driver", required=True, help="folder of LoCoMo's own driver")
    parser.add_argument("--data", required=True)
    parser.add_argument("--conversations", default="", help="indices, e.g. 0,3 (default: all)")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    arguments.server = os.path.abspath(arguments.server)
    sys.path.insert(0, os.path.abspath(arguments.driver))
    import locomo
    with open(arguments.data, encoding="utf-8") as file:
        samples = json.load(file)
    wanted = [int(i) for i in arguments.conversations.split(",") if i] or range(len(samples))
    extra = dict(item.split("=", 1) for item in arguments.env)
    arms = {False: [], True: []}
    made = []
    for index in wanted:
        for consolidates in arms:
            rows, counts = evaluate(locomo, arguments, samples[index], consolidates, extra)
            arms[consolidates] += rows
        made.append(counts)
        print(f"conversation {index}: {counts}", file=sys.stderr, flush=True)
    print(f"{len(arms[True])} questions; {sum(c['made'] for c in made)} consolidated memories of "
          f"{sum(c['joined'] for c in made)} of {sum(c['turns'] for c in made)} turns")
    for name in arms[True][0]:
        without, with_it = (mean(row[name] for row in arms[arm]) for arm in (False, True))
        scale = 1 if "items" in name or name == "MRR" else 100
        print(f"{name:20} without {without * scale:7.3f}   with {with_it * scale:7.3f}   {(with_it - without) * scale:+.3f}")


if __name__ == "__main__":
    main()
