// engram's plugin for OpenCode: runs `engram hook` at a session's events and gives the model what it
// answers. Whatever goes wrong here is silent; the session goes on.
import { spawn } from "node:child_process";

const PROGRAM = "engram";
const PATIENCE_MS = 5000;
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

export const Engram = async ({ directory }) => {
    const begun = new Set(); // sessions that were told what is known
    const about = (sessionID) => ({ session_id: sessionID, cwd: directory });
    return {
        "chat.message": async ({ sessionID }, output) => {
            if (!begun.has(sessionID)) {
                begun.add(sessionID);
                tell(output, sessionID, await hook("SessionStart", { ...about(sessionID), source: "startup" }));
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
            await hook("PreCompact", about(sessionID));
            begun.delete(sessionID); // what was told at the start is compacted too
        },
        event: async ({ event }) => {
            const sessionID = event.properties?.sessionID ?? event.properties?.info?.id;
            if (event.type === "session.idle") await hook("Stop", about(sessionID));
            if (event.type === "session.deleted") await hook("SessionEnd", about(sessionID));
        },
    };
};
