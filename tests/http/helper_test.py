#!/usr/bin/env python3
"""The HTTP helper, driven through its socket as server/http_client.c does, against a server that misbehaves."""
import gzip
import os
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import web

WORKER = os.environ.get("ENGRAM_WORKER", "build/debug/engram-worker")
DONE, USAGE, PROTOCOL = 0, 2, 4
OK, INPUT, NOT_FOUND, LIMIT, CONFLICT, NET = 0, 1, 2, 3, 4, 8
PUBLIC, LOOPBACK, PRIVATE = 1, 2, 4
LONG_MS, SHORT_MS = 60000, 300
MAX = 4 << 20


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return struct.pack("<I", len(value)) + value


class Helper:
    """A process of our own under engram-worker http."""

    def __init__(self, **environment):
        self.socket, theirs = socket.socketpair()
        self.process = subprocess.Popen([WORKER, "http"], preexec_fn=lambda: os.dup2(theirs.fileno(), 3), close_fds=True, pass_fds=[3],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        env={**os.environ, **environment})
        theirs.close()
        self.socket.settimeout(120)

    def send(self, url, body="", headers=(), reach=LOOPBACK, total=LONG_MS, most=MAX, proxy=""):
        packed = text(url) + text(body) + text(proxy) + struct.pack("<IQQQI", reach, most, LONG_MS, total, len(headers))
        packed += b"".join(text(header) for header in headers)
        self.socket.sendall(b"EGH1" + text(packed))

    def receive(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def ask(self, url, **request):
        """The code, and what came or what is said of it."""
        self.send(url, **request)
        magic, code, length = struct.unpack("<4sII", self.receive(12))
        assert magic == b"EGR1"
        data = self.receive(length)
        return (code, data.decode(errors="replace")) if code else (code, Answer(data))

    def end(self):
        self.socket.close()
        self.errors = self.process.communicate(timeout=60)[1].decode(errors="replace")
        return self.process.returncode


class Answer:
    def __init__(self, data):
        self.data = data
        self.status, = struct.unpack("<I", self.take(4))
        self.body, self.url, self.type, self.etag, self.modified = (self.text() for _ in range(5))
        self.retry_ms, self.sent = struct.unpack("<QQ", self.take(16))

    def take(self, count):
        part, self.data = self.data[:count], self.data[count:]
        return part

    def text(self):
        return self.take(struct.unpack("<I", self.take(4))[0]).decode(errors="replace")


# What a library may make of an answer that isn't clearly wrong, within the time of the request.
ANY, ANY_BUT_TAKEN = (OK, LIMIT, NET), (LIMIT, NET)


def redirect(to, status=302):
    return web.Page(status=status, location=to)


# What a path answers, how it is asked, and what must come of it: a code with words, or what an answer must be.
BEHAVIOURS = {
    "hangs": (web.Page(then=web.hang), dict(total=SHORT_MS), LIMIT, "longer than"),
    "drips": (web.Page(then=web.drip), dict(total=SHORT_MS), LIMIT, "longer than"),
    "never ends": (web.Page(then=web.endless), {}, LIMIT, f"more than {MAX} bytes"),
    "resets": (web.Page(then=web.reset), {}, NET, ""),
    "hangs up at once": (web.Page(raw=b""), {}, NET, ""),
    "says half a status": (web.Page(raw=b"HTTP/1.1 2"), {}, NET, ""),
    "says no HTTP": (web.Page(raw=b"SSH-2.0-OpenSSH_9.2\r\n"), {}, NET, ""),
    "cuts its body": (web.Page(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut"), {}, NET, ""),
    "lies about chunks": (web.Page(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx"), {}, NET, ""),
    "announces a gigabyte": (web.Page(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\nx"), dict(total=SHORT_MS), ANY_BUT_TAKEN, ""),
    "sends a gzip bomb": (web.Page(gzip.compress(bytes(64 << 20)), content_encoding="gzip"), {}, LIMIT, "more than"),
    "sends broken gzip": (web.Page(b"\x1f\x8bnonsense", content_encoding="gzip"), {}, NET, ""),
    "sends one header of a megabyte": (web.Page(raw=b"HTTP/1.1 200 OK\r\nX: " + b"x" * (1 << 20) + b"\r\n\r\n"), dict(total=LONG_MS), ANY, ""),
    "sends headers without an end": (web.Page(raw=b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 100000), dict(total=LONG_MS), ANY, ""),
    "has nothing there": (web.Page("gone", status=404), {}, OK, 404),
    "is busy": (web.Page("busy", status=429, retry_after=7), {}, OK, 429),
    "is busy for ever": (web.Page("busy", status=503, retry_after=99999999), {}, OK, 503),
    "asks for a date that is past": (web.Page(status=503, retry_after="Mon, 01 Jan 2001 00:00:00 GMT"), {}, OK, 503),
    "breaks": (web.Page("oh no", status=500), {}, OK, 500),
    "wants a password": (web.Page(status=401, www_authenticate="Basic realm=x"), {}, OK, 401),
    "redirects what was posted": (redirect("/other"), dict(body="{}"), NET, "redirects what was posted"),
    "redirects for good what was posted": (redirect("/other", 308), dict(body="{}"), NET, "redirects what was posted"),
    "redirects to itself": (redirect("?"), {}, LIMIT, "redirects more than 5 times"),
    "redirects to a file": (redirect("file:///etc/passwd"), {}, INPUT, "http"),
    "redirects to a metadata service": (redirect("http://169.254.169.254/latest/"), dict(reach=PUBLIC | LOOPBACK), CONFLICT, "out of reach"),
    "redirects into a private network": (redirect("http://10.0.0.1/"), dict(reach=PUBLIC | LOOPBACK), CONFLICT, "out of reach"),
    "redirects to the machine by another name": (redirect("http://[::ffff:a9fe:a9fe]/"), dict(reach=PUBLIC | LOOPBACK), CONFLICT, "out of reach"),
    "sets cookies": (web.Page("ok", set_cookie="a=b"), {}, OK, 200),
    "has an empty body": (web.Page(""), {}, OK, 200),
    "says NUL": (web.Page(b"\0\0\0"), {}, OK, 200),
    "answers twice": (web.Page(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na" * 2), {}, OK, 200),
    "goes on for ever before it answers": (web.Page(raw=b"HTTP/1.1 100 Continue\r\n\r\n" * 1000 + b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), dict(total=LONG_MS), ANY, ""),
}
ADDRESSES = [  # nobody is asked at any of these
    ("http://169.254.169.254/latest/meta-data/", PUBLIC | LOOPBACK | PRIVATE, CONFLICT),
    ("http://[fe80::1]/", PUBLIC | LOOPBACK | PRIVATE, CONFLICT),
    ("http://[fd00:ec2::254]/", PUBLIC | LOOPBACK | PRIVATE, CONFLICT),
    ("http://100.100.100.200/", PUBLIC | LOOPBACK | PRIVATE, CONFLICT),
    ("http://0.0.0.0/", PUBLIC | LOOPBACK | PRIVATE, CONFLICT),
    ("http://10.1.2.3/", PUBLIC | LOOPBACK, CONFLICT),
    ("http://127.0.0.1:9/", PUBLIC, CONFLICT),
    ("http://2130706433/", PUBLIC, CONFLICT),
    ("http://0x7f.1/", PUBLIC, CONFLICT),
    ("http://localhost/", PUBLIC, CONFLICT),
    ("http://127.0.0.1:1/", LOOPBACK, NET),
    ("file:///etc/passwd", LOOPBACK, INPUT),
    ("gopher://127.0.0.1/", LOOPBACK, INPUT),
    ("http://user:pw@127.0.0.1/", LOOPBACK, INPUT),
    ("http://127.0.0.1/a b", LOOPBACK, INPUT),
]


class Http(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = web.Site({f"/{number}": row[0] for number, row in enumerate(BEHAVIOURS.values())})
        cls.site.pages["/sound"] = web.Page("hello", etag='"v1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")

    @classmethod
    def tearDownClass(cls):
        cls.site.close()

    def test_a_bad_server_costs_one_request_and_is_told_by_its_cause(self):
        helper = Helper()
        for number, (name, (_, asked, code, want)) in enumerate(BEHAVIOURS.items()):
            with self.subTest(name):
                got, said = helper.ask(self.site.url(f"/{number}"), **asked)
                if isinstance(code, tuple):
                    self.assertIn(got, code, said)
                else:
                    self.assertEqual(got, code, said)
                if code == OK:
                    self.assertEqual(said.status, want)
                elif got != OK:
                    self.assertIn(want, said)
            self.assertEqual(helper.ask(self.site.url("/sound"))[1].body, "hello", name)
        self.assertEqual(helper.end(), DONE, helper.errors)

    def test_what_is_out_of_reach_is_never_connected_to(self):
        helper = Helper()
        for url, reach, code in ADDRESSES:
            with self.subTest(url):
                got, said = helper.ask(url, reach=reach, total=LONG_MS)
                self.assertEqual(got, code, said)
        self.assertEqual(helper.end(), DONE, helper.errors)

    def test_what_was_sent_and_what_its_server_says_is_told(self):
        helper = Helper()
        _, answer = helper.ask(self.site.url("/sound"), body='{"a": 1}', headers=["Authorization: Bearer k1"])
        self.assertEqual((answer.status, answer.sent, answer.etag), (200, 8, '"v1"'))
        request = self.site.requests[-1]
        self.assertEqual((request.method, request.body, request.headers["authorization"]), ("POST", b'{"a": 1}', "Bearer k1"))
        self.assertNotIn("cookie", request.headers)
        self.assertNotIn("expect", request.headers)
        at = list(BEHAVIOURS)
        self.assertEqual(helper.ask(self.site.url(f"/{at.index('is busy')}"))[1].retry_ms, 7000)
        self.assertEqual(helper.ask(self.site.url(f"/{at.index('is busy for ever')}"))[1].retry_ms, 86400000)
        self.assertEqual(helper.ask(self.site.url(f"/{at.index('asks for a date that is past')}"))[1].retry_ms, 0)
        self.assertEqual(helper.end(), DONE, helper.errors)

    def test_a_key_never_leaves_for_another_origin(self):
        with web.Site({"/": web.Page("caught")}) as other:
            self.site.pages["/away"] = redirect(other.url("/"))
            helper = Helper()
            _, answer = helper.ask(self.site.url("/away"), headers=["Authorization: Bearer k1"])
            self.assertEqual(answer.body, "caught")
            self.assertNotIn("authorization", other.requests[-1].headers)
            self.assertEqual(helper.end(), DONE, helper.errors)

    def test_nothing_is_taken_from_the_environment(self):
        with web.Site({}) as trap, tempfile.TemporaryDirectory() as home:
            with open(os.path.join(home, ".netrc"), "w") as file:
                file.write("machine 127.0.0.1 login me password pw\n")
            helper = Helper(HOME=home, http_proxy=trap.url(), HTTP_PROXY=trap.url(), all_proxy=trap.url(), ALL_PROXY=trap.url())
            self.assertEqual(helper.ask(self.site.url("/sound"))[1].body, "hello")
            self.assertNotIn("authorization", self.site.requests[-1].headers)
            self.assertEqual(trap.requests, [])
            self.assertEqual(helper.end(), DONE, helper.errors)

    def test_a_proxy_is_used_where_it_is_told(self):
        with web.Site({"http://page.invalid/a": web.Page("by proxy")}) as proxy:
            helper = Helper()
            self.assertEqual(helper.ask("http://page.invalid/a", proxy=proxy.url())[1].body, "by proxy")
            self.assertEqual(helper.end(), DONE, helper.errors)

    def test_a_certificate_that_nobody_vouches_for_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            certificate = web.certificate(folder)
            if not certificate:
                self.skipTest("there is no openssl")
            with web.Site({"/": web.Page("secret")}, certificate) as site:
                helper = Helper()
                for host in ("127.0.0.1", "localhost"):
                    code, said = helper.ask(site.url("/", host), headers=["Authorization: Bearer k1"])
                    self.assertEqual(code, NET, said)
                self.assertEqual(site.requests, [])
                self.assertEqual(helper.end(), DONE, helper.errors)

    def test_it_is_confined(self):
        helper = Helper()
        helper.ask(self.site.url("/sound"))
        try:
            with open(f"/proc/{helper.process.pid}/limits") as file:
                limits = file.read()
            with open(f"/proc/{helper.process.pid}/status") as file:
                status = file.read()
        except PermissionError:
            self.skipTest("only root may look at a process that isn't dumpable")
        self.assertRegex(limits, r"Max core file size +0 +0")
        self.assertRegex(limits, r"Max open files +64 +64")
        self.assertIn("NoNewPrivs:\t1", status)
        self.assertEqual(helper.end(), DONE, helper.errors)

    def test_what_is_no_request_ends_it(self):
        for data in (b"NOPE" + bytes(4), b"EGH1\xff\xff\xff\xff", b"EGH1\x04\0\0\0\xff\xff\xff\xff", b"EGH1"):
            helper = Helper()
            helper.socket.sendall(data)
            helper.socket.shutdown(socket.SHUT_WR)
            self.assertIn(helper.process.wait(timeout=60), (PROTOCOL, DONE) if data == b"EGH1" else (PROTOCOL,), data)
            helper.end()


if __name__ == "__main__":
    unittest.main(verbosity=2)  # what is skipped says why
