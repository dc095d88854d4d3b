"""How the server ends: promptly, with every answer that it owes, leaving nothing behind."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import wire
from wire import BINARY, META, Server, environment

EXIT_S = 1.0   # after the end of the input
SIGNAL_S = 0.5
# A build with sanitizers looks for leaks at its end, which takes its time.
SLACK_S = 1.0


def children_of(pid):
    out = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as stat:
                    if stat.read().rsplit(")", 1)[1].split()[1] == str(pid):
                        out.append(int(name))
            except OSError:
                pass
    return out


def wait_until_gone(pid, seconds):
    """False when the process is still there (a zombie counts as gone)."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


class Ending(unittest.TestCase):
    def assert_prompt(self, ended, limit=EXIT_S):
        code, seconds = ended
        self.assertEqual(code, 0)
        self.assertLess(seconds, limit + SLACK_S)

    def test_end_of_input(self):
        with Server() as server:
            self.assert_prompt(server.end())
        with Server() as server:
            server.initialize()
            self.assert_prompt(server.end())
            self.assertEqual(server.rest(), [])

    def test_everything_that_was_read_is_answered(self):
        with Server() as server:
            server.initialize()
            ids = [server.ask("ping", id=f"p{i}") for i in range(2000)]
            self.assert_prompt(server.end())
            self.assertEqual([m["id"] for m in server.rest()], ids)

    def test_calls_that_wait_are_answered_too(self):
        with Server() as server:
            server.initialize()
            ids = [server.ask("tools/call", {"name": "remember", "arguments": {"text": f"fact number {i}"}}, id=f"c{i}")
                   for i in range(100)]
            self.assert_prompt(server.end())
            answers = server.rest()
            self.assertEqual(sorted(m["id"] for m in answers), sorted(ids))
            done = [m for m in answers if not m["result"].get("isError")]
            for answer in answers:
                if answer not in done:
                    self.assertIn("nothing was stored", answer["result"]["content"][0]["text"])
            self.assertGreater(len(done), 0)

    def test_subscriptions_end_with_a_result(self):
        with Server() as server:
            server.ask("subscriptions/listen", {"_meta": META, "notifications": {"toolsListChanged": True}}, id="L")
            self.assertEqual(server.next()["method"], "notifications/subscriptions/acknowledged")
            self.assert_prompt(server.end())
            (last,) = server.rest()
            self.assertEqual((last["id"], last["result"]["resultType"]), ("L", "complete"))

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with Server() as server:
                server.initialize()
                server.call("recall", {"query": "x"})
                began = time.monotonic()
                server.process.send_signal(number)
                code = server.process.wait(wire.PATIENCE_S)
                self.assert_prompt((code, time.monotonic() - began), SIGNAL_S)

    def test_a_signal_before_anything_was_said(self):
        with Server() as server:
            self.assertTrue(server.is_alive())
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(wire.PATIENCE_S), 0)

    def test_a_signal_for_the_parents_death_alone_is_no_end(self):
        with Server() as server:
            server.initialize()
            server.process.send_signal(signal.SIGUSR2)
            self.assertTrue(server.is_alive())

    def test_nobody_reads(self):
        with Server(read=False) as server:
            server.ask("ping")
            server.process.stdout.readline()
            server.process.stdout.close()
            self.assertEqual(server.process.wait(EXIT_S + SLACK_S), 0)

    def test_nobody_reads_and_much_is_written(self):
        with Server(read=False) as server:
            server.process.stdout.close()
            try:
                for _ in range(1000):
                    server.ask("ping")
            except OSError:
                pass
            self.assertEqual(server.process.wait(EXIT_S + SLACK_S), 0)

    def test_both_ends_in_one_socket(self):
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryDirectory() as home:
            process = subprocess.Popen([os.path.abspath(BINARY), "serve"], stdin=theirs, stdout=theirs, cwd=home,
                                       stderr=subprocess.DEVNULL, env=environment(home))
            theirs.close()
            ours.sendall(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            self.assertEqual(ours.recv(1000), b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
            ours.sendall(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
            ours.shutdown(socket.SHUT_WR)
            self.assertEqual(ours.recv(1000), b'{"jsonrpc":"2.0","id":2,"result":{}}\n')
            self.assertEqual(process.wait(EXIT_S + SLACK_S), 0)
        ours.close()

    def test_a_socket_that_breaks(self):
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryDirectory() as home:
            process = subprocess.Popen([os.path.abspath(BINARY), "serve"], stdin=theirs, stdout=theirs, cwd=home,
                                       stderr=subprocess.DEVNULL, env=environment(home))
            theirs.close()
            ours.sendall(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 10)
            ours.recv(10)
            ours.close()
            self.assertEqual(process.wait(EXIT_S + SLACK_S), 0)

    def test_files_and_closed_descriptors(self):
        with tempfile.TemporaryDirectory() as home:
            requests, answers = os.path.join(home, "in"), os.path.join(home, "out")
            with open(requests, "w", encoding="ascii") as file:
                file.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 3)
            command = f"exec {os.path.abspath(BINARY)} serve"
            for redirection in (f"<{requests} >{answers}", f"<{requests} >{answers} 2>&-", "<&- >&-", "</dev/null >/dev/null",
                                f"<{requests} >&-", f"<&- >{answers} 2>&1"):
                done = subprocess.run(["sh", "-c", f"{command} {redirection}"], cwd=home, env=environment(home),
                                      stderr=subprocess.DEVNULL, timeout=wire.PATIENCE_S, check=False)
                self.assertEqual(done.returncode, 0, redirection)
            subprocess.run(["sh", "-c", f"{command} <{requests} >{answers}"], cwd=home, env=environment(home), check=True)
            with open(answers, encoding="ascii") as file:
                self.assertEqual(len(file.readlines()), 3)

    def test_the_parent_dies_and_leaves_the_pipe_open(self):
        """Its end of our stdin lives on in this process, so that only the parent's death can be noticed."""
        read_end, write_end = os.pipe()
        with tempfile.TemporaryDirectory() as home:
            script = ("import subprocess, sys, time\n"
                      "p = subprocess.Popen([sys.argv[1], 'serve'], stdin=int(sys.argv[2]), stdout=subprocess.PIPE)\n"
                      "print(p.pid, flush=True)\n"
                      "p.stdout.readline()\n"
                      "print('ready', flush=True)\n"
                      "time.sleep(60)\n")
            parent = subprocess.Popen([sys.executable, "-c", script, os.path.abspath(BINARY), str(read_end)],
                                      pass_fds=[read_end], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=home,
                                      env=environment(home))
            os.close(read_end)
            os.write(write_end, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            pid = int(parent.stdout.readline())
            self.assertEqual(parent.stdout.readline(), b"ready\n")
            parent.kill()
            parent.wait()
            self.assertTrue(wait_until_gone(pid, EXIT_S + SLACK_S))
            parent.stdout.close()
        os.close(write_end)

    def test_no_child_is_left(self):
        with Server() as server:
            server.initialize()
            with open(os.path.join(server.project, "notes.md"), "w", encoding="ascii") as file:
                file.write("# Notes\n\nThe cache is flushed at midnight.\n")
            server.call("attach_document", {"path": "notes.md"})
            server.ask("tools/call", {"name": "attach_document", "arguments": {"path": "notes.md"}})
            children = children_of(server.process.pid)
            self.assert_prompt(server.end())
            for child in children:
                self.assertTrue(wait_until_gone(child, 2))


if __name__ == "__main__":
    wire.main()
