"""Pages of very many glyphs are read whole, in bounded time and memory, and always alike."""

import random
import resource
import time
from collections.abc import Callable

import pytest

from quire.models.cdom.original import OcrMode
from quire.models.cdom.tree import Tree
from tests.models.extract.core.hostile_pages import HostilePage, make_crowded_page
from tests.models.extract.formats.pdf.paper import Paper, read_tree

SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 5))]
CPU_SECONDS = 60.0
"""Bounds a run-away: twice what the slowest of these pages takes on a slow machine."""
MEGABYTES = 500


def make_lines(chance: random.Random) -> tuple[str, int]:
    """A million glyphs in lines of tiny type."""
    count, size = chance.randrange(800, 1200), chance.uniform(0.4, 0.8)
    shown = [
        f"BT /helv {size:.2f} Tf 1 0 0 1 10 {790 * n / count:.3f} Tm ({'abcd efgh ' * 100}) Tj ET" for n in range(count)
    ]
    return "\n".join(shown), 800 * count


def make_pile(chance: random.Random) -> tuple[str, int]:
    """A million glyphs at one place, of which one is seen."""
    at = f"1 0 0 1 {chance.randrange(10, 500)} {chance.randrange(10, 700)} Tm"
    return f"BT /helv 8 Tf {at} " + f"(a) Tj {at} " * 1_000_000 + "ET", 1


def make_endless(chance: random.Random) -> tuple[str, int]:
    """A million glyphs in one line too small to see."""
    return f"BT /helv {chance.uniform(0.0005, 0.002):.4f} Tf 1 0 0 1 10 400 Tm ({'abcd ' * 200_000}) Tj ET", 800_000


def make_scattered(chance: random.Random) -> tuple[str, int]:
    """Four thousand words at places without order, which lie over each other and are judged as garbled."""
    shown = []
    for number in range(4000):
        place = f"{chance.uniform(0, 590):.2f} {chance.uniform(0, 790):.2f}"
        shown.append(f"BT /helv 2 Tf 1 0 0 1 {place} Tm (w{number:04d}) Tj ET")
    return "\n".join(shown), 15_000


def read_page(content: str) -> Tree:
    paper = Paper(600, 800).text(1, 1, "x")
    number = paper.file.get_new_xref()
    paper.file.update_object(number, "<<>>")
    paper.file.update_stream(number, content.encode())
    paper.page.set_contents(number)
    return read_tree(paper.save(deflate=True), ocr=OcrMode.NEVER)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", [make_lines, make_pile, make_endless, make_scattered])
def test_crowded_page_is_read_whole_in_bounded_time_and_memory(
    make: Callable[[random.Random], tuple[str, int]], seed: int
) -> None:
    content, letters = make(random.Random(seed))
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    tree = read_page(content)
    assert time.process_time() - start < CPU_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEGABYTES * 1024
    assert sum(char.isalnum() for block in tree.blocks for char in block.text) >= letters
    if seed == 0:
        assert read_page(content) == tree


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 20))])
def test_crowded_page_of_hostile_glyphs_is_read_in_bounded_time(seed: int) -> None:
    data, start = make_crowded_page(seed), time.process_time()
    assert len(read_tree(data, ocr=OcrMode.NEVER).pages) == 1
    assert time.process_time() - start < CPU_SECONDS


@pytest.mark.nightly
def test_million_scattered_glyphs_are_read_but_not_judged() -> None:
    data, start = HostilePage(1).scatter(200_000, apart=True), time.process_time()
    tree = read_tree(data, ocr=OcrMode.NEVER)
    assert time.process_time() - start < 5 * CPU_SECONDS
    assert sum(len(block.text) for block in tree.blocks) > 900_000
    assert tree.coverage is not None
    assert tree.coverage.unknown == (1,)
    assert not tree.coverage.complete
