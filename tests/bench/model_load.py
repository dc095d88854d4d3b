#!/usr/bin/env python3
"""Memories through embedding and extraction on loopback: how fast, how long writers wait meanwhile, how much memory each process
takes; and what is left of it when the background is killed at random points.

  model_load.py [--memories 10000] [--kills 100]     ENGRAM_BINARY names the program"""
import argparse
import multiprocessing
import os
import random
import signal
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support.background import backgrounds, holds_lock, read_proc, the_background, wait_for
from support.engram import World
from support.scripted_models import Models

PEOPLE = ["Ann Lee", "Bob Ray", "Eve Moss", "Dan Voss", "Kim Oda"]
SERVICES = ["checkout", "billing", "search", "mail", "login"]
LEFT = ("SELECT (SELECT count(*) FROM vector_pending) + (SELECT count(*) FROM memory) -"
        " (SELECT count(*) FROM model_work WHERE purpose = 1)")
TWICE = "SELECT count(*) FROM (SELECT node FROM model_work WHERE purpose = 1 GROUP BY node HAVING count(*) > 1)"


def note(n):
    return (f"Note {n}: since the review of week {n % 52} {PEOPLE[n % 5]} looks after {SERVICES[n % 7 % 5]} in room {n % 311}, "
            f"which retries {n % 13} times.")


def found(message):
    names = [p for p in PEOPLE if p in message] + [s for s in SERVICES if s in message]
    relations = [{"from": names[0], "relation": "looks after", "to": names[-1], "quote": f"looks after {names[-1]}"}] if names else []
    return {"entities": [{"name": n, "type": ""} for n in names], "relations": relations}


def serve_models(pipe):
    models = Models(chat=found)
    pipe.send({**models.embeds(), **models.talks(), "ENGRAM_MODEL_DAILY_TOKENS": "0"})
    pipe.recv()
    pipe.send(len(models.asked))


def high_water(pid):
    lines = dict(line.split(":", 1) for line in read_proc(pid, "status").decode().splitlines() if ":" in line)
    return int(lines["VmHWM"].split()[0]) / 1024 if "VmHWM" in lines else 0


def family(pid):
    """A process and its children, by what they are."""
    children = [int(child) for task in os.listdir(f"/proc/{pid}/task") for child in read_proc(pid, f"task/{task}/children").split()]
    return [("background", pid)] + [("helper", child) for child in children]


class Load:
    def __init__(self, world, server):
        self.world, self.server, self.waits, self.peaks = world, server, [], {}

    def write(self):
        before = time.monotonic()
        self.server.remember(f"Written meanwhile: {len(self.waits)}, while the queue is worked off.")
        self.waits.append((time.monotonic() - before) * 1000)

    def look(self, pid):
        for name, of in family(pid):
            self.peaks[name] = max(self.peaks.get(name, 0), high_water(of))

    def is_done(self):
        return self.world.count(LEFT) <= 2

    def run(self, pid):
        """Until all is done, a memory stored four times a second."""
        while len(self.waits) % 20 or not self.is_done():
            self.write()
            self.look(pid)
            time.sleep(.25)


def kill_often(world, kills, rng):
    """Servers come and go with their backgrounds, which are killed at a random point of their work."""
    for _ in range(kills):
        server = world.serve()
        server.recall("checkout")
        pid = the_background(world)
        time.sleep(rng.random() * 1.5)
        os.kill(pid, signal.SIGKILL)
        server.stop()
        wait_for(20, "its death", lambda: not backgrounds(world) and not holds_lock(world))
    print(f"{kills} kills: {world.count(LEFT)} of it is left, {world.count(TWICE)} items were done twice", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    count, world = arguments.memories, World()
    pipe, theirs = multiprocessing.Pipe()
    models = multiprocessing.Process(target=serve_models, args=(theirs,), daemon=True)
    models.start()
    try:
        settings = pipe.recv()
        server = world.serve()
        for n in range(count):
            server.remember(note(n))
        server.stop()
        world.env.update(settings)
        kill_often(world, arguments.kills, random.Random(arguments.seed))
        left = world.count(LEFT)
        server = world.serve()
        load = Load(world, server)
        server.recall("checkout")
        began = time.monotonic()
        load.run(the_background(world))
        took, waits = time.monotonic() - began, sorted(load.waits)
        pipe.send(None)
        print(f"{count} memories; the last {left} steps (each is embedded, then read) in {took:.1f} s, {left / took:.0f} a second; "
              f"{pipe.recv()} requests in all")
        print(f"{len(waits)} writes meanwhile: median {statistics.median(waits):.1f} ms, 99 % {waits[int(len(waits) * .99)]:.1f} ms, "
              f"slowest {waits[-1]:.1f} ms")
        load.peaks["server"] = high_water(server.process.pid)
        print("memory at most: " + ", ".join(f"{name} {peak:.0f} MiB" for name, peak in sorted(load.peaks.items())))
        print(f"relations {world.count('SELECT count(*) FROM edge WHERE kind = 13')}, vectors "
              f"{world.count('SELECT count(*) FROM vector')}, in the queue {world.count('SELECT count(*) FROM queue')}, "
              f"done twice {world.count(TWICE)}")
    finally:
        world.close()
        models.terminate()


if __name__ == "__main__":
    main()
