#!/usr/bin/env python3
"""The documents that the encoder is tuned upon, and the passages of them that questions stand upon.

  corpus.py --fetch --files DIR     # gets the documents from Debian's packages into DIR, as Markdown or text
  corpus.py --files DIR             # tells which passages aren't found in them

questions.jsonl has a passage a line: the package and the file in it, the heading above the passage, the words that it begins
with (and which place where they stand that is, counted from 0, unless it is the first), how many words it has, and the
questions. Packages are unpacked, not installed; pandoc and man make text of them.
"""
import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import documents

# Nothing is trained on questions about them: the figures of a tuning are those of their questions.
HELD_OUT = set("""bacula-doc cmake-doc etcd-server keystone-doc libvirt-doc mutt python-click-doc python-scrapy-doc restic
    varnish-doc vim-doc""".split())
MAX_MANUAL_CHARACTERS = 150_000
PANDOC_S, MAN_S = 40, 60
LEAST_OF_PARAGRAPH, ENOUGH_WORDS = 28, 60  # words: of a paragraph; a passage that has so many ends behind it
LEAST_WORDS, MOST_WORDS = 40, 190  # of a passage
MOST_OF_HEADING, MOST_OF_LEAD = 9, 90  # words of a heading without a mark; characters of any
PLAIN_SHARE, PLAIN_SHARE_OF_MANUAL = .75, .7  # words of letters alone: what has fewer is no prose


def load():
    with open(os.path.join(HERE, "questions.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def is_manual(row):
    return "/share/man/" in row["document"]


def group(row):
    """What documents have in common whose passages are hard to tell apart."""
    return ("man-" if is_manual(row) else "") + row["package"]


def name(row):
    """Of the document's file among the others."""
    base = os.path.basename(row["document"]).removesuffix(".gz")
    if is_manual(row):
        return f"man-{base}.txt"
    marked_up = base.endswith((".html", ".xhtml", ".rst", ".md")) or "_sources" in row["document"]
    base = re.sub(r"\.(html|xhtml|md|rst|txt|adoc)+$", "", base).replace(".rst", "").replace(".txt", "")
    base = re.sub(r"[^\w.-]", "_", base)
    return f"{row['package']}-{base}{'.md' if marked_up else '.txt'}"


# ---- getting the documents ----

def markdown(text, source_format):
    """Without what is no prose: links' targets, images, escapes."""
    if source_format == "html":
        text = re.sub(r"(?is)<(script|style|nav|head)\b.*?</\1>", " ", text)
    text = subprocess.run(["pandoc", "-f", source_format, "-t", "gfm-raw_html", "--wrap=none"], input=text.encode(),
                          capture_output=True, timeout=PANDOC_S, check=True).stdout.decode()
    text = re.sub(r"\[([^\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)", r"\1", text)
    return re.sub(r"!\[[^\]\n]*\]", "", text).replace("¶", "").replace("\\", "")


def manual(path):
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "MANWIDTH": "400", "MAN_KEEP_FORMATTING": "", "GROFF_NO_SGR": "1"}
    shown = subprocess.run(["man", "--no-hyphenation", "--no-justification", "-l", path], capture_output=True, timeout=MAN_S,
                           env=env, check=True).stdout.decode("utf-8", "replace")
    return re.sub(".\b", "", shown)[:MAX_MANUAL_CHARACTERS]


def decoded(data):
    """UTF-8, unless it says that it is a page in Latin-1."""
    if re.search(rb"charset=[\"']?iso-8859-1", data, re.I):
        return data.decode("latin-1")
    return data.decode("utf-8", "replace")


def converted(path):
    if "/share/man/" in path:
        return manual(path)
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        text = decoded(file.read())
    base = path.removesuffix(".gz")
    if base.endswith((".html", ".xhtml")):
        text = markdown(text, "html")
    elif base.endswith(".rst") or "_sources" in base:
        text = markdown(text, "rst")
    return re.sub(r"\n{3,}", "\n\n", text)


def fetch(rows, files):
    os.makedirs(files, exist_ok=True)
    wanted = {}
    for row in rows:
        wanted.setdefault(row["package"], {})[row["document"]] = name(row)
    for package, paths in wanted.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                unpacked = documents.unpack(package, folder)
            except (OSError, ValueError, subprocess.SubprocessError) as error:  # ValueError: nothing was downloaded
                print(f"{package}: {error}", file=sys.stderr)
                continue
            for path, target in paths.items():
                try:
                    text = converted(os.path.join(unpacked, path))
                    with open(os.path.join(files, target), "w", encoding="utf-8") as file:
                        file.write(text)
                except (OSError, subprocess.SubprocessError) as error:  # another release than the questions were written upon
                    print(f"{package}: {path}: {error}", file=sys.stderr)


# ---- the passages ----

def title(row, text):
    """The first heading; of a page of the manual its name and what that is."""
    if is_manual(row):
        about = re.search(r"^NAME\s*\n\s+(.*)$", text, re.M)
        command = os.path.basename(row["document"]).split(".")[0]
        return f"{command} {about[1].split(' - ', 1)[-1] if about else ''}"[:80]
    headings = (re.match(r"\s*#+\s+(.*)", paragraph) for paragraph in re.split(r"\n\s*\n", text))
    return next((heading[1].strip() for heading in headings if heading and heading[1].strip()), "")


def find(words, row):
    """The passage that a row means, or None."""
    anchor = row["anchor"].split()
    places = (at for at, word in enumerate(words) if word == anchor[0] and words[at:at + len(anchor)] == anchor)
    for passed, at in enumerate(places):
        if passed == row.get("occurrence", 0):
            return " ".join(words[at:at + row["words"]])
    return None


def texts(rows, files):
    """{name: (a row of it, its text)} of the documents that are there."""
    found = {}
    for row in rows:
        path = os.path.join(files, name(row))
        if name(row) not in found and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                found[name(row)] = (row, file.read())
    return found


def lead_of(document_title, heading):
    return document_title if heading in ("", document_title) else f"{document_title} {heading}"


def passages(rows, files):
    """Each row that is found, with its group, its document's name, the lead that it is read behind, and its text."""
    known = {name: (title(row, text), text.split()) for name, (row, text) in texts(rows, files).items()}
    for row in rows:
        heading, words = known.get(name(row), ("", []))
        text = find(words, row)
        if text:
            yield {**row, "group": group(row), "name": name(row), "lead": lead_of(heading, row["heading"]), "text": text}


# ---- what else is in the documents ----

def is_prose(paragraph, manual):
    """No list, table, quotation or code, and not mostly names and numbers."""
    marks = r"\s*[|>`*+=~:#]" if manual else r"\s*([#|>`*+\-=~:.]|\d+[.)]|```|    |\t)"
    words = paragraph.split()
    if len(words) < LEAST_OF_PARAGRAPH or re.match(marks, paragraph):
        return False
    plain = sum(bool(re.fullmatch(r"[A-Za-z][A-Za-z'’-]*[.,;:!?)]*", word)) for word in words)
    return plain > len(words) * (PLAIN_SHARE_OF_MANUAL if manual else PLAIN_SHARE)


def heading_of(paragraph, manual):
    """What it is a heading of, or None: marked as one, or a short line by itself (of a manual: at its margin)."""
    marked = None if manual else re.match(r"\s*#+\s+(.+)", paragraph)
    if marked:
        return marked[1].strip("*` ") or None
    line = paragraph.strip()
    unmarked = (3 < len(line) and "\n" not in line and line[0].isupper() and not line.endswith((".", ":", ",", ";")) and
                len(line.split()) <= MOST_OF_HEADING and not (manual and paragraph.startswith(" " * 7)))
    return line if unmarked else None


def drawn(text, manual):
    """[(heading, passage)] of a document's text: what questions may be asked upon."""
    if manual:
        text = re.sub(r"^(\S[^\n]*)$", r"\n\1\n", text, flags=re.M)
    found, heading, words = [], "", []

    def end():
        if LEAST_WORDS <= len(words) <= MOST_WORDS:
            found.append((heading, " ".join(words)))
        words.clear()

    for paragraph in re.split(r"\n\s*\n", text):
        above = heading_of(paragraph, manual)
        if above or not is_prose(paragraph, manual):
            end()
            heading = above[:MOST_OF_LEAD] if above else heading
            continue
        if len(words) + len(paragraph.split()) > MOST_WORDS:
            end()
        words += paragraph.split()
        if len(words) >= ENOUGH_WORDS:
            end()
    end()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", required=True, metavar="DIR", help="where the documents lie, or go")
    parser.add_argument("--fetch", action="store_true", help="get them from Debian's packages first")
    arguments = parser.parse_args()
    rows = load()
    if arguments.fetch:
        fetch(rows, arguments.files)
    found = list(passages(rows, arguments.files))
    there = {(row["name"], row["anchor"], row.get("occurrence")) for row in found}
    for row in rows:
        if (name(row), row["anchor"], row.get("occurrence")) not in there:
            print(f"missing: {name(row)}: {row['anchor']}")
    print(f"{len(found)} of {len(rows)} passages with {sum(len(row['questions']) for row in found)} questions")


if __name__ == "__main__":
    sys.exit(main())
