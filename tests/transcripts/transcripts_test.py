"""Plays every *.jsonl beside this file against the real server. A line is one of

    # text           a comment
    $ NAME=VALUE     environment of the server; before the first message
    > JSON           sent as it stands
    < JSON           the next message must look like this
    ~ JSON           one of the messages that come must look like this (answers of calls come when they are done)

In what is awaited "*" stands for any value, "..." as a key (with any value) for any other members, "..." as the last
element for any further elements, and {"re": "..."} for a text that the regular expression finds something in. At the
end stdin is closed: the server must exit with 0 and have nothing more to say."""

import glob
import json
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "wire"))

import wire
from wire import Server


def looks_like(seen, wanted):
    if wanted == "*":
        return True
    if isinstance(wanted, dict) and list(wanted) == ["re"]:
        return isinstance(seen, str) and re.search(wanted["re"], seen) is not None
    if isinstance(wanted, dict):
        keys = [key for key in wanted if key != "..."]
        return (isinstance(seen, dict) and all(key in seen and looks_like(seen[key], wanted[key]) for key in keys)
                and ("..." in wanted or len(keys) == len(seen)))
    if isinstance(wanted, list):
        exact = wanted[:-1] if wanted[-1:] == ["..."] else wanted
        return (isinstance(seen, list) and len(seen) >= len(exact) and (exact is not wanted or len(seen) == len(exact))
                and all(looks_like(a, b) for a, b in zip(seen, exact)))
    return type(seen) is type(wanted) and seen == wanted


class Player:
    def __init__(self, test, name, server):
        self.test, self.name, self.server = test, name, server
        self.passed_over = []

    def fail(self, number, text, seen):
        self.test.fail(f"{self.name}:{number}: wanted {text}\nseen {json.dumps(seen, ensure_ascii=False)[:2000]}")

    def play(self, number, mark, text):
        if mark == ">":
            self.server.write(text.encode() + b"\n")
        elif mark == "<":
            seen = self.server.next()
            if not looks_like(seen, json.loads(text)):
                self.fail(number, text, seen)
        else:
            self.find(number, text)

    def find(self, number, text):
        wanted = json.loads(text)
        while True:
            for seen in self.passed_over:
                if looks_like(seen, wanted):
                    self.passed_over.remove(seen)
                    return
            try:
                seen = self.server.next()
            except wire.queue.Empty:
                seen = None
            if seen is None:
                self.fail(number, text, self.passed_over)
            self.passed_over.append(seen)

    def end(self):
        code, _ = self.server.end()
        self.test.assertEqual(code, 0, self.name)
        self.test.assertEqual(self.passed_over + self.server.rest(), [], self.name)
        self.test.assertEqual(self.server.faults, [], self.name)


def play(test, path):
    name = os.path.basename(path)
    with open(path, encoding="utf-8") as file:
        lines = [(number, line[0], line[1:].strip()) for number, line in enumerate(file, 1) if line.strip()]
    env = dict(text.split("=", 1) for _, mark, text in lines if mark == "$")
    with Server(**env) as server:
        player = Player(test, name, server)
        for number, mark, text in lines:
            test.assertIn(mark, "#$><~", f"{name}:{number}")
            if mark in "><~":
                player.play(number, mark, text)
        player.end()


class Transcripts(unittest.TestCase):
    def test_the_wildcards(self):
        self.assertTrue(looks_like({"a": 1, "b": [1, 2]}, {"a": "*", "b": [1, "..."]}))
        self.assertTrue(looks_like({"a": 1, "b": 2}, {"a": 1, "...": 0}))
        self.assertTrue(looks_like("an error", {"re": "^an"}))
        for seen, wanted in (({"a": 1, "b": 2}, {"a": 1}), ([1, 2], [1]), (1, True), ("1", 1), ({}, {"a": "*"}), (5, {"re": "5"})):
            self.assertFalse(looks_like(seen, wanted))


for transcript in sorted(glob.glob(os.path.join(HERE, "*.jsonl"))):
    def run(self, path=transcript):
        play(self, path)
    setattr(Transcripts, "test_" + re.sub(r"\W", "_", os.path.basename(transcript)[: -len(".jsonl")]), run)

if __name__ == "__main__":
    wire.main()
