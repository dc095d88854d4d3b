// A stdio server behind Streamable HTTP on loopback, since conformance tests HTTP only.
// An initialize starts a server of its own, found again by Mcp-Session-Id. All requests that claim a revision in _meta
// share one server. A request that does neither gets a fresh one, for that request only.
import { randomUUID } from "node:crypto";
import http from "node:http";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
const STATUS_OF_MODERN_ERROR = { [-32601]: 404, [-32602]: 400, [-32020]: 400, [-32021]: 400, [-32022]: 400 };

const sendJson = (response, status, message, headers = {}) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(message));

const refuse = (response, status, code, message) =>
    sendJson(response, status, { jsonrpc: "2.0", id: null, error: { code, message } });

function sendEvent(response, message) {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

class Server {
    constructor(start) {
        this.open = new Map(); // our id -> {response, id, modern, headers}: requests that wait for their result
        this.listener = null; // the response of a session's GET
        this.lastId = 0;
        this.child = start();
        this.child.stdin.on("error", () => {}); // its end is told by "exit"
        this.child.on("exit", () => this.open.forEach(({ response }) => response.end()));
        let rest = "";
        this.child.stdout.setEncoding("utf8").on("data", (text) => {
            const lines = (rest + text).split("\n");
            rest = lines.pop();
            for (const line of lines) this.receive(JSON.parse(line));
        });
    }

    write(message) {
        this.child.stdin.write(JSON.stringify(message) + "\n");
    }

    end() {
        this.child.stdin.end();
    }

    /** Ids are replaced, since requests of several connections may have the same. */
    request(message, response, modern, headers) {
        const id = `bridge-${++this.lastId}`;
        this.open.set(id, { response, id: message.id, modern, headers });
        response.on("close", () => {
            if (this.open.delete(id))
                this.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
        });
        this.write({ ...message, id });
    }

    receive(message) {
        if (message.method === undefined) this.answer(message);
        else this.tell(message);
    }

    answer(message) {
        const request = this.open.get(message.id);
        if (!request) return;
        this.open.delete(message.id);
        const meta = message.result?._meta;
        if (meta?.[SUBSCRIPTION] === message.id) meta[SUBSCRIPTION] = request.id;
        const answer = { ...message, id: request.id };
        if (request.response.headersSent) {
            sendEvent(request.response, answer);
            request.response.end();
        } else {
            const status = (request.modern && STATUS_OF_MODERN_ERROR[answer.error?.code]) || 200;
            sendJson(request.response, status, answer, request.headers);
        }
    }

    /** A subscription's notification goes to its stream, the rest to the newest request or the session's GET. */
    tell(message) {
        const meta = message.params?._meta;
        const request = this.open.get(meta?.[SUBSCRIPTION]) ?? [...this.open.values()].pop();
        if (meta?.[SUBSCRIPTION] !== undefined && request) meta[SUBSCRIPTION] = request.id;
        const response = request?.response ?? this.listener;
        if (response) sendEvent(response, message);
    }
}

class Bridge {
    constructor(start) {
        this.start = start;
        this.sessions = new Map();
        this.shared = null;
    }

    handle(request, response) {
        const { host = "", origin } = request.headers;
        if (!LOCAL.test(host) || (origin && !LOCAL.test(origin.replace(/^https?:\/\//, ""))))
            return refuse(response, 403, -32600, "only this machine may ask");
        const session = request.headers["mcp-session-id"];
        if (request.method === "DELETE") return this.endSession(session, response);
        if (request.method === "GET") return this.listen(session, response);
        let body = "";
        request.setEncoding("utf8").on("data", (text) => (body += text));
        request.on("end", () => this.post(session, request.headers, body, response));
    }

    endSession(session, response) {
        this.sessions.get(session)?.end();
        response.writeHead(this.sessions.delete(session) ? 200 : 404).end();
    }

    listen(session, response) {
        const server = this.sessions.get(session);
        if (!server) return response.writeHead(405).end();
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.flushHeaders();
        server.listener = response;
    }

    post(session, headers, body, response) {
        let message;
        try {
            message = JSON.parse(body);
        } catch {
            return refuse(response, 400, -32700, "the body is not JSON");
        }
        const claims = message.params?._meta?.[VERSION] !== undefined;
        const found = this.serverFor(session, message, claims, response);
        if (!found) return refuse(response, 404, -32001, "there is no such session");
        if (message.id !== undefined && message.method) {
            const modern = claims || headers["mcp-protocol-version"] >= "2026";
            found.server.request(message, response, modern, found.headers);
        } else {
            found.server.write(message);
            response.writeHead(202).end();
        }
    }

    serverFor(session, message, claims, response) {
        if (message.method === "initialize" && !claims) {
            const id = randomUUID();
            this.sessions.set(id, new Server(this.start));
            return { server: this.sessions.get(id), headers: { "mcp-session-id": id } };
        }
        if (session !== undefined) return this.sessions.has(session) && { server: this.sessions.get(session) };
        if (claims || message.id === undefined) return { server: (this.shared ??= new Server(this.start)) };
        const server = new Server(this.start);
        response.on("close", () => server.end());
        return { server };
    }

    end() {
        for (const server of this.sessions.values()) server.end();
        this.shared?.end();
    }
}

/** Serves on a free port, calls use(url) and ends everything. start() gives a stdio server's child process. */
export async function withBridge(start, use) {
    const bridge = new Bridge(start);
    const listening = http.createServer((request, response) => bridge.handle(request, response));
    await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
    try {
        return await use(`http://localhost:${listening.address().port}/mcp`);
    } finally {
        bridge.end();
        listening.closeAllConnections();
        listening.close();
    }
}
