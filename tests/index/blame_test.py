"""Why a line is so, through the real binaries: the commit that made it, whatever became of the file since."""

import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram, repository
from support.engram import expect
from support.repository import git

LINES = ["int charge(int cents)\n", "{\n", "    cents = round_up(cents);\n", "    return send(cents);\n", "}\n"]


def commit(world, message):
    repository.commit(world.project, message)


def make_history(world):
    """Line 3 by the second commit, the others by the first; then the file moves, and changes at its end."""
    world.env["ENGRAM_INDEX"] = "on"
    world.write("pay.c", "".join(LINES[:2] + LINES[3:]))
    git(world.project, "init", "-q", "-b", "main")
    commit(world, "Charge cards")
    world.write("pay.c", "".join(LINES))
    commit(world, "Round up\n\nThe bank takes whole cents, so that a sum is never short.")
    os.mkdir(os.path.join(world.project, "shop"))
    git(world.project, "mv", "pay.c", "shop/pay.c")
    commit(world, "Move to the shop")
    world.write("shop/pay.c", "".join(LINES) + "/* the end */\n")
    commit(world, "Mark the end")
    index(world)


def index(world):
    code, out, err = world.run("index")
    expect(code == 0, f"{out}{err}")


def recall(world, *arguments, **env):
    """Items of the command line, best first."""
    code, out, err = world.run("--json", "recall", *arguments, **env)
    expect(code in (0, 1), f"{out}{err}")
    return json.loads(out)["items"]


def maker(items):
    """Subject and reason of the commit that made the line."""
    found = [(item["text"].split("\n")[0], item["why"][0]) for item in items if item["why"][:1] and item["why"][0].startswith("made ")]
    expect(len(found) <= 1, found)
    expect(not found or items[0]["why"][0] == found[0][1], f"it isn't first: {items}")
    return found[0] if found else None


@engram.promise
def a_line_is_followed_to_its_commit_through_a_rename(world):
    make_history(world)
    items = recall(world, "--file", "shop/pay.c", "--line", "3")
    expect(maker(items) == ("Round up", "made line 3 of shop/pay.c, then line 3 of pay.c"), items)
    expect("so that a sum is never short" in items[0]["text"], items[0])
    expect(maker(recall(world, "--file", "shop/pay.c", "--line", "6")) == ("Mark the end", "made line 6 of shop/pay.c"))
    expect(maker(recall(world, "--file", "shop/pay.c", "--line", "7")) is None)


@engram.promise
def a_place_in_the_question_asks_the_same(world):
    make_history(world)
    expect(maker(recall(world, "why", "is", "shop/pay.c:3", "so?"))[0] == "Round up")
    expect(maker(recall(world, "why is nothing.c:3 so?")) is None)


@engram.promise
def lines_of_an_edited_file_are_those_that_stand_there_now(world):
    make_history(world)
    server = world.serve()
    for content, line, subject in (
            ("".join(LINES), 3, "Round up"),
            ("/* new */\n\n" + "".join(LINES), 5, "Round up"),   # moved down by an edit
            ("/* new */\n\n" + "".join(LINES), 1, None),         # not committed yet
            ("/* new */\n\n" + "".join(LINES), 3, "Charge cards")):
        world.write("shop/pay.c", content)
        items = server.call("recall", file="shop/pay.c", line=line)["items"]
        expect((maker(items) or (None,))[0] == subject, f"line {line}: {items}")
        expect(subject or any(item["why"][:1] == ["the last to touch shop/pay.c"] for item in items), items)


@engram.promise
def without_git_or_history_there_is_no_commit_and_nothing_wrong(world):
    world.env["ENGRAM_INDEX"] = "on"
    world.write("pay.c", "".join(LINES))
    index(world)
    items = recall(world, "--file", "pay.c", "--line", "3")
    expect([item["kind"] for item in items] == ["symbol"] and items[0]["why"][0] == "around line 3", items)


@engram.promise
def switched_off_it_is_not_asked(world):
    make_history(world)
    for name in ("ENGRAM_HISTORY", "ENGRAM_INDEX"):
        expect(maker(recall(world, "--file", "shop/pay.c", "--line", "3", **{name: "off"})) is None, name)


@engram.promise
def what_was_said_on_other_branches_says_so(world):
    make_history(world)
    for branch in ("gone", "feature"):
        git(world.project, "switch", "-qc", branch, "main")
        world.write(f"{branch}.c", "int x;\n")
        commit(world, f"Try {branch}")
        index(world)
        code, _, err = world.run("remember", f"The {branch} colour of invoices is blue.")
        expect(code == 0, err)
    git(world.project, "switch", "-q", "main")
    git(world.project, "branch", "-qD", "gone")
    world.write("shop/pay.c", "".join(LINES))
    commit(world, "Take the end away")
    index(world)
    said = {item["text"].split()[1]: item["why"][-1] for item in recall(world, "--kinds", "memory", "colour of invoices")}
    expect(said == {"feature": "made on branch feature, which this worktree doesn't have",
                    "gone": "made on a commit that no branch has any more"}, said)


@engram.promise
def a_damaged_repository_costs_the_commit_alone(world):
    make_history(world)
    shutil.rmtree(os.path.join(world.project, ".git", "objects"))
    items = recall(world, "--file", "shop/pay.c", "--line", "3")
    expect(maker(items) is None and any(item["kind"] == "symbol" for item in items), items)


def drop_object(world, name):
    """As if it were lost: whoever needs it finds nothing."""
    id = git(world.project, "rev-parse", name)
    os.remove(os.path.join(world.project, ".git", "objects", id[:2], id[2:]))


@engram.promise
def what_was_found_of_a_file_is_not_looked_for_again_under_another_head(world):
    make_history(world)
    expect(maker(recall(world, "--file", "shop/pay.c", "--line", "3"))[0] == "Round up")
    old = git(world.project, "rev-parse", "HEAD~1")
    world.write("other.c", "int other;\n")
    commit(world, "Touch another file")
    world.write("shop/pay.c", "/* the top */\n" + "".join(LINES))
    commit(world, "Mark the top")
    index(world)
    drop_object(world, old)  # a walk over the whole history would end there
    for line, subject in ((4, "Round up"), (1, "Mark the top"), (2, "Charge cards")):
        items = recall(world, "--file", "shop/pay.c", "--line", str(line))
        expect((maker(items) or (None,))[0] == subject, f"line {line}: {items}")


@engram.promise
def history_that_was_rewritten_is_looked_through_anew(world):
    make_history(world)
    expect(maker(recall(world, "--file", "shop/pay.c", "--line", "6"))[0] == "Mark the end")
    git(world.project, "commit", "-q", "--amend", "-m", "Say where it ends")
    index(world)
    expect(maker(recall(world, "--file", "shop/pay.c", "--line", "6"))[0] == "Say where it ends")
    expect(maker(recall(world, "--file", "shop/pay.c", "--line", "3"))[0] == "Round up")


@engram.promise
def what_a_shallow_clone_cuts_off_is_found_once_it_is_there(world):
    make_history(world)
    full = world.path("full")
    os.rename(world.project, full)
    git(world.path(), "clone", "-q", "--depth", "1", f"file://{full}", world.project)
    index(world)
    items = recall(world, "--file", "shop/pay.c", "--line", "3")
    expect("made line 3 of shop/pay.c or found it there: the history ends here" in [item["why"][0] for item in items], items)
    git(world.project, "fetch", "-q", "--unshallow")
    index(world)
    expect(maker(recall(world, "--file", "shop/pay.c", "--line", "3"))[0] == "Round up")


@engram.promise
def a_note_that_is_damaged_is_no_note(world):
    make_history(world)
    expect(maker(recall(world, "--file", "shop/pay.c", "--line", "3"))[0] == "Round up")
    folder = os.path.join(world.folder(), "blame")
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "r+b") as file:
            file.truncate(50)
    expect(maker(recall(world, "--file", "shop/pay.c", "--line", "3"))[0] == "Round up")


@engram.promise
def hostile_places_are_answered_like_others(world):
    make_history(world)
    os.symlink("/etc/passwd", os.path.join(world.project, "link.c"))
    os.mkfifo(os.path.join(world.project, "fifo.c"))
    server = world.serve()
    for file in ("link.c", "fifo.c", "../outside.c", "/etc/passwd", ".git/config", "shop", "x" * 300, "a/" * 200 + "b"):
        items = server.call("recall", file=file, line=1)["items"]
        expect(maker(items) is None, (file, items))
    for _ in range(30):  # a call waits two seconds for the worker, the next one finds what it found
        made = maker(server.call("recall", file="shop/pay.c", line=3)["items"])
        if made:
            break
    expect(made and made[0] == "Round up", made)


engram.main()
