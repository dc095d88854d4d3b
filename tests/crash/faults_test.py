"""The disk is full, limits are reached, the file is taken away, somebody holds the lock, the clock jumps: clear errors, no loss."""

import fcntl
import os
import resource
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect, expect_words

LONG = "Every night the archive of the harbour office is copied to the second site. " * 400
SHORT_DEADLINE = {"ENGRAM_WRITE_DEADLINE_MS": "300"}


def small_disk(world, size):
    """The data folder on a file system of its own."""
    if os.geteuid() != 0:
        raise engram.Skip("mounting a tmpfs wants root")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", world.data], capture_output=True, check=False)
    if mounted.returncode:
        raise engram.Skip(f"no tmpfs: {mounted.stderr.decode().strip()}")
    world.cleanups.append(lambda: subprocess.run(["umount", "-l", world.data], check=False))


def fill(server):
    """Remembers until it is refused; ({id: text}, the refusal)."""
    stored = {}
    for turn in range(2000):
        text = f"Entry {turn} of the log. {LONG}"
        try:
            stored[server.remember(text)["id"]] = text
        except engram.ToolError as error:
            return stored, str(error)
    raise engram.Broken("the limit was never met")


def all_there(server, stored):
    for id, text in stored.items():
        expect(server.recall(ids=[id])["items"][0]["text"].strip() == text.strip(), f"{id} is lost")


@engram.promise
def a_full_disk_is_named_and_reading_goes_on_and_writing_comes_back(world):
    for size in ("900k", "1200k"): # an empty memory and its log take some 600 kB
        base = world.path(size)
        os.mkdir(base)
        inner = engram.World(base)
        try:
            small_disk(inner, size)
            server = inner.serve()
            server.remember("The harbour office uses Valkey.")
            ballast = inner.path("data", "ballast")
            with open(ballast, "wb") as file:
                file.write(b"x" * 131072)
            stored, refusal = fill(server)
            expect_words(refusal, "full")
            expect(server.texts("Which store does the harbour office use?")[0] == "The harbour office uses Valkey.")
            all_there(server, stored)
            expect_words(server.refused("remember", text=f"One more. {LONG}"), "full")
            os.unlink(ballast)
            expect(server.remember("There is room again.")["status"] == "stored")
            all_there(server, stored)
            server.kill()
            again = inner.serve()
            all_there(again, stored)
            expect(again.remember("And after a crash, too.")["status"] == "stored")
            inner.doctor()
        finally:
            faults = inner.close()
        expect(not faults, faults)


@engram.promise
def a_disk_that_is_full_from_the_start_gives_an_error_that_says_so(world):
    small_disk(world, "64k")
    with open(os.path.join(world.data, "ballast"), "wb") as file:
        try:
            file.write(b"x" * (1 << 20))
        except OSError:
            pass
    server = world.serve()
    refusal = server.refused("remember", text="The very first memory.")
    expect(any(word in refusal.lower() for word in ("full", "no space")), refusal)
    os.unlink(os.path.join(world.data, "ballast"))
    os.truncate(os.path.join(world.data, "ballast"), 0) if os.path.exists(os.path.join(world.data, "ballast")) else None
    subprocess.run(["mount", "-o", "remount,size=4m", world.data], check=True)
    expect(server.remember("The very first memory.")["status"] == "stored")


@engram.promise
def a_limit_on_the_size_of_files_is_an_error_and_not_the_end(world):
    server = world.serve()
    server.remember("The quay has nine berths.")
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (600_000, 600_000))
    stored, refusal = fill(server)
    expect(refusal.strip(), "an empty error")
    expect(server.texts("How many berths has the quay?")[:1] == ["The quay has nine berths."])
    all_there(server, stored)
    server.stop()
    fresh = world.serve()
    all_there(fresh, stored)
    expect(fresh.remember("The limit is gone.")["status"] == "stored")
    world.doctor()


@engram.promise
def too_few_file_descriptors_are_an_error_and_not_the_end(world):
    world.serve().remember("The pier was built in 1911.")
    refusals = 0
    for most in range(4, 24):
        server = world.serve()
        server.result("review_entities", {"limit": 99})  # refused, but now the server is up with nothing open
        usual = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (most, usual[1]))
        for tool, arguments in (("remember", {"text": f"Try number {most}."}), ("recall", {"query": "When was the pier built?"}),
                                ("attach_document", {"name": "try.md", "content": f"# Try {most}"})):
            result = server.result(tool, arguments)
            refusals += result.get("isError", False)
            expect(result["content"][0]["text"].strip(), "an empty answer")
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, usual)
        expect(server.remember(f"Try number {most}, without the limit.")["status"] == "stored")
        server.stop()
    expect(refusals > 0, "the limit was never met")
    world.doctor()


# What happens to the file, and whether a restart finds the old memories again.
def removed(path):
    os.rename(path, path + ".away")


def replaced(path):
    shutil.copy(path, path + ".copy")
    os.rename(path, path + ".away")
    os.rename(path + ".copy", path)


def replaced_by_garbage(path):
    os.rename(path, path + ".away")
    with open(path, "wb") as file:
        file.write(b"this is no database " * 999)


@engram.promise
def a_database_that_is_taken_away_while_it_is_open_gets_no_silent_writes(world):
    for number, change in enumerate((removed, replaced, replaced_by_garbage)):
        project = world.path(f"taken-{number}")
        os.mkdir(project)
        server = world.serve(project)
        server.remember("The tide table hangs in the hall.")
        path = world.database(project)
        change(path)
        before = open(path, "rb").read() if os.path.exists(path) else None
        refusal = server.refused("remember", text="This must not vanish.")
        expect_words(refusal, "moved or replaced", "nothing was stored")
        expect_words(server.refused("forget", ids=["m1"]), "moved or replaced")
        expect(server.texts("Where does the tide table hang?") == ["The tide table hangs in the hall."])
        after = open(path, "rb").read() if os.path.exists(path) else None
        expect(before == after, "the file in its place was written")
        server.stop()
        after = open(path, "rb").read() if os.path.exists(path) else None
        expect(before == after, "the file in its place was written at the end")
        for end in ("", "-wal"):  # back where it was, with what the log still holds
            if os.path.exists(path + ".away" + end):
                os.replace(path + ".away" + end, path + end)
        expect(world.serve(project).texts("Where does the tide table hang?") == ["The tide table hangs in the hall."],
               f"{change.__name__}: lost")


@engram.promise
def a_database_that_is_moved_away_keeps_its_memories_and_none_begins_beside_it(world):
    old = world.serve()
    for turn in range(20):
        old.remember(f"Old berth {turn} is taken.")
    path = world.database()
    os.rename(path, path + ".away")
    new = world.serve()  # a new file would share the log of the old one
    expect_words(new.refused("remember", text="This one waits."), "moved or replaced", "end them first")
    expect_words(old.refused("remember", text="This must not vanish."), "moved or replaced")
    old.stop()
    new.stop()
    for end in ("", "-wal", "-shm"):
        if os.path.exists(path + end):
            os.unlink(path + end)
    new = world.serve()
    expect(new.remember("A berth is free.")["status"] == "stored")
    new.stop()
    os.replace(path + ".away", path)
    world.doctor()
    expect(world.count("SELECT count(*) FROM memory") == 20, "the old one")


@engram.promise
def a_folder_that_is_removed_while_it_is_open_gives_an_error(world):
    server = world.serve()
    server.remember("The buoy is red.")
    shutil.rmtree(world.folder())
    expect_words(server.refused("remember", text="This must not vanish."), "nothing was stored")
    server.stop()
    expect(world.serve().remember("A new beginning.")["id"] == "m1")


def hold_write_lock(world):
    file = open(os.path.join(world.folder(), "write.lock"), "rb+")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


@engram.promise
def a_lock_that_somebody_holds_too_long_is_told_and_stores_nothing_and_recall_goes_on(world):
    server = world.serve(**SHORT_DEADLINE)
    server.remember("The crane lifts forty tons.")
    before = world.digest()
    with hold_write_lock(world):
        for tool, arguments in (("remember", {"text": "Not now."}), ("forget", {"ids": ["m1"]}),
                                ("attach_document", {"name": "a.md", "content": "# Not now"}),
                                ("review_entities", {"edits": [{"action": "dismiss", "entity": "crane"}]})):
            expect_words(server.refused(tool, arguments), "lock", "nothing was")
        expect(server.texts("How much does the crane lift?") == ["The crane lifts forty tons."])
        expect(world.digest() == before)
    expect(server.remember("Not now.")["status"] == "stored")


@engram.promise
def a_server_that_starts_while_somebody_holds_the_lock_recalls(world):
    world.serve().remember("The crane lifts forty tons.")
    with hold_write_lock(world):
        server = world.serve(**SHORT_DEADLINE)
        expect(server.texts("How much does the crane lift?") == ["The crane lifts forty tons."])
        expect_words(server.refused("remember", text="Not now."), "lock", "nothing was stored")
    expect(server.remember("Not now.")["status"] == "stored")


@engram.promise
def a_foreign_transaction_is_told_and_stores_nothing_and_recall_goes_on(world):
    server = world.serve(**SHORT_DEADLINE)
    server.remember("The crane lifts forty tons.")
    foreign = sqlite3.connect(world.database(), isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")
    expect_words(server.refused("remember", text="Not now."), "another process")
    expect(server.texts("How much does the crane lift?") == ["The crane lifts forty tons."])
    foreign.execute("ROLLBACK")
    foreign.close()
    expect(server.remember("Not now.")["status"] == "stored")


@engram.promise
def a_foreign_reader_that_stays_does_not_stop_writes(world):
    server = world.serve(**SHORT_DEADLINE)
    server.remember("The crane lifts forty tons.")
    foreign = sqlite3.connect(world.database(), isolation_level=None)
    foreign.execute("BEGIN")
    foreign.execute("SELECT count(*) FROM memory").fetchall()
    for turn in range(20):
        server.remember(f"Berth {turn} is free.")
    expect(server.call("forget", ids=["m1"])["forgotten"] == ["m1"])
    foreign.close()
    world.doctor()


@engram.promise
def a_clock_that_jumps_changes_neither_order_nor_content(world):
    clocks = ["2026-05-01T12:00:00Z", "2026-04-30T12:00:00Z", "2036-05-01T12:00:00Z", "1970-01-01T00:00:00Z",
              "2038-01-19T03:14:08Z", "2024-02-29T23:59:59Z", "2026-05-01T12:00:01Z"]
    ids = []
    for turn, clock in enumerate(clocks):
        server = world.serve(ENGRAM_NOW=clock)
        ids.append(server.remember(f"Gauge reading {turn} of the lock basin.", session="gauge", at="2026-05-01")["id"])
        items = server.recall("gauge reading of the lock basin", limit=50, min_score=0)["items"]
        expect({item["id"] for item in items} == set(ids), f"at {clock}: {[item['id'] for item in items]}")
        expect(all(0 <= item["score"] <= 1 for item in items))
        server.recall(ids=[ids[0]])
        server.stop()
    numbers = [int(id[1:]) for id in ids]
    expect(numbers == sorted(numbers))
    follows = world.query("SELECT src, dst FROM edge WHERE kind = 1")
    expect(all(src < dst for src, dst in follows), "NEXT goes backwards")
    newest = world.serve(ENGRAM_NOW="2026-05-01T12:00:02Z")
    newest.remember("The basin's level is 3 m.", topic="level", at="2026-05-01")
    newest.remember("The basin's level is 4 m.", topic="level", at="2026-05-02")
    past = world.serve(ENGRAM_NOW="2020-01-01T00:00:00Z")
    expect(past.texts("What is the basin's level?", kinds=["memory"])[0] == "The basin's level is 4 m.")
    world.doctor()


engram.main()
