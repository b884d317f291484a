"""Files with details that few programs write: mixed encodings, odd member names, old drawings, long numbers."""

import io
import zipfile
from collections.abc import Callable

import pytest

from quire.models.cdom.errors import UnsupportedFormat
from quire.models.cdom.flags import COMMENT
from quire.models.cdom.tree import BlockType, Tree
from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts
from tests.models.extract.formats.opendocument.test_odf import zipped_plain
from tests.models.extract.formats.rtf.test_rtf import rtf
from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, workbook
from tests.models.extract.formats.test_strangers import BOOK, DECK
from tests.models.extract.formats.word.docx.files import make_docx, paragraph

GERMAN = "Größe Müller Straße. " * 5


def _warnings(tree: Tree) -> list[str]:
    return [warning.code for warning in tree.warnings]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (GERMAN.encode() + b"\xfc ber", GERMAN + "ü ber"),
        (GERMAN.encode() + "Öz in Zürich".encode("cp1252"), GERMAN + "Öz in Zürich"),
        ("Größe Maß ü".encode()[:-1], "Größe Maß \ufffd"),
        (f"<html><body><p>{GERMAN}".encode() + b"\xfc</p></body></html>", GERMAN + "ü"),
    ],
    ids=["one-byte", "two-parts", "cut", "page"],
)
def test_text_that_is_mostly_utf8_keeps_its_letters(data: bytes, text: str) -> None:
    tree = read_tree(data)
    assert texts(tree) == [text]
    assert "encoding-uncertain" in _warnings(tree)


def test_text_in_a_legacy_encoding_is_not_taken_for_utf8() -> None:
    assert texts(read_tree("“CAFÉ” is naïve, Ã¼ is not".encode("cp1252"))) == ["“CAFÉ” is naïve, Ã¼ is not"]


def _renamed(data: bytes, rename: Callable[[str], str]) -> bytes:
    """The package with other names of members."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as package, zipfile.ZipFile(out, "w") as renamed:
        for name in package.namelist():
            renamed.writestr(zipfile.ZipInfo(rename(name)), package.read(name))
    return out.getvalue()


@pytest.mark.parametrize("data", [make_docx(paragraph("words")), BOOK, DECK], ids=["docx", "xlsx", "pptx"])
@pytest.mark.parametrize(
    "rename", [lambda name: f"/{name}", lambda name: f"./{name}", str.upper], ids=["absolute", "dot", "capitals"]
)
def test_package_with_odd_names_is_read_and_counted(data: bytes, rename: Callable[[str], str]) -> None:
    usual, odd = read_tree(data), read_tree(_renamed(data, rename))
    assert tree_to_markdown(odd) == tree_to_markdown(usual)
    assert odd.coverage is not None
    assert odd.coverage == usual.coverage


def test_text_box_of_old_rich_text_is_read_once() -> None:
    box = r"{\*\do\dobxpage{\dptxbx{\dptxbxtext\pard Old box\par}}}"
    alone, repeated = (
        read_tree(rtf(rf"Body{box}\par")),
        read_tree(rtf(rf"Body{{\shp{{\*\shpinst{{\shptxt \pard New box\par}}}}{{\shprslt{box}}}}}\par")),
    )
    assert sorted(texts(alone)) == ["Body", "Old box"]
    assert sorted(texts(repeated)) == ["Body", "New box"]
    for tree in (alone, repeated):
        assert tree.coverage is not None
        assert (tree.coverage.complete, tree.coverage.characters.lost) == (True, 0)


def test_comment_of_rich_text_is_a_note() -> None:
    comment = r"{\*\atnid A}{\*\atnauthor Ann}\chatn{\*\annotation{\*\atndate 1}\pard Check this\par}"
    tree = read_tree(rtf(rf"Body{comment}\par"))
    assert texts(tree, BlockType.PARAGRAPH) == ["Body"]
    (note,) = of_type(tree, BlockType.FOOTNOTE)
    assert (note.text, note.flags) == ("Check this", (COMMENT,))


def test_text_struck_by_a_style_of_html_is_struck() -> None:
    page = (
        b"<html><body><p style='text-decoration: underline line-through'>old</p><ul><li style="
        b"'text-decoration-line:line-through'>done</li></ul><p>now <span style='color:line-through'>8</span></p>"
    )
    assert tree_to_markdown(read_tree(page)) == "~~old~~\n\n- ~~done~~\n\nnow 8\n"


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        ("4006381333931.5", "4006381333931.5"),
        ("123456789012.25", "123456789012.25"),
        ("1234567890123456.5", "1234567890123456.5"),
        ("123456789012345678", "123456789012345678"),
        ("-123456789012345678", "-123456789012345678"),
        ("1E+20", "1E+20"),
        ("0.1234567890123", "0.123456789"),
    ],
)
def test_long_number_keeps_its_digits(stated: str, shown: str) -> None:
    (table,) = of_type(read_tree(workbook(sheet(f'<row r="1">{number_cell("A1", stated)}</row>'))), BlockType.TABLE)
    assert rows_of(table) == [[shown]]


def test_package_of_openoffice_1_is_refused_by_name() -> None:
    data = zipped_plain({"mimetype": "application/vnd.sun.xml.writer", "content.xml": "<x/>"})
    with pytest.raises(UnsupportedFormat, match=r"OpenOffice 1 document .* is not read; save it"):
        read_tree(data)
