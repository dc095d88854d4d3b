#!/usr/bin/env python3
"""Documents of formats that aren't lines of text, made here byte by byte, through the real worker: what is
read of them, and what hostile ones get."""
import io
import json
import os
import random
import struct
import time
import unittest
import zipfile

from parse_test import DONE, ERR_INPUT, ERR_LIMIT, Worker

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
ODF = " ".join(f'xmlns:{p}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for p, n in
               (("office", "office"), ("text", "text"), ("table", "table"), ("style", "style")))
ODT_TYPE = "application/vnd.oasis.opendocument.text"


def archive(*parts, method=zipfile.ZIP_DEFLATED):
    """parts: (name, text); the first one is stored as it is, as mimetype has to be."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for i, (name, text) in enumerate(parts):
            z.writestr(zipfile.ZipInfo(name) if i == 0 else name, text)
    return out.getvalue()


def docx(body, *more, head=f'<w:document {W}><w:body>', tail="</w:body></w:document>"):
    return archive(("[Content_Types].xml", "<Types/>"), ("word/document.xml", head + body + tail), *more)


def odt(body, *more, tail="</office:text></office:body></office:document-content>"):
    return archive(("mimetype", ODT_TYPE), ("content.xml", f'<office:document-content {ODF}>' + body + tail), *more)


def epub(chapters, *more):
    names = [f"{i} ch.xhtml" for i in range(len(chapters))]
    items = "".join(f'<item id="c{i}" href="text/../{i}%20ch.xhtml" media-type="application/xhtml+xml"/>'
                    for i in range(len(chapters)))
    spine = "".join(f'<itemref idref="c{i}"/>' for i in reversed(range(len(chapters))))
    return archive(("mimetype", "application/epub+zip"),
                   ("META-INF/container.xml", '<container><rootfiles><rootfile full-path="OPS/p.opf"/></rootfiles></container>'),
                   ("OPS/p.opf", '<package xmlns:dc="d"><metadata><dc:title>The  Book</dc:title></metadata>'
                    f'<manifest>{items}</manifest><spine>{spine}</spine></package>'),
                   *((f"OPS/{n}", c) for n, c in zip(names, chapters)), *more)


def p(text, style="", more=""):
    style = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{style}{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def pdf(pages, more=b""):
    """pages: lists of (x, y, text), in points from the lower left; a text of bytes is drawn as it is."""
    streams = []
    for lines in pages:
        text = b"".join(b"BT /F 11 Tf %d %d Td (%s) Tj ET\n" % (x, y, t.encode("latin1")) for x, y, t in lines)
        streams.append(b"<</Length %d>>stream\n%s\nendstream" % (len(text), text))
    kids = b" ".join(b"%d 0 R" % (4 + 2 * i) for i in range(len(pages)))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(pages)),
               b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for i, stream in enumerate(streams):
        objects += [b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>"
                    % (5 + 2 * i), stream]
    out, at = b"%PDF-1.4\n", []
    for i, body in enumerate(objects):
        at.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (i + 1, body)
    table = b"".join(b"%010d 00000 n \n" % a for a in at)
    return (out + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(at) + 1, table)
            + b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(at) + 1, more, len(out)))


class Facts:
    """Reads what facts_write wrote: title, media type, passages as (heading, page, body), warnings."""

    def __init__(self, data):
        self.data, self.at = data, 4
        self.title, self.media_type = self.text(), self.text()
        self.passages = [self.passage() for _ in range(self.number())]

    def number(self):
        self.at += 4
        return struct.unpack_from("<I", self.data, self.at - 4)[0]

    def text(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at].decode()

    def passage(self):
        self.number()
        _, _, body, heading = (self.text() for _ in range(4))
        self.lines = self.number(), self.number()
        return heading, self.number(), body

    @property
    def body(self):
        return "\n\n".join(body for _, _, body in self.passages)


class FormatTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = Worker()

    @classmethod
    def tearDownClass(cls):
        assert cls.worker.end() == DONE, cls.worker.errors

    def facts(self, data, name):
        status, answer = self.worker.ask(data, name=name.encode())
        self.assertEqual(status, 0, answer)
        return Facts(answer)

    def refused(self, data, name, *words, status=ERR_INPUT):
        got, answer = self.worker.ask(data, name=name.encode())
        self.assertEqual(got, status, answer[:300])
        self.assertIn(name, answer.decode())
        for word in words:
            self.assertIn(word, answer.decode())


class Docx(FormatTest):
    def test_headings_lists_tables_code_and_footnotes_are_kept(self):
        styles = (f'<w:styles {W}><w:style w:styleId="T"><w:name w:val="Title"/></w:style>'
                  '<w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
                  '<w:style w:styleId="Mine"><w:name w:val="My own"/><w:basedOn w:val="H1"/></w:style>'
                  '<w:style w:styleId="Lvl"><w:name w:val="Abschnitt"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
                  '<w:style w:styleId="C"><w:name w:val="Source Code"/></w:style></w:styles>')
        notes = f'<w:footnotes {W}><w:footnote w:id="7"><w:p><w:r><w:t>Said below.</w:t></w:r></w:p></w:footnote></w:footnotes>'
        item = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="3"/></w:numPr>'
        row = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
        facts = self.facts(docx(
            p("The Plan", "T") + p("First", "H1") + p("Own", "Mine") + p("Second", "Lvl")
            + '<w:p><w:r><w:t>Noted</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r></w:p>'
            + p("outer", more=item.format(0)) + p("inner", more=item.format(1))
            + "<w:tbl>" + row.format(p("a"), p("b") + p("c")) + row.format(p("1"), p("2")) + "</w:tbl>"
            + '<w:p><w:pPr><w:pStyle w:val="C"/></w:pPr><w:r><w:t xml:space="preserve">if  x:</w:t><w:br/><w:t xml:space="preserve">    y()</w:t></w:r></w:p>'
            + '<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>',
            ("word/styles.xml", styles), ("word/footnotes.xml", notes),
            ("word/comments.xml", f"<w:comments {W}>{p('a remark')}</w:comments>")), "plan.docx")
        self.assertEqual(facts.title, "The Plan")
        self.assertEqual(facts.passages[-1][0], "The Plan > Own > Second")
        self.assertIn("Noted[1]\n\n[1] Said below.\n\n- outer\n  - inner\n\na | b c\n1 | 2\n\nif  x:\n    y()", facts.body)
        for gone in ("gone", "moved", "remark"):
            self.assertNotIn(gone, facts.body)
        self.assertEqual(facts.lines, (0, 0))

    def test_what_is_damaged_names_its_cause(self):
        whole = docx(p("text " * 2000))
        self.refused(whole[:len(whole) // 2], "a.docx", "damaged or cut off")
        self.refused(docx(p("x"), tail=""), "a.docx", "word/document.xml", "well-formed")
        self.refused(archive(("word/other.xml", "<x/>")), "a.docx", "no word/document.xml", status=2)
        self.refused(docx(""), "a.docx", "no text")

    def test_entities_and_document_types_are_not_read(self):
        laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
        bomb = f'<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}]><w:document {W}><w:body>'
        self.refused(docx(p("&l9;"), head=bomb), "a.docx", "document type")
        outside = f'<!DOCTYPE x SYSTEM "file:///etc/passwd"><w:document {W}><w:body>'
        self.refused(docx(p("x"), head=outside), "a.docx", "document type")
        self.refused(docx(p("&nothing;")), "a.docx", "well-formed")

    def test_bombs_are_given_up(self):
        self.refused(docx(p("a" * (20 << 20))), "a.docx", "100 times", status=ERR_LIMIT)
        self.refused(docx("", *((f"x{i}", "") for i in range(1000))), "a.docx", "1002 entries", "at most 1000", status=ERR_LIMIT)
        self.facts(docx(p("x"), *((f"x{i}", "") for i in range(998))), "a.docx")
        noise = random.Random(1).randbytes(1 << 20).hex()
        self.refused(docx("".join(p(noise[:100000]) for _ in range(350))), "a.docx", "bytes of text", status=ERR_LIMIT)
        nested = docx(p("x"), ("word/embeddings/inner.docx", docx(p("a" * 100))))
        self.assertEqual(self.facts(nested, "a.docx").body, "x")

    def test_names_that_lead_out_of_the_archive_are_refused(self):
        for name in ("../../etc/passwd", "/etc/passwd", "word/.."):
            self.refused(docx(p("x"), (name, "x")), "a.docx", "leads out")

    def test_nesting_is_bounded(self):
        deep = "<w:tbl><w:tr><w:tc>" * 1000 + p("x") + "</w:tc></w:tr></w:tbl>" * 1000
        self.refused(docx(deep), "a.docx", "nested")
        self.facts(docx("<w:tbl><w:tr><w:tc>" * 60 + p("x") + "</w:tc></w:tr></w:tbl>" * 60), "a.docx")

    def test_an_encrypted_part_is_told(self):
        data = bytearray(docx(p("x")))
        for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
            at = data.find(mark)
            while at >= 0:
                data[at + flags] |= 1
                at = data.find(mark, at + 1)
        self.refused(bytes(data), "a.docx", "encrypted")


class Odt(FormatTest):
    def test_headings_lists_tables_code_and_footnotes_are_kept(self):
        facts = self.facts(odt(
            '<office:automatic-styles><style:style style:name="P1" style:parent-style-name="Preformatted_20_Text"/>'
            '</office:automatic-styles><office:body><office:text>'
            '<text:table-of-content><text:p>Contents</text:p></text:table-of-content>'
            '<text:p text:style-name="Title">The Plan</text:p><text:h text:outline-level="1">First</text:h>'
            '<text:p>Noted<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Said below.</text:p>'
            '</text:note-body></text:note><office:annotation><text:p>a remark</text:p></office:annotation></text:p>'
            '<text:list><text:list-item><text:p>outer</text:p><text:list><text:list-item><text:p>inner</text:p>'
            '</text:list-item></text:list></text:list-item></text:list>'
            '<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell>'
            '<text:p>b</text:p><text:p>c</text:p></table:table-cell></table:table-row></table:table>'
            '<text:p text:style-name="P1">if<text:s text:c="2"/>x:</text:p><text:p text:style-name="P1"><text:s text:c="4"/>y()</text:p>'),
            "plan.odt")
        self.assertEqual((facts.title, facts.media_type), ("The Plan", ODT_TYPE))
        self.assertEqual(facts.body, "The Plan\n\nFirst\n\nNoted[1]\n\n[1] Said below.\n\n- outer\n  - inner\n\n"
                         "a | b c\n\nif  x:\n    y()")

    def test_what_is_hostile_names_its_cause(self):
        manifest = "<manifest:manifest><manifest:encryption-data/></manifest:manifest>"
        self.refused(odt("<x/>", ("META-INF/manifest.xml", manifest)), "a.odt", "encrypted")
        self.refused(odt("<x/>", tail=""), "a.odt", "well-formed")
        self.refused(odt("<office:body><office:text>"), "a.odt", "no text")
        spaces = self.facts(odt('<office:body><office:text><text:p>a<text:s text:c="999999999999"/>b</text:p>'), "a.odt")
        self.assertEqual(spaces.body, "a b")


class Epub(FormatTest):
    def test_chapters_come_in_the_order_of_the_spine(self):
        facts = self.facts(epub(["<html><body><h1>Last</h1><p>end</p></body></html>",
                                 "<?xml version='1.0'?><html><body><h1>Begin</h1><p>start&nbsp;here</p></body></html>"]), "a.epub")
        self.assertEqual(facts.title, "The Book")
        self.assertEqual(facts.body, "Begin\n\nstart here\n\nLast\n\nend")

    def test_what_is_hostile_names_its_cause(self):
        self.refused(epub([]), "a.epub", "no text")
        self.refused(epub(["\xff\xfe\x80".encode("latin1") * 99], ("META-INF/encryption.xml", "<e/>")), "a.epub", "encrypted")
        self.refused(archive(("mimetype", "application/epub+zip")), "a.epub", "META-INF/container.xml", status=2)


class Pdf(FormatTest):
    def test_pages_headings_and_divided_words_are_told(self):
        facts = self.facts(pdf([
            [(50, 780, "The Manual - draft"), (50, 700, "1.1 Begin"), (50, 640, "An exam-"), (50, 628, "ple of a para-"),
             (50, 616, "graph that goes on"), (300, 20, "- 1 -")],
            [(50, 780, "The Manual - draft"), (50, 700, "over the page."), (50, 640, "2 Next part"), (50, 580, "Text."), (300, 20, "- 2 -")],
            [(50, 780, "The Manual - draft"), (50, 700, "3 Last part"), (50, 640, "End of it. " * 200), (300, 20, "- 3 -")]]), "a.pdf")
        self.assertEqual(facts.media_type, "application/pdf")
        body = facts.body
        self.assertIn("example of a paragraph that goes on\nover the page.", body)
        for running in ("draft", "- 1 -", "- 3 -"):
            self.assertNotIn(running, body)
        heading, page, _ = facts.passages[-1]
        self.assertEqual((heading, page), ("3 Last part", 3))
        self.assertEqual(facts.passages[0][1], 1)

    def test_what_is_no_text_names_its_cause(self):
        locked = b"/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O(%s)/U(%s)>>" % (b"o" * 32, b"u" * 32)
        self.refused(pdf([[(50, 700, "secret")]], locked), "a.pdf", "encrypted", "password")
        self.refused(pdf([[], []]), "a.pdf", "2 pages", "OCR")
        self.refused(b"%PDF-1.7\n" + bytes(range(256)) * 20, "a.pdf", "damaged or cut off")
        self.refused(pdf([[(50, 700, "x")]] * 501), "a.pdf", "more than 500 pages", status=ERR_LIMIT)
        self.assertIn("Some words", self.facts(pdf([[(50, 700, "Some words here")]] * 500), "a.pdf").body)

    def test_the_child_is_confined_and_dies_with_the_worker(self):
        forms = b"".join(b"%d 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A %d 0 R>>>>/Length 8000>>stream\n%s"
                         b"\nendstream endobj\n" % (20 + i, 21 + i, b"/A Do " * 1333 + b"  ") for i in range(6))
        slow = (b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
                b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</A 20 0 R>>>>/Contents 4 0 R>>endobj\n"
                b"4 0 obj<</Length 5>>stream\n/A Do\nendstream endobj\n" + forms + b"trailer<</Root 1 0 R>>\n")
        worker = Worker()
        worker.send(slow, name=b"slow.pdf")
        child = wait_for(lambda: children(worker.process.pid))[0]
        wait_for(lambda: b"pdftotext" in read_bytes(f"/proc/{child}/cmdline"))
        environment = read_bytes(f"/proc/{child}/environ")
        self.assertEqual(environment, b"PATH=/usr/bin:/bin\0LANG=C.UTF-8\0")
        limits = read_bytes(f"/proc/{child}/limits").decode()
        for line in ("Max cpu time +30 ", "Max file size +0 ", f"Max address space +{512 << 20} "):
            self.assertRegex(limits, line)
        opened = {os.readlink(f"/proc/{child}/fd/{fd}").split(":")[0] for fd in os.listdir(f"/proc/{child}/fd")}
        self.assertIn("/memfd", opened)
        self.assertNotIn("socket", opened)
        worker.process.kill()
        worker.end()
        wait_for(lambda: not os.path.exists(f"/proc/{child}") or b" Z " in read_bytes(f"/proc/{child}/stat"))


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def children(pid):
    return [int(c) for c in read_bytes(f"/proc/{pid}/task/{pid}/children").split()]


def wait_for(condition):
    """What another process is about to do; a bound only for the case that it never does."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError("it never came")


class Names(FormatTest):
    def test_a_wrong_ending_says_what_the_file_is(self):
        self.refused(docx(p("x")), "a.odt", "is a DOCX document", "rename it to end in .docx")
        self.refused(docx(p("x")), "a.md", "is a DOCX document")
        self.refused(b"only text", "a.docx", "named as a DOCX document")
        self.refused(archive(("a.txt", "x")), "a.docx", "a ZIP archive")
        self.assertEqual(self.facts(docx(p("x")), "untold").body, "x")

    def test_random_bytes_are_refused_in_every_format(self):
        rng = random.Random(6)
        for ending in ("html", "docx", "odt", "epub", "pdf", "eml", "ipynb", "csv", "rst", "adoc"):
            for head in (b"", b"PK\3\4word/document.xml", b"PK\3\4mimetypeapplication/epub+zip", b"<html>", b"%PDF-1.4"):
                status, _ = self.worker.ask(head + rng.randbytes(5000), name=f"a.{ending}".encode())
                self.assertIn(status, (ERR_INPUT, ERR_LIMIT), (ending, head))

    def test_no_damaged_byte_crashes_the_worker(self):
        rng = random.Random(7)
        for data, name in ((docx(p("some text", "H1") * 20), "a.docx"), (epub(["<h1>a</h1><p>b"] * 3), "a.epub")):
            for _ in range(60):
                broken = bytearray(data)
                for _ in range(rng.randint(1, 6)):
                    broken[rng.randrange(len(broken))] = rng.randrange(256)
                self.worker.ask(bytes(broken[:rng.choice((len(broken), rng.randrange(len(broken))))]), name=name.encode())


class Text(FormatTest):
    def test_each_group_of_rows_has_the_header(self):
        rows = "".join(f'person {i},"lives, in {i}"\n' for i in range(300))
        facts = self.facts(f"name,place\n{rows}".encode(), "a.csv")
        self.assertGreater(len(facts.passages), 3)
        for _, _, body in facts.passages:
            self.assertTrue(body.startswith("name,place\nperson "), body[:40])
        broken = self.facts(b'name,"place\n' + rows.encode(), "a.csv")
        self.assertIn("person 299", broken.body)

    def test_mail_within_mail_is_bounded(self):
        def nested(depth):
            if not depth:
                return "Content-Type: text/plain\n\ninnermost\n"
            return f'Content-Type: multipart/mixed; boundary="b{depth}x"\n\n--b{depth}x\n{nested(depth - 1)}\n--b{depth}x--\n'
        self.assertIn("innermost", self.facts(("Subject: a\n" + nested(7)).encode(), "a.eml").body)
        self.refused(("Subject: a\n" + nested(9)).encode(), "a.eml", "8 within each other", status=ERR_LIMIT)
        many = "Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n" + "--b\n\nx\n" * 300
        self.refused(many.encode(), "a.eml", "more than 200 parts", status=ERR_LIMIT)

    def test_a_notebook_gives_cells_and_no_outputs(self):
        book = {"cells": [{"cell_type": "markdown", "source": ["# Load\n", "\n", "Reads the file."]},
                          {"cell_type": "code", "source": "x = 1\n\ny = 2", "outputs": [{"text": "printed"}]}]}
        facts = self.facts(json.dumps(book).encode(), "a.ipynb")
        self.assertEqual([(h, b) for h, _, b in facts.passages], [("Load", "Load\n\nReads the file.\n\nx = 1\n\ny = 2")])
        self.refused(b"[" * 100000, "a.ipynb", "no notebook")


class Html(FormatTest):
    def test_what_is_hostile_has_a_result(self):
        self.refused(b"<div>" * 100000 + b"x", "a.html", "nested")
        self.assertEqual(self.facts(b"<p>" * 100000 + b"x", "a.html").body, "x")
        self.refused(b"".join(b"<h1>%d</h1><p>x" % i for i in range(100000)), "a.html", "30000 passages", status=ERR_LIMIT)
        laughs = b'<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><html><p>&b; kept</html>'
        self.assertIn("kept", self.facts(laughs, "a.html").body)
        self.assertGreater(len(self.facts(b"<p>" + b"word and more. " * 400000, "a.html").passages), 1000)


if __name__ == "__main__":
    unittest.main()
