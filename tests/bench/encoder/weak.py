"""Pairs that nobody had to write: a heading and its section, the subject of a commit and its message.

They are no questions, but there are more of them, and the sections are of documents, the messages of no document at all: what is
learned of them is how a few words and a text about the same belong together.
"""
import os
import random
import re
import subprocess

import corpus

HEADINGS_EACH = 6  # of a document
SECTION_WORDS, MESSAGE_WORDS, PASSAGE_WORDS = 25, 30, 130
MAX_COMMITS_READ = 30_000


def pair(group, lead, asked, text):
    """None where one of them says too little."""
    asked, words = " ".join(asked.split()), text.split()
    if not 2 <= len(asked.split()) <= 40 or len(words) < 20:
        return None
    return {"group": group, "name": "", "lead": lead, "text": " ".join(words[:PASSAGE_WORDS]), "questions": [asked]}


def headings(rows, files):
    """Of all documents but the manual, whose headings are the same on each page. Those that are held out from the questions
    are among them."""
    for _, (row, text) in sorted(corpus.texts(rows, files).items()):
        if corpus.is_manual(row):
            continue
        parts = re.split(r"^#+\s+(.*)$", text, flags=re.M)
        sections = [(heading, body) for heading, body in zip(parts[1::2], parts[2::2])
                    if len(body.split()) > SECTION_WORDS and 2 <= len(heading.split()) <= 14]
        random.shuffle(sections)
        for heading, body in sections[:HEADINGS_EACH]:
            yield pair(corpus.group(row), corpus.title(row, text), re.sub(r"^[\d.]+\s*|[`*]", "", heading), body)


def commits(repository, most):
    """Subjects without their area, and messages without trailers and lists."""
    log = subprocess.run(["git", "-C", repository, "log", "-n", str(MAX_COMMITS_READ), "--no-merges", "--format=%s%x01%b%x02"],
                         capture_output=True, check=True).stdout.decode("utf-8", "replace")
    entries = [entry.strip().split("\x01") for entry in log.split("\x02") if "\x01" in entry]
    random.shuffle(entries)
    taken = 0
    for subject, body in entries:
        body = re.sub(r"^(?:[A-Z][\w-]+: |[*#]).*$", "", body, flags=re.M)
        if len(body.split()) > MESSAGE_WORDS and taken < most:
            taken += 1
            yield pair(os.path.basename(os.path.abspath(repository)), "", re.sub(r"^[\w/., -]{1,30}: ", "", subject), body)


def pairs(rows, files, repositories):
    """repositories: {clone: how many commits at most}."""
    found = list(headings(rows, files))
    for repository, most in repositories.items():
        found += commits(repository, most)
    found = [row for row in found if row]
    random.shuffle(found)
    return found
