#!/usr/bin/env python3
"""What texts name is tied to what it means in the sources and in the history, whichever came first; and follows it."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect, promise
from support.repository import commit, git

GUIDE = """# Weighing

`weigh_parcel()` rounds up to the next gram, because the carrier bills every gram that was begun.

# Holidays

The depot is closed in August.
"""
QUESTION = "Why does the carrier's bill make us round up?"
SOURCE = """/* Puts a parcel on the scale. */
int weigh_parcel(int parcel)
{
    int grams = parcel * 7;
    return grams + 1;
}
"""


def index(world):
    code, _, said = world.run("index", "--wait", ENGRAM_INDEX="on")
    expect(code == 0, said)


def attach(server):
    return server.call("attach_document", {"name": "guide.md", "content": GUIDE})["id"]


def came(server, query, **more):
    """{path or id: why} of what came."""
    items = server.recall(query, **more)["items"]
    return {item["source"].get("path") or item["source"].get("commit") or item["id"]: " / ".join(item["why"]) for item in items}


def expect_named(server, path="src/scale.c"):
    told = came(server, QUESTION)
    expect("speaks of it: weigh_parcel" in told.get(path, ""), f"{path} not among {told}")


@promise
def a_document_that_came_before_the_sources_leads_to_them(world):
    server = world.serve()
    attach(server)
    world.write("src/scale.c", SOURCE)
    index(world)
    expect_named(server)


@promise
def a_document_that_comes_behind_the_sources_leads_to_them(world):
    world.write("src/scale.c", SOURCE)
    index(world)
    server = world.serve()
    attach(server)
    expect_named(server)


@promise
def a_name_follows_its_symbol_to_another_file_and_another_name(world):
    server = world.serve()
    attach(server)
    world.write("src/scale.c", SOURCE)
    index(world)
    os.rename(world.path("project", "src/scale.c"), world.path("project", "src/balance.c"))
    index(world)
    expect_named(server, "src/balance.c")
    world.write("src/balance.c", SOURCE.replace("weigh_parcel", "weigh_package"))
    index(world)
    expect_named(server, "src/balance.c")


@promise
def a_name_whose_symbol_is_gone_leads_nowhere_until_something_else_is_called_so(world):
    server = world.serve()
    document = attach(server)
    world.write("src/scale.c", SOURCE)
    world.write("src/door.c", "int open_door(int door)\n{\n    return door;\n}\n")
    index(world)
    os.unlink(world.path("project", "src/scale.c"))
    index(world)
    sources = {item["source"].get("document") for item in server.recall(QUESTION)["items"]}
    expect(sources == {document}, f"{sources}")
    world.write("src/parcels.py", "def weigh_parcel(parcel):\n    return parcel\n")
    index(world)
    expect_named(server, "src/parcels.py")


@promise
def a_name_that_two_symbols_have_leads_to_none(world):
    server = world.serve()
    attach(server)
    world.write("src/scale.c", SOURCE)
    world.write("src/balance.c", SOURCE.replace("7", "9"))
    index(world)
    expect(not {"src/scale.c", "src/balance.c"} & set(came(server, QUESTION)), "one of two was guessed")


@promise
def a_place_in_the_sources_brings_the_passage_that_speaks_of_what_stands_there(world):
    server = world.serve()
    document = attach(server)
    world.write("src/scale.c", SOURCE)
    index(world)
    items = server.recall(file="src/scale.c", line=4)["items"]
    expect(document in [item["source"].get("document") for item in items], f"{items}")


@promise
def a_shortened_commit_and_an_issue_in_a_document_lead_to_the_commit(world):
    git(world.project, "init", "-qb", "main")
    world.write("scale.c", SOURCE)
    commit(world.project, "Round up (#4711)")
    oid = git(world.project, "rev-parse", "HEAD")
    world.write("scale.c", SOURCE + "\n")
    commit(world.project, "Something else")
    server = world.serve()
    server.call("attach_document", {"name": "log.md", "content":
                f"# Surprises\n\nThe lorry of the carrier was late since {oid[:9]} was deployed.\n\n"
                "# Complaints\n\nSixteen customers complained about postage, see #4711 for their letters.\n"})
    index(world)
    for question in ("When did the lorry begin to be late?", "What did customers complain about?"):
        told = came(server, question)
        expect("speaks of it" in told.get(oid, ""), f"{question} {told}")


engram.main()
