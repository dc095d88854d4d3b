"""attach_document: what becomes a document, how it is replaced, and what is refused."""

import os
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import each_of, expect, expect_words

MIB = 1 << 20
GUIDE = """# Guide

## Install

Run the setup script of the Falcon tool. It wants PostgreSQL 15.

## Configure

Set FALCON_PORT to 8443, since 8080 is taken by the old proxy.

## Remove

Delete the folder and the systemd unit.
"""
C_SOURCE = """#include <stdio.h>

/* Adds two amounts in cents. */
int add_cents(int a, int b)
{
    return a + b;
}
"""


def passages(world, document):
    return world.query("SELECT passage.id, line_start, line_end, name, text FROM passage JOIN body USING (id) WHERE document = ?"
                       " ORDER BY position", int(document[1:]))


@engram.promise
def markdown_text_and_source_become_passages_with_heading_and_lines(world):
    files = {"docs/guide.md": (GUIDE, "text/markdown", "Which port does Falcon use?", "8443"),
             "notes.txt": ("The quorum is three.\n\nThe leader is elected each hour.\n", "text/plain", "How often is the leader elected?", "each hour"),
             "src/money.c": (C_SOURCE, "", "Which function adds two amounts in cents?", "add_cents")}
    server = world.serve()
    for name, (content, media_type, question, wanted) in files.items():
        world.write(name, content)
        answer = server.call("attach_document", path=name)
        expect(answer["status"] == "attached" and answer["id"].startswith("d") and answer["passages"] > 0 and answer["tokens"] > 0, answer)
        expect(media_type in answer["media_type"], answer)
        item = server.recall(question, kinds=["passage"])["items"][0]
        expect(wanted in item["text"] and item["source"]["path"] == name and item["source"]["document"] == answer["id"], item)
        lines = content.split("\n")[item["source"]["line_start"] - 1:item["source"]["line_end"]]
        expect(any(wanted in line for line in lines), (item["source"], lines))
        expect(item["origin"] == "document", item)
    item = server.recall("Which port does Falcon use?", kinds=["passage"])["items"][0]
    expect_words(item["source"].get("heading", ""), "Guide")


@engram.promise
def content_of_eight_million_bytes_is_taken_and_one_byte_more_is_refused(world):
    server, most = world.serve(), 8_000_000
    text = "The quorum is three." + " " * (most - len("The quorum is three."))
    expect(server.call("attach_document", name="quorum.txt", content=text)["passages"] == 1)
    said = server.refused("attach_document", name="longer.txt", content=text + " ")
    expect_words(said, "content", str(most + 1), str(most))


@engram.promise
def the_title_is_given_or_found(world):
    server = world.serve()
    world.write("guide.md", GUIDE)
    expect(server.call("attach_document", path="guide.md")["title"] == "Guide")
    expect(server.call("attach_document", name="a.md", content=GUIDE, title="  Another   title ")["title"] == "Another title")
    expect(server.call("attach_document", path="guide.md", title="Manual")["title"] == "Manual")
    expect(server.call("attach_document", path="guide.md")["status"] == "unchanged")


@engram.promise
def an_unchanged_document_is_told_and_nothing_is_written(world):
    server = world.serve()
    world.write("guide.md", GUIDE)
    first = server.call("attach_document", path="guide.md")
    before = world.digest()
    again = server.call("attach_document", path="./guide.md")
    expect(again["status"] == "unchanged", again)
    expect({**again, "status": ""} == {**first, "status": ""}, (first, again))
    expect(server.call("attach_document", path=os.path.join(world.project, "guide.md"))["id"] == first["id"])
    expect(world.digest() == before)


@engram.promise
def a_changed_document_is_replaced_and_what_stayed_keeps_its_id(world):
    server = world.serve()
    long = [f"## Part {n}\n\nPart {n} speaks of component {n}. " + f"Sentence about component {n}. " * 90 for n in range(6)]
    world.write("parts.md", "\n\n".join(long))
    first = server.call("attach_document", path="parts.md")
    before = {text: id for id, _, _, _, text in passages(world, first["id"])}
    world.write("parts.md", "\n\n".join(["## New\n\nThis part is new. " + "New words. " * 150] + long[:3] + long[4:]))
    second = server.call("attach_document", path="parts.md")
    expect(second["status"] == "replaced" and second["id"] == first["id"], second)
    after = {text: id for id, _, _, _, text in passages(world, first["id"])}
    kept = [text for text in after if text in before]
    expect(len(kept) >= 4 and all(after[text] == before[text] for text in kept), "ids of passages that stayed")
    gone = [before[text] for text in before if text not in after]
    expect(gone and all(world.count("SELECT count(*) FROM node WHERE id = ?", id) == 0 for id in gone), "passages that went")
    expect(server.texts("component 3", kinds=["passage"], min_score=0) == [] or
           not any("Part 3 speaks" in text for text in server.texts("component 3", kinds=["passage"], min_score=0)))
    ids = [row[0] for row in passages(world, first["id"])]
    follows = world.query("SELECT src, dst FROM edge WHERE kind = 1 ORDER BY src")
    expect(sorted(follows) == sorted(zip(ids, ids[1:])), (ids, follows))


@engram.promise
def content_with_a_name_is_a_document_of_its_own(world):
    server = world.serve()
    world.write("guide.md", "# From the file\n\nText one.\n")
    by_path = server.call("attach_document", path="guide.md")
    by_content = server.call("attach_document", name="guide.md", content="# From the call\n\nText two.\n")
    expect(by_path["id"] != by_content["id"] and by_content["status"] == "attached")
    expect(server.call("attach_document", name="guide.md", content="# From the call\n\nText three.\n")["status"] == "replaced")
    expect(server.call("attach_document", name="guide.md", content="# From the call\n\nText three.\n")["id"] == by_content["id"])


def make_refused_files(world):
    world.write("folder/a.md", "# A\n")
    world.write("empty.md", "")
    world.write("blank.md", " \n\n\t\n")
    world.write("binary.md", bytes(range(256)) * 40)
    world.write("program", b"\x7fELF" + bytes(5000))
    world.write("archive.zip", b"PK\x03\x04" + bytes(2000))
    world.write("big.md", b"word " * (32 * MIB // 5 + 2))
    world.write("../outside.md", "# Outside\n")
    os.symlink(world.path("outside.md"), world.path("project", "link.md"))
    os.symlink("loop.md", world.path("project", "loop.md"))
    os.mkfifo(world.path("project", "pipe.md"))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(world.path("project", "socket.md"))
    listener.close()


# Arguments, and words that the error must hold.
REFUSED = [
    ({"path": "none.md"}, ["path", "none.md"]), ({"path": "folder"}, ["path", "folder"]), ({"path": "."}, ["path"]),
    ({"path": "empty.md"}, ["empty"]), ({"path": "blank.md"}, []), ({"path": "binary.md"}, []), ({"path": "program"}, []),
    ({"path": "archive.zip"}, []), ({"path": "big.md"}, ["32 MiB"]), ({"path": "../outside.md"}, ["outside"]),
    ({"path": "/etc/passwd"}, ["outside"]), ({"path": "link.md"}, ["path", "link.md"]), ({"path": "loop.md"}, ["path", "loop.md"]),
    ({"path": "pipe.md"}, ["path", "pipe.md"]), ({"path": "socket.md"}, ["path", "socket.md"]), ({"path": "/dev/zero"}, ["path"]),
    ({"path": "/proc/self/environ"}, ["path"]), ({"path": "folder/../../outside.md"}, ["outside"]), ({"path": "a\0b.md"}, ["path"]),
    ({"path": "x" * 4097}, ["path"]), ({"path": "folder/a.md/b.md"}, ["path"]),
    ({}, ["path", "content"]), ({"path": "folder/a.md", "content": "x", "name": "x.md"}, ["content", "path"]),
    ({"content": "x"}, ["name"]), ({"content": "", "name": "x.md"}, ["content"]), ({"content": " \n", "name": "x.md"}, ["content"]),
    ({"content": "x", "name": " "}, ["name"]), ({"name": "x.md"}, ["content"]), ({"url": "http://127.0.0.1:1/"}, ["url"]),
    ({"content": "\0\x01\x02" * 500, "name": "x.md"}, []),
]


@engram.promise
def what_is_no_document_is_refused_and_nothing_is_written(world):
    make_refused_files(world)
    server = world.serve()
    server.remember("The server is up.")
    before = world.digest()

    def check(arguments, words):
        text = server.refused("attach_document", arguments)
        expect_words(text, *words)
        expect(text.strip() and len(text) < 600, text)

    each_of(REFUSED, check)
    expect(world.query("SELECT count(*) FROM document") == [(0,)])
    expect(world.digest() == before or world.count("SELECT count(*) FROM quarantine") > 0, "rows were written")


def book(title, chapters):
    return "".join(f"# Chapter {n} of {title}\n\nText of chapter {n} speaks of {title}.\n\n" for n in range(chapters))


@engram.promise
def a_late_parse_is_answered_as_pending_and_finished_afterwards(world):
    for wait in ("0", "1"):
        server = world.serve(ENGRAM_ATTACH_WAIT_MS=wait)
        arguments = {"name": f"slow-{wait}.md", "content": book(f"Heron {wait}", 4000), "title": f"Slow {wait}"}
        answer = server.call("attach_document", arguments)
        in_time = wait == "1" and answer["status"] == "attached"  # a fast parse may well be done within the millisecond
        expect((answer["status"] == "pending" or in_time) and answer["id"].startswith("d") and answer["title"] == f"Slow {wait}", answer)
        expect(set(answer) >= {"id", "status", "title", "media_type", "passages", "entities", "tokens", "warnings", "project"}, answer)
        while not server.recall(ids=[answer["id"]])["items"][0].get("members"):
            pass  # the document is finished behind the reply; other calls are answered meanwhile
        server.stop()
        after = world.serve().call("attach_document", arguments)
        expect(after["status"] == "unchanged" and after["id"] == answer["id"] and after["passages"] > 5, after)
        expect(world.serve().recall(f"Heron {wait}", kinds=["passage"])["items"])
    expect(world.count("SELECT count(*) FROM node WHERE kind = 2 AND state <> 0") == 0)


@engram.promise
def a_pending_document_is_told_by_its_name_where_it_has_no_title(world):
    answer = world.serve(ENGRAM_ATTACH_WAIT_MS="0").call("attach_document", name="book.md", content=book("Heron", 4000))
    expect(answer["status"] == "pending" and answer["title"] == "book.md", answer)


@engram.promise
def other_calls_are_answered_while_a_document_is_parsed(world):
    server = world.serve()
    slow = server.send("attach_document", {"name": "book.md", "content": book("Heron", 4000)})
    quick = [server.send("remember", {"text": f"Meanwhile {n}."}) for n in range(5)]
    for id in quick:
        expect(server.wait(id)["isError"] is False)
    result = server.wait(slow)
    expect(result["isError"] is False, result)


@engram.promise
def what_a_killed_server_had_begun_is_taken_out_and_can_be_attached_again(world):
    arguments = {"name": "book.md", "content": book("Heron", 3000)}
    server = world.serve(ENGRAM_ATTACH_WAIT_MS="0")
    answer = server.call("attach_document", arguments)
    expect(answer["status"] == "pending", answer)
    server.kill()
    server = world.serve()
    text = ""
    while "attach it again" not in text:  # who opens the memory next tidies up
        text = server.recall(ids=[answer["id"]])["items"][0]["text"]
    expect(world.query("SELECT count(*) FROM passage") == [(0,)])
    expect(server.recall("Heron", kinds=["passage"])["items"] == [])
    again = server.call("attach_document", arguments)
    expect(again["status"] == "attached" and again["id"] == answer["id"], again)
    expect(server.recall("Heron", kinds=["passage"])["items"])
    expect(world.query("SELECT count(*) FROM document_ticket") == [(0,)])


@engram.promise
def a_document_that_is_forgotten_while_it_is_stored_does_not_come_back(world):
    arguments = {"name": "book.md", "content": book("Heron", 3000)}
    server = world.serve(ENGRAM_ATTACH_WAIT_MS="0")
    answer = server.call("attach_document", arguments)
    server.call("forget", ids=[answer["id"]])
    expect_words(server.refused("attach_document", {"name": "book.md", "content": arguments["content"]}), "forgotten")
    server.stop()
    expect(world.query("SELECT count(*) FROM node WHERE kind IN (2, 3)") == [(0,)])


@engram.promise
def a_document_comes_whole_as_a_resource(world):
    server = world.serve()
    answer = server.call("attach_document", name="book.md", content=book("Heron", 30))
    uri = f"engram://document/{answer['id']}"
    [content] = server.wait(server.ask("resources/read", {"uri": uri, "_meta": engram.META}))["contents"]
    places = [content["text"].find(f"Text of chapter {n} speaks of Heron.") for n in range(30)]
    expect(places[0] > 0 and places == sorted(places), content)


@engram.promise
def a_pending_document_that_cannot_be_read_says_why(world):
    server = world.serve(ENGRAM_ATTACH_WAIT_MS="0")
    world.write("scan.pdf", b"%PDF-1.4\nnothing of a document\n")
    answer = server.call("attach_document", path="scan.pdf")
    expect(answer["status"] == "pending", answer)
    text = ""
    while "not stored" not in text:
        text = server.recall(ids=[answer["id"]])["items"][0]["text"]
    expect_words(text, "scan.pdf")


@engram.promise
def a_document_of_too_many_passages_is_refused_with_the_limit(world):
    world.write("book.md", book("Heron", 31000))
    expect_words(world.serve().refused("attach_document", path="book.md"), "30000")


@engram.promise
def names_in_a_document_become_entities_and_its_secrets_do_not_get_in(world):
    server = world.serve()
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    answer = server.call("attach_document", name=f"keys-{secret}.md", title=f"Keys {secret}",
                         content=f"# Keys {secret}\n\nKubernetes uses the token {secret} for GitHub Actions.\n")
    expect(answer["entities"] > 0, answer)
    expect(server.recall("Kubernetes", kinds=["passage"])["items"][0]["text"].find("REDACTED") > 0)
    server.stop()
    expect(world.files_with(secret) == [], world.files_with(secret))


@engram.promise
def everyday_words_of_a_document_are_no_entities(world):
    server = world.serve()
    server.call("attach_document", name="pool.md", content="# Pools\n\nCall `create` first, with **Running** in mind, over SSH.\n\n"
                "Create the pool by `make pool`. Running it needs Kubernetes and systemd. Grace wrote it.\n")
    names = {name for [name] in world.query("SELECT DISTINCT node.name FROM edge JOIN node ON node.id = edge.dst WHERE node.kind = 1")}
    expect(names >= {"SSH", "Kubernetes", "systemd"}, names)
    expect(not {name.lower() for name in names} & {"create", "running", "make"}, names)


@engram.promise
def big_documents_at_the_limit_are_taken(world):
    server = world.serve()
    world.write("big.txt", "name\n" + "x" * 50 + "\n" * (32 * MIB - 58) + "end")  # at the limit of bytes, with little in it
    answer = server.result("attach_document", {"path": "big.txt"})
    expect(not answer["isError"], answer)


engram.main()
