"""Files of every format that are made to harm: each ends as it must, in the sandbox, three times the same."""

import struct
from collections.abc import Callable

import pytest

from quire.actors.reading.read_document import DocumentReader
from tests.hostile.three_times import read_three_times
from tests.models.extract.flow_trees import zipped
from tests.models.extract.formats.common.compound_files import compound, record, workbook, xls
from tests.models.extract.formats.opendocument.test_odf import cell, opendocument
from tests.models.extract.formats.sheets.workbooks import sheet, text_cell
from tests.models.extract.formats.sheets.workbooks import workbook as xlsx
from tests.models.extract.formats.word.doc.words import sprm, word
from tests.models.extract.formats.word.docx.files import make_docx, paragraph

READ, LIMIT, MALFORMED, ENCRYPTED, REFUSED = "", "resource-limit", "malformed", "encrypted", "unsupported-format"
Case = tuple[str, Callable[[], bytes]]


def spread_cells() -> bytes:
    return xlsx(sheet(f"<row r='1'>{text_cell('A1', 'a')}</row><row r='1048576'>{text_cell('XFD1048576', 'z')}</row>"))


def diagonal() -> bytes:
    rows = (f"<row r='{at}'><c r='{column(at)}{at}'><v>1</v></c></row>" for at in range(1, 16_001))
    return xlsx(sheet("".join(rows)))


def column(at: int) -> str:
    name = ""
    while at:
        at, rest = divmod(at - 1, 26)
        name = chr(65 + rest) + name
    return name


def long_string() -> bytes:
    return zipped({"[Content_Types].xml": "<Types/>", "_rels/.rels": "<R/>", "xl/sharedStrings.xml": "a" * 60_000_000})


def repeated_sheet() -> bytes:
    body = '<table:table-row table:number-rows-repeated="1048576">'
    body += cell("x").replace("<table:table-cell", '<table:table-cell table:number-columns-repeated="16384"', 1)
    return opendocument("spreadsheet", f"<table:table>{body}</table:table-row></table:table>")


def declared(entity: str) -> bytes:
    content = f"<!DOCTYPE x [{entity}]><office:document-content xmlns:office='x'>&b;</office:document-content>"
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content,
                   "META-INF/manifest.xml": "<m/>"})  # fmt: skip


def spans() -> bytes:
    return b"<html><table>" + b'<tr><td colspan="1000" rowspan="65534">x</td></tr>' * 200 + b"</table></html>"


def nested_mail() -> bytes:
    parts = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (at, at) for at in range(3000))
    return b"From: a@b.org\nTo: c@d.org\n" + parts


def many_parts() -> bytes:
    head = b"From: a@b.org\nTo: c@d.org\nContent-Type: multipart/mixed; boundary=B\n\n"
    return head + b"--B\n\nx\n" * 200_000 + b"--B--\n"


def signs_of_pictures() -> bytes:
    looks = [(at, at + 1, sprm(0x0855, b"\x01") + sprm(0x6A03, struct.pack("<i", at % 7))) for at in range(0, 60, 2)]
    data = struct.pack("<IHH", 2**31 - 1, 68, 0x64) + b"\x0f" * 60 + struct.pack("<HHI", 0xF, 0xF004, 2**32 - 1) * 5_000
    return word([("\x01 " * 1000 + "\r", 0, b"")], looks=looks, data=data)


def words_inside_words() -> bytes:
    data = make_docx(paragraph("deepest"))
    for _ in range(30):
        chunks = {"word/a.docx": data}
        data = make_docx('<w:altChunk r:id="c1"/>' * 3, relations=[("c1", "aFChunk", "a.docx")], files=chunks)
    return data


CASES: dict[str, Case] = {
    "xlsx: the first and the last cell": (READ, spread_cells),
    "xlsx: a diagonal of 16,000 cells": (READ, diagonal),
    "xlsx: one string that unpacks a thousandfold": (LIMIT, long_string),
    "ods: a text repeated over the whole sheet": (LIMIT, repeated_sheet),
    "odt: two thousand million blanks": (
        READ, lambda: opendocument("text", '<text:p>a<text:s text:c="2000000000"/>b</text:p>')),
    "odt: an entity from a file": (MALFORMED, lambda: declared('<!ENTITY b SYSTEM "file:///etc/passwd">')),
    "odt: entities of entities": (MALFORMED, lambda: declared('<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">')),
    "rtf: 300,000 groups inside each other": (READ, lambda: rb"{\rtf1 a" + b"{" * 300_000 + b"x" + b"}" * 300_001),
    "rtf: binary data beyond the file": (READ, lambda: rb"{\rtf1 a\par {\pict\bin2147483647 xx}}"),
    "rtf: four megabytes of an object": (
        READ, lambda: rb"{\rtf1 a\par {\object{\*\objdata " + b"00" * 2_000_000 + b"}}}"),
    "html: 100,000 elements inside each other": (READ, lambda: b"<html>" + b"<div>" * 100_000 + b"deep"),
    "html: cells that span a thousand columns": (READ, spans),
    "eml: 3,000 parts inside each other": (MALFORMED, nested_mail),
    "eml: 200,000 parts": (LIMIT, many_parts),
    "markdown: 50,000 quotes": (READ, lambda: b"# a\n\n**b**\n\n" + b">" * 50_000 + b" x"),
    "markdown: 50,000 brackets": (READ, lambda: b"# a\n\n**b**\n\n" + b"[" * 50_000),
    "csv: a quote that never ends": (READ, lambda: b'a,b\n1,2\n3,4\n5,6\n"' + b"x,y\n" * 100_000),
    "csv: formulas": (READ, lambda: b"id,value\n1,=HYPERLINK(0)\n2,@SUM(A1)\n3,+cmd\n"),
    "ooxml: a package under a password": (ENCRYPTED, lambda: compound({("EncryptedPackage",): b"x" * 600})),
    "xls: a workbook under a password": (ENCRYPTED, lambda: xls(workbook({"S": []}, record(0x2F, bytes(54))))),
    "doc: a document under a password": (ENCRYPTED, lambda: word([("x\r", 0, b"")], flags=0x0100)),
    "doc: pictures that are longer than the file": (READ, signs_of_pictures),
    "docx: Word files inside each other": (READ, words_inside_words),
    "heic: a format that is only recognised": (REFUSED, lambda: b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(200)),
    "ppt: a format that is only recognised": (REFUSED, lambda: compound({("PowerPoint Document",): b"x" * 600})),
    "zip: a name that leads out": (READ, lambda: zipped({"../up.txt": "x", "b.txt": "y"})),
    "zip: a member that unpacks a thousandfold": (LIMIT, lambda: zipped({"a.txt": b"\0" * 60_000_000})),
    "jats: entities of its own": (
        MALFORMED, lambda: b'<!DOCTYPE article PUBLIC "JATS" "j" [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
                           b"<article><front><article-meta/></front><body><p>&x;</p></body></article>"),
    "asciidoc: a file that is to be included": (
        READ, lambda: b"= A\n:x: y\n\ninclude::/etc/passwd[]\n\n|===\n|a\n|===\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_hostile_file_ends_with_the_same_result_three_times(reader: DocumentReader, name: str) -> None:
    code, make = CASES[name]
    assert b"root:" not in read_three_times(reader, make(), code).tree_json
