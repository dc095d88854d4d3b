// Real coding agents call remember and recall as a scripted model tells them; the model must see the fact. They are set
// up by the ready files of agent-configs.
import path from "node:path";
import { withModel } from "./scripted_model.mjs";
import { CLIENT, FACT, QUESTION, TELLING, TOOLS, check, inWorld, program, put, readyFile, run } from "./world.mjs";

const REMEMBER = ["remember", { text: FACT }];
const RECALL = ["recall", { query: QUESTION }];

// configure(world, url) writes the agent's files, words start one turn, extra(url) is its environment.
const AGENTS = {
    codex: {
        configure: (world, url) => put(path.join(world.home, ".codex/config.toml"), codexConfig(url)),
        words: ["codex", "exec", "--json", "--skip-git-repo-check", "go"],
    },
    copilot: {
        configure: (world) => put(path.join(world.home, ".copilot/mcp-config.json"), readyFile("copilot/mcp-config.json")),
        words: ["copilot", "-p", "go", "--allow-all-tools"],
        extra: (url) => ({ COPILOT_OFFLINE: "true", COPILOT_PROVIDER_BASE_URL: url, COPILOT_MODEL: "scripted" }),
    },
    opencode: {
        configure: (world, url) => put(path.join(world.project, "opencode.json"), JSON.stringify(openCodeConfig(url))),
        words: ["opencode", "run", "--format", "json", "go"],
        extra: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    },
};

function codexConfig(url) {
    return `model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access" # the script calls no tool but engram's

[model_providers.scripted]
name = "scripted"
base_url = "${url}"
wire_api = "responses"

${readyFile("codex/config.toml")}`;
}

function openCodeConfig(url) {
    const provider = {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: url },
        models: { scripted: { name: "scripted", tool_call: true } },
    };
    return {
        ...JSON.parse(readyFile("opencode/opencode.json")),
        autoupdate: false,
        share: "disabled",
        model: "scripted/scripted",
        small_model: "scripted/scripted",
        provider: { scripted: provider },
    };
}

/** One turn of the agent in the world, through the script. */
async function turn(world, name, script) {
    const agent = AGENTS[CLIENT];
    const { used, offers, saw } = await withModel(script, (url) => {
        agent.configure(world, url);
        return run(world, [program(agent.words[0]), ...agent.words.slice(1)], agent.extra?.(url));
    });
    check(`${name}: the agent ends well`, used.code === 0, used);
    const missing = TOOLS.filter((tool) => !offers.some((shown) => shown.endsWith(tool)));
    check(`${name}: the model is offered five tools`, missing.length === 0, offers);
    return saw;
}

await inWorld(async (world) => {
    const [stored, recalled] = await turn(world, "one run", [REMEMBER, RECALL]);
    check("one run: remember stores", stored?.includes("stored"), stored);
    check("one run: the model sees the fact", recalled?.includes(TELLING), recalled);
});
await inWorld(async (world) => {
    const [stored] = await turn(world, "first of two runs", [REMEMBER]);
    check("first of two runs: remember stores", stored?.includes("stored"), stored);
    const [recalled] = await turn(world, "second of two runs", [RECALL]);
    check("second of two runs: the model sees the fact", recalled?.includes(TELLING), recalled);
});
