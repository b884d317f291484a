"""The same file gives the same bytes: read page by page in order, or from the last page on by other readers."""

import random

import pytest

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Source, dump_tree
from quire.models.extract.contract import dump_page, load_page
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document

pytestmark = pytest.mark.long

FILES = 300
BATCH = 50  # files of one test, so that a failure names a few
_WORDS = "quay rope crane brake load test list spring limit office weight signal cabin hook drum wire".split()  # noqa: SIM905
_FONTS = ("helv", "tiro", "cour", "hebo", "tibo")


def make_file(seed: int) -> bytes:
    """Make one to three pages of headings, prose, columns, a ruled table and hidden text."""
    rng = random.Random(seed)
    document = pymupdf.open()
    for number in range(rng.randint(1, 3)):
        page = document.new_page(width=420, height=rng.choice((400, 594)))
        page.insert_text((40, 50), f"{number + 1}. {rng.choice(_WORDS).title()}", fontsize=16, fontname="hebo")
        columns = rng.choice((1, 1, 2))
        for column in range(columns):
            left, wide = 40 + column * 175, 340 / columns - 10
            text = ". ".join(" ".join(rng.choices(_WORDS, k=rng.randint(4, 12))).capitalize() for _ in range(9))
            page.insert_textbox((left, 70, left + wide, 250), text, fontsize=9, fontname=rng.choice(_FONTS))
        for row in range(rng.choice((0, 4, 6))):
            for col in range(3):
                page.draw_rect((40 + col * 90, 260 + row * 18, 130 + col * 90, 278 + row * 18))
                page.insert_text((44 + col * 90, 272 + row * 18), str(rng.randint(1, 9999)), fontsize=8)
        if rng.random() < 0.3:
            page.insert_text((40, 385), "nobody sees this", render_mode=3)
    return bytes(document.tobytes(no_new_id=True))


def read(data: bytes, *, backwards: bool) -> bytes:
    """Read pages in order by one reader, or last first, each by a separate reader and through JSON."""
    options = ReadOptions()
    first = open_document(data, options)
    numbers = list(first.facts.page_numbers)
    if backwards:
        pages = [
            load_page(dump_page(open_document(data, options).read_page(number).content)) for number in reversed(numbers)
        ]
    else:
        pages = [first.read_page(number).content for number in numbers]
    source = Source(format="pdf", sha256="0" * 64, bytes=len(data))
    return dump_tree(assemble(first.facts, pages, source=source, options=options))


@pytest.mark.parametrize("start", range(0, FILES, BATCH))
def test_file_read_twice_in_two_ways_gives_same_bytes(start: int) -> None:
    differing = [
        seed
        for seed in range(start, start + BATCH)
        if read(data := make_file(seed), backwards=False) != read(data, backwards=True)
    ]
    assert differing == []
