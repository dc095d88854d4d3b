// One turn of a real agent, its model being the scripted one. The model is told by words and environment, so that the
// agent's files stay as `engram setup` leaves them.
import { withModel } from "./scripted_model.mjs";
import { CLIENT, program, run } from "./world.mjs";

export const QUIET = {
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    npm_config_offline: "true", // a plugin makes OpenCode fetch its types
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    QWEN_CODE_TRUST_WORKSPACE: "true",
};

const codexModel = (url) => [
    "-c", 'model="scripted"', "-c", 'model_provider="scripted"', "-c", 'approval_policy="never"',
    "-c", 'sandbox_mode="danger-full-access"', // the script calls no tool but engram's
    "-c", `model_providers.scripted={name="scripted", base_url="${url}", wire_api="responses"}`,
    "--skip-git-repo-check",
    "--dangerously-bypass-hook-trust", // who sits before it would trust them once, by /hooks
];

const openCodeModel = (url) => JSON.stringify({
    autoupdate: false,
    share: "disabled",
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    provider: {
        scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: url },
            models: { scripted: { name: "scripted", tool_call: true } },
        },
    },
});

// words(prompt, url) begin a session, again(prompt, url) go on with the last one; extra(url) is the environment.
const AGENTS = {
    claude: {
        words: (prompt) => ["claude", "-p", prompt, "--allowedTools", "mcp__engram"],
        again: (prompt) => ["claude", "-c", "-p", prompt, "--allowedTools", "mcp__engram"],
        extra: (url) => ({ // a gateway that asks for no login
            CLAUDE_CODE_USE_VERTEX: "1",
            CLAUDE_CODE_SKIP_VERTEX_AUTH: "1",
            ANTHROPIC_VERTEX_BASE_URL: url,
            ANTHROPIC_VERTEX_PROJECT_ID: "scripted",
            CLOUD_ML_REGION: "here",
        }),
    },
    codex: {
        words: (prompt, url) => ["codex", "exec", ...codexModel(url), prompt],
        again: (prompt, url) => ["codex", "exec", ...codexModel(url), "resume", "--last", prompt],
    },
    copilot: {
        words: (prompt) => ["copilot", "-p", prompt, "--allow-all-tools"],
        extra: (url) => ({ COPILOT_OFFLINE: "true", COPILOT_PROVIDER_BASE_URL: url, COPILOT_MODEL: "scripted" }),
    },
    opencode: {
        words: (prompt) => ["opencode", "run", "--format", "json", prompt],
        again: (prompt) => ["opencode", "run", "--format", "json", "--continue", prompt],
        extra: (url) => ({ OPENCODE_CONFIG_CONTENT: openCodeModel(url) }),
    },
    continue: { words: (prompt) => ["cn", "-p", prompt, "--auto"] },
};

/** One turn in a new process, the model following a script; `goes_on` with the session of the last one. */
export const turn = (world, prompt, script = [], goesOn = false) => withModel(script, (url) => {
    const agent = AGENTS[CLIENT];
    const words = (goesOn ? agent.again : agent.words)(prompt, url);
    return run(world, [program(words[0]), ...words.slice(1)], { ...QUIET, ...agent.extra?.(url) });
});
