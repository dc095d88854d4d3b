#!/usr/bin/env python3
"""Writes the sets of memory/rank_weights.c from fitted files, or checks that they are what the files say.

  weights.py [--check] all=FILE no_ppr=FILE no_neighbours=FILE

A set called code, or code_..., is one of memory/code_rank_weights.c, passage_... one of memory/rank_passage_weights.c.
"""
import os
import re
import sys

MEMORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "memory")
RANKERS = {"code": (os.path.join(MEMORY, "code_rank_weights.c"), "code_weights", "CODE_"),
           "passage": (os.path.join(MEMORY, "rank_passage_weights.c"), "rank_weights", "FEATURE_"),
           "prose": (os.path.join(MEMORY, "rank_weights.c"), "rank_weights", "FEATURE_")}

BY_HAND = {"prose": {"archived": -1, "path": 2}, "passage": {"archived": -6}, "code": {}}  # what the data sets lack


def initializer(path, ranker):
    values = dict(line.split() for line in open(path) if line.strip() and not line.startswith("#"))
    prefix = RANKERS[ranker][2]
    rows = [f"        [{prefix}{name.removeprefix('code_').upper()}] = {float(value):.4f}f," for name, value in values.items()
            if abs(float(value)) >= 5e-5]
    rows += [f"        [{prefix}{name.upper()}] = {value:.4f}f," for name, value in BY_HAND[ranker].items() if float(values.get(name, 0)) == 0]
    return "\n".join(["    .weight = {", *rows, "    },"])


def main():
    check = "--check" in sys.argv
    for argument in sys.argv[1:]:
        if "=" not in argument:
            continue
        name, path = argument.split("=", 1)
        ranker = name.split("_")[0] if name.split("_")[0] in RANKERS else "prose"
        source, kind, _ = RANKERS[ranker]
        text = open(source).read()
        pattern = re.compile(r"(static const struct " + kind + " " + name + r" = \{\n).*?(\n\};)", re.S)
        if not pattern.search(text):
            sys.exit(f"weights.py: {os.path.basename(source)} has no set {name}")
        fitted = pattern.sub(lambda m: m.group(1) + initializer(path, ranker) + m.group(2), text)
        if check and fitted != text:
            sys.exit(f"weights.py: {os.path.basename(source)} isn't what the fits say")
        if not check:
            open(source, "w").write(fitted)


if __name__ == "__main__":
    main()
