"""A file that changed in a few pages: only those are read, and the tree is that of a full reading."""

import io
import logging
import random
import re
import zlib
from collections.abc import Callable, Iterator

import pymupdf
import pytest

from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import ReadOutcome
from quire.models.extract.pipeline import kept_pages

PAGES = 24
OPTIONS = ReadOptions(ocr=OcrMode.NEVER)
Change = Callable[[pymupdf.Document, random.Random], set[int] | None]
"""Changes a file; returns the pages (1-based) that must be read again, None where any may be."""


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(SandboxLimits(), draw=True, keep_from=20)
    yield reader
    reader.close()


def make_file(seed: int) -> pymupdf.Document:
    """A report with headings, a table with rules, a picture and links."""
    chosen, file = random.Random(seed), pymupdf.open()
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 30, 20))
    picture.clear_with(chosen.randrange(40, 200))
    for number in range(1, PAGES + 1):
        page = file.new_page()
        page.insert_text((60, 80), f"{number}. Part of the report", fontsize=16, fontname="hebo")
        page.insert_textbox((60, 100, 500, 300), " ".join(f"word{chosen.randrange(900)}" for _ in range(90)))
        for row in range(4):
            page.draw_line((60, 330 + 20 * row), (300, 330 + 20 * row))
            if row < 3:
                page.insert_text((64, 345 + 20 * row), f"Item {row}")
                page.insert_text((204, 345 + 20 * row), f"{chosen.randrange(1000)}")
        for x in (60, 200, 300):
            page.draw_line((x, 330), (x, 390))
        if number % 5 == 0:
            page.insert_image((60, 420, 360, 620), pixmap=picture)
        page.insert_link(
            {"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(60, 70, 200, 85), "uri": f"https://example.com/{number}"}
        )
    return file


def add_text(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    numbers = set(chosen.sample(range(1, PAGES + 1), 3))
    for number in numbers:
        file[number - 1].insert_text((60, 700), f"A new remark {chosen.random()}")
    return numbers


def write_other_font(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    number = chosen.randrange(1, PAGES + 1)
    file[number - 1].insert_text((60, 660), "In another face", fontname="tiro")
    return {number}


def insert_page(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    at = chosen.randrange(PAGES)
    page = file.new_page(at)
    page.insert_text((60, 80), "An inserted page with a few words")
    return {at + 1}


def delete_page(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    file.delete_page(chosen.randrange(PAGES))
    return set()


def move_page(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    file.move_page(chosen.randrange(2, PAGES), 0)
    return set()


def turn_page(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    number = chosen.randrange(1, PAGES + 1)
    file[number - 1].set_rotation(90)
    return {number}


def change_link(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    number = chosen.randrange(1, PAGES + 1)
    page = file[number - 1]
    link = page.get_links()[0]
    page.update_link(link | {"uri": "https://example.org/other"})
    return {number}


def add_note(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    number = chosen.randrange(1, PAGES + 1)
    file[number - 1].add_highlight_annot((60, 70, 200, 85))
    return {number}


def change_picture(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    """One picture that several pages share."""
    xref = file[4].get_images()[0][0]
    other = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 30, 20))
    other.clear_with(7)
    file[4].replace_image(xref, pixmap=other)
    return {5, 10, 15, 20}


def label_pages(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    file.set_page_labels([{"startpage": 0, "prefix": "A-", "style": "D", "firstpagenum": chosen.randrange(1, 9)}])
    return set()


def set_outline(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    file.set_toc([[1, f"Part {n}", n] for n in range(1, len(file) + 1, 2)])
    return set()


def add_layer(file: pymupdf.Document, chosen: random.Random) -> None:
    layer = file.add_ocg("notes", on=False)
    file[3].insert_text((60, 640), "Only in a layer that is off", oc=layer)


def add_field(file: pymupdf.Document, chosen: random.Random) -> None:
    widget = pymupdf.Widget()
    widget.field_name, widget.field_type = "total", pymupdf.PDF_WIDGET_TYPE_TEXT
    widget.rect, widget.field_value = pymupdf.Rect(320, 330, 480, 350), f"{chosen.randrange(1000)}"
    file[2].add_widget(widget)


def keep_all(file: pymupdf.Document, chosen: random.Random) -> set[int]:
    return set()


CHANGES: list[Change] = [
    add_text, write_other_font, insert_page, delete_page, move_page, turn_page, change_link, add_note, change_picture,
    label_pages, set_outline, add_layer, add_field, keep_all,
]  # fmt: skip


def read(reader: DocumentReader, data: bytes, earlier: bytes = b"", options: ReadOptions = OPTIONS) -> ReadOutcome:
    outcome = reader.read_until_pixels(io.BytesIO(data), options, earlier=lambda: earlier)
    assert not isinstance(outcome, PendingOcr)
    assert outcome.tree_json, outcome
    return outcome


def count_reused(caplog: pytest.LogCaptureFixture) -> int:
    found = re.findall(r"(\d+) of \d+ pages are those of an earlier file", caplog.text)
    return int(found[-1]) if found else 0


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("change", CHANGES)
def test_changed_file_gives_the_tree_of_a_full_reading(
    reader: DocumentReader, caplog: pytest.LogCaptureFixture, change: Change, seed: int
) -> None:
    caplog.set_level(logging.INFO)
    file = make_file(seed)
    first = read(reader, file.tobytes())
    changed = change(file, random.Random(seed))
    data = file.tobytes(garbage=3, clean=False)  # other object numbers than before
    caplog.clear()
    again = read(reader, data, first.kept_pages)
    reused = count_reused(caplog)
    full = read(reader, data)
    assert again.tree_json == full.tree_json
    assert again.assets == full.assets
    assert again.kept_pages == full.kept_pages
    if changed is not None:
        assert reused == len(file) - len(changed)


def test_other_options_and_another_reader_read_every_page(
    reader: DocumentReader, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    data = make_file(3).tobytes()
    kept = read(reader, data).kept_pages
    read(reader, data, kept, ReadOptions(ocr=OcrMode.NEVER, words=True))
    assert count_reused(caplog) == 0
    read(reader, data, kept)
    assert count_reused(caplog) == PAGES


@pytest.mark.parametrize("damaged", [b"no such file", b"x" * 100, b"\x78\x9c"])
def test_damaged_earlier_pages_are_not_used(reader: DocumentReader, damaged: bytes) -> None:
    data = make_file(4).tobytes()
    assert read(reader, data, damaged).tree_json == read(reader, data).tree_json


def test_short_document_keeps_nothing(reader: DocumentReader) -> None:
    file = make_file(5)
    file.select(range(10))
    assert read(reader, file.tobytes()).kept_pages == b""


def test_contents_that_unpack_to_too_much_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_pages, "MOST_KEPT_BYTES", 10)
    assert kept_pages._load(zlib.compress(b"a b\n" * 1000)).keys() <= {b"a", b""}
