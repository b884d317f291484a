"""An address next to a block of labels and values is not one of its columns; columns of tables stay."""

from collections.abc import Callable

import pytest

from quire.models.extract.contract import PageBlock
from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.layout.tables.scoring.addresses import free_addresses
from quire.models.extract.layout.tables.scoring.find import FoundTable, find_tables
from quire.models.extract.pipeline.page import layout_page
from tests.models.extract.formats.pdf.paper import Paper
from tests.models.extract.passes import find_marks

ADDRESS = ("Brightwater Joinery Ltd", "Ms Helen Marsh", "14 Quay Street", "Bristol BS1 4RN")
LABELS = ("Invoice no.", "Date", "Customer no.", "Your order")
VALUES = ("2026-0417", "3 March 2026", "88120", "PO 5531")


def make_letter(left: tuple[str, ...] = ADDRESS, second: float = 360, third: float = 460) -> Paper:
    paper = Paper(595, 842)
    for row, texts in enumerate(zip(left, LABELS, VALUES, strict=True)):
        for x, text in zip((60, second, third), texts, strict=True):
            paper.text(x, 120 + 14 * row, text)
    paper.text(60, 200, "Dear Ms Marsh,")
    paper.prose(60, 216, 4, chars=90)
    return paper


def read(paper: Paper) -> list[PageBlock]:
    return layout_page(find_marks(paper.page)).blocks


def test_address_of_a_letter_is_a_paragraph_next_to_the_table_of_labels() -> None:
    blocks = read(make_letter())
    (table,) = [block.table for block in blocks if block.table is not None]
    assert (table.rows, table.cols) == (4, 2)
    assert [cell.text for cell in table.cells] == [text for pair in zip(LABELS, VALUES, strict=True) for text in pair]
    written = " ".join(block.text for block in blocks if block.table is None)
    assert " ".join(ADDRESS) in written


def _rule(paper: Paper) -> None:
    paper.rule(58, 126, 540, 126)


def _leave(_: Paper) -> None:
    """The letter as it is."""


@pytest.mark.parametrize(
    ("paper", "draw"),
    [
        (make_letter(("Alder", "Beech", "Cedar", "Douglas fir")), _leave),
        (make_letter(second=200, third=330), _leave),
        (make_letter(), _rule),
    ],
    ids=["names without a street", "columns as far apart from each other", "a rule between the rows"],
)
def test_columns_of_a_table_stay(paper: Paper, draw: Callable[[Paper], None]) -> None:
    draw(paper)
    marks = find_marks(paper.page)
    tables, _ = find_tables(marks, marks.lines)
    assert all(not free_addresses([found], marks) for found in tables)


def test_table_tagged_by_the_author_stays_whole() -> None:
    marks = find_marks(make_letter().page)
    tables, _ = find_tables(marks, marks.lines)
    (found,) = [one for one in tables if one.table.cols == 3]
    stated = FoundTable(found.table, found.box, found.lines, tagged=True)
    assert free_addresses([stated], marks) == []
    assert [line.text for line in free_addresses([found], PageMarks(width=595, height=842, lines=[]))] == list(ADDRESS)
