// `engram setup` for real agents: into a home without their file and into one with it, the agent then connects to
// engram, and uninstall brings the file back. Prints each diff.
import fs from "node:fs";
import path from "node:path";
import { withModel } from "./scripted_model.mjs";
import { QUIET, turn } from "./turns.mjs";
import { CLIENT, QUESTION, check, environment, inWorld, program, put, run } from "./world.mjs";

const RECALL = ["recall", { query: QUESTION }];

/** The agent lists its servers and says of engram that it is connected. */
const lists = (words, said) => async (world) => {
    const listed = await run(world, [program(words[0]), ...words.slice(1)], QUIET);
    return { holds: said.test(listed.out + listed.err), said: listed };
};

/** A scripted model is offered engram's tools, and its call comes back. */
const calls = async (world) => {
    const { used, offers, saw } = await turn(world, "go", [RECALL]);
    return { holds: saw[0] !== null, said: { saw, offers, ...used } };
};

// `full` is a user's file as it may be: comments where the agent takes them, another server.
const AGENTS = {
    claude: {
        agent: "claude-code",
        file: ".claude.json",
        full: '{\n  "theme": "dark",\n  "mcpServers": {\n    "other": {"type": "stdio", "command": "engram", "args": ["serve"]}\n  }\n}\n',
        connects: lists(["claude", "mcp", "list"], /^engram: .*Connected/m),
        ownCommand: true,
        rewrites: true, // its file, whenever it runs
    },
    codex: {
        agent: "codex",
        file: ".codex/config.toml",
        full: '# mine\n[mcp_servers.other]\ncommand = "engram"\nargs = [\n  "serve", # as ever\n]\n\n[projects."/x"]\ntrust_level = "trusted"\n',
        connects: calls,
    },
    copilot: {
        agent: "copilot",
        file: ".copilot/mcp-config.json",
        full: '{\n\t"mcpServers": {\n\t\t"other": {"type": "local", "command": "engram", "args": ["serve"], "tools": ["*"]}\n\t}\n}',
        connects: calls,
    },
    opencode: {
        agent: "opencode",
        file: ".config/opencode/opencode.json",
        full: '{\n  // mine\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "other": {"type": "local", "command": ["engram", "serve"]}, // as ever\n  },\n}\n',
        connects: calls,
    },
    gemini: {
        agent: "gemini",
        file: ".gemini/settings.json",
        full: '{\n  // mine\n  "mcpServers": {\n    "other": {"command": "engram", "args": ["serve"]}\n  },\n  "ui": {"theme": "Default"}\n}\n',
        connects: lists(["gemini", "mcp", "list"], /engram: .*Connected/),
        trusts: ".gemini/trustedFolders.json",
    },
    qwen: {
        agent: "qwen",
        file: ".qwen/settings.json",
        full: '{\n    "ui": {\n        "theme": "Qwen Dark" // mine\n    }\n}',
        connects: lists(["qwen", "mcp", "list"], /engram: .*Connected/),
        trusts: ".qwen/trustedFolders.json",
    },
    continue: {
        agent: "continue",
        file: ".continue/config.yaml",
        full: "# mine\nname: Local\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: scripted\n    provider: openai\n    model: scripted\n    apiKey: none\n    apiBase: URL # here\nmcpServers:\n- name: other\n  command: engram\n  args: [serve]\n",
        connects: calls,
        needsModel: true, // in the file, so nothing runs with an empty one
    },
};

const row = AGENTS[CLIENT];

async function setup(world, ...words) {
    const extra = row.ownCommand ? { PATH: path.dirname(program("claude")) + path.delimiter + environment(world).PATH } : {};
    return run(world, ["engram", "setup", ...words, row.agent], { ...QUIET, ...extra });
}

const textOf = (file) => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : null);

/** Where the model is named in the file, it is the one that listens now; the bytes that setup saw come back after. */
async function connects(world, file) {
    if (!row.needsModel) return row.connects(world);
    const kept = textOf(file);
    const { used, saw } = await withModel([RECALL], (url) => {
        fs.writeFileSync(file, kept.replace("URL", url));
        return run(world, [program("cn"), "-p", "go", "--auto"], QUIET);
    });
    fs.writeFileSync(file, kept);
    return { holds: saw[0] !== null, said: { saw, ...used } };
}

async function drive(name, before, runs, world) {
    const file = path.join(world.home, row.file);
    if (before !== null) put(file, before);
    if (row.trusts) put(path.join(world.home, row.trusts), JSON.stringify({ [world.project]: "TRUST_FOLDER" }));
    const done = await setup(world);
    check(`${name}: setup`, done.code === 0, done);
    console.log(done.out.replace(/^/gm, "     "));
    let written = textOf(file);
    if (runs) {
        const { holds, said } = await connects(world, file);
        check(`${name}: the agent connects to engram`, holds, said);
        const again = await setup(world);
        check(`${name}: a second setup has nothing to do`, again.out.includes("already set up"), again);
    }
    const touched = textOf(file) !== written;
    if (touched) console.log(`     ${name}: the agent rewrote its file meanwhile`);
    const undone = await setup(world, "--uninstall");
    check(`${name}: uninstall`, undone.code === 0, undone);
    if (touched) check(`${name}: the entry is gone`, !/"?engram"?\s*:/.test(textOf(file) ?? ""), textOf(file));
    else check(`${name}: the file is as it was`, textOf(file) === before, { before, is: textOf(file) });
}

await inWorld((world) => drive("empty home", null, !row.needsModel, world));
await inWorld((world) => drive("full home", row.full, true, world));
if (row.rewrites) await inWorld((world) => drive("full home, not run", row.full, false, world));
