// A model on loopback that follows a script: each step calls one tool, then it says DONE. It speaks what the agents
// speak, streamed: OpenAI's Responses and Chat Completions, and Anthropic's Messages as a gateway to Vertex has them.
// Requests without tools (titles and such) get DONE too.
import http from "node:http";

const RESPONSES = /\/responses$/;
const CHAT = /\/chat\/completions$/;
const MESSAGES = /:streamRawPredict$/;

/** [{name, namespace?}] of all tools that a request offers; Codex puts a server's tools into a namespace. */
function offered(tools = [], namespace) {
    return tools.flatMap((tool) =>
        tool.type === "namespace" ? offered(tool.tools, tool.name) : [{ name: tool.function?.name ?? tool.name ?? "", namespace }]);
}

/** Does an agent's name for a tool (engram-recall, engram_recall, ...) mean this one? */
const means = (shown, name) => shown === name || (shown.endsWith(name) && /\W|_/.test(shown.at(-name.length - 1)));

function stream(response, events) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
        if (event.type) response.write(`event: ${event.type}\n`);
        response.write(`data: ${event === "[DONE]" ? event : JSON.stringify(event)}\n\n`);
    }
    response.end();
}

function responsesEvents(id, call) {
    const item = call
        ? { type: "function_call", id: `fc_${id}`, call_id: id, status: "completed", ...call }
        : { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: "DONE", annotations: [] }] };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const response = (status, output) => ({ id: `resp_${id}`, object: "response", status, output, usage });
    return [
        { type: "response.created", response: response("in_progress", []) },
        { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: response("completed", [item]) },
    ];
}

function chatEvents(id, call, model) {
    const delta = call
        ? { tool_calls: [{ index: 0, id, type: "function", function: { name: call.name, arguments: call.arguments } }] }
        : { content: "DONE" };
    const chunk = { id: `chat_${id}`, object: "chat.completion.chunk", created: 1, model };
    return [
        { ...chunk, choices: [{ index: 0, delta: { role: "assistant", ...delta } }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: call ? "tool_calls" : "stop" }],
            usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
        "[DONE]",
    ];
}

function messagesEvents(id, call, model) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${id}`, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null, usage };
    const [block, delta] = call
        ? [{ type: "tool_use", id, name: call.name, input: {} }, { type: "input_json_delta", partial_json: call.arguments }]
        : [{ type: "text", text: "" }, { type: "text_delta", text: "DONE" }];
    return [
        { type: "message_start", message },
        { type: "content_block_start", index: 0, content_block: block },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null }, usage },
        { type: "message_stop" },
    ];
}

/** [id, text] of the tools' results that a request carries back. */
function results(body) {
    const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
    const messages = body.messages ?? [];
    const chat = messages.filter((message) => message.role === "tool").map((m) => [m.tool_call_id, text(m.content)]);
    const blocks = messages.flatMap((message) => (Array.isArray(message.content) ? message.content : []))
        .filter((block) => block.type === "tool_result").map((block) => [block.tool_use_id, text(block.content)]);
    const items = Array.isArray(body.input) ? body.input : [];
    return [...chat, ...blocks, ...items.filter((item) => item.type === "function_call_output").map((i) => [i.call_id, text(i.output)])];
}

/** All texts in a value, however deep. */
function texts(value) {
    if (typeof value === "string") return [value];
    return value && typeof value === "object" ? Object.values(value).flatMap(texts) : [];
}

class Model {
    constructor(script) {
        this.script = script.map(([tool, input], n) => ({ tool, input, id: `call_${n}`, saw: null }));
        this.step = 0;
        this.offers = []; // names that the last request with tools offered
        this.shown = []; // texts that the last request with tools held: what its user and its tools said
    }

    /** The script's next call, by the name that the agent gives the tool. */
    nextCall(body) {
        const tools = offered(body.tools);
        const step = this.script[this.step];
        if (!tools.length) return [`done_${this.step}`, null];
        this.offers = tools.map((tool) => tool.name);
        this.shown = texts(body.messages ?? body.input);
        if (!step) return [`done_${this.step}`, null];
        const tool = tools.find(({ name }) => means(name, step.tool));
        if (!tool) return [`lost_${this.step}`, null];
        this.step++;
        return [step.id, { ...tool, arguments: JSON.stringify(step.input) }];
    }

    handle(url, body, response) {
        const path = url.replace(/\?.*/, "");
        for (const [id, text] of results(body)) for (const step of this.script) if (step.id === id) step.saw = text;
        if (RESPONSES.test(path)) return stream(response, responsesEvents(...this.nextCall(body)));
        if (CHAT.test(path)) return stream(response, chatEvents(...this.nextCall(body), body.model));
        if (MESSAGES.test(path)) return stream(response, messagesEvents(...this.nextCall(body), "scripted"));
        const known = path.endsWith("/models");
        response.writeHead(known ? 200 : 404, { "content-type": "application/json" });
        response.end(JSON.stringify(known ? { object: "list", data: [{ id: "scripted", object: "model" }] } : {}));
    }
}

/** Serves a script of [tool, input] steps on a free port while use(url) runs: {used, offers, saw, shown}, where saw has
 * for each step the text of the result that came back to the model, or null, and shown is all that it was told in the
 * last request. */
export async function withModel(script, use) {
    const model = new Model(script);
    const server = http.createServer((request, response) => {
        let text = "";
        request.setEncoding("utf8").on("data", (part) => (text += part));
        request.on("end", () => model.handle(request.url, text ? JSON.parse(text) : {}, response));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
        const used = await use(`http://127.0.0.1:${server.address().port}/v1`);
        return { used, offers: model.offers, saw: model.script.map((step) => step.saw), shown: model.shown.join("\n") };
    } finally {
        server.closeAllConnections();
        server.close();
    }
}
