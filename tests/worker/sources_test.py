#!/usr/bin/env python3
"""Jobs over the files of a folder, through the worker's socket: what it opens, and what it never does."""
import hashlib
import os
import shutil
import struct
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from parse_test import DONE, ERR_INPUT, ERR_NOT_FOUND, PROTOCOL, Worker

WORKTREE, SOURCES = 2, 3
BEGUN = 256
MAX_LIST_BYTES = 64 << 10


def text(data):
    return struct.pack("<I", len(data)) + data


def job(*files):
    """(path, known blob ids) or a path alone."""
    pairs = [file if isinstance(file, tuple) else (file, "") for file in files]
    return struct.pack("<I", len(pairs)) + b"".join(text(os.fsencode(path)) + text(known.encode()) for path, known in pairs)


def blob_id(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class File:
    """The first fields of a file's facts."""

    def __init__(self, data):
        assert data[:4] == b"EGS1"
        self.at, self.data = 4, data
        self.path, self.blob = self.text(), self.text()
        self.bytes, self.mtime_ns, self.ctime_ns = self.numbers("<QQQ")
        self.skipped = self.text()
        self.known, = self.numbers("<I")
        self.language = self.text()

    def numbers(self, form):
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    def text(self):
        length, = self.numbers("<I")
        self.at += length
        return self.data[self.at - length:self.at].decode()


class Sources(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="engram-sources-")
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.root = os.path.join(self.top, "root")
        os.mkdir(self.root)
        self.worker = Worker()
        self.addCleanup(lambda: self.worker.end())

    def write(self, path, data, folder=None):
        path = os.path.join(folder or self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def read(self, *files, **more):
        """The replies on each: (blob told before the parse or None, facts)."""
        self.worker.send(os.open(self.root, os.O_RDONLY | os.O_DIRECTORY), name=job(*files), kind=SOURCES)
        replies = []
        for _ in files:
            status, data = self.worker.reply()
            begun = None
            if status == BEGUN:
                begun = data.decode()
                status, data = self.worker.reply()
            self.assertEqual(status, 0, data)
            replies.append((begun, File(data)))
        return replies

    def test_each_file_is_answered_in_order(self):
        files = {f"a/{n}.py": b"def f%d(): pass\n" % n for n in range(50)}
        for path, data in files.items():
            self.write(path, data)
        for (begun, file), (path, data) in zip(self.read(*files), files.items()):
            info = os.stat(os.path.join(self.root, path))
            self.assertEqual((file.path, file.blob, begun), (path, blob_id(data), blob_id(data)))
            self.assertEqual((file.bytes, file.mtime_ns, file.ctime_ns), (len(data), info.st_mtime_ns, info.st_ctime_ns))
            self.assertEqual((file.skipped, file.known, file.language), ("", 0, "python"))
        self.assertEqual(self.worker.end(), DONE, self.worker.errors)

    def test_a_known_content_is_not_parsed(self):
        data = b"int main(void) { return 0; }\n"
        self.write("a.c", data)
        other = blob_id(b"something else")
        (begun, file), = self.read(("a.c", f"{other} {blob_id(data)}"))
        self.assertEqual((begun, file.blob, file.known, file.language), (None, blob_id(data), 1, ""))
        (begun, file), = self.read(("a.c", other))
        self.assertEqual((begun, file.known, file.language), (blob_id(data), 0, "c"))

    def test_nothing_outside_the_root_is_opened(self):
        secret = self.write("secret.py", b"secret = 1\n", self.top)
        self.write("inside.py", b"x = 1\n")
        os.symlink(secret, os.path.join(self.root, "link.py"))
        os.symlink("inside.py", os.path.join(self.root, "alias.py"))
        os.symlink(self.top, os.path.join(self.root, "folder"))
        os.symlink("/proc/self", os.path.join(self.root, "proc"))
        cases = {"link.py": "link", "alias.py": "link", "folder/secret.py": "link", "../secret.py": "link",
                 "a/../../secret.py": "gone", "proc/environ": "link", secret: "not readable", "": "not readable",
                 ".": "not a file", "nothing.py": "gone", "inside.py/x": "gone", "x" * 300: "not readable"}
        for (begun, file), (path, why) in zip(self.read(*cases), cases.items()):
            self.assertEqual((begun, file.skipped, file.blob), (None, why, ""), path)
        self.assertEqual(self.read("inside.py")[0][1].skipped, "")

    def test_special_files_never_hold_it_up(self):
        os.mkfifo(os.path.join(self.root, "fifo.c"))
        os.mkdir(os.path.join(self.root, "folder.c"))
        self.write("sound.c", b"int x;\n")
        cases = {"fifo.c": "not a file", "folder.c": "not a file", "sound.c": ""}
        if os.geteuid() == 0:
            os.mknod(os.path.join(self.root, "null.c"), 0o600 | 0o020000, os.makedev(1, 3))
            cases["null.c"] = "not a file"
        for (_, file), (path, why) in zip(self.read(*cases), cases.items()):
            self.assertEqual(file.skipped, why, path)

    def test_a_file_over_a_mebibyte_is_left_out(self):
        self.write("most.txt", b"word \n" * ((1 << 20) // 6) + b"x" * ((1 << 20) % 6))
        self.write("over.txt", b"x" * ((1 << 20) + 1))
        (_, most), (begun, over) = self.read("most.txt", "over.txt")
        self.assertEqual((most.bytes, most.blob != ""), (1 << 20, True))
        self.assertEqual((begun, over.skipped, over.bytes), (None, "over 1 MiB", (1 << 20) + 1))

    def test_a_file_that_changes_is_told_or_left_out_and_whole_once_it_rests(self):
        path = self.write("a.txt", b"")
        over = threading.Event()

        def keep_changing():
            n = 0
            while not over.is_set():
                n += 1
                with open(path, "wb", buffering=0) as file:  # a whole text at once, not in blocks
                    file.write(b"%d word\n" % n * 20000)
        writer = threading.Thread(target=keep_changing)
        writer.start()
        try:
            seen = [self.read("a.txt")[0][1] for _ in range(100)]
        finally:
            over.set()
            writer.join()
        self.assertLessEqual({file.skipped for file in seen}, {"", "changed while read", "empty"})
        # A write that pauses half-way leaves a file like any other; the next listing tells its new size.
        last = self.read("a.txt")[0][1]
        self.assertEqual((last.skipped, last.bytes), ("", os.path.getsize(path)))

    def test_a_list_that_is_none_is_refused(self):
        for bad in (b"", b"\xff\xff\xff\xff", struct.pack("<I", 257) + (text(b"a") + text(b"")) * 257, job("a.c")[:-1],
                    job("a.c") + b"x"):
            self.worker.send(os.open(self.root, os.O_RDONLY), name=bad, kind=SOURCES)
            self.assertEqual(self.worker.reply()[0], ERR_INPUT, bad[:20])
        self.assertEqual(self.read("gone")[0][1].skipped, "gone")

    def test_the_longest_list_is_taken_and_a_longer_one_is_none(self):
        fits = job(*["d" * 240] * 200, "e" * (MAX_LIST_BYTES - 4 - 200 * 248 - 8))
        self.assertEqual(len(fits), MAX_LIST_BYTES)
        self.worker.send(os.open(self.root, os.O_RDONLY), name=fits, kind=SOURCES)
        for _ in range(201):
            self.assertEqual(self.worker.reply()[0], 0)
        try:
            self.worker.send(os.open(self.root, os.O_RDONLY), name=fits + b"x", kind=SOURCES)
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assertEqual(self.worker.process.wait(timeout=20), PROTOCOL)

    def test_a_folder_is_listed(self):
        self.write("a.c", b"int x;\n")
        self.write("b/c.py", b"x = 1\n")
        self.worker.send(os.open(self.root, os.O_RDONLY), name=os.fsencode(self.root), kind=WORKTREE)
        status, listing = self.worker.reply()
        self.assertEqual(status, 0, listing)
        self.assertIn(b"a.c", listing)
        self.assertIn(b"b/c.py", listing)
        self.worker.send(os.open(self.root, os.O_RDONLY), name=os.fsencode(self.root + "/nowhere"), kind=WORKTREE)
        self.assertEqual(self.worker.reply()[0], ERR_NOT_FOUND)


if __name__ == "__main__":
    unittest.main()
