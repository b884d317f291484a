"""Coverage of one page: compares its characters with the blocks made of it and locates the missing ones.

Independent of how the blocks were made: painted characters and block characters are compared as multisets.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from quire.models.cdom.coverage import (
    LINE_END_HYPHEN,
    REPLACED,
    CharacterCount,
    ExcludedPlace,
    LostPlace,
    PageCoverage,
    ScanCoverage,
    add_counts,
)
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.extract.contract import PageBlock

PaintedLine = tuple[str, Bbox]
"""Characters of a line without blanks, and its box."""


def no_lines() -> list[PaintedLine]:
    """Return no lines."""
    return []


@dataclass(slots=True)
class Painted:
    """Characters that a page paints.

    Attributes:
        text: All visible characters without blanks, in the engine's order.
        lines: Returns them line by line.
        excluded: Characters that are invisible.
        judged: False when the engine could not report everything that it painted.
    """

    text: str = ""
    lines: Callable[[], list[PaintedLine]] = no_lines
    excluded: list[ExcludedPlace] = field(default_factory=list)
    judged: bool = True


_ASCII: Final = bytes(range(128))
_BLANKS: Final = bytes(point for point in _ASCII if chr(point).isspace())


def count_visible(text: str) -> int:
    """Return the number of characters that are not blank."""
    return len(text.encode().translate(None, _BLANKS)) if text.isascii() else len(strip_blanks(text))


def strip_blanks(text: str) -> str:
    """Return the text without blanks; ASCII is filtered as bytes, in a tenth of the time of split and join."""
    left, printable = strip_bytes(text, _BLANKS)
    return left if printable else "".join(left.split())


def strip_bytes(text: str, unwanted: bytes) -> tuple[str, bool]:
    """Return the text without `unwanted` ASCII characters, and whether all its other characters are printable."""
    if text.isascii():
        return text.encode().translate(None, unwanted).decode(), True
    left = text.encode("utf-8", "surrogatepass").translate(None, unwanted)
    others = left.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return left.decode("utf-8", "surrogatepass"), others.isprintable()


_HYPHENS = ("-", "‐")
_LATIN = 0x250
"""First code point after the Latin letters, which are most of a page and counted in one short array. The others are

sorted. Together that takes a tenth of the time of counting character by character.
"""
_MOST_PLACES = 200
"""Places stored per page; characters beyond them are counted in one place without a box."""


def block_text(block: PageBlock) -> str:
    """Return all text of a block, in the characters that were printed."""
    text = block.printed or block.text
    return text if block.table is None else text + "".join([cell.text for cell in block.table.cells])


def account_page(number: int, painted: Painted, blocks: Sequence[PageBlock]) -> PageCoverage:
    """Return the coverage statement of a page for all the blocks made of it."""
    seen = strip_blanks("".join([block_text(block) for block in blocks if HIDDEN_TEXT not in block.flags]))
    excluded, lost = painted.excluded, list[LostPlace]()
    missing = find_missing(painted.text, seen)
    if missing:
        lines = painted.lines()
        excluded = excluded + _find_hyphens(lines, seen, missing)
        lost = _find_lost_lines(lines, seen, missing)
        unplaced = missing.total()
        if unplaced:
            lost.append(LostPlace(characters=unplaced))
    left_out: Counter[str] = Counter()
    for part in excluded:
        left_out[part.reason] += part.characters
    gone = sum(part.characters for part in lost)
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
    """Return the characters of `stated` that `written` has fewer of."""
    if stated == written:
        return Counter()
    stated_points, written_points = _code_points(stated), _code_points(written)
    is_latin, is_written_latin = stated_points < _LATIN, written_points < _LATIN
    surplus = np.bincount(stated_points[is_latin], minlength=_LATIN) - np.bincount(
        written_points[is_written_latin], minlength=_LATIN
    )
    missing = Counter({chr(point): int(surplus[point]) for point in (surplus > 0).nonzero()[0]})
    if not is_latin.all():
        points, counts = np.unique(stated_points[~is_latin], return_counts=True)
        others = np.sort(written_points[~is_written_latin])
        other_surplus = counts - np.searchsorted(others, points, "right") + np.searchsorted(others, points)
        missing.update({chr(points[i]): int(other_surplus[i]) for i in (other_surplus > 0).nonzero()[0]})
    return missing


def _code_points(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _find_hyphens(lines: list[PaintedLine], written: str, missing: Counter[str]) -> list[ExcludedPlace]:
    """Return line-end hyphens of words that the text has in one piece, and take them out of `missing`."""
    hyphens: list[ExcludedPlace] = []
    for text, box in lines:
        char = text[-1:]
        if char in _HYPHENS and missing[char] > 0 and text[-2:-1].isalpha() and text[:-1] in written:
            missing[char] -= 1
            hyphens.append(ExcludedPlace(reason=LINE_END_HYPHEN, characters=1, bbox=round_bbox(box)))
    return hyphens


def _find_lost_lines(lines: list[PaintedLine], written: str, missing: Counter[str]) -> list[LostPlace]:
    """Return lines whose characters are missing, those absent from the text first; take them out of `missing`."""
    lost: list[LostPlace] = []
    if not missing.total():
        return lost
    by_presence = sorted(lines, key=lambda line: line[0] in written)
    for text, box in by_presence:
        line_counts = Counter(text)
        if all(missing[char] >= count for char, count in line_counts.items()):
            missing.subtract(line_counts)
            lost.append(LostPlace(characters=len(text), bbox=round_bbox(box)))
    for text, box in by_presence:
        missing_part = Counter(text) & missing
        if missing_part and text not in written:
            missing.subtract(missing_part)
            lost.append(LostPlace(characters=missing_part.total(), bbox=round_bbox(box)))
    return lost


def _limit_excluded(places: list[ExcludedPlace]) -> list[ExcludedPlace]:
    """Limit the number of places; add up the others per reason in one place without a box."""
    if len(places) <= _MOST_PLACES:
        return places
    beyond: Counter[str] = Counter()
    for excluded in places[_MOST_PLACES:]:
        beyond[excluded.reason] += excluded.characters
    return places[:_MOST_PLACES] + [
        ExcludedPlace(reason=reason, characters=count) for reason, count in sorted(beyond.items())
    ]


def _limit_lost(places: list[LostPlace]) -> list[LostPlace]:
    if len(places) <= _MOST_PLACES:
        return places
    return [*places[:_MOST_PLACES], LostPlace(characters=sum(lost.characters for lost in places[_MOST_PLACES:]))]


def account_recognised(
    layer: PageCoverage | None,
    lines: Sequence[PaintedLine],
    blocks: Sequence[PageBlock],
    *,
    number: int,
    kept: bool,
    replaced: Sequence[PageBlock] = (),
    scan: ScanCoverage | None = None,
    of_scan: bool = False,
) -> PageCoverage:
    """Return the coverage statement of a recognised page.

    Args:
        layer: Statement of the page's text layer. A page with ink and no layer is judged by its recognised words.
        lines: Recognised lines with their boxes.
        blocks: Blocks made of the recognised lines.
        number: Page number, 1-based.
        kept: Whether the text layer remains in addition to the words; otherwise they replace it.
        replaced: Blocks of a kept layer that the words replace.
        scan: Ink statistics of the recogniser.
        of_scan: Whether the layer is that of a scan. When nearly all ink was read, the words replace all of it.
    """
    stated = [(strip_blanks(text), box) for text, box in lines]
    words = account_page(number, Painted(text="".join(text for text, _ in stated), lines=lambda: stated), blocks)
    words = replace(words, scan=scan, judged=words.judged and not _is_unread(scan))
    if layer is None:
        return words
    is_all_read = of_scan and scan is not None and scan.covered >= MIN_READ_SHARE * scan.components > 0
    brought = layer.characters.painted if is_all_read else words.characters.placed
    before = _replace_blocks(layer, replaced, brought) if kept else _replace_layer(layer, brought)
    return replace(
        words,
        characters=add_counts((before.characters, words.characters)),
        excluded=(*before.excluded, *words.excluded),
        lost=(*before.lost, *words.lost),
        judged=words.judged and (layer.judged or words.characters.placed > 0),
    )


MIN_UNREAD_COMPONENTS: Final = 20
"""Components of letter size from which a page without any recognised text counts as unread."""


MIN_READ_SHARE: Final = 0.9
"""Share of the components of letter size from which a scan counts as read."""


def _is_unread(scan: ScanCoverage | None) -> bool:
    """Return whether a recognised page has ink of letter size and none of it was read."""
    return scan is not None and not scan.covered and scan.components >= MIN_UNREAD_COMPONENTS


def _replace_blocks(layer: PageCoverage, blocks: Sequence[PageBlock], brought: int) -> PageCoverage:
    """Count the text of those blocks as replaced instead of placed, and what exceeds `brought` as lost."""
    replaced: list[ExcludedPlace] = []
    lost: list[LostPlace] = []
    counts = layer.characters
    for block in blocks:
        count = min(len(strip_blanks(block_text(block))), counts.placed)
        part = min(count, brought)
        brought -= part
        if part:
            replaced.append(ExcludedPlace(reason=REPLACED, characters=part, bbox=block.bbox))
            excluded = counts.excluded | {REPLACED: counts.excluded.get(REPLACED, 0) + part}
            counts = replace(counts, excluded=dict(sorted(excluded.items())))
        if count > part:
            lost.append(LostPlace(characters=count - part, bbox=block.bbox))
        counts = replace(counts, placed=counts.placed - count, lost=counts.lost + count - part)
    return replace(layer, characters=counts, excluded=(*layer.excluded, *replaced), lost=(*layer.lost, *lost))


def _replace_layer(layer: PageCoverage, brought: int) -> PageCoverage:
    """Count the layer's visible characters as replaced, and what exceeds `brought` as lost.

    Its line-end hyphens no longer matter.
    """
    unseen = dict(layer.characters.excluded)
    unseen.pop(LINE_END_HYPHEN, None)
    visible = layer.characters.painted - sum(unseen.values())
    part = min(visible, brought)
    excluded = tuple(entry for entry in layer.excluded if entry.reason in unseen)
    if part:
        unseen[REPLACED] = part
        excluded = (*excluded, ExcludedPlace(reason=REPLACED, characters=part))
    lost = visible - part
    return replace(
        layer,
        characters=CharacterCount(painted=layer.characters.painted, excluded=unseen, lost=lost),
        excluded=excluded,
        lost=(LostPlace(characters=lost),) if lost else (),
    )
