"""A loopback server that behaves like a server of models: OpenAI-shaped embeddings and chat, and a /rerank. What it says is a
function of what it is asked; it can be taken away and brought back on the same port, and keeps what it was asked."""
import hashlib
import http.server
import json
import math
import re
import socketserver
import threading

DIMENSIONS = 64


def bag_of_words(text):
    """Texts that share words are alike."""
    vector = [0.1] + [0.0] * (DIMENSIONS - 1)
    for word in re.findall(r"\w+", text.lower()):
        vector[1 + int(hashlib.md5(word.encode()).hexdigest(), 16) % (DIMENSIONS - 1)] += 1
    length = math.sqrt(sum(v * v for v in vector))
    return [v / length for v in vector]


def no_facts(_):
    return {"entities": [], "relations": []}


class Models:
    """embed: text -> vector; rerank: (query, text) -> score; chat: the user's message -> object."""

    def __init__(self, embed=bag_of_words, rerank=lambda query, text: 0, chat=no_facts):
        self.embed, self.rerank, self.chat = embed, rerank, chat
        self.asked = []  # (path, body)
        self.bodies = []  # as they came
        self.fails = 0   # status of every answer, while set
        self.news = threading.Condition()
        self.server = None
        self.port = 0
        self.start()

    def start(self):
        models = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                text = self.rfile.read(int(self.headers["Content-Length"])).decode()
                body = json.loads(text)
                with models.news:
                    models.bodies.append(text)
                    models.asked.append((self.path, body))
                    models.news.notify_all()
                status, answer = (models.fails, {"error": {"message": "scripted"}}) if models.fails else (200, models.answer(self.path, body))
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_):  # who asked was killed
                pass

        self.server = Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": .05}, daemon=True).start()

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def answer(self, path, body):
        if path == "/v1/embeddings":
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            return {"data": [{"index": i, "embedding": self.embed(text)} for i, text in enumerate(texts)],
                    "usage": {"prompt_tokens": len(texts), "total_tokens": len(texts)}}
        if path == "/v1/rerank":
            return {"results": [{"index": i, "relevance_score": self.rerank(body["query"], text)}
                                for i, text in enumerate(body["documents"])]}
        said = self.chat(body["messages"][-1]["content"])
        return {"choices": [{"message": {"role": "assistant", "content": json.dumps(said)}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10}}

    def texts(self, path="/v1/embeddings"):
        """What was embedded so far, or what the user's messages were."""
        with self.news:
            asked = [body for at, body in self.asked if at == path]
        if path == "/v1/embeddings":
            return [text for body in asked for text in body["input"]]
        return [body["messages"][-1]["content"] for body in asked]

    def embeds(self):
        return dict(ENGRAM_EMBED_PROVIDER="llamacpp", ENGRAM_EMBED_URL=self.url, ENGRAM_EMBED_MODEL="scripted")

    def reranks(self):
        return dict(ENGRAM_RERANK_PROVIDER="llamacpp", ENGRAM_RERANK_URL=self.url, ENGRAM_RERANK_MS="20000")

    def talks(self):
        return dict(ENGRAM_LLM_PROVIDER="llamacpp", ENGRAM_LLM_URL=self.url, ENGRAM_LLM_SUMMARISE="off",
                    ENGRAM_LLM_CONTRADICT="off")
