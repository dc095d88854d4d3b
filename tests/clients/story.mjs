// Two sessions of a real agent: in the first something is decided; the second, a new process in another worktree of the
// repository, is asked, and its model must see it. Once by the tools that the model calls, once by hooks alone.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { turn } from "./turns.mjs";
import { CLIENT, check, inWorld, run } from "./world.mjs";

const AGENT = { claude: "claude-code" }[CLIENT] ?? CLIENT;
const DECISION = "We decided to sign the releases with minisign instead of GPG, because nobody renewed the GPG key.";
const QUESTION = "With which program do we sign the releases?";
const TELLING = "minisign";
const CAPTURE_PATIENCE_MS = 60_000;

const git = (folder, ...words) => execFileSync("git", ["-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.org", ...words]);

/** Another worktree of the world's repository. */
function secondWorktree(world) {
    const project = path.join(world.base, "second");
    git(world.project, "commit", "--quiet", "--allow-empty", "--message", "begin");
    git(world.project, "worktree", "add", "--quiet", project);
    return { ...world, project };
}

async function session(world, name, prompt, script) {
    const seen = await turn(world, prompt, script);
    check(`${name}: the agent ends well`, seen.used.code === 0, seen.used);
    return seen;
}

/** Waits until what a hook's child takes in is known. */
async function captured(world) {
    const until = Date.now() + CAPTURE_PATIENCE_MS;
    while (Date.now() < until) {
        if ((await run(world, ["engram", "recall", QUESTION])).out.includes(TELLING)) return true;
        await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return false;
}

const lineWith = (text, part) => text.split(/\n|\\n/).find((line) => line.includes(part))?.trim();

async function withTools(world) {
    const done = await run(world, ["engram", "setup", AGENT]);
    check("tools: setup", done.code === 0, done);
    const second = secondWorktree(world);
    const first = await session(world, "tools, first session", "go", [["remember", { text: DECISION, kind: "decision" }]]);
    check("tools, first session: the decision is stored", first.saw[0]?.includes("stored"), first.saw);
    const { saw } = await session(second, "tools, second session", "go", [["recall", { query: QUESTION }]]);
    check("tools, second session: the model sees the decision", saw[0]?.includes(TELLING), saw);
    console.log(`     tools, second session: recall gave\n       ${lineWith(saw[0] ?? "", TELLING)}`);
}

async function withHooks(world) {
    await run(world, ["engram", "init"]); // hooks make no memory where there is none
    const done = await run(world, ["engram", "setup", "--hooks", AGENT]);
    check("hooks: setup", done.code === 0, done);
    const second = secondWorktree(world);
    await session(world, "hooks, first session", DECISION);
    check("hooks, first session: the decision is taken in", await captured(second));
    const { shown } = await session(second, "hooks, second session", QUESTION);
    check("hooks, second session: the model sees the decision", shown.includes(TELLING), shown);
    console.log(`     hooks, second session: the model was shown\n       ${lineWith(shown, TELLING)}`);
}

await inWorld(withTools);
await inWorld(withHooks);
