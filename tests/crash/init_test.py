"""engram init beside others: another init, a kill -9 in its middle, somebody who attaches or forgets what it is at.

An init is walked through its write transactions: the test holds write.lock and lets it go for one of them."""

import contextlib
import ctypes
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect, expect_words

IN_MODIFY = 2
RECORD = """# {number}. {title}

## Status

Accepted
{more}
## Context

Orders need a database.

## Decision

We will take it.
"""
FILES = {
    "README.md": "# Harbour\n\nThe harbour office sells berths.\n",
    "docs/guide.md": "".join(f"## Part {n}\n\nThe pier {n} holds the boat Kestrel{n}. " + "Ropes are wet. " * 60 + "\n\n"
                             for n in range(12)),
    "docs/adr/0001-take-mysql.md": RECORD.format(number=1, title="Take MySQL", more=""),
    "docs/adr/0002-take-postgresql.md": RECORD.format(number=2, title="Take PostgreSQL",
                                                      more="\nSupersedes [1. Take MySQL](0001-take-mysql.md)\n"),
}
LONG_RECORD = FILES["docs/adr/0001-take-mysql.md"] + "".join(
    f"## Note {n}\n\nThe table Kestrel{n} is in its own schema. " + "Rows are many. " * 90 + "\n\n" for n in range(60))


def settle(world, files, name="project"):
    """A project with these files and an empty memory."""
    project = world.path(name)
    os.makedirs(project, exist_ok=True)
    for path, content in files.items():
        world.write(path, content, project)
    expect(world.run("recall", "anything", project=project)[0] in (0, 1))
    return project


def init(world, project):
    code, out, err = world.run("--json", "init", project=project)
    expect(code == 0, (code, err))
    return json.loads(out)


class Walk:
    """An init that writes only when it is let; between two steps nobody writes."""

    def __init__(self, world, project):
        self.folder = world.folder(project)
        self.lock = os.open(os.path.join(self.folder, "write.lock"), os.O_RDWR)
        libc = ctypes.CDLL(None, use_errno=True)
        self.news = libc.inotify_init()
        expect(libc.inotify_add_watch(self.news, self.folder.encode(), IN_MODIFY) >= 0, "inotify")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.process = subprocess.Popen([engram.BINARY, "--json", "init"], cwd=project, env=world.env,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.end = os.pidfd_open(self.process.pid)
        world.cleanups.append(self.close)

    def step(self):
        """Lets it write until something is written; false where it has ended instead."""
        fcntl.flock(self.lock, fcntl.LOCK_UN)
        ready = select.select([self.news, self.end], [], [], engram.PATIENCE_S)[0]
        expect(ready, "nothing is written")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        while select.select([self.news], [], [], 0)[0]:
            os.read(self.news, 65536)
        return not select.select([self.end], [], [], 0)[0]

    @contextlib.contextmanager
    def standing(self):
        """It stands still, and others may write."""
        self.process.send_signal(signal.SIGSTOP)
        fcntl.flock(self.lock, fcntl.LOCK_UN)
        yield
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()
        fcntl.flock(self.lock, fcntl.LOCK_UN)

    def finish(self, code=0):
        fcntl.flock(self.lock, fcntl.LOCK_UN)
        out, err = self.process.communicate(timeout=engram.PATIENCE_S)
        expect(self.process.returncode == code, (self.process.returncode, err))
        return json.loads(out)

    def close(self):
        self.process.kill()
        self.process.communicate()
        for fd in (self.lock, self.news, self.end):
            os.close(fd)


def to_the_middle_of(walk, world, project):
    """Until a document is claimed and not yet whole."""
    while True:
        expect(walk.step(), "init has ended before a document was seen in its middle")
        if world.query("SELECT count(*) FROM document_ticket", project=project) != [(0,)]:
            return


# Each must be empty when nobody is at work.
HALVES = {
    "a document twice": "SELECT path FROM document GROUP BY path HAVING count(*) > 1",
    "a passage twice": "SELECT document, position FROM passage GROUP BY document, position HAVING count(*) > 1",
    "what nobody sees": "SELECT node.id FROM node WHERE kind IN (SELECT kind FROM node WHERE id IN"
                        " (SELECT id FROM passage UNION SELECT id FROM document)) AND state <> 0",
    "a ticket": "SELECT document FROM document_ticket",
    "a passage that nothing leads to": "SELECT id FROM passage WHERE position > 0 AND id NOT IN"
                                       " (SELECT dst FROM edge JOIN passage AS before ON before.id = edge.src)",
    "a document without passages": "SELECT id FROM document WHERE id NOT IN (SELECT document FROM passage)",
}


def content(world, project):
    """All that an init has to bring in: documents with their passages, and decisions with whether they hold."""
    for name, sql in HALVES.items():
        expect(world.query(sql, project=project) == [], f"{name}: {world.query(sql, project=project)}")
    return (world.query("SELECT path, position, text FROM passage JOIN body USING (id) JOIN document ON document.id = passage.document"
                        " ORDER BY path, position", project=project),
            world.query("SELECT text, state FROM memory JOIN node USING (id) JOIN body USING (id) ORDER BY text", project=project))


@engram.promise
def two_inits_at_once_attach_each_document_once(world):
    alone = settle(world, FILES, "alone")
    changes = init(world, alone)["changes"]
    both = settle(world, FILES, "both")
    running = [subprocess.Popen([engram.BINARY, "--json", "init"], cwd=both, env=world.env, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE) for _ in range(2)]
    said = [process.communicate(timeout=engram.PATIENCE_S) for process in running]
    expect([process.returncode for process in running] == [0, 0], said)
    replies = [json.loads(out) for out, _ in said]
    expect([reply["left_out"] for reply in replies] == [[], []], replies)
    expect(sorted(reply["changes"] for reply in replies) == [0, changes], [reply["changes"] for reply in replies])
    expect(content(world, both) == content(world, alone))


@engram.promise
def an_init_beside_another_says_that_it_waits_and_writes_nothing_until_its_turn(world):
    project = settle(world, FILES)
    env = {name: value for name, value in world.env.items() if name != "ENGRAM_NOW"}
    turn = os.open(os.path.join(world.folder(), "init.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(turn, fcntl.LOCK_EX)
    second = subprocess.Popen([engram.BINARY, "--json", "init"], cwd=project, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    expect_words(second.stderr.readline().decode(), "another", "engram init", "wait")
    expect(world.count("SELECT count(*) FROM document") == 0)
    expect(world.run("init", "--dry-run")[0] == 0, "who changes nothing needs no turn")
    ended_ms = time.time_ns() // 1000000
    os.close(turn)
    out, err = second.communicate(timeout=engram.PATIENCE_S)
    expect(second.returncode == 0, err)
    expect(len(json.loads(out)["documents"]) == len(FILES))
    expect(world.count("SELECT min(stored_ms) FROM node WHERE kind = 2") >= ended_ms, "stored before its turn")


@engram.promise
def an_init_that_is_killed_behind_any_of_its_writes_is_finished_by_the_next(world):
    whole = settle(world, FILES, "whole")
    init(world, whole)
    wanted, kills = content(world, whole), 0
    while True:
        project = settle(world, FILES, f"killed-{kills}")
        walk = Walk(world, project)
        if not all(walk.step() for _ in range(kills + 1)):
            break
        walk.kill()
        kills += 1
        init(world, project)
        expect(content(world, project) == wanted, f"after write {kills}")
        expect(init(world, project)["changes"] == 0)
    expect(kills > 6, f"{kills} kills")


@engram.promise
def a_document_that_was_killed_when_it_could_be_seen_is_finished_by_the_next_init(world):
    project = settle(world, FILES)
    init(world, project)
    wanted = content(world, project)
    database = engram.sqlite3.connect(world.database())
    database.execute("INSERT INTO document_ticket (document, is_shown) SELECT id, 1 FROM document WHERE path = 'docs/guide.md'")
    database.execute("DELETE FROM edge WHERE src IN (SELECT id FROM passage) AND dst IN (SELECT id FROM passage)")
    database.commit()
    database.close()
    init(world, project)
    expect(content(world, project) == wanted)


@engram.promise
def a_record_that_another_takes_over_is_attached_by_that_one_and_its_decision_remembered(world):
    files = {**FILES, "docs/adr/0001-take-mysql.md": LONG_RECORD}
    alone = settle(world, files, "alone")
    init(world, alone)
    project = settle(world, {path: text for path, text in files.items() if "/adr/" in path}, "taken")
    walk = Walk(world, project)
    to_the_middle_of(walk, world, project)
    with walk.standing():
        code, out, err = world.run("--json", "attach", "docs/adr/0001-take-mysql.md", project=project)
    expect(code == 0, err)
    reply = walk.finish()
    row = reply["documents"][0]
    expect((row["path"], row["status"], row["id"]) == ("docs/adr/0001-take-mysql.md", "taken over", json.loads(out)["id"]), row)
    expect(reply["left_out"] == [], reply["left_out"])
    documents, decisions = content(world, project)
    expect(decisions == content(world, alone)[1], decisions)
    expect(documents == [row for row in content(world, alone)[0] if "/adr/" in row[0]])
    expect(init(world, project)["changes"] == 0)


@engram.promise
def an_init_beside_a_newer_version_fails_with_that_reason(world):
    project = settle(world, {"README.md": FILES["README.md"]})
    init(world, project)
    database = engram.sqlite3.connect(world.database(project))
    database.execute("PRAGMA user_version=900")
    database.close()
    expect(init(world, project)["changes"] == 0, "nothing has to be written")
    world.write("README.md", FILES["docs/guide.md"], project)
    code, out, err = world.run("--json", "init", project=project)
    expect(code > 1, (code, out))
    expect_words(err, "newer")


@engram.promise
def an_init_on_a_read_only_file_system_says_so(world):
    if os.geteuid() != 0:
        raise engram.Skip("mounting wants root")
    project = settle(world, {"README.md": FILES["README.md"]})
    for command in (["mount", "--bind", world.data, world.data], ["mount", "-o", "remount,ro,bind", world.data]):
        if subprocess.run(command, capture_output=True, check=False).returncode:
            raise engram.Skip("no bind mounts here")
        if "--bind" in command:
            world.cleanups.append(lambda: subprocess.run(["umount", "-l", world.data], check=False))
    code, out, err = world.run("--json", "init", project=project)
    expect(code > 1, (code, out))
    expect_words(err, "the memory can't be written", "read-only file system")


@engram.promise
def a_document_that_is_forgotten_while_init_is_at_it_is_left_out_and_stays_forgotten(world):
    project = settle(world, {"docs/adr/0001-take-mysql.md": LONG_RECORD})
    walk = Walk(world, project)
    to_the_middle_of(walk, world, project)
    with walk.standing():
        number = world.count("SELECT id FROM document")
        code, _, err = world.run("forget", "--yes", f"d{number}")
    expect(code == 0, err)
    reply = walk.finish(code=1)
    expect((reply["documents"], reply["decisions"]) == ([], []), reply)
    expect_words(reply["left_out"][0]["why"], "forgotten")
    expect(content(world, project) == ([], []))


engram.main()
