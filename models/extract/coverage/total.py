"""The statement of a document: the pages' statements, checked once more against the blocks of the finished tree."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from models.cdom.coverage import (
    LINE_END_HYPHEN,
    Coverage,
    ExcludedPlace,
    LostPlace,
    PageCoverage,
    PictureCoverage,
    add_counts,
)
from models.cdom.table import Table
from models.cdom.tree import Block, BlockType, PageStatus, Route
from models.extract.coverage.painted import strip_blanks
from models.extract.readers.contract import PageBlock, PageContent

NO_HYPHENS: Mapping[int, int] = MappingProxyType({})


def count_written(blocks: Iterable[PageBlock | Block]) -> int:
    """Characters of the blocks that are not blank."""
    return len(strip_blanks("".join([_text_of(block.text, block.table) for block in blocks])))


def _text_of(text: str, table: Table | None) -> str:
    return text if table is None else text + "".join([cell.text for cell in table.cells])


def total_coverage(
    pages: Sequence[PageContent], blocks: Sequence[Block], hyphens: Mapping[int, int] = NO_HYPHENS
) -> Coverage:
    """What of `pages` is in `blocks`; what assembly dropped counts as lost.

    `hyphens`: by page, how many more hyphens of line ends assembly kept than the page had (fewer: below 0).
    """
    dropped = _find_dropped(pages, blocks, hyphens)
    stated = [_state_page(page, dropped[page.number], hyphens.get(page.number, 0)) for page in pages]
    unknown = tuple(page.number for page in stated if not page.judged)
    total = add_counts(page.characters for page in stated)
    return Coverage(
        characters=total,
        pages=tuple(stated),
        pictures=_count_pictures(pages, blocks),
        complete=not unknown and not total.lost,
        unknown=unknown,
    )


def _find_dropped(pages: Sequence[PageContent], blocks: Sequence[Block], hyphens: Mapping[int, int]) -> Counter[int]:
    """Characters by page that its blocks had and the tree has nowhere (a table that goes on may move to its start)."""
    wanted = {page.number: page.written + hyphens.get(page.number, 0) for page in pages if page.written is not None}
    by_page: dict[int, list[Block]] = {}
    for block in blocks:
        by_page.setdefault(block.page, []).append(block)
    found = {number: count_written(own) for number, own in by_page.items()}
    left = sum(wanted.values()) - sum(found.get(number, 0) for number in wanted)
    dropped: Counter[int] = Counter()
    for number, count in wanted.items():
        part = min(left, count - found.get(number, 0))
        if part > 0:
            dropped[number] = part
            left -= part
    return dropped


def _state_page(page: PageContent, dropped: int, hyphens: int) -> PageCoverage:
    stated = page.coverage
    if stated is None or page.status is PageStatus.FAILED:
        return PageCoverage(number=page.number, judged=False)
    stated = _move_hyphens(stated, hyphens)
    part = min(dropped, stated.characters.placed)
    if not part:
        return stated
    counts = stated.characters
    return replace(
        stated,
        characters=replace(counts, placed=counts.placed - part, lost=counts.lost + part),
        lost=(*stated.lost, LostPlace(characters=part)),
    )


def _move_hyphens(stated: PageCoverage, kept: int) -> PageCoverage:
    """The statement with so many hyphens of line ends placed instead of excluded (the other way round: below 0)."""
    kept = min(kept, stated.characters.excluded.get(LINE_END_HYPHEN, 0))
    if not kept:
        return stated
    counts = stated.characters
    excluded = {**counts.excluded, LINE_END_HYPHEN: counts.excluded.get(LINE_END_HYPHEN, 0) - kept}
    excluded = dict(sorted((reason, count) for reason, count in excluded.items() if count))
    places = list(stated.excluded)
    if kept < 0:
        places.append(ExcludedPlace(reason=LINE_END_HYPHEN, characters=-kept))
    for _ in range(kept):
        last = max(at for at, place in enumerate(places) if place.reason == LINE_END_HYPHEN)
        left = places[last].characters - 1
        places[last : last + 1] = [replace(places[last], characters=left)] if left else []
    return replace(
        stated, characters=replace(counts, placed=counts.placed + kept, excluded=excluded), excluded=tuple(places)
    )


def _count_pictures(pages: Sequence[PageContent], blocks: Sequence[Block]) -> PictureCoverage:
    recognised = {page.number for page in pages if page.route not in (Route.FAST, Route.NONE)}
    pictures = [block for block in blocks if block.type is BlockType.PICTURE]
    return PictureCoverage(
        shown=len(pictures),
        with_text=sum(bool(block.text) for block in pictures),
        recognised=sum(block.page in recognised for block in pictures),
    )
