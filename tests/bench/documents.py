#!/usr/bin/env python3
"""Questions on real documents: is the passage that answers among the first three?

  documents.py --fetch --files DIR                      # gets the documents of documents_questions.json into DIR
  documents.py --server build/engram --files DIR [--half open|held] [--misses]
  documents.py --questions documents_unseen.json ...    # the second set: written when the first had been looked at
  documents.py --questions documents_fresh.json ...     # the third: written when the encoder and the weights were done

Each document is a file of a Debian package: --fetch unpacks the package (apt-get download, dpkg-deb -x, no installation),
checks the file's hash, and copies it, or converts it with pandoc to a format that packages hardly have; a message is the text
under five header lines. All documents are attached to one project, with its server's defaults but for the floor.

A question is written upon a passage chosen at random, in other words; its anchor is a phrase of that passage. An item answers
when the whole passage behind it holds the anchor (letters and digits alone count) and is of the right document, on the right
page where the format has pages. Documents, and with them their questions, belong to the half "open" or "held": whoever works on
the code looks at the first alone. Nobody looks at the passages of the "unseen" and "fresh" ones.
"""
import argparse
import email.message
import glob
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import bench

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST, SEEN = 3, 10


def load(name="documents_questions.json"):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return json.load(file)


# ---- getting the documents ----

def unpack(package, folder):
    """The folder that the package was unpacked to."""
    target = os.path.join(folder, package)
    if not os.path.isdir(target):
        subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True)
        [archive] = glob.glob(os.path.join(folder, package + "_*.deb"))
        subprocess.run(["dpkg-deb", "-x", archive, target], check=True)
        os.unlink(archive)
    return target


def as_message(subject, text):
    message = email.message.EmailMessage()
    message["From"] = "Docs <docs@example.org>"
    message["To"] = "Readers <readers@example.org>"
    message["Date"] = "Mon, 02 Mar 2026 09:00:00 +0000"
    message["Subject"] = subject
    message.set_content(text)
    return bytes(message)


def fetch(documents, folder):
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as packages:
        for document in documents:
            target = os.path.join(folder, document["name"])
            with open(os.path.join(unpack(document["package"], packages), document["path"]), "rb") as file:
                data = file.read()
            if document["path"].endswith(".gz"):
                data = gzip.decompress(data)
            if hashlib.sha256(data).hexdigest() != document["sha256"]:
                print(f"{document['name']}: another version than the questions were written upon", file=sys.stderr)
            how, _, rest = document["convert"].partition(" ")
            if how == "pandoc":
                subprocess.run(["pandoc", *rest.split(), "-o", target], input=data, check=True)
            else:
                with open(target, "wb") as file:
                    file.write(as_message(rest, data.decode("utf-8", "replace")) if how == "mail" else data)


# ---- asking ----

def plain(text):
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def attach(world, server, documents, files):
    """{document's id: its row}; figures are kept in the rows."""
    known = {}
    for document in documents:
        shutil.copy(os.path.join(files, document["name"]), world.path("project"))
        begun = time.monotonic()
        reply = server.call("attach_document", {"path": document["name"]})
        while reply["status"] == "pending":
            time.sleep(.2)
            reply = server.call("attach_document", {"path": document["name"]})
        document.update(seconds=time.monotonic() - begun, passages=reply["passages"], entities=reply["entities"],
                        tokens=reply["tokens"], bytes=os.path.getsize(os.path.join(files, document["name"])))
        known[reply["id"]] = document
    return known


def passage(server, id, kept={}):
    if id not in kept:
        [kept[id]] = server.recall(ids=[id])["items"]
    return kept[id]


def answers(server, item, document, question):
    if item["source"].get("path", item["source"].get("document")) != document["name"]:
        return False
    whole = passage(server, item["id"])
    return plain(question["anchor"]) in plain(whole["text"])


def ask(server, document, question):
    reply = server.recall(question["question"], limit=SEEN, min_score=0, budget_tokens=20000)
    items = reply["items"]
    ranks = [i + 1 for i, item in enumerate(items) if answers(server, item, document, question)]
    right = [i + 1 for i, item in enumerate(items) if item["source"].get("path") == document["name"]]
    found = items[ranks[0] - 1] if ranks else None
    return {**question, "document": document["name"], "format": document["format"], "half": document["half"],
            "rank": ranks[0] if ranks else 0, "document_rank": right[0] if right else 0,
            "page_found": found["source"].get("page") if found else None,
            "lost": server.recall(question["question"], limit=1)["abstained"],
            "shown": [(item["source"].get("path"), item["source"].get("heading"), item["text"][:90]) for item in items[:FIRST]]}


def measure(documents, files, env, half):
    with bench.project(env) as (world, server):
        attach(world, server, documents, files)
        bench.wait_for_index(world, env)
        return [ask(server, document, question) for document in documents if half in (None, document["half"])
                for question in document["questions"]]


# ---- the report ----

def figures(rows):
    return {"questions": len(rows), "first": 100 * bench.mean(row["rank"] == 1 for row in rows),
            "first 3": 100 * bench.mean(0 < row["rank"] <= FIRST for row in rows),
            "first 10": 100 * bench.mean(row["rank"] > 0 for row in rows),
            "MRR": bench.mean(1 / row["rank"] if row["rank"] else 0 for row in rows),
            "document first": 100 * bench.mean(row["document_rank"] == 1 for row in rows),
            "lost": 100 * bench.mean(row["lost"] for row in rows)}


def print_documents(documents):
    print(f"{'document':28} {'kB':>6} {'tokens':>7} {'passages':>8} {'entities':>8} {'seconds':>7}")
    for row in documents:
        print(f"{row['name']:28} {row['bytes'] / 1000:6.0f} {row['tokens']:7} {row['passages']:8} {row['entities']:8} "
              f"{row['seconds']:7.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", required=True, metavar="DIR", help="where the documents lie, or go")
    parser.add_argument("--fetch", action="store_true", help="get them from Debian's packages, and end")
    parser.add_argument("--half", choices=["open", "held"], help="only this half's questions (all documents are attached)")
    parser.add_argument("--questions", default="documents_questions.json", metavar="NAME", help="the set, beside this script")
    parser.add_argument("--misses", action="store_true", help="print what wasn't among the first three; never of the held half")
    parser.add_argument("--server", metavar="PATH", help="the engram program; its worker lies beside it")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="for the server; may be repeated")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to this file")
    arguments = parser.parse_args()
    documents = load(arguments.questions)
    if arguments.fetch:
        return fetch(documents, arguments.files)
    if not arguments.server:
        parser.error("--server is wanted, or --fetch")
    rows = measure(documents, arguments.files, bench.environment(arguments), arguments.half)
    print_documents(documents)
    groups = {"all": rows}
    for key in ("half", "format"):
        for value in dict.fromkeys(row[key] for row in rows):
            groups[value] = [row for row in rows if row[key] == value]
    result = {name: figures(group) for name, group in groups.items()}
    bench.print_table(result)
    if arguments.misses:
        for row in rows:
            if row["half"] == "open" and not 0 < row["rank"] <= FIRST:
                print(f"\n{row['question']}  ({row['document']}: {row['anchor']}; rank {row['rank']})")
                for shown in row["shown"]:
                    print("   ", *shown)
    bench.write_json(arguments, result)


if __name__ == "__main__":
    sys.exit(main())
