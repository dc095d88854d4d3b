"""engram setup: what it writes for each agent, that it does so once, and that it comes out again.

`setup/AGENT.EXT` is a user's file, `setup/AGENT.EXT.after` what setup makes of it; for an empty home the ready files in
agent-configs are what must come out. ENGRAM_TEST_UPDATE=1 rewrites the .after files; read the diff."""
import json
import os
import re
import stat
import unittest

from world import BINARY, DONE, NOTHING, REFUSED, TOP, TROUBLE, USAGE, World

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "setup")
CLINE = ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"

# agent -> the user's file below HOME, the ready file in agent-configs, the project's file or None
AGENTS = {
    "claude-code": (".claude.json", "claude-code/.mcp.json", ".mcp.json"),
    "codex": (".codex/config.toml", "codex/config.toml", ".codex/config.toml"),
    "copilot": (".copilot/mcp-config.json", "copilot/mcp-config.json", ".github/mcp.json"),
    "opencode": (".config/opencode/opencode.json", "opencode/opencode.json", "opencode.json"),
    "gemini": (".gemini/settings.json", "gemini/settings.json", ".gemini/settings.json"),
    "qwen": (".qwen/settings.json", "qwen/settings.json", ".qwen/settings.json"),
    "cursor": (".cursor/mcp.json", "cursor/mcp.json", ".cursor/mcp.json"),
    "vscode": (".config/Code/User/mcp.json", "vscode/mcp.json", ".vscode/mcp.json"),
    "zed": (".config/zed/settings.json", "zed/settings.json", ".zed/settings.json"),
    "windsurf": (".codeium/windsurf/mcp_config.json", "windsurf/mcp_config.json", None),
    "cline": (CLINE, "cline/cline_mcp_settings.json", None),
    "continue": (".continue/config.yaml", "continue/engram.yaml", ".continue/mcpServers/engram.yaml"),
    "goose": (".config/goose/config.yaml", "goose/config.yaml", None),
    "amp": (".config/amp/settings.json", "amp/settings.json", ".amp/settings.json"),
    "jetbrains": (".junie/mcp/mcp.json", "jetbrains/mcp.json", ".junie/mcp/mcp.json"),
}

# agent -> the user's file with hooks, the project's one
HOOKS = {
    "claude-code": (".claude/settings.json", ".claude/settings.json"),
    "codex": (".codex/hooks.json", ".codex/hooks.json"),
    "gemini": (".gemini/settings.json", ".gemini/settings.json"),
    "vscode": (".copilot/hooks/engram.json", ".github/hooks/engram.json"),
    "opencode": (".config/opencode/plugins/engram.js", ".opencode/plugins/engram.js"),
}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def files_in(folder):
    """Every file below it, by its path from there."""
    return sorted(os.path.relpath(os.path.join(top, name), folder) for top, _, names in os.walk(folder) for name in names)


class Setup(World):
    def setUp(self):
        super().setUp()
        bin_folder = os.path.join(self.top, "bin")
        os.mkdir(bin_folder)
        os.symlink(BINARY, os.path.join(bin_folder, "engram"))
        self.bin = bin_folder
        # No agent of the machine, and none that another home's variable moves.
        self.env = {key: value for key, value in self.env.items() if key != "CODEX_HOME"}
        self.env["PATH"] = bin_folder

    def at(self, path):
        return os.path.join(self.home, path)

    def put(self, path, data):
        os.makedirs(os.path.dirname(self.at(path)), exist_ok=True)
        with open(self.at(path), "wb") as file:
            file.write(data)

    def setup(self, *args, **more):
        return self.engram("setup", *args, **more)[0]

    def parts(self, *args, **more):
        return {f"{row['agent']} {row['part']}": row for row in self.json("setup", *args, **more)["parts"]}

    def no_folders(self, data):
        """A desktop agent's file names the program by path; here it is a name like everywhere."""
        return data.replace(os.path.realpath(BINARY).encode(), b"engram")


def full_files():
    """agent, part, golden file"""
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".after"):
            agent, *part, _ = name.split(".")
            yield agent, part[0] if part else "server", os.path.join(HERE, name)


class Golden(Setup):
    def test_an_empty_home_gets_the_ready_file(self):
        for agent, (path, ready, _) in AGENTS.items():
            with self.subTest(agent):
                self.setup(agent)
                wanted = read(os.path.join(TOP, "agent-configs", ready)).replace(b', "--project", "${workspaceFolder}"', b"")
                self.assertEqual(self.no_folders(read(self.at(path))).decode(), wanted.decode())
                self.assertEqual(stat.S_IMODE(os.stat(self.at(path)).st_mode), 0o600)

    def test_a_project_gets_the_ready_file_and_home_nothing(self):
        for agent, (_, ready, path) in AGENTS.items():
            with self.subTest(agent):
                out = self.setup("--scope", "project", agent, wanted=DONE if path else NOTHING)
                if not path:
                    self.assertIn("none in this scope", out)
                    continue
                self.assertEqual(read(os.path.join(self.project, path)).decode(),
                                 read(os.path.join(TOP, "agent-configs", ready)).decode())
        self.assertEqual(files_in(self.home), [])

    def test_a_full_file_gets_one_entry_and_gives_it_back(self):
        for agent, part, golden in full_files():
            with self.subTest(golden):
                path = {"server": AGENTS[agent][0], "hooks": HOOKS.get(agent, [None])[0], "instructions": ".claude/CLAUDE.md"}[part]
                before = read(golden)
                self.put(path, before)
                self.setup(agent, *([] if part == "server" else ["--" + part]))
                after = self.no_folders(read(self.at(path)))
                if os.environ.get("ENGRAM_TEST_UPDATE"):
                    with open(golden + ".after", "wb") as file:
                        file.write(after)
                self.assertEqual(after.decode(), read(golden + ".after").decode())
                self.setup("--uninstall", agent)
                self.assertEqual(read(self.at(path)), before)

    def test_every_agent_has_a_full_file(self):
        self.assertEqual({agent for agent, part, _ in full_files() if part == "server"}, set(AGENTS))


class Twice(Setup):
    def test_a_second_run_changes_nothing(self):
        for agent, (path, _, _) in AGENTS.items():
            with self.subTest(agent):
                self.setup(agent, "--hooks", "--instructions")
                before = {name: read(self.at(name)) for name in files_in(self.home)}
                rows = self.parts(agent, "--hooks", "--instructions")
                self.assertEqual({row["status"] for row in rows.values()} - {"none in this scope"}, {"already set up"})
                self.assertEqual({name: read(self.at(name)) for name in files_in(self.home)}, before)

    def test_a_dry_run_shows_the_diff_and_writes_nothing(self):
        self.put(".codex/config.toml", b"a = 1\n")
        out = self.setup("--dry-run", "codex")
        self.assertIn("+[mcp_servers.engram]", out)
        self.assertIn("--- " + self.at(".codex/config.toml"), out)
        self.assertIn("would be set up", out)
        self.assertEqual(files_in(self.home), [".codex/config.toml"])
        self.assertEqual(read(self.at(".codex/config.toml")), b"a = 1\n")
        self.assertFalse(os.path.exists(self.data))

    def test_the_diff_is_what_patch_understands(self):
        self.put(".codex/config.toml", b"a = 1\nb = 2")
        diff = self.parts("--dry-run", "codex")["codex server"]["diff"]
        self.assertIn("@@ -1,2 +1,", diff)
        self.assertEqual(diff.count("\\ No newline at end of file"), 2)

    def test_an_entry_of_another_place_is_renewed(self):
        self.setup("claude-code")
        text = read(self.at(".claude.json")).replace(b'"engram",', b'"/old/engram",')
        self.put(".claude.json", text)
        self.assertEqual(self.parts("claude-code")["claude-code server"]["status"], "set up")
        self.assertIn(b'"command": "engram"', read(self.at(".claude.json")))

    def test_an_entry_that_the_user_added_to_stays(self):
        self.setup("claude-code")
        text = read(self.at(".claude.json")).replace(b'["serve"]', b'["serve", "--project", "/x"]')
        self.put(".claude.json", text)
        self.assertEqual(self.parts("claude-code")["claude-code server"]["status"], "already set up")
        self.assertEqual(read(self.at(".claude.json")), text)

    def test_what_is_not_on_path_is_named_by_its_path(self):
        os.unlink(os.path.join(self.bin, "engram"))
        self.setup("codex", "--hooks")
        self.assertIn(os.path.realpath(BINARY), read(self.at(".codex/config.toml")).decode())
        self.assertIn(os.path.realpath(BINARY) + " hook Stop", read(self.at(".codex/hooks.json")).decode())


class Uninstall(Setup):
    def test_an_empty_home_is_empty_again(self):
        for agent in AGENTS:
            self.setup(agent, "--hooks", "--instructions")
        self.setup("--uninstall", "all")
        state = os.path.relpath(self.data, self.home)
        self.assertEqual([name for name in files_in(self.home) if not name.startswith(state)], [])
        self.assertEqual([name for name in os.listdir(os.path.join(self.data, "engram/setup"))], ["state.json"])
        self.assertEqual(json.loads(read(os.path.join(self.data, "engram/setup/state.json")))["files"], [])

    def test_what_others_wrote_meanwhile_stays(self):
        self.put(".claude.json", b'{\n  "a": 1\n}\n')
        self.setup("claude-code")
        text = read(self.at(".claude.json"))
        self.put(".claude.json", text.replace(b'"a": 1', b'"a": 2'))
        self.assertEqual(self.parts("--uninstall", "claude-code")["claude-code server"]["status"], "taken out")
        self.assertEqual(read(self.at(".claude.json")), b'{\n  "a": 2\n}\n')

    def test_what_others_wrote_between_two_setups_stays(self):
        self.put(".gemini/settings.json", b'{\n  "a": 1\n}\n')
        self.setup("gemini")
        self.put(".gemini/settings.json", read(self.at(".gemini/settings.json")).replace(b'"a": 1', b'"a": 2'))
        self.setup("gemini", "--hooks")
        self.setup("--uninstall", "gemini")
        self.assertEqual(read(self.at(".gemini/settings.json")), b'{\n  "a": 2\n}\n')

    def test_hooks_alone_come_out_alone(self):
        self.put(".gemini/settings.json", b'{"a":1}')
        self.setup("gemini")
        only_server = read(self.at(".gemini/settings.json"))
        self.setup("gemini", "--hooks")
        self.setup("--uninstall", "--hooks", "gemini")
        self.assertEqual(read(self.at(".gemini/settings.json")), only_server)
        self.setup("--uninstall", "gemini")
        self.assertEqual(read(self.at(".gemini/settings.json")), b'{"a":1}')

    def test_a_file_that_others_filled_is_not_removed(self):
        self.setup("cursor")
        entry = json.loads(read(self.at(".cursor/mcp.json")))
        entry["mcpServers"]["x"] = {"command": "x"}
        self.put(".cursor/mcp.json", json.dumps(entry, indent=2).encode())
        self.setup("--uninstall", "cursor")
        self.assertEqual(json.loads(read(self.at(".cursor/mcp.json"))), {"mcpServers": {"x": {"command": "x"}}})

    def test_a_text_that_two_agents_read_stays_for_the_other(self):
        for agent in ("codex", "amp"):
            self.setup("--scope", "project", "--instructions", agent)
        path = os.path.join(self.project, "AGENTS.md")
        rows = self.parts("--scope", "project", "--uninstall", "codex")
        self.assertEqual(rows["codex instructions"]["status"], "left for another agent that is set up")
        self.assertIn(b"engram:begin", read(path))
        self.setup("--scope", "project", "--uninstall", "amp")
        self.assertEqual(files_in(self.project), [])

    def test_an_entry_made_by_hand_comes_out_too(self):
        self.put(".cursor/mcp.json", b'{"mcpServers": {"engram": {"command": "engram"}}}')
        self.setup("--uninstall", "cursor")
        self.assertEqual(read(self.at(".cursor/mcp.json")), b'{"mcpServers": {}}')

    def test_without_anything_it_says_so(self):
        self.assertIn("not set up", self.setup("--uninstall", "codex"))
        self.assertIn("No agent was found", self.setup("--uninstall", "all", wanted=NOTHING))

    def test_a_state_that_cannot_be_read_is_an_error(self):
        self.setup("codex")
        with open(os.path.join(self.data, "engram/setup/state.json"), "w") as file:
            file.write("{")
        self.refused("setup", "--uninstall", "codex", words=["state.json can't be read", "move it away"])


class Files(Setup):
    def test_a_file_that_cannot_be_parsed_is_left_alone(self):
        for agent, path, text, where in [
            ("claude-code", ".claude.json", b'{\n  "a": 1,\n  oops\n}\n', "line 3, column 3"),
            ("codex", ".codex/config.toml", b"a = 1\nb = \n", "line 2, column 5"),
            ("goose", ".config/goose/config.yaml", b"a: 1\n\tb: 2\n", "line 2, column 1"),
            ("gemini", ".gemini/settings.json", b'{"mcpServers": {}, "mcpServers": {}}', "stands there twice"),
            ("zed", ".config/zed/settings.json", b" " * (4 * 1024 * 1024 + 1), "4194304"),
        ]:
            with self.subTest(agent):
                self.put(path, text)
                out, err = self.engram("setup", agent, wanted=REFUSED)
                self.assertIn(where, err)
                self.assertIn("failed", out)
                self.assertEqual(read(self.at(path)), text)

    def test_one_bad_file_does_not_keep_the_others_from_theirs(self):
        self.put(".cursor/mcp.json", b"{")
        self.engram("setup", "cursor", "codex", wanted=REFUSED)
        self.assertTrue(os.path.exists(self.at(".codex/config.toml")))
        rows = self.parts("cursor", "codex", wanted=REFUSED)
        self.assertEqual(rows["codex server"]["status"], "already set up")
        self.assertIn("line 1, column 2", rows["cursor server"]["error"])

    def test_links_and_permissions_stay(self):
        self.put("dotfiles/codex.toml", b"a = 1\n")
        os.chmod(self.at("dotfiles/codex.toml"), 0o640)
        os.mkdir(self.at(".codex"))
        os.symlink("../dotfiles/codex.toml", self.at(".codex/config.toml"))
        self.setup("codex")
        self.assertTrue(os.path.islink(self.at(".codex/config.toml")))
        self.assertIn(b"mcp_servers.engram", read(self.at("dotfiles/codex.toml")))
        self.assertEqual(stat.S_IMODE(os.stat(self.at("dotfiles/codex.toml")).st_mode), 0o640)
        self.setup("--uninstall", "codex")
        self.assertEqual(read(self.at("dotfiles/codex.toml")), b"a = 1\n")
        self.assertTrue(os.path.islink(self.at(".codex/config.toml")))
        self.assertEqual(files_in(self.at("dotfiles")), ["codex.toml"])

    def test_links_that_lead_nowhere_or_out_of_the_project_are_refused(self):
        os.mkdir(self.at(".codex"))
        os.symlink("gone/config.toml", self.at(".codex/config.toml"))
        _, err = self.engram("setup", "codex", wanted=REFUSED)
        self.assertIn("leads nowhere", err)
        self.put("elsewhere.json", b"{}")
        os.symlink(self.at("elsewhere.json"), os.path.join(self.project, ".mcp.json"))
        _, err = self.engram("setup", "--scope", "project", "claude-code", wanted=REFUSED)
        self.assertIn("out of the project", err)
        self.assertEqual(read(self.at("elsewhere.json")), b"{}")

    def test_a_folder_or_a_pipe_in_the_place_of_the_file_is_refused(self):
        os.makedirs(self.at(".cursor/mcp.json"))
        self.engram("setup", "cursor", wanted=REFUSED)
        os.mkdir(self.at(".qwen"))
        os.mkfifo(self.at(".qwen/settings.json"))
        self.engram("setup", "qwen", wanted=REFUSED)

    def test_where_no_folder_can_be_made_nothing_changes(self):
        self.put(".codex", b"a file")
        self.engram("setup", "codex", wanted=TROUBLE)
        self.assertEqual(read(self.at(".codex")), b"a file")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_may_only_be_read_is_an_error(self):
        self.put(".codex/config.toml", b"a = 1\n")
        os.chmod(self.at(".codex"), 0o500)
        self.addCleanup(os.chmod, self.at(".codex"), 0o700)
        _, err = self.engram("setup", "codex", wanted=TROUBLE)
        self.assertIn("can't write config.toml", err)
        self.assertEqual(files_in(self.at(".codex")), ["config.toml"])
        self.assertIn("not set up", self.setup("--uninstall", "codex"))

    def test_variables_move_the_files_of_those_agents_that_have_them(self):
        moved = os.path.join(self.top, "moved")
        self.setup("codex", env={"CODEX_HOME": moved})
        self.setup("claude-code", env={"CLAUDE_CONFIG_DIR": moved})
        self.setup("zed", env={"XDG_CONFIG_HOME": moved})
        self.assertEqual(files_in(moved), [".claude.json", "config.toml", "zed/settings.json"])
        self.assertEqual(files_in(self.home), [])

    def test_without_a_home_it_says_what_to_set(self):
        self.refused("setup", "codex", env={"HOME": ""}, words=["HOME"])


class Hooks(Setup):
    def test_hooks_are_written_only_when_asked_for(self):
        for agent, (user, project) in HOOKS.items():
            with self.subTest(agent):
                self.setup(agent)
                self.assertFalse(os.path.exists(self.at(user)) and b" hook " in read(self.at(user)))
                self.setup(agent, "--hooks")
                self.assertRegex(read(self.at(user)).decode(), r'engram hook Session|"hook", event')
                self.setup(agent, "--hooks", "--scope", "project")
                self.assertTrue(os.path.exists(os.path.join(self.project, project)))

    def test_each_event_is_hooked_once(self):
        for agent, events in [
            ("claude-code", ["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd"]),
            ("codex", ["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd"]),
            ("gemini", ["SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd"]),
        ]:
            self.setup(agent, "--hooks")
            hooks = json.loads(read(self.at(HOOKS[agent][0])))["hooks"]
            self.assertEqual(list(hooks), events)
            for event, groups in hooks.items():
                self.assertEqual([hook["command"] for group in groups for hook in group["hooks"]], [f"engram hook {event}"])
        self.setup("vscode", "--hooks")
        hooks = json.loads(read(self.at(HOOKS["vscode"][0])))["hooks"]
        for event, rows in hooks.items():
            self.assertTrue(rows[0]["command"].endswith(f"engram hook {event}"), rows)

    def test_a_path_with_a_space_is_one_word_of_the_shell(self):
        os.unlink(os.path.join(self.bin, "engram"))
        odd = os.path.join(self.top, "an odd 'place'")
        os.mkdir(odd)
        os.link(BINARY, os.path.join(odd, "engram"))
        plain, self.binary = BINARY, os.path.join(odd, "engram")
        import world
        world.BINARY = self.binary
        self.addCleanup(setattr, world, "BINARY", plain)
        self.setup("claude-code", "--hooks")
        hooks = json.loads(read(self.at(".claude/settings.json")))["hooks"]
        self.assertEqual(hooks["Stop"][0]["hooks"][0]["command"], "'" + odd.replace("'", "'\\''") + "/engram' hook Stop")
        self.assertEqual(self.parts("claude-code", "--hooks")["claude-code hooks"]["status"], "already set up")
        self.setup("--uninstall", "--hooks", "claude-code")
        self.assertFalse(os.path.exists(self.at(".claude/settings.json")))

    def test_a_file_of_somebody_else_in_the_place_of_ours_is_refused(self):
        self.put(".config/opencode/plugins/engram.js", b"export const X = 1;\n")
        _, err = self.engram("setup", "opencode", "--hooks", wanted=REFUSED)
        self.assertIn("somebody else's", err)


class Instructions(Setup):
    def test_the_block_holds_the_ready_text(self):
        self.setup("claude-code", "--instructions")
        text = read(self.at(".claude/CLAUDE.md")).decode()
        ready = read(os.path.join(TOP, "agent-configs/instructions.md")).decode()
        self.assertRegex(text, r"^<!-- engram:begin [0-9a-f]{16}, ")
        self.assertIn(ready, text)
        self.assertTrue(text.endswith("<!-- engram:end -->\n"))

    def test_a_project_gets_it_only_when_asked_for(self):
        self.setup("claude-code", "codex", "gemini", "--instructions")
        self.assertEqual(files_in(self.project), [])
        self.setup("claude-code", "codex", "gemini", "--instructions", "--scope", "project")
        for name in ("CLAUDE.md", "AGENTS.md", "GEMINI.md"):
            self.assertIn(b"engram:begin", read(os.path.join(self.project, name)))


FAKE_CLAUDE = """#!/bin/sh
echo "$@" >>"$HOME/said"
case $* in
"mcp add --scope user engram -- engram serve") printf '{"mcpServers":{"engram":{"command":"engram"}},"by":"claude"}' >"$HOME/.claude.json" ;;
"mcp remove --scope user engram") printf '{"mcpServers":{},"by":"claude"}' >"$HOME/.claude.json" ;;
*) exit 1 ;;
esac
"""


class OwnCommand(Setup):
    def have_claude(self, script):
        path = os.path.join(self.bin, "claude")
        with open(path, "w") as file:
            file.write(script)
        os.chmod(path, 0o755)
        self.env["PATH"] = self.bin + ":/usr/bin:/bin"

    def test_claude_code_is_set_up_by_its_own_command(self):
        self.have_claude(FAKE_CLAUDE)
        self.put(".claude.json", b'{"a":1}')
        self.assertIn("by claude mcp add --scope user engram -- engram serve", self.setup("claude-code"))
        self.assertIn(b'"by":"claude"', read(self.at(".claude.json")))
        self.setup("--uninstall", "claude-code")
        self.assertEqual(read(self.at(".claude.json")), b'{"a":1}')
        self.assertEqual(read(self.at("said")).count(b"\n"), 1)

    def test_its_own_command_takes_it_out_of_a_file_that_changed(self):
        self.have_claude(FAKE_CLAUDE)
        self.setup("claude-code")
        self.put(".claude.json", b'{"mcpServers":{"engram":{"command":"engram"}},"more":1}')
        self.assertIn("by claude mcp remove", self.setup("--uninstall", "claude-code"))
        self.assertEqual(read(self.at(".claude.json")), b'{"mcpServers":{},"by":"claude"}')

    def test_where_it_fails_the_file_is_edited(self):
        self.have_claude("#!/bin/sh\necho no >&2\nexit 1\n")
        self.assertNotIn(", by claude", self.setup("claude-code"))
        self.assertIn(b'"engram"', read(self.at(".claude.json")))
        self.setup("--uninstall", "claude-code")
        self.assertFalse(os.path.exists(self.at(".claude.json")))

    def test_a_dry_run_names_it_and_does_not_run_it(self):
        self.have_claude(FAKE_CLAUDE)
        self.assertIn("by claude mcp add", self.setup("--dry-run", "claude-code"))
        self.assertEqual(files_in(self.home), [])


class Listing(Setup):
    def test_without_an_agent_all_are_listed(self):
        os.mkdir(self.at(".codex"))
        self.setup("gemini")
        rows = {row["agent"]: row for row in self.json("setup")["agents"]}
        self.assertEqual(list(rows), list(AGENTS))
        self.assertEqual({name for name, row in rows.items() if row["found"]}, {"codex", "gemini"})
        self.assertEqual({name for name, row in rows.items() if row["set_up"]}, {"gemini"})
        self.assertRegex(self.setup(), r"(?m)^codex +Codex +found$")

    def test_all_means_those_that_are_found(self):
        os.mkdir(self.at(".codex"))
        os.mkdir(self.at(".cursor"))
        self.assertEqual(set(self.parts("all")), {"codex server", "cursor server"})

    def test_documentation_names_every_agent(self):
        text = read(os.path.join(TOP, "docs/clients.md")).decode()
        for name in AGENTS:
            self.assertTrue(re.search(rf"`{name}`", text), name)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # what is skipped says why
