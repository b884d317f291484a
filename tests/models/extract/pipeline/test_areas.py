"""Parts of a page that are read again: which they are, how far they reach, and when the layer stays."""

from dataclasses import replace

import pytest

from quire.models.cdom.flags import GARBLED_TEXT
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType, FlagSpan, Route, Span
from quire.models.extract.contract import PageBlock, PageContent, ReadArea
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.pipeline.areas import garbled_areas
from quire.models.extract.pipeline.ocr_regions import leave_areas
from quire.models.extract.pipeline.plan import GARBAGE_TEXT
from quire.models.extract.pipeline.recognised import apply_recognition

SIZE = (400.0, 600.0)


def line(text: str, top: float, x0: float = 50.0, x1: float = 250.0) -> Line:
    return Line(x0, top, x1, top + 10, top + 8, 10, text)


def paragraph(*lines: Line) -> PageBlock:
    box = (min(x.x0 for x in lines), lines[0].y0, max(x.x1 for x in lines), lines[-1].y1)
    return PageBlock(type=BlockType.PARAGRAPH, text=" ".join(x.text for x in lines), bbox=box)


def table(*rows: tuple[str, str]) -> tuple[PageBlock, list[Line]]:
    """A table of two columns, and a line for each of its cells."""
    lines = [
        line(text, 300 + 20 * n, x0, x0 + 100)
        for n, row in enumerate(rows)
        for x0, text in ((50, row[0]), (200, row[1]))
    ]
    cells = [Cell(row=n // 2, col=n % 2, text=one.text, bbox=one.bbox) for n, one in enumerate(lines)]
    grid = Table(rows=len(rows), cols=2, cells=tuple(cells))
    return PageBlock(type=BlockType.TABLE, table=grid, bbox=(50, 300, 300, 290 + 20 * len(rows) + 10)), lines


def recognise(blocks: list[PageBlock], areas: tuple[ReadArea, ...], *words: tuple[str, Bbox]) -> PageContent:
    content = PageContent(number=1, width=400, height=600, route=Route.MIXED, blocks=tuple(blocks), areas=areas)
    return apply_recognition(content, page_of(*words))


def page_of(*words: tuple[str, Bbox]) -> RecognisedPage:
    found = tuple(Word(text=text, bbox=box, confidence=0.9, line=number) for number, (text, box) in enumerate(words))
    return RecognisedPage(number=1, words=found, engine="eyes", model="m", version="1")


def test_only_the_garbled_lines_of_a_paragraph_are_read_again() -> None:
    lines = [line("The crane stands", 100), line("xqzw kjvb", 112), line("on the quay.", 124)]
    block = paragraph(*lines)
    areas = garbled_areas([block], lines, lines[1:2], SIZE)
    assert [(area.layer, area.bbox) for area in areas] == [("xqzw kjvb", (48, 110, 252, 124))]
    made = recognise([block], areas, ("ready now", (60, 113, 200, 121))).blocks[0]
    assert (made.text, made.recognised) == ("The crane stands ready now on the quay.", True)


def test_block_is_read_as_whole_when_all_its_lines_are_garbled() -> None:
    lines = [line("xqzw kjvb", 100), line("mnbv qwrt", 112)]
    block = replace(paragraph(*lines), spans=(Span(start=0, end=4, bold=True),))
    areas = garbled_areas([block], lines, lines, SIZE)
    assert [(area.layer, area.cell) for area in areas] == [("", None)]
    made = recognise([block], areas, ("Rope lists", (60, 101, 200, 109)), ("of the quay", (60, 113, 200, 121))).blocks
    assert (made[0].text, made[0].spans) == ("Rope lists of the quay", ())


def test_styles_behind_a_replaced_line_move_along() -> None:
    lines = [line("xqzw", 100), line("on the quay.", 112)]
    styled = replace(paragraph(*lines), spans=(Span(start=5, end=17, bold=True),))
    made = recognise([styled], garbled_areas([styled], lines, lines[:1], SIZE), ("Ready now", (60, 101, 200, 109)))
    (span,) = made.blocks[0].spans
    assert made.blocks[0].text[span.start : span.end] == "on the quay."


def test_only_the_garbled_cells_of_a_table_are_read_again() -> None:
    block, lines = table(("Part", "Price"), ("xqzw kjvb", "12.50"))
    areas = garbled_areas([block], lines, lines[2:3], SIZE)
    assert [(area.cell, area.layer) for area in areas] == [(2, "")]
    made = recognise([block], areas, ("Steel rope", (55, 321, 140, 329))).blocks[0]
    assert made.table is not None
    assert [cell.text for cell in made.table.cells] == ["Part", "Price", "Steel rope", "12.50"]


def test_a_garbled_line_over_two_cells_is_read_cell_by_cell() -> None:
    block, _ = table(("xqzw", "kjvb"))
    both = Line(50, 300, 300, 310, 308, 10, "xqzw kjvb")
    areas = garbled_areas([block], [both], [both], SIZE)
    assert [area.cell for area in areas] == [0, 1]


@pytest.mark.parametrize("top", [88.0, 91.0])
def test_a_margin_ends_at_the_neighbouring_line(top: float) -> None:
    above, own, below = line("Text above it", top), line("xqzw kjvb", 100), line("Text below it", 111)
    (area,) = garbled_areas([paragraph(above), paragraph(own), paragraph(below)], [above, own, below], [own], SIZE)
    assert area.bbox[1] == min(top + 10, 100)
    assert area.bbox[3] == 111


def test_recognised_words_in_the_box_of_another_block_are_dropped() -> None:
    above, own = line("are then calculated as", 95), line("xqzw kjvb", 100)
    blocks = [paragraph(above), replace(paragraph(own), bbox=(50, 98, 250, 112))]
    areas = (ReadArea(bbox=(48, 96, 252, 114), block=1),)
    made = recognise(blocks, areas, ("caicuiated as", (60, 97, 200, 103)), ("a plus b", (60, 106, 200, 112)))
    assert [block.text for block in made.blocks] == ["are then calculated as", "a plus b"]


@pytest.mark.parametrize("words", [(), (("Ro", (60, 101, 80, 109)),)])
def test_the_layer_stays_flagged_when_recognition_brings_less(words: tuple[tuple[str, Bbox], ...]) -> None:
    lines = [line("xqzw kjvb mnbv", 100), line("on the quay.", 112)]
    whole, part = paragraph(lines[0]), paragraph(*lines)
    made = recognise([whole], garbled_areas([whole], lines[:1], lines[:1], SIZE), *words).blocks[0]
    assert (made.text, made.flags) == (whole.text, (GARBLED_TEXT,))
    assert made.confidence < 0.5
    made = recognise([part], garbled_areas([part], lines, lines[:1], SIZE), *words).blocks[0]
    assert (made.text, made.flags) == (part.text, (GARBLED_TEXT,))
    assert made.flag_spans == (FlagSpan(flag=GARBLED_TEXT, start=0, end=14),)
    assert made.confidence == 1.0


def test_the_layer_of_one_word_stays_when_recognition_agrees() -> None:
    block, lines = table(("Part", "Price"), ("χ²", "12.50"), ("Kfz-Hpf.", "1.20"))
    areas = garbled_areas([block], lines, lines[4:5], SIZE)
    assert recognise([block], areas, ("KFZ-HPF", (55, 341, 140, 349))).blocks == (block,)


def test_garbled_cells_are_flagged_without_a_recogniser() -> None:
    block, lines = table(("Part", "Price"), ("xqzw kjvb", "12.50"))
    content = PageContent(number=1, blocks=(block,), areas=garbled_areas([block], lines, lines[2:3], SIZE))
    (left,) = leave_areas(content).blocks
    assert left.flag_spans == (FlagSpan(flag=GARBLED_TEXT, start=0, end=9, cell=2),)
    assert left.confidence == 1.0


def test_a_garbled_page_of_which_little_is_recognised_keeps_its_layer() -> None:
    block = paragraph(line("xqzw kjvb mnbv qwrt", 100))
    content = PageContent(number=1, width=400, height=600, route=Route.OCR, reason=GARBAGE_TEXT, blocks=(block,))
    made = apply_recognition(content, page_of(("Rope", (60, 101, 80, 109))))
    assert (made.route, made.reason) == (Route.FAST, "garbage-text, layer kept")
    assert (made.blocks[0].text, made.blocks[0].flags) == (block.text, (GARBLED_TEXT,))
