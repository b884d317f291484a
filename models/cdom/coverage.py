"""Account for every character that a document shows: in the tree, excluded for a named reason, or lost.

Counts leave out blanks. On every page, and so in total, painted = placed + excluded + lost.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

from pydantic import TypeAdapter

from quire.models.cdom.geometry import Bbox


class Unseen(StrEnum):
    """Reason why text of a file is invisible on the page; its characters are excluded under that name."""

    INVISIBLE = "invisible"
    TRANSPARENT = "transparent"
    TINY = "tiny"
    SAME_COLOUR = "same_colour"
    COVERED = "covered"
    CLIPPED = "clipped"
    OFF_PAGE = "off_page"
    LAYER_OFF = "layer_off"
    DELETED = "deleted"


LINE_END_HYPHEN = "line_end_hyphen"
"""Hyphens that only divided a word at the end of a line: the word is in the tree in one piece."""
REPEATED_HEADER = "repeated_header"
"""The header of a table that stands on each of its pages again: the tree has it once."""
OVERPRINT = "overprint"
"""Copies of text painted at the same place for a shadow, a bold look or an outline: the tree has the text once."""
REPLACED = "replaced"
"""Characters of a text layer in whose place the tree has what a recogniser read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterCount:
    """`excluded` by reason, the names of `Unseen` among them."""

    painted: int = 0
    placed: int = 0
    excluded: dict[str, int] = field(default_factory=dict)
    lost: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcludedPlace:
    """Place of characters outside all visible blocks; `bbox` in points of the page, null beyond its edges."""

    reason: str
    characters: int
    bbox: Bbox | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LostPlace:
    """Place of characters that the tree should have but lacks; `bbox` is null when only their number is known."""

    characters: int
    bbox: Bbox | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanCoverage:
    """Dark connected components of letter size on a recognised page, and the number inside recognised text."""

    components: int
    covered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCoverage:
    """Coverage of one page; `judged` is false when the characters could not be counted."""

    number: int
    characters: CharacterCount = field(default_factory=CharacterCount)
    excluded: tuple[ExcludedPlace, ...] = ()
    lost: tuple[LostPlace, ...] = ()
    scan: ScanCoverage | None = None
    judged: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureCoverage:
    """Pictures of the tree, how many of them carry text, and how many were looked at by a recogniser."""

    shown: int = 0
    with_text: int = 0
    recognised: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The statement of a document. `complete`: every page was judged, nothing is lost, and the file is not damaged.

    `unknown`: pages unjudged.
    """

    characters: CharacterCount
    pages: tuple[PageCoverage, ...]
    pictures: PictureCoverage
    complete: bool
    unknown: tuple[int, ...] = ()


def add_counts(counts: Iterable[CharacterCount]) -> CharacterCount:
    """Return the sum of the counts of all pages."""
    counts = tuple(counts)
    if len(counts) == 1:
        return counts[0]
    painted = placed = lost = 0
    excluded: dict[str, int] = {}
    for count in counts:
        painted, placed, lost = painted + count.painted, placed + count.placed, lost + count.lost
        for reason, number in count.excluded.items():
            excluded[reason] = excluded.get(reason, 0) + number
    return CharacterCount(painted=painted, placed=placed, excluded=dict(sorted(excluded.items())), lost=lost)


def add_scans(stated: Coverage) -> ScanCoverage | None:
    """Return the ink counts of all recognised pages together, or None if no page was recognised."""
    scans = [page.scan for page in stated.pages if page.scan is not None]
    if not scans:
        return None
    return ScanCoverage(components=sum(scan.components for scan in scans), covered=sum(scan.covered for scan in scans))


def unknown_coverage(page_numbers: Iterable[int]) -> Coverage:
    """Return the coverage of a tree that was stored without one: every page is unjudged."""
    pages = tuple(PageCoverage(number=number, judged=False) for number in page_numbers)
    return Coverage(
        characters=CharacterCount(),
        pages=pages,
        pictures=PictureCoverage(),
        complete=False,
        unknown=tuple(page.number for page in pages),
    )


@cache
def coverage_adapter() -> TypeAdapter[Coverage]:
    """Return the cached pydantic adapter of `Coverage`."""
    return TypeAdapter(Coverage)
