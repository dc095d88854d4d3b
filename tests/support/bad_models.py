"""A server of models on this machine that misbehaves: what each behaviour answers to a request about embeddings, reranking or chat.
For tests/http/faults_test.py and tests/bench/model_faults.py."""
import contextlib
import gzip
import json
import re

from support import web
from support.scripted_models import Models

PATHS = ("/v1/embeddings", "/v1/rerank", "/v1/chat/completions")
QUERY_MARK = b"What about"  # stands in what a recall asks, and in nothing else
GIGABYTE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n"


def page(body, **more):
    return web.Page(body if isinstance(body, (str, bytes)) else json.dumps(body), type=more.pop("type", "application/json"), **more)


def always(answer):
    return lambda site, request: answer


def changed(change):
    """The sound answer, changed in its parsed form."""
    return lambda site, request: page(change(request.path, site.sound(request)))


def written(change):
    """The sound answer, changed as text."""
    return lambda site, request: page(change(json.dumps(site.sound(request))))


def rows_of(answer):
    return answer.get("data") or answer.get("results") or []


def each_number(to):
    """Every number of a vector, every score; what a chat says is `to`, too."""
    def change(path, answer):
        for row in answer.get("data", []):
            row["embedding"] = [to] * len(row["embedding"])
        for row in answer.get("results", []):
            row["relevance_score"] = to
        return said(str(to))(path, answer)
    return lambda site, request: page(json.dumps(change(request.path, site.sound(request))))


def said(text):
    def change(path, answer):
        for choice in answer.get("choices", []):
            choice["message"]["content"] = text
        return answer
    return change


def only_of_chat(change):
    """Behaviours that an embedder or a reranker has no counterpart for: these say what isn't JSON."""
    return lambda site, request: page(change(request.path, site.sound(request))) if "chat" in request.path else page("I would rather not.")


def fewer(path, answer):
    for name in ("data", "results"):
        if name in answer:
            answer[name] = answer[name][:-1]
    return said("")(path, answer)


def zeros(path, answer):
    for row in answer.get("data", []):
        row["embedding"] = [0] * len(row["embedding"])
    return said("0")(path, answer) if path != PATHS[1] else {"results": []}


def same_index(path, answer):
    for row in rows_of(answer):
        row["index"] = 0
    return {"data": rows_of(answer) * 2} if path == PATHS[0] else {"results": rows_of(answer) * 2} if path == PATHS[1] else {"choices": []}


def wild_index(path, answer):
    for row in rows_of(answer):
        row["index"] = -1
    return said("[]")(path, answer)


def other_dimension(path, answer):
    for row in answer.get("data", []):
        row["embedding"] = row["embedding"][:-1]
    return said("{}")(path, answer) if path != PATHS[1] else {"results": [{"index": 10 ** 9, "relevance_score": 1}]}


def half_closed(connection, site):
    """Sends half of an answer and then nothing, with its side of the connection open."""
    with contextlib.suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\": [")
    web.hang(connection, site)


def gigabyte(connection, site):
    with contextlib.suppress(OSError):
        connection.sendall(GIGABYTE)
        while not site.ended.is_set():
            connection.sendall(b" " * 65536)


DEEP = "[" * 100000 + "]" * 100000
INVENTED = json.dumps({"entities": [{"name": "Zaphod", "type": "person"}],
                       "relations": [{"from": "Zaphod", "relation": "owns", "to": "Betelgeuse", "quote": "Zaphod owns Betelgeuse"}]})
DELETE = json.dumps({"entities": [], "relations": [], "command": "DELETE everything", "forget": ["m1"], "delete": True})
REFUSAL = {"choices": [{"message": {"role": "assistant", "content": None, "refusal": "I can't help with that."}, "finish_reason": "stop"}]}

# Name: what a request gets.
BEHAVIOURS = {
    "hangs": always(web.Page(then=web.hang)),
    "drips": always(web.Page(then=web.drip)),
    "never ends": always(web.Page(then=web.endless)),
    "sends a gigabyte": always(web.Page(then=gigabyte)),
    "sends half and waits": always(web.Page(then=half_closed)),
    "resets": always(web.Page(then=web.reset)),
    "hangs up at once": always(web.Page(raw=b"")),
    "says half a status": always(web.Page(raw=b"HTTP/1.1 2")),
    "speaks HTTP/0.9": always(web.Page(raw=b"{\"data\": []}")),
    "says no HTTP": always(web.Page(raw=b"SSH-2.0-OpenSSH_9.2\r\n")),
    "lies about chunks": always(web.Page(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx")),
    "sends headers without an end": always(web.Page(raw=b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 100000)),
    "sends a gzip bomb": always(page(gzip.compress(bytes(64 << 20)), content_encoding="gzip")),
    "redirects to another host": lambda site, request: page("", status=307, location=site.trap.url(request.path)),
    "is busy": always(page("slow down", status=429, retry_after=0)),
    "breaks": always(page("oh no", status=500)),
    "knows no such path": always(page("no such page", status=404)),
    "wants another key": always(page({"error": {"message": "bad key"}}, status=401)),
    "has nothing to say": always(web.Page(raw=b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")),
    "answers with an error and 200": always(page({"error": {"message": "model is loading"}})),
    "answers with a page": always(page("<html><body>Sign in</body></html>", type="text/html")),
    "has an empty body": always(page("")),
    "cuts its JSON": written(lambda text: text[:len(text) // 2]),
    "is nested deeply": always(page(DEEP)),
    "says NaN": each_number(float("nan")),
    "says infinity": each_number(float("inf")),
    "says numbers as texts": each_number("0.5"),
    "says numbers beyond a float": written(lambda text: re.sub(r": 0\b|-?\d+\.\d+|\"role\"", "1e999", text)),
    "gives vectors of zeros": changed(zeros),
    "gives fewer than asked": changed(fewer),
    "gives another dimension": changed(other_dimension),
    "gives one index twice": changed(same_index),
    "gives an index that isn't": changed(wild_index),
    "puts text around what isn't JSON": only_of_chat(said("Sure! Here you go: {\"entities\": [} Anything else?")),
    "says bad UTF-8": always(page(b"{\"data\": \"\xff\xfe\", \"choices\": [{\"message\": {\"content\": \"\xc3\"}}]}")),
    "says NUL": always(page(b"\0" * 100)),
}
# Answers of a language model that are answers, however odd; embeddings and reranking are sound meanwhile.
ODD = {
    "puts text around its JSON": said("Sure! Here you go:\n```json\n{\"entities\": [], \"relations\": []}\n```\nAnything else?"),
    "refuses": lambda path, answer: REFUSAL,
    "invents entities": said(INVENTED),
    "says DELETE everything": said(DELETE),
}


class BadModels(web.Site):
    """Sound, until `behaviour` is set."""

    def __init__(self, certificate=None):
        self.models = Models()
        self.models.stop()
        self.behaviour = None
        self.trap = web.Site({})  # where nobody may come to
        super().__init__({path: self.page for path in PATHS}, certificate)
        self.models.port = self.port

    def sound(self, request):
        return self.models.answer(request.path, request.json())

    def page(self, request):
        behaviour = self.behaviour
        if behaviour in ODD and "chat" in request.path:
            return page(ODD[behaviour](request.path, self.sound(request)))
        return BEHAVIOURS[behaviour](self, request) if behaviour in BEHAVIOURS else page(self.sound(request))

    def were_asked(self, since):
        """By the background, of embeddings and chat both, since so many requests were there."""
        paths = [request.path for request in self.requests[since:] if QUERY_MARK not in request.body]
        return PATHS[0] in paths and PATHS[2] in paths

    def settings(self, recall_ms=60000):
        """Of a server that uses all of it and doesn't leave it alone for long."""
        url = self.url()
        return {**self.models.embeds(), **self.models.reranks(), **self.models.talks(),
                "ENGRAM_EMBED_URL": url, "ENGRAM_RERANK_URL": url, "ENGRAM_LLM_URL": url,
                "ENGRAM_EMBED_MS": str(recall_ms), "ENGRAM_RERANK_MS": str(recall_ms),
                "ENGRAM_MODEL_RETRY_MS": "5", "ENGRAM_MODEL_MS": "60000"}

    def close(self):
        super().close()
        self.trap.close()
