// engram's plugin for OpenCode: runs `engram hook` at a session's events and gives the model what it
// answers. Whatever goes wrong here is silent; the session goes on.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const PROGRAM = "engram";
const PATIENCE_MS = 5000;
const DAY_MS = 86_400_000;
const MAX_LEFT = 20; // transcripts of earlier runs that are handed over at a start
const EDITING = new Set(["edit", "write", "patch", "multiedit", "apply_patch"]);

/** The text that `engram hook` adds to the context; "" where it has nothing to say. */
function hook(event, input) {
    return new Promise((resolve) => {
        let said = "";
        const child = spawn(PROGRAM, ["hook", event], { cwd: input.cwd, stdio: ["pipe", "pipe", "ignore"], timeout: PATIENCE_MS });
        child.on("error", () => resolve(""));
        child.stdin.on("error", () => {});
        child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
        child.on("close", () => {
            try {
                resolve(JSON.parse(said).hookSpecificOutput?.additionalContext ?? "");
            } catch {
                resolve("");
            }
        });
        child.stdin.end(JSON.stringify({ ...input, hook_event_name: event }));
    });
}

let parts = 0;

/** Puts text behind the user's message, for the model alone. */
function tell(output, sessionID, text) {
    if (!text) return;
    const id = `prt_${Date.now().toString(16).padStart(12, "0")}engram${String(parts++).padStart(6, "0")}`;
    output.parts.push({ id, sessionID, messageID: output.message.id, type: "text", text, synthetic: true });
}

// OpenCode keeps sessions in a database of its own; `engram hook` reads transcripts. So what was said is written here
// when a turn is over, for the user alone, and removed by the first start a day later.
const TRANSCRIPTS = path.join(process.env.XDG_STATE_HOME || path.join(os.homedir(), ".local/state"), "engram/opencode");

const transcriptOf = (sessionID) => path.join(TRANSCRIPTS, `${sessionID.replace(/\W/g, "_")}.jsonl`);

/** Writes a session's messages; the file's path. */
function writeTranscript(session, messages) {
    const file = transcriptOf(session.id);
    fs.mkdirSync(TRANSCRIPTS, { recursive: true, mode: 0o700 });
    const lines = [{ opencode_session: session }, ...messages].map((line) => JSON.stringify(line));
    fs.writeFileSync(`${file}.new`, `${lines.join("\n")}\n`, { mode: 0o600 });
    fs.renameSync(`${file}.new`, file);
    return file;
}

/** Transcripts of earlier runs, the newest first; OpenCode tells nobody when it ends. Old ones go. */
function leftTranscripts() {
    const found = fs.existsSync(TRANSCRIPTS) ? fs.readdirSync(TRANSCRIPTS).map((name) => path.join(TRANSCRIPTS, name)) : [];
    const dated = found.map((file) => ({ file, at: fs.statSync(file).mtimeMs })).sort((a, b) => b.at - a.at);
    for (const { file, at } of dated) if (Date.now() - at > DAY_MS) fs.unlinkSync(file);
    return dated.filter(({ at }) => Date.now() - at <= DAY_MS).slice(0, MAX_LEFT).map(({ file }) => file);
}

export const Engram = async ({ client, directory }) => {
    const begun = new Set(); // sessions that were told what is known
    const compacted = new Set(); // sessions that lost it again
    const about = (sessionID) => ({ session_id: sessionID, cwd: directory });
    const asked = async (question, id) => (await question({ path: { id } }).catch(() => ({}))).data;
    const messagesOf = async (id) => (await asked((it) => client.session.messages(it), id)) ?? [];

    /** What the hooks need of a session that may be over. */
    async function written(sessionID) {
        const { title } = (await asked((it) => client.session.get(it), sessionID)) ?? {};
        const messages = await messagesOf(sessionID);
        try {
            return { ...about(sessionID), transcript_path: writeTranscript({ id: sessionID, directory, title }, messages) };
        } catch {
            return about(sessionID);
        }
    }

    async function start(sessionID) {
        const source = compacted.delete(sessionID) ? "compact" : (await messagesOf(sessionID)).length ? "resume" : "startup";
        return hook("SessionStart", { ...about(sessionID), source });
    }

    try {
        for (const file of leftTranscripts()) void hook("SessionEnd", { ...about(path.parse(file).name), transcript_path: file });
    } catch {
        // the next start tries again
    }
    return {
        "chat.message": async ({ sessionID }, output) => {
            if (!begun.has(sessionID)) {
                begun.add(sessionID);
                tell(output, sessionID, await start(sessionID));
            }
            const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text);
            tell(output, sessionID, await hook("UserPromptSubmit", { ...about(sessionID), prompt: prompt.join("\n") }));
        },
        "tool.execute.after": async ({ tool, sessionID, args }) => {
            if (!EDITING.has(tool)) return;
            const file = args?.filePath ?? args?.file_path;
            await hook("PostToolUse", { ...about(sessionID), tool_name: tool, tool_input: { ...args, file_path: file } });
        },
        "experimental.session.compacting": async ({ sessionID }) => {
            await hook("PreCompact", await written(sessionID));
            begun.delete(sessionID);
            compacted.add(sessionID);
        },
        event: async ({ event }) => {
            if (event.type === "session.idle") await hook("Stop", await written(event.properties.sessionID));
            if (event.type === "session.deleted") fs.rmSync(transcriptOf(event.properties.info.id), { force: true });
        },
    };
};
