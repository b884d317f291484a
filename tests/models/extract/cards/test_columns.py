"""Pages by seed with many columns, several small pages or wide lines, and the share of them that is read in order."""

import random
from collections.abc import Callable

import pytest

from quire.models.cdom.tree import BlockType, Tree
from quire.models.cdom.visible import find_blank
from tests.models.extract.formats.pdf.paper import Paper
from tests.models.extract.test_swallowed import LEAST, NAMES, SEEDS, Page, measure, say, wrap

FEW = 8
"""Seeds of a run of the suite; `python -m` on this file reads all."""
SIGNS = "日本語文章読順番列記事新聞市町村議会予算案可決報告今年度事業計画住民説明開催水道料金改定検討委員結果公表"


def in_order(tree: Tree, texts: list[str]) -> bool:
    """Whether the texts are blocks, one after the other, and nothing is a table."""
    if any(block.table for block in tree.blocks):
        return False
    found = ["".join(block.text.split()) for block in tree.blocks if block.type is not BlockType.PICTURE]
    wanted = ["".join(text.split()) for text in texts]
    return [text for text in found if text in wanted] == wanted


def write(paper: Paper, x: float, base: float, chance: random.Random, wide: float, size: float, words: int,
          texts: list[str]) -> float:  # fmt: skip
    rows = wrap(["Then", *say(chance, words)], int(wide / size / 0.52))
    texts.append(" ".join(rows) + ".")
    return paper.lines(x, base, [*rows[:-1], rows[-1] + "."], size, 1.2 * size)


def make_narrow(chance: random.Random) -> Page:
    """Three to five narrow columns of a newspaper, with heads inside them and a title over some."""
    paper, texts = Paper(560, 500), list[str]()
    columns, size = chance.randint(3, 5), chance.choice((7, 8, 9))
    wide = 520 / columns
    texts.append("News of the week")
    paper.text(20, 40, texts[0], 20, "hebo")
    for column in range(columns):
        base = 74.0 + chance.choice((0, 0, 4))
        for part in range(3):
            if part == 1 and chance.random() < 0.6:
                texts.append("About " + NAMES[column].split()[1].lower())
                paper.text(20 + wide * column, base + 4, texts[-1], size + 1, "hebo")
                base += 18
            base = write(paper, 20 + wide * column, base, chance, wide - 10, size, chance.randint(14, 40), texts) + size
    return paper, lambda tree: in_order(tree, texts)


def make_japanese(chance: random.Random) -> Page:
    """Three or four columns of Japanese side by side, lines level with each other."""
    paper, texts = Paper(560, 420), list[str]()
    columns = chance.randint(3, 4)
    wide = 520 / columns
    for column in range(columns):
        base = 60.0
        for _ in range(chance.randint(2, 3)):
            count, each = chance.randint(30, 60), int((wide - 14) / 9)
            text = "".join(chance.choice(SIGNS) for _ in range(count)) + "。"
            texts.append(text)
            rows = [text[at : at + each] for at in range(each - 1, len(text), each)]
            paper.text(29 + wide * column, base, text[: each - 1], 9, "japan")
            base = paper.lines(20 + wide * column, base + 14, rows, 9, 14, "japan")
    return paper, lambda tree: in_order(tree, texts)


def make_four_up(chance: random.Random) -> Page:
    """Four small pages on a sheet, each with a title and paragraphs, framed or not."""
    paper, texts = Paper(595, 842), list[str]()
    size, is_framed = chance.choice((5, 6, 7)), chance.random() < 0.5
    for place in range(4):
        x, y = 20 + 282 * (place % 2), 30 + 400 * (place // 2)
        if is_framed:
            paper.page.draw_rect((x - 4, y - 8, x + 268, y + 380), width=0.5)
        texts.append("Lesson " + NAMES[place])
        paper.text(x + 10, y + 16, texts[-1], 1.8 * size, "hebo")
        base = y + 40.0
        for _ in range(chance.randint(2, 4)):
            base = write(paper, x + 10, base, chance, 240, size, chance.randint(20, 60), texts) + size
    return paper, lambda tree: in_order(tree, texts)


def make_double_spaced(chance: random.Random) -> Page:
    """A draft with wide lines, first lines indented or a gap between paragraphs."""
    paper, texts = Paper(595, 842), list[str]()
    base, size, is_indented = 80.0, chance.choice((11, 12)), chance.random() < 0.7
    step = size * chance.choice((1.9, 2.0, 2.2, 2.4))
    while base < 640:
        rows = wrap(["Then", *say(chance, chance.randint(30, 60))], 84)
        texts.append(" ".join(rows) + ".")
        paper.text(72 + (36 if is_indented else 0), base, rows[0], size)
        base = paper.lines(72, base + step, [*rows[1:-1], rows[-1] + "."], size, step)
        base += 0 if is_indented else step
    return paper, lambda tree: in_order(tree, texts)


def make_court(chance: random.Random) -> Page:
    """A pleading: numbers of lines at the left between rules, wide lines, a centred title."""
    paper, texts = Paper(612, 792), list[str]()
    step, size, row = 24.0, 12, 0
    bases = [72 + step * index for index in range(28)]
    for index, base in enumerate(bases):
        paper.text(50 if index > 8 else 56, base, str(index + 1), size)
    if chance.random() < 0.7:
        paper.rule(78, 20, 78, 772).rule(81, 20, 81, 772)
    paper.text(230, bases[0], "STATEMENT OF FACTS", size, "hebo")
    row = 1
    while row < 24:
        rows = wrap(["Then", *say(chance, chance.randint(24, 50))], 72)[: 27 - row]
        texts.append(" ".join(rows) + ".")
        for number, text in enumerate(rows):
            paper.text(96 + (0 if number else 36), bases[row], text + ("." if number == len(rows) - 1 else ""), size)
            row += 1
    return paper, lambda tree: in_order(tree, texts)


@pytest.mark.parametrize(("last", "first", "blank"), [
    ("ສິດທິ", "ເສລີພາບ", ""), ("ສິດທິ ", "ເສລີພາບ", " "), ("สิทธิ", "ABC", " "), ("အခွင့်", "အရေး", ""), ("សិទ្ធិ", "និង", ""),
    ("अधिकार", "सभी", " "),
])  # fmt: skip
def test_lines_of_scripts_without_blanks_join_as_written(last: str, first: str, blank: str) -> None:
    assert find_blank(last, first) == blank


def test_quotation_in_large_type_makes_no_notes_of_headings() -> None:
    paper = Paper(480, 640)
    said = [
        "Words that someone said about",
        "the garden party, which nobody",
        "in the village that we",
        "know will forget",
    ]
    base = paper.lines(90, 60, said, 14, 17, "hebo")
    for number, name in enumerate(("Return", "Catch-up", "Remainder"), 5):
        paper.text(40, base + 20, f"{number}. {name.upper()}", 12)
        base = paper.prose(40, base + 40, 6, 76) + 6
    tree = paper.read()
    assert not any(block.type is BlockType.FOOTNOTE for block in tree.blocks)


MAKERS = (make_narrow, make_japanese, make_four_up, make_double_spaced, make_court)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_columns_of_a_class_are_read_in_order(maker: Callable[[random.Random], Page]) -> None:
    wrong = measure(maker, range(FEW))
    assert len(wrong) <= (1 - LEAST) * FEW + 1, f"wrong: {wrong}"


if __name__ == "__main__":
    for maker in MAKERS:
        wrong = measure(maker)
        print(f"{maker.__name__:20} {1 - len(wrong) / len(SEEDS):.2f}  wrong {wrong}")
