"""Pages by seed with titles: stacked, wrapped, of laws, in brackets, and below a line that names their kind."""

import random
from collections.abc import Callable

import pytest

from quire.models.cdom.tree import BlockType, Tree
from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.models.extract.formats.pdf.paper import LOREM, Paper

Page = tuple[Paper, Callable[[Tree], bool]]
SEEDS = range(8)
WORDS = [word for word in LOREM.replace(".", "").split() if len(word) > 2]
FONTS = (("helv", "hebo", "heit"), ("tiro", "tibo", "tiit"))
OFFICES = ("Town of Harbour Bay", "State of North Quay", "Office of the Clerk", "Crane and Winch Company")
TITLES = ("Select Board Meeting", "Annual Report", "Notice of Hearing", "Minutes of the Meeting", "Terms of Service")
DATES = ("Monday, March 4, 2024", "June 2023", "Fiscal Year 2022", "Autumn Session", "Revision 10")
LAWS = (("PART", "Article"), ("TITLE", "CHAPTER"), ("Chapter", "§"), ("Part", "Section"), ("TEIL", "Artikel"))
KINDS = ("CASE STUDY", "Policy brief", "NEWS", "Working paper 12", "INSIGHTS")


def say(chance: random.Random, count: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(count)).capitalize()


def measure(text: str, font: str, size: float) -> float:
    return float(pymupdf.get_text_length(text, fontname=font, fontsize=size))


def centre(paper: Paper, y: float, text: str, size: float, font: str) -> None:
    paper.text(paper.width / 2 - measure(text, font, size) / 2, y, text, size, font)


def levels(tree: Tree) -> dict[str, int]:
    """Level of each title by its text."""
    kinds = (BlockType.TITLE, BlockType.HEADING)
    return {" ".join(block.text.split()): block.level or 0 for block in tree.blocks if block.type in kinds}


def write_text(paper: Paper, y: float, count: int, chars: int) -> None:
    for _ in range(count):
        y = paper.prose(40, y, 4, chars) + 8


def make_stack(chance: random.Random) -> Page:
    """An office, a title and a date, centred, of one look or with another face, size or case for one of them."""
    paper = Paper(500, 640)
    regular, bold, italic = chance.choice(FONTS)
    y, size, kind = 60.0, chance.choice((12, 14, 16)), chance.choice(("length", "case", "weight", "size"))
    lines = [chance.choice(OFFICES), chance.choice(TITLES), chance.choice(DATES)][: chance.choice((2, 3))]
    lines[0] = lines[0].upper() if kind == "case" else lines[0]
    for index, text in enumerate(lines):
        font = chance.choice((regular, italic)) if kind == "weight" and index else bold
        own = size - 2 * index if kind == "size" else size
        centre(paper, y, text, own, font)
        y += own * 1.2
    write_text(paper, y + 14, 3, 94)
    return (
        paper,
        lambda tree: {*lines} <= {" ".join(block.text.split()) for block in tree.blocks} and lines[0] in levels(tree),
    )


def make_wrapped(chance: random.Random) -> Page:
    """A title of several full lines, centred or at the left edge."""
    paper = Paper(500, 640)
    _, bold, _ = chance.choice(FONTS)
    size, wide, is_left = chance.choice((13, 15, 18)), chance.choice((300, 360, 420)), chance.random() < 0.3
    rows = [""]
    for word in say(chance, chance.randint(8, 14)).title().split():
        longer = f"{rows[-1]} {word}".strip()
        if measure(longer, bold, size) > wide:
            rows.append(word)
        else:
            rows[-1] = longer
    for index, row in enumerate(rows[:4]):
        y = 60 + 1.2 * size * index
        paper.text(40, y, row, size, bold) if is_left else centre(paper, y, row, size, bold)
    write_text(paper, 72 + 1.2 * size * len(rows), 3, 78)
    return paper, lambda tree: " ".join(rows[:4]) in levels(tree)


def make_law(chance: random.Random) -> Page:
    """Two parts with two articles each, of one look."""
    paper = Paper(500, 760)
    _, bold, _ = chance.choice(FONTS)
    (outer, inner), size, is_centred = chance.choice(LAWS), chance.choice((10, 11, 12)), chance.random() < 0.5
    y = 50.0
    parts: list[str] = []
    articles: list[str] = []
    for part in ("I", "II") if outer.isupper() else ("1", "2"):
        words = say(chance, 2)
        parts.append(f"{outer} {part} {words.upper() if outer.isupper() else words}")
        centre(paper, y, parts[-1], size, bold) if is_centred else paper.text(40, y, parts[-1], size, bold)
        y += size + 8
        for _ in range(2):
            articles.append(f"{inner} {len(articles) + 1} {say(chance, 3)}")
            paper.text(40, y, articles[-1], size, bold)
            y = paper.prose(40, y + size + 6, 3, 78) + 10

    def is_right(tree: Tree) -> bool:
        found = levels(tree)
        return {*parts, *articles} <= found.keys() and all(found[text] > found[parts[0]] for text in articles)

    return paper, is_right


def make_labels(chance: random.Random) -> Page:
    """A title above paragraphs with bold words in brackets over them or marks of references next to them."""
    paper = Paper(500, 640)
    _, bold, _ = chance.choice(FONTS)
    paper.text(40, 60, "List of sources", 14, bold)
    y, is_reference = 84.0, chance.random() < 0.5
    for number in range(4):
        label = f"[Ada{number + 10}]" if is_reference else f"[{say(chance, chance.randint(1, 3))}]"
        paper.text(40, y, label, 10, bold)
        y = paper.prose(90, y, 2, 66) + 8 if is_reference else paper.prose(40, y + 14, 3, 78) + 8
    return paper, lambda tree: [*levels(tree)] == ["List of sources"]


def make_kicker(chance: random.Random) -> Page:
    """A small line names the kind of the document above its title and sections."""
    paper = Paper(500, 640)
    _, bold, _ = chance.choice(FONTS)
    title, sections = say(chance, 5), [say(chance, 3) + f" {number}" for number in range(3)]
    paper.text(40, 60, chance.choice(KINDS), chance.choice((9, 10, 11)), bold)
    paper.text(40, 84, title, chance.choice((18, 22)), bold)
    for index, section in enumerate(sections):
        paper.text(40, 120 + 90 * index, section, 12, bold)
        paper.prose(40, 138 + 90 * index, 4, 78)

    def is_right(tree: Tree) -> bool:
        lines = [line for line in tree_to_markdown(tree).splitlines() if line.startswith("#")]
        return f"# {title}" in lines and {f"## {section}" for section in sections} <= {*lines}

    return paper, is_right


MAKERS = (make_stack, make_wrapped, make_law, make_labels, make_kicker)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_titles_of_a_class_are_read_right(maker: Callable[[random.Random], Page]) -> None:
    pages = [(seed, *maker(random.Random(seed))) for seed in SEEDS]
    wrong = [seed for seed, paper, is_right in pages if not is_right(paper.read())]
    assert len(wrong) <= 1, f"wrong: {wrong}"
