"""Documents over the wire: other calls go on while one is read, a wait that is too long ends as pending."""

import contextlib
import os
import shutil
import tempfile
import unittest

import wire
from wire import Server


class Attach(unittest.TestCase):
    def server(self, **env):
        server = Server(**env)
        self.addCleanup(server.__exit__)
        server.initialize()
        for number in range(5):
            with open(os.path.join(server.project, f"note{number}.md"), "w", encoding="ascii") as file:
                file.write(f"# Note {number}\n\nThe harbour number {number} closes at nine.\n")
        return server

    @staticmethod
    def ask(server, path, id, **meta):
        return server.ask("tools/call", {"name": "attach_document", "arguments": {"path": path}, "_meta": meta}, id=id)

    def test_a_document_is_read_and_known_again(self):
        server = self.server()
        first = server.call("attach_document", {"path": "note1.md"})["result"]
        self.assertEqual(first["structuredContent"]["status"], "attached", first)
        again = server.call("attach_document", {"path": "note1.md"})["result"]
        self.assertEqual(again["structuredContent"]["status"], "unchanged")
        found = server.call("recall", {"query": "when does the harbour close"})["result"]
        self.assertIn("harbour", found["content"][0]["text"])

    def test_many_at_once_are_all_answered(self):
        server = self.server()
        ids = [self.ask(server, f"note{number}.md", f"a{number}", progressToken=number) for number in range(5)]
        self.assertFalse(server.call("recall", {"query": "harbour"})["result"]["isError"])
        states = {server.answer(id)["result"]["structuredContent"]["status"] for id in ids}
        self.assertEqual(states, {"attached"})
        self.assertEqual(server.end()[0], 0)

    def test_a_wait_that_is_too_long_ends_as_pending(self):
        server = self.server(ENGRAM_ATTACH_WAIT_MS="0")
        answer = server.call("attach_document", {"path": "note2.md"})["result"]
        self.assertIn(answer["structuredContent"]["status"], ("pending", "attached"), answer)
        self.assertEqual(server.end()[0], 0)
        self.assertEqual(server.rest(), [])

    @contextlib.contextmanager
    def endless(self):
        """A server whose parse workers never come to their end."""
        with tempfile.TemporaryDirectory(prefix="engram-slow-") as folder:
            program = os.path.join(folder, "engram")
            shutil.copy(wire.BINARY, program)
            with open(os.path.join(folder, "engram-worker"), "w", encoding="ascii") as worker:
                worker.write('#!/bin/sh\n[ "$1" = background ] || exec tail -f /dev/null\n')
            os.chmod(worker.name, 0o755)
            yield self.server(program=program)

    def test_progress_goes_to_who_asked_for_it_while_a_document_is_read(self):
        with self.endless() as server:
            self.ask(server, "note1.md", "silent")
            self.ask(server, "note2.md", "told", progressToken="two")
            message = server.next()
            self.assertEqual(message["method"], "notifications/progress")
            self.assertEqual(message["params"]["progressToken"], "two")
            self.assertIn("note2.md", message["params"]["message"])
            self.assertTrue(server.is_alive())
            self.assertEqual(server.end()[0], 0)

    def test_a_cancelled_one_is_not_answered(self):
        with self.endless() as server:
            ids = [self.ask(server, f"note{number}.md", f"c{number}") for number in range(5)]
            for id in ids:
                server.notify("notifications/cancelled", {"requestId": id})
            self.assertTrue(server.is_alive())
            self.assertEqual(server.end()[0], 0)
            self.assertEqual([m for m in server.later + server.rest() if m.get("id") in ids], [])

    def test_what_is_not_there_is_told(self):
        server = self.server()
        for path in ("no.md", "../x.md", "/etc/passwd", "."):
            self.assertTrue(server.call("attach_document", {"path": path})["result"]["isError"], path)


if __name__ == "__main__":
    wire.main()
