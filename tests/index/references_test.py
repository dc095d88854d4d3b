"""What the references of a repository tell is learned when they change, whether or not HEAD does."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect
from support.repository import commit, git

OTHERS = 100001  # of a mirror, which come before refs/heads: more than there may be branches and tags


def index(world):
    code, out, err = world.run("--json", "index")
    expect(code == 0, f"{out}{err}")
    return json.loads(out)["history"]


def make_history(world):
    world.env["ENGRAM_INDEX"] = "on"
    git(world.project, "init", "-q", "-b", "main")
    for day in ("2024-02-01", "2024-03-01"):
        world.write("queue.c", f"int queue; /* {day} */\n")
        commit(world.project, f"Queue of {day}", at=f"{day}T12:00:00Z")
    index(world)


def until(world, tag):
    """The time that "before the tag" means; None where the tag isn't known."""
    code, out, err = world.run("--json", "recall", "--explain", "--min-score", "0", f"payment queue before {tag}")
    expect(code in (0, 1), f"{out}{err}")
    return json.loads(out).get("time", {}).get("until")


@engram.promise
def a_tag_that_comes_moves_and_goes_is_learned_without_a_new_commit(world):
    make_history(world)
    expect(until(world, "v1.0") is None)
    git(world.project, "tag", "v1.0", "HEAD~1")
    index(world)
    expect(until(world, "v1.0") == "2024-02-01T12:00:00Z", until(world, "v1.0"))
    git(world.project, "tag", "-f", "-a", "-m", "One", "v1.0", "HEAD")
    index(world)
    expect(until(world, "v1.0") == "2024-03-01T12:00:00Z", until(world, "v1.0"))
    git(world.project, "pack-refs", "--all")
    git(world.project, "tag", "-d", "v1.0")
    index(world)
    expect(until(world, "v1.0") is None, until(world, "v1.0"))


@engram.promise
def a_branch_that_is_fetched_is_read_under_the_same_head(world):
    make_history(world)
    other = world.path("other")
    git(world.project, "clone", "-q", world.project, other)
    world.write("queue.c", "int queue, parcels;\n", folder=other)
    commit(other, "Refuse parcels without an address")
    git(world.project, "fetch", "-q", other, "main:refs/remotes/origin/parcels")
    head = git(world.project, "rev-parse", "HEAD")
    seen = index(world)
    expect((seen["added"], seen["commits"]) == (1, 3), seen)
    expect(git(world.project, "rev-parse", "HEAD") == head)
    expect(index(world)["added"] == 0)


@engram.promise
def a_branch_that_moves_is_read_beside_any_number_of_other_references(world):
    make_history(world)
    head = git(world.project, "rev-parse", "HEAD")
    with open(os.path.join(world.project, ".git", "packed-refs"), "w", encoding="utf-8") as file:
        file.write("# pack-refs with: peeled fully-peeled sorted \n")
        file.writelines(f"{head} refs/changes/{n:06}\n" for n in range(OTHERS))
    expect(index(world)["added"] == 0)
    git(world.project, "switch", "-q", "-c", "other")
    world.write("queue.c", "int other;\n")
    commit(world.project, "Say it in other words")
    git(world.project, "switch", "-q", "main")
    seen = index(world)
    expect((seen["added"], seen["commits"]) == (1, 3), seen)


@engram.promise
def a_branch_off_old_history_brings_its_own_commits_alone(world):
    make_history(world)
    old = git(world.project, "rev-parse", "HEAD~1")
    git(world.project, "switch", "-q", "-c", "old", old)
    world.write("old.c", "int old;\n")
    commit(world.project, "Mend the old one")
    seen = index(world)
    expect((seen["added"], seen["commits"]) == (1, 3), seen)


@engram.promise
def what_is_said_on_a_branch_follows_the_branch_under_the_same_head(world):
    make_history(world)
    git(world.project, "switch", "-q", "-c", "feature")
    world.write("queue.c", "int feature;\n")
    commit(world.project, "Try it")
    index(world)
    code, _, err = world.run("remember", "The colour of invoices is blue.")
    expect(code == 0, err)
    git(world.project, "switch", "-q", "main")

    def why():
        code, out, err = world.run("--json", "recall", "--kinds", "memory", "colour of invoices")
        expect(code == 0, f"{out}{err}")
        return json.loads(out)["items"][0]["why"][-1]

    index(world)
    expect(why() == "made on branch feature, which this worktree doesn't have", why())
    git(world.project, "branch", "-q", "-D", "feature")
    index(world)
    expect(why() == "made on a commit that no branch has any more", why())


@engram.promise
def a_repository_whose_references_cannot_be_read_says_so_and_its_files_are_indexed(world):
    make_history(world)
    git(world.project, "config", "core.repositoryFormatVersion", "1")
    git(world.project, "config", "extensions.refStorage", "reftable")
    world.write("parcel.c", "int parcel;\n")
    code, out, err = world.run("--json", "index")
    expect(code == 0, f"{out}{err}")
    seen = json.loads(out)
    note = "repository with a reftable, which cannot be read"
    expect(note in seen["code"].get("note", ""), seen)
    expect(seen["code"]["files"] == 2, seen)
    expect(seen["history"]["commits"] == 2, seen)  # what was known stays


engram.main()
