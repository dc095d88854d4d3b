#!/usr/bin/env python3
"""Feature rows of the code ranker: commits are questions (what their message says is about to be done), the files that
they touch are the answers. What tests/bench/fit.c fits from, a repository a group.

  code_rows.py --server build/engram --out ROWS [--commits 200] [--env NAME=VALUE ...] REPOSITORY...

Each repository is checked out at HEAD~COMMITS with the history up to there and indexed; the commits since then are asked, so
nothing of an answer can be seen. Then

  cc -O2 -o build/fit tests/bench/fit.c -lm && build/fit ROWS build/code

writes the weights with each repository left out (build/code.NAME.weights), and those of all (build/code.all.weights).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

MAX_FILES = 6  # a commit that touches more is a sweep over the tree: no message could name them
TRAILERS = re.compile(r"^\s*(?:(?:Signed-off|Co-authored|Reviewed|Acked|Tested|Reported)-by|Closes|Fixes|See|Cc|Refs?|PR-URL|Change-Id)\b",
                      re.IGNORECASE)


def git(repository, *arguments):
    return subprocess.run(["git", "-c", "core.quotepath=off", "-C", repository, *arguments], check=True,
                          capture_output=True).stdout.decode("utf-8", "replace")


def questions(repository, base):
    there = set(git(repository, "ls-tree", "-r", "--name-only", base).splitlines())
    for commit in git(repository, "rev-list", "--no-merges", f"{base}..HEAD").split():
        message = git(repository, "show", "-s", "--format=%B", commit)
        touched = git(repository, "show", "--no-renames", "--name-only", "--format=", commit).split("\n")
        touched = {name for name in touched if name}
        subject, _, body = message.partition("\n")
        body = "\n".join(line for line in body.split("\n") if not TRAILERS.match(line))
        if touched & there and len(touched) <= MAX_FILES:
            yield (subject + "\n" + body.strip()[:600]).strip(), touched & there


def rows_of(binary, repository, commits, settings):
    base = git(repository, "rev-parse", f"HEAD~{commits}").strip()
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, "tree")
        subprocess.run(["git", "init", "-q", tree], check=True)
        git(tree, "fetch", "-q", "--no-tags", repository, base)
        git(tree, "checkout", "-q", "-B", "main", "FETCH_HEAD")
        env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")}
        env.update(HOME=home, XDG_DATA_HOME=home, ENGRAM_PROJECT=tree, ENGRAM_USAGE="off", ENGRAM_CONSOLIDATE="off",
                   ENGRAM_ENCODER="off", **settings)
        subprocess.run([binary, "index", "--wait"], env=env, cwd=tree, check=True, stdout=subprocess.DEVNULL)
        for number, (query, wanted) in enumerate(questions(repository, base)):
            reply = subprocess.run([binary, "recall", "--json", "--features", "--limit", "1", "--min-score", "0", "--kinds",
                                    "file", "--", query], env=env, cwd=tree, capture_output=True)
            features = json.loads(reply.stdout).get("code_features")
            if features:
                yield number, wanted, features


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("repositories", nargs="+")
    arguments = parser.parse_args()
    binary, named = os.path.abspath(arguments.server), False
    settings = dict(item.split("=", 1) for item in arguments.env)
    with open(arguments.out, "w") as out:
        for repository in map(os.path.abspath, arguments.repositories):
            group, count = os.path.basename(repository), 0
            for number, wanted, features in rows_of(binary, repository, arguments.commits, settings):
                if not named:
                    out.write(" ".join("code_" + name for name in features["names"]) + "\n")
                    named = True
                for row in features["rows"]:
                    values = " ".join(f"{v:.5g}" for v in row["values"])
                    out.write(f"{group} {group}_{number} {int(row['path'] in wanted)} {values}\n")
                count += 1
            print(f"{group}: {count} questions", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
