"""The real server for tests: a throw-away home and project (World), a client over pipes (Server), and promises to check.

    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from support import engram

    @engram.promise
    def a_repeat_is_told_as_a_duplicate(world):
        server = world.serve()
        server.remember("Tabs, not spaces.")
        engram.expect(server.remember("Tabs, not spaces.")["status"] == "duplicate")

    engram.main()

Each promise has a world of its own and prints one line. ENGRAM_BINARY names the program; words on the command line choose promises."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import traceback

TOP = os.environ.get("ENGRAM_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BINARY = os.environ.get("ENGRAM_BINARY", os.path.join(TOP, "build", "engram"))
NOW = "2026-05-01T12:00:00Z"
PATIENCE_S = 120  # for an answer; only a server that hangs ever takes so long
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}


class Broken(AssertionError):
    """A promise that isn't kept."""


class Skip(Exception):
    """What the promise needs is not there."""


class Gone(Exception):
    """The server ended before it answered."""


class ToolError(Exception):
    """The text of a result with isError, or of a JSON-RPC error."""


def number(name, default):
    """A count from the environment."""
    return int(os.environ.get(name, default))


# ---- a place to work in ----

class World:
    """A home, a data folder and a project; removed at the end with every server that still runs."""

    def __init__(self, base=None):
        self.base = base or os.path.realpath(tempfile.mkdtemp(prefix="engram-test-"))
        self.owns_base = base is None
        self.home, self.data, self.project = (self.path(name) for name in ("home", "data", "project"))
        for folder in (self.home, self.data, self.project):
            os.makedirs(folder, exist_ok=True)
        self.env = {k: v for k, v in os.environ.items()
                    if not re.match(r"ENGRAM_|CLAUDE|COPILOT|XDG_|GIT_", k) or k == "ENGRAM_WORKER"}
        # What isn't about the encoder, the sources or sleep has no background process that writes meanwhile.
        self.env.update(HOME=self.home, XDG_DATA_HOME=self.data, ENGRAM_NOW=NOW, ENGRAM_ENCODER="off", ENGRAM_INDEX="off",
                        ENGRAM_CONSOLIDATE="off")
        self.servers = []
        self.cleanups = []

    def path(self, *parts):
        return os.path.join(self.base, *parts)

    def write(self, name, content, folder=None):
        """A file of the project."""
        path = os.path.join(folder or self.project, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def serve(self, project=None, **env):
        server = Server(project or self.project, {**self.env, **env}, self.path(f"stderr-{len(self.servers)}"))
        self.servers.append(server)
        return server

    def run(self, *arguments, input="", project=None, **env):
        """The command line; (exit code, stdout, stderr)."""
        done = subprocess.run([BINARY, *arguments], input=input.encode(), capture_output=True, timeout=PATIENCE_S,
                              cwd=project or self.project, env={**self.env, **env}, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def folder(self, project=None):
        """The data folder of the project's memory."""
        for entry in sorted(os.listdir(os.path.join(self.data, "engram"))):
            file = os.path.join(self.data, "engram", entry, "project.json")
            if os.path.exists(file):
                with open(file, encoding="utf-8") as lines:
                    if json.load(lines).get("root") == (project or self.project):
                        return os.path.dirname(file)
        raise Broken("the project has no data folder")

    def database(self, project=None):
        return os.path.join(self.folder(project), "memory.db")

    @contextlib.contextmanager
    def copy(self, project=None):
        """A connection to a copy of the database, so that nothing here can disturb the original."""
        with tempfile.TemporaryDirectory(prefix="engram-copy-", dir=self.base) as folder:
            source, copied, log = self.database(project), os.path.join(folder, "memory.db"), False
            while True:  # who closes it last writes the log back and takes it away, maybe between the two
                had_log = os.path.exists(source + "-wal")
                shutil.copy(source, copied)
                with contextlib.suppress(FileNotFoundError):
                    log = bool(shutil.copy(source + "-wal", copied + "-wal"))
                if log or not had_log:
                    break
            connection = sqlite3.connect(os.path.join(folder, "memory.db"))
            try:
                connection.execute("PRAGMA synchronous=OFF")
                yield connection
            finally:
                connection.close()

    def query(self, sql, *values, project=None):
        with self.copy(project) as connection:
            return connection.execute(sql, values).fetchall()

    def count(self, sql, *values):
        return self.query(sql, *values)[0][0]

    def files_with(self, word, below=""):
        """Files of all data, or of one project's folder, in which the bytes of `word` stand, as UTF-8 in any case."""
        needle, found = word.lower().encode(), []
        for folder, _, names in os.walk(os.path.join(self.data, "engram", below)):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    if needle in file.read().lower():
                        found.append(name)
        return sorted(found)

    def digest(self):
        """Of every row: what a call that must change nothing may not alter."""
        with self.copy() as connection:
            rows = [(table, sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr))
                    for table, in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%fts%'"
                                                     " ORDER BY name").fetchall()]
        return hashlib.sha256(repr(rows).encode()).hexdigest()

    def doctor(self, **env):
        """What doctor says of the database; it must be sound."""
        _, out, err = self.run("--json", "doctor", **env)
        check = next(row for row in json.loads(out)["checks"] if row["name"] == "database")
        expect(check["status"] == "ok" and "sound" in check["text"], f"doctor: {check} {err}")

    def close(self):
        faults = [server.finish() for server in self.servers]
        for cleanup in reversed(self.cleanups):
            cleanup()
        if self.owns_base:
            shutil.rmtree(self.base, ignore_errors=True)
        return [fault for fault in faults if fault]


# ---- a client ----

class Server:
    """One server over pipes. Every line that it writes must be a JSON-RPC answer."""

    def __init__(self, project, env, stderr_path):
        self.stderr_path = stderr_path
        self.fault = None
        self.last_id = 0
        self.answers = {}
        self.messages = []  # the server's own requests and notifications
        self.ended = False
        self.news = threading.Condition()
        with open(stderr_path, "wb") as stderr:
            self.process = subprocess.Popen([BINARY, "serve"], cwd=project, env=env, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=stderr)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            try:
                message = json.loads(line.decode("utf-8", "strict"))
                with self.news:
                    if "method" not in message:
                        if message["id"] in self.answers:
                            raise ValueError("answered twice")
                        self.answers[message["id"]] = message
                    else:
                        self.messages.append(message)
                    self.news.notify_all()
            except (ValueError, KeyError, TypeError) as error:
                if line.endswith(b"\n"):  # a line may be torn by a kill
                    self.fault = f"{error!r} in the server's line {line[:200]!r}"
        with self.news:
            self.ended = True
            self.news.notify_all()

    def send(self, tool, arguments, **meta):
        """Sends without waiting; the id to wait for."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments, "_meta": {**META, **meta}})

    def request(self, method):
        """The result of any other method."""
        return self.wait(self.ask(method, {"_meta": META}))

    def ask(self, method, params):
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError, OSError):
            raise Gone from None
        return self.last_id

    def wait(self, id):
        """The whole result of a tool call, error or not."""
        with self.news:
            if not self.news.wait_for(lambda: id in self.answers or self.ended, PATIENCE_S):
                raise Broken(f"no answer within {PATIENCE_S} s")
            if id not in self.answers:
                raise Gone
            message = self.answers.pop(id)
            self.answers[id] = None  # to notice a second one
        if "error" in message:
            return {"isError": True, "content": [{"type": "text", "text": message["error"]["message"]}]}
        return message["result"]

    def result(self, tool, arguments, **meta):
        return self.wait(self.send(tool, arguments, **meta))

    def call(self, tool, arguments=None, **more):
        """The structured answer; ToolError where the call is refused."""
        result = self.result(tool, {**(arguments or {}), **more})
        if result.get("isError"):
            raise ToolError(result["content"][0]["text"])
        return result["structuredContent"]

    def remember(self, text, **more):
        return self.call("remember", text=text, **more)

    def recall(self, query=None, **more):
        return self.call("recall", {"query": query} if query else {}, **more)

    def texts(self, query, **more):
        return [item["text"] for item in self.recall(query, **more)["items"]]

    def refused(self, tool, arguments=None, **more):
        """The text of the error that the call must give."""
        try:
            answer = self.call(tool, arguments, **more)
        except ToolError as error:
            return str(error)
        raise Broken(f"{tool} was not refused: {json.dumps(answer)[:300]}")

    def kill(self):
        """As a crash: nothing is finished."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join(PATIENCE_S)

    def stop(self):
        """As a client does: end of input, then the exit."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.fault = "the server doesn't end at the end of its input"
            self.process.kill()
            self.process.wait()
        self.reader.join(PATIENCE_S)
        self.process.stdout.close()

    def stderr(self):
        with open(self.stderr_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def finish(self):
        """Ends it where it still runs; what went wrong with it in all its life, or None."""
        self.stop()
        code, said = self.process.returncode, self.stderr()
        at = max(said.find("ERROR: "), said.find("runtime error:") - 80)
        if "Sanitizer" in said or "runtime error:" in said:
            return said[max(at, 0):][:700]
        if code not in (0, -signal.SIGKILL):
            return f"the server ended with {code}: {said[-500:]}"
        return self.fault


# ---- promises ----

promises = []


def promise(function):
    """A function of a world whose name is the sentence that it checks."""
    promises.append((function.__name__, function))
    return function


def expect(truth, said=""):
    if not truth:
        raise Broken(said or traceback.extract_stack(limit=2)[0].line)


def each_of(cases, check):
    """Checks every case and tells of all that are broken, not only of the first."""
    broken = []
    for case in cases:
        try:
            check(*case)
        except (Broken, ToolError, Gone) as error:
            broken.append(f"{str(case)[:110]}: {type(error).__name__} {str(error)[:400]}")
    expect(not broken, "\n         ".join([f"{len(broken)} of {len(cases)}:"] + broken))


def expect_words(text, *words):
    """Each word stands in the text, in any case."""
    missing = [word for word in words if str(word).lower() not in text.lower()]
    expect(not missing, f"{missing} not in {text!r}")


def keep(name, function):
    """Checks one promise and prints its line; false where it is broken."""
    world, trouble = World(), None
    try:
        function(world)
    except Skip as reason:
        print(f"skipped: {name}: {reason}", flush=True)
    except (Broken, ToolError) as error:
        line = traceback.extract_tb(error.__traceback__)[1:2]
        trouble = f"{f'line {line[0].lineno}: ' if line else ''}{'refused: ' if isinstance(error, ToolError) else ''}{error}"
    except Exception:  # a fault of the test or an answer without a field that it must have
        trouble = traceback.format_exc(limit=-3)
    faults = world.close()
    trouble = trouble or (faults and faults[0])
    print(f"BROKEN   {name.replace('_', ' ')}\n         {trouble}" if trouble else f"kept     {name.replace('_', ' ')}",
          flush=True)
    return not trouble


def main():
    """Checks every promise, or those whose names hold a word of the command line."""
    if not os.access(BINARY, os.X_OK):
        sys.exit(f"{BINARY}: no such program; set ENGRAM_BINARY")
    words = sys.argv[1:]
    chosen = [(name, function) for name, function in promises if not words or any(word in name for word in words)]
    sys.exit(0 if all([keep(name, function) for name, function in chosen]) else 1)
