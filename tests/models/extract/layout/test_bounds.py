"""Pages made to cost much: the work grows no faster than the page, and the same bytes come out however busy it is.

Work is counted in calls of functions, never in seconds.
"""

import cProfile
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from quire.models.cdom.tree import dump_tree
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.models.extract.formats.pdf.paper import Paper, read_tree

pytestmark = [pytest.mark.long, pytest.mark.nightly]

MANY = 10_000
GROWTH = 3.0
"""Work of twice as much: twice, and what sorting and warming up add."""


def ruled(kind: Callable[[random.Random, int], tuple[float, float, float, float]]) -> Callable[[int], bytes]:
    def make(count: int) -> bytes:
        chance, paper = random.Random(1), Paper()
        shape = paper.page.new_shape()
        for number in range(count):
            x0, y0, x1, y1 = kind(chance, number)
            shape.draw_line((x0, y0), (x1, y1))
        shape.finish(width=0.5)
        shape.commit()
        for line in range(30):
            paper.text(30, 40 + 18 * line, f"row {line} and 12.{line}", 8).text(250, 40 + 18 * line, str(line * 3), 8)
        return paper.save()

    return make


def _in_a_grid(chance: random.Random, number: int) -> tuple[float, float, float, float]:
    at = number // 2
    if number % 2:
        y = 20 + at % 560 + at // 560 * 0.1
        return (20, y, 400, y)
    x = 20 + at % 380 + at // 380 * 0.1
    return (x, 20, x, 580)


def _anywhere(chance: random.Random, number: int) -> tuple[float, float, float, float]:
    x, y, length = chance.uniform(20, 300), chance.uniform(20, 480), chance.uniform(1, 100)
    return (x, y, x + length, y) if number % 2 else (x, y, x, y + length)


def _aslant(chance: random.Random, number: int) -> tuple[float, float, float, float]:
    return (chance.uniform(20, 400), chance.uniform(20, 580), chance.uniform(20, 400), chance.uniform(20, 580))


def shaded(count: int) -> bytes:
    paper = Paper()
    for number in range(count // 10):
        x, y = 20 + number % 40 * 9.5, 20 + number // 40 * 11
        paper.bar(x, y, x + 9.5, y + 11, (number % 3 / 3, 0.5, 0.5))
    return paper.save()


def segments(count: int) -> bytes:
    """Short words everywhere, half of them in columns."""
    chance, paper, font = random.Random(2), Paper(1200, 1700), pymupdf.Font("helv")
    writer = pymupdf.TextWriter(paper.page.rect)
    for number in range(count):
        x, y = 10 + number % 50 * 23.6, 10 + number // 50 * 8.2 % 1680
        place = (x, y) if number % 2 else (chance.uniform(10, 1150), chance.uniform(10, 1690))
        writer.append(place, str(number % 97) if number % 3 else "ab", font=font, fontsize=4)
    writer.write_text(paper.page)
    return paper.save()


def turned(count: int) -> bytes:
    """The same words run upwards, downwards and mirrored."""
    paper = Paper(1200, 1700)
    with pymupdf.open(stream=segments(count // 4)) as original:
        for turn in (90, 270, 180):
            paper.page.show_pdf_page(paper.page.rect, original, 0, rotate=turn)
    return paper.save()


PAGES = {
    "a grid": ruled(_in_a_grid), "rules anywhere": ruled(_anywhere), "slanted": ruled(_aslant), "shaded": shaded,
    "segments": segments, "turned": turned,
}  # fmt: skip


@cache
def page_of(name: str, count: int) -> bytes:
    return PAGES[name](count)


def count_calls(data: bytes) -> int:
    """Calls of Python functions while it is read."""
    with cProfile.Profile(builtins=False) as counted:
        read_tree(data)
    return sum(entry.callcount for entry in counted.getstats())


@pytest.mark.parametrize("name", PAGES)
def test_doubled_page_content_takes_at_most_twice_the_work_and_a_margin(name: str) -> None:
    half, whole = page_of(name, MANY // 2), page_of(name, MANY)
    read_tree(half)
    assert count_calls(whole) <= GROWTH * count_calls(half)


@pytest.mark.parametrize("name", PAGES)
def test_page_of_ten_thousand_items_gives_the_same_bytes_under_load(name: str) -> None:
    data = page_of(name, MANY)
    alone = dump_tree(read_tree(data))
    with ThreadPoolExecutor(2) as threads:
        assert {dump_tree(tree) for tree in threads.map(read_tree, [data] * 2)} == {alone}


def test_spreadsheet_on_400_pages_is_a_single_table_at_linear_cost() -> None:
    def printed(pages: int) -> bytes:
        paper = Paper()
        for number in range(pages):
            if number:
                paper.new_page()
            for line in range(9):
                cells = ("Ship", "Tons", "Dues") if not line else (f"ship {number}-{line}", f"{number}", f"{line}.50")
                for x, text in zip((55, 155, 255), cells, strict=True):
                    paper.text(x, 60 + 18 * line, text, 9, "hebo" if not line else "helv")
                paper.rule(50, 47 + 18 * line, 350, 47 + 18 * line)
            paper.rule(50, 47 + 18 * 9, 350, 47 + 18 * 9)
        return paper.save()

    tree = read_tree(printed(400))
    (block,) = (block for block in tree.blocks if block.table is not None)
    assert block.table is not None
    assert (block.table.rows, len(block.table.parts)) == (1 + 400 * 8, 400)
    assert block.table.cells[-1].text == "8.50"
    assert tree.coverage is not None
    assert tree.coverage.complete
    assert count_calls(printed(40)) <= GROWTH * count_calls(printed(20))
