#!/usr/bin/env python3
"""attach_document with a URL: pages of a server on this machine, where the user allows it."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram, web
from support.background import DONE_S, wait_for
from support.engram import expect, expect_words

GUIDE = "<html><head><title>The guide</title></head><body><main><h1>Otters</h1><p>The otter service listens on port 7411.</p></main></body></html>"
NEWER = GUIDE.replace("7411", "8522")


def attach(server, site, path, **arguments):
    return server.call("attach_document", {"url": site.url(path), **arguments})


@engram.promise
def a_page_is_attached_and_recall_says_where_it_came_from(world):
    with web.Site({"/docs/guide": web.Page(GUIDE, type="text/html; charset=utf-8")}) as site:
        server = world.serve(ENGRAM_URLS="loopback")
        answer = server.call("attach_document", {"url": site.url("/docs/guide#otters")})
        expect((answer["status"], answer["title"], answer["media_type"]) == ("attached", "The guide", "text/html"), answer)
        item = server.recall("On which port does the otter service listen?")["items"][0]
        expect("7411" in item["text"] and item["source"]["path"] == site.url("/docs/guide"), item)
        expect(len(site.requests) == 1 and site.requests[0].method == "GET")
        expect(not {"cookie", "authorization", "referer"} & set(site.requests[0].headers))


@engram.promise
def an_unchanged_page_isnt_sent_again(world):
    pages = {"/etag": web.Page(GUIDE, type="text/html", etag='"v1"'),
             "/date": web.Page(GUIDE.replace("Otters", "Badgers"), type="text/html", last_modified="Mon, 01 Jan 2024 00:00:00 GMT"),
             "/neither": web.Page(GUIDE.replace("Otters", "Weasels"), type="text/html")}
    with web.Site(pages) as site:
        server = world.serve(ENGRAM_URLS="loopback")
        for path in pages:
            first, second = attach(server, site, path), attach(server, site, path)
            expect((first["status"], second["status"], second["id"]) == ("attached", "unchanged", first["id"]), (path, second))
            expect(second["passages"] == first["passages"], second)
        asked = [request.headers for request in site.requests]
        expect(asked[1].get("if-none-match") == '"v1"' and asked[3].get("if-modified-since", "").startswith("Mon"), asked)
        expect("if-none-match" not in asked[5])


@engram.promise
def a_changed_page_replaces_what_it_was(world):
    with web.Site({"/guide": web.Page(GUIDE, type="text/html", etag='"v1"')}) as site:
        server = world.serve(ENGRAM_URLS="loopback")
        first = attach(server, site, "/guide")
        site.pages["/guide"] = web.Page(NEWER, type="text/html", etag='"v2"')
        second, third = attach(server, site, "/guide"), attach(server, site, "/guide")
        expect((second["status"], second["id"], third["status"]) == ("replaced", first["id"], "unchanged"), (second, third))
        texts = " ".join(server.texts("On which port does the otter service listen?"))
        expect("8522" in texts and "7411" not in texts, texts)
        expect(attach(server, site, "/guide", title="My guide")["title"] == "My guide")


@engram.promise
def the_type_tells_what_the_name_does_not(world):
    pages = {"/a": (web.Page("# Head\n\nOne two.\n", type="text/markdown"), "text/markdown"),
             "/b.rst": (web.Page("Head\n====\n\nOne two three.\n", type="text/plain"), "text/x-rst"),
             "/c.md": (web.Page(GUIDE, type="text/html"), "text/html"),
             "/d": (web.Page("a,b\n1,2\n", type="text/csv"), "text/csv"),
             "/": (web.Page("Just words.", type="application/octet-stream"), "text/plain")}
    with web.Site({path: page for path, (page, _) in pages.items()}) as site:
        server = world.serve(ENGRAM_URLS="loopback")
        for path, (_, wanted) in pages.items():
            answer = attach(server, site, path)
            expect(answer["media_type"] == wanted, (path, answer))


@engram.promise
def nothing_is_fetched_unless_the_user_says_so(world):
    with web.Site({"/guide": web.Page(GUIDE, type="text/html")}) as site:
        said = world.serve().refused("attach_document", url=site.url("/guide"))
        expect_words(said, "url", "ENGRAM_URLS=on")
        said = world.serve(ENGRAM_URLS="on").refused("attach_document", url=site.url("/guide"))
        expect_words(said, "url", "out of reach", "public")
        expect(site.requests == [])


REFUSED = {
    "/missing": (web.Page("no", status=404), "status 404"),
    "/broken": (web.Page("no", status=500), "status 500"),
    "/private": (web.Page(status=302, location="http://10.0.0.1/"), "out of reach"),
    "/metadata": (web.Page(status=302, location="http://169.254.169.254/"), "out of reach"),
    "/loop": (web.Page(status=302, location="/loop"), "redirects more than"),
    "/huge": (web.Page(b"x" * ((10 << 20) + 1)), "more than 10485760 bytes"),
    "/gone": (web.Page(raw=b""), ""),
    "/image": (web.Page(b"\x89PNG\r\n\x1a\n" + bytes(100), type="image/png"), "PNG image"),
    "/untouched": (web.Page(raw=b"HTTP/1.1 304 Not Modified\r\n\r\n"), "status 304"),
}


@engram.promise
def what_is_no_page_is_refused_and_nothing_is_written(world):
    with web.Site({path: page for path, (page, _) in REFUSED.items()}) as site:
        server = world.serve(ENGRAM_URLS="loopback")
        engram.each_of([(path, words) for path, (_, words) in REFUSED.items()],
                       lambda path, words: expect_words(server.refused("attach_document", url=site.url(path)), words))
        for url in ("ftp://127.0.0.1/x", "page", "http://", "http://me:pw@127.0.0.1/", "http://127.0.0.1/a b"):
            expect_words(server.refused("attach_document", url=url), "url")
        expect_words(server.refused("attach_document", url=site.url("/a"), path="a.md"), "url", "path")
        expect_words(server.refused("attach_document", url=site.url("/a"), content="x", name="x.md"), "url", "content")
        expect(server.recall("page")["abstained"])


@engram.promise
def an_address_of_2048_bytes_is_asked_for_and_one_byte_more_is_not(world):
    with web.Site({}) as site:
        server = world.serve(ENGRAM_URLS="loopback")
        longest = site.url("/").ljust(2048, "a")
        expect_words(server.refused("attach_document", url=longest), "status 404")
        expect(len(site.requests) == 1)
        expect_words(server.refused("attach_document", url=longest + "a"), "url", "2048")
        expect(len(site.requests) == 1, "it was asked for")


@engram.promise
def what_was_forgotten_comes_back_by_a_person_alone(world):
    with web.Site({"/guide": web.Page(GUIDE, type="text/html")}) as site:
        server = world.serve(ENGRAM_URLS="loopback")
        answer = server.call("attach_document", {"url": site.url("/guide")})
        server.call("forget", {"ids": [answer["id"]]})
        asked = len(site.requests)
        expect_words(server.refused("attach_document", url=site.url("/guide")), "forgotten")
        expect(len(site.requests) == asked, "it was fetched though nobody may have it")
        code, out, err = world.run("--json", "attach", site.url("/guide"), ENGRAM_URLS="loopback")
        expect(code == 0 and json.loads(out)["status"] == "attached", out + err)


@engram.promise
def the_command_line_attaches_a_page_too(world):
    with web.Site({"/guide": web.Page(GUIDE, type="text/html")}) as site:
        code, out, err = world.run("--json", "attach", site.url("/guide"), ENGRAM_URLS="loopback")
        expect(code == 0 and json.loads(out)["title"] == "The guide", out + err)
        code, out, err = world.run("attach", site.url("/guide"))
        expect(code != 0, out)
        expect_words(err, "ENGRAM_URLS")


@engram.promise
def a_server_that_hangs_ends_with_the_call(world):
    with web.Site({"/hang": web.Page(then=web.hang)}) as site:
        server = world.serve(ENGRAM_URLS="loopback")
        server.send("attach_document", {"url": site.url("/hang")})
        wait_for(DONE_S, "the request", lambda: site.requests)
        server.stop()  # it ends though the page doesn't come, and leaves nobody behind


engram.main()
