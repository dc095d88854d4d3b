#!/usr/bin/env python3
"""How long a ping waits while a document is attached.

  attach_ping.py --server build/engram manual.pdf guide.md report.docx

Each file is attached to a project of its own; until that is answered the server is pinged each ten milliseconds.
"""
import argparse
import os
import shutil
import sys
import time

import bench


def ping_while(server, name):
    """(seconds until the document is there, milliseconds that each ping took)."""
    begun, waits = time.monotonic(), []
    attaching = server.send("attach_document", {"path": name})
    while not waits or attaching not in server.answers:
        asked = time.monotonic()
        server.request("ping")
        waits.append(1000 * (time.monotonic() - asked))
        time.sleep(.01)
    answer = server.wait(attaching)
    if answer["isError"] or answer["structuredContent"]["status"] != "attached":
        raise RuntimeError(f"{name}: {answer['content']}")
    return time.monotonic() - begun, sorted(waits)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    bench.add_arguments(parser)
    arguments = parser.parse_args()
    env, result = bench.environment(arguments), {}
    for path in arguments.files:
        with bench.project({**env, "ENGRAM_ATTACH_WAIT_MS": "600000"}) as (world, server):
            shutil.copy(path, world.project)
            server.recall("nothing")
            seconds, waits = ping_while(server, os.path.basename(path))
            result[os.path.basename(path)] = {"kB": os.path.getsize(path) / 1000, "seconds": seconds, "pings": len(waits),
                                              "median ms": waits[len(waits) // 2], "p99 ms": waits[len(waits) * 99 // 100],
                                              "worst ms": waits[-1]}
    bench.print_table(result)
    bench.write_json(arguments, result)


if __name__ == "__main__":
    sys.exit(main())
