"""What a tool refuses: the error names the field, what it saw and what it wants, and nothing is changed. Limits hold at the byte.

refusals.json holds rows of [tool, arguments, words that the error must hold]."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import each_of, expect, expect_words

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "refusals.json"), encoding="utf-8") as file:
    REFUSALS = json.load(file)

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def text_of(size):
    """Words, so that no part of it is one endless token."""
    return ("word " * (size // 5 + 1))[:size - 1] + "."


def entity(**fields):
    return {"text": text_of(20), "entities": [{"name": "Thing", **fields}]}


def relation(**fields):
    return {"text": text_of(20), "relations": [{"from": "Aaa", "relation": "uses", "to": "Bbb", **fields}]}


# Tool, arguments for a size, the greatest size that is accepted.
LIMITS = [
    ("remember", lambda n: {"text": text_of(n)}, 65536),
    ("remember", lambda n: {"text": ("é" * (n // 2 + 1)).encode()[:n - n % 2].decode() + "x" * (n % 2)}, 65536),
    ("remember", lambda n: {"text": "X.", "speaker": text_of(n)}, 128),
    ("remember", lambda n: {"text": "X.", "topic": text_of(n)}, 256),
    ("remember", lambda n: {"text": "X.", "session": text_of(n)}, 256),
    ("remember", lambda n: entity(name=text_of(n)), 256),
    ("remember", lambda n: entity(type="t" * n), 40),
    ("remember", lambda n: entity(props={"p" * n: "v"}), 40),
    ("remember", lambda n: entity(props={"p": "v" * n}), 512),
    ("remember", lambda n: entity(name="Ledger", props={f"p{i}": "v" for i in range(n)}), 8),
    ("remember", lambda n: relation(relation="r" * n), 64),
    ("remember", lambda n: relation(to=text_of(n)), 256),
    ("remember", lambda n: {"text": "X.", "entities": [{"name": f"Thing {LETTERS[i % 26]}{LETTERS[i // 26]}"} for i in range(n)]}, 64),
    ("remember", lambda n: {"text": "X.", "relations": [{"from": f"A{i}", "relation": "uses", "to": f"B{i}"} for i in range(n)]}, 64),
    ("remember", lambda n: {"text": "X.", "files": [f"src/{i}.c" for i in range(n)]}, 32),
    ("recall", lambda n: {"query": text_of(n)}, 8192),
    ("recall", lambda n: {"ids": ["m1"] * n}, 100),
    ("recall", lambda n: {"query": "x", "kinds": ["fact"] * n}, 16),
    ("recall", lambda n: {"query": "x", "line": n, "file": "a.c"}, 9999999),
    ("recall", lambda n: {"query": "x", "limit": n}, 50),
    ("recall", lambda n: {"query": "x", "budget_tokens": n}, 20000),
    ("remember", lambda n: {"text": "X.", "supersedes": ["m1"] * n}, 32),
    ("review_entities", lambda n: {"limit": n}, 20),
    ("review_entities", lambda n: {"edits": [{"action": "set_type", "entity": "Thing", "type": f"type{i}"} for i in range(n)]}, 32),
    ("forget", lambda n: {"ids": ["m1"] * n, "dry_run": True}, 100),
    ("forget", lambda n: {"ids": ["m1"], "reason": text_of(n), "dry_run": True}, 512),
    ("attach_document", lambda n: {"content": "# A", "name": "n" * (n - 3) + ".md"}, 256),
    ("attach_document", lambda n: {"content": "# A", "name": "a.md", "title": text_of(n)}, 256),
]

# What clients send instead of what is wanted, and is understood all the same.
UNDERSTOOD = [
    ("remember", {"text": "Nulls.", "kind": None, "topic": None, "entities": None, "session": None, "at": None, "pin": None}),
    ("remember", {"text": "Lists in strings.", "entities": '[{"name": "Kafka"}]', "files": '["src/a.c:1"]', "pin": "true"}),
    ("recall", {"query": "numbers in strings", "limit": "5", "min_score": "0", "budget_tokens": 500.0}),
    ("recall", {"ids": '["m1"]'}),
    ("forget", {"ids": '["m1"]', "dry_run": "true"}),
    ("remember", {"text": "123"}), ("remember", {"text": "[1, 2]"}), ("remember", {"text": "null"}), ("recall", {"query": "true"}),
    ("remember", {"text": "Dates.", "at": "2026-05-01"}), ("remember", {"text": "Dates.", "at": "2026-05-01T10:00:00.123+02:00"}),
    ("remember", {"text": "Dates.", "at": "1969-12-31T23:59:59Z"}), ("remember", {"text": "Dates.", "at": "9999-12-31"}),
    ("remember", {"text": "Dates.", "at": "0001-01-01"}), ("remember", {"text": "Dates.", "at": "2024-02-29T23:59:60Z"}),
]


@engram.promise
def wrong_arguments_are_told_and_change_nothing(world):
    server = world.serve()
    server.remember("First memory.", entities=[{"name": "Thing"}])

    def check(tool, arguments, words):
        before = world.digest()
        text = server.refused(tool, arguments)
        expect_words(text, *words)
        expect(len(text) < 700 and "\n" not in text.strip(), f"long or broken: {text[:200]!r}")
        expect(world.digest() == before, "rows changed")

    each_of(REFUSALS, check)


@engram.promise
def every_limit_holds_at_the_byte(world):
    def check(tool, most, make):
        server = world.serve()
        server.remember("First memory.", entities=[{"name": "Thing"}])
        server.call(tool, make(most))
        before = world.digest()
        text = server.refused(tool, make(most + 1))
        expect(world.digest() == before, "rows changed")
        expect(str(most) in text, f"the limit is not told: {text!r}")
        server.stop()

    each_of([(tool, most, make) for tool, make, most in LIMITS], check)


@engram.promise
def as_many_answers_as_a_call_may_hold_are_looked_at(world):
    """They are refused for what they say, one more for their number."""
    server = world.serve()
    answers = [{"question": f"q{i + 1}", "verdict": "later"} for i in range(33)]
    expect_words(server.refused("review_entities", answers=answers[:32]), "there is no q1 here")
    expect_words(server.refused("review_entities", answers=answers), "answers", "33", "32")


@engram.promise
def a_text_that_is_too_long_is_led_to_attach_document(world):
    expect_words(world.serve().refused("remember", text="x" * 65537), "text", "65537", "65536", "attach_document")


@engram.promise
def what_clients_send_in_another_form_is_understood(world):
    server = world.serve()
    server.remember("First memory.")
    each_of(UNDERSTOOD, server.call)


NASTY = "\u001b[31m\u202e\U000e0041" + "A" * 5000
SHOWN = [
    ("remember", {"text": "X.", "at": NASTY}), ("remember", {"text": "X.", "kind": NASTY}), ("recall", {"ids": [NASTY]}),
    ("remember", {"text": "X.", NASTY: 1}), ("recall", {"query": "x", "project": NASTY[:200]}), ("recall", {"query": "x", "kinds": [NASTY]}),
    ("review_entities", {"entity": NASTY[:200]}), ("review_entities", {"undo": NASTY}), ("forget", {"ids": [NASTY]}),
    ("review_entities", {"undo": "j" + NASTY}), ("attach_document", {"path": NASTY[:2000]}), ("attach_document", {"path": "../" + NASTY[:2000]}),
    ("remember", {"text": "X.", "files": ["../" + NASTY[:2000]]}), ("remember", {"text": "X.", "supersedes": [NASTY]}),
    ("remember", {"text": "X.", "topic": "\u202e!"}), ("remember", {"text": "X.", "entities": [{"name": "\u202e!"}]}),
    ("remember", {"text": "X.", "entities": [{"name": "Ab", "props": {NASTY: 1}}]}), ("remember", {"text": "X.", "relations": [{"from": "\u202e", "relation": "r", "to": "Ab"}]}),
    ("review_entities", {"answers": [{"question": NASTY, "verdict": "no"}]}), ("review_entities", {"edits": [{"action": "rename", "entity": "Thing", "name": "\u202e"}]}),
    ("review_entities", {"edits": [{"action": "split", "entity": "Thing", "name": NASTY[:200]}]}),
]


@engram.promise
def an_error_shows_a_given_value_bounded_and_visible(world):
    server = world.serve()
    server.remember("First memory.", entities=[{"name": "Thing"}])

    def check(tool, arguments):
        text = server.refused(tool, arguments)
        expect(not any(bad in text for bad in "\u001b\u202e\U000e0041"), repr(text[:100]))
        expect(len(text) < 700, f"{len(text)} characters")

    each_of(SHOWN, check)


engram.main()
