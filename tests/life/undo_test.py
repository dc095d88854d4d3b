"""Whatever people and sleep did to the graph, in whatever order, undoing all of it leaves the graph as it was, but for what was forgotten.

ENGRAM_UNDO_STEPS is how many random steps a run takes (500 by hand), ENGRAM_SEED chooses them."""

import json
import os
import random
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram
from support.engram import ToolError, expect, expect_words

STEPS = engram.number("ENGRAM_UNDO_STEPS", 60)
SEED = engram.number("ENGRAM_SEED", 1)
REVIEW = "review_entities"

NAMES = ["Postgres", "Postgresql", "PG", "Redis", "Kafka", "Kafkaesque", "Checkout", "Billing", "Frankfurt", "Maya Chen", "Omnibus", "Ledger", "Invoices",
         "Zurich", "Terraform"]
TYPES = ["technology", "team", "city", "person"]

# Why a step may be refused.
REASONS = ["was merged", "undone already", "undo that first", "is no name of", "is a name of", "is the own name of", "no entity is called", "is the entity itself", "forget that first",
           "isn't current", "answered already", "one meaning", "has no letter"]

# The whole of what may be changed, without what counts or tells when; {ids} are the nodes that are still there.
GRAPH = {
    "node": "SELECT id, kind, state, key, name, round(trust, 3), flags FROM node WHERE id IN ({ids}) ORDER BY id",
    "entity": "SELECT id, type, typed, merged_into FROM entity WHERE id IN ({ids}) ORDER BY id",
    "alias": "SELECT normal, name, entity FROM alias WHERE entity IN ({ids}) ORDER BY normal",
    "edge": "SELECT src, dst, kind, label, said_by, round(weight, 4) FROM edge WHERE src IN ({ids}) AND dst IN ({ids})"
            " AND coalesce(said_by, src) IN ({ids}) ORDER BY 1, 2, 3, 4, 5",
    "body": "SELECT id, name, text FROM body WHERE id IN ({ids}) ORDER BY id",
    "memory": "SELECT id, kind, tier, topic, CASE WHEN superseded_by IN ({ids}) THEN superseded_by END FROM memory WHERE id IN ({ids}) ORDER BY id",
    "member": "SELECT memory, consolidated FROM member ORDER BY 1, 2",
    "property": "SELECT entity, key, value FROM property WHERE entity IN ({ids}) AND coalesce(said_by, entity) IN ({ids}) ORDER BY 1, 2",
}


def read_graph(connection, ids):
    some = ",".join(map(str, ids))
    return {table: connection.execute(sql.format(ids=some)).fetchall() for table, sql in GRAPH.items()}


def begin(server, source):
    """Memories that share names, contradict, supersede and are said in sessions."""
    ids = []
    for n in range(30):
        names = source.sample(NAMES, source.choice((1, 2, 3)))
        more = {"entities": [{"name": name, **({"type": source.choice(TYPES)} if source.random() < .3 else {})} for name in names]}
        if n % 5 == 0 and len(names) > 1:
            more["relations"] = [{"from": names[0], "relation": "feeds", "to": names[1]}]
        if n % 7 == 0:
            more["topic"] = f"topic {n % 3}"
        more["kind"] = source.choice(["fact", "decision", "episode", "question"])
        ids.append(server.remember(f"{' and '.join(names)} were looked at in step {n}.", session=f"s{n % 4}", **more)["id"])
    for text, at in (("Staging runs Postgres 14.", "2026-03-01"), ("Staging runs on Postgres 16.", "2026-04-01")):
        ids.append(server.remember(text, at=at)["id"])
    return ids


class Life:
    """A world that is changed at random."""

    def __init__(self, world, source):
        self.world, self.source = world, source
        self.server = world.serve()
        self.memories = begin(self.server, source)
        self.day = 1
        self.journal = []
        self.refusals = 0
        with world.copy() as connection:
            self.start = {row[0] for row in connection.execute("SELECT id FROM node")}
            self.before = sqlite3.connect(":memory:")
            connection.backup(self.before)

    def entity(self):
        rows = self.world.query("SELECT id FROM node WHERE kind = 1 ORDER BY id")
        return f"e{self.source.choice(rows)[0]}" if rows and self.source.random() < .5 else self.source.choice(NAMES)

    def edit(self):
        action = self.source.choice(["merge", "merge", "dismiss", "restore", "rename", "alias", "split", "set_type"])
        fields = {"action": action, "entity": self.entity()}
        if action == "merge":
            fields["into"] = self.entity()
        if action in ("rename", "alias", "split"):
            fields["name"] = self.source.choice(NAMES + [f"Name {self.source.randrange(20)}"])
        if action == "set_type":
            fields["type"] = self.source.choice(TYPES)
        self.note(self.server.call(REVIEW, edits=[fields])["applied"])

    def answer(self):
        questions = self.server.call(REVIEW, limit=20)["questions"]
        if questions:
            verdict = self.source.choice(["yes", "yes", "no", "later"])
            self.note(self.server.call(REVIEW, answers=[{"question": self.source.choice(questions)["id"], "verdict": verdict}])["applied"])

    def sleep(self):
        self.day += self.source.choice((0, 1, 1, 20))
        code, out, err = self.world.run("--json", "consolidate", ENGRAM_NOW=f"2026-{5 + self.day // 28 % 8:02}-{1 + self.day % 28:02}T13:00:00Z")
        expect(code == 0, out + err)
        told = json.loads(out)
        self.note([row for row in told["steps"] + told["passes"] if "journal" in row])

    def forget(self):
        if len(self.memories) > 20:
            self.server.call("forget", ids=[self.memories.pop(self.source.randrange(len(self.memories)))])

    def forget_whole(self):
        rows = self.world.query("SELECT id FROM memory WHERE tier = 2 ORDER BY id")
        if rows:
            self.server.call("forget", ids=[f"m{self.source.choice(rows)[0]}"])

    def undo(self):
        if self.journal:
            journal = self.source.choice(self.journal)
            self.server.call(REVIEW, undo=journal)
            self.journal.remove(journal)

    def note(self, rows):
        self.journal += [row["journal"] for row in rows]

    def step(self):
        """What is refused says why, and changes nothing that counts here."""
        steps, weights = zip((self.edit, 40), (self.answer, 15), (self.sleep, 6), (self.forget, 4), (self.forget_whole, 1), (self.undo, 15))
        try:
            self.source.choices(steps, weights)[0]()
        except ToolError as error:
            self.refusals += 1
            expect(any(words in str(error) for words in REASONS), error)

    def undo_all(self):
        undone = dict(self.world.query("SELECT 'j' || id, undone_ms FROM journal"))
        for journal in sorted(set(self.journal), key=lambda id: -int(id[1:])):
            if undone[journal]:  # all that it was about is forgotten
                expect_words(self.server.refused(REVIEW, undo=journal), "undone already")
                continue
            try:
                self.server.call(REVIEW, undo=journal)
            except ToolError as error:
                entry = self.world.query("SELECT action, text, undo FROM journal WHERE id = ?", int(journal[1:]))
                raise engram.Broken(f"seed {SEED}: {journal} can't be undone behind all later ones: {error}: {entry}") from None


def differences(one, other):
    return {table: (sorted(set(one[table]) - set(other[table]), key=repr)[:3], sorted(set(other[table]) - set(one[table]), key=repr)[:3])
            for table in one if one[table] != other[table]}


@engram.promise
def undoing_all_leaves_the_graph_as_it_was_but_for_what_was_forgotten(world):
    life = Life(world, random.Random(SEED))
    for _ in range(STEPS):
        life.step()
    expect(len(life.journal) > STEPS // 8, "hardly anything was done")
    expect(life.refusals < STEPS // 2, f"seed {SEED}: {life.refusals} of {STEPS} steps were refused")
    life.undo_all()
    life.server.stop()
    with world.copy() as connection:
        left = {row[0] for row in connection.execute("SELECT id FROM node")}
        expect(left <= life.start, f"seed {SEED}: nodes that were not there: {sorted(left - life.start)}")
        now = read_graph(connection, left)
    was = read_graph(life.before, left)
    expect(now == was, f"seed {SEED}: is, was: {differences(now, was)}")
    world.doctor()


engram.main()
