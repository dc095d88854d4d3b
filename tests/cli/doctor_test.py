"""The doctor's checks: each can be seen failing, and none changes anything."""
import json
import os
import shutil
import subprocess
import unittest

from world import BINARY, NOTHING, World

NAMES = ["settings", "data directory", "project", "database", "versions", "worker", "sources", "hooks"]


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

    def test_a_missing_worker_fails(self):
        alone = shutil.copy(BINARY, os.path.join(self.top, "engram"))
        done = subprocess.run([alone, "doctor", "--json"], capture_output=True, cwd=self.project, env=self.env)
        found = json.loads(done.stdout)
        row = found["checks"][-1]
        if row["status"] == "ok":
            self.skipTest("a worker is installed in the libexec folder")
        self.assertEqual(done.returncode, NOTHING)
        self.assertIn("engram-worker", row["text"] + row["remedy"])


if __name__ == "__main__":
    unittest.main()
