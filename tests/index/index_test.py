"""The index of sources through the real binaries: what is read, what follows an edit, what is killed on the way.

ENGRAM_KILLS_INDEX is how often the background and the parse workers are killed each, ENGRAM_SEED chooses the points."""

import contextlib
import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.background import (DONE_S, END_S, SLACK_S, START_S, backgrounds, holds_lock, is_alive, parsers_of, the_background,
                                wait_for)
from support.engram import expect
from support.repository import commit, git

KILLS = engram.number("ENGRAM_KILLS_INDEX", 50)
SEED = engram.number("ENGRAM_SEED", 1)
WORKER = os.path.join(os.path.dirname(engram.BINARY), "engram-worker")


# ---- projects ----

def source(n):
    return (f"\"\"\"Module {n}.\"\"\"\nimport module_{n + 1}\n\n\ndef retry_{n}(limit):\n    \"\"\"Retries {n} times.\"\"\"\n"
            f"    return module_{n + 1}.retry_{n + 1}(limit)\n\n\nclass Cart{n}:\n    def add(self, item):\n        return retry_{n}(item)\n")


def make_project(world, files, folder=None):
    for n in range(files):
        world.write(f"src/module_{n}.py", source(n), folder)


def commit_all(folder):
    commit(folder, "all")


# ---- the index ----

def indexing(world):
    world.env["ENGRAM_INDEX"] = "on"


def index(world, *arguments, **more):
    code, out, err = world.run("--json", "index", *arguments, **more)
    expect(code == 0, f"{out}{err}")
    return json.loads(out)["code"]


def manifest(world, project=None):
    """What the worktree has: path -> blob, or why it has none."""
    return dict(world.query("SELECT m.path, coalesce(c.blob, m.skipped) FROM manifest m JOIN worktree w ON w.id = m.worktree"
                            " LEFT JOIN content c ON c.id = m.content WHERE w.root = ?", project or world.project))


def whole(world, project=None):
    return world.query("SELECT is_whole FROM worktree WHERE root = ?", project or world.project) == [(1,)]


def facts(world):
    """All that is known of the sources, by names: equal for equal trees, however they were indexed."""
    return world.query(
        "SELECT 'content', f.key, c.blob, c.language, c.lines, c.is_whole, '', 0.0 FROM content c JOIN node f ON f.id = c.file"
        " UNION ALL SELECT 'definition', n.key, d.signature, d.doc, d.line_start, d.line_end, d.body_hash, 0.0"
        "   FROM definition d JOIN node n ON n.id = d.symbol"
        " UNION ALL SELECT 'chunk', f.key, c.blob, '', h.line_start, h.line_end, h.words, 0.0"
        "   FROM chunk h JOIN content c ON c.id = h.content JOIN node f ON f.id = c.file"
        " UNION ALL SELECT 'edge', s.key, t.key, '', e.kind, 0, 0, round(e.weight, 3)"
        "   FROM edge e JOIN node s ON s.id = e.src JOIN node t ON t.id = e.dst WHERE s.kind IN (4, 5)"
        " UNION ALL SELECT 'manifest', path, skipped, '', bytes, 0, 0, 0.0 FROM manifest ORDER BY 1, 2, 3, 4, 5, 6, 7, 8")


def expect_same_as_a_calm_index(world):
    """The same files in a project in which nothing was killed."""
    calm = engram.World(world.path("calm"))
    calm.env["ENGRAM_INDEX"] = "on"
    shutil.copytree(world.project, calm.project, dirs_exist_ok=True, symlinks=True)
    index(calm)
    killed, undisturbed = facts(world), facts(calm)
    expect(len(undisturbed) > 100 and killed == undisturbed,
           f"{len(killed)} and {len(undisturbed)} rows; {sorted(set(killed) ^ set(undisturbed), key=repr)[:5]}")


# ---- promises: what is read ----

@engram.promise
def a_second_index_reads_nothing(world):
    indexing(world)
    make_project(world, 20)
    first = index(world)
    expect((first["read"], first["files"], first["skipped"]) == (20, 20, {}), first)
    expect(first["symbols"] >= 60 and first["edges"] >= 60, first)
    second = index(world)
    expect((second["read"], second["unchanged"], second["files"]) == (0, 20, 20), second)
    expect(whole(world))
    world.doctor()


@engram.promise
def edits_deletes_and_renames_are_followed(world):
    indexing(world)
    make_project(world, 20)
    index(world)
    before = manifest(world)
    world.write("src/module_3.py", source(3) + "\n\ndef added():\n    return retry_3(1)\n")
    os.remove(os.path.join(world.project, "src/module_4.py"))
    os.rename(os.path.join(world.project, "src/module_5.py"), os.path.join(world.project, "src/moved.py"))
    os.utime(os.path.join(world.project, "src/module_6.py"), (1, 1))
    done = index(world)
    expect((done["read"], done["known"], done["unchanged"], done["removed"]) == (3, 1, 16, 2), done)
    after = manifest(world)
    expect(set(before) - set(after) == {"src/module_4.py", "src/module_5.py"} and "src/moved.py" in after)
    expect(after["src/moved.py"] == before["src/module_5.py"] and after["src/module_3.py"] != before["src/module_3.py"])
    names = {name for name, in world.query("SELECT key FROM node JOIN definition ON symbol = node.id")}
    expect("src/module_3.py#added" in names and "src/moved.py#retry_5" in names, sorted(names)[:10])
    expect(not [name for name in names if name.startswith("src/module_4.py") or name.startswith("src/module_5.py")])
    expect_same_as_a_calm_index(world)


@engram.promise
def a_branch_and_back_parses_nothing_anew(world):
    indexing(world)
    make_project(world, 10)
    git(world.project, "init", "-qb", "main", ".")
    commit_all(world.project)
    git(world.project, "worktree", "add", "-q", "-b", "kept", world.path("linked"))
    index(world)
    index(world, project=world.path("linked"))
    main = manifest(world)
    git(world.project, "checkout", "-qb", "other")
    world.write("src/module_1.py", source(100))
    world.write("src/only_here.py", source(200))
    commit_all(world.project)
    expect(index(world)["read"] == 2)
    git(world.project, "checkout", "-q", "main")
    back = index(world)
    expect((back["read"], back["known"], back["removed"]) == (1, 1, 1), back)
    expect(manifest(world) == main)


@engram.promise
def each_worktree_has_what_it_has(world):
    indexing(world)
    make_project(world, 10)
    git(world.project, "init", "-qb", "main", ".")
    commit_all(world.project)
    linked = world.path("linked")
    git(world.project, "worktree", "add", "-q", "-b", "other", linked)
    world.write("src/module_1.py", source(100), linked)
    world.write("src/only_there.py", source(200), linked)
    index(world)
    there = index(world, project=linked)
    expect((there["read"], there["known"]) == (11, 9), there)
    ours, theirs = manifest(world), manifest(world, linked)
    expect(set(theirs) - set(ours) == {"src/only_there.py"})
    expect([path for path in ours if ours[path] != theirs[path]] == ["src/module_1.py"])
    expect(world.query("SELECT count(*) FROM content") == [(12,)], "what both have is there once")
    git(world.project, "worktree", "remove", "--force", linked)
    server = world.serve()
    server.recall("retry")
    wait_for(START_S, "the lost worktree is forgotten", lambda: not manifest(world, linked))
    wait_for(START_S, "and what only it had", lambda: world.query("SELECT count(*) FROM content") == [(10,)])
    expect(manifest(world) == ours)


@engram.promise
def nothing_is_read_where_the_index_is_off(world):
    make_project(world, 3)
    server = world.serve()
    server.recall("retry")
    code, out, _ = world.run("--json", "index")
    expect(code == 0 and "code" not in json.loads(out), out)
    expect(world.query("SELECT count(*) FROM worktree") == [(0,)] and not backgrounds(world))


# ---- promises: servers and their background ----

@engram.promise
def eight_servers_have_one_background_that_reads_the_project(world):
    indexing(world)
    make_project(world, 60)
    servers = [world.serve() for _ in range(8)]
    ids = [server.send("recall", {"query": "retry"}) for server in servers]
    for server, id in zip(servers, ids):
        expect(not server.wait(id).get("isError"))
    pid = the_background(world)
    wait_for(DONE_S, "all is indexed", lambda: whole(world) and len(manifest(world)) == 60)
    expect(backgrounds(world) == [pid])
    world.write("src/new.py", source(300))
    servers[3].recall("retry")
    wait_for(DONE_S, "the new file is indexed", lambda: "src/new.py" in manifest(world))
    for server in servers:
        server.stop()
    wait_for(END_S + SLACK_S, "its end", lambda: not backgrounds(world))
    world.doctor()


@engram.promise
def a_command_waits_for_the_background(world):
    indexing(world)
    make_project(world, 40)
    server = world.serve()
    server.recall("retry")
    pid = the_background(world)
    world.write("src/new.py", source(300))
    seen = index(world, "--wait")
    expect(seen == {"files": 41, "pending": False}, seen)
    expect("src/new.py" in manifest(world) and backgrounds(world) == [pid])


@engram.promise
def a_server_answers_while_its_project_is_read(world):
    indexing(world)
    make_project(world, 400)
    server, pings, slowest = world.serve(), 0, 0
    server.recall("retry")
    the_background(world)
    while not (world.query("SELECT count(*) FROM worktree") == [(1,)] and whole(world)):
        began = time.monotonic()
        server.request("ping")
        slowest = max(slowest, time.monotonic() - began)
        server.remember(f"Written meanwhile: {pings}.")
        pings += 1
        expect(pings < 5000, "the index never ends")
    print(f"         {pings} pings, the slowest took {slowest * 1000:.0f} ms")
    expect(pings > 0 and len(manifest(world)) == 400)


# ---- promises: what is killed ----

def data_folder(world):
    """Made by a first call, and a request left there as a killed background leaves it."""
    server = world.serve()
    server.recall("retry")
    asked = os.path.join(world.folder(), "index")
    wait_for(START_S, "a request", lambda: os.path.isdir(asked) and any(name.endswith((".ask", ".run")) for name in os.listdir(asked)))
    server.kill()
    wait_for(END_S + SLACK_S, "its background's end", lambda: not backgrounds(world))
    return world.folder()


@contextlib.contextmanager
def as_a_server(folder):
    """Holds what a server holds, so that a background lives."""
    with open(os.path.join(folder, "servers.lock"), "ab") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


@engram.promise
def a_background_killed_at_any_point_goes_on_where_it_was(world):
    indexing(world)
    rng = random.Random(SEED)
    make_project(world, 300)
    folder = data_folder(world)
    indexed = []
    with as_a_server(folder):
        for turn in range(KILLS):
            had = len(manifest(world))
            subprocess.run([WORKER, "background", folder], env=world.env, check=True, timeout=DONE_S)
            if turn % 4 == 0:
                wait_for(START_S, "some progress", lambda: len(manifest(world)) > had or whole(world))
            time.sleep(rng.uniform(0, .2))
            for pid in backgrounds(world):
                parsers = parsers_of(pid)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                wait_for(START_S, "the end of its parse workers", lambda: not any(map(is_alive, parsers)))
            wait_for(START_S, "its death", lambda: not backgrounds(world) and not holds_lock(world))
            indexed.append(len(manifest(world)))
            expect(not whole(world) or len(manifest(world)) == 300, "a half-done one is called complete")
    print(f"         files after each kill: {indexed}")
    expect(indexed == sorted(indexed), "what was indexed is lost")
    index(world, "--wait")
    expect(whole(world))
    world.doctor()
    expect_same_as_a_calm_index(world)


@engram.promise
def killed_parse_workers_cost_no_file(world):
    indexing(world)
    rng = random.Random(SEED)
    make_project(world, 400)
    killed = 0
    command = subprocess.Popen([engram.BINARY, "--json", "index"], cwd=world.project, env=world.env, stdout=subprocess.PIPE)
    while command.poll() is None and killed < KILLS:
        for pid in parsers_of(command.pid)[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
        time.sleep(rng.uniform(0, .02))
    done = json.loads(command.communicate(timeout=DONE_S)[0])["code"]
    print(f"         {killed} killed; read {done['read']}, left out {done['skipped']}")
    expect(killed > 0 and done["read"] == 400)
    expect(set(done["skipped"]) <= {"not readable"})  # whose worker was killed three times over it
    index(world)
    expect_same_as_a_calm_index(world)


engram.main()
