"""A history that wasn't read to its end, for whatever reason, is read to its end later."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.background import DONE_S, wait_for
from support.engram import expect
from support.repository import commit, git

COMMITS = 3000  # several transactions' worth
WITH_LINES = 2000  # the newest, of which the symbols are known that they changed
FILES = 7
TRIES = 8  # on a busy machine a kill may come late


def index(world):
    code, out, err = world.run("--json", "index")
    expect(code == 0, f"{out}{err}")
    return json.loads(out)["history"]


def long_history(world):
    """A line of commits, each of which changes one file: the first line of `charge`, by whose surroundings it might be `refund`."""
    world.env["ENGRAM_INDEX"] = "on"
    git(world.project, "init", "-q", "-b", "main")
    lines = []
    for n in range(COMMITS):
        lines += ["commit refs/heads/main", f"committer t <t@t> {1700000000 + n} +0000", "data <<END", f"Change number {n}", "END",
                  f"M 100644 inline file{n % FILES}.c", "data <<END",
                  "int refund(void)", "{", "    return 1;", "}", "", f"int charge(int a{n})", "{", "    return 1;", "}", "END"]
    path = world.path("stream")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(path, "rb") as file:
        subprocess.run(["git", "fast-import", "--quiet"], cwd=world.project, stdin=file, check=True, env={"PATH": os.environ["PATH"]})
    git(world.project, "reset", "-q", "--hard")


def commits(world):
    """That stand there, looked at beside whoever writes them."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{world.database()}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT count(*) FROM git_commit").fetchone()[0]
    except (engram.Broken, sqlite3.Error, FileNotFoundError):
        return 0  # the database isn't made yet


def killed_on_the_way(world):
    """Commits that stand there behind each of three kills, each as soon as there are more than before."""
    had = [0]
    for _ in range(3):
        command = subprocess.Popen([engram.BINARY, "index"], cwd=world.project, env=world.env, stdout=subprocess.DEVNULL)
        wait_for(DONE_S, "some more are read", lambda: command.poll() is not None or commits(world) > had[-1])
        command.send_signal(signal.SIGKILL)
        command.wait()
        had.append(world.count("SELECT count(*) FROM git_commit"))
    return had[1:]


def touches(world, pattern):
    """From commits to files or symbols of such keys."""
    return world.count("SELECT count(*) FROM edge JOIN node ON node.id = dst WHERE key LIKE ? AND src IN (SELECT id FROM git_commit)", pattern)


def goes_on(world):
    """False where the first kill came too late to tell anything."""
    long_history(world)
    had = killed_on_the_way(world)
    print(f"         commits after each kill: {had}")
    expect(had == sorted(had), "what had been read was lost")
    seen = index(world)
    expect(seen["commits"] == COMMITS == commits(world), seen)
    expect(touches(world, "file%.c") == COMMITS, touches(world, "file%.c"))
    expect(touches(world, "%#charge") == WITH_LINES, touches(world, "%#charge"))
    expect(touches(world, "%#refund") == 0)
    expect(index(world)["added"] == 0)
    return 0 < had[0] < COMMITS


@engram.promise
def a_reading_that_is_killed_goes_on(_):
    for _ in range(TRIES):
        inner = engram.World()
        try:
            was_in_the_middle = goes_on(inner)
        finally:
            faults = inner.close()
        expect(not faults, faults)
        if was_in_the_middle:
            return
    expect(False, f"it was over before it was killed, {TRIES} times")


@engram.promise
def a_shallow_clone_that_is_deepened_goes_on(world):
    source = world.path("source")
    os.mkdir(source)
    git(source, "init", "-q", "-b", "main")
    for n in range(9):
        world.write("a.c", f"int a{n};\n", folder=source)
        commit(source, f"Change number {n}", at=f"2024-01-0{n + 1}T12:00:00Z")
    world.env["ENGRAM_INDEX"] = "on"
    shutil.rmtree(world.project)
    git(source, "clone", "-q", "--depth", "3", f"file://{source}", world.project)
    expect(index(world)["commits"] == 3)
    expect(index(world)["added"] == 0)
    git(world.project, "fetch", "-q", "--depth", "6")
    seen = index(world)
    expect((seen["added"], seen["commits"]) == (3, 6), seen)
    git(world.project, "fetch", "-q", "--unshallow")
    seen = index(world)
    expect((seen["added"], seen["commits"]) == (3, 9), seen)
    expect(index(world)["added"] == 0)
    code, out, err = world.run("--json", "recall", "--kinds", "commit", "Change number 0")
    expect(code == 0 and "Change number 0" in out, f"{out}{err}")


engram.main()
