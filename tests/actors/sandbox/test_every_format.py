"""Each format is read alike inside and outside the sandbox. tests/models has the operations on their trees."""

import io
import json
import tarfile
from collections.abc import Iterator

import pymupdf
import pytest

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import ReadOutcome
from quire.models.cdom.tree import load_tree
from quire.models.extract.formats.common.installed import READERS as INSTALLED_READERS
from quire.models.extract.formats.common.installed import find_installed
from quire.models.extract.registry import READERS
from tests.models.extract.flow_trees import read_tree, zipped
from tests.models.extract.formats.common.compound_files import cell as biff_cell
from tests.models.extract.formats.common.compound_files import wide, xls
from tests.models.extract.formats.common.compound_files import workbook as biff
from tests.models.extract.formats.mail.winmail import wide as wide_property
from tests.models.extract.formats.mail.winmail import winmail
from tests.models.extract.formats.opendocument.test_odf import ITEM, book, cell, opendocument
from tests.models.extract.formats.sheets.workbooks import sheet, text_cell, workbook
from tests.models.extract.formats.slides.decks import deck, paragraph, shape, slide
from tests.models.extract.formats.slides.ppt_decks import Slide, ppt
from tests.models.extract.formats.slides.ppt_decks import shape as shape_97
from tests.models.extract.formats.slides.ppt_decks import text as text_97
from tests.models.extract.formats.text.test_jats import article
from tests.models.extract.formats.word.doc.words import word as word_file
from tests.packages.formats.test_asciidoc import adoc
from tests.packages.formats.test_hwpx import hwpx
from tests.packages.formats.test_hwpx import text as hangul
from tests.packages.formats.test_msg import outlook
from tests.packages.formats.test_xlsb import cell as binary_cell
from tests.packages.formats.test_xlsb import row, text, xlsb

MHTML = "From: <Saved by Blink>\nSnapshot-Content-Location: x\nContent-Type: multipart/related; boundary=B\n\n"
FROM_LINE = "From a@b.org Mon Jan  5 09:00:00 2026\nFrom: a@b.org\nTo: b@b.org\n"
RUSSIAN = " Привет, как дела? Это обычный русский текст." * 5


def tarred(files: dict[str, bytes]) -> bytes:
    """A tar archive of these files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def make_files(word: str) -> dict[str, bytes]:
    """A file of each flowing format that says `word`."""
    table = f'<table:table table:name="S"><table:table-row>{cell(word)}</table:table-row></table:table>'
    frame = f"<draw:page><draw:frame><draw:text-box><text:p>{word}</text:p></draw:text-box></draw:frame></draw:page>"
    return {
        "pptx": deck(slide(shape(paragraph(word)))),
        "xlsx": workbook(sheet(f"<row>{text_cell('A1', word)}</row>")),
        "odt": opendocument("text", f"<text:p>{word}</text:p>"),
        "ods": opendocument("spreadsheet", table),
        "odp": opendocument("presentation", frame),
        "epub": book('<itemref idref="a"/>', ITEM.format("a"), a=f"<html><p>{word}</p></html>"),
        "rtf": rb"{\rtf1\ansi{\fonttbl{\f0\fcharset204 Arial;}}\f0 " + word.encode() + rb" \'cf\par}",
        "html": f"<html><meta charset=koi8-r><p>{word}</p></html>".encode(),
        "mhtml": f"{MHTML}--B\nContent-Type: text/html\n\n<p>{word}</p>\n--B--".encode(),
        "eml": b"From: a@b.org\nSubject: =?iso-2022-jp?B?GyRCJUYbKEI=?=\n\n" + word.encode(),
        "ppt": ppt(Slide([shape_97(text_97(4, word))], notes=[shape_97(text_97(2, "notes"), place=12)])),
        "doc": word_file([(word + "\r", 0, b"")]),
        "xls": xls(biff({"S": [biff_cell(0x204, 0, 0, wide(word))]})),
        "xlsb": xlsb(row(0) + binary_cell(6, 0, text(word))),
        "mbox": f"{FROM_LINE}Subject: {word}\n\na\n\n{FROM_LINE}Subject: b\n\nc\n".encode(),
        "tnef": winmail(wide_property(0x1000, word)),
        "svg": f'<svg xmlns="http://www.w3.org/2000/svg"><text>{word}</text></svg>'.encode(),
        "hwpx": hwpx(hangul(word)),
        "msg": outlook(body={("__substg1.0_1000001F",): word.encode("utf-16-le")}),
        "jats": article(f"<p>{word} &deg;</p>"),
        "asciidoc": adoc(f"== Head\n\n* {word}\n\n----\ncode\n----\n"),
        "latex": f"\\documentclass{{article}}\\begin{{document}}\\section{{Head}}{word}\\end{{document}}".encode(),
        "org": f"#+TITLE: Head\n\n- {word}\n".encode(),
        "rst": f"Head\n====\n\n:ref:`x` ``code``\n\n.. note:: {word}\n".encode(),
        "typst": f'#set page(paper: "a4")\n= Head\n- {word}\n#table(columns: 1, [a])\n'.encode(),
        "tar": tarred({f"folder/{word}.txt": b"words", "b.csv": b"a;b\n1;2\n"}),
        "zip": zipped({f"folder/{word}.txt": "words", "b.csv": "a;b\n1;2\n"}),
        "csv": f"a;b\n{word};1\nc;2\n".encode(),
        "markdown": f"# Head\n\n- {word}\n".encode(),
        "txt": (word + RUSSIAN).encode("koi8-r"),
    }


FILES = make_files("needle")


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(SandboxLimits())
    yield reader
    reader.close()


def test_files_of_one_job_give_the_same_trees_in_one_child_as_alone(reader: DocumentReader) -> None:
    """Each format is read twice in the job, with the other formats between, so that what one leaves meets the next."""
    alone = {name: reader.read(io.BytesIO(data), ReadOptions()).tree_json for name, data in FILES.items()}
    for name in [*FILES, *FILES]:
        shared = reader.read_until_pixels(io.BytesIO(FILES[name]), ReadOptions(), job="tenant/org/job")
        assert isinstance(shared, ReadOutcome)
        assert shared.tree_json == alone[name] != b"", name


def test_password_of_a_document_does_not_open_the_next_of_its_job(reader: DocumentReader) -> None:
    file = pymupdf.open()
    file.new_page().insert_text((72, 72), "locked")
    data = file.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")
    with_password = reader.read_until_pixels(io.BytesIO(data), ReadOptions(password="open"), job="tenant/org/job")
    without = reader.read_until_pixels(io.BytesIO(data), ReadOptions(), job="tenant/org/job")
    assert isinstance(with_password, ReadOutcome)
    assert isinstance(without, ReadOutcome)
    assert (with_password.error, without.error) == (None, ErrorCode.ENCRYPTED)


@pytest.mark.parametrize("name", FILES)
def test_sandbox_reads_a_format_like_the_library(reader: DocumentReader, name: str) -> None:
    outcome = reader.read(io.BytesIO(FILES[name]), ReadOptions())
    assert outcome.error is None
    tree = load_tree(outcome.tree_json)
    outside = read_tree(FILES[name])
    assert tree.source.format == name
    assert (tree.blocks, tree.pages, tree.metadata) == (outside.blocks, outside.pages, outside.metadata)
    assert any("needle" in block.text or block.table for block in tree.blocks)
    assert all(block["provenance"]["path"] for block in json.loads(outcome.tree_json)["blocks"])


def test_every_reader_of_a_flowing_format_is_under_this_contract() -> None:
    printed = {"pdf", "docx", "png", "jpeg", "webp", "bmp", "gif", "tiff", "avif", "jpeg2000"}
    installed = set(find_installed(INSTALLED_READERS)) - {"word-2003"}
    assert {found.value for found in READERS} - printed | installed == set(FILES)


def test_files_inside_a_file_come_out_of_the_sandbox(reader: DocumentReader) -> None:
    mail = b"From: a@b.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\nbody\n--B\n"
    mail += b"Content-Disposition: attachment; filename=r.csv\n\na;b\n--B--\n"
    for data, path in ((FILES["zip"], "folder/needle.txt"), (mail, "1.2/r.csv"), (zipped({"m.eml": mail}), "m.eml")):
        outcome = reader.read(io.BytesIO(data), ReadOptions())
        assert outcome.embedded[0].path == path
        assert reader.read(io.BytesIO(outcome.embedded[0].data), ReadOptions()).tree is not None
