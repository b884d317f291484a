"""The heading decision: a learned score of each group, combined with the type that the rules assigned."""

import re
from dataclasses import dataclass
from functools import cache

from quire.models.cdom.tree import FURNITURE, BlockType
from quire.models.extract import HOME
from quire.models.extract.layout.headings.features import find_features
from quire.models.extract.layout.learned.forest import Forest, load_forest
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.text.kinds import PageLook
from quire.models.extract.layout.text.stacks import find_part

WEIGHTS = HOME / "layout" / "headings" / "weights.npz"


@dataclass(frozen=True, slots=True)
class HeadingThresholds:
    """Minimum probability (0..1) of a heading by the rules' type, chosen by leaving out each source.

    A group of more than `most_lines` lines or `most_chars` characters is not a heading. A page of more than
    `most_groups` (a map, a listing) keeps the rules, because the features compare every group with every other.
    """

    heading: float = 0.10
    """Minimum probability if the rules assigned a heading."""
    text: float = 0.50
    """Minimum probability if they assigned a paragraph or an item."""
    furniture: float = 0.70
    """Minimum probability if they assigned a running head or foot."""
    most_lines: int = 6
    most_chars: int = 300
    most_groups: int = 400
    most_bold: float = 0.5
    """Maximum share of bold type on a page whose numbered lines in bold capitals are titles."""
    longest_part: int = 80
    """Characters of a bold line with the word and number of a part of a law that is its title."""
    least_entries: int = 4
    """Minimum entries of a list of titles."""
    next_line: float = 1.6
    """Maximum distance of baselines (ems) of two entries of one list of titles."""
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
"""Captions, notes, code and formulas keep the type that the rules assigned."""


_ROUND_BULLETS = ("• ", "● ", "○ ", "◦ ", "‣ ", "∙ ")


_DASHED = re.compile(r"[-–—_=*]{4,}\s*(?=[^\W_])[^\n]{3,60}?\s*[-–—_=*]{4,}")
"""A title between two rules of dashes."""
_LABEL = re.compile(r"\[[^\[\]]{1,80}\][.:]?")
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?\s+[^\W\d_]")


@cache
def heading_forest() -> Forest:
    """Return the trees of this version."""
    return load_forest(WEIGHTS)


def decide_headings(
    kinds: list[BlockType], groups: list[list[Line]], marks: PageMarks, look: PageLook
) -> tuple[list[BlockType], dict[int, float]]:
    """Return the types of the groups with headings decided, and the probability of each group that may be one.

    Recognised pages, whose sizes are estimates, keep the rules.
    """
    if not groups or len(groups) > THRESHOLDS.most_groups or any(group[0].recognised for group in groups):
        return kinds, {}
    asked = [index for index, kind in enumerate(kinds) if kind in NEEDED and may_be_heading(groups[index])]
    if not asked:
        return kinds, {}
    chances = heading_forest().probabilities(find_features(groups, marks, look.body, asked))
    out = list(kinds)
    named, entries = _find_named(kinds, groups), _find_entries(groups)
    for index, chance in zip(asked, chances, strict=True):
        if index in named:
            continue
        if _is_label(groups[index]):
            out[index] = BlockType.PARAGRAPH if kinds[index] is BlockType.HEADING else kinds[index]
        elif kinds[index] is not BlockType.LIST_ITEM and _states_title(groups[index], look):
            out[index] = BlockType.PARAGRAPH if index in entries else BlockType.HEADING
        elif _is_bulleted(groups[index]):
            out[index] = BlockType.LIST_ITEM if kinds[index] is BlockType.HEADING else kinds[index]
        elif chance >= NEEDED[kinds[index]] and not _repeats_small(groups[index], kinds[index], look):
            out[index] = BlockType.HEADING
        elif kinds[index] is BlockType.HEADING:
            out[index] = BlockType.PARAGRAPH
    return out, dict(zip(asked, chances, strict=True))


def _states_title(group: list[Line], look: PageLook) -> bool:
    """Return True for a line between rules of dashes, and for a number before bold capitals.

    The trees count how often such lines occur, and take many for a list.
    """
    line = group[0]
    if len(group) > 1:
        return False
    if _DASHED.fullmatch(line.text):
        return True
    if look.contents or look.bold_share > THRESHOLDS.most_bold or not line.all_bold:
        return False
    if find_part(line.text) is not None and not line.text[0].islower() and line.text[-1] not in ".,;":
        return len(line.text) <= THRESHOLDS.longest_part
    if not line.text.isupper():
        return False
    return _NUMBERED.match(line.text) is not None and not line.text[-1].isdigit()


def _is_label(group: list[Line]) -> bool:
    """Return True for words in square brackets: a place to fill in, or the mark of a reference."""
    return len(group) == 1 and _LABEL.fullmatch(group[0].text) is not None


def _find_entries(groups: list[list[Line]]) -> set[int]:
    """Return the numbered lines that follow each other without text between them: a list of titles, not titles."""
    entries: set[int] = set()
    run: list[int] = []
    for index, group in enumerate(groups):
        line = group[0]
        is_entry = len(group) == 1 and _NUMBERED.match(line.text) is not None
        if not is_entry or (run and not _is_next_entry(groups[run[-1]][0], line)):
            run = []
        if is_entry:
            run.append(index)
        if len(run) >= THRESHOLDS.least_entries:
            entries.update(run)
    return entries


def _is_next_entry(above: Line, line: Line) -> bool:
    return 0 < line.base - above.base < THRESHOLDS.next_line * line.size


def _find_named(kinds: list[BlockType], groups: list[list[Line]]) -> set[int]:
    """Return headings of the rules that a running head of the page repeats in smaller type, as chapter titles are.

    The trees know only that a text occurs twice, as rows of forms do.
    """
    heads = {_text_of(groups[index]): groups[index][0].size for index, kind in enumerate(kinds) if kind in FURNITURE}
    return {
        index
        for index, kind in enumerate(kinds)
        if kind is BlockType.HEADING
        and heads.get(_text_of(groups[index]), groups[index][0].size) < groups[index][0].size
    }


def _text_of(group: list[Line]) -> str:
    return " ".join(line.text for line in group).casefold()


def may_be_heading(group: list[Line]) -> bool:
    """Return False for groups that need no model: without text, slanted, hidden, or far too long."""
    first = group[0]
    if not first.text or not first.upright or first.hidden or len(group) > THRESHOLDS.most_lines:
        return False
    return sum(len(line.text) for line in group) <= THRESHOLDS.most_chars


def _is_bulleted(group: list[Line]) -> bool:
    """Return True for an item of a list of any size. Squares and arrows also precede headings and do not count."""
    return group[0].text.startswith(_ROUND_BULLETS)


def _repeats_small(group: list[Line], kind: BlockType, look: PageLook) -> bool:
    """Return True for running heads in type smaller than the text: they name the chapter but do not open it."""
    return kind in FURNITURE and max(line.tall or line.size for line in group) < THRESHOLDS.smaller * look.body
