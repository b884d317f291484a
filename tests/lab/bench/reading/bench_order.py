"""Reading order of pages whose order is known: made here, read by Quire, judged by the pieces that follow each other.

`python -m tests.lab.bench.reading.bench_order [--pages 20] [--mirrored]`: by kind of page, the share of neighbouring
pieces of the true order that are neighbours in the tree, and the share of all pairs that stand the right way round.
"""

import argparse
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from statistics import fmean

from quire.models.cdom.original import ReadOptions
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.registry import open_document

WIDTH, HEIGHT = 595.0, 842.0  # A4 in points
_MARK = re.compile(r"Q(\d\d)(?!\d)")
WORDS = (
    *("river", "market", "stone", "harbour", "winter", "letter", "garden", "council", "number", "method"),
    *("result", "village", "engine", "paper", "window", "figure", "summer", "station", "history", "measure"),
    *("answer", "library", "border", "season", "teacher", "music", "bridge", "forest", "island", "report"),
)
HEBREW = (
    "נהר",
    "שוק",
    "אבן",
    "נמל",
    "חורף",
    "מכתב",
    "גינה",
    "מספר",
    "שיטה",
    "כפר",
    "מנוע",
    "נייר",
    "חלון",
    "קיץ",
    "תחנה",
)
AREA_A_WORD = 6.2  # of a word with its blank and its share of leading, in squares of the size of its type
Box = tuple[float, float, float, float]


@dataclass(slots=True)
class OrderPage:
    """Pieces in their true order: box, size of type, words. `drawn`: frames around some; `photos`: pictures."""

    random: random.Random
    width: float = WIDTH
    height: float = HEIGHT
    pieces: list[tuple[Box, float, str]] = field(default_factory=list)
    drawn: list[Box] = field(default_factory=list)
    photos: list[Box] = field(default_factory=list)

    def add(self, x0: float, y0: float, x1: float, y1: float, *, size: float = 10.0, words: int | None = None) -> None:
        """A piece that fills its box, or has so many words."""
        room = int((x1 - x0) * (y1 - y0) / (size * size * AREA_A_WORD)) if words is None else words
        chosen = [self.random.choice(WORDS) for _ in range(max(1, room - 1))]
        mark = f"Q{len(self.pieces):02d}"
        text = f"{mark} {' '.join(chosen)}" + ("." if size < 14 and room > 8 else "")
        self.pieces.append(((x0, y0, x1, y1), size, text))

    def save(self) -> bytes:
        file = pymupdf.open()
        page = file.new_page(width=self.width, height=self.height)
        for box in self.drawn:
            page.draw_rect(box, color=(0.4, 0.4, 0.4), width=0.8)
        for box in self.photos:
            page.insert_image(box, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, (0, 0, 40, 20), False), keep_proportion=False)
        for (x0, y0, x1, _), size, text in self.pieces:
            page.insert_textbox((x0, y0, x1, self.height), text, fontsize=size, fontname="helv")
        return bytes(file.tobytes())

    def save_mirrored(self) -> bytes:
        """The same page as a mirror shows it, its words Hebrew: read from the right."""
        file = pymupdf.open()
        page = file.new_page(width=self.width, height=self.height)
        for box in self.drawn:
            page.draw_rect(self._mirror(box), color=(0.4, 0.4, 0.4), width=0.8)
        for box in self.photos:
            pixels = pymupdf.Pixmap(pymupdf.csGRAY, (0, 0, 40, 20), False)
            page.insert_image(self._mirror(box), pixmap=pixels, keep_proportion=False)
        for box, size, text in self.pieces:
            words = enumerate(text.split())
            said = " ".join(_say_in_hebrew(word, at) if word.strip(".").islower() else word for at, word in words)
            x0, y0, x1, y1 = self._mirror(box)
            place = pymupdf.Rect(x0, y0, x1, max(y1, y0 + 1.6 * size))
            html = f'<p dir="rtl" style="font-size:{size}px">{said}</p>'  # aligned to the right by itself
            page.insert_htmlbox(place, html, css="* {margin:0}", scale_low=0.5)
        return bytes(file.tobytes())

    def _mirror(self, box: Box) -> Box:
        return (self.width - box[2], box[1], self.width - box[0], box[3])


def _say_in_hebrew(word: str, at: int) -> str:
    """A word for a short one, two for a long one: about as wide, so that the piece fills its box as in English."""
    first, second = HEBREW[len(word) * at % len(HEBREW)], HEBREW[(at + 1) % len(HEBREW)]
    return (f"{first} {second}" if len(word) > 5 else first) + "." * word.endswith(".")


def columns(
    page: OrderPage, count: int, top: float, bottom: float, left: float = 50, right: float = WIDTH - 50
) -> None:
    """Text columns of paragraphs of different lengths."""
    gutter = page.random.uniform(14, 26)
    width = (right - left - gutter * (count - 1)) / count
    for column in range(count):
        x, y = left + column * (width + gutter), top
        while y < bottom - 40:
            high = min(page.random.uniform(40, 150), bottom - y)
            page.add(x, y, x + width, y + high - 14)
            y += high


def make_columns(page: OrderPage) -> None:
    columns(page, page.random.choice([2, 3]), 60, 780)


def make_spanning_title(page: OrderPage) -> None:
    page.add(60, 50, 540, 75, size=20, words=5)
    page.add(60, 90, 540, 130)
    columns(page, 2, 150, 780)


def make_middle_title(page: OrderPage) -> None:
    middle = page.random.uniform(300, 480)
    columns(page, 2, 60, middle - 20)
    page.add(60, middle, 540, middle + 22, size=18, words=5)
    columns(page, 2, middle + 45, 780)


def make_float(page: OrderPage) -> None:
    """A picture across both columns with its caption, at the top or in the middle."""
    top = page.random.choice([60.0, 330.0])
    if top > 100:
        columns(page, 2, 60, top - 15)
    page.photos.append((55, top, 540, top + 90))
    page.add(60, top + 100, 540, top + 114, size=9, words=8)
    columns(page, 2, top + 140, 780)


def make_small_float(page: OrderPage) -> None:
    """A picture with its caption inside one of two columns."""
    column = page.random.randrange(2)
    for side in range(2):
        x0 = 50 + 255 * side
        if side != column:
            columns(page, 1, 60, 780, x0, x0 + 237)
            continue
        top = page.random.uniform(200, 400)
        columns(page, 1, 60, top - 10, x0, x0 + 237)
        page.photos.append((x0, top, x0 + 237, top + 100))
        page.add(x0, top + 106, x0 + 237, top + 118, size=8.5, words=6)
        columns(page, 1, top + 140, 780, x0, x0 + 237)


def make_table_beside(page: OrderPage) -> None:
    """A ruled table in the right column, text around it."""
    columns(page, 1, 60, 780, 50, 287)
    columns(page, 1, 60, 280, 305, 545)
    for row in range(6):
        y = 300 + 22 * row
        page.drawn += [(305, y, 425, y + 22), (425, y, 545, y + 22)]
        page.add(310, y + 5, 420, y + 18, size=9, words=2)
        page.add(430, y + 5, 540, y + 18, size=9, words=2)
    columns(page, 1, 450, 780, 305, 545)


def make_quote(page: OrderPage) -> None:
    """Three columns; a quotation in large type across the last two, below a title across all."""
    page.add(50, 45, 545, 70, size=22, words=5)
    columns(page, 1, 100, 780, 50, 205)
    page.add(225, 100, 545, 150, size=15, words=10)
    columns(page, 2, 175, 780, 225, 545)


def make_sidebar(page: OrderPage) -> None:
    """Draw a narrow framed box next to the text, read after it (right) or before it (left)."""
    left = page.random.random() < 0.5
    x0, x1 = (50, 190) if left else (405, 545)
    text = (215, 545) if left else (50, 380)
    page.drawn.append((x0, 95, x1, 420))
    page.add(50, 50, 545, 72, size=18, words=4)
    if left:
        page.add(x0 + 8, 102, x1 - 8, 400, size=9)
    y = 100.0
    while y < 740:
        high = page.random.uniform(60, 130)
        page.add(*(text[0], y, text[1], min(y + high, 780)))
        y += high + 14
    if not left:
        page.add(x0 + 8, 102, x1 - 8, 400, size=9)


def make_notes(page: OrderPage) -> None:
    columns(page, 2, 60, 660)
    for column in range(2):
        for row in range(2):
            x, y = 50 + column * 255, 680 + 34 * row
            page.add(x, y, x + 235, y + 24, size=7.5, words=14)
            box, size, text = page.pieces[-1]
            page.pieces[-1] = (box, size, f"{column * 2 + row + 1} {text}")


def make_slide(page: OrderPage) -> None:
    page.width, page.height = 720, 405
    page.add(40, 25, 680, 60, size=28, words=4)
    for column in range(2):
        for row in range(3):
            x, y = 40 + 330 * column, 95 + 85 * row
            page.add(x, y, x + 300, y + 60, size=16, words=9)


def make_poster(page: OrderPage) -> None:
    page.width, page.height = 1000, 800
    page.add(60, 30, 940, 80, size=36, words=5)
    for column in range(3):
        y = 110.0
        for _ in range(3):
            x = 40 + 315 * column
            page.add(x, y, x + 290, y + 24, size=18, words=3)
            page.add(x, y + 32, x + 290, y + 170, size=11)
            y += 215


def make_form(page: OrderPage) -> None:
    """Draw rows of a label and its value, in two blocks that are next to each other only at the end."""
    page.add(60, 50, 540, 75, size=18, words=4)
    for row in range(12):
        y = 100 + 34 * row
        page.add(60, y, 200, y + 14, words=2)
        page.add(240, y, 540, y + 14, words=4)
    page.add(60, 560, 540, 640)


def make_spread(page: OrderPage) -> None:
    """Two pages on one sheet, each with a title and two columns."""
    page.width = 2 * WIDTH
    for side in range(2):
        left = 50 + side * WIDTH
        page.add(left, 50, left + 490, 75, size=18, words=4)
        columns(page, 2, 100, 780, left, left + 495)


KINDS: dict[str, Callable[[OrderPage], None]] = {
    "columns": make_columns,
    "spanning title": make_spanning_title,
    "title between": make_middle_title,
    "float across": make_float,
    "float in column": make_small_float,
    "table in column": make_table_beside,
    "quotation": make_quote,
    "sidebar": make_sidebar,
    "notes": make_notes,
    "slide": make_slide,
    "poster": make_poster,
    "form": make_form,
    "spread": make_spread,
}


def read_order(data: bytes) -> list[int]:
    """The marks of the pieces in the order of the tree."""
    content = open_document(data, ReadOptions()).read_page(1).content
    texts: list[str] = []
    for block in content.blocks:
        cells = block.table.cells if block.table is not None else ()
        texts += [block.text, *(cell.text for cell in cells)]
    return [int(mark) for text in texts for mark in _MARK.findall(text)]


def score_order(found: list[int], count: int) -> tuple[float, float]:
    """(neighbours kept, pairs the right way round) of pieces 0 to `count` - 1, each between 0 and 1."""
    place = {mark: at for at, mark in reversed(list(enumerate(found)))}
    after = set(pairwise(found))
    neighbours = [pair in after for pair in pairwise(range(count))]
    pairs = [place.get(a, count) < place.get(b, -1) for a, b in combinations(range(count), 2)]
    return fmean(neighbours), fmean(pairs)


def judge_kind(kind: str, pages: int, *, mirrored: bool = False) -> tuple[float, float]:
    scores: list[tuple[float, float]] = []
    for seed in range(pages):
        page = OrderPage(random.Random(f"{kind} {seed}"))
        KINDS[kind](page)
        data = page.save_mirrored() if mirrored else page.save()
        scores.append(score_order(read_order(data), len(page.pieces)))
    return fmean(one for one, _ in scores), fmean(other for _, other in scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--mirrored", action="store_true", help="the same pages, Hebrew, from right to left")
    asked = parser.parse_args()
    pages, mirrored = asked.pages, asked.mirrored
    print(f"{'kind':16} neighbours  pairs")
    found = {kind: judge_kind(kind, pages, mirrored=mirrored) for kind in KINDS}
    for kind, (neighbours, pairs) in found.items():
        print(f"{kind:16} {neighbours:10.3f} {pairs:6.3f}")
    print(f"{'mean':16} {fmean(n for n, _ in found.values()):10.3f} {fmean(p for _, p in found.values()):6.3f}")


if __name__ == "__main__":
    main()
