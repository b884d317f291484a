"""Golden trees of small PDFs, and of the sample document."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.trees import FOLDER, REGENERATE, assert_golden_tree
from tests.models.extract.formats.pdf.paper import Paper, read_tree

SAMPLE = Path(__file__).parents[5] / "docs" / "sample" / "quire-sample.pdf"


def article() -> Paper:
    """Two columns under a title: headings, a list, a figure with its caption, notes, running heads, two pages."""
    paper = Paper().text(40, 25, "Journal of Small Things", 8).text(370, 25, "31", 8)
    paper.text(40, 60, "On the Order of Small Things", 18, "hebo").text(40, 80, "A. Writer and B. Reader", 10, "heit")
    paper.text(40, 110, "1 Introduction", 12, "hebo")
    paper.prose(40, 128, 14, 32)
    paper.text(40, 310, "1.1 Aims", 11, "hebo")
    paper.lines(50, 328, ["• To put things in order", "• To keep them there for", "   as long as it takes"])
    paper.prose(40, 380, 12, 32)
    paper.picture(225, 110, 380, 200).text(225, 214, "Figure 1: A grey field.", 9)
    paper.text(225, 240, "2 Methods", 12, "hebo")
    paper.prose(225, 258, 18, 32)
    paper.rule(225, 505, 280, 505).text(225, 516, "1 A note in small type.", 7.5)
    paper.new_page().text(40, 25, "32", 8).text(300, 25, "Writer and Reader", 8)
    paper.prose(40, 60, 30, 66)
    return paper


def report() -> Paper:
    """Tables of three kinds, a contents list, a formula, code, a form field line and a link."""
    paper = Paper().text(50, 60, "Contents", 16, "hebo")
    for row, title in enumerate(("Summary", "Numbers", "Programs", "Index")):
        paper.text(50, 90 + 16 * row, title + " " + ". " * 28).text(360, 90 + 16 * row, str(3 + 9 * row))
    paper.new_page().text(50, 50, "Numbers", 16, "hebo")
    paper.text(50, 80, "Table 1: Fruit by weight", 9)
    for y in (88, 106, 160):
        paper.rule(50, y, 350, y)
    for row, cells in enumerate(
        (("Fruit", "Count", "Weight"), ("Pear", "3", "0.4"), ("Plum", "14", "1.25"), ("Fig", "2", "0.1"))
    ):
        for x, cell in zip((55, 155, 255), cells, strict=True):
            paper.text(x, 100 + 18 * row, cell, 9, "hebo" if row == 0 else "helv")
    for y in (190, 210, 250):
        paper.rule(50, y, 350, y)
    for x in (50, 150, 350):
        paper.rule(x, 190, x, 250)
    paper.text(55, 203, "Name", 9).text(155, 203, "What it is", 9).text(55, 222, "Pear", 9)
    paper.lines(155, 222, ["A fruit that is green or", "yellow and sweet"], 9, 11)
    paper.text(150, 290, "a = b + c × 2")
    paper.lines(50, 320, ["total = 0", "for fruit in basket:", "    total += fruit.weight"], font="cour")
    paper.text(50, 370, "More is told in the handbook of fruit.")
    where = paper.page.search_for("handbook")[0]
    paper.page.insert_link({"kind": 2, "from": where, "uri": "https://example.org/handbook"})
    return paper


DOCUMENTS: dict[str, Callable[[], Paper]] = {"article": article, "report": report}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_pdf_reads_as_its_golden_tree(name: str) -> None:
    assert_golden_tree(DOCUMENTS[name]().read(), FOLDER / "pdf" / f"{name}.json")


def test_sample_document_reads_as_its_golden_tree() -> None:
    assert_golden_tree(read_tree(SAMPLE.read_bytes()), FOLDER / "pdf" / "sample.json")


def test_golden_trees_are_not_rewritten_by_default() -> None:
    assert REGENERATE is False
