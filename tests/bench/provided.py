#!/usr/bin/env python3
"""Runs a command beside a scripted server of models: embeddings that are the local encoder's vectors, so that the figures must be
those of the local encoder, or a reranker that knows the answers, so that the first place must rise.

  provided.py [--encode build/encode_bench] [--answers FILE] -- COMMAND...

In COMMAND, {url} stands for the server's address. FILE: JSON, {question: [text that holds the answer, ...]}."""
import argparse
import json
import os
import subprocess
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support.scripted_models import Models, bag_of_words


class Encoder:
    """A filter that runs: a text a line in, a vector a line out."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lock = threading.Lock()

    def __call__(self, text):
        with self.lock:
            self.process.stdin.write(" ".join(text.split("\n")).encode() + b"\n")
            self.process.stdin.flush()
            return [float(v) for v in self.process.stdout.readline().split()]


class Answers:
    """1 for what holds an answer, 0 for all else."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.of = json.load(file)

    def __call__(self, query, text):
        return 1.0 if any(answer in text for answer in self.of.get(query, [])) else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encode", help="the program encode_bench")
    parser.add_argument("--answers", help="what the reranker knows")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    models = Models(embed=Encoder(arguments.encode) if arguments.encode else bag_of_words,
                    rerank=Answers(arguments.answers) if arguments.answers else lambda query, text: 0)
    code = subprocess.call([word.replace("{url}", models.url) for word in arguments.command])
    print(f"the scripted server was asked {len(models.asked)} times")
    models.stop()
    return code


if __name__ == "__main__":
    sys.exit(main())
