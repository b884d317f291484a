"""The contract over formats and operations: each is read alike inside and outside the sandbox, and everything works."""

import io
import json
from collections.abc import Iterator

import pytest

from actors.reading.read_document import DocumentReader
from actors.sandbox.limits import SandboxLimits
from models.cdom.original import ReadOptions
from models.cdom.tree import load_tree
from models.export.graph import tree_to_graph
from models.export.html import tree_to_html
from models.export.markdown import tree_to_markdown
from models.extract.readers import READERS
from tests.models.extract.compound.files import cell as biff_cell
from tests.models.extract.compound.files import wide, xls
from tests.models.extract.compound.files import workbook as biff
from tests.models.extract.compound.test_msg import outlook
from tests.models.extract.compound.words import word
from tests.models.extract.flow_trees import read_tree, zipped
from tests.models.extract.markup.test_asciidoc import adoc
from tests.models.extract.markup.test_jats import article
from tests.models.extract.open_document.test_odf import ITEM, book, cell, opendocument
from tests.models.extract.sheets.test_xlsb import cell as binary_cell
from tests.models.extract.sheets.test_xlsb import row, text, xlsb
from tests.models.extract.sheets.workbooks import sheet, text_cell, workbook
from tests.models.extract.slides.decks import deck, paragraph, shape, slide

SHEET = f'<table:table table:name="S"><table:table-row>{cell("needle")}</table:table-row></table:table>'
FRAME = "<draw:page><draw:frame><draw:text-box><text:p>needle</text:p></draw:text-box></draw:frame></draw:page>"
MHTML = "From: <Saved by Blink>\nSnapshot-Content-Location: x\nContent-Type: multipart/related; boundary=B\n\n"
FILES: dict[str, bytes] = {
    "pptx": deck(slide(shape(paragraph("needle")))),
    "xlsx": workbook(sheet(f"<row>{text_cell('A1', 'needle')}</row>")),
    "odt": opendocument("text", "<text:p>needle</text:p>"),
    "ods": opendocument("spreadsheet", SHEET),
    "odp": opendocument("presentation", FRAME),
    "epub": book('<itemref idref="a"/>', ITEM.format("a"), a="<html><p>needle</p></html>"),
    "rtf": rb"{\rtf1\ansi{\fonttbl{\f0\fcharset204 Arial;}}\f0 needle \'cf\par}",
    "html": b"<html><meta charset=koi8-r><p>needle</p></html>",
    "mhtml": f"{MHTML}--B\nContent-Type: text/html\n\n<p>needle</p>\n--B--".encode(),
    "eml": b"From: a@b.org\nSubject: =?iso-2022-jp?B?GyRCJUYbKEI=?=\n\nneedle",
    "doc": word([("needle\r", 0, b"")]),
    "xls": xls(biff({"S": [biff_cell(0x204, 0, 0, wide("needle"))]})),
    "xlsb": xlsb(row(0) + binary_cell(6, 0, text("needle"))),
    "msg": outlook(body={("__substg1.0_1000001F",): "needle".encode("utf-16-le")}),
    "jats": article("<p>needle &deg;</p>"),
    "asciidoc": adoc("== Head\n\n* needle\n\n----\ncode\n----\n"),
    "zip": zipped({"folder/needle.txt": "words", "b.csv": "a;b\n1;2\n"}),
    "csv": b"a;b\nneedle;1\nc;2\n",
    "markdown": b"# Head\n\n- needle\n",
    "txt": ("needle " + "Привет, как дела? Это обычный русский текст. " * 5).encode("koi8-r"),
}


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(SandboxLimits())
    yield reader
    reader.close()


@pytest.mark.parametrize("name", FILES)
def test_a_format_is_read_alike_in_the_sandbox_and_every_operation_works_on_it(
    reader: DocumentReader, name: str
) -> None:
    outcome = reader.read(io.BytesIO(FILES[name]), ReadOptions())
    assert outcome.error is None
    tree = load_tree(outcome.tree_json)
    outside = read_tree(FILES[name])
    assert tree.source.format == name
    assert (tree.blocks, tree.pages, tree.metadata) == (outside.blocks, outside.pages, outside.metadata)
    assert "needle" in tree_to_markdown(tree)
    assert "needle" in tree_to_html(tree)
    assert tree_to_graph(tree).nodes
    assert all(block["provenance"]["path"] for block in json.loads(outcome.tree_json)["blocks"])


def test_every_reader_of_a_flowing_format_is_under_this_contract() -> None:
    printed = {"pdf", "docx", "png", "jpeg", "webp", "bmp", "gif", "tiff", "avif"}
    assert {found.value for found in READERS} - printed == set(FILES)


def test_files_inside_a_file_come_out_of_the_sandbox(reader: DocumentReader) -> None:
    mail = b"From: a@b.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\nbody\n--B\n"
    mail += b"Content-Disposition: attachment; filename=r.csv\n\na;b\n--B--\n"
    for data, path in ((FILES["zip"], "folder/needle.txt"), (mail, "1.2/r.csv"), (zipped({"m.eml": mail}), "m.eml")):
        outcome = reader.read(io.BytesIO(data), ReadOptions())
        assert outcome.embedded[0].path == path
        assert reader.read(io.BytesIO(outcome.embedded[0].data), ReadOptions()).tree is not None
