"""The graph as a page: it stands alone, it shows what is asked for, and nothing that was remembered becomes markup."""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support.background import DONE_S, wait_for
from world import REFUSED, TOP, USAGE, World

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MODEL = os.path.join(TOP, "tests", "cli", "graph_model.js")


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))


class Graph(World):
    def fill(self):
        self.chose = self.json("remember", "-k", "decision", "-e", "Larder:service", "-e", "PostgreSQL:technology", "-r",
                               "Larder|depends_on|PostgreSQL", "Larder keeps its stock in PostgreSQL.")["id"]
        self.mara = self.json("remember", "-s", "Mara", "-e", "Larder:service", "Mara looks after Larder.")["id"]
        self.old = self.json("remember", "-t", "port", "Larder listens on 8080.")["id"]
        self.new = self.json("remember", "-t", "port", "Larder listens on 9090.")["id"]
        self.far = self.json("remember", "-e", "Telescope:thing", "The telescope is in the attic.")["id"]

    def page(self, *args, **more):
        out, _ = self.engram("graph", "--out", "-", *args, **more)
        return out

    def test_the_page_loads_nothing_from_anywhere(self):
        self.fill()
        page = self.page()
        self.assertTrue("default-src 'none'" in page)
        ours = re.sub(r"<script( type=.text/plain.)?>.*?</script>", "", page, flags=re.S)
        self.assertEqual(re.findall(r"""(?:src|href)=["'](?!#)""", ours), [])
        self.assertFalse("@import" in page)
        for library in ("graphology", "Sigma", '"./iterate.js"'):
            self.assertTrue(library in page, library)
        self.assertTrue("Permission is hereby granted" in page, "the libraries' licences")
        self.assertEqual(re.findall(r"%[A-Za-z.]+%", ours), [])

    def test_it_holds_what_was_remembered_and_how_it_hangs_together(self):
        self.fill()
        data = data_of(self.page())
        nodes = {n["id"]: n for n in data["nodes"]}
        self.assertEqual(data["project"], "project")
        self.assertEqual(nodes[self.chose]["type"], "decision")
        self.assertEqual(nodes[self.old]["state"], "superseded")
        self.assertEqual(nodes[self.new]["state"], "current")
        names = {n["label"]: n["id"] for n in data["nodes"] if n["kind"] == "entity"}
        self.assertIn({"from": names["Larder"], "to": names["PostgreSQL"], "kind": "relation", "label": "depends_on"}, data["edges"])
        self.assertTrue(all(e["from"] in nodes and e["to"] in nodes for e in data["edges"]))
        self.assertEqual(data["nodes_left_out"], 0)
        own = nodes[self.chose]["community"]
        self.assertTrue(own)
        self.assertEqual(nodes[names["Larder"]]["community"], own)
        self.assertIn("Larder", {c["label"] for c in data["communities"]})

    def test_a_focus_shows_what_is_around_it(self):
        self.fill()
        for focus in ("PostgreSQL", "larder", self.chose):
            data = data_of(self.page("--focus", focus))
            ids = {n["id"] for n in data["nodes"]}
            self.assertIn(data["focus"], ids)
            self.assertLessEqual({self.chose, self.mara}, ids)
            self.assertNotIn(self.far, ids)
        wide = data_of(self.page("--focus", self.chose, "--recall", "Where does Larder keep its stock?"))
        self.assertIn(self.mara, {n["id"] for n in wide["nodes"]})
        self.refused("graph", "--focus", "Nobody", words=["focus", "Nobody", "the name of an entity"])
        self.refused("graph", "--focus", "m99999", words=["m99999"])

    def test_a_recall_comes_with_its_items_and_where_it_started(self):
        self.fill()
        recall = data_of(self.page("--recall", "Where does Larder keep its stock?", "--nodes", "2"))
        ids = {n["id"] for n in recall["nodes"]}
        self.assertEqual(recall["recall"]["items"][0]["id"], self.chose)
        self.assertTrue(recall["recall"]["items"][0]["why"])
        self.assertIn(self.chose, ids)
        self.assertEqual(len(ids), 2)
        self.assertGreater(recall["nodes_left_out"], 0)

    def test_nothing_remembered_becomes_markup(self):
        evil = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> \u202e %page.js% &amp;"
        self.json("remember", "-e", "</script><b>:thing", evil)
        page = self.page("--recall", "alert script")
        self.assertEqual(page.count("</script>"), page.count("<script"))
        text = re.search(r'id="data">(.*?)</script>', page, re.S).group(1)
        self.assertNotIn("<", text)
        self.assertNotIn("\u202e", text)
        self.assertTrue(any("<img src=x onerror=alert(2)>" in n.get("text", "") for n in data_of(page)["nodes"]))

    def test_it_goes_to_the_projects_data_and_tells_where(self):
        self.fill()
        told = self.json("graph")
        self.assertTrue(told["page"].startswith(self.data))
        self.assertEqual(os.path.getsize(told["page"]), told["bytes"])
        self.assertEqual(stat.S_IMODE(os.stat(told["page"]).st_mode), 0o600)
        self.assertEqual(os.listdir(self.project), [])
        self.assertIn("nodes", self.engram("graph", "--out", os.path.join(self.top, "g.html"))[0])

    def test_what_shows_it_gets_no_key_of_ours(self):
        self.fill()
        tools = os.path.join(self.top, "tools")
        os.mkdir(tools)
        seen = os.path.join(self.top, "seen")
        with open(os.path.join(tools, "xdg-open"), "w") as file:
            file.write(f'#!/bin/sh\n{{ echo "$1"; env; }} > {seen}.part; mv {seen}.part {seen}\n')
        os.chmod(file.name, 0o700)
        told = self.json("graph", "--open", env={"PATH": f"{tools}:{os.environ['PATH']}", "ENGRAM_LLM_PROVIDER": "anthropic",
                                                 "ENGRAM_LLM_KEY": "sk-canary", "DISPLAY": ":7"})
        wait_for(DONE_S, "what shows it", lambda: os.path.exists(seen))  # engram doesn't wait for it
        with open(seen) as file:
            shown = file.read()
        self.assertTrue(shown.startswith(told["page"] + "\n"), shown)
        self.assertIn("DISPLAY=:7", shown)
        self.assertNotIn("sk-canary", shown)
        self.engram("graph", "--out", "-", "--open", wanted=USAGE)
        self.engram("graph", "--out", "", wanted=USAGE)

    def test_names_of_documents_come_with_the_passages_that_use_them(self):
        names = ["Ashford", "Belmont", "Carlow", "Denholm", "Elstree", "Farnham", "Gosport", "Hexham", "Ilkley", "Jarrow", "Kendal", "Ludlow"]
        self.write("towns.md", "".join(f"# Part {n}\n\n{' '.join(f'The service in {name} is old.' for name in names[n::3])}\n\n" for n in range(3)))
        self.json("attach", "towns.md")
        for more in ((), ("consolidate", "--only", "growth")):
            if more:
                self.engram(*more)
            data = data_of(self.page("--nodes", "6"))
            kinds = [node["kind"] for node in data["nodes"]]
            self.assertEqual(kinds.count("document"), 1)
            self.assertGreater(kinds.count("passage"), 0)
            self.assertGreater(kinds.count("entity"), 0)
            self.assertGreater(len(data["edges"]), 2)

    def test_bounds(self):
        self.fill()
        self.assertEqual(len(data_of(self.page("--nodes", "1"))["nodes"]), 1)
        self.page("--nodes", "5000")
        for wrong in ("0", "5001", "many"):
            self.refused("graph", "--nodes", wrong, words=["--nodes", wrong, "5000"])
        self.refused("graph", "--out", "/nope/g.html", wanted=4, words=["/nope"])
        self.engram("graph", "word", wanted=USAGE)

    def test_an_empty_memory_has_an_empty_page(self):
        self.assertEqual(data_of(self.page())["nodes"], [])

    @unittest.skipUnless(shutil.which("node"), "there is no node")
    def test_what_the_page_computes(self):
        done = subprocess.run(["node", MODEL, os.path.join(TOP, "server", "graph", "model.js")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(CHROMIUM, "there is no Chromium")
    def test_a_browser_draws_it_and_lists_it(self):
        self.fill()
        path = os.path.join(self.top, "g.html")
        self.engram("graph", "--out", path, "--focus", "Larder")
        with tempfile.TemporaryDirectory() as profile:
            done = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--use-angle=swiftshader",
                                   "--enable-unsafe-swiftshader", f"--user-data-dir={profile}", "--virtual-time-budget=20000",
                                   "--enable-logging=stderr", "--dump-dom", f"file://{path}"],
                                  capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": profile})
        self.assertTrue('<canvas class="sigma-nodes"' in done.stdout, done.stderr[-500:])
        card = re.search(r'<article id="card".*?</article>', done.stdout, re.S).group(0)
        self.assertIn("depends on", card.replace("_", " "))
        self.assertEqual(re.findall(r"CONSOLE.*Uncaught.*", done.stderr), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)  # what is skipped says why
