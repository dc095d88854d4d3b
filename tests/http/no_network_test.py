#!/usr/bin/env python3
"""Where nothing is set up, no process of ours connects anywhere: every connect of a day's work, seen by strace."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram, web
from support.engram import expect

STRACE = shutil.which("strace")
NETWORK = re.compile(r"(connect|sendto|sendmsg)\(.*AF_INET6?\b|socket\(AF_(INET6?|NETLINK|PACKET)")


def traced(world, *arguments, input="", **env):
    """Runs a command under strace; the lines of its network calls, those of its children too."""
    log = world.path("trace")
    run = subprocess.run([STRACE, "-f", "-qq", "-e", "trace=network", "-o", log, engram.BINARY, *arguments], input=input.encode(),
                         capture_output=True, timeout=engram.PATIENCE_S, cwd=world.project,
                         env={**world.env, "ASAN_OPTIONS": "detect_leaks=0", **env}, check=False)
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = [line for line in file.read().splitlines() if NETWORK.search(line)]
    os.unlink(log)
    return run, lines


def needs_strace(world):
    if not STRACE:
        raise engram.Skip("there is no strace")
    if subprocess.run([STRACE, "-qq", "-o", world.path("trace"), "true"], capture_output=True, check=False).returncode:
        raise engram.Skip("strace may not trace here")


@engram.promise
def nothing_connects_where_nothing_is_set_up(world):
    needs_strace(world)
    world.write("guide.md", "# Guide\n\nThe otter service listens on port 7411.\n")
    world.write("a.c", "int main(void)\n{\n    return 0;\n}\n")
    switches = dict(ENGRAM_INDEX="on", ENGRAM_CONSOLIDATE="on", ENGRAM_ENCODER="on")
    session = "".join(f"{line}\n" for line in (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        '"clientInfo":{"name":"t","version":"1"}}}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"remember","arguments":{"text":"Port 7411 is the otter\'s."}}}',
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"recall","arguments":{"query":"which port"}}}'))
    for arguments, given in [(("remember", "We use port 7411 for otters."), ""), (("attach", "guide.md"), ""), (("index", "--wait"), ""),
                             (("recall", "which port do otters use"), ""), (("consolidate",), ""), (("status",), ""), (("doctor",), ""),
                             (("attach", "https://example.org/"), ""), (("serve",), session)]:
        run, lines = traced(world, *arguments, input=given, **switches)
        expect(not lines, f"{arguments}: {lines[:3]}")
        expect(run.returncode == 0 or "https" in arguments[-1], f"{arguments}: {run.stderr.decode()[-300:]}")


@engram.promise
def a_connect_would_be_seen(world):
    needs_strace(world)
    with web.Site({"/guide": web.Page("Otters.", type="text/plain")}) as site:
        run, lines = traced(world, "attach", site.url("/guide"), ENGRAM_URLS="loopback")
        expect(run.returncode == 0, run.stderr.decode()[-300:])
        expect([line for line in lines if "connect(" in line], lines)


engram.main()
