"""The heading decision: a learned score of each group, with the type that the rules gave it as the other witness."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from models.cdom.tree import FURNITURE, BlockType
from models.extract.layout.headings.features import find_features
from models.extract.layout.learned.forest import Forest, load_forest
from models.extract.layout.lines.marks import Line, PageMarks
from models.extract.layout.text.kinds import PageLook

WEIGHTS = Path(__file__).with_name("weights.npz")


@dataclass(frozen=True, slots=True)
class HeadingThresholds:
    """Least chance (0..1) at which a group is a heading, by what the rules call it; chosen leaving each source out.

    A group of more than `most_lines` lines or `most_chars` characters is none. A page of more than `most_groups`
    (a map, a listing) keeps the rules: the features compare every group with every other.
    """

    heading: float = 0.10
    """Of what the rules call a heading."""
    text: float = 0.50
    """Of what they call a paragraph or an item."""
    furniture: float = 0.70
    """Of what they call a running head or foot."""
    most_lines: int = 6
    most_chars: int = 300
    most_groups: int = 400
    smaller: float = 0.95
    """Share of the size of running text below which type is smaller."""


THRESHOLDS = HeadingThresholds()

NEEDED = {
    BlockType.HEADING: THRESHOLDS.heading,
    BlockType.PARAGRAPH: THRESHOLDS.text,
    BlockType.LIST_ITEM: THRESHOLDS.text,
    BlockType.PAGE_HEADER: THRESHOLDS.furniture,
    BlockType.PAGE_FOOTER: THRESHOLDS.furniture,
}
"""Captions, notes, code and formulas are what the rules say."""


_ROUND_BULLETS = ("• ", "● ", "○ ", "◦ ", "‣ ", "∙ ")


@cache
def heading_forest() -> Forest:
    """The trees that came with this version."""
    return load_forest(WEIGHTS)


def decide_headings(
    kinds: list[BlockType], groups: list[list[Line]], marks: PageMarks, look: PageLook
) -> list[BlockType]:
    """The types of the groups with headings decided; recognised pages, whose sizes are guesses, keep the rules."""
    if not groups or len(groups) > THRESHOLDS.most_groups or any(group[0].recognised for group in groups):
        return kinds
    asked = [index for index, kind in enumerate(kinds) if kind in NEEDED and may_be_heading(groups[index])]
    if not asked:
        return kinds
    chances = heading_forest().probabilities(find_features(groups, marks, look.body, asked))
    out = list(kinds)
    named = _find_named(kinds, groups)
    for index, chance in zip(asked, chances, strict=True):
        if index in named:
            continue
        if _is_bulleted(groups[index]):
            out[index] = BlockType.LIST_ITEM if kinds[index] is BlockType.HEADING else kinds[index]
        elif chance >= NEEDED[kinds[index]] and not _repeats_small(groups[index], kinds[index], look):
            out[index] = BlockType.HEADING
        elif kinds[index] is BlockType.HEADING:
            out[index] = BlockType.PARAGRAPH
    return out


def _find_named(kinds: list[BlockType], groups: list[list[Line]]) -> set[int]:
    """What the rules call a heading and a running head of the page repeats in smaller type: chapters are named so.

    The trees know only that a text comes twice, as rows of forms do.
    """
    heads = {_text_of(groups[at]): groups[at][0].size for at, kind in enumerate(kinds) if kind in FURNITURE}
    return {
        at
        for at, kind in enumerate(kinds)
        if kind is BlockType.HEADING and heads.get(_text_of(groups[at]), groups[at][0].size) < groups[at][0].size
    }


def _text_of(group: list[Line]) -> str:
    return " ".join(line.text for line in group).casefold()


def may_be_heading(group: list[Line]) -> bool:
    """False for what no model need be asked: nothing to read, slanted, hidden, or far too long."""
    first = group[0]
    if not first.text or not first.upright or first.hidden or len(group) > THRESHOLDS.most_lines:
        return False
    return sum(len(line.text) for line in group) <= THRESHOLDS.most_chars


def _is_bulleted(group: list[Line]) -> bool:
    """True for an item of a list, however large or bold; squares and arrows are set before headings too."""
    return group[0].text.startswith(_ROUND_BULLETS)


def _repeats_small(group: list[Line], kind: BlockType, look: PageLook) -> bool:
    """True for running heads in type smaller than the text: they name the chapter, they do not open it."""
    return kind in FURNITURE and max(line.tall or line.size for line in group) < THRESHOLDS.smaller * look.body
