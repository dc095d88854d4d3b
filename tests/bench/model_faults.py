#!/usr/bin/env python3
"""How long calls take while models misbehave: each behaviour of tests/support/bad_models.py beside a server and its background, with
memories being stored all the while. Prints the slowest remember, and the slowest recall beyond its budgets.

  model_faults.py [--recalls 3] [--together 1] [--memories 500]     ENGRAM_BINARY names the program"""
import argparse
import multiprocessing
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support.bad_models import BEHAVIOURS, ODD, BadModels
from support.engram import World

EMBED_MS, RERANK_MS = 1000, 300  # as they are by default
GATE_S = .7  # behind a failure a leg is off for six times ENGRAM_MODEL_RETRY_MS
QUERY = "What about the login token and the mail queue?"


def misbehave(pipe):
    models = BadModels()
    pipe.send(models.settings())
    while (name := pipe.recv()) != "end":
        models.behaviour = name


class Apart:
    """The models in a process of their own, whose work isn't taken for the server's."""

    def __init__(self):
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=misbehave, args=(theirs,), daemon=True)
        self.process.start()
        self.settings = self.pipe.recv()

    def behave(self, name):
        self.pipe.send(name)


class Measured:
    def __init__(self, server):
        self.server, self.count = server, 0

    def remember(self):
        self.count += 1
        began = time.monotonic()
        self.server.remember(f"Note {self.count}: {'the login token' if self.count % 3 else 'the mail queue'} of service {self.count % 97}.")
        return (time.monotonic() - began) * 1000

    def recalls(self, together):
        """So many at the same time, and memories stored until they are answered: the slowest of each."""
        began, slowest, took = time.monotonic(), 0, 0
        left = [self.server.send("recall", {"query": f"{QUERY} {n}", "min_score": 0}) for n in range(together)]
        while left:
            slowest = max(slowest, self.remember())
            with self.server.news:
                for id in [id for id in left if id in self.server.answers]:
                    took = (time.monotonic() - began) * 1000
                    left.remove(id)
        return slowest, took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recalls", type=int, default=3)
    parser.add_argument("--together", type=int, default=1, help="recalls at the same time")
    parser.add_argument("--memories", type=int, default=500)
    arguments = parser.parse_args()
    models, world = Apart(), World()
    del world.env["ENGRAM_NOW"]
    try:
        measured = Measured(world.serve(**{**models.settings, "ENGRAM_EMBED_MS": str(EMBED_MS), "ENGRAM_RERANK_MS": str(RERANK_MS), "ENGRAM_MODEL_RETRY_MS": "100"}))
        for _ in range(arguments.memories):
            measured.remember()
        measured.recalls(1)
        worst = [0, 0]
        for name in [*BEHAVIOURS, *ODD, None]:
            models.behave(name)
            remember = recall = 0
            for _ in range(arguments.recalls):
                time.sleep(GATE_S)
                one, other = measured.recalls(arguments.together)
                remember, recall = max(remember, one), max(recall, other)
            worst = [max(worst[0], remember), max(worst[1], recall)]
            print(f"{name or 'is sound':34} remember {remember:6.1f} ms  recall {recall:7.1f} ms", flush=True)
        budgets = EMBED_MS + RERANK_MS
        print(f"slowest: remember {worst[0]:.1f} ms, recall {worst[1]:.1f} ms, which is {worst[1] - budgets:+.1f} ms beyond its budgets of {budgets} ms")
    finally:
        models.behave("end")
        world.close()


if __name__ == "__main__":
    main()
