#!/usr/bin/env python3
"""Writes the sets of memory/rank_weights.c from fitted files, or checks that they are what the files say.

  weights.py [--check] all=FILE no_ppr=FILE no_neighbours=FILE
"""
import os
import re
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "memory", "rank_weights.c")


def initializer(path):
    values = dict(line.split() for line in open(path) if line.strip() and not line.startswith("#"))
    rows = [f"        [FEATURE_{name.upper()}] = {float(value):.4f}f," for name, value in values.items() if abs(float(value)) >= 5e-5]
    if float(values.get("archived", 0)) == 0:  # no data set has archived memories: DESIGN's order, set by hand
        rows.append("        [FEATURE_ARCHIVED] = -1.0000f,")
    return "\n".join(["    .weight = {", *rows, "    },"])


def main():
    check = "--check" in sys.argv
    text = source = open(SOURCE).read()
    for argument in sys.argv[1:]:
        if "=" not in argument:
            continue
        name, path = argument.split("=", 1)
        pattern = re.compile(r"(static const struct rank_weights " + name + r" = \{\n).*?(\n\};)", re.S)
        if not pattern.search(text):
            sys.exit(f"weights.py: rank_weights.c has no set {name}")
        text = pattern.sub(lambda m: m.group(1) + initializer(path) + m.group(2), text)
    if check and text != source:
        sys.exit("weights.py: rank_weights.c isn't what the fits say")
    if not check:
        open(SOURCE, "w").write(text)


if __name__ == "__main__":
    main()
