"""Documents that were attached from files: what becomes of them when the files change, move or go."""

import os
import sys
import zipfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect, expect_words

GUIDE = "# Guide\n\n## Ports\n\nThe falcon proxy listens on port 8443.\n"


def index(world):
    code, _, errors = world.run("index", "--wait", ENGRAM_INDEX="on")
    expect(code == 0, errors)


def attach(world, name="docs/guide.md", content=GUIDE):
    world.write(name, content)
    return world.serve().call("attach_document", path=name)["id"]


@engram.promise
def a_changed_file_is_read_again_without_being_attached_again(world):
    document = attach(world)
    world.write("docs/guide.md", GUIDE.replace("8443", "9443 now"))
    index(world)
    item = world.serve().recall("Which port does the falcon proxy listen on?", kinds=["passage"])["items"][0]
    expect("9443" in item["text"] and item["source"]["document"] == document, item)
    expect(world.query("SELECT count(*) FROM passage") == [(1,)])


@engram.promise
def a_file_that_did_not_change_is_not_read_again(world):
    attach(world)
    readings = lambda: world.query("SELECT seq FROM sqlite_sequence WHERE name = 'document_ticket'")  # each takes a ticket
    before = readings()
    expect(before and before[0][0] > 0, before)
    index(world)
    os.utime(world.path("project", "docs/guide.md"), (1, 1))
    index(world)
    expect(readings() == before, readings())


@engram.promise
def a_file_that_is_gone_marks_its_document_and_coming_back_takes_the_mark_away(world):
    attach(world)
    path = world.path("project", "docs/guide.md")
    os.remove(path)
    index(world)
    item = world.serve().recall("falcon proxy port", kinds=["passage"])["items"][0]
    expect(item.get("stale") == "gone", item)
    expect_words(item["stale_note"], "docs/guide.md")
    world.write("docs/guide.md", GUIDE)
    index(world)
    expect("stale" not in world.serve().recall("falcon proxy port", kinds=["passage"])["items"][0])


@engram.promise
def a_file_that_was_moved_keeps_its_document(world):
    document = attach(world)
    os.rename(world.path("project", "docs/guide.md"), world.path("project", "docs/manual.md"))
    index(world)
    item = world.serve().recall("falcon proxy port", kinds=["passage"])["items"][0]
    expect(item["source"]["path"] == "docs/manual.md" and item["source"]["document"] == document and "stale" not in item, item)


@engram.promise
def attaching_a_file_where_it_is_now_keeps_its_document(world):
    document = attach(world)
    os.rename(world.path("project", "docs/guide.md"), world.path("project", "moved.md"))
    answer = world.serve().call("attach_document", path="moved.md")
    expect(answer["id"] == document and answer["status"] == "unchanged", answer)
    world.write("copy.md", GUIDE)
    copy = world.serve().call("attach_document", path="copy.md")
    expect(copy["id"] != document and copy["status"] == "attached", copy)


@engram.promise
def what_was_forgotten_stays_forgotten_when_its_file_changes(world):
    document = attach(world)
    server = world.serve()
    server.call("forget", ids=[document])
    world.write("docs/guide.md", GUIDE + "\nMore of the falcon.\n")
    index(world)
    expect(world.query("SELECT count(*) FROM node WHERE kind IN (2, 3)") == [(0,)])


@engram.promise
def a_file_that_can_no_longer_be_read_leaves_what_was_known(world):
    attach(world)
    world.write("docs/guide.md", bytes(range(256)) * 40)
    index(world)
    expect("8443" in world.serve().recall("falcon proxy port", kinds=["passage"])["items"][0]["text"])


@engram.promise
def an_archive_without_its_parts_costs_that_file_alone(world):
    attach(world)
    other = attach(world, "docs/other.md", "# Other\n\nThe heron gateway listens on port 7001.\n")
    with zipfile.ZipFile(world.path("project", "docs/guide.md"), "w") as archive:  # what was a guide is now a broken archive
        archive.writestr("META-INF/container.xml", "<container/>")
        archive.writestr("mimetype", "application/epub+zip")
    world.write("docs/other.md", "# Other\n\nThe heron gateway listens on port 7002 now.\n")
    index(world)
    item = world.serve().recall("heron gateway port", kinds=["passage"])["items"][0]
    expect("7002" in item["text"] and item["source"]["document"] == other, item)


@engram.promise
def a_file_that_moves_to_where_one_was_forgotten_is_gone_and_stops_nobody(world):
    attach(world)
    away = attach(world, "away.md", "# Away\n\nThe osprey cache lives for nine minutes.\n")
    world.serve().call("forget", ids=[away])
    os.remove(world.path("project", "away.md"))
    os.rename(world.path("project", "docs/guide.md"), world.path("project", "away.md"))
    index(world)
    item = world.serve().recall("falcon proxy port", kinds=["passage"])["items"][0]
    expect(item.get("stale") == "gone", item)


@engram.promise
def a_file_that_is_gone_says_so_though_an_attached_copy_has_the_same_text(world):
    document = attach(world)
    copy = attach(world, "copy.md")
    expect(copy != document)
    os.remove(world.path("project", "docs/guide.md"))
    index(world)
    server = world.serve()
    items = server.recall("falcon proxy port", kinds=["passage"], limit=10)["items"]  # the text once, from where it still is
    expect([(item["source"]["document"], item.get("stale")) for item in items] == [(copy, None)], items)
    shown = server.recall(ids=[document, copy])["items"]
    expect([(item["id"], item.get("stale")) for item in shown] == [(document, "gone"), (copy, None)], shown)
    expect_words(shown[0]["stale_note"], "docs/guide.md")


engram.main()
