#!/usr/bin/env python3
"""Memories through embedding and extraction on loopback: how fast, how long writers wait meanwhile, how much memory it takes.

  model_load.py [--memories 10000]     ENGRAM_BINARY names the program"""
import argparse
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support.background import read_proc, the_background
from support.engram import World
from support.scripted_models import Models

PEOPLE = ["Ann Lee", "Bob Ray", "Eve Moss", "Dan Voss", "Kim Oda"]
SERVICES = ["checkout", "billing", "search", "mail", "login"]


def note(n):
    return (f"Note {n}: since the review of week {n % 52} {PEOPLE[n % 5]} looks after {SERVICES[n % 7 % 5]} in room {n % 311}, "
            f"which retries {n % 13} times.")


def found(message):
    names = [p for p in PEOPLE if p in message] + [s for s in SERVICES if s in message]
    relations = [{"from": names[0], "relation": "looks after", "to": names[-1], "quote": f"looks after {names[-1]}"}]
    return {"entities": [{"name": n, "type": ""} for n in names], "relations": relations}


def high_water(pid):
    lines = dict(line.split(":", 1) for line in read_proc(pid, "status").decode().splitlines() if ":" in line)
    return int(lines["VmHWM"].split()[0]) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10000)
    count = parser.parse_args().memories
    models, world = Models(chat=found), World()
    try:
        server = world.serve()
        for n in range(count):
            server.remember(note(n))
        server.stop()
        world.env.update({**models.embeds(), **models.talks(), "ENGRAM_MODEL_DAILY_TOKENS": "0"})
        server, waits = world.serve(), []
        server.recall("checkout")
        pid, began = the_background(world), time.monotonic()
        peak = 0
        left = "SELECT (SELECT count(*) FROM vector_pending) + (SELECT count(*) FROM memory) -"\
               " (SELECT count(*) FROM model_work WHERE purpose = 1)"
        while True:
            before = time.monotonic()
            server.remember(f"Written meanwhile: {len(waits)}, while the queue is worked off.")
            waits.append((time.monotonic() - before) * 1000)
            peak = max(peak, high_water(pid))
            time.sleep(.25)
            if len(waits) % 20 == 0 and world.count(left) <= 2:
                break
        took = time.monotonic() - began
        waits.sort()
        print(f"{count} memories embedded and read in {took:.1f} s, {count / took:.0f} a second; {len(models.asked)} requests")
        print(f"{len(waits)} writes meanwhile: median {statistics.median(waits):.1f} ms, 99 % {waits[int(len(waits) * .99)]:.1f} ms, "
              f"slowest {waits[-1]:.1f} ms; the background took {peak:.0f} MiB at most")
        print(f"relations {world.count('SELECT count(*) FROM edge WHERE kind = 13')}, vectors "
              f"{world.count('SELECT count(*) FROM vector')}, in the queue {world.count('SELECT count(*) FROM queue')}")
    finally:
        models.stop()
        world.close()


main()
