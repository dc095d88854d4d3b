"""Export and import: nothing is lost, and nothing is half done."""
import json
import os
import re
import stat
import subprocess
import unittest

from world import BINARY, REFUSED, World


class Export(World):
    def fill(self):
        self.write("a.md", "# Plan\n\nShip in June.\n\n## Risks\n\nThe gauge is late.\n")
        self.json("remember", "-k", "decision", "-t", "db", "-e", "SQLite:technology", "We chose SQLite \u00fc \U0001f600.")
        self.json("remember", "-t", "db", "-r", "Mara|owns|Larder", "-s", "Mara", "--session", "s", "We chose Postgres.")
        self.json("remember", "--at", "1999-12-31", "--pin", "A tab\tand a line\nbreak \\ \" and \u202e.")
        self.json("attach", "a.md")
        forgotten = self.json("remember", "Forget me.")
        self.json("forget", forgotten["id"])
        self.json("review", "--set-type", "SQLite", "database")

    def test_what_comes_back_exports_to_the_same_bytes(self):
        self.fill()
        first, _ = self.engram("export")
        rows = [json.loads(line) for line in first.splitlines()]
        self.assertEqual(rows[0]["engram_export"], 1)
        self.assertEqual(rows[0]["project"]["name"], "project")
        self.assertTrue(all(set(row) == {"table", "row"} for row in rows[1:]))

        there = {"XDG_DATA_HOME": os.path.join(self.top, "there")}
        imported = self.json("import", "-", stdin=first, env=there)
        self.assertEqual(imported["rows"], len(rows) - 1)
        self.assertEqual(self.engram("export", env=there)[0], first)
        self.assertEqual(self.json("recall", "Postgres", env=there)["items"], self.json("recall", "Postgres")["items"])
        self.assertEqual(self.json("recall", "gauge", env=there)["items"], self.json("recall", "gauge")["items"])
        # Ids go on where they were.
        self.assertEqual(self.json("remember", "New.", env=there)["id"], self.json("remember", "New.")["id"])

    def test_a_file_is_private_and_replaced_whole(self):
        self.fill()
        path = os.path.join(self.top, "backup.jsonl")
        with open(path, "w") as file:
            file.write("old")
        self.assertIn("Exported", self.engram("export", path)[0])
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path) as file:
            self.assertEqual(file.read(), self.engram("export")[0])
        self.assertEqual(sorted(os.listdir(self.top)), ["backup.jsonl", "data", "home", "project"])
        there = {"XDG_DATA_HOME": os.path.join(self.top, "there")}
        self.assertIn("Imported", self.engram("import", path, env=there)[0])

    def test_where_nothing_can_be_written_it_says_so(self):
        self.fill()
        self.refused("export", "/nope/x.jsonl", wanted=4, words=["/nope/x.jsonl"])
        with open("/dev/full", "w") as full:
            done = subprocess.run([BINARY, "export"], stdout=full, stderr=subprocess.PIPE, cwd=self.project, env=self.env)
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"No space left", done.stderr)


class Markdown(World):
    def fill(self):
        self.json("remember", "-k", "decision", "-t", "Data Base", "--at", "2026-05-01", "We chose Postgres.")
        self.json("remember", "-k", "decision", "-t", "Data Base", "--at", "2026-05-02", "--pin", "We chose SQLite.")
        self.json("remember", "--session", "s/1", "--at", "2026-05-03", "-s", "Mara", "# Not a heading\n\nTwo lines \x1b[31m.")
        self.json("remember", "--at", "2026-06-07", "-r", "Mara|owns|Larder", "Mara owns Larder.")
        self.write("a.md", "# Plan\n\nShip in June.\n")
        self.json("attach", "a.md")

    WANTED = """
## Topic: Data Base

- **decision** 2026-05-01 (m1, user, superseded by m3): We chose Postgres.
- **decision** 2026-05-02 (m3, user, pinned): We chose SQLite.

## Session: s/1

- **fact** 2026-05-03 (m7, user, said by Mara): # Not a heading

  Two lines \\u{1B}[31m.

## 2026-06

- **fact** 2026-06-07 (m8, user): Mara owns Larder.

## Documents

- Plan (d10, a.md, 1 passages)

## Entities
"""

    def test_one_file_tells_all_in_an_order_to_read(self):
        self.fill()
        out, _ = self.engram("export", "--format", "markdown")
        self.assertTrue(out.startswith("# What engram remembers of project\n"))
        self.assertIn(self.WANTED, out)
        self.assertRegex(out, r"- Mara \(e\d+, person\)\n  - owns Larder\n")
        path = os.path.join(self.top, "all.md")
        self.engram("export", "--format", "markdown", path)
        with open(path) as file:
            self.assertEqual(file.read(), out)

    def test_a_folder_has_a_file_for_each_topic_session_and_month(self):
        self.fill()
        folder = os.path.join(self.top, "notes")
        self.assertIn("Exported", self.engram("export", "--format", "markdown", folder + "/")[0])
        found = sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)
        self.assertEqual([re.sub(r"-[0-9a-f]{6}\.md", ".md", name) for name in found],
                         ["documents.md", "entities.md", "months/2026-06.md", "sessions/s-1.md", "topics/data-base.md"])
        with open(os.path.join(folder, "months", "2026-06.md")) as file:
            self.assertEqual(file.read(), "# 2026-06\n\n- **fact** 2026-06-07 (m8, user): Mara owns Larder.\n")
        self.refused("export", "--format", "markdown", folder + "/", words=["already", "new folder"])
        self.refused("export", "--format", "markdown", "/nope/x/", wanted=4, words=["/nope/x"])
        self.refused("export", "--format", "html", wanted=2, words=["html", "markdown"])
        self.assertEqual([name for name in os.listdir(self.top) if ".tmp" in name], [])


class Import(World):
    HEADER = '{"engram_export":1,"project":{"id":"x","name":"x"},"version":"0"}\n'

    def rows(self):
        """The lines of a small export, without its header."""
        self.json("remember", "Only one.")
        return self.engram("export")[0].splitlines(keepends=True)[1:]

    def there(self):
        return {"XDG_DATA_HOME": os.path.join(self.top, "there")}

    def test_a_bad_line_is_named_and_nothing_is_kept(self):
        rows = self.rows()
        for bad, words in [
            ("{\n", ["JSON"]),
            ("[]\n", ["JSON object"]),
            ('{"table":"node"}\n', ["wanted"]),
            ('{"table":"node","row":{},"more":1}\n', ["wanted"]),
            ('{"table":1,"row":{}}\n', ["wanted"]),
            ('{"table":"sqlite_schema","row":{"name":"x"}}\n', ["sqlite_schema"]),
            ('{"table":"node; drop","row":{"id":1}}\n', ["node; drop"]),
            (rows[0][:-3] + ',"nope":1}}\n', ["nope"]),
            (rows[0].replace('"row":{', '"row":{"list":[],'), ["list"]),
            (rows[0].replace('"row":{"', '"row":{"x\\"; --":1,"'), ["line"]),
            (rows[0], ["line"]),  # the same row twice
        ]:
            with self.subTest(bad):
                text = self.HEADER + "".join(rows) + bad
                self.refused("import", "-", stdin=text, env=self.there(), wanted=self.code_of(text),
                             words=[f"line {len(rows) + 2}:", "nothing was imported", *words])
                self.assertEqual(len(self.engram("export", env=self.there())[0].splitlines()),
                                 len(self.engram("export", env={"XDG_DATA_HOME": os.path.join(self.top, "fresh")})[0]
                                     .splitlines()))

    def code_of(self, text):
        """Refused as input, or by the database's own constraints."""
        done = subprocess.run([BINARY, "import", "-"], input=text.encode(), capture_output=True, cwd=self.project,
                              env={**self.env, **self.there()})
        self.assertIn(done.returncode, (REFUSED, 4), done.stderr)
        return done.returncode

    def test_what_is_no_export_is_refused(self):
        for text, words in [
            ("", ["line 1", "no export"]),
            ("hello\n", ["line 1", "no export"]),
            ("{}\n", ["line 1", "engram_export"]),
            ('{"engram_export":2}\n', ["engram_export is 2", "reads 1", "newer"]),
            ('{"type":"entity","name":"x"}\n', ["line 1", "engram_export"]),
        ]:
            with self.subTest(text):
                self.refused("import", "-", stdin=text, words=words)
        self.refused("import", "gone.jsonl", words=["gone.jsonl"])
        self.refused("import", "--from", "engram", self.project, wanted=4, words=["directory"])

    def test_a_memory_that_is_not_empty_is_kept(self):
        rows = self.rows()
        self.refused("import", "-", stdin=self.HEADER + "".join(rows), words=["nothing was imported"])
        self.assertEqual(self.engram("export")[0].splitlines(keepends=True)[1:], rows)

    def test_blank_lines_and_a_missing_last_newline_are_fine(self):
        rows = self.rows()
        self.engram("import", "-", stdin=(self.HEADER + "\n" + "\n".join(rows)).rstrip(), env=self.there())
        self.assertEqual(len(self.json("recall", "Only one", env=self.there())["items"]), 1)

    def test_an_endless_line_is_refused(self):
        self.refused("import", "-", stdin=b"{" * (17 << 20), words=["line 1", "16777216"])


if __name__ == "__main__":
    unittest.main()
