"""Pages by seed with drawings, photos, icons and lists of titles, and the share of them that is read right."""

import random
from collections.abc import Callable

import pytest

from quire.models.cdom.tree import BlockType, Tree
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.models.extract.formats.pdf.paper import Paper
from tests.models.extract.test_swallowed import BLUE, GREY, LEAST, SEEDS, WORDS, Page, measure, say, whole, wrap

FEW = 12
"""Seeds of a run of the suite; `python -m` on this file reads all."""
ORANGE = (0.9, 0.5, 0.1)


def count_pictures(tree: Tree) -> int:
    return sum(block.type is BlockType.PICTURE for block in tree.blocks)


def stands_alone(tree: Tree, texts: list[str]) -> bool:
    """Whether each text is in a block of text with little beside it."""
    found = [
        " ".join(block.text.split())
        for block in tree.blocks
        if block.type is not BlockType.PICTURE and block.table is None
    ]
    return all(any(text in one and len(one) < len(text) + 60 for one in found) for text in texts)


def make_infographic(chance: random.Random) -> Page:
    """Tiles of a drawn icon, a large number and a label of a few lines, some on round panels or joined by curves."""
    paper = Paper(600, 460)
    base = paper.prose(40, 50, 3, 90) + 20
    columns, rows = chance.randint(2, 4), chance.randint(2, 3)
    wide, high = 520 / columns, (430 - base) / rows
    texts, size = list[str](), chance.choice((7, 8, 9))
    style = chance.choice(("round", "ring", "bare", "joined"))
    for tile in range(rows * columns):
        x, y = 40 + wide * (tile % columns), base + high * (tile // columns)
        if style in ("round", "joined"):
            place = pymupdf.Rect(x + 4, y + 4, x + wide - 4, y + high - 4)
            paper.page.draw_rect(place, color=BLUE, fill=GREY, radius=0.1)
        middle = (x + 24, y + 24)
        paper.page.draw_circle(middle, 12, color=BLUE, fill=(1, 1, 1) if style != "bare" else None)
        if style == "ring":
            paper.page.draw_sector(middle, (x + 24, y + 12), chance.randint(40, 300), color=None, fill=ORANGE)
        else:
            paper.page.draw_bezier((x + 17, y + 24), (x + 21, y + 32), (x + 27, y + 32), (x + 31, y + 20), color=BLUE)
            paper.page.draw_circle(middle, 3, color=None, fill=ORANGE)
        if style == "joined" and tile % columns:
            paper.page.draw_bezier((x - 6, y + 24), (x - 3, y + 20), (x + 3, y + 28), (x + 6, y + 24), color=ORANGE)
        number = chance.choice((f"{chance.randint(2, 99)}%", f"{chance.randint(2, 40)} million"))
        paper.text(x + 44, y + 30, number, chance.choice((14, 16, 18)), "hebo")
        label = wrap(["of", *say(chance, chance.randint(4, 9))], int((wide - 24) / (size * 0.55)))
        paper.lines(x + 12, y + 54, label, size, size * 1.2)
        texts += [number, " ".join(label)]
    return paper, lambda tree: stands_alone(tree, texts)


def make_steps(chance: random.Random) -> Page:
    """Steps along arrows or discs: a title in bold and a few short lines each, beside a curved bracket."""
    paper = Paper(600, 420)
    base = paper.prose(40, 50, 2, 90) + 30
    count, kind, texts = chance.randint(3, 5), chance.choice(("arrow", "chevron", "disc")), list[str]()
    wide = 520 / count
    for step in range(count):
        x = 40 + wide * step
        tip = [(x + wide - 14, base), (x + wide - 4, base + 15), (x + wide - 14, base + 30), (x, base + 30)]
        if kind == "disc":
            paper.page.draw_circle((x + 20, base + 15), 15, color=None, fill=BLUE)
            paper.page.draw_curve((x + 35, base + 15), (x + 50, base + 5), (x + wide, base + 15), color=BLUE)
        else:
            notch = [(x + 10, base + 15)] if kind == "chevron" else []
            paper.page.draw_polyline([(x, base), *tip, *notch], color=BLUE, fill=GREY, closePath=True)
        head = " ".join(say(chance, 2)).capitalize()
        paper.text(x + 14, base + 50, head, 10, "hebo")
        rows = wrap(["to", *say(chance, chance.randint(5, 10))], int((wide - 20) / 4.6))
        paper.lines(x + 14, base + 64, rows, 8, 10)
        low = base + 64 + 10 * len(rows)
        paper.page.draw_bezier((x + 4, base + 40), (x + 1, base + 60), (x + 1, base + 80), (x + 4, low), color=ORANGE)
        texts += [head, " ".join(rows)]
    paper.prose(40, base + 160, 6, 90)
    return paper, lambda tree: stands_alone(tree, texts)


def make_nested(chance: random.Random) -> Page:
    """Panels in panels, square or round, each with a title and a sentence."""
    paper, texts = Paper(500, 620), list[str]()
    x0, y0, x1, y1 = 20.0, 30.0, 480.0, 600.0
    for depth in range(chance.randint(3, 6)):
        shade = (1 - 0.06 * depth, 1 - 0.05 * depth, 1)
        paper.page.draw_rect(pymupdf.Rect(x0, y0, x1, y1), color=BLUE, fill=shade, radius=chance.choice((None, 0.03)))
        head = " ".join(say(chance, 2)).capitalize()
        rows = wrap(["so", *say(chance, chance.randint(6, 12))], int((x1 - x0 - 30) / 4.9))
        paper.text(x0 + 12, y0 + 18, head, 11, "hebo").lines(x0 + 12, y0 + 34, rows, 9, 11)
        texts += [head, " ".join(rows)]
        x0, y0, x1, y1 = x0 + 14, y0 + 40 + 11 * len(rows), x1 - 14, y1 - 10
    return paper, lambda tree: stands_alone(tree, texts)


def make_diagram(chance: random.Random) -> Page:
    """Boxes with two words each, joined by curves: one picture."""
    paper = Paper(500, 500)
    base, columns = paper.prose(40, 50, 4, 76) + 20, chance.randint(2, 3)
    for row in range(chance.randint(3, 5)):
        for column in range(columns):
            x, y = 50 + 140 * column, base + 60 * row
            paper.page.draw_rect(pymupdf.Rect(x, y, x + 90, y + 30), color=BLUE, radius=0.3)
            paper.text(x + 8, y + 18, f"{chance.choice(WORDS)} {chance.choice(WORDS)}", 8)
            if column < columns - 1:
                paper.page.draw_curve((x + 90, y + 15), (x + 110, y + 14), (x + 140, y + 15), color=BLUE)
            if row:
                paper.page.draw_curve((x + 45, y - 30), (x + 44, y - 12), (x + 45, y), color=BLUE)
    return paper, lambda tree: count_pictures(tree) == 1


def make_photos(chance: random.Random) -> Page:
    """Photos of a pile that overlap a little, or one image stored as tiles."""
    paper = Paper(600, 700)
    columns, rows = chance.randint(1, 4), chance.randint(2, 6)
    wide, high = chance.randint(40, 60), chance.randint(30, 50)
    wanted, y = 1, 40
    if chance.random() < 0.4:
        for tile in range(columns * rows):
            x, y = 30 + wide * (tile % columns), 40 + high * (tile // columns)
            paper.picture(x, y, x + wide, y + high)
    else:
        wanted = chance.randint(3, 5)
        for _ in range(wanted):
            x, tall = 20 + chance.randint(0, 20), chance.randint(70, 110)
            paper.picture(x, y, x + chance.randint(90, 130), y + tall)
            y += tall - chance.randint(3, 9)
    paper.prose(320, 60, 10, 40)
    paper.prose(320, 220, 9, 40)
    return paper, lambda tree: count_pictures(tree) == wanted


def make_small_icons(chance: random.Random) -> Page:
    """Small icons of two strokes before short entries; the strokes end in long corners."""
    paper, base, texts = Paper(1000, 600), 80.0, list[str]()
    count, radius = chance.randint(4, 8), chance.choice((4, 5, 6))
    for _ in range(count):
        texts.append(" ".join(say(chance, chance.randint(3, 6))).capitalize())
        paper.page.draw_circle((60, base - 3), radius, color=BLUE, fill=None)
        paper.page.draw_bezier((57, base - 3), (59, base), (61, base), (63, base - 6), color=BLUE)
        paper.text(76, base, texts[-1], 9)
        base += chance.choice((16, 18, 24))
    paper.prose(500, 60, 12, 70)
    return paper, lambda tree: count_pictures(tree) == count and whole(tree, texts)


def make_entries(chance: random.Random) -> Page:
    """Contents without page numbers: sections and their parts, set close."""
    paper, base, texts = Paper(500, 500), 50.0, list[str]()
    size, x, indent = chance.choice((7, 8, 9)), 40 + chance.choice((0, 0, 210)), chance.choice((0, 10, 18))
    is_upper = chance.random() < 0.5
    for section in range(1, chance.randint(3, 6)):
        title = " ".join(say(chance, chance.randint(2, 4)))
        entries = [f"{section} {title.upper() if is_upper else title.capitalize()}"]
        for part in range(1, chance.randint(1, 5)):
            entries.append(f"{section}.{part} {' '.join(say(chance, chance.randint(2, 5))).title()}")
        for index, entry in enumerate(entries):
            paper.text(x + (indent if index else 0), base, entry, size)
            base += size * 1.15
        texts += entries
    paper.prose(40, base + 30, 5, 80)
    return paper, lambda tree: whole(tree, texts)


def make_stated_titles(chance: random.Random) -> Page:
    """Titles between dashes, or numbers before bold capitals, in the size of the text, below a list of them."""
    paper, base, titles = Paper(500, 700), 50.0, list[str]()
    is_numbered, size = chance.random() < 0.6, chance.choice((8, 9, 10))
    names = [" ".join(say(chance, chance.randint(2, 4))).upper() for _ in range(chance.randint(3, 6))]
    for number, name in enumerate(names if is_numbered else (), 1):
        paper.text(40, base, f"{number} {name}", size, "hebo")
        base += size * 1.2
        for part in range(1, chance.randint(1, 3)):
            paper.text(52, base, f"{number}.{part} {' '.join(say(chance, 3)).title()}", size)
            base += size * 1.2
    base += 24
    for number, name in enumerate(names, 1):
        dashes = chance.choice("-_") * chance.randint(12, 30)
        titles.append(f"{number} {name}" if is_numbered else dashes + name + dashes)
        paper.text(40, base, titles[-1], size, "hebo")
        rows = wrap(["The", *say(chance, chance.randint(24, 40))], int(760 / size))
        base = paper.lines(40, base + size * 1.3, rows, size, size * 1.2) + size * 0.4

    def is_right(tree: Tree) -> bool:
        return [block.text for block in tree.blocks if block.type in (BlockType.HEADING, BlockType.TITLE)] == titles

    return paper, is_right


MAKERS = (make_infographic, make_steps, make_nested, make_diagram, make_photos, make_small_icons, make_entries,
          make_stated_titles)  # fmt: skip


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_drawn_pages_of_a_class_are_read_right(maker: Callable[[random.Random], Page]) -> None:
    wrong = measure(maker, SEEDS[:FEW])
    assert len(wrong) <= (1 - LEAST) * FEW, f"wrong: {wrong}"


if __name__ == "__main__":
    for maker in MAKERS:
        wrong = measure(maker)
        print(f"{maker.__name__:20} {1 - len(wrong) / len(SEEDS):.2f}  wrong {wrong}")
