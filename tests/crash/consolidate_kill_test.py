"""kill -9 while sleep writes: every cluster is whole or not there, nothing is lost, and the next run goes on.

ENGRAM_KILLS_SLEEP is how often a run is killed (200 by hand), ENGRAM_SEED chooses the points."""

import os
import random
import subprocess
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.consolidated import NEXT_DAY, expect_whole, notes
from support.engram import expect

KILLS = engram.number("ENGRAM_KILLS_SLEEP", 12)
SEED = engram.number("ENGRAM_SEED", 1)
MEMORIES = 400
WITHIN_S = .4


def kill_a_run(world, source):
    process = subprocess.Popen([engram.BINARY, "consolidate"], cwd=world.project, env={**world.env, "ENGRAM_NOW": NEXT_DAY},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    timer = threading.Timer(source.uniform(0, WITHIN_S), process.kill)
    timer.start()
    process.wait()
    timer.cancel()


@engram.promise
def a_killed_run_leaves_whole_clusters_and_the_next_one_does_the_rest(world):
    source = random.Random(SEED)
    server = world.serve()
    for text in notes(source, MEMORIES)[0]:
        server.remember(text)
    server.stop()
    for _ in range(KILLS):
        kill_a_run(world, source)
        expect_whole(world, MEMORIES)
    code, out, err = world.run("consolidate", ENGRAM_NOW=NEXT_DAY)
    expect(code == 0, out + err)
    expect_whole(world, MEMORIES)
    expect(world.count("SELECT count(*) FROM memory WHERE tier = 0") == 0, "something is left to do")
    expect(world.count("SELECT count(*) FROM memory WHERE tier = 2") > MEMORIES // 20)
    world.doctor()


engram.main()
