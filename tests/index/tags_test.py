"""A tag that stands in a question is a time, through the real binaries."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect
from support.repository import commit, git


def remember(world, at, text):
    code, out, err = world.run("remember", "--at", at, text)
    expect(code == 0, f"{out}{err}")


def recall(world, question):
    code, out, err = world.run("--json", "recall", "--explain", "--min-score", "0", "--kinds", "memory", question)
    expect(code == 0, f"{out}{err}")
    return json.loads(out)


def index(world):
    code, out, err = world.run("index")
    expect(code == 0, f"{out}{err}")


@engram.promise
def before_and_since_a_tag_favour_what_was_remembered_then(world):
    world.env["ENGRAM_INDEX"] = "on"
    git(world.project, "init", "-q", "-b", "main")
    for day, tag in (("2024-02-01", "v1.9.0"), ("2024-03-01", "v2.1.0"), ("2024-04-01", "")):
        world.write("queue.c", f"int queue; /* {day} */\n")
        commit(world.project, f"Queue of {day}", at=f"{day}T12:00:00Z")
        if tag:
            git(world.project, "tag", tag)
    remember(world, "2024-02-10", "Payment queue: Ann chose Kafka.")
    remember(world, "2024-03-20", "Payment queue: Bob chose thirty consumers.")
    index(world)

    answer = recall(world, "what did we choose for the payment queue before v2.1?")
    expect("Kafka" in answer["items"][0]["text"], answer["items"])
    expect(answer["time"]["until"] == "2024-03-01T12:00:00Z", answer["time"])
    answer = recall(world, "what did we choose for the payment queue since the 2.1 release?")
    expect("thirty" in answer["items"][0]["text"], answer["items"])
    expect(answer["time"]["from"] == "2024-03-01T12:00:00Z", answer["time"])
    expect("time" not in recall(world, "what did we choose for the payment queue before v3.0?"))

    git(world.project, "tag", "-f", "v2.1.0", "v1.9.0")
    git(world.project, "tag", "-a", "-m", "Third", "v3.0")
    world.write("queue.c", "int queue;\n")
    commit(world.project, "Queue at last")
    index(world)
    expect(recall(world, "payment queue before v2.1")["time"]["until"] == "2024-02-01T12:00:00Z")
    expect(recall(world, "payment queue before v3.0")["time"]["until"] == "2024-04-01T12:00:00Z")


engram.main()
