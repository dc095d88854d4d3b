"""The tools by hand: what goes in, what comes out, and the exit codes."""
import json
import os
import pty
import subprocess
import unittest

from world import BINARY, NOTHING, REFUSED, USAGE, World

NOW = {"ENGRAM_NOW": "2026-05-08T13:56:00Z"}


class Remember(World):
    def test_what_was_remembered_is_recalled(self):
        stored = self.json("remember", "--kind", "decision", "We chose SQLite because one file is easy to back up.")
        self.assertEqual((stored["status"], stored["kind"]), ("stored", "decision"))
        self.assertEqual(stored["project"]["root"], self.project)
        found = self.json("recall", "why", "SQLite")
        self.assertEqual(found["items"][0]["id"], stored["id"])
        self.assertEqual(found["items"][0]["origin"], "user")
        out, _ = self.engram("recall", "why", "SQLite")
        self.assertIn("easy to back up", out)

    def test_words_are_joined_and_a_dash_reads_standard_input(self):
        first = self.json("remember", "Deploys", "happen", "on", "Thursdays.")
        second = self.json("remember", "-", stdin="The cache is\ncalled Larder.\n")
        found = self.json("recall", "--ids", f"{first['id']},{second['id']}")
        self.assertEqual([item["text"].strip() for item in found["items"]],
                         ["Deploys happen on Thursdays.", "The cache is\ncalled Larder."])

    def test_every_option_reaches_the_memory(self):
        old = self.json("remember", "--topic", "deploy day", "--at", "2026-04-01", "We deploy on Mondays.")
        new = self.json("remember", "-s", "Mara Lind", "-t", "deploy day", "-k", "fact", "--pin", "--at", "2026-05-01",
                        "-e", "Checkout:service", "-e", "std::vector", "-r", "Mara Lind|works_on|Checkout",
                        "-f", "src/cart.c:3", "--session", "s1", "We deploy on Thursdays.")
        self.assertEqual(new["supersedes"], [old["id"]])
        types = {e["name"]: e.get("type") for e in new["entities"]}
        self.assertEqual(types["Checkout"], "service")
        self.assertIn("std::vector", types)
        self.assertIn("Mara Lind", types)
        self.assertIn(("Mara Lind", "works_on", "Checkout"), [(r["from"], r["relation"], r["to"]) for r in new["relations"]])
        item = self.json("recall", "--ids", new["id"])["items"][0]
        self.assertEqual(item["at"], "2026-05-01T00:00:00Z")
        third = self.json("remember", "--supersedes", new["id"], "We deploy whenever we like.")
        self.assertEqual(third["supersedes"], [new["id"]])

    def test_a_repeat_is_a_duplicate(self):
        first = self.json("remember", "Same text.")
        again = self.json("remember", "Same text.")
        self.assertEqual((again["status"], again["id"]), ("duplicate", first["id"]))

    def test_bad_values_are_refused_by_name(self):
        self.refused("remember", "--kind", "rumour", "x", words=["kind", "rumour", "decision"])
        self.refused("remember", "--at", "soon", "x", words=["at", "soon"])
        self.refused("remember", "--supersedes", "m99", "x", words=["m99"])
        self.refused("remember", "-", stdin="x" * 70000, words=["text", "65536"])
        self.refused("remember", "-", stdin=b"caf\xe9", words=["UTF-8"])
        self.assertEqual(self.json("remember", "--kind", "rumour", "x", wanted=REFUSED)["code"], "input")

    def test_the_session_comes_from_the_environment(self):
        stored = self.json("remember", "Said in a session.", env={"CLAUDE_CODE_SESSION_ID": "abc"})
        item = self.json("recall", "--ids", stored["id"])["items"][0]
        self.assertIn("session", item["source"])


class Recall(World):
    def test_nothing_found_is_exit_code_1(self):
        found = self.json("recall", "zeppelins", wanted=NOTHING)
        self.assertTrue(found["abstained"])
        self.assertEqual(found["items"], [])
        self.engram("recall", "zeppelins", wanted=NOTHING)

    def test_filters_reach_the_ranking(self):
        self.json("remember", "-k", "decision", "--at", "2026-01-01", "Redis keeps the sessions.")
        self.json("remember", "-k", "question", "--at", "2026-03-01", "Should Redis keep the sessions?")
        decisions = self.json("recall", "--kinds", "decision", "Redis sessions")["items"]
        self.assertEqual({item["memory_kind"] for item in decisions}, {"decision"})
        late = self.json("recall", "--since", "2026-02-01", "Redis sessions")["items"]
        self.assertEqual({item["memory_kind"] for item in late}, {"question"})
        early = self.json("recall", "--until", "2026-01-31", "Redis sessions")["items"]
        self.assertEqual({item["memory_kind"] for item in early}, {"decision"})
        self.assertEqual(len(self.json("recall", "-n", "1", "Redis sessions")["items"]), 1)

    def test_files_count_from_where_one_is(self):
        self.write("src/cart.c", "int cart;\n")
        inside = {"cwd": os.path.join(self.project, "src"), "env": {"ENGRAM_PROJECT": self.project}}
        stored = self.json("remember", "-f", "cart.c:1", "-f", "../gone.c#main", "The cart is an int.", **inside)
        for path, more in [("cart.c", inside), ("src/cart.c", {}), (os.path.join(self.project, "src/cart.c"), {"cwd": "/"})]:
            env = {"env": {"ENGRAM_PROJECT": self.project}, **more}
            self.assertEqual(self.json("recall", "--file", path, "--line", "1", **env)["items"][0]["id"], stored["id"])
        self.assertEqual(self.json("recall", "--file", "gone.c")["items"][0]["id"], stored["id"])

    def test_bad_values_are_refused_by_name(self):
        stored = self.json("remember", "Known.")
        self.refused("recall", "--ids", f"{stored['id']},x9", words=["x9"])
        self.refused("recall", "--ids", "m77", words=["m77"])
        self.refused("recall", "--limit", "99", "x", words=["limit", "99", "50"])
        self.refused("recall", "--limit", "many", "x", words=["limit", "many"])
        self.refused("recall", "--kinds", "rumour", "x", words=["kinds", "rumour"])


class Attach(World):
    def test_a_document_is_found_from_any_directory(self):
        self.write("docs/adr.md", "# Sessions\n\nSessions live in Redis since the outage of March.\n")
        attached = self.json("attach", "adr.md", cwd=os.path.join(self.project, "docs"), env={"ENGRAM_PROJECT": self.project})
        self.assertEqual((attached["status"], attached["title"], attached["passages"]), ("attached", "Sessions", 1))
        found = self.json("recall", "where do sessions live")["items"][0]
        self.assertEqual(found["source"]["path"], "docs/adr.md")
        again = self.json("attach", os.path.join(self.project, "docs/../docs/adr.md"))
        self.assertEqual((again["status"], again["id"]), ("unchanged", attached["id"]))
        self.write("docs/adr.md", "# Sessions\n\nSessions live in Postgres.\n")
        self.assertEqual(self.json("attach", "docs/adr.md")["status"], "replaced")

    def test_a_document_comes_from_standard_input(self):
        attached = self.json("attach", "--name", "plan.md", "--title", "The plan", "-", stdin="# P\n\nShip it in June.\n")
        self.assertEqual((attached["status"], attached["title"]), ("attached", "The plan"))
        self.refused("attach", "-", stdin="x", words=["--name"])
        self.refused("attach", "--name", "a.pdf", "-", stdin=b"%PDF\xff", words=["UTF-8"])

    def test_the_user_may_name_a_file_outside_of_the_project(self):
        outside = os.path.join(self.top, "spec.md")
        with open(outside, "w") as file:
            file.write("# Spec\n\nThe gauge reads in bar.\n")
        self.assertEqual(self.json("attach", outside)["status"], "attached")
        self.assertEqual(self.json("attach", "../spec.md")["status"], "unchanged")

    def test_a_link_out_of_the_project_is_refused(self):
        os.symlink("/etc/passwd", os.path.join(self.project, "readme.md"))
        os.symlink("/etc", os.path.join(self.project, "docs"))
        self.refused("attach", "readme.md", words=["readme.md"])
        self.refused("attach", "docs/passwd", words=["docs/passwd"])

    def test_what_is_no_document_is_refused(self):
        self.refused("attach", "gone.md", words=["gone.md"])
        self.refused("attach", ".", words=[self.project])
        os.mkfifo(os.path.join(self.project, "pipe.md"))
        self.refused("attach", "pipe.md", words=["pipe.md"])
        with open(os.path.join(self.project, "x.bin"), "wb") as file:
            file.write(bytes(range(256)))
        self.refused("attach", "x.bin", words=["x.bin"])
        self.json("remember", "There is a database now.")
        folder = os.path.join(self.data, "engram", os.listdir(os.path.join(self.data, "engram"))[0])
        self.refused("attach", os.path.join(folder, "memory.db"), words=["memory.db"])


class Review(World):
    def test_entities_are_shown_mended_and_undone(self):
        self.json("remember", "-e", "Postgres:technology", "-e", "Postgre SQL:technology", "Postgres is also Postgre SQL.")
        merged = self.json("review", "--merge", "Postgre SQL", "Postgres")
        self.assertEqual(len(merged["applied"]), 1)
        card = self.json("review", "--entity", "Postgres")["entity"]
        self.assertIn("Postgre SQL", card["aliases"])
        undone = self.json("review", "--undo", merged["applied"][0]["journal"])
        self.assertEqual(len(undone["applied"]), 1)
        self.assertNotIn("Postgre SQL", self.json("review", "--entity", "Postgres")["entity"]["aliases"])

    def test_every_edit_is_known(self):
        self.json("remember", "-e", "Alpha:team", "-e", "Beta:team", "Alpha and Beta meet.")
        self.json("review", "--rename", "Alpha", "Alfa")
        self.json("review", "--alias", "Alfa", "A-Team")
        self.json("review", "--set-type", "Alfa", "squad")
        self.assertEqual(self.json("review", "--entity", "Alfa")["entity"]["type"], "squad")
        self.json("review", "--split", "Alfa", "A-Team")
        self.json("review", "--dismiss", "Beta")
        self.assertEqual(self.json("review", "--entity", "Beta")["entity"]["status"], "dismissed")
        self.json("review", "--restore", "Beta")
        self.assertEqual(self.json("review", "--entity", "Beta")["entity"]["status"], "active")

    def test_all_of_a_call_is_done_or_nothing(self):
        self.json("remember", "-e", "Alpha:team", "Alpha meets.")
        self.refused("review", "--rename", "Alpha", "Omega", "--dismiss", "Nobody", words=["Nobody"])
        self.assertEqual(self.json("review", "--entity", "Alpha")["entity"]["name"], "Alpha")

    def test_unknown_questions_and_entities_are_named(self):
        self.assertEqual(self.json("review")["questions"], [])
        self.refused("review", "--yes", "q9", words=["q9"])
        self.refused("review", "--entity", "Nobody", words=["Nobody"])
        self.refused("review", "--undo", "j9", words=["j9"])


class Forget(World):
    def test_what_is_forgotten_is_gone(self):
        stored = self.json("remember", "The code word is Xylophone.")
        dry = self.json("forget", "--dry-run", stored["id"])
        self.assertEqual(dry["forgotten"], [stored["id"]])
        self.assertEqual(self.json("recall", "Xylophone")["items"][0]["id"], stored["id"])
        gone = self.json("forget", "--reason", "secret", stored["id"])
        self.assertEqual(gone["forgotten"], [stored["id"]])
        self.refused("recall", "--ids", stored["id"], words=[stored["id"]])
        for folder, _, names in os.walk(self.data):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(b"Xylophone", file.read(), name)

    def test_unknown_ids_change_nothing(self):
        stored = self.json("remember", "Keep this.")
        self.refused("forget", stored["id"], "m77", words=["m77"])
        self.assertEqual(len(self.json("recall", "--ids", stored["id"])["items"]), 1)

    def answered(self, answer, *args):
        """Runs the command on a terminal and types the answer; (exit code, what the terminal showed)."""
        main, side = pty.openpty()
        process = subprocess.Popen([BINARY, *args], stdin=side, stdout=side, stderr=side, cwd=self.project, env=self.env)
        os.close(side)
        os.write(main, answer)
        shown = b""
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:  # the terminal is closed: the program has ended
                break
            if not part:
                break
            shown += part
        os.close(main)
        return process.wait(), shown.decode()

    def test_a_terminal_is_asked_first(self):
        stored = self.json("remember", "Keep this perhaps.")
        code, shown = self.answered(b"n\n", "forget", stored["id"])
        self.assertEqual(code, NOTHING, shown)
        self.assertIn("Forget this for good? [y/N]", shown)
        self.assertIn(stored["id"], shown)
        self.assertEqual(len(self.json("recall", "--ids", stored["id"])["items"]), 1)
        code, shown = self.answered(b"y\n", "forget", stored["id"])
        self.assertEqual(code, 0, shown)
        self.refused("recall", "--ids", stored["id"], words=[stored["id"]])
        stored = self.json("remember", "Keep this no longer.")
        code, shown = self.answered(b"", "forget", "--yes", stored["id"])
        self.assertEqual(code, 0, shown)
        self.assertNotIn("[y/N]", shown)


class Status(World):
    def test_status_tells_the_project_and_counts(self):
        self.json("remember", "One memory.")
        status = self.json("status")
        self.assertEqual(status["project"]["root"], self.project)
        out, _ = self.engram("status")
        self.assertIn("project:", out)
        self.assertIn(status["project"]["id"], out)

    def test_all_projects_are_listed(self):
        self.assertEqual(self.json("status", "--all")["projects"], [])
        self.json("remember", "One memory.", env=NOW)
        other = os.path.join(self.top, "other")
        os.mkdir(other)
        self.json("remember", "Another memory.", cwd=other, env=NOW)
        listed = self.json("status", "--all", cwd="/")["projects"]
        self.assertEqual([(p["name"], p["root"], p["last_used"]) for p in listed],
                         [("other", other, "2026-05-08"), ("project", self.project, "2026-05-08")])
        self.assertTrue(all(p["bytes"] > 0 for p in listed))
        out, _ = self.engram("status", "--all")
        self.assertIn(other, out)

    def test_garbage_in_the_data_directory_harms_nobody(self):
        self.json("remember", "One memory.")
        for i in range(20):
            folder = os.path.join(self.data, "engram", f"bad-{i:012x}")
            os.mkdir(folder, 0o700)
            for name in ("memory.db", "project.json"):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(os.urandom(500))
        self.assertEqual(len(self.json("status", "--all")["projects"]), 21)
        self.assertEqual(len(self.json("recall", "memory")["items"]), 1)

    def test_index_has_nothing_to_wait_for_without_an_encoder(self):
        self.env["ENGRAM_INDEX"] = "off"
        self.assertEqual(self.json("index", "--wait"), {"pending": 0, "encoded": 0, "encoder": "off"})
        self.assertIn("Nothing is pending", self.engram("index")[0])


class Json(World):
    def test_the_wire_and_the_command_line_say_the_same(self):
        stored = self.json("remember", "Both say the same.", env=NOW)
        by_hand = self.json("recall", "say the same", env=NOW)
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": {"name": "recall", "arguments": {"query": "say the same"}}}
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                 "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
        out, _ = self.engram("serve", stdin="".join(json.dumps(m) + "\n" for m in (hello, call)), env=NOW)
        replies = {m["id"]: m for m in map(json.loads, out.splitlines()) if "id" in m}
        self.assertEqual(replies[2]["result"]["structuredContent"], by_hand)
        self.assertEqual(by_hand["items"][0]["id"], stored["id"])

    def test_options_alone_serve_where_standard_input_is_no_terminal(self):
        call = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
        for args in ([], ["--project", self.project], ["serve", "-C", self.project]):
            out, _ = self.engram(*args, stdin=json.dumps(call) + "\n", cwd=self.home)
            self.assertEqual(json.loads(out)["result"]["serverInfo"]["name"], "engram")

    def test_wrong_usage_in_between_changes_nothing(self):
        self.json("remember", wanted=USAGE)
        self.assertFalse(os.path.exists(self.data))


if __name__ == "__main__":
    unittest.main()
