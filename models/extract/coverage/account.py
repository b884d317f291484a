"""The characters of one page against the blocks made of it: what is missing, and where it stood.

Independent of how the blocks were made: what the engine painted and what the blocks say are compared as multisets.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from models.cdom.coverage import (
    LINE_END_HYPHEN,
    REPLACED,
    CharacterCount,
    ExcludedPlace,
    LostPlace,
    PageCoverage,
    ScanCoverage,
    add_counts,
)
from models.cdom.flags import HIDDEN_TEXT
from models.cdom.geometry import round_bbox
from models.extract.contract import PageBlock
from models.extract.coverage.painted import Painted, PaintedLine, strip_blanks

_HYPHENS = ("-", "‐")
_LATIN = 0x250
"""Code point: below it stand the Latin letters, most of what pages hold, counted in one short array; the others are
sorted. Together that takes a tenth of the time of counting character by character."""
_MOST_PLACES = 200
"""Boxes kept of one page; characters beyond them are counted, and one place without a box stands for them."""


def block_text(block: PageBlock) -> str:
    """Everything a block says, in the characters that were printed."""
    text = block.printed or block.text
    return text if block.table is None else text + "".join([cell.text for cell in block.table.cells])


def account_page(number: int, painted: Painted, blocks: Sequence[PageBlock]) -> PageCoverage:
    """The statement of a page about all the blocks that were made of it."""
    seen = strip_blanks("".join([block_text(block) for block in blocks if HIDDEN_TEXT not in block.flags]))
    excluded, lost = painted.excluded, list[LostPlace]()
    missing = find_missing(painted.text, seen)
    if missing:
        lines = painted.lines()
        excluded = excluded + _find_hyphens(lines, seen, missing)
        lost = _find_lost_lines(lines, seen, missing)
        rest = missing.total()
        if rest:
            lost.append(LostPlace(characters=rest))
    left_out: Counter[str] = Counter()
    for place in excluded:
        left_out[place.reason] += place.characters
    gone = sum(place.characters for place in lost)
    hyphens = left_out[LINE_END_HYPHEN]
    return PageCoverage(
        number=number,
        characters=CharacterCount(
            painted=len(painted.text) + left_out.total() - hyphens,
            placed=len(painted.text) - hyphens - gone,
            excluded=dict(sorted((reason, count) for reason, count in left_out.items() if count)),
            lost=gone,
        ),
        excluded=tuple(_limit_excluded(excluded)),
        lost=tuple(_limit_lost(lost)),
        judged=painted.judged,
    )


def find_missing(stated: str, written: str) -> Counter[str]:
    """Characters of `stated` that `written` has fewer of."""
    if stated == written:
        return Counter()
    here, there = _code_points(stated), _code_points(written)
    latin, latin_there = here < _LATIN, there < _LATIN
    rest = np.bincount(here[latin], minlength=_LATIN) - np.bincount(there[latin_there], minlength=_LATIN)
    missing = Counter({chr(point): int(rest[point]) for point in (rest > 0).nonzero()[0]})
    if not latin.all():
        points, counts = np.unique(here[~latin], return_counts=True)
        others = np.sort(there[~latin_there])
        left = counts - np.searchsorted(others, points, "right") + np.searchsorted(others, points)
        missing.update({chr(points[at]): int(left[at]) for at in (left > 0).nonzero()[0]})
    return missing


def _code_points(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _find_hyphens(lines: list[PaintedLine], written: str, missing: Counter[str]) -> list[ExcludedPlace]:
    """Hyphens at line ends of words that the text has in one piece; taken from `missing`."""
    found: list[ExcludedPlace] = []
    for text, box in lines:
        char = text[-1:]
        if char in _HYPHENS and missing[char] > 0 and text[-2:-1].isalpha() and text[:-1] in written:
            missing[char] -= 1
            found.append(ExcludedPlace(reason=LINE_END_HYPHEN, characters=1, bbox=round_bbox(box)))
    return found


def _find_lost_lines(lines: list[PaintedLine], written: str, missing: Counter[str]) -> list[LostPlace]:
    """Lines whose characters are missing, those that stand nowhere in the text first; taken from `missing`."""
    found: list[LostPlace] = []
    if not missing.total():
        return found
    by_presence = sorted(lines, key=lambda line: line[0] in written)
    for text, box in by_presence:
        need = Counter(text)
        if all(missing[char] >= count for char, count in need.items()):
            missing.subtract(need)
            found.append(LostPlace(characters=len(text), bbox=round_bbox(box)))
    for text, box in by_presence:
        part = Counter(text) & missing
        if part and text not in written:
            missing.subtract(part)
            found.append(LostPlace(characters=part.total(), bbox=round_bbox(box)))
    return found


def _limit_excluded(places: list[ExcludedPlace]) -> list[ExcludedPlace]:
    """At most so many places; of every reason the rest in one without a box."""
    if len(places) <= _MOST_PLACES:
        return places
    rest: Counter[str] = Counter()
    for place in places[_MOST_PLACES:]:
        rest[place.reason] += place.characters
    return places[:_MOST_PLACES] + [
        ExcludedPlace(reason=reason, characters=count) for reason, count in sorted(rest.items())
    ]


def _limit_lost(places: list[LostPlace]) -> list[LostPlace]:
    if len(places) <= _MOST_PLACES:
        return places
    return [*places[:_MOST_PLACES], LostPlace(characters=sum(place.characters for place in places[_MOST_PLACES:]))]


def account_recognised(
    layer: PageCoverage | None,
    lines: Sequence[PaintedLine],
    blocks: Sequence[PageBlock],
    *,
    number: int,
    kept: bool,
    replaced: Sequence[PageBlock] = (),
    scan: ScanCoverage | None = None,
) -> PageCoverage:
    """The page's statement.

    `layer` is that of its text layer, which is `kept` beside the words (but for `replaced`) or replaced by them; `scan`
    is what the recogniser says of the ink.
    """
    stated = [(strip_blanks(text), box) for text, box in lines]
    words = account_page(number, Painted(text="".join(text for text, _ in stated), lines=lambda: stated), blocks)
    words = replace(words, scan=scan)
    if layer is None:
        return words
    before = _replace_blocks(layer, replaced) if kept else _replace_layer(layer)
    return replace(
        words,
        characters=add_counts((before.characters, words.characters)),
        excluded=(*before.excluded, *words.excluded),
        lost=(*before.lost, *words.lost),
        judged=layer.judged,
    )


def _replace_blocks(layer: PageCoverage, blocks: Sequence[PageBlock]) -> PageCoverage:
    """The layer with the text of those blocks as replaced instead of placed."""
    places: list[ExcludedPlace] = []
    counts = layer.characters
    for block in blocks:
        part = min(len(strip_blanks(block_text(block))), counts.placed)
        if part:
            places.append(ExcludedPlace(reason=REPLACED, characters=part, bbox=block.bbox))
            excluded = counts.excluded | {REPLACED: counts.excluded.get(REPLACED, 0) + part}
            counts = replace(counts, placed=counts.placed - part, excluded=dict(sorted(excluded.items())))
    return replace(layer, characters=counts, excluded=(*layer.excluded, *places))


def _replace_layer(layer: PageCoverage) -> PageCoverage:
    """The layer's visible characters as replaced; its hyphens at line ends are nobody's concern any more."""
    unseen = dict(layer.characters.excluded)
    unseen.pop(LINE_END_HYPHEN, None)
    visible = layer.characters.painted - sum(unseen.values())
    places = tuple(place for place in layer.excluded if place.reason in unseen)
    if visible:
        unseen[REPLACED] = visible
        places = (*places, ExcludedPlace(reason=REPLACED, characters=visible))
    return replace(
        layer,
        characters=CharacterCount(painted=layer.characters.painted, excluded=unseen),
        excluded=places,
        lost=(),
    )
