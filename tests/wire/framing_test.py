"""How bytes become messages: each valid request gets exactly one reply, and nothing stops the server.

ENGRAM_JSON_SUITE: folder test_parsing of JSONTestSuite; ENGRAM_BLNS: blns.json. Cases from them are left out where they
are not set."""

import json
import os
import unittest

import wire
from wire import Server

PING = b'{"jsonrpc":"2.0","id":"p","method":"ping"}'


def request(id_text, params_text, method=b"no/such"):
    return b'{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\n' % (id_text, method, params_text)


class Framing(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.__exit__)
        self.server.initialize()

    def tearDown(self):
        self.assertTrue(self.server.is_alive())
        self.assertEqual(self.server.faults, [])

    def code_of(self, data, id):
        self.server.write(data)
        return self.server.answer(id)["error"]["code"]

    def test_crlf_bom_blank_lines_and_no_final_newline(self):
        self.server.write(b"\r\n\n \t \n\xef\xbb\xbf" + PING + b"\r\n")
        self.assertEqual(self.server.answer("p")["result"], {})
        with Server() as other:
            other.write(PING)
            self.assertEqual(other.end()[0], 0)
            self.assertEqual([m["id"] for m in other.rest()], ["p"])

    def test_a_request_split_at_every_byte(self):
        data = '{"jsonrpc":"2.0","id":"ü😀","method":"ping","params":{"_meta":{"x":"\\ud83d\\ude00"}}}\n'.encode()
        for cut in range(1, len(data)):
            self.server.write(data[:cut])
            self.server.write(data[cut:])
            self.assertEqual(self.server.answer("ü😀")["result"], {})

    def test_two_messages_in_one_write(self):
        self.server.write(PING + b"\n" + PING.replace(b'"p"', b"5") + b"\n")
        self.assertEqual(self.server.answer(5)["result"], {})
        self.assertEqual(self.server.answer("p")["result"], {})

    def test_ids_keep_type_and_value(self):
        for id in (0, -1, 2**53, 2**63 - 1, -(2**63), "", "1", "ü€😀", "a\u0000b", "\u2028", "x" * 500):
            self.assertEqual(self.server.request("ping", id=id)["result"], {})

    def test_odd_ids_are_refused_without_an_id(self):
        for id in (b"null", b"1.5", b"1e2", b"{}", b"[1]", b"true"):
            self.server.write(request(id, b"{}", b"ping"))
            answer = self.server.next()
            self.assertEqual((answer["error"]["code"], "id" in answer), (-32600, False), id)

    def test_numbers_that_nobody_can_hold(self):
        for number in (b"1e400", b"-1e400", b"18446744073709551616", b"123456789012345678901234567890"):
            self.assertEqual(self.code_of(request(b'"n"', b'{"a":%s}' % number), "n"), -32602)
        self.assertEqual(self.code_of(request(b"18446744073709551616", b"{}"), 18446744073709551616), -32602)
        self.server.write(b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1e400}}\n')

    def test_text_that_is_no_unicode(self):
        for text in (b'"\\ud83d"', b'"\\udc00\\ud83d"', b'"a\\u0000b"', b'"\xff\xfe"', b'"\xed\xa0\x80"', b'"\xc0\x80"'):
            self.assertEqual(self.code_of(request(b'"t"', b'{"a":%s}' % text), "t"), -32601)
            self.assertEqual(self.code_of(request(b'"t"', b'{%s:1}' % text), "t"), -32601)

    def test_controls_and_bad_escapes_are_answered_with_the_id(self):
        for text in (b'"a\x00b"', b'"a\x01b"', b'"\\q"', b'"\\u12"'):
            self.assertEqual(self.code_of(request(b'"c"', b'{"a":%s}' % text), "c"), -32700)

    def test_duplicate_keys_the_last_one_counts(self):
        self.server.write(b'{"jsonrpc":"2.0","id":1,"id":"last","method":"no/such","method":"ping"}\n')
        self.assertEqual(self.server.answer("last")["result"], {})

    def test_a_duplicate_id_is_answered_twice(self):
        self.server.write((PING + b"\n") * 2)
        self.server.answer("p")
        self.server.answer("p")

    def test_broken_json_is_told_without_an_id(self):
        for line in (b"{", b'{"jsonrpc":"2.0","id":1,', b"nonsense", b'"open', b"}", b"\x00", b'{"id":1}}'):
            self.server.write(line + b"\n")
            answer = self.server.next()
            self.assertEqual((answer["error"]["code"], "id" in answer), (-32700, False), line)

    def test_json_that_is_no_message(self):
        for line in (b"42", b'"x"', b"null", b"true", b"{}", b"[]", b"[1]", b'{"id":1}'):
            self.server.write(line + b"\n")
            self.assertEqual(self.server.next()["error"]["code"], -32600, line)

    def test_params_that_are_no_object(self):
        for params in (b"[]", b"[1,2]", b"5", b'"x"', b"true"):
            self.assertEqual(self.code_of(request(b'"o"', params, b"ping"), "o"), -32602)
        self.server.write(request(b'"o"', b"null", b"ping"))
        self.assertEqual(self.server.answer("o")["result"], {})

    def test_depth(self):
        for depth in (65, 1000, 20000, 100000):
            deep = b'{"a":' * depth + b"1" + b"}" * depth
            self.assertEqual(self.code_of(request(b'"d"', deep), "d"), -32600)
        self.server.write(b"[" * (1 << 20) + b"\n")
        self.assertEqual(self.server.next()["error"]["code"], -32600)

    def test_a_line_over_the_limit_is_answered_with_its_id_wherever_it_is(self):
        pad = b"x" * (8 << 20)
        self.assertEqual(self.code_of(request(b'"front"', b'{"a":"%s"}' % pad), "front"), -32600)
        behind = b'{"method":"no/such","params":{"id":1,"a":"%s"},"jsonrpc":"2.0","id":"behind"}\n' % pad
        self.assertEqual(self.code_of(behind, "behind"), -32600)
        self.server.write(pad + pad + b"\n")
        self.assertNotIn("id", self.server.next())

    def test_a_large_line_under_the_limit_is_read(self):
        self.assertEqual(self.code_of(request(b'"big"', b'{"a":"%s"}' % (b"x" * (7 << 20))), "big"), -32601)
        self.assertEqual(self.code_of(request(b'"many"', b'{"a":[%s1]}' % (b"[]," * (1 << 20))), "many"), -32600)

    def test_responses_to_nobody_are_ignored(self):
        for message in (b'"result":{}', b'"error":{"code":1,"message":"x"}', b'"result":null'):
            for id in (b"1", b'"engram-roots-1"', b"null", b"{}"):
                self.server.write(b'{"jsonrpc":"2.0","id":%s,%s}\n' % (id, message))
        self.server.write(b'{"jsonrpc":"2.0","error":{}}\n')

    def test_methods_that_are_notifications_and_the_other_way_round(self):
        self.server.write(b'{"jsonrpc":"2.0","method":"ping"}\n{"jsonrpc":"2.0","method":"tools/call"}\n')
        self.assertEqual(self.code_of(request(b"1", b"{}", b"notifications/initialized"), 1), -32601)

    def test_versions_of_json_rpc(self):
        for version in (b'"1.0"', b"2.0", b"null", b'"2.0\\u0000"'):
            self.server.write(b'{"jsonrpc":%s,"id":"v","method":"ping"}\n' % version)
            self.assertEqual(self.server.answer("v")["error"]["code"], -32600)

    def test_what_is_quoted_back_is_short_and_visible(self):
        text = self.server.request("no\u001b[31m\u202e/such" + "x" * 5000)["error"]["message"]
        self.assertLess(len(text), 300)
        self.assertNotIn("\u001b", text)
        self.assertNotIn("\u202e", text)


class Corpora(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.__exit__)
        self.server.initialize()

    def fence(self, number):
        """All answers that came before the ping that is sent now is answered."""
        self.server.ask("ping", id=f"fence-{number}")
        out = []
        while (message := self.server.next()).get("id") != f"fence-{number}":
            out.append(message)
        return out

    def test_json_test_suite(self):
        folder = os.environ.get("ENGRAM_JSON_SUITE")
        if not folder:
            self.skipTest("ENGRAM_JSON_SUITE is not set")
        for number, name in enumerate(sorted(os.listdir(folder))):
            with open(os.path.join(folder, name), "rb") as file:
                content = file.read()
            self.server.write(content + b"\n")
            self.fence(f"raw-{number}")
            self.server.write(request(b'"case"', content))
            answers = self.fence(f"params-{number}")
            of_case = [a for a in answers if a.get("id") == "case"]
            one_line = b"\n" not in content and b"\r" not in content
            self.assertLessEqual(len(of_case), 1, name)
            if name.startswith("y_") and one_line:
                self.assertEqual(len(of_case), 1, name)
                self.assertIn(of_case[0]["error"]["code"], (-32601, -32602), name)
            if one_line and len(content) < 1000:
                self.assertEqual(len(answers), 1, (name, answers))
        self.assertEqual(self.server.faults, [])

    def test_naughty_strings(self):
        path = os.environ.get("ENGRAM_BLNS")
        if not path:
            self.skipTest("ENGRAM_BLNS is not set")
        with open(path, encoding="utf-8") as file:
            strings = json.load(file)
        for number, text in enumerate(strings):
            id = text if len(text) < 200 else number
            self.assertEqual(self.server.request("ping", {"_meta": {text or "k": text}}, id=id)["result"], {})
            self.assertEqual(self.server.request("x" + text, id=id)["error"]["code"], -32601)
            answer = self.server.request("tools/call", {"name": text or "none", "arguments": {}}, id=id)
            self.assertEqual(answer["error"]["code"], -32602)
        self.assertEqual(self.server.faults, [])


if __name__ == "__main__":
    wire.main()
