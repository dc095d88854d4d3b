#!/usr/bin/env python3
"""Ninety days of a project in which foundations are few and chatter is plenty: what is still there, and still found, at the end?

A hundred sessions bring 60 foundations in the first twenty days and 1,500 pieces of chatter all along. Both have texts of the same
length and name 0 to 2 of the same things, so neither length nor degree tells them apart; half of the foundations are facts and
episodes. A user asks about foundations, mostly about a favourite third, and expands what answers every third time. After each
session the graph is tended. The end is compared with what plain decay by the clock, e^(-.035 days) since the last use, would have
kept of the same run, and with the same run whose labels are shuffled: kinds and questions drawn without regard to what is a foundation."""

import argparse
import json
import random
import sqlite3
import statistics
import subprocess
import sys
from datetime import datetime, timedelta, timezone

import bench

DAYS, SESSIONS, FOUNDATIONS, CHATTER = 90, 100, 60, 1500
START = datetime(2026, 1, 1, 9, tzinfo=timezone.utc)
KINDS = ["fact"] * 16 + ["episode"] * 16 + ["decision"] * 8 + ["preference"] * 6 + ["identity"] * 4 + ["context"] * 6 + ["question"] * 4
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qi ro su ta ve wi xo yu za bri clo dre fla gri".split()


def word(rng):
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4)))


class Texts:
    """Sentences of ten words: seven that only they have, and up to two names that many share."""

    def __init__(self, rng):
        self.rng = rng
        self.names = [word(rng).capitalize() + " " + word(rng).capitalize() for _ in range(40)]

    def make(self):
        own = [word(self.rng) + word(self.rng) for _ in range(7)]
        names = self.rng.sample(self.names, self.rng.choice([0, 1, 1, 2]))
        words = own + [part for name in names for part in [name]]
        self.rng.shuffle(words)
        return " ".join(words[:1] + words[1:]) + ".", own, names


def moment(session):
    return START + timedelta(days=DAYS * session / SESSIONS)


def stamp(when):
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def mark(world, ids):
    """As triage marks what hooks capture."""
    with sqlite3.connect(world.database()) as connection:
        connection.executemany("UPDATE node SET flags = flags | 4 WHERE id = ?", [(int(id[1:]),) for id in ids])
    connection.close()


def tend(world, env):
    from support import engram
    done = subprocess.run([engram.BINARY, "--json", "consolidate", "--only", "growth"], cwd=world.project, env={**world.env, **env}, capture_output=True, check=True)
    return json.loads(done.stdout)["passes"]


def quality(world, env, foundations):
    """Share of foundations among the first five for three of their own words."""
    server = world.serve(**{**env, "ENGRAM_USAGE": "off"})
    found = sum(any(item["id"] == f["id"] for item in server.recall(" ".join(f["own"][:3]), min_score=0, limit=5)["items"]) for f in foundations)
    server.stop()
    return found / len(foundations)


def run(seed, arguments, env):
    rng = random.Random(seed)
    texts = Texts(rng)
    items = [{"is": "foundation", "kind": kind, "session": rng.randrange(SESSIONS * 20 // DAYS)} for kind in KINDS]
    items += [{"is": "chatter", "kind": "episode", "session": rng.randrange(SESSIONS)} for _ in range(CHATTER)]
    for item in items:
        item["text"], item["own"], item["names"] = texts.make()
    foundations = [item for item in items if item["is"] == "foundation"]
    labelled = foundations
    for item in items:
        item["marked"] = arguments.marked and item["is"] == "chatter"
    if arguments.shuffled:  # kinds, marks, and who is asked about, go to anybody
        labels = [(item["kind"], item["marked"]) for item in items]
        rng.shuffle(labels)
        for item, label in zip(items, labels):
            item["kind"], item["marked"] = label
        labelled = rng.sample(items, FOUNDATIONS)
    favourites = rng.sample(labelled, FOUNDATIONS // 3)
    early = {}
    with bench.project({**env, "ENGRAM_NOW": stamp(START)}) as (world, first):
        first.stop()
        for session in range(SESSIONS):
            now = moment(session)
            server = world.serve(**{**env, "ENGRAM_NOW": stamp(now)})
            for item in (item for item in items if item["session"] == session):
                answer = server.remember(item["text"], kind=item["kind"], session=f"s{session}",
                                         entities=[{"name": name} for name in item["names"]])
                item.update(id=answer["id"], stored=now, used=now)
            known = [item for item in labelled if "id" in item]
            for _ in range(arguments.questions if known else 0):
                pool = [item for item in favourites if "id" in item] if rng.random() < .5 else known
                wanted = rng.choice(pool or known)
                shown = [item["id"] for item in server.recall(" ".join(rng.sample(wanted["own"], 3)))["items"]]
                if wanted["id"] in shown:
                    wanted["used"] = now
                    if rng.random() < 1 / 3:
                        server.recall(ids=[wanted["id"]])
            server.stop()
            mark(world, [item["id"] for item in items if item["session"] == session and item["marked"]])
            tend(world, {**env, "ENGRAM_NOW": stamp(now)})
            if session == SESSIONS * 20 // DAYS:
                early = {"quality": quality(world, {**env, "ENGRAM_NOW": stamp(now)}, foundations)}
        end = {**env, "ENGRAM_NOW": stamp(START + timedelta(days=DAYS))}
        tend(world, end)
        archived = {f"m{id}" for id, in world.query("SELECT id FROM node WHERE kind = 0 AND state = 2")}
        degree = dict(world.query("SELECT node, degree FROM topology"))
        late = quality(world, end, foundations)
        cycles = world.count("SELECT count(*) FROM activity")
    old = [item for item in items if item["is"] == "chatter" and (START + timedelta(days=DAYS) - item["stored"]).days > 30]
    age = lambda item: (START + timedelta(days=DAYS) - item["used"]).total_seconds() / 86400
    loose = [item for item in old if degree.get(int(item["id"][1:]), 0) <= 1 or item["id"] in archived]
    asked = [item for item in foundations if item["used"] > item["stored"]]
    share = lambda some: sum(item["id"] in archived for item in some) / max(1, len(some))
    clock = lambda some: sum(pow(2.718281828, -.035 * age(item)) >= .1 for item in some) / max(1, len(some))
    return {"retention": 1 - share(foundations), "retention, fact and episode": 1 - share([f for f in foundations if f["kind"] in ("fact", "episode")]),
            "retention, asked about": 1 - share(asked), "chatter > 30 d archived": share(old),
            "of degree <= 1": share(loose), "recall@5 day 20": early["quality"], "recall@5 day 90": late,
            "clock: retention": clock(foundations), "clock: chatter archived": 1 - clock(old), "cycles": cycles}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    bench.add_arguments(parser)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--questions", type=int, default=8, help="in a session")
    parser.add_argument("--marked", action="store_true", help="chatter is marked, as what hooks capture is")
    parser.add_argument("--shuffled", action="store_true")
    parser.add_argument("--seed", type=int, default=1, help="the first")
    arguments = parser.parse_args()
    env = {**bench.environment(arguments), "ENGRAM_USAGE": "on", "ENGRAM_ENCODER": "off"}
    rows = [run(seed, arguments, env) for seed in range(arguments.seed, arguments.seed + arguments.seeds)]
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(f"{name:32} {statistics.mean(values):7.3f} +- {statistics.pstdev(values):.3f}")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
