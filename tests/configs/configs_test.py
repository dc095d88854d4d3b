"""Every ready file in agent-configs: it parses, and the command that it names serves five tools."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

TOP = os.environ.get("ENGRAM_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BINARY = os.environ.get("ENGRAM_BINARY", os.path.join(TOP, "build", "debug", "engram"))
CONFIGS = os.path.join(TOP, "agent-configs")
TOOLS = ["remember", "recall", "attach_document", "review_entities", "forget"]


def words_of(server):
    return [server["command"], *server["args"]]


# file, where its servers are, the words of a server's command
FILES = [
    ("claude-code/.mcp.json", "mcpServers", words_of),
    ("codex/config.toml", "mcp_servers", words_of),
    ("copilot/mcp-config.json", "mcpServers", words_of),
    ("opencode/opencode.json", "mcp", lambda server: server["command"]),
    ("vscode/mcp.json", "servers", words_of),
]


def parsed(path):
    with open(os.path.join(CONFIGS, path), "rb") as file:
        return tomllib.load(file) if path.endswith(".toml") else json.load(file)


class Configs(unittest.TestCase):
    def setUp(self):
        self.top = os.path.realpath(tempfile.mkdtemp(prefix="engram-configs-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        self.home, self.project = os.path.join(self.top, "home"), os.path.join(self.top, "project")
        os.mkdir(self.home)
        os.mkdir(self.project)

    def answers(self, words):
        """The results of initialize, tools/list and a recall, from the server started with nothing but HOME and PATH."""
        environment = {"HOME": self.home, "PATH": os.path.dirname(BINARY) + os.pathsep + os.environ["PATH"]}
        cwd = self.home if "--project" in words else self.project
        requests = [
            ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
            ("tools/list", {}),
            ("tools/call", {"name": "recall", "arguments": {"query": "anything"}}),
        ]
        lines = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}) + "\n"
                        for i, (method, params) in enumerate(requests))
        done = subprocess.run(words, input=lines, capture_output=True, text=True, cwd=cwd, env=environment, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        replies = {m["id"]: m["result"] for m in map(json.loads, done.stdout.splitlines()) if "id" in m}
        return [replies[i] for i in range(len(requests))]

    def check(self, path, where, command):
        servers = parsed(path)[where]
        self.assertEqual(list(servers), ["engram"])
        words = [word.replace("${workspaceFolder}", self.project) for word in command(servers["engram"])]
        self.assertFalse([word for word in words if "${" in word])
        hello, listed, recalled = self.answers(words)
        self.assertEqual(hello["serverInfo"]["name"], "engram")
        self.assertEqual(sorted(tool["name"] for tool in listed["tools"]), sorted(TOOLS))
        self.assertEqual(recalled["structuredContent"]["project"]["root"], self.project)

    def test_each_file_starts_the_server(self):
        for path, where, command in FILES:
            with self.subTest(path):
                if path.endswith(".toml") and not tomllib:
                    continue
                self.check(path, where, command)

    def test_no_file_is_left_out(self):
        found = [os.path.relpath(os.path.join(folder, name), CONFIGS) for folder, _, names in os.walk(CONFIGS)
                 for name in names if not name.endswith(".md")]
        self.assertEqual(sorted(found), sorted(path for path, _, _ in FILES))

    def test_the_readme_tells_where_each_goes(self):
        with open(os.path.join(CONFIGS, "README.md")) as file:
            text = file.read()
        for path, _, _ in FILES:
            self.assertIn(f"`{path}`", text)

    def test_the_instructions_name_tools_that_exist(self):
        with open(os.path.join(CONFIGS, "instructions.md")) as file:
            text = file.read()
        for name in re.findall(r"`([a-z]+_[a-z]+)`", text):
            self.assertIn(name, TOOLS)


if __name__ == "__main__":
    unittest.main()
