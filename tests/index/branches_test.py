"""Commits that branches lead to, and those that a force-push left behind, through the real binaries."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect
from support.repository import commit, git


def index(world):
    code, out, err = world.run("index")
    expect(code == 0, f"{out}{err}")


def found(world, question):
    """The first commit that recall gives, and whether it is told to be on no branch."""
    code, out, err = world.run("--json", "recall", "--kinds", "commit", "--min-score", "0", question)
    expect(code == 0, f"{out}{err}")
    item = json.loads(out)["items"][0]
    return item["text"].split("\n")[0], "on no branch any more" in item["why"], item["score"]


@engram.promise
def what_a_force_push_left_behind_steps_back_and_comes_back_with_its_branch(world):
    world.env["ENGRAM_INDEX"] = "on"
    git(world.project, "init", "-q", "-b", "main")
    for n, message in enumerate(["Begin", "Charge cards", "Refuse parcels without an address"]):
        world.write("pay.c", "int pay;\n" * (n + 1))
        commit(world.project, message)
    index(world)
    left = git(world.project, "rev-parse", "HEAD")
    subject, gone, before = found(world, "parcels without an address")
    expect((subject, gone) == ("Refuse parcels without an address", False), (subject, gone))

    git(world.project, "reset", "-q", "--hard", "HEAD~1")
    world.write("pay.c", "int pay_all;\n")
    commit(world.project, "Pay all at once")
    index(world)
    subject, gone, behind = found(world, "parcels without an address")
    expect((subject, gone) == ("Refuse parcels without an address", True) and behind < before, (subject, gone, before, behind))
    expect(found(world, "charge cards")[:2] == ("Charge cards", False))

    git(world.project, "branch", "saved", left)
    world.write("pay.c", "int pay_all_of_it;\n")
    commit(world.project, "Name it")
    index(world)
    expect(found(world, "parcels without an address") == ("Refuse parcels without an address", False, before))


engram.main()
