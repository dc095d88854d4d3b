"""What a person sees: recall and review on a terminal, completion, the manual page."""
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time
import unittest
import fcntl

from world import BINARY, USAGE, World

PATIENCE_S = 60
CHROME = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(World):
    def on_a_terminal(self, *args, typed="", columns=60, env=None):
        """What it prints where standard input and output are a terminal, and its exit code."""
        keeper, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        child = subprocess.Popen([BINARY, *args], stdin=terminal, stdout=terminal, stderr=subprocess.DEVNULL, cwd=self.project,
                                 env={**self.env, "TERM": "xterm", **(env or {})})
        os.close(terminal)
        os.write(keeper, typed.encode())
        shown, until = b"", time.monotonic() + PATIENCE_S
        while True:
            if not select.select([keeper], [], [], max(0, until - time.monotonic()))[0]:
                child.kill()
                child.wait()
                os.close(keeper)
                self.fail(f"engram {args} doesn't end; it showed {shown!r}")
            try:
                part = os.read(keeper, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(keeper)
        return shown.decode().replace("\r\n", "\n"), child.wait(PATIENCE_S)

    def test_recall_fits_the_width_and_says_where_it_is_from(self):
        self.json("remember", "-k", "decision", "-s", "Mara", "-e", "Larder:service",
                  "We chose SQLite for Larder because one file is easy to back up, to copy and to look into when something breaks.")
        shown, code = self.on_a_terminal("recall", "which database did we choose for Larder")
        self.assertEqual(code, 0)
        plain = CHROME.sub("", shown)
        self.assertNotEqual(plain, shown, "there are colours")
        self.assertTrue(all(len(line) <= 60 for line in plain.splitlines()), plain)
        self.assertRegex(plain, r"1\. decision  m\d+  \d{4}-\d\d-\d\d  score 0\.\d\d\n")
        self.assertIn("said by Mara", plain)
        self.assertIn("why: ", plain)
        text = " ".join(line.strip() for line in plain.splitlines())
        self.assertIn("one file is easy to back up, to copy and to look into when something breaks.", text)

    def test_colours_can_be_switched_off(self):
        self.json("remember", "We chose SQLite.")
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.on_a_terminal("recall", "SQLite", env=env)[0])

    def test_wide_characters_count_twice_and_long_words_are_cut(self):
        self.json("remember", "データベースは" * 20)
        self.json("remember", "x" * 300)
        for query in ("データベース", "x" * 300):
            shown = CHROME.sub("", self.on_a_terminal("recall", query, columns=40)[0])
            for line in shown.splitlines():
                self.assertLessEqual(sum(2 if ord(c) > 0x2E80 else 1 for c in line), 40, line)

    def test_nothing_remembered_steers_the_terminal(self):
        self.json("remember", "Evil \x1b[2J\x1b]0;title\x07 \u202e text about gauges.")
        shown, _ = self.on_a_terminal("recall", "gauges", env={"NO_COLOR": "1"})
        self.assertNotIn("\x1b", shown)
        self.assertNotIn("\u202e", shown)

    def test_what_is_not_current_says_so(self):
        self.json("remember", "-t", "port", "Larder listens on 8080.")
        self.json("remember", "-t", "port", "Larder listens on 9090.")
        shown = CHROME.sub("", self.on_a_terminal("recall", "--ids", "m1")[0])
        self.assertIn("no longer current", shown)

    def test_nothing_known_is_one_sentence_and_exit_code_1(self):
        shown, code = self.on_a_terminal("recall", "zebra", env={"NO_COLOR": "1"})
        self.assertEqual((shown, code), ("Nothing is known of that.\n", 1))

    def test_a_pipe_gets_what_it_always_got(self):
        self.json("remember", "We chose SQLite.")
        out, _ = self.engram("recall", "SQLite")
        self.assertIn("[m1] decision", out)
        self.assertNotIn("\x1b", out)

    def ask(self):
        self.json("remember", "-e", "PostgreSQL:technology", "PostgreSQL holds the stock.")
        self.json("remember", "-e", "PostgreSLQ:technology", "PostgreSLQ holds the orders.")
        self.json("consolidate")
        questions = self.json("review")["questions"]
        self.assertTrue(questions)
        return questions

    def test_review_asks_and_tells_how_to_take_it_back(self):
        questions = self.ask()
        shown, code = self.on_a_terminal("review", typed="what?\ny\n" + "q\n" * len(questions), columns=100)
        self.assertEqual(code, 0, shown)
        journal = re.search(r"engram review --undo (j\d+)", shown)
        self.assertTrue(journal, shown)
        self.assertNotIn(questions[0]["id"], [q["id"] for q in self.json("review")["questions"]])
        self.json("review", "--undo", journal.group(1))
        self.assertIn(questions[0]["text"], [q["text"] for q in self.json("review")["questions"]])

    def test_review_changes_nothing_where_nobody_answers(self):
        questions = self.ask()
        before, _ = self.engram("export")
        self.on_a_terminal("review", typed="q\n")
        self.engram("review", stdin="y\n")
        self.assertEqual(self.engram("export")[0], before)
        self.assertIn(questions[0]["text"], self.engram("review")[0])

    def test_review_without_questions_says_so(self):
        self.assertIn("nothing to ask", self.on_a_terminal("review")[0])


class Tables(World):
    def options(self, command):
        return set(re.findall(r"^  (?:-\w, |    )(--[a-z-]+)", self.engram("help", command)[0], re.M))

    def bash(self, line):
        """What bash completes at the end of a line."""
        words = line.split(" ")
        script = (f"source <({BINARY} completion bash)\nCOMP_WORDS=({' '.join(w or chr(39) * 2 for w in words)})\n"
                  f"COMP_CWORD={len(words) - 1}\n_engram\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=self.env, cwd=self.project)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_bash_completes_commands_and_their_options(self):
        self.assertLessEqual(set(self.commands()), self.bash("engram "))
        self.assertEqual(self.bash("engram rec"), {"recall"})
        self.assertEqual(self.bash("engram -C /tmp --json rem"), {"remember"})
        for command in self.commands():
            self.assertEqual(self.bash(f"engram {command} --"), self.options(command), command)
        self.assertEqual(self.bash("engram recall wo"), set())

    def test_zsh_and_fish_are_given_every_option(self):
        for shell in ("zsh", "fish"):
            script, _ = self.engram("completion", shell)
            for command in self.commands():
                self.assertIn(command, script)
                for option in self.options(command):
                    self.assertIn(option if shell == "zsh" else f"-l {option[2:]}", script)

    def syntax_holds(self, shell):
        path = self.write("completion", self.engram("completion", shell)[0])
        done = subprocess.run([shell, "-n", path], capture_output=True, text=True, env=self.env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh_can_read_what_it_is_given(self):
        self.syntax_holds("zsh")

    def zsh(self, line):
        """What zsh's own functions are called with where the last word of the line is completed."""
        path = self.write("completion", self.engram("completion", "zsh")[0])
        words = " ".join(f"'{word}'" for word in line.split(" "))
        script = f"""compdef() {{ : }}
            _describe() {{ print -r -- commands }}
            _files() {{ print -r -- files }}
            _arguments() {{ print -r -- "options of $words[1], at $CURRENT" }}
            source {path}; words=({words}); CURRENT=$#words; _engram"""
        done = subprocess.run(["zsh", "-fc", script], capture_output=True, text=True, env=self.env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.strip()

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh_finds_the_command_behind_the_options_before_it(self):
        for line, wanted in (
            ("engram ", "commands"),
            ("engram -C ", "files"),
            ("engram -C /tmp ", "commands"),
            ("engram --project /tmp --", "commands"),
            ("engram index --", "options of index, at 2"),
            ("engram -C /tmp index ", "options of index, at 2"),
            ("engram index --since x --", "options of index, at 4"),
        ):
            self.assertEqual(self.zsh(line), wanted, line)

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish_can_read_what_it_is_given(self):
        self.syntax_holds("fish")

    def test_another_shell_is_refused(self):
        for wrong in ([], ["tcsh"], ["bash", "zsh"]):
            self.assertIn("bash, zsh or fish", self.engram("completion", *wrong, wanted=USAGE)[1])

    def test_the_manual_page_has_all_of_the_tables(self):
        page, _ = self.engram("man")
        plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
        for command in self.commands():
            self.assertIn(f'.SS "{command}', plain)
            for option in self.options(command):
                self.assertIn(option, plain)
        for setting in re.findall(r"^  ([A-Z_]+) ", self.engram("help", "settings")[0], re.M):
            self.assertIn(setting, plain)
        self.assertFalse([line for line in page.splitlines() if line.startswith((".", "'")) and not re.match(r"\.(TH|SH|SS|TP|PP|nf|fi)\b", line)])

    @unittest.skipUnless(shutil.which("groff"), "there is no groff")
    def test_groff_has_nothing_to_say_of_the_manual_page(self):
        page, _ = self.engram("man")
        done = subprocess.run(["groff", "-man", "-ww", "-z"], input=page, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)  # what is skipped says why
