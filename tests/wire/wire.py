"""Drives the real server over pipes, line by line. Every byte that it writes must be one JSON-RPC message a line."""

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BINARY = os.environ.get("ENGRAM_BINARY", "build/engram")
PATIENCE_S = 20
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def environment(home, **extra):
    """What a client leaves of the environment, with a home of the test's own."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG") or k.endswith("SAN_OPTIONS")}
    return {**kept, "HOME": home, "ENGRAM_ENCODER": "off", "ENGRAM_INDEX": "off",
            **extra}  # no background process that outlives a test


class Server:
    """One server process in a project and a home of its own (or in those of `beside`)."""

    def __init__(self, beside=None, stderr=subprocess.DEVNULL, read=True, arguments=("serve",), program=BINARY, **env):
        self.base = beside.base if beside else tempfile.mkdtemp(prefix="engram-wire-")
        self.owns_base = beside is None
        self.home = os.path.join(self.base, "home")
        self.project = os.path.join(self.base, "project")
        os.makedirs(self.home, exist_ok=True)
        os.makedirs(self.project, exist_ok=True)
        self.process = subprocess.Popen(
            [os.path.abspath(program), *arguments], cwd=self.project, env=environment(self.home, **env),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        self.messages = queue.Queue()
        self.later = []
        self.faults = []
        self.last_id = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        if read:
            self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.reader.ident:
            self.reader.join(PATIENCE_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                if stream:
                    stream.close()
            except OSError:
                pass
        if self.owns_base:
            shutil.rmtree(self.base, ignore_errors=True)

    def start_reading(self):
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            try:
                message = json.loads(line.decode("utf-8", "strict"))
                for part in message if isinstance(message, list) else [message]:
                    assert part["jsonrpc"] == "2.0"
                assert line.endswith(b"\n") and b"\r" not in line
                self.messages.put(message)
            except Exception as error:  # the test looks at faults
                self.faults.append((error, line[:200]))
        self.messages.put(None)

    def write(self, data):
        """Bytes as they are, or a message."""
        if not isinstance(data, bytes):
            data = json.dumps(data).encode() + b"\n"
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def notify(self, method, params=None):
        self.write({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def ask(self, method, params=None, id=None):
        """Sends a request; its id."""
        if id is None:
            self.last_id += 1
            id = self.last_id
        self.write({"jsonrpc": "2.0", "id": id, "method": method, **({} if params is None else {"params": params})})
        return id

    def next(self, timeout=PATIENCE_S):
        """The next message; None at the end of the output."""
        if self.later:
            return self.later.pop(0)
        return self.messages.get(timeout=timeout)

    def answer(self, id, timeout=PATIENCE_S):
        """The response to `id`; other messages are kept for later."""
        kept, deadline = [], time.monotonic() + timeout
        try:
            while True:
                message = self.next(max(0.01, deadline - time.monotonic()))
                if message is None:
                    raise AssertionError(f"the output ended before the answer to {id!r}")
                if isinstance(message, dict) and "method" not in message and message.get("id") == id:
                    return message
                kept.append(message)
        except queue.Empty:
            raise AssertionError(f"no answer to {id!r}; instead {kept[:5]}") from None
        finally:
            self.later = kept + self.later

    def request(self, method, params=None, id=None, timeout=PATIENCE_S):
        return self.answer(self.ask(method, params, id), timeout)

    def call(self, tool, arguments, timeout=PATIENCE_S):
        return self.request("tools/call", {"name": tool, "arguments": arguments}, timeout=timeout)

    def initialize(self, version="2025-11-25", capabilities=None):
        answer = self.request("initialize", {"protocolVersion": version, "capabilities": capabilities or {},
                                             "clientInfo": {"name": "wire", "version": "1"}})
        self.notify("notifications/initialized")
        return answer

    def is_alive(self):
        return self.request("ping", id=f"alive-{time.monotonic_ns()}")["result"] == {}

    def rest(self):
        """All messages until the output ends."""
        out = []
        while (message := self.next()) is not None:
            out.append(message)
        return out

    def end(self, timeout=PATIENCE_S):
        """Closes stdin; the exit code and the seconds that it took."""
        began = time.monotonic()
        self.process.stdin.close()
        code = self.process.wait(timeout)
        return code, time.monotonic() - began

    def status(self, field):
        """A line of /proc/PID/status."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as lines:
            return next(line.split()[1] for line in lines if line.startswith(field + ":"))


def main():
    if not os.access(BINARY, os.X_OK):
        sys.exit(f"{BINARY}: no such program; set ENGRAM_BINARY")
    unittest.main(verbosity=2)
