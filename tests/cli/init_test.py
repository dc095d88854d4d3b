"""engram init: what a project says of itself is known before anybody has told it."""
import os
import unittest

from world import DONE, NOTHING, USAGE, World

OLD = """# 1. Use MySQL

Date: 2024-01-02

## Status

{status}

## Context

Orders need a database.

## Decision

We will use MySQL.
"""
NEW = """# 2. Use PostgreSQL

## Status

Accepted

Supersedes [1. Use MySQL](0001-use-mysql.md)

## Context

Orders need JSON columns.

## Decision

We will use PostgreSQL.
"""


class Init(World):
    def decisions(self, *more, wanted=DONE):
        return [(item["text"].split(".")[0], item.get("superseded_by", item.get("superseded", False)))
                for item in self.json("recall", "--kinds", "decision", "--min-score", "0", *more, "database", wanted=wanted)["items"]]

    def test_documents_are_what_tells_of_the_project(self):
        wanted = ["README.md", "CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".windsurfrules",
                  ".github/copilot-instructions.md", "CONTRIBUTING.rst", "CHANGELOG.md", ".github/SECURITY.md", ".cursor/rules/style.mdc",
                  "doc/guide.adoc", "docs/a/b/deep.txt", "docs/index.html"]
        others = ["READMEs.md", "readme.c", "src/README.md", "docs/app.js", "docs/node_modules/x.md", "docs/.git/x.md",
                  ".cursor/mcp.md", "notes.md", ".github/workflows/a.md"]
        for path in wanted + others:
            self.write(path, f"<p>What {path} says.</p>\n" if path.endswith("html") else f"What {path} says.\n")
        reply = self.json("init")
        self.assertEqual(sorted(row["path"] for row in reply["documents"]), sorted(wanted))
        self.assertEqual({row["status"] for row in reply["documents"]}, {"attached"})
        self.assertEqual(reply["left_out"], [])

    def test_a_dry_run_changes_nothing(self):
        self.write("README.md", "# Shop\n\nIt sells.\n")
        self.write("docs/adr/0001-use-mysql.md", OLD.format(status="Accepted"))
        reply = self.json("init", "--dry-run")
        self.assertEqual((len(reply["documents"]), len(reply["decisions"]), reply["changes"]), (2, 1, 0))
        self.assertEqual(self.json("init")["changes"], 3)

    def test_a_second_run_finds_nothing_new_and_a_third_follows_changes(self):
        self.write("README.md", "# Shop\n\nIt sells.\n")
        path = self.write("docs/adr/0001-use-mysql.md", OLD.format(status="Accepted"))
        self.json("init")
        again = self.json("init")
        self.assertEqual((again["changes"], {row["status"] for row in again["documents"] + again["decisions"]}),
                         (0, {"unchanged"}))
        self.write("README.md", "# Shop\n\nIt sells and buys.\n")
        with open(path, "a", encoding="utf-8") as file:
            file.write("\nVersion 8, with replicas.\n")
        third = self.json("init")
        self.assertEqual([row["status"] for row in third["documents"]], ["replaced", "replaced"])
        self.assertEqual([row["status"] for row in third["decisions"]], ["changed"])
        self.assertEqual(len(self.decisions()), 1)
        self.assertIn("replicas", self.json("recall", "--kinds", "decision", "MySQL")["items"][0]["text"])
        self.assertEqual(self.json("init")["changes"], 0)

    def test_a_superseded_record_names_what_holds_now(self):
        self.write("docs/adr/0001-use-mysql.md", OLD.format(status="Accepted"))
        self.write("docs/adr/0002-use-postgresql.md", NEW)
        rows = {row["path"][-13:]: row for row in self.json("init")["decisions"]}
        new = rows["postgresql.md"]["id"]
        self.assertEqual(self.decisions(), [("ADR 2: Use PostgreSQL", False)])
        self.assertIn(("ADR 1: Use MySQL", new), self.decisions("--include-superseded"))
        self.assertEqual(self.json("init")["changes"], 0)

    def test_the_text_of_a_record_that_is_superseded_ranks_behind_what_holds(self):
        def first():
            items = self.json("recall", "--min-score", "0", "--explain", "use MySQL database for orders")["items"]
            return items[0]["source"].get("path"), {why for item in items for why in item["why"] if "no longer holds" in why}
        path = "docs/adr/0001-use-mysql.md"
        self.write("docs/adr/0002-use-postgresql.md", NEW.replace("Supersedes", "See"))
        self.write(path, OLD.format(status="Accepted"))
        self.json("init")
        self.assertEqual(first(), (path, set()))
        self.write("docs/adr/0002-use-postgresql.md", NEW)
        self.json("init")
        where, why = first()
        self.assertNotEqual(where, path)
        self.assertEqual(why, {"of a decision that no longer holds"})
        self.assertEqual(self.json("init")["changes"], 0)

    def test_a_record_that_is_superseded_later_steps_back(self):
        self.write("docs/adr/0001-use-mysql.md", OLD.format(status="Accepted"))
        self.json("init")
        self.assertEqual(self.decisions(), [("ADR 1: Use MySQL", False)])
        self.write("docs/adr/0001-use-mysql.md", OLD.format(status="Superseded by ADR-0002"))
        self.write("docs/adr/0002-use-postgresql.md", NEW)
        self.json("init")
        self.assertEqual(self.decisions(), [("ADR 2: Use PostgreSQL", False)])

    def test_what_was_rejected_or_is_deprecated_is_not_current(self):
        for status in ("Rejected", "Deprecated"):
            with self.subTest(status):
                self.write("docs/adr/0001-use-mysql.md", OLD.format(status=status))
                self.json("init")
                self.assertEqual(self.decisions(wanted=NOTHING), [])
        self.assertEqual(len(self.decisions("--include-superseded")), 1)

    def test_what_is_proposed_is_a_question_until_it_is_accepted(self):
        self.write("docs/adr/0001-use-mysql.md", OLD.format(status="Proposed"))
        self.json("init")
        self.assertEqual(self.decisions(wanted=NOTHING), [])
        self.assertEqual(len(self.json("recall", "--kinds", "question", "MySQL")["items"]), 1)
        self.write("docs/adr/0001-use-mysql.md", OLD.format(status="Accepted"))
        self.json("init")
        self.assertEqual(self.decisions(), [("ADR 1: Use MySQL", False)])

    def test_a_decision_is_found_by_its_file(self):
        self.write("docs/adr/0001-use-mysql.md", OLD.format(status="Accepted"))
        self.json("init")
        [item] = self.json("recall", "--kinds", "decision", "--file", "docs/adr/0001-use-mysql.md")["items"]
        self.assertEqual((item["source"]["path"], item["at"]), ("docs/adr/0001-use-mysql.md", "2024-01-02T00:00:00Z"))

    def test_what_was_forgotten_stays_so(self):
        self.write("README.md", "# Shop\n\nIt sells.\n")
        self.write("docs/adr/0001-use-mysql.md", OLD.format(status="Accepted"))
        first = self.json("init")
        self.engram("forget", "--yes", first["decisions"][0]["id"], *(row["id"] for row in first["documents"]))
        again = self.json("init", wanted=NOTHING)
        self.assertEqual(again["documents"], [])
        self.assertEqual({row["path"] for row in again["left_out"] if "was forgotten" in row["why"]}, {"README.md", "docs/adr/0001-use-mysql.md"})

    def test_a_text_that_was_forgotten_elsewhere_is_not_told_as_taken_over(self):
        self.write("README.md", "# Shop\n\nIt sells.\n")
        copy = self.write("copy.md", "# Shop\n\nIt buys.\n")
        self.json("init")
        self.engram("forget", "--yes", self.json("attach", "copy.md")["id"])
        os.rename(copy, self.write("README.md", ""))
        reply = self.json("init", wanted=NOTHING)
        self.assertEqual(reply["documents"], [])
        self.assertEqual([row["path"] for row in reply["left_out"]], ["README.md"])
        self.assertIn("forgotten", reply["left_out"][0]["why"])

    def test_secrets_stay_out(self):
        secret = "AKIAIOSFODNN7EXAMPLE"
        self.write("docs/adr/0001-use-mysql.md", OLD.format(status="Accepted") + f"\nThe key is {secret}.\n")
        self.write("me.md", f"Key: {secret}\n")
        for _ in range(2):
            reply = self.json("init", "--profile", "me.md")
        self.assertEqual(reply["changes"], 0)
        for folder, _, names in os.walk(self.data):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(secret.encode(), file.read(), name)

    def test_links_that_lead_out_are_not_followed(self):
        outside = os.path.join(self.top, "outside")
        os.mkdir(outside)
        with open(os.path.join(outside, "secret.md"), "w", encoding="utf-8") as file:
            file.write("private\n")
        os.symlink(outside, os.path.join(self.project, "docs"))
        os.symlink(os.path.join(outside, "secret.md"), os.path.join(self.project, "README.md"))
        self.write("AGENTS.md", "Run the tests.\n")
        self.assertEqual([row["path"] for row in self.json("init")["documents"]], ["AGENTS.md"])

    def test_bounds_leave_out_the_rest_and_say_so(self):
        for i in range(301):
            self.write(f"docs/{i:03}.md", f"Page {i}.\n")
        self.write("README.md", "x" * (2 * 1024 * 1024 + 1))
        self.write("AGENTS.md", "")
        reply = self.json("init", "--dry-run")
        self.assertEqual(len(reply["documents"]), 300)
        self.assertEqual({row["path"]: row["why"] for row in reply["left_out"]},
                         {"README.md": "larger than 2 MiB; `engram attach` takes it", "AGENTS.md": "empty",
                          "docs/300.md": "beyond 300 files"})

    def test_a_broken_file_is_left_out_with_its_reason(self):
        self.write("README.md", "# Shop\n\nIt sells.\n")
        self.write("docs/broken.pdf", "%PDF-1.4 nothing\n")
        reply = self.json("init")
        self.assertEqual([row["path"] for row in reply["documents"]], ["README.md"])
        self.assertEqual([row["path"] for row in reply["left_out"]], ["docs/broken.pdf"])

    def test_a_profile_is_pinned_and_follows_its_file(self):
        self.write("me.md", "# About me\n- backend developer\n\nStack: Go\n")
        rows = self.json("init", "--profile", "me.md")["profile"]
        self.assertEqual([(row["kind"], row["status"]) for row in rows], [("identity", "new"), ("preference", "new")])
        self.assertEqual(self.json("init", "--profile", "me.md")["changes"], 0)
        self.write("me.md", "# About me\n- backend developer\n\nStack: Rust\n")
        self.json("init", "--profile", "me.md")
        texts = [item["text"] for item in self.json("recall", "--kinds", "preference", "stack")["items"]]
        self.assertEqual(texts, ["Stack: Rust"])

    def test_wrong_calls_say_what_is_wrong(self):
        self.refused("init", "--profile", "none.md", words=["--profile", "none.md"])
        self.refused("init", "docs", words=["docs"], wanted=USAGE)
        self.write("me.md", b"\xff\xfe\xfd".decode("latin-1") * 40000)
        self.refused("init", "--profile", "me.md", words=["--profile", "65536"])

    def test_an_empty_project_is_told_and_left_alone(self):
        out, _ = self.engram("init", wanted=NOTHING)
        self.assertIn("engram attach", out)
        self.assertIn("engram init", self.json("recall", "anything", wanted=NOTHING)["hint"])
        self.engram("remember", "The shop sells ships.", wanted=DONE)
        self.assertNotIn("hint", self.json("recall", "quasar", wanted=NOTHING))


if __name__ == "__main__":
    unittest.main()
