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
    return [server.get("command") or server["cmd"], *server["args"]]


# file, where its servers are, the words of a server's command
FILES = [
    ("amp/settings.json", "amp.mcpServers", words_of),
    ("claude-code-plugin/.mcp.json", "mcpServers", words_of),
    ("claude-code/.mcp.json", "mcpServers", words_of),
    ("cline/cline_mcp_settings.json", "mcpServers", words_of),
    ("codex/config.toml", "mcp_servers", words_of),
    ("continue/engram.yaml", "mcpServers", words_of),
    ("copilot/mcp-config.json", "mcpServers", words_of),
    ("cursor/mcp.json", "mcpServers", words_of),
    ("gemini-extension/gemini-extension.json", "mcpServers", words_of),
    ("gemini/settings.json", "mcpServers", words_of),
    ("goose/config.yaml", "extensions", words_of),
    ("jetbrains/mcp.json", "mcpServers", words_of),
    ("opencode/opencode.json", "mcp", lambda server: server["command"]),
    ("qwen/settings.json", "mcpServers", words_of),
    ("vscode/mcp.json", "servers", words_of),
    ("windsurf/mcp_config.json", "mcpServers", words_of),
    ("zed/settings.json", "context_servers", words_of),
]

# What starts no server.
OTHERS = [
    "claude-code-plugin/.claude-plugin/plugin.json",
    "claude-code-plugin/hooks/hooks.json",
    "gemini-extension/hooks/hooks.json",
    "opencode/engram.js",
]


def yaml(text):
    """The YAML that our ready files are made of: keys, lists of texts, and lists of mappings, by indentation."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    # "- name: x" is a list's element and, two deeper, the first key of a mapping in it.
    rows = []
    for line in lines:
        indent, content = len(line) - len(line.lstrip()), line.strip()
        if content.startswith("- "):
            rows.append((indent, "-"))
            indent, content = indent + 2, content[2:]
        rows.append((indent, content))

    def value(at, indent):
        """What begins at row `at`, `indent` deep, and the row behind it."""
        if at >= len(rows) or rows[at][0] < indent:
            return None, at
        if rows[at][1] == "-":
            found = []
            while at < len(rows) and rows[at] == (indent, "-"):
                item, at = value(at + 1, indent + 2)
                found.append(item)
            return found, at
        if ":" not in rows[at][1]:
            return rows[at][1], at + 1
        found = {}
        while at < len(rows) and rows[at][0] == indent and rows[at][1] != "-":
            key, _, rest = rows[at][1].partition(":")
            at += 1
            found[key] = {"{}": {}, "true": True}.get(rest.strip(), rest.strip())
            if not rest:
                found[key], at = value(at, rows[at][0])
        return found, at

    return value(0, 0)[0]


def parsed(path):
    with open(os.path.join(CONFIGS, path), "rb") as file:
        data = file.read()
    if path.endswith(".yaml"):
        return yaml(data.decode())
    return tomllib.loads(data.decode()) if path.endswith(".toml") else json.loads(data)


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
        if isinstance(servers, list):
            servers = {server["name"]: server for server in servers}
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
        self.assertEqual(sorted(found), sorted(OTHERS + [path for path, _, _ in FILES]))

    def test_the_readme_tells_where_each_goes(self):
        with open(os.path.join(CONFIGS, "README.md")) as file:
            text = file.read()
        for path, _, _ in FILES:
            package = path.split("/")[0] + "/"
            self.assertTrue(f"`{path}`" in text or f"`{package}`" in text, path)

    def test_packages_and_setup_hook_the_same_events(self):
        for package, agent, path in [("claude-code-plugin", "claude-code", ".claude/settings.json"),
                                     ("gemini-extension", "gemini", ".gemini/settings.json")]:
            environment = {"HOME": self.home, "PATH": os.path.dirname(BINARY)}
            subprocess.run([BINARY, "setup", "--hooks", agent], env=environment, capture_output=True, check=True)
            with open(os.path.join(self.home, path)) as file:
                self.assertEqual(parsed(f"{package}/hooks/hooks.json")["hooks"], json.load(file)["hooks"])

    def test_the_extension_tells_what_the_instructions_tell(self):
        with open(os.path.join(CONFIGS, "instructions.md")) as ours, open(os.path.join(CONFIGS, "gemini-extension/GEMINI.md")) as its:
            self.assertEqual(ours.read(), its.read())

    def test_packages_have_the_version_of_the_program(self):
        version = subprocess.run([BINARY, "version"], capture_output=True, text=True, check=True).stdout.split()[1]
        for path in ("claude-code-plugin/.claude-plugin/plugin.json", "gemini-extension/gemini-extension.json"):
            self.assertEqual(parsed(path)["version"], version)

    def test_the_instructions_name_tools_that_exist(self):
        for path in ("instructions.md", "claude-code-plugin/skills/project-memory/SKILL.md"):
            with open(os.path.join(CONFIGS, path)) as file:
                text = file.read()
            for name in re.findall(r"`([a-z]+_[a-z]+)`", text):
                self.assertIn(name, TOOLS)


if __name__ == "__main__":
    unittest.main()
