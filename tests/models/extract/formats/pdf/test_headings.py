"""Headings that the rules alone miss, and lookalikes, each on a page made for it."""

import numpy as np
import pytest

from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.headings import decide
from quire.models.extract.layout.headings.decide import THRESHOLDS, decide_headings
from quire.models.extract.layout.learned.forest import Matrix, Scores
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.text.kinds import PageLook
from tests.models.extract.formats.pdf.paper import Paper, of_type, texts


def article(*heads: str, font: str, size: float) -> Paper:
    """A page of sections, each head between blank space and prose."""
    paper, y = Paper(), 60.0
    for head in heads:
        paper.text(50, y, head, size, font)
        y = paper.prose(50, y + 20, 5) + 16
    return paper


def test_light_headings_in_the_size_of_the_text_are_headings() -> None:
    paper = article("Scope of the Survey", "Methods and Sample", "Main Results", font="heit", size=10.5)
    assert texts(paper.read(), BlockType.HEADING) == ["Scope of the Survey", "Methods and Sample", "Main Results"]


def test_small_capitals_make_headings() -> None:
    paper, y = Paper(), 60.0
    for word in ("Scope", "Methods", "Results"):
        paper.text(50, y, word[0], 13, "tiro").text(60, y, word[1:].upper(), 9.6, "tiro")
        y = paper.prose(50, y + 20, 5) + 16
    assert len(of_type(paper.read(), BlockType.HEADING)) == 3


def test_numbered_headings_in_bold_of_the_size_of_the_text_are_headings() -> None:
    paper = article("1. Scope", "2. Methods", "3. Results", font="hebo", size=10)
    assert texts(paper.read(), BlockType.HEADING) == ["1. Scope", "2. Methods", "3. Results"]


def test_short_line_in_another_type_is_block_of_its_own_above_its_text() -> None:
    paper, y = Paper(), 60.0
    for head in ("Scope of it", "Methods used", "Main results"):
        paper.text(50, y, head, 10, "tiit")
        y = paper.prose(50, y + 12, 6) + 8
    found = paper.read().blocks
    assert [block.text for block in found[::2]] == ["Scope of it", "Methods used", "Main results"]


def test_a_sentence_that_starts_in_italics_stays_whole() -> None:
    paper = Paper().text(50, 60, "The Origin of Species by Means of Natural Selection was first", 10, "tiit")
    paper.lines(50, 72, ["published in 1859 and has been in print for all the years", "since then."], font="tiro")
    assert len(paper.read().blocks) == 1


def test_a_running_head_in_small_type_is_not_a_heading() -> None:
    paper = Paper()
    for _ in range(3):
        paper.text(50, 30, "A History of Parcels", 7).text(50, 80, "A History of Parcels", 16, "hebo")
        paper.prose(50, 110, 20)
        paper.new_page()
    tree = paper.read()
    small = [block.type for block in tree.blocks if block.bbox is not None and block.bbox[3] < 40]
    assert set(small) == {BlockType.PAGE_HEADER}


class SureOfNothing:
    """Trees that call nothing a heading."""

    def probabilities(self, rows: Matrix) -> Scores:
        return np.zeros(len(rows))


def test_heading_that_the_running_head_repeats_stays_a_heading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(decide, "heading_forest", SureOfNothing)
    groups = [
        [Line(150, 43, 200, 51, 49, 8.8, "Smart Cards")],
        [Line(50, 70, 150, 84, 81, 15.4, "Smart Cards")],
        [Line(50, 170, 150, 184, 181, 15.4, "Other Cards")],
        [Line(50, 270, 150, 276, 275, 7.0, "Smart Cards")],
    ]
    kinds = [BlockType.PAGE_HEADER, BlockType.HEADING, BlockType.HEADING, BlockType.HEADING]
    marks = PageMarks(width=400, height=600, lines=[])
    decided, _ = decide_headings(kinds, groups, marks, PageLook(10, 0, 400, 600))
    assert decided == [BlockType.PAGE_HEADER, BlockType.HEADING, BlockType.PARAGRAPH, BlockType.PARAGRAPH]


def test_a_sentence_in_larger_type_is_not_a_heading() -> None:
    paper = Paper()
    paper.lines(
        50, 60, ["This summary is set in larger type than all of the", "page and still is nothing but a sentence."],
        size=12, step=15,
    )  # fmt: skip
    paper.prose(50, 110, 8)
    assert texts(paper.read(), BlockType.HEADING) == []


def test_a_page_of_very_many_pieces_keeps_the_rules() -> None:
    groups = [[Line(50, y, 90, y + 8, y + 7, 10, "Place")] for y in range(THRESHOLDS.most_groups + 1)]
    kinds = [BlockType.HEADING] * len(groups)
    marks = PageMarks(width=400, height=600, lines=[])
    assert decide_headings(kinds, groups, marks, PageLook(10, 0, 400, 600))[0] == kinds
    assert decide_headings(kinds[1:], groups[1:], marks, PageLook(10, 0, 400, 600))[0] != kinds[1:]
