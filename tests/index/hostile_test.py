"""A tree that wants to harm whoever indexes it: every other file is indexed, nothing from outside gets in, the server answers."""

import os
import random
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.background import DONE_S, the_background, wait_for
from support.engram import expect

SECRET = "xyzzy_from_outside"


def manifest(world):
    return {path: skipped for path, skipped in world.query("SELECT path, skipped FROM manifest")}


def sound_files(world, count):
    for n in range(count):
        world.write(f"sound/file_{n}.py", f"def sound_{n}():\n    return {n}\n")
    return {f"sound/file_{n}.py" for n in range(count)}


def braces(world):
    world.write("a/braces.c", b"{" * (1 << 20))
    world.write("a/parentheses.js", b"(" * (1 << 20))
    world.write("a/ifs.py", b"".join(b" " * n + b"if x:\n" for n in range(1000)))
    return {}


def big(world):
    with open(world.write("a/big.c", b""), "wb") as file:
        for _ in range(36):
            file.write(b"int x;\n" * 150000)
    world.write("a/long_line.js", b"x" * (20 << 20))
    return {"a/big.c": "over 1 MiB", "a/long_line.js": "over 1 MiB"}


def noise(world):
    world.write("a/noise.py", random.Random(1).randbytes(100000))
    world.write("a/nuls.c", b"int a;\0\0\0")
    return {"a/noise.py": "binary", "a/nuls.c": "binary"}


def special_files(world):
    os.mkfifo(world.path("project", "a", "fifo.c"))
    os.mkfifo(world.path("project", "a", ".gitignore"))
    try:
        os.mknod(world.path("project", "a", "device.c"), 0o600 | 0o020000, os.makedev(1, 3))
    except PermissionError:
        pass  # only root may
    os.symlink("/dev/zero", world.path("project", "a", "zero.c"))
    return {"a/fifo.c": "not a file", "a/zero.c": "link"}


def links(world):
    outside = world.path("outside")
    os.mkdir(outside)
    for name in ("secret.py", "more.py"):
        world.write(name, f"def {SECRET}():\n    pass\n", outside)
    os.symlink(os.path.join(outside, "secret.py"), world.path("project", "a", "link.py"))
    os.symlink("../../outside/more.py", world.path("project", "a", "relative.py"))
    os.symlink(outside, world.path("project", "a", "folder"))
    os.symlink("loop_b.py", world.path("project", "a", "loop_a.py"))
    os.symlink("loop_a.py", world.path("project", "a", "loop_b.py"))
    os.symlink("..", world.path("project", "a", "up"))
    return {"a/link.py": "link", "a/relative.py": "link"}


def deep(world):
    """10,000 folders, one in the other: by descriptor, since the path is too long for the system."""
    fd = os.open(world.path("project", "a"), os.O_RDONLY)
    for _ in range(10000):
        os.mkdir("d", dir_fd=fd)
        below = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    file = os.open("bottom.py", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=fd)
    os.write(file, b"def bottom(): pass\n")
    os.close(file)
    os.close(fd)

    def remove():
        """Level by level: what removes trees recursively can't."""
        top = os.open(world.path("project", "a"), os.O_RDONLY)
        while True:
            try:
                os.rename("d/d", "e", src_dir_fd=top, dst_dir_fd=top)
            except FileNotFoundError:
                break
            os.rmdir("d", dir_fd=top)
            os.rename("e", "d", src_dir_fd=top, dst_dir_fd=top)
        os.close(top)
    world.cleanups.append(remove)
    return {}


def encodings(world):
    world.write("b/korean.py", "# 재시도\ndef 재시도_횟수():\n    return 3\n".encode("euc-kr"))
    world.write("b/wide.py", "def wide_name():\n    return 1\n".encode("utf-16"))
    world.write("b/marked.py", b"\xef\xbb\xbfdef marked_name():\n    return 1\n")
    return {}


def names(world):
    world.write("b/ctrl\x01\n.py", "def controlled(): pass\n")
    with open(os.path.join(os.fsencode(world.project), b"b", b"bad\xff.py"), "wb") as file:
        file.write(b"def badly_named(): pass\n")
    world.write("b/" + "n" * 250 + ".py", "def long_named(): pass\n")
    return {}


HOSTILE = (braces, big, noise, special_files, links, deep, encodings, names)


@engram.promise
def a_hostile_tree_costs_only_its_hostile_files(world):
    world.env["ENGRAM_INDEX"] = "on"
    sound, left_out, changing = sound_files(world, 40), {}, threading.Event()
    os.makedirs(world.path("project", "a"), exist_ok=True)
    for plant in HOSTILE:
        left_out.update(plant(world))

    def keep_changing():
        n = 0
        while not changing.wait(.0005):
            n += 1
            world.write("b/changing.py", f"def changing_{n}():\n    return 1\n" * (n % 50 + 1))
    writer = threading.Thread(target=keep_changing)
    writer.start()
    try:
        server, pings = world.serve(), 0
        server.recall("sound")
        the_background(world)

        def is_whole():
            nonlocal pings
            server.request("ping")
            pings += 1
            return world.query("SELECT is_whole FROM worktree") == [(1,)]
        wait_for(DONE_S, "a whole index", is_whole)
    finally:
        changing.set()
        writer.join()
    print(f"         {pings} pings were answered meanwhile")
    code, out, err = world.run("--json", "index", "--wait")
    expect(code == 0, f"{out}{err}")

    found = manifest(world)
    expect(sound <= set(found) and not [path for path in sound if found[path]], {p: found.get(p) for p in sound})
    wrong = {path: found.get(path) for path in left_out if found.get(path, left_out[path]) != left_out[path]}
    expect(not wrong, wrong)
    expect(found["b/changing.py"] in ("", "changed while read"), found["b/changing.py"])
    for path in ("b/wide.py", "b/marked.py", "b/korean.py", "b/" + "n" * 250 + ".py"):
        expect(found.get(path) == "", f"{path}: {found.get(path)}")
    symbols = {name for name, in world.query("SELECT name FROM node WHERE kind = 5")}
    expect({"sound_1", "sound_39", "wide_name", "marked_name", "long_named"} <= symbols, symbols)
    expect(SECRET not in symbols and not [path for path in found if "folder/" in path or "up/" in path], found)
    expect(not world.files_with(SECRET), "something from outside got in")
    world.doctor()


engram.main()
