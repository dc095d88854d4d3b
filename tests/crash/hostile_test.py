"""Databases that aren't ours, are broken or come from the future: refused with a clear error and never touched."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import expect, expect_words

IMAGES = engram.number("ENGRAM_IMAGES", 40)
SEED = engram.number("ENGRAM_SEED", 1)


def by_sql(*statements):
    def change(path):
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        for statement in statements:
            connection.execute(statement)
        connection.close()
    return change


def in_schema(sql):
    """Puts a row into sqlite_schema by hand, as no statement would."""
    return by_sql("PRAGMA writable_schema=ON", sql, "PRAGMA schema_version=99")


def bytes_instead(data):
    def change(path):
        with open(path, "wb") as file:
            file.write(data)
    return change


def cut_to(share):
    return lambda path: os.truncate(path, int(os.path.getsize(path) * share))


def directory_instead(path):
    os.unlink(path)
    os.mkdir(path)


def link_instead(path):
    os.rename(path, path + ".real")
    os.symlink(path + ".real", path)


def fifo_instead(path):
    os.unlink(path)
    os.mkfifo(path)


# How the file is spoilt, and words that the error must hold beside its path.
HOSTILE = [
    ("an_extra_trigger", by_sql("CREATE TRIGGER t AFTER INSERT ON body BEGIN UPDATE body SET text = 'owned' WHERE id = new.id; END"),
     ["triggers"]),
    ("an_extra_view", by_sql("CREATE VIEW v AS SELECT text FROM body"), ["views"]),
    ("an_extra_index", by_sql("CREATE INDEX i ON body (text)"), ["indexes"]),
    ("an_extra_table", by_sql("CREATE TABLE extra (x)"), ["tables"]),
    ("a_generated_column", by_sql("ALTER TABLE setting ADD COLUMN x TEXT GENERATED ALWAYS AS (upper(value))"), ["tables"]),
    ("a_missing_table", by_sql("DROP TABLE anchor"), ["left alone"]),
    ("another_definition", in_schema("UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '       ') WHERE name = 'setting'"),
     ["left alone"]),
    ("another_application_id", by_sql("PRAGMA application_id=1"), ["not a memory of engram"]),
    ("no_application_id", by_sql("PRAGMA application_id=0"), ["not a memory of engram"]),
    ("garbage", bytes_instead(random.Random(SEED).randbytes(20_000)), ["not a database"]),
    ("text", bytes_instead(b"notes of mine, please keep\n"), ["not a database"]),
    ("a_file_cut_in_half", cut_to(.5), ["damaged"]),
    ("a_file_cut_within_a_page", cut_to(.731), ["damaged"]),
    ("a_file_of_its_header_alone", lambda path: os.truncate(path, 100), []),
    ("a_directory", directory_instead, []),
    ("a_symbolic_link", link_instead, []),
    ("a_pipe", fifo_instead, []),
]


def everything(folder):
    """What lies in the folder: bytes of files, aims of links; locks and the log of SQLite's own left out."""
    out = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith((".lock", "-wal", "-shm", "project.json")):
            continue
        if os.path.islink(path):
            out[name] = os.readlink(path)
        elif os.path.isfile(path):
            with open(path, "rb") as file:
                out[name] = file.read()
        else:
            out[name] = "directory" if os.path.isdir(path) else "special"
    return out


def is_refused(name, change, words):
    def check(world):
        server = world.serve()
        server.remember("The ferry leaves at seven.")
        for turn in range(30):
            server.remember(f"Ferry {turn} carries {turn} cars across the sound.")
        server.stop()
        path = world.database()
        change(path)
        before = everything(world.folder())
        server = world.serve()
        for tool, arguments in (("recall", {"query": "When does the ferry leave?"}), ("remember", {"text": "It is blue."}),
                                ("forget", {"ids": ["m1"]}), ("attach_document", {"name": "a.md", "content": "# A"}),
                                ("review_entities", {"entity": "ferry"})):
            text = server.refused(tool, arguments)
            expect_words(text, path, *words)
        expect(everything(world.folder()) == before, "something was changed")
        other = world.path("other")
        os.mkdir(other)
        world.write("CHANGES.md", "# Changes\n", other)
        world.serve(other).remember("Another project goes on.")
        server.stop()
        expect(everything(world.folder()) == before, "something was changed at the end")
        code, out, err = world.run("doctor")
        expect(code == 1 and path in out, f"doctor: {code} {out} {err}")
        expect(everything(world.folder()) == before, "doctor changed something")

    engram.promises.append((f"{name}_in_place_of_the_database_is_refused_and_left_alone", check))


for row in HOSTILE:
    is_refused(*row)


@engram.promise
def a_database_of_a_newer_version_is_read_and_never_written(world):
    server = world.serve()
    server.remember("The ferry leaves at seven.")
    server.stop()
    by_sql("PRAGMA user_version=900")(world.database())
    before = everything(world.folder())
    server = world.serve()
    expect(server.texts("When does the ferry leave?") == ["The ferry leaves at seven."])
    expect_words(server.refused("remember", text="It is blue."), "newer")
    expect_words(server.refused("forget", ids=["m1"]), "newer")
    server.stop()
    code, out, _ = world.run("--json", "status")
    expect(code == 0 and "newer" in out, out)
    expect(everything(world.folder()) == before, "the file was changed")


@engram.promise
def a_log_that_belongs_to_another_database_is_no_crash(world):
    server = world.serve()
    server.remember("The ferry leaves at seven.")
    server.stop()
    other = world.path("other")
    os.mkdir(other)
    stranger = world.serve(other)
    for turn in range(10):
        stranger.remember(f"Stranger {turn}.")
    stranger.kill()
    shutil.copy(world.database(other) + "-wal", world.database() + "-wal")
    server = world.serve()
    try:
        server.recall("When does the ferry leave?")
        server.remember("It is blue.")
    except engram.ToolError as error:
        expect_words(str(error), world.database())
    server.stop()
    expect(server.process.returncode == 0)


@engram.promise
def missing_or_empty_side_files_are_no_trouble(world):
    for number, (end, change) in enumerate([("-wal", os.unlink), ("-shm", os.unlink), ("-shm", lambda p: os.truncate(p, 0)),
                                            ("-wal", lambda p: os.truncate(p, 0))]):
        project = world.path(f"side-{number}")
        os.mkdir(project)
        server = world.serve(project)
        server.remember("The ferry leaves at seven.")
        server.kill()
        if os.path.exists(world.database(project) + end):
            change(world.database(project) + end)
        again = world.serve(project)
        expect(again.remember(f"After {number}.")["status"] == "stored")
        expect(world.run("doctor", project=project)[0] == 0)


@engram.promise
def spoilt_images_never_crash_hang_or_cost_the_original(world):
    server, source = world.serve(), random.Random(SEED)
    for turn in range(60):
        server.remember(f"Ferry {turn} carries {turn} cars across the sound.", topic=f"ferry {turn % 9}", session="s",
                        relations=[{"from": f"Ferry {turn}", "relation": "carries", "to": "Cars"}])
    server.call("attach_document", name="a.md", content="# Ferry\n\n" + "The sound is deep. " * 400)
    server.stop()
    path = world.database()
    with open(path, "rb") as file:
        good = file.read()
    for _ in range(IMAGES):
        image = bytearray(good)
        for _ in range(source.choice((1, 3, 30))):
            at = source.randrange(len(image))
            how = source.randrange(3)
            if how == 0:
                image[at] ^= 1 << source.randrange(8)
            elif how == 1:
                at -= at % 4096
                image[at:at + 4096] = bytes(4096)
            else:
                image[at:at + 64] = source.randbytes(64)
        if source.random() < .2:
            del image[source.randrange(len(image)):]
        for end in ("-wal", "-shm"):
            if os.path.exists(path + end):
                os.unlink(path + end)
        bytes_instead(bytes(image))(path)
        server = world.serve()
        for tool, arguments in (("recall", {"query": "Which ferry carries cars?"}), ("recall", {"ids": ["m1"]}),
                                ("remember", {"text": "A new one."}), ("forget", {"ids": ["m3"]}),
                                ("review_entities", {"entity": "Ferry 1"})):
            server.result(tool, arguments)
        server.stop()
        expect(server.process.returncode == 0, f"exit {server.process.returncode}")
        expect(os.path.getsize(path) > 0 or not image, "the file is gone")


@engram.promise
def a_data_folder_of_others_is_refused(world):
    server = world.serve()
    server.remember("The ferry leaves at seven.")
    server.stop()
    for path, mode in ((world.folder(), 0o777), (os.path.join(world.data, "engram"), 0o777)):
        os.chmod(path, mode)
        text = world.serve().refused("recall", query="ferry")
        expect_words(text, path)
        os.chmod(path, 0o700)


@engram.promise
def a_database_that_others_may_write_is_refused(world):
    server = world.serve()
    server.remember("The ferry leaves at seven.")
    server.stop()
    os.chmod(world.database(), 0o666)
    expect_words(world.serve().refused("recall", query="ferry"), world.database())


@engram.promise
def files_of_memories_are_for_the_user_alone(world):
    world.serve().remember("The ferry leaves at seven.")
    for folder, _, names in os.walk(os.path.join(world.data, "engram")):
        expect(os.stat(folder).st_mode & 0o077 == 0, folder)
        for name in names:
            expect(os.stat(os.path.join(folder, name)).st_mode & 0o077 == 0, name)


@engram.promise
def files_of_another_user_are_refused(world):
    if os.geteuid() != 0:
        raise engram.Skip("giving files away wants root")
    server = world.serve()
    server.remember("The ferry leaves at seven.")
    server.stop()
    os.chown(world.database(), 65534, 65534)
    expect_words(world.serve().refused("remember", text="It is blue."), "another user")


@engram.promise
def garbage_of_other_projects_in_the_data_folder_hurts_nobody(world):
    world.serve().remember("The ferry leaves at seven.")
    for number in range(100):
        folder = os.path.join(world.data, "engram", f"junk-{number:012x}")
        os.makedirs(folder, mode=0o700)
        for name in ("memory.db", "project.json"):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(b"\xff\x00garbage{" * number)
    server = world.serve()
    expect(server.texts("When does the ferry leave?") == ["The ferry leaves at seven."])
    server.refused("recall", query="ferry", project="junk")
    server.refused("recall", query="ferry", project=f"{7:012x}")
    expect(world.run("status", "--all")[0] == 0)


@engram.promise
def a_memory_on_a_read_only_file_system_is_recalled(world):
    if os.geteuid() != 0:
        raise engram.Skip("mounting wants root")
    server = world.serve()
    server.remember("The ferry leaves at seven.")
    server.stop()
    for command in (["mount", "--bind", world.data, world.data], ["mount", "-o", "remount,ro,bind", world.data]):
        if subprocess.run(command, capture_output=True, check=False).returncode:
            raise engram.Skip("no bind mounts here")
        if "--bind" in command:
            world.cleanups.append(lambda: subprocess.run(["umount", "-l", world.data], check=False))
    server = world.serve()
    expect(server.texts("When does the ferry leave?") == ["The ferry leaves at seven."])
    text = server.refused("remember", text="It is blue.")
    expect("read-only" in text.lower() or "reading" in text.lower(), text)


engram.main()
