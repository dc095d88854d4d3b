"""Import of what other tools remember: each format by its example, once, without secrets, and whatever the file holds."""
import json
import os
import shutil
import sqlite3
import subprocess
import unittest

from world import BINARY, NOTHING, REFUSED, TOP, USAGE, World

EXAMPLES = os.path.join(TOP, "tests", "import")
KINDS = ["decision", "fact", "preference", "identity", "question", "context", "episode"]
MIB = 1 << 20


class Importing(World):
    def memories(self, **more):
        """Current memories as "kind | session | text", white space folded."""
        tables = {}
        for line in self.engram("export", **more)[0].splitlines()[1:]:
            row = json.loads(line)
            tables.setdefault(row["table"], []).append(row["row"])
        nodes = {row["id"]: row for row in tables.get("node", [])}
        texts = {row["id"]: " ".join(row["text"].split()) for row in tables.get("body", [])}
        names = {id: row["name"] for id, row in nodes.items()}
        return sorted(" | ".join([KINDS[row["kind"]], names.get(nodes[row["id"]]["session"], ""), texts[row["id"]]])
                      .replace(" |  | ", " | | ")
                      for row in tables.get("memory", []) if nodes[row["id"]]["state"] == 0)

    def place(self, name):
        """The example's files in a folder of the test's own; NAME.sql becomes the database NAME."""
        there = os.path.join(self.top, name)
        shutil.copytree(os.path.join(EXAMPLES, name, "input"), there)
        for folder, _, files in os.walk(there):
            for file in files:
                path = os.path.join(folder, file)
                with open(path) as opened:
                    text = opened.read()
                if file.endswith(".sql"):
                    os.remove(path)
                    with sqlite3.connect(path[:-4]) as db:
                        db.executescript(text)
                    db.close()
                else:
                    with open(path, "w") as opened:
                        opened.write(text.replace("PROJECT", self.project))
        return there

    def file(self, name, content):
        path = os.path.join(self.top, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path


def summary(done):
    """What an example's `expected` holds beside memories."""
    lines = [f"skipped {skip['count']} | {skip['why']}" for skip in done["skipped"]]
    lines += [f"of another project {done['other_project']}"] if done["other_project"] else []
    lines += [f"documents {done['documents']['attached']}"] if done["documents"]["attached"] else []
    return lines


class Examples(Importing):
    def test_each_format_gives_what_its_example_expects_once(self):
        for name in sorted(os.listdir(EXAMPLES)):
            with self.subTest(name):
                fresh = {"XDG_DATA_HOME": os.path.join(self.top, "data-" + name)}
                there = self.place(name)
                done = self.json("import", there, env=fresh)
                with open(os.path.join(EXAMPLES, name, "expected")) as file:
                    expected = file.read().splitlines()
                self.assertEqual(sorted(self.memories(env=fresh) + summary(done)), sorted(expected))
                again = self.json("import", there, env=fresh)
                self.assertEqual((again["stored"], again["replaced"], again["documents"]["attached"]), (0, 0, 0))
                self.assertEqual(again["known"], done["stored"])

    def test_a_backup_is_taken_whole_or_not_at_all(self):
        self.json("remember", "We chose SQLite.")
        self.engram("export", "backup.jsonl")
        there = {"XDG_DATA_HOME": os.path.join(self.top, "there")}
        for option in ("--dry-run", "--any-project"):
            self.refused("import", option, "backup.jsonl", words=["whole or not at all"], wanted=USAGE, env=there)
        self.engram("recall", "SQLite", env=there, wanted=NOTHING)

    def test_a_dry_run_tells_the_same_and_stores_nothing(self):
        there = self.place("claude-code")
        dry = self.json("import", "--dry-run", there)
        self.assertEqual(self.memories(), [])
        self.assertEqual(dry["stored"], self.json("import", there)["stored"])
        self.assertIn("Would import", self.engram("import", "-n", there)[0])

    def test_the_format_may_be_named_and_must_fit(self):
        file = os.path.join(self.place("server-memory"), "memory.jsonl")
        self.assertEqual(self.json("import", "--from", "server-memory", file)["stored"], 4)
        self.refused("import", "--from", "nonsense", file, wanted=USAGE, words=["nonsense"])
        self.refused("import", self.file("x.jsonl", "{}\n"), words=["no format"])
        self.refused("import", os.path.join(self.top, "gone"), words=["gone"])
        os.mkdir(os.path.join(self.top, "empty"))
        self.refused("import", os.path.join(self.top, "empty"), words=["no file"])

    def test_other_projects_come_along_only_when_asked_for(self):
        there = self.place("engram-go-database")
        self.json("import", there)
        self.assertFalse([m for m in self.memories() if "another project" in m])
        self.assertEqual(self.json("import", "--any-project", there)["stored"], 1)

    def test_what_was_imported_survives_export_and_import(self):
        there = self.place("claude-code")
        self.json("import", there)
        export = self.engram("export")[0]
        elsewhere = {"XDG_DATA_HOME": os.path.join(self.top, "elsewhere")}
        self.engram("import", "-", stdin=export, env=elsewhere)
        self.assertEqual(self.engram("export", env=elsewhere)[0], export)
        self.assertEqual(self.json("import", there, env=elsewhere)["stored"], 0)


class Again(Importing):
    def turn(self, number, text, session="s"):
        return json.dumps({"type": "user", "sessionId": session, "uuid": f"u{number}", "cwd": self.project,
                           "timestamp": f"2026-05-01T10:{number:02}:00Z", "message": {"role": "user", "content": text}}) + "\n"

    def test_a_grown_transcript_adds_what_is_new_and_replaces_its_episode(self):
        lines = [self.turn(1, "We decided to ship on Mondays.")]
        path = self.file("s.jsonl", "".join(lines))
        self.assertEqual(self.json("import", path)["stored"], 1)
        for number, text, counts in ((2, "We chose Rust over Go.", (2, 0, 1)), (3, "We chose Ada over Rust.", (1, 1, 2))):
            lines.append(self.turn(number, text))
            path = self.file("s.jsonl", "".join(lines))
            grown = self.json("import", path)
            self.assertEqual((grown["stored"], grown["replaced"], grown["known"]), counts)
        self.assertEqual(len([m for m in self.memories() if m.startswith("episode")]), 1)

    def test_a_single_question_is_no_episode(self):
        self.json("import", self.file("s.jsonl", self.turn(1, "<local-command>x</local-command>") + self.turn(2, "What is the time?")))
        self.assertEqual(self.memories(), [])

    def test_what_was_forgotten_stays_out(self):
        path = self.file("s.jsonl", self.turn(1, "We decided to ship on Mondays."))
        self.json("import", path)
        for item in self.json("recall", "ship on Mondays")["items"]:
            self.json("forget", item["id"])
        again = self.json("import", path)
        self.assertEqual((again["stored"], again["forgotten"]), (0, 1))
        # Another tool's copy of the same words is no way back in.
        other = self.file("memory.jsonl", json.dumps({"type": "entity", "name": "We", "entityType": "team",
                                                      "observations": ["We decided to ship on Mondays."]}))
        self.assertEqual(self.json("import", other)["forgotten"], 1)

    def test_a_changed_item_replaces_what_it_was(self):
        path = os.path.join(self.place("engram-go-database"), "engram.db")
        self.json("import", path)
        with sqlite3.connect(path) as db:
            db.execute("UPDATE observations SET content = 'tokens are signed with EdDSA' WHERE id = 1")
        db.close()
        done = self.json("import", path)
        self.assertEqual((done["stored"], done["replaced"]), (0, 1))
        self.assertFalse([m for m in self.memories() if "ES256" in m])

    def test_what_a_database_keeps_only_in_its_log_is_read_and_nothing_is_touched(self):
        folder = self.place("engram-go-database")
        path = os.path.join(folder, "engram.db")
        db = sqlite3.connect(path)
        self.addCleanup(db.close)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("UPDATE observations SET content = 'only in the log' WHERE id = 2")
        db.commit()
        before = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}
        self.assertGreater(os.path.getsize(path + "-wal"), 0)
        self.json("import", path)
        self.assertTrue([m for m in self.memories() if "only in the log" in m])
        self.assertEqual({name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}, before)


class Hostile(Importing):
    def test_lines_that_are_cut_huge_deep_or_no_text_cost_themselves(self):
        good = json.dumps({"type": "entity", "name": "Gauge", "entityType": "part", "observations": ["It is late"]})
        bad = [b'{"type":"entity","name":"Cut', b"[" * 100000 + b"]" * 100000, b"\x00\xff\xfe",
               b'{"type":"entity","name":"\\ud800 half","entityType":"x","observations":["half a pair"]}',
               b'{"type":"entity","name":"nul\\u0000","entityType":"x","observations":["a \\u0000 in it"]}',
               b'{"type":"entity","name":7,"observations":"none"}', b"1e999", b'""']
        path = self.file("memory.jsonl", b"\n".join([good.encode(), *bad, good.replace("late", "slow").encode()]))
        done = self.json("import", path)
        self.assertEqual(done["stored"], 4)
        self.assertEqual({skip["why"]: skip["count"] for skip in done["skipped"]},
                         {"no JSON object": 5, "neither entity nor relation": 1})
        self.assertEqual(done["skipped"][0]["first"].split(": ")[1], "line 2")

    def test_a_line_at_the_limit_is_read_and_one_over_it_is_passed_by(self):
        head, tail = b'{"type":"entity","name":"Big","entityType":"x","observations":["It is big"],"pad":"', b'"}'
        fits = head + b"x" * (16 * MIB - len(head) - len(tail)) + tail
        over = fits.replace(b"It is big", b"It is too").replace(tail, b"x" + tail)
        path = self.file("memory.jsonl", fits + b"\n" + over + b"\n" + b"y" * (100 * MIB))
        done = self.json("import", path)
        self.assertEqual(done["stored"], 1)
        self.assertEqual([(skip["why"], skip["count"]) for skip in done["skipped"]], [("line over 16 MiB", 2)])

    def test_a_text_over_the_limit_is_cut(self):
        long = "word " * 20000
        path = self.file("memory.jsonl", json.dumps({"type": "entity", "name": "word", "entityType": "x", "observations": [long]}))
        self.assertEqual(self.json("import", path)["stored"], 1)
        self.assertLessEqual(max(len(m) for m in self.memories()), 65536 + 20)

    def test_json_files_that_end_early_give_what_was_whole(self):
        with open(os.path.join(EXAMPLES, "claude-ai", "input", "conversations.json")) as file:
            whole = file.read().strip()[1:-1]
        path = self.file("conversations.json", f"[{whole},{whole[:100]}")
        done = self.json("import", path)
        self.assertEqual(done["stored"], 3)
        self.assertTrue([skip for skip in done["skipped"] if "ends within" in skip["why"]])

    def test_circles_in_a_tree_of_messages_end(self):
        node = {"id": "a", "parent": "b", "message": {"id": "a", "author": {"role": "user"}, "create_time": 1777629600,
                                                      "content": {"content_type": "text", "parts": ["We chose C over Go."]}}}
        talk = {"conversation_id": "c", "current_node": "a", "mapping": {"a": node, "b": {**node, "id": "b", "parent": "a"}}}
        done = self.json("import", self.file("conversations.json", json.dumps([talk])))
        self.assertEqual(done["stored"], 2)

    def test_databases_run_no_code_of_their_own_and_damage_is_told(self):
        folder = self.place("engram-go-database")
        path = os.path.join(folder, "engram.db")
        with sqlite3.connect(path) as db:
            db.execute("CREATE TRIGGER t AFTER INSERT ON observations BEGIN DELETE FROM observations; END")
            db.execute("ALTER TABLE sessions RENAME TO hidden")
            db.execute("CREATE VIEW sessions AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT * FROM n")
        db.close()
        done = self.json("import", path)
        self.assertEqual(done["stored"], 3)
        with open(path, "rb") as file:
            content = file.read()
        for name, bytes_ in [("cut.db", content[:5000]), ("head.db", content[:100]), ("zero.db", content[:4096] + bytes(8192)),
                             ("wild.db", bytes((b ^ 0x5A) if i > 2000 and i % 7 == 0 else b for i, b in enumerate(content)))]:
            out, err = self.tried("import", self.file(name, bytes_))
            self.assertNotIn("Sanitizer", out + err)

    def tried(self, *args):
        done = subprocess.run([BINARY, *args], capture_output=True, cwd=self.project, env=self.env, timeout=120)
        self.assertIn(done.returncode, (0, NOTHING, REFUSED), done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def test_links_aren_t_followed_and_other_files_are_left_alone(self):
        folder = self.place("server-memory")
        secret = self.file("secret.jsonl", json.dumps({"type": "entity", "name": "Secret", "entityType": "x", "observations": []}))
        os.symlink(secret, os.path.join(folder, "linked.jsonl"))
        os.symlink(self.top, os.path.join(folder, "up"))
        os.mkfifo(os.path.join(folder, "pipe.jsonl"))
        os.mkdir(os.path.join(folder, ".git"))
        self.file(os.path.join(folder, ".git", "x.md"), "# Hidden\n")
        done = self.json("import", folder)
        self.assertEqual((done["stored"], done["files"]), (4, 1))
        self.assertTrue([skip for skip in done["skipped"] if "links" in skip["why"] and skip["count"] == 2])
        self.assertFalse([m for m in self.memories() if "Secret" in m])

    def test_engram_s_own_files_are_refused(self):
        self.json("remember", "One.")
        self.refused("import", os.path.join(self.data, "engram"), words=["engram's own"])

    def test_one_bad_file_costs_itself(self):
        folder = self.place("server-memory")
        self.file(os.path.join(folder, "a.json"), "{}")
        done = self.json("import", folder)
        self.assertEqual((done["stored"], done["unreadable"]), (4, 1))
        self.assertEqual(done["faults"][0]["path"], "a.json")


if __name__ == "__main__":
    unittest.main()
