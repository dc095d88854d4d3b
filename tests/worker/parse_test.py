#!/usr/bin/env python3
"""Drives the real engram-worker through its socket, as server/parse.c does and as it never would."""
import array
import os
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

WORKER = os.environ.get("ENGRAM_WORKER", "build/debug/engram-worker")
HEADER = struct.Struct("<4sII")
DOCUMENT = 1
ERR_INPUT, ERR_NOT_FOUND, ERR_LIMIT, ERR_IO = 1, 2, 3, 6
DONE, USAGE, PROTOCOL, NO_MEMORY = 0, 2, 4, 70


class Worker:
    def __init__(self, **environment):
        self.socket, theirs = socket.socketpair()

        def to_three():
            os.dup2(theirs.fileno(), 3)

        self.process = subprocess.Popen(
            [WORKER, "parse"], preexec_fn=to_three, close_fds=True, pass_fds=[3], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **environment})
        theirs.close()
        self.socket.settimeout(60)

    def send_header(self, header, descriptors):
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        self.socket.sendmsg([header], rights)

    def send(self, data, name=b"a.md", kind=DOCUMENT, slowly=False):
        fd = data if isinstance(data, int) else memfd(data)
        job = HEADER.pack(b"EGJ1", kind, len(name)) + name
        first = 1 if slowly else len(job)
        self.send_header(job[:first], [fd])
        for i in range(first, len(job)):
            self.socket.sendall(job[i:i + 1])
        os.close(fd)

    def receive(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def reply(self):
        magic, status, length = HEADER.unpack(self.receive(HEADER.size))
        assert magic == b"EGR1"
        return status, self.receive(length)

    def ask(self, data, **job):
        self.send(data, **job)
        return self.reply()

    def end(self):
        self.socket.close()
        self.errors = self.process.communicate(timeout=60)[1].decode(errors="replace")
        return self.process.returncode


def memfd(data):
    fd = os.memfd_create("document")
    os.write(fd, data)
    return fd


def proc(pid, name):
    with open(f"/proc/{pid}/{name}") as file:
        return file.read()


def is_sanitized():
    """A sanitized worker has no limit of its address space, and may be looked at."""
    worker = Worker()
    worker.ask(b"x")
    try:
        return "Max address space         unlimited" in proc(worker.process.pid, "limits")
    except PermissionError:
        return False
    finally:
        worker.end()


def is_alive(pid):
    try:
        return proc(pid, "stat").rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Parse(unittest.TestCase):
    def test_jobs_are_answered_one_after_the_other(self):
        worker = Worker()
        status, facts = worker.ask(b"# Title\n\nText.\n")
        self.assertEqual((status, facts[:4]), (0, b"EGF1"))
        self.assertIn(b"# Title\n\nText.", facts)
        self.assertEqual(worker.ask(b"%PDF-1.7")[0], ERR_INPUT)
        self.assertEqual(worker.ask("héllo".encode(), name=b"\xff.txt", slowly=True)[0], 0)
        self.assertEqual(worker.end(), DONE, worker.errors)

    def test_it_ends_when_the_parent_hangs_up(self):
        worker = Worker()
        self.assertEqual(worker.end(), DONE)

    def test_it_hangs_up_on_what_is_no_job(self):
        for header, descriptors in [(b"EGJ1" + bytes(8), 0), (b"NOPE" + bytes(8), 1), (b"EGJ1\x01\0\0\0\xff\xff\xff\xff", 1),
                                    (b"EGJ1", 1), (b"x" * 5000, 1), (HEADER.pack(b"EGJ1", 1, 4097), 1)]:
            worker = Worker()
            worker.send_header(header, [os.open("/dev/null", os.O_RDONLY) for _ in range(descriptors)])
            worker.socket.shutdown(socket.SHUT_WR)
            self.assertEqual(worker.process.wait(timeout=20), PROTOCOL, header[:20])
            worker.end()

    def test_random_bytes_never_crash_it(self):
        rng = random.Random(1)
        for _ in range(40):
            worker = Worker()
            data = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 64)))
            worker.send_header(rng.choice([b"", b"EGJ1", b"EGJ1\x01\0\0\0"]) + data, [0])
            worker.socket.shutdown(socket.SHUT_WR)
            self.assertIn(worker.process.wait(timeout=20), (DONE, PROTOCOL))
            worker.end()

    def test_further_descriptors_are_closed(self):
        worker = Worker()
        fds = [memfd(b"one"), memfd(b"two"), memfd(b"three")]
        worker.send_header(HEADER.pack(b"EGJ1", DOCUMENT, 1) + b"a", fds)
        status, facts = worker.reply()
        self.assertEqual(status, 0)
        self.assertIn(b"one", facts)
        for _ in range(100):  # more than it may have open
            self.assertEqual(worker.ask(b"x")[0], 0)
        self.assertEqual(worker.end(), DONE)

    def test_what_it_cannot_read_is_an_error(self):
        worker = Worker()
        status, text = worker.ask(b"x", kind=99)
        self.assertEqual((status, text), (ERR_INPUT, b"a parse worker knows no job of kind 99"))
        status, text = worker.ask(os.open("/", os.O_RDONLY))
        self.assertEqual(status, ERR_IO, text)
        status, text = worker.ask(os.open("/proc/self/mem", os.O_WRONLY))
        self.assertEqual(status, ERR_IO, text)
        big = os.memfd_create("big")
        os.truncate(big, (32 << 20) + 1)
        status, text = worker.ask(big)
        self.assertEqual(status, ERR_LIMIT)
        self.assertIn(b"33554433 bytes, at most 33554432", text)
        self.assertEqual(worker.end(), DONE)

    def test_random_documents_never_crash_it(self):
        rng = random.Random(2)
        worker = Worker()
        for _ in range(200):
            data = bytes(rng.choice(b"#>-*`~[]()<!&|=_ \n\n\t1.a:+\\\"'\xc3\xa9\xff") for _ in range(rng.randrange(3000)))
            self.assertIn(worker.ask(data, name=rng.choice([b"a.md", b"a", b"a.c", b""]))[0], (0, ERR_INPUT))
        self.assertEqual(worker.end(), DONE, worker.errors)

    def test_it_is_confined(self):
        worker = Worker()
        worker.ask(b"x")
        pid = worker.process.pid
        status = proc(pid, "status")
        try:
            limits = proc(pid, "limits")
            descriptors = sorted(os.listdir(f"/proc/{pid}/fd"), key=int)
        except PermissionError:
            self.skipTest("only root may look at a process that isn't dumpable")
        self.assertIn("NoNewPrivs:\t1", status)
        self.assertRegex(limits, r"Max core file size +0 +0")
        self.assertRegex(limits, r"Max open files +64 +64")
        self.assertRegex(limits, r"Max cpu time +1\d\d ")
        self.assertRegex(limits, r"Max address space +(536870912 +536870912|unlimited)")
        self.assertEqual(os.getpriority(os.PRIO_PROCESS, pid), os.getpriority(os.PRIO_PROCESS, 0) + 5)
        self.assertEqual(descriptors, ["0", "1", "2", "3"])
        worker.end()

    def test_no_memory_ends_it_cleanly(self):
        if is_sanitized():
            worker = Worker(ASAN_OPTIONS="max_allocation_size_mb=4:allocator_may_return_null=1")
        else:
            worker = Worker()
            worker.ask(b"x")
            size = int(proc(worker.process.pid, "statm").split()[0]) * resource.getpagesize()
            resource.prlimit(worker.process.pid, resource.RLIMIT_AS, (size + (8 << 20),) * 2)
        worker.send(b"Some words.\n" * (7 << 16))
        with self.assertRaises((EOFError, ConnectionError)):
            worker.reply()
        self.assertEqual(worker.end(), NO_MEMORY, worker.errors)
        self.assertIn("out of memory", worker.errors)

    def test_a_loop_is_ended_by_the_limit_of_the_cpu(self):
        worker = Worker()
        worker.ask(b"x")
        resource.prlimit(worker.process.pid, resource.RLIMIT_CPU, (1, 1))
        with self.assertRaises((EOFError, ConnectionError)):
            for _ in range(100):  # no document loops; many together do
                worker.ask(b"## a\n" * (1 << 18))
        self.assertIn(worker.end(), (-signal.SIGXCPU, -signal.SIGKILL))

    def test_a_crash_is_seen_as_the_end(self):
        worker = Worker()
        worker.ask(b"x")
        worker.process.send_signal(signal.SIGKILL)
        with self.assertRaises((EOFError, ConnectionError)):
            worker.ask(b"x")
        self.assertEqual(worker.end(), -signal.SIGKILL)

    def test_it_dies_with_its_parent(self):
        # A parent of its own, whose socket another process keeps open, so that only the parent's death can end the worker.
        mine, theirs = socket.socketpair()
        parent = subprocess.Popen(
            [sys.executable, "-c",
             "import os, subprocess, sys, time\n"
             f"os.dup2({theirs.fileno()}, 3)\n"
             f"p = subprocess.Popen([{WORKER!r}, 'parse'], pass_fds=[3])\n"
             "print(p.pid, flush=True)\n"
             "time.sleep(1000)\n"],
            pass_fds=[theirs.fileno()], stdout=subprocess.PIPE)
        pid = int(parent.stdout.readline())
        fd = memfd(b"x")
        mine.sendmsg([HEADER.pack(b"EGJ1", DOCUMENT, 0)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
        mine.recv(4)  # it has set its death signal by now
        parent.kill()
        parent.wait()
        parent.stdout.close()
        until = time.monotonic() + 10
        while is_alive(pid):
            self.assertLess(time.monotonic(), until, "the worker outlives its parent")
            time.sleep(0.01)
        os.close(fd)
        theirs.close()
        mine.close()

    def test_by_hand_it_explains_itself(self):
        for arguments in ([], ["parse"], ["nonsense"], ["parse", "more"], ["--help"]):
            run = subprocess.run([WORKER, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, USAGE)
            self.assertEqual(run.stdout, "")
            self.assertIn("engram-worker parse", run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # what is skipped says why
