"""A web server on this machine that answers as it is told, badly where it is told so.

    with web.Site({"/page": web.Page("# Title", type="text/markdown", etag='"v1"')}) as site:
        site.url("/page")
        site.requests      # what was asked: method, path, headers (lower case), body
"""
import contextlib
import json
import os
import socket
import ssl
import subprocess
import threading


class Page:
    """What a path answers. `raw` goes over the wire as it is; `then` does what it likes with the connection."""

    def __init__(self, body="", status=200, type="text/plain", raw=None, then=None, **headers):
        self.body = body.encode() if isinstance(body, str) else body
        self.status, self.type, self.raw, self.then = status, type, raw, then
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def answer(self, request):
        etag, since = self.headers.get("etag"), self.headers.get("last-modified")
        if self.status == 200 and (etag and request.headers.get("if-none-match") == etag
                                   or since and request.headers.get("if-modified-since") == since):
            return b"HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"
        lines = [f"HTTP/1.1 {self.status} Whatever", f"Content-Type: {self.type}", f"Content-Length: {len(self.body)}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + self.body


class Request:
    def __init__(self, head, body):
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = (first.split(" ") + ["", ""])[:3]
        self.headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        self.body = body

    def json(self):
        return json.loads(self.body)


def hang(connection, site):
    """Says nothing until the other side or the test has enough."""
    connection.settimeout(60)
    with contextlib.suppress(OSError):
        connection.recv(1)


def drip(connection, site):
    """A byte now and then, for ever."""
    with contextlib.suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not site.ended.wait(.02):
            connection.sendall(b"x")


def endless(connection, site):
    """A body without an end."""
    with contextlib.suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not site.ended.is_set():
            connection.sendall(b"x" * 65536)


def reset(connection, site):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")


class Site:
    def __init__(self, pages, certificate=None):
        self.pages, self.requests, self.ended = dict(pages), [], threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.tls = None
        if certificate:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate)
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def url(self, path="", host="127.0.0.1"):
        return f"http{'s' if self.tls else ''}://{host}:{self.port}{path}"

    def accept(self):
        while not self.ended.is_set():
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        connection.settimeout(60)
        with contextlib.suppress(OSError), connection:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            data = b""
            while b"\r\n\r\n" not in data:
                part = connection.recv(65536)
                if not part:
                    return
                data += part
            head, _, body = data.partition(b"\r\n\r\n")
            request = Request(head, b"")
            while len(body) < int(request.headers.get("content-length", 0)):
                body += connection.recv(65536)
            request.body = body
            self.requests.append(request)
            page = self.pages.get(request.path.split("?")[0], Page("no such page", status=404))
            page = page(request) if callable(page) else page
            if page.then:
                page.then(connection, self)
            else:
                connection.sendall(page.raw if page.raw is not None else page.answer(request))
                connection.shutdown(socket.SHUT_WR)

    def close(self):
        self.ended.set()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def certificate(folder):
    """A key and a certificate that only its maker trusts; None where openssl is missing."""
    path = os.path.join(folder, "server.pem")
    try:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "3650",
                        "-subj", "/CN=localhost", "-keyout", path + ".key", "-out", path + ".crt"], check=True, capture_output=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    with open(path, "wb") as out:
        for part in (path + ".key", path + ".crt"):
            with open(part, "rb") as file:
                out.write(file.read())
    return path
