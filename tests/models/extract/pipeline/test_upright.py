import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.extract.pipeline.upright import Standing


@pytest.mark.parametrize(
    ("turn", "shown"),
    [(0, (10, 20, 60, 30)), (90, (20, 140, 30, 190)), (180, (40, 170, 90, 180)), (270, (70, 10, 80, 60))],
)
def test_box_of_the_upright_page_is_mapped_to_the_sheet(turn: int, shown: tuple[float, ...]) -> None:
    assert Standing(width=100, height=200, turn=turn).show((10, 20, 60, 30)) == shown


@given(st.floats(-8, 8), st.sampled_from([0, 90, 180, 270]), st.floats(20, 80), st.floats(8, 20))
def test_levelling_gives_back_the_size_of_tilted_text(skew: float, turn: int, wide: float, high: float) -> None:
    standing = Standing(width=600, height=800, turn=turn, skew=skew)
    sine, cosine = abs(math.sin(math.radians(skew))), math.cos(math.radians(skew))
    around = (300, 300, 300 + wide * cosine + high * sine, 300 + wide * sine + high * cosine)
    level = standing.level(around)
    assert level[2] - level[0] == pytest.approx(wide, abs=1)
    assert level[3] - level[1] == pytest.approx(high, abs=1)


def test_ends_of_a_tilted_line_come_to_one_height() -> None:
    standing = Standing(width=600, height=800, skew=2.0)
    fall = 500 * math.tan(math.radians(2.0))
    left, right = standing.level((50, 100, 80, 112)), standing.level((550, 100 + fall, 580, 112 + fall))
    assert left[3] == pytest.approx(right[3], abs=0.5)


def test_cells_are_shown_with_their_block() -> None:
    table = Table(rows=1, cols=2, cells=(Cell(row=0, col=0, bbox=(0, 0, 10, 10)), Cell(row=0, col=1)))
    block = PageBlock(type=BlockType.TABLE, bbox=(0, 0, 20, 10), table=table)
    shown = Standing(width=100, height=200, turn=180).show_block(block)
    assert shown.bbox == (80, 190, 100, 200)
    assert shown.table is not None
    assert [cell.bbox for cell in shown.table.cells] == [(90, 190, 100, 200), None]


def test_a_sideways_page_keeps_its_size_and_its_blocks_lie_on_its_picture() -> None:
    words = (Word(text="Harbour", bbox=(20, 10, 80, 22), confidence=0.9, line=0),)
    found = RecognisedPage(number=1, words=words, rotation=90, engine="rapidocr", model=None, version="")
    page = apply_recognition(PageContent(number=1, width=100, height=200), found)
    assert (page.width, page.height) == (100, 200)
    (block,) = page.blocks
    assert block.text == "Harbour"
    assert block.bbox == pytest.approx((10, 120, 22, 180), abs=1)
