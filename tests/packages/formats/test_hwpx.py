"""Hangul documents (.hwpx): paragraphs, headings, lists, tables, notes, running heads and pictures."""

import pytest

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import Format
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.sniffing.signatures import sniff
from tests.models.extract.flow_trees import read_tree, texts, zipped

SPACES = (
    'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph" xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" '
    'xmlns:hh="http://www.hancom.co.kr/hwpml/2011/head" xmlns:hc="http://www.hancom.co.kr/hwpml/2011/core" '
    'xmlns:opf="http://www.idpf.org/2007/opf/"'
)
HEADER = "".join(
    f'<hh:paraPr id="{number}"><hh:heading type="{kind}" level="{level}"/></hh:paraPr>'
    for number, kind, level in ((1, "OUTLINE", 0), (2, "OUTLINE", 1), (3, "BULLET", 0), (4, "NONE", 0))
)
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(30)


def para(content: str, kind: int = 0) -> str:
    return f'<hp:p paraPrIDRef="{kind}"><hp:run>{content}</hp:run></hp:p>'


def text(words: str, kind: int = 0) -> str:
    return para(f"<hp:t>{words}</hp:t>", kind)


def cell(words: str, row: int, col: int, height: int = 1, width: int = 1) -> str:
    return (
        f'<hp:tc><hp:subList>{text(words)}</hp:subList><hp:cellAddr colAddr="{col}" rowAddr="{row}"/>'
        f'<hp:cellSpan colSpan="{width}" rowSpan="{height}"/></hp:tc>'
    )


def hwpx(*sections: str, items: str = "", files: dict[str, str | bytes] | None = None) -> bytes:
    manifest = f"<opf:package {SPACES}><opf:metadata><opf:title>Plan</opf:title></opf:metadata>"
    parts: dict[str, str | bytes] = {
        "mimetype": "application/hwp+zip",
        "Contents/content.hpf": f"{manifest}<opf:manifest>{items}</opf:manifest></opf:package>",
        "Contents/header.xml": f"<hh:head {SPACES}>{HEADER}</hh:head>",
    }
    for number, section in enumerate(sections):
        parts[f"Contents/section{number}.xml"] = f"<hs:sec {SPACES}>{section}</hs:sec>"
    return zipped(parts | (files or {}))


def test_headings_lists_and_paragraphs_of_all_sections_are_read_in_order() -> None:
    data = hwpx(text("제목", 1) + text("둘째", 2) + text("점", 3), text("끝<hp:tab/>a<hp:lineBreak/>b", 4))
    tree = read_tree(data)
    assert sniff(data) is Format.HWPX
    assert tree.metadata.title == "Plan"
    assert [(block.type, block.text, block.level) for block in tree.blocks] == [
        (BlockType.HEADING, "제목", 1), (BlockType.HEADING, "둘째", 2), (BlockType.LIST_ITEM, "점", 1),
        (BlockType.PARAGRAPH, "끝\ta\nb", None),
    ]  # fmt: skip
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_table_has_the_spans_that_its_cells_state() -> None:
    rows = f"<hp:tr>{cell('wide', 0, 0, 1, 2)}</hp:tr><hp:tr>{cell('a', 1, 0)}{cell('b', 1, 1)}</hp:tr>"
    tree = read_tree(hwpx(para(f"<hp:tbl>{rows}</hp:tbl>")))
    table = tree.blocks[0].table
    assert table is not None
    assert [(c.row, c.col, c.col_span, c.text) for c in table.cells] == [
        (0, 0, 2, "wide"), (1, 0, 1, "a"), (1, 1, 1, "b"),
    ]  # fmt: skip
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_cells_that_overlap_keep_their_text() -> None:
    rows = f"<hp:tr>{cell('first', 0, 0, 2, 2)}</hp:tr><hp:tr>{cell('second', 0, 0)}{cell('third', 1, 1, 3, 3)}</hp:tr>"
    tree = read_tree(hwpx(para(f"<hp:tbl>{rows}</hp:tbl>")))
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_notes_and_running_heads_are_apart_from_the_text() -> None:
    note = f"<hp:ctrl><hp:footNote><hp:subList>{text('a note')}</hp:subList></hp:footNote></hp:ctrl>"
    head = f"<hp:ctrl><hp:header><hp:subList>{text('Secret')}</hp:subList></hp:header></hp:ctrl>"
    tree = read_tree(hwpx(para(f"{head}<hp:t>Words{'</hp:t>' + note}") + para(f"{head}<hp:t>More words</hp:t>")))
    assert texts(tree, BlockType.PARAGRAPH) == ["Words", "More words"]
    assert texts(tree, BlockType.FOOTNOTE) == ["a note"]
    assert texts(tree, BlockType.PAGE_HEADER) == ["Secret"]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_pictures_and_boxes_with_text_are_read() -> None:
    picture = '<hp:pic><hc:img binaryItemIDRef="image1"/></hp:pic>'
    box = f"<hp:rect><hp:drawText><hp:subList>{text('in a box')}</hp:subList></hp:drawText></hp:rect>"
    item = '<opf:item id="image1" href="BinData/image1.png"/>'
    tree = read_tree(hwpx(para(picture) + para(box), items=item, files={"BinData/image1.png": PICTURE}))
    assert [(block.type, block.text, bool(block.asset_ref)) for block in tree.blocks] == [
        (BlockType.PICTURE, "", True), (BlockType.PARAGRAPH, "in a box", False),
    ]  # fmt: skip


def test_tables_nested_too_deep_end_as_resource_limit() -> None:
    section = text("x")
    for _ in range(40):
        section = para(f"<hp:tbl><hp:tr><hp:tc><hp:subList>{section}</hp:subList></hp:tc></hp:tr></hp:tbl>")
    with pytest.raises(ResourceLimit):
        read_tree(hwpx(section))
