"""Confidence is a probability from the facts about a block; unread text has almost none."""

import numpy as np
import pytest

from quire.models.cdom.flags import GARBLED_TEXT
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType, Route
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.document.confidence import (
    BLOCK_NAMES,
    CELL_NAMES,
    Rating,
    confidence_forests,
    find_block_rows,
    find_cell_rows,
    rate_blocks,
)
from quire.models.extract.document.draft import make_drafts
from tests.lab.training.confidence import calibration_error
from tests.lab.training.confidence_truth import judge_table, read_tables

BOX: Bbox = (60.0, 100.0, 520.0, 160.0)
PROSE = "Every crane was inspected at rest and again under a test load that was lifted twice by a trained crew."


def rate(block: PageBlock, route: Route = Route.FAST) -> Rating:
    page = PageContent(number=1, width=595, height=842, route=route, body_size=10, blocks=(block,))
    return rate_blocks(make_drafts([page]), [block])[0]


def make_table(rows: int, cols: int, text: str = "12") -> Table:
    cells = tuple(Cell(row=row, col=col, text=text) for row in range(rows) for col in range(cols))
    return Table(rows=rows, cols=cols, cells=cells)


def test_the_trees_have_the_columns_that_are_described() -> None:
    assert confidence_forests()["blocks"].names == BLOCK_NAMES
    assert confidence_forests()["cells"].names == CELL_NAMES
    page = PageContent(number=1, blocks=(PageBlock(type=BlockType.TABLE, table=make_table(2, 3)),))
    drafts = make_drafts([page])
    assert find_block_rows(drafts, page.blocks).shape == (1, len(BLOCK_NAMES))
    assert find_cell_rows(page, page.blocks[0], 0.5).shape == (6, len(CELL_NAMES))


def test_printed_prose_is_surer_than_a_doubtful_recognised_line() -> None:
    printed = rate(PageBlock(type=BlockType.PARAGRAPH, bbox=BOX, text=PROSE))
    doubtful = rate(PageBlock(type=BlockType.PARAGRAPH, bbox=BOX, text="T0tal l2,O", confidence=0.55), Route.OCR)
    assert printed.confidence > 0.9
    assert doubtful.confidence < printed.confidence - 0.1


def test_every_cell_of_a_table_has_its_own() -> None:
    rated = rate(PageBlock(type=BlockType.TABLE, bbox=BOX, table=make_table(4, 3), score=0.9))
    assert rated.table is not None
    assert all(0 < cell.confidence < 1 for cell in rated.table.cells)
    assert 0 < rated.confidence < 1


def test_unread_garbled_text_keeps_its_low_confidence() -> None:
    block = PageBlock(type=BlockType.PARAGRAPH, bbox=BOX, text=PROSE, flags=(GARBLED_TEXT,), confidence=0.1)
    assert rate(block).confidence == 0.1


def test_calibration_error_compares_confidence_with_correctness() -> None:
    said = np.array([0.9] * 10 + [0.5] * 10)
    assert calibration_error(said, np.array([1.0] * 9 + [0.0] + [1.0] * 5 + [0.0] * 5)) == pytest.approx(0)
    assert calibration_error(said, np.zeros(20)) == pytest.approx(0.7)


def test_a_table_is_right_when_its_cells_have_their_neighbours() -> None:
    truth = read_tables("| a | b |\n|---|---|\n| 1 | 2 |\n\n<table><tr><td colspan=2>x</td></tr></table>")
    cells = [("a", 0, 0), ("b", 0, 1), ("1", 1, 0), ("2", 1, 1)]
    right = Table(rows=2, cols=2, cells=tuple(Cell(row=r, col=c, text=t) for t, r, c in cells))
    assert judge_table(right, truth) == (True, [True] * 4)
    turned = Table(rows=2, cols=2, cells=tuple(Cell(row=1 - r, col=1 - c, text=t) for t, r, c in cells))
    assert judge_table(turned, truth)[0] is False
