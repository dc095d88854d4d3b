"""What the server costs and bears: clients that don't read, logs that nobody reads, idle time, start-up."""

import os
import re
import subprocess
import tempfile
import time
import unittest

import wire
from wire import BINARY, Server, environment

QUEUE_BYTES = 16 << 20
SANITIZED = os.path.exists(BINARY) and re.search(rb"__[at]san_init", open(BINARY, "rb").read())


class Flow(unittest.TestCase):
    def test_a_client_that_does_not_read_is_waited_for(self):
        """The list of tools is asked for until nothing is taken any more, then everything is read."""
        with Server(read=False) as server:
            server.write({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {"protocolVersion": "2025-11-25"}})
            request = b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n'
            os.set_blocking(server.process.stdin.fileno(), False)
            sent = stalls = 0
            while stalls < 20 and sent < 100000:
                data = b"".join(request % i for i in range(sent, sent + 10))
                try:
                    written = os.write(server.process.stdin.fileno(), data)
                    self.assertEqual(written, len(data))  # below PIPE_BUF: all or nothing
                    sent += 10
                    stalls = 0
                except BlockingIOError:
                    stalls += 1
                    time.sleep(0.05)
            self.assertEqual(stalls, 20)
            if not SANITIZED:
                self.assertLess(int(server.status("VmRSS")) * 1024, 3 * QUEUE_BYTES)
            os.set_blocking(server.process.stdin.fileno(), True)
            server.start_reading()
            self.assertIn("result", server.answer("i"))
            for i in range(sent):
                self.assertEqual(server.next()["id"], i)
            self.assertTrue(server.is_alive())
            self.assertEqual(server.faults, [])

    def test_a_client_that_never_reads_and_leaves_is_not_waited_for(self):
        with Server(read=False) as server:
            server.write({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {"protocolVersion": "2025-11-25"}})
            for i in range(2000):
                server.ask("tools/list", id=i)
            code, _ = server.end()  # which waits only so long
            self.assertEqual(code, 0)

    def test_logs_that_nobody_reads(self):
        with Server(stderr=subprocess.PIPE, ENGRAM_LOG="debug") as server:
            server.initialize()
            for _ in range(10000):
                server.ask("no/such/method")
            for i in range(10000):
                self.assertEqual(server.next()["error"]["code"], -32601)
            self.assertEqual(server.end()[0], 0)

    def test_idle_is_idle(self):
        with Server() as server:
            server.initialize()
            server.call("recall", {"query": "x"})
            time.sleep(1.2)  # what follows a first call
            wakes = self.wakes(server)
            time.sleep(1)
            self.assertEqual(self.wakes(server), wakes)

    @staticmethod
    def wakes(server):
        folder = f"/proc/{server.process.pid}/task"
        out = {}
        for thread in os.listdir(folder):
            with open(f"{folder}/{thread}/status", encoding="ascii") as lines:
                out[thread] = [line for line in lines if "ctxt_switches" in line]
        return out

    def test_many_mixed_messages_leave_nothing_behind(self):
        with Server(ENGRAM_USAGE="off") as server:  # counting uses opens a file once, at a time of its own
            server.initialize()
            self.mix(server, 2000)
            time.sleep(1.2)  # what follows a first call
            files, memory = self.descriptors(server), int(server.status("VmRSS"))
            self.mix(server, 6000)
            self.assertEqual(self.descriptors(server), files)
            if not SANITIZED:
                self.assertLess(int(server.status("VmRSS")) - memory, 2048)  # kB

    @staticmethod
    def descriptors(server):
        return len(os.listdir(f"/proc/{server.process.pid}/fd"))

    @staticmethod
    def mix(server, count):
        methods = ("ping", "tools/list", "no/such", "resources/list", "prompts/list")
        for start in range(0, count, 50):
            ids = [server.ask(methods[i % len(methods)], id=f"m{start + i}") for i in range(49)]
            ids.append(server.ask("tools/call", {"name": "recall", "arguments": {"query": "what is it"}}, id=f"m{start + 49}"))
            server.notify("notifications/cancelled", {"requestId": ids[-1] if start % 100 else "none"})
            for id in ids[:-1]:
                server.answer(id)

    @unittest.skipIf(SANITIZED, "a build with sanitizers is slow and large")
    def test_start_is_cheap(self):
        def best(command, data):
            times = []
            with tempfile.TemporaryDirectory() as home:
                for _ in range(20):
                    began = time.perf_counter()
                    subprocess.run(command, input=data, cwd=home, env=environment(home), stdout=subprocess.PIPE, check=True)
                    times.append(time.perf_counter() - began)
            return min(times)
        hello = (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
                 b'"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n')
        ours, true = best([os.path.abspath(BINARY), "serve"], hello), best(["true"], b"")
        print(f"start to end: {ours * 1e3:.1f} ms, true: {true * 1e3:.1f} ms", flush=True)
        self.assertLess(ours, 5 * true)

    @unittest.skipIf(SANITIZED, "a build with sanitizers is slow and large")
    def test_memory_after_the_list_of_tools_is_small(self):
        with Server() as server:
            server.initialize()
            server.request("tools/list")
            self.assertLess(int(server.status("VmRSS")), 15 * 1024)

    def test_starting_writes_nothing(self):
        with Server() as server:
            server.initialize()
            for method in ("tools/list", "resources/list", "prompts/list", "ping"):
                server.request(method)
            self.assertEqual(os.listdir(server.home) + os.listdir(server.project), [])


if __name__ == "__main__":
    wire.main()
