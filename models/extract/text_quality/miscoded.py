"""Words of a text layer with digits in place of letters: the font's table of characters is wrong for some letters.

Too few letters are wrong to make the font no language, so the page stays as it is and the words are flagged.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quire.models.cdom.flags import GARBLED_TEXT, HIDDEN_TEXT, LIGATURES_RESTORED, UNDECODED
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.tree import BlockType, FlagSpan
from quire.models.extract.contract import PageBlock
from quire.models.extract.coverage.account import block_text


@dataclass(frozen=True, slots=True)
class MiscodedLimits:
    """Conditions under which digits inside words are letters. Codes and names of programs are few or in capitals."""

    distinct: int = 5
    """Least number of different words with a digit inside."""
    share: float = 0.03
    """Least share of such words among the words of the page."""
    confidence: float = 0.5
    """Greatest confidence (0..1) of a block with such words."""


LIMITS = MiscodedLimits()
_WORD = re.compile(r"(?<![\w@./\\-])[^\W\d_][^\W_]{3,}(?![\w@/\\]|\.\w)")
_DIGIT_INSIDE = re.compile(r"[^\W\d_A-Z]\d[^\W\d_A-Z]")


def flag_miscoded(blocks: Sequence[PageBlock]) -> list[PageBlock]:
    """Return the blocks with flags at words whose letters are digits, if the page has enough of them."""
    texts = [text for block in blocks for text in _texts_of(block)]
    if not any(map(_DIGIT_INSIDE.search, texts)):
        return list(blocks)
    words = [word for text in texts for word in _WORD.findall(text)]
    odd = [word for word in words if _is_odd(word)]
    if len(set(odd)) < LIMITS.distinct or len(odd) < LIMITS.share * len(words):
        return list(blocks)
    return [_flag(block) for block in blocks]


def _texts_of(block: PageBlock) -> Iterator[str]:
    """Yield the text of a block and of its cells; code, formulas and hidden text have none to judge."""
    if block.type in (BlockType.CODE, BlockType.FORMULA) or HIDDEN_TEXT in block.flags:
        return
    yield block.text
    if block.table is not None:
        yield from (cell.text for cell in block.table.cells)


def _is_odd(word: str) -> bool:
    """Return whether the word has a digit between small letters, and capitals only at its beginning."""
    return _DIGIT_INSIDE.search(word) is not None and not any(char.isupper() for char in word[1:])


def _flag(block: PageBlock) -> PageBlock:
    spans = [
        FlagSpan(flag=GARBLED_TEXT, start=match.start(), end=match.end(), cell=number - 1 if number else None)
        for number, text in enumerate(_texts_of(block))
        for match in _WORD.finditer(text)
        if _is_odd(match.group())
    ]
    if not spans or GARBLED_TEXT in block.flags:
        return block
    return replace(
        block,
        flags=(*block.flags, GARBLED_TEXT),
        flag_spans=(*block.flag_spans, *spans),
        confidence=min(block.confidence, LIMITS.confidence),
    )


def flag_undecoded(blocks: Sequence[PageBlock], ligatures: Sequence[Bbox]) -> list[PageBlock]:
    """Return the blocks with flags where they have undecoded glyphs, or ligatures (boxes, points) read by shape."""
    return [_flag_glyphs(block, ligatures) for block in blocks]


def _flag_glyphs(block: PageBlock, ligatures: Sequence[Bbox]) -> PageBlock:
    flags = list(block.flags)
    if any(_lies_in(box, block.bbox) for box in ligatures):
        flags.append(LIGATURES_RESTORED)
    if "\ufffd" in block_text(block):
        flags.append(UNDECODED)
    return replace(block, flags=tuple(flags)) if len(flags) > len(block.flags) else block


def _lies_in(box: Bbox, area: Bbox | None) -> bool:
    """Return whether the middle of the box is in the area."""
    if area is None:
        return False
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return area[0] <= x <= area[2] and area[1] <= y <= area[3]
