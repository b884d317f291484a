"""Recognised rows: bills and addresses keep their rows, running text flows, parts of one row stay together."""

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.table import Table
from quire.models.extract.contract import PageContent
from quire.models.extract.pipeline.recognised import apply_recognition


def read(*rows: tuple[str, float, float, float]) -> list[str]:
    """Block texts of a page with these (text, x0, y0, x1) rows, 12 points high."""
    words = tuple(
        Word(text=text, bbox=(x0, y0, x1, y0 + 12.0), confidence=0.9, line=number)
        for number, (text, x0, y0, x1) in enumerate(rows)
    )
    page = RecognisedPage(number=1, words=words, engine="test", model=None, version="1")
    return [block.text for block in apply_recognition(PageContent(number=1, width=400.0, height=600.0), page).blocks]


def test_an_address_keeps_its_rows() -> None:
    rows = ("12, JALAN MAWAR 3,", 60, 100, 240), ("TAMAN JAYA,", 60, 114, 170), ("43000 KAJANG, SELANGOR", 60, 128, 250)
    assert read(*rows) == ["12, JALAN MAWAR 3,\nTAMAN JAYA,\n43000 KAJANG, SELANGOR"]


def test_running_text_flows_over_its_rows() -> None:
    rows = (
        ("The river carries a lot of water in", 60, 100, 260),
        ("spring and leaves its bed, so that the", 60, 114, 262),
        ("fields around it are under water.", 60, 128, 240),
    )
    (text,) = read(*rows)
    assert "\n" not in text


def table_of(rows: list[list[tuple[str, float, float]]], rules: tuple[Bbox, ...] = (), turn: int = 0) -> Table:
    """The one table of a page with these rows of (text, x0, x1), each row one line to the recogniser."""
    words = tuple(
        Word(text=text, bbox=(x0, 60.0 + 20 * number, x1, 72.0 + 20 * number), confidence=0.9, line=number)
        for number, row in enumerate(rows)
        for text, x0, x1 in row
    )
    page = RecognisedPage(number=1, words=words, rules=rules, rotation=turn, engine="test", model=None, version="1")
    sides = (600.0, 400.0) if turn in {90, 270} else (400.0, 600.0)
    content = apply_recognition(PageContent(number=1, width=sides[0], height=sides[1]), page)
    (table,) = (block.table for block in content.blocks if block.table is not None)
    return table


def texts_of(table: Table) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row].append(cell.text)
    return rows


SHIPS = [["Ship", "Tons", "Dues"], ["Alba", "1,204", "88.10"], ["Berta", "930", "71.00"], ["Cora", "15,030", "902.55"]]


def test_a_recognised_line_over_several_columns_is_cut_at_its_gaps() -> None:
    xs = (60.0, 180.0, 290.0)
    rows = [[(text, x, x + 6 * len(text)) for x, text in zip(xs, row, strict=True)] for row in SHIPS]
    assert texts_of(table_of(rows)) == SHIPS


def test_drawn_lines_of_a_scan_part_cells_that_no_gap_parts() -> None:
    """Words of neighbouring cells are as near to each other as words of one; the grid between them is drawn."""
    wide = [["Kind of ship", "Where from"], ["Old sailing boat", "Bay of Biscay"], ["Tug", "Rotterdam port side"]]
    rows = [[(row[0], 60.0, 178.0), (row[1], 184.0, 300.0)] for row in wide]
    levels, sides = (57.0, 75.0, 95.0, 115.0), (56.0, 181.0, 304.0)
    rules: tuple[Bbox, ...] = tuple((56.0, y - 0.5, 304.0, y + 0.5) for y in levels)
    rules += tuple((x - 0.5, 57.0, x + 0.5, 115.0) for x in sides)
    assert texts_of(table_of(rows, rules)) == wide
    turned = table_of(rows, rules, turn=90)
    assert texts_of(turned) == wide
    assert all(cell.bbox is not None and cell.bbox[3] <= 400 for cell in turned.cells)
