"""Pages by seed with cards, goals next to bars and drawings around text, and the share of them that is read right."""

import random
from collections.abc import Callable

import pytest

from quire.models.cdom.geometry import bbox_area, intersection_area
from quire.models.cdom.tree import BlockType, Tree
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.models.extract.formats.pdf.paper import Paper
from tests.models.extract.test_swallowed import BLUE, GREY, LEAST, NAMES, SEEDS, Page, measure, say, whole, wrap

FEW = 8
"""Seeds of a run of the suite; `python -m` on this file reads all."""
RED = (0.8, 0.1, 0.2)
CURVE = ((-9, 30), (-3, 42), (3, 42), (9, 24))
"""Points of a curve in an icon."""


def holds_text(tree: Tree) -> bool:
    """Whether a picture that is drawn lies over blocks of text."""
    boxes = [block.bbox for block in tree.blocks if block.type is BlockType.PICTURE and block.bbox]
    text = [block.bbox for block in tree.blocks if block.type is not BlockType.PICTURE and block.bbox]
    return any(intersection_area(box, one) > 0.5 * bbox_area(one) for box in boxes for one in text)


def stands(tree: Tree, texts: list[str]) -> bool:
    """Whether each text is a block, in this order, none is in a table or picture, and no picture lies over text."""
    if holds_text(tree) or any(
        block.table or (block.text and block.type is BlockType.PICTURE) for block in tree.blocks
    ):
        return False
    found = [" ".join(block.text.split()) for block in tree.blocks]
    return whole(tree, texts) and [text for text in found if text in texts] == texts


def centre(paper: Paper, middle: float, base: float, rows: list[str], size: float, font: str = "helv") -> float:
    for row in rows:
        paper.text(middle - pymupdf.get_text_length(row, font, size) / 2, base, row, size, font)
        base += 1.25 * size
    return base


def make_persons(chance: random.Random) -> Page:
    """Photos above a name and centred paragraphs with labels in bold, two or three next to each other on shades."""
    paper = Paper(560, 780)
    columns, rows, texts = chance.choice((2, 2, 3)), chance.choice((1, 2)), list[str]()
    wide, high, is_shaded = 520 / columns, 720 / rows, rows == 2 or chance.random() < 0.6
    apart = chance.choice((0, 8, 10))
    for place in range(rows * columns):
        x, y = 20 + wide * (place % columns), 30 + high * (place // columns)
        if is_shaded:
            paper.bar(x, y, x + wide - apart, y + high - apart, GREY)
        middle = x + (wide - 8) / 2
        paper.picture(middle - 32, y + 10, middle + 32, y + 74)
        texts.append(NAMES[place])
        centre(paper, middle, y + 92, [NAMES[place]], 10, "hebo")
        facts = [f"Born in {chance.randint(1950, 1980)}", "Independent member"]
        base = centre(paper, middle, y + 112, facts, 8) + 8
        for label in chance.sample(("Mandates", "Degrees", "Other posts", "Listed firms"), 2 if rows == 2 else 4):
            base = centre(paper, middle, base, [label], 8, "hebo")
            text = wrap(["Member", *say(chance, chance.randint(5, 14))], int(wide / 4.8))
            texts.append(" ".join(text) + ".")
            base = centre(paper, middle, base, [*text[:-1], text[-1] + "."], 8) + chance.randint(8, 11)
    return paper, lambda tree: stands(tree, texts)


def make_icon_cards(chance: random.Random) -> Page:
    """Round panels in a row, each with an icon in a disc, a title and a sentence in the middle."""
    paper = Paper(620, 400)
    base = paper.prose(40, 50, 3, 96) + 24
    columns, texts, size = chance.randint(3, 5), list[str](), chance.choice((8, 9, 10))
    wide, gap = 540 / columns, chance.choice((4, 10, 20))
    is_boxed = chance.random() < 0.3
    for place in range(columns):
        x = 40 + wide * place
        middle = x + (wide - gap) / 2
        panel = pymupdf.Rect(x, base + (0 if is_boxed else 20), x + wide - gap, base + 180)
        paper.page.draw_rect(panel, color=None, fill=GREY, radius=None if is_boxed else chance.choice((0.1, 0.4)))
        paper.page.draw_circle((middle, base + 30), 24, color=None, fill=RED)
        paper.page.draw_circle((middle, base + 30), 9, color=(1, 1, 1))
        paper.page.draw_bezier(*[(middle + at, base + down) for at, down in CURVE], color=(1, 1, 1))
        title = wrap(["Better", *say(chance, chance.randint(1, 2))], int(wide / size / 0.75))
        down = centre(paper, middle, base + 76, title, size, "hebo") + 4
        text = wrap(["Our", *say(chance, chance.randint(6, 9))], int(wide / size / 0.62))
        centre(paper, middle, down, text, size)
        texts += [" ".join(title), " ".join(text)]
    paper.prose(40, base + 215, 3, 96)
    return paper, lambda tree: stands(tree, texts)


def make_goals(chance: random.Random) -> Page:
    """Goals in narrow paragraphs, each next to a bar with two or three years below it."""
    paper = Paper(560, 420)
    texts, base = list[str](), 70.0
    paper.text(40, 40, "Goals and progress", 18, "hebo")
    has_note, has_rules, size = chance.random() < 0.5, chance.random() < 0.5, chance.choice((8, 9))
    for _ in range(chance.randint(2, 4)):
        rows = wrap(["Become", *say(chance, chance.randint(6, 13))], 34)
        texts.append(" ".join(rows) + ".")
        end = paper.lines(40, base, [*rows[:-1], rows[-1] + "."], size, 1.3 * size)
        if has_note:
            texts.append("Read more on " + " ".join(say(chance, 3)))
            paper.text(40, end + 3, texts[-1], size - 2)
        full = chance.randint(260, 420)
        paper.bar(230, base - 8, full, base + 16, BLUE)
        if chance.random() < 0.5:
            paper.bar(full, base - 8, 450, base + 16, GREY)
        if chance.random() < 0.5:
            paper.page.draw_rect(
                pymupdf.Rect(300, base + 30, 360, base + 46), color=None, fill=(0.2, 0.2, 0.2), radius=0.5
            )
            paper.text(310, base + 41, "Achieved", size, "hebo", color=(1, 1, 1))
            paper.page.draw_line((340, base - 10), (340, base + 18), dashes="[2] 0", width=0.6)
        for number, x in enumerate(sorted((230, full - 20, 450))[: chance.randint(2, 3)]):
            paper.text(x, base + 26, str(2010 + 7 * number), size - 1)
        if has_rules:
            paper.rule(40, base + 54, 450, base + 54)
        base += 80

    def is_right(tree: Tree) -> bool:
        found = [" ".join(block.text.split()) for block in tree.blocks if block.type is not BlockType.PICTURE]
        return all(text in found for text in texts)

    return paper, is_right


def make_house(chance: random.Random) -> Page:
    """A roof with a title over framed columns of titles and short sentences after icons, as strategies are drawn."""
    paper = Paper(600, 460)
    base = paper.prose(30, 40, 3, 96) + 10
    columns, texts = chance.randint(2, 4), ["Our mandate for the future"]
    wide = 540 / columns
    paper.page.draw_polyline([(30, base + 60), (300, base), (570, base + 60)], color=RED, fill=RED, closePath=True)
    centre(paper, 300, base + 48, texts, 11, "hebo")
    for column in range(columns):
        x = 30 + wide * column
        paper.page.draw_rect(pymupdf.Rect(x + 1, base + 62, x + wide - 3, base + 270), color=BLUE, width=1.2)
        paper.bar(x + 1, base + 62, x + wide - 3, base + 84, BLUE)
        title = " ".join(["About", *say(chance, 1)])
        texts.append(title)
        centre(paper, x + wide / 2, base + 77, [title], 9, "hebo")
        down = base + 106
        for _ in range(chance.randint(2, 3)):
            paper.page.draw_circle((x + 20, down + 2), 9, color=BLUE)
            paper.page.draw_bezier(*[(x + 20 + 0.6 * at, down - 18 + 0.6 * low) for at, low in CURVE], color=BLUE)
            rows = wrap(["Net", *say(chance, chance.randint(6, 9))], int((wide - 44) / 4.2))
            texts.append(" ".join(rows))
            down = paper.lines(x + 36, down, rows, 7, 9) + 16
    return paper, lambda tree: stands(tree, texts)


def make_shaded_columns(chance: random.Random) -> Page:
    """A table on shaded columns with white between them: rows of short values, which stays a table."""
    paper = Paper(560, 420)
    base = paper.prose(40, 50, 3, 84) + 24
    columns, rows = chance.randint(3, 5), chance.randint(4, 8)
    wide = 480 / columns
    for column in range(columns):
        x = 40 + wide * column
        paper.bar(x, base - 14, x + wide - 6, base + 16 * rows, GREY if column else (0.8, 0.86, 0.95))
        paper.text(x + 6, base, NAMES[column].split()[1] if column else "Measure", 9, "hebo")
        for row in range(1, rows):
            text = " ".join(say(chance, 2)) if not column else f"{chance.randint(2, 900) / 10}"
            paper.text(x + 6, base + 16 * row, text, 9)

    def is_right(tree: Tree) -> bool:
        found = [block.table for block in tree.blocks if block.table]
        return len(found) == 1 and (found[0].rows, found[0].cols) == (rows, columns)

    return paper, is_right


MAKERS = (make_persons, make_icon_cards, make_goals, make_house, make_shaded_columns)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_cards_of_a_class_are_read_right(maker: Callable[[random.Random], Page]) -> None:
    wrong = measure(maker, range(FEW))
    least = 0.7 if maker is make_goals else LEAST  # the years below several bars are taken for a table
    assert len(wrong) <= (1 - least) * FEW + 1, f"wrong: {wrong}"


if __name__ == "__main__":
    for maker in MAKERS:
        wrong = measure(maker)
        print(f"{maker.__name__:20} {1 - len(wrong) / len(SEEDS):.2f}  wrong {wrong}")
