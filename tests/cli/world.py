"""A throw-away home, data directory and project for tests of the command line, and the program to run in them."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = os.environ.get("ENGRAM_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BINARY = os.environ.get("ENGRAM_BINARY", os.path.join(TOP, "build", "debug", "engram"))

DONE, NOTHING, USAGE, REFUSED, TROUBLE = range(5)


def clean_environment():
    """The caller's, without what agents and engram read."""
    return {k: v for k, v in os.environ.items() if not re.match(r"ENGRAM_|CLAUDE|COPILOT|XDG_|GIT_", k)}


class World(unittest.TestCase):
    """Each test has its own; self.project is a directory without git."""

    def setUp(self):
        self.top = os.path.realpath(tempfile.mkdtemp(prefix="engram-cli-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.home, self.data, self.project = (os.path.join(self.top, name) for name in ("home", "data", "project"))
        os.mkdir(self.home)
        os.mkdir(self.project)
        self.env = {**clean_environment(), "HOME": self.home, "XDG_DATA_HOME": self.data, "ENGRAM_ENCODER": "off"}

    def engram(self, *args, stdin="", cwd=None, env=None, wanted=DONE):
        """Runs it and checks the exit code; returns (stdout, stderr) as text."""
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        done = subprocess.run([BINARY, *args], input=data, capture_output=True, cwd=cwd or self.project,
                              env={**self.env, **(env or {})}, timeout=120)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, wanted, f"engram {args}: {out}{err}")
        return out, err

    def commands(self):
        """The names of all commands, as help lists them."""
        return re.findall(r"^  ([\w-]+) ", self.engram("help")[0], re.M)

    def json(self, *args, **more):
        """The object that the command prints with --json."""
        return json.loads(self.engram("--json", *args, **more)[0])

    def refused(self, *args, words, wanted=REFUSED, **more):
        """The command fails with one line on stderr that holds each of `words`."""
        out, err = self.engram(*args, wanted=wanted, **more)
        self.assertEqual(out, "")
        self.assertEqual(err.count("\n"), 1, err)
        self.assertTrue(err.startswith("engram"), err)
        for word in words:
            self.assertIn(word, err)
        return err

    def write(self, path, text):
        path = os.path.join(self.project, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path
