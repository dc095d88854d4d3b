// The official SDKs as clients: what they negotiate, list, call and read, and that the server goes when they close.
import { BINARY, CLIENT, FACT, QUESTION, TELLING, TOOLS, check, environment, inWorld, library, same } from "./world.mjs";

// [name, revision that must come out, the client's option]
const MODES = {
    "sdk-v1": [["initialize", "2025-11-25", {}]],
    "sdk-v2": [
        ["auto", "2026-07-28", { versionNegotiation: { mode: "auto" } }],
        ["legacy", "2025-11-25", {}],
        ["2026-07-28", "2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
    ],
}[CLIENT];

function parts() {
    if (CLIENT === "sdk-v1")
        return {
            ...library("@modelcontextprotocol/sdk/client/index.js"),
            ...library("@modelcontextprotocol/sdk/client/stdio.js"),
        };
    return { ...library("@modelcontextprotocol/client"), ...library("@modelcontextprotocol/client/stdio") };
}

function isAlive(pid) {
    try {
        return process.kill(pid, 0);
    } catch {
        return false;
    }
}

async function errorOf(promise) {
    try {
        return { result: await promise };
    } catch (error) {
        return error;
    }
}

async function drive([name, revision, options], world) {
    const { Client, StdioClientTransport } = parts();
    const transport = new StdioClientTransport({
        command: BINARY,
        args: ["serve"],
        cwd: world.project,
        env: environment(world),
        stderr: "inherit",
    });
    let negotiated; // SDK v1 tells the transport, SDK v2 has a getter
    transport.setProtocolVersion = (version) => (negotiated = version);
    const client = new Client({ name: "engram-tests", version: "1" }, { capabilities: {}, ...options });
    await client.connect(transport);
    negotiated = client.getNegotiatedProtocolVersion?.() ?? negotiated;
    check(`${name}: speaks ${revision}`, negotiated === revision, negotiated);
    check(`${name}: has instructions`, client.getInstructions()?.includes("recall"));

    const names = (await client.listTools()).tools.map((tool) => tool.name).sort();
    check(`${name}: five tools`, same(names, TOOLS), names);
    const stored = await client.callTool({ name: "remember", arguments: { text: FACT } });
    check(`${name}: remember stores`, stored.structuredContent?.status === "stored", stored);
    const recalled = await client.callTool({ name: "recall", arguments: { query: QUESTION } });
    check(`${name}: recall has the fact in its structure`, recalled.structuredContent?.items?.[0]?.text === FACT, recalled);
    check(`${name}: recall has the fact in its text`, recalled.content?.[0]?.text?.includes(TELLING), recalled);
    const wrong = await client.callTool({ name: "recall", arguments: {} });
    check(`${name}: a wrong call is a tool error`, wrong.isError === true, wrong);
    const unknown = await errorOf(client.callTool({ name: "no_such_tool", arguments: {} }));
    check(`${name}: an unknown tool is error -32602`, unknown.code === -32602, unknown);

    const status = await client.readResource({ uri: "engram://status" });
    check(`${name}: the status resource counts the memory`, JSON.parse(status.contents[0].text).memories === 1, status);
    const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name).sort();
    check(`${name}: three prompts`, same(prompts, ["recall", "review", "summarise_session"]), prompts);

    const { pid } = transport;
    await client.close();
    check(`${name}: the server went with its client`, !isAlive(pid), String(pid));
}

// A client whose model the server may ask (MCP's sampling), as the SDK checks and hands on the question.
async function lendModel(world) {
    const { Client, StdioClientTransport } = parts();
    const { CreateMessageRequestSchema } = library("@modelcontextprotocol/sdk/types.js");
    const found = {
        entities: [{ name: "Ann Lee", type: "person" }, { name: "checkout", type: "service" }],
        relations: [{ from: "Ann Lee", relation: "looks after", to: "checkout", quote: "looks after checkout" }],
    };
    const client = new Client({ name: "engram-tests", version: "1" }, { capabilities: { sampling: {} } });
    const asked = new Promise((resolve) => {
        client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => {
            resolve(params);
            return { role: "assistant", model: "m", content: { type: "text", text: JSON.stringify(found) }, stopReason: "endTurn" };
        });
    });
    await client.connect(
        new StdioClientTransport({
            command: BINARY,
            args: ["serve"],
            cwd: world.project,
            env: { ...environment(world), ENGRAM_LLM_PROVIDER: "sampling", ENGRAM_SAMPLING_GAP_MS: "0" },
            stderr: "inherit",
        }),
    );
    await client.callTool({ name: "remember", arguments: { text: "These days Ann Lee looks after checkout with some help." } });
    const params = await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 20000))]);
    check("sampling: the client's model is asked", params?.messages?.[0]?.content?.text?.includes("checkout"), params);
    let facts = [];
    for (let tries = 0; tries < 100 && !facts.length; tries++)
        facts = (await client.callTool({ name: "recall", arguments: { query: "Who looks after checkout?" } })).structuredContent.facts;
    check("sampling: what it says is stored", facts[0]?.relation === "looks_after", facts);
    await client.close();
}

for (const mode of MODES) await inWorld((world) => drive(mode, world));
if (CLIENT === "sdk-v1") await inWorld(lendModel);
