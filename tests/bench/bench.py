"""What the benchmarks share: arguments, a fresh project with its server, words, tables."""

import argparse
import contextlib
import json
import os
import re
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

# Questions must not change what they measure, and nothing may be read but what was remembered.
FROZEN = {"ENGRAM_INDEX": "off", "ENGRAM_USAGE": "off", "ENGRAM_CONSOLIDATE": "off"}
RATIOS = ("MRR", "abstention precision")
STOP_WORDS = set("""a about after all an and any are as at be because been before by can could did do does else ever
    everybody for from get had has have he her here him his how i if in into is it its just let long made make many may me
    might much must my no nor not now of off on one only or our out over own same she should since so some somebody someone
    something such than that the their them then there these they this those through to too under until up us was way we were
    what when where which while who whom whose why will with without would you your""".split())


def add_arguments(parser):
    parser.add_argument("--server", required=True, metavar="PATH", help="the engram program; its worker lies beside it")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE",
                        help="for the server; may be repeated")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to this file")


def environment(arguments):
    """The settings of --env. Names the program for tests/support, too: call it before `project`."""
    os.environ["ENGRAM_BINARY"] = os.path.abspath(arguments.server)
    os.environ.pop("ENGRAM_WORKER", None)  # the one that lies beside it
    for setting in arguments.env:
        if "=" not in setting:
            raise argparse.ArgumentTypeError(f"--env {setting}: NAME=VALUE is wanted")
    return {**FROZEN, "ENGRAM_ENCODER": "on", **dict(setting.split("=", 1) for setting in arguments.env)}


PATIENCE_S = 1200  # the vectors of some handbooks take minutes


@contextlib.contextmanager
def project(env):
    """(world, server) of a project without memories; removed at the end."""
    from support import engram  # it reads ENGRAM_BINARY when it is loaded
    engram.PATIENCE_S = PATIENCE_S
    world = engram.World()
    try:
        yield world, world.serve(**env)
    finally:
        faults = world.close()
    if faults:
        raise RuntimeError(faults[0])


def wait_for_index(world, env):
    """Returns when nothing is pending: vectors are made in the background."""
    code, _, err = world.run("index", "--wait", **env)
    if code:
        raise RuntimeError(f"index --wait: {err}")


def stems(text):
    """Words without stop words and common endings; roughly, and on purpose not as the product does it."""
    found = set()
    for word in re.findall(r"[\w']+", text.lower()):
        word = word.removesuffix("'s").strip("'_")
        if word and word not in STOP_WORDS:
            found.add(re.sub(r"(ings?|ed|es|s|e)$", "", word) if len(word) > 4 else word)
    return found


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def print_table(result):
    """A row per group, a column per figure; a dash where a group has no such cases."""
    columns = list(next(iter(result.values())))
    wide = max(map(len, result)) + 2
    print(" " * wide + "  ".join(f"{column:>6}" for column in columns))
    for name, row in result.items():
        print(f"{name:<{wide}}" + "  ".join(f"{shown(column, row[column]):>{max(6, len(column))}}" for column in columns))


def shown(column, value):
    """Percents with one digit, ratios with three, counts as they are."""
    if value != value:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}" if column in RATIOS else f"{value:.1f}"


def write_json(arguments, result):
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
