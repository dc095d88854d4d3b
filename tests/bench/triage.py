#!/usr/bin/env python3
"""What triage marks as chatter, against what people asked about: turns of talks in LoCoMo's format.

A turn that some question needs is worth keeping; most of the others are small talk. Told are the share of each that is marked, by talk:
marks on the first lose something, the second is what they are for.

  triage.py --bench build/triage_bench FILE [--show 40]
"""
import argparse
import json
import re
import subprocess
import sys


def turns_of(path):
    """(talk, text, is it needed) of each turn."""
    with open(path, encoding="utf-8") as file:
        for number, sample in enumerate(json.load(file)):
            talk = sample["conversation"]
            needed = {id for q in sample["qa"] for e in q.get("evidence", []) for id in re.findall(r"D\d+:\d+", e)}
            for key in sorted(key for key in talk if re.fullmatch(r"session_\d+", key)):
                for turn in talk[key]:
                    yield number, " ".join(turn["text"].split()), turn["dia_id"] in needed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("file")
    parser.add_argument("--show", type=int, default=0, help="so many turns that are marked, and so many short ones that aren't")
    arguments = parser.parse_args()
    turns = [turn for turn in turns_of(arguments.file) if turn[1]]
    done = subprocess.run([arguments.bench], input="\n".join(text for _, text, _ in turns).encode(), capture_output=True, check=True)
    marks = [line.startswith(b"1") for line in done.stdout.splitlines()]
    if len(marks) != len(turns):
        sys.exit(f"{len(marks)} answers for {len(turns)} turns")
    for talk in [*sorted({t for t, _, _ in turns}), None]:
        some = [(mark, needed) for mark, (t, _, needed) in zip(marks, turns) if talk in (None, t)]
        of = lambda wanted: [mark for mark, needed in some if needed == wanted]
        share = lambda list: 100 * sum(list) / max(1, len(list))
        print(f"{'all' if talk is None else talk}: marked {share(of(False)):.1f} % of {len(of(False))} that nobody asked about, "
              f"{share(of(True)):.2f} % of {len(of(True))} that somebody did")
    for mark in (True, False) if arguments.show else ():
        rows = sorted((text for m, (_, text, _) in zip(marks, turns) if m == mark), key=len)[:arguments.show]
        print("marked:" if mark else "not marked, the shortest:", *rows, sep="\n  ")


if __name__ == "__main__":
    main()
