"""Help, version, wrong usage, and settings that don't hold. Needs no database."""
import os
import re
import unittest

from world import NOTHING, REFUSED, USAGE, World

COMMANDS = ["init", "remember", "recall", "attach", "review", "forget", "status", "index", "consolidate", "queue", "export",
            "import", "graph", "doctor", "setup", "setup-model", "hook", "serve", "completion", "man", "help", "version"]


class Help(World):
    def test_the_overview_lists_every_command(self):
        out, _ = self.engram("help")
        self.assertEqual(re.findall(r"^  ([\w-]+) ", out, re.M), COMMANDS)
        self.assertEqual(self.engram("--help")[0], out)
        self.assertEqual(self.engram("-h")[0], out)

    def test_every_command_has_help(self):
        for name in COMMANDS:
            out, _ = self.engram("help", name)
            self.assertTrue(out.startswith(f"Usage: engram {name}"), out)
            self.assertIn("--json", out)
            self.assertEqual(self.engram(name, "--help")[0], out)
            self.assertLessEqual(max(map(len, out.splitlines())), 118)

    def test_every_option_in_an_example_exists(self):
        for name in COMMANDS:
            out, _ = self.engram("help", name)
            options, _, examples = out.partition("Example")
            for option in re.findall(rf"engram {name}.*?(--[a-z-]+)", examples):
                self.assertIn(option, options)

    def test_settings_are_listed(self):
        out, _ = self.engram("help", "settings")
        for name in ("ENGRAM_PROJECT", "XDG_DATA_HOME", "ENGRAM_NOW", "ENGRAM_PPR", "ENGRAM_LOG"):
            self.assertIn(name, out)

    def test_the_version_is_printed(self):
        self.assertRegex(self.engram("version")[0], r"^engram \d+\.\d+\.\d+\n$")
        self.assertEqual(self.engram("--version")[0], self.engram("version")[0])
        self.assertRegex(self.json("version")["version"], r"^\d+\.\d+\.\d+$")


class Usage(World):
    def test_an_unknown_command_is_answered_with_a_near_one(self):
        self.refused("recal", wanted=USAGE, words=['"recal"', 'did you mean "recall"'])
        self.refused("stauts", wanted=USAGE, words=['did you mean "status"'])
        self.refused("help", "exprt", wanted=USAGE, words=['did you mean "export"'])
        self.assertNotIn("did you mean", self.refused("zzz", wanted=USAGE, words=["engram help"]))

    def test_wrong_options_and_operands_are_named(self):
        for args, words in [
            (["recall", "--limt", "3", "q"], ["--limt is no option here", "engram help recall"]),
            (["recall", "--limit"], ["--limit wants a value"]),
            (["--nope", "recall", "q"], ["--nope is no option here"]),
            (["recall"], ["QUERY, --ids or --file"]),
            (["remember"], ["no text"]),
            (["remember", "--relation", "a|b", "x"], ["--relation", "'FROM|relation|TO'"]),
            (["attach"], ["one PATH"]),
            (["attach", "a", "b"], ["one PATH", "2"]),
            (["attach", "--name", "x", "a"], ["--name"]),
            (["forget"], ["no ID"]),
            (["status", "x"], ['"x"', "too many"]),
            (["index", "x"], ['"x"', "too many"]),
            (["doctor", "x"], ['"x"', "too many"]),
            (["review", "x"], ['"x"', "too many"]),
            (["review", "--merge", "a"], ["--merge wants two values"]),
            (["export", "a", "b"], ['"b"', "too many"]),
            (["import"], ["one PATH"]),
            (["setup", "emacs"], ['"emacs"', "no agent"]),
            (["setup", "--scope", "all"], ["--scope", '"all"', "user or project"]),
            (["serve", "x"], ['"x"', "too many"]),
        ]:
            with self.subTest(args):
                self.refused(*args, wanted=USAGE, words=words)

    def test_wrong_usage_makes_nothing(self):
        self.refused("recall", wanted=USAGE, words=["QUERY"])
        self.assertFalse(os.path.exists(self.data))

    def test_errors_are_json_where_json_is_asked_for(self):
        self.assertEqual(set(self.json("recal", wanted=USAGE)), {"error", "code"})
        self.assertEqual(self.json("recall", wanted=USAGE)["code"], "usage")
        self.assertEqual(self.json("--project", "/", "status", wanted=REFUSED)["code"], "input")

    def test_nothing_that_steers_a_terminal_is_printed(self):
        err = self.refused("\x1b[31mx\u202e", wanted=USAGE, words=["\\u{1B}", "\\u{202E}"])
        self.assertNotIn("\x1b", err)


class Places(World):
    def test_home_root_and_missing_directories_are_refused_with_what_to_do(self):
        self.refused("status", cwd=self.home, words=["home directory", "ENGRAM_PROJECT", "--project"])
        self.refused("status", cwd="/", words=["root of the file system", "ENGRAM_PROJECT"])
        self.refused("status", "--project", "/nope", words=["/nope", "No such file"])
        self.refused("status", "-C", __file__, words=["no directory"])
        self.assertFalse(os.path.exists(self.data))

    def test_without_home_and_data_directory_the_error_says_what_to_set(self):
        self.refused("status", env={"HOME": "", "XDG_DATA_HOME": ""}, words=["set XDG_DATA_HOME or HOME"])
        self.refused("status", env={"XDG_DATA_HOME": "here"}, words=["XDG_DATA_HOME", '"here"', "absolute"])

    def test_bad_settings_are_named(self):
        self.refused("status", env={"ENGRAM_NOW": "soon"}, words=["ENGRAM_NOW", '"soon"', "RFC 3339"])
        self.refused("status", env={"ENGRAM_PPR": "maybe"}, words=["ENGRAM_PPR", '"maybe"', "on or off"])
        os.makedirs(os.path.join(self.home, ".config/engram"))
        with open(os.path.join(self.home, ".config/engram/config"), "w") as file:
            file.write("# mine\nENGRAM_PRP=off\n")
        self.refused("status", words=["config line 2", "ENGRAM_PRP", "no setting"])
        self.assertEqual(self.json("doctor", wanted=NOTHING)["checks"][0]["status"], "fail")

    def test_settings_in_the_project_do_not_count(self):
        self.write(".config/engram/config", "ENGRAM_PROJECT=/nope\n")
        self.write(".env", "ENGRAM_PROJECT=/nope\n")
        self.write("config", "ENGRAM_PROJECT=/nope\n")
        self.engram("index")


if __name__ == "__main__":
    unittest.main()
