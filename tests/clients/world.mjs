// What all clients here share: a home and a project of their own, a clean environment, checks.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

export const BINARY = process.env.ENGRAM_BINARY;
export const CLIENT = process.argv[2];
export const TOOLS = ["attach_document", "forget", "recall", "remember", "review_entities"];
export const FACT = "The release train leaves on Thursdays at 16:40, so merges stop at noon.";
export const QUESTION = "when does the release train leave?"; // shares no figure with the fact
export const TELLING = "16:40"; // only who was told the fact can know it
const CONFIGS = path.join(import.meta.dirname, "../../agent-configs");
const PATIENCE_MS = 120_000; // one run of an agent takes 3 to 40 s

const INSTALLED = path.join(process.env.ENGRAM_CLIENT_CACHE, CLIENT);

/** The client's library, by a name that its package exports. */
export const library = createRequire(path.join(INSTALLED, "package.json"));

/** A program of the client. */
export const program = (name) => path.join(INSTALLED, "node_modules/.bin", name);

/** The text of a ready file in agent-configs. */
export const readyFile = (name) => fs.readFileSync(path.join(CONFIGS, name), "utf8");

/** Creates base/home and the repository base/project, calls use(world) and removes them. */
export async function inWorld(use) {
    const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "engram-clients-")));
    const world = { base, home: path.join(base, "home"), project: path.join(base, "project") };
    fs.mkdirSync(world.home);
    execFileSync("git", ["init", "--quiet", world.project]);
    try {
        await use(world);
    } catch (error) {
        check("came to its end", false, error.stack);
    } finally {
        fs.rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    }
}

/** Nothing inherited but PATH, with engram in front. */
export const environment = (world, extra = {}) => ({
    HOME: world.home,
    PATH: path.dirname(BINARY) + path.delimiter + process.env.PATH,
    LANG: "C.UTF-8",
    TERM: "xterm",
    ...extra,
});

/** Writes text to a file in the world, with its folders. */
export function put(file, text) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
}

/** Runs words in the project until they end: {code, out, err}; code is null when patience ended. */
export function run(world, words, extra) {
    return new Promise((resolve, reject) => {
        const child = spawn(words[0], words.slice(1), {
            cwd: world.project,
            env: environment(world, extra),
            stdio: ["ignore", "pipe", "pipe"],
            detached: true, // a group of its own, so that its children can be ended with it
        });
        const result = { code: null, out: "", err: "" };
        const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), PATIENCE_MS);
        child.stdout.setEncoding("utf8").on("data", (text) => (result.out += text));
        child.stderr.setEncoding("utf8").on("data", (text) => (result.err += text));
        child.on("error", reject);
        child.on("close", (code) => {
            clearTimeout(timer);
            resolve({ ...result, code });
        });
    });
}

/** Says how one check went; the process ends with 1 when any failed. */
export function check(name, holds, seen = "") {
    const text = typeof seen === "string" ? seen : JSON.stringify(seen);
    console.log(`${holds ? "ok  " : "FAIL"} ${CLIENT}: ${name}${holds || !text ? "" : `\n     ${text.slice(0, 2000)}`}`);
    if (!holds) process.exitCode = 1;
}

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
