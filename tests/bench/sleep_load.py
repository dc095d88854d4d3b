#!/usr/bin/env python3
"""Consolidation of many working memories at once: time, memory, how long the write lock is held, and who waits meanwhile.

Fills a project with made-up notes on so many subjects (four names each, a note has two or three of them), a day later runs
`engram consolidate`, and asks and writes through a server while it runs. With --kills N the run is killed at N random points
first: behind each, every cluster is whole or not there, nothing is lost, and the next run goes on.

  sleep_load.py --server build/engram [--memories 10000] [--kills 200] [--seed 1]
"""
import argparse
import json
import os
import random
import resource
import select
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

def kill_runs(world, engram, consolidated, count, kills, source):
    """Kills a run at points spread over the time that a whole one takes; tells how many clusters each left."""
    left = []
    for _ in range(kills):
        process = subprocess.Popen([engram.BINARY, "consolidate"], cwd=world.project, env={**world.env, "ENGRAM_NOW": consolidated.NEXT_DAY},
                                   stdout=subprocess.DEVNULL)
        time.sleep(source.uniform(0, .25))
        process.kill()
        process.wait()
        consolidated.expect_whole(world, count)
        left.append(world.count("SELECT count(*) FROM memory WHERE tier = 2"))
    return left


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True)
    parser.add_argument("--memories", type=int, default=10000)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ["ENGRAM_BINARY"] = os.path.abspath(arguments.server)
    from support import consolidated, engram
    source, world = random.Random(arguments.seed), engram.World()
    try:
        server = world.serve()
        texts, questions = consolidated.notes(source, arguments.memories)
        for text in texts:
            server.remember(text)
        if arguments.kills:
            left = kill_runs(world, engram, consolidated, arguments.memories, arguments.kills, source)
            print(f"{arguments.kills} kills: clusters behind the first, the middle and the last: {left[0]}, "
                  f"{left[len(left) // 2]}, {left[-1]}")
        began, recalls, writes, n = time.monotonic(), [], [], 0
        process = subprocess.Popen([engram.BINARY, "--json", "consolidate"], cwd=world.project, stdout=subprocess.PIPE,
                                   env={**world.env, "ENGRAM_NOW": consolidated.NEXT_DAY})
        while process.poll() is None:  # an answer takes milliseconds; the pipe holds what is printed at the end
            start = time.monotonic()
            server.recall(source.choice(questions))
            recalls.append(time.monotonic() - start)
            if n % 5 == 0:
                start = time.monotonic()
                server.remember(f"Meanwhile note {n} was written.")
                writes.append(time.monotonic() - start)
            n += 1
            if len(recalls) > 1 and process.stdout in select.select([process.stdout], [], [], 0)[0]:
                break
        answer = json.loads(process.stdout.read())
        process.wait()
        seconds = time.monotonic() - began
        peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        consolidated.expect_whole(world, arguments.memories + len(writes))
        world.doctor()
        made = [s for s in answer["steps"] if s["action"] == "consolidated"]
        print(f"{answer['looked_at']} working memories in {seconds:.1f} s: {len(made)} consolidated of "
              f"{sum(len(s['members']) for s in made)}, {sum(len(s['members']) for s in answer['steps'] if s['action'] == 'promoted')}"
              f" kept as they are")
        print(f"peak memory {peak_mb:.0f} MB, longest write lock {answer['longest_lock_ms']} ms")
        print(f"meanwhile {len(recalls)} recalls, p50 {percentile(recalls, .5) * 1000:.1f} ms, most {max(recalls) * 1000:.0f} ms; "
              f"{len(writes)} memories stored, p50 {percentile(writes, .5) * 1000:.1f} ms, most {max(writes) * 1000:.0f} ms")
    finally:
        world.close()


if __name__ == "__main__":
    main()
