"""Training truth: rows of the truth matched with printed ones, parts of tables that run over pages."""

import json
from pathlib import Path

import pytest

from quire.models.extract.core.words import gather_rows
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.layout.tables.regions.view import make_words
from tests.lab.training.made.contents import MadeCell, MadeTable
from tests.lab.training.made.pages import make_source
from tests.lab.training.made.styles import TableStyle
from tests.lab.training.made.texts import make_pool
from tests.lab.training.made.typeset import Pen, draw_table, set_table
from tests.lab.training.sources import find_sources
from tests.lab.training.tables.__main__ import spread
from tests.lab.training.tables.parts import cut_parts
from tests.lab.training.tables.row_labels import match_rows
from tests.lab.training.tables.truth import TruthCell, TruthTable
from tests.models.extract.layout.tables.pages import text_rows
from tests.models.extract.passes import find_marks

LEFTS = [60.0, 200.0]
NAMES = ["Harbour", "Winch", "Sluice", "Crane", "Rope", "Beacon"]


def truth_of(names: list[str]) -> tuple[TruthCell, ...]:
    rows = [["Name", "Count"], *([name, str(11 * at)] for at, name in enumerate(names))]
    return tuple(TruthCell(row, col, 1, 1, text) for row, own in enumerate(rows) for col, text in enumerate(own))


def page_of(rows: list[list[str]]) -> PageMarks:
    return PageMarks(width=600, height=800, lines=text_rows(LEFTS, 100, rows))


def test_printed_rows_are_matched_with_the_rows_of_the_truth() -> None:
    marks = page_of([["Name", "Text"], ["One", "a first long"], ["", "line goes on"], ["Two", "a second"], ["", "one"]])
    rows = gather_rows([word for line in marks.lines for word in make_words(line, marks)])
    cells = [("Name", "Text"), ("One", "a first long line goes on"), ("Two", "a second one")]
    truth = tuple(TruthCell(row, col, 1, 1, text) for row, own in enumerate(cells) for col, text in enumerate(own))
    assert match_rows(rows, truth) == [0, 1, 1, 2, 2]
    assert match_rows(rows, truth[:2]) == []


@pytest.mark.parametrize("has_head", [False, True])
def test_table_over_pages_is_cut_at_the_page_end(has_head: bool) -> None:
    boxes = {1: (50.0, 80.0, 400.0, 300.0), 2: (50.0, 80.0, 400.0, 300.0)}
    rows = [["Name", "Count"], *([name, str(11 * at)] for at, name in enumerate(NAMES))]
    second = rows[:1] * has_head + rows[4:]
    parts, unknown = cut_parts([TruthTable(truth_of(NAMES), 1, boxes)], {1: page_of(rows[:4]), 2: page_of(second)})
    assert unknown == set()
    assert [(part.page, max(cell.row for cell in part.cells) + 1) for part in parts] == [(1, 4), (2, len(second))]
    assert parts[1].cells[0].text == second[0][0]


def test_page_of_unknown_rows_is_left_out() -> None:
    boxes = {1: (50.0, 80.0, 400.0, 300.0), 2: (50.0, 80.0, 400.0, 300.0)}
    rows = [["Name", "Count"], *([name, str(11 * at)] for at, name in enumerate(NAMES))]
    other = page_of([["Quite", "other"], ["words", "here"]])
    assert cut_parts([TruthTable(truth_of(NAMES), 1, boxes)], {1: page_of(rows[:4]), 2: other})[1] == {2}


def test_made_table_is_printed_as_its_truth_says(tmp_path: Path) -> None:
    texts = ["The first harbour has a crane. Its rope was greased in spring; the winch beside it was not used at all."]
    pool = make_pool(texts * 3)
    make_source(tmp_path / "one", pool, 8)
    make_source(tmp_path / "two", pool, 8)
    for number in range(8):
        name = f"made{number:04}"
        one, two = ((tmp_path / folder / "gt_tables" / f"{name}.json").read_text() for folder in ("one", "two"))
        assert one == two
        with pymupdf.open(tmp_path / "one" / "pdfs" / f"{name}.pdf") as document:
            printed = "".join(document[0].get_text().split())
            for table in json.loads(one):
                for cell in table["cells"]:
                    assert "".join(cell["text"].split()) in printed
    assert sum(len(json.loads(path.read_text())) for path in (tmp_path / "one" / "gt_tables").iterdir()) > 3


def test_made_rules_stand_between_the_rows_of_the_style() -> None:
    cells = [MadeCell(row, col, f"{row} and {col}") for row in range(3) for col in range(2)]
    with pymupdf.open() as document:
        pen = Pen(document.new_page())
        done = set_table(MadeTable(cells), TableStyle(rows=0.5, inner=0.5), 300)
        assert done is not None
        draw_table(pen, done, 50, 50)
        pen.finish()
        marks = find_marks(document[0])
    assert len({round(rule.y0) for rule in marks.horizontals}) == 1
    assert len({round(rule.x0) for rule in marks.verticals}) == 1


def test_listed_sources_are_learned_from_as_the_list_says(tmp_path: Path) -> None:
    for name in ("kept", "held"):
        for folder in ("pdfs", "gt_tables"):
            (tmp_path / name / folder).mkdir(parents=True)
        for number in range(5):
            (tmp_path / name / "pdfs" / f"{number}.pdf").write_bytes(b"")
            (tmp_path / name / "gt_tables" / f"{number}.json").write_text("[]")
    (tmp_path / "sources.json").write_text(json.dumps({"kept": {"split": "train"}, "held": {"split": "dev"}}))
    assert [source.name for source in find_sources(tmp_path, listed=True)] == ["kept"]
    assert find_sources(tmp_path) == []


def test_documents_are_spread_evenly() -> None:
    documents = tuple(Path(str(number)) for number in range(10))
    assert spread(documents, 3) == (Path("0"), Path("3"), Path("6"))
    assert spread(documents, 20) == documents
