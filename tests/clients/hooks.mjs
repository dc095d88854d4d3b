// `engram setup --hooks` in real agents: what the model is shown at a session's start and behind a prompt, that nothing
// is shown where nothing fits, and that a decision is taken in. Nobody calls a tool. Prints what was injected.
import { turn } from "./turns.mjs";
import { CLIENT, FACT, QUESTION, TELLING, check, inWorld, run } from "./world.mjs";

const AGENT = { claude: "claude-code" }[CLIENT] ?? CLIENT;
const PINNED = "Figures are given in metric units.";
const OTHERS = [
    "The billing host moves to Frankfurt in autumn.",
    "Ann maintains the exporter and reviews its parsers.",
    "The staging database is reset every Sunday night.",
    "Thumbnails are rendered by a queue of four workers.",
];
const SOMETHING_ELSE = "Write a haiku about the sea.";
const AGAIN = "I forgot, when does that release train leave again?";
const DECISION = "We decided to keep the audit log in ClickHouse instead of Postgres, because Postgres ran out of disk. " +
    "<private>We decided that the vault code is 7741.</private>";
const CAPTURE_PATIENCE_MS = 60_000;

/** What stands between engram's marks, a part for each hook that told something. */
const injected = (shown) => [...shown.matchAll(/<engram-([0-9a-f]+)>\n([^]*?)<\/engram-\1>/g)].map((found) => found[2]);

const count = (text, part) => text.split(part).length - 1;

/** A turn of the agent: what its model was shown. */
async function shownIn(world, name, prompt, goesOn) {
    const { used, shown } = await turn(world, prompt, [], goesOn);
    check(`${name}: the agent ends well`, used.code === 0, used);
    check(`${name}: the model gets the prompt`, shown.includes(prompt), shown);
    for (const part of injected(shown)) console.log(`     ${name}: injected\n${part.trimEnd().replace(/^/gm, "       ")}`);
    return shown;
}

/** engram's answer as an object; null where it finds nothing. */
async function engram(world, ...words) {
    const { code, out } = await run(world, ["engram", ...words, "--json"]);
    return code === 0 ? JSON.parse(out) : null;
}

/** Waits for the memory that a hook's child takes in. */
async function captured(world, query, telling) {
    const until = Date.now() + CAPTURE_PATIENCE_MS;
    while (Date.now() < until) {
        const found = (await engram(world, "recall", query))?.items.find((item) => item.text.includes(telling));
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return null;
}

await inWorld(async (world) => {
    await engram(world, "remember", "--pin", "--kind", "preference", PINNED);
    for (const text of [...OTHERS, FACT]) await engram(world, "remember", "--kind", "fact", text);
    const done = await run(world, ["engram", "setup", "--hooks", AGENT]);
    check("setup --hooks", done.code === 0, done);

    const other = await shownIn(world, "nothing fits", SOMETHING_ELSE);
    check("nothing fits: the start of the session tells what is pinned", count(other, PINNED) === 1, other);
    check("nothing fits: the prompt brings nothing", injected(other).length === 1, injected(other));

    const asked = await shownIn(world, "a question", QUESTION);
    check("a question: the start of the session tells what is pinned", count(asked, PINNED) === 1, asked);
    check("a question: the prompt brings the fact", count(asked, TELLING) === 1, asked);
    check("a question: and nothing else", !OTHERS.some((text) => asked.includes(text)), injected(asked));

    const again = await shownIn(world, "the same session", AGAIN, true);
    check("the same session: nothing is told twice", count(again, TELLING) === 1 && count(again, PINNED) === 1, injected(again));

    await shownIn(world, "a decision", DECISION);
    const taken = await captured(world, "Where do we keep the audit log?", "ClickHouse");
    check("a decision: it is remembered", taken !== null);
    console.log(`     a decision: remembered as ${JSON.stringify(taken)}`);
    const everything = await run(world, ["engram", "export", "-"]);
    check("a decision: what is private isn't", everything.code === 0 && !everything.out.includes("7741"), everything);

    const hooks = (await engram(world, "doctor"))?.checks.find((row) => row.name === "hooks");
    check("doctor has no trouble to tell", hooks?.status === "ok" && /ran at/.test(hooks.text), hooks);
    console.log(`     doctor: ${hooks?.text}`);
});
