"""Struck-through text of office files is a span with `strike`, and is struck in Markdown."""

import pytest

from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.opendocument.test_odf import opendocument
from tests.models.extract.formats.rtf.test_rtf import rtf
from tests.models.extract.formats.slides.decks import deck, shape, slide
from tests.models.extract.formats.word.doc.words import sprm, word
from tests.models.extract.formats.word.docx.files import make_docx, paragraph, style
from tests.models.extract.formats.word.docx.test_inline import run

ODF_STYLES = "".join(
    f'<style:style style:name="{name}" {parent}><style:text-properties {PROPERTY}/></style:style>'
    for name, parent, PROPERTY in (
        ("S", "", 'style:text-line-through-style="solid"'),
        ("Child", 'style:parent-style-name="S"', ""),
        ("Off", 'style:parent-style-name="S"', 'style:text-line-through-style="none"'),
    )
)
STRUCK_STYLE = style("Old", "Old", run="<w:strike/>", kind="character")


def _docx(properties: str) -> bytes:
    body = paragraph(inside=run("now 5 ") + run("was 9", properties))
    return make_docx(body, parts={"styles": STRUCK_STYLE})


def _odt(name: str) -> bytes:
    return opendocument(
        "text", f'<text:p>now 5 <text:span text:style-name="{name}">was 9</text:span></text:p>', ODF_STYLES
    )


def _doc(code: int) -> bytes:
    return word([("now 5 was 9\r", 0, b"")], looks=[(6, 11, sprm(code, b"\x01"))])


def _pptx(properties: str) -> bytes:
    runs = f"<a:p><a:r><a:t>now 5 </a:t></a:r><a:r><a:rPr {properties}/><a:t>was 9</a:t></a:r></a:p>"
    return deck(slide(shape(runs)))


@pytest.mark.parametrize(
    "data",
    [
        _docx("<w:strike/>"),
        _docx("<w:dstrike/>"),
        _docx('<w:rStyle w:val="Old"/>'),
        _odt("S"),
        _odt("Child"),
        rtf(r"now 5 {\strike was 9}\par"),
        rtf(r"now 5 {\striked1 was 9}\par"),
        _doc(0x0837),
        _doc(0x2A53),
        _pptx('strike="sngStrike"'),
        _pptx('strike="dblStrike"'),
    ],
)
def test_struck_text_is_struck_in_tree_and_markdown(data: bytes) -> None:
    tree = read_tree(data)
    (block,) = tree.blocks
    assert [(block.text[span.start : span.end], span.strike) for span in block.spans] == [("was 9", True)]
    assert tree_to_markdown(tree).strip() == "now 5 ~~was 9~~"


@pytest.mark.parametrize(
    "data",
    [
        _docx('<w:rStyle w:val="Old"/><w:strike w:val="0"/>'),
        _odt("Off"),
        rtf(r"now 5 {\strike {\strike0 was 9}}\par"),
        _pptx('strike="noStrike"'),
    ],
)
def test_text_with_strike_through_turned_off_has_no_span(data: bytes) -> None:
    (block,) = read_tree(data).blocks
    assert (block.text, block.spans) == ("now 5 was 9", ())
