"""The doctor's checks: each can be seen failing, and none changes anything."""
import json
import os
import shutil
import subprocess
import unittest

from world import BINARY, NOTHING, World

NAMES = ["settings", "data directory", "project", "database", "versions", "worker", "sources", "hooks", "agents",
         "embeddings", "reranking", "language model"]


class Doctor(World):
    def checks(self, wanted=0, **more):
        found = self.json("doctor", wanted=wanted, **more)
        self.assertEqual(found["ok"], wanted == 0)
        return {row["name"]: row for row in found["checks"]}

    def test_a_fresh_place_is_sound_and_stays_untouched(self):
        checks = self.checks()
        self.assertEqual(list(checks), NAMES)
        self.assertEqual({row["status"] for row in checks.values()}, {"ok"})
        self.assertIn(self.project, checks["project"]["text"])
        self.assertIn("working directory", checks["project"]["text"])
        self.assertFalse(os.path.exists(self.data))

    def test_it_reads_as_text(self):
        out, _ = self.engram("doctor")
        self.assertEqual(len(out.splitlines()), len(NAMES))
        self.assertTrue(all(line.startswith("ok") for line in out.splitlines()), out)

    def test_a_database_is_checked_and_versions_are_told(self):
        self.json("remember", "One memory.")
        checks = self.checks()
        self.assertIn("is sound", checks["database"]["text"])
        self.assertRegex(checks["versions"]["text"].lower(), r"engram \d.*sqlite.*3\.\d")

    def test_indexed_files_are_counted(self):
        self.assertIn("no file is indexed yet", self.checks()["sources"]["text"])
        self.write("a.py", "def f():\n    return 1\n")
        self.write("b.bin", "\0" * 100)
        done = self.json("index")["code"]
        self.assertEqual((done["files"], done["skipped"]), (1, {"binary": 1}))
        self.assertEqual(self.checks()["sources"]["text"], "1 files are indexed, 1 left out")
        self.assertIn("off", self.checks(env={"ENGRAM_INDEX": "off"})["sources"]["text"])

    def test_the_hint_that_decided_is_named(self):
        self.assertIn("ENGRAM_PROJECT", self.checks(env={"ENGRAM_PROJECT": self.project}, cwd="/")["project"]["text"])
        self.assertIn("CLAUDE_PROJECT_DIR", self.checks(env={"CLAUDE_PROJECT_DIR": self.project}, cwd="/")["project"]["text"])

    def test_a_refused_project_fails_with_what_to_do(self):
        row = self.checks(wanted=NOTHING, cwd=self.home)["project"]
        self.assertEqual(row["status"], "fail")
        self.assertIn("--project", row["remedy"])

    def test_a_data_directory_open_to_others_fails(self):
        self.json("remember", "One memory.")
        os.chmod(os.path.join(self.data, "engram"), 0o777)
        row = self.checks(wanted=NOTHING)["data directory"]
        self.assertEqual(row["status"], "fail")
        self.assertIn("chmod", row["text"])

    def test_a_damaged_database_fails_and_is_left_as_it_is(self):
        self.json("remember", "One memory.")
        folder = os.path.join(self.data, "engram", os.listdir(os.path.join(self.data, "engram"))[0])
        path = os.path.join(folder, "memory.db")
        with open(path, "r+b") as file:
            file.write(b"no database" * 100)
            file.truncate(3000)
        with open(path, "rb") as file:
            before = file.read()
        row = self.checks(wanted=NOTHING)["database"]
        self.assertEqual(row["status"], "fail")
        self.assertIn("copy", row["remedy"])
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_what_agents_start_is_started_and_spoken_to(self):
        self.assertIn("none is set up", self.checks()["agents"]["text"])
        self.engram("setup", "codex", "opencode", "zed", "continue", "goose")
        row = self.checks()["agents"]
        self.assertEqual(row["text"], "Codex (5 tools), OpenCode (5 tools), Zed (5 tools), Continue (5 tools), Goose (5 tools)")

    def test_an_entry_that_starts_no_server_fails_and_says_what_to_do(self):
        self.engram("setup", "codex", "copilot")
        for command, why in (("/no/such/engram", "there is no program /no/such/engram"), ("/bin/cat", "doesn't answer as a server"),
                             ("/bin/true", "doesn't answer as a server"), ('""', "there is no program"), ("'", "line 2, column")):
            text = f'[mcp_servers.engram]\ncommand = "{command}"\n' if command[0] == "/" else f"[mcp_servers.engram]\ncommand = {command}\n"
            self.home_file(".codex/config.toml", text)
            row = self.checks(wanted=NOTHING)["agents"]
            self.assertEqual((row["status"], row["remedy"]), ("fail", "engram setup codex"))
            self.assertIn(why, row["text"])
            self.assertIn("Copilot CLI (5 tools)", row["text"])

    def test_a_project_s_own_files_start_nothing(self):
        self.write(".mcp.json", json.dumps({"mcpServers": {"engram": {"command": "/bin/touch", "args": [os.path.join(self.top, "started")]}}}))
        self.assertIn("none is set up", self.checks()["agents"]["text"])
        self.assertFalse(os.path.exists(os.path.join(self.top, "started")))

    def home_file(self, name, text):
        with open(os.path.join(self.home, name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_a_missing_worker_fails(self):
        alone = shutil.copy(BINARY, os.path.join(self.top, "engram"))
        done = subprocess.run([alone, "doctor", "--json"], capture_output=True, cwd=self.project, env=self.env)
        found = json.loads(done.stdout)
        row = {row["name"]: row for row in found["checks"]}["worker"]
        if row["status"] == "ok":
            self.skipTest("a worker is installed in the libexec folder")
        self.assertEqual(done.returncode, NOTHING)
        self.assertIn("engram-worker", row["text"] + row["remedy"])


if __name__ == "__main__":
    unittest.main(verbosity=2)  # what is skipped says why
