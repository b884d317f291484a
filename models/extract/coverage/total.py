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
from models.cdom.places import BlockPlaces
from models.cdom.table import Table
from models.cdom.tree import Block, BlockType, PageStatus, Route
from models.extract.contract import PageBlock, PageContent
from models.extract.coverage.painted import count_visible

NO_HYPHENS: Mapping[int, int] = MappingProxyType({})
NOTHING: Mapping[int, Sequence[ExcludedPlace]] = MappingProxyType({})


def count_written(blocks: Iterable[PageBlock | Block]) -> int:
    """Characters of the blocks that are not blank."""
    return count_visible("".join([_text_of(block.text, block.table) for block in blocks]))


def _text_of(text: str, table: Table | None) -> str:
    return text if table is None else text + "".join([cell.text for cell in table.cells])


def total_coverage(
    pages: Sequence[PageContent],
    blocks: Sequence[Block],
    hyphens: Mapping[int, int] = NO_HYPHENS,
    left_out: Mapping[int, Sequence[ExcludedPlace]] = NOTHING,
) -> Coverage:
    """What of `pages` is in `blocks`; what assembly dropped counts as lost.

    `hyphens`: by page, how many more hyphens of line ends assembly kept than the page had (fewer: below 0);
    `left_out`: by page, what assembly left out for a reason.
    """
    wanted = {
        page.number: page.written
        + hyphens.get(page.number, 0)
        - sum(place.characters for place in left_out.get(page.number, ()))
        for page in pages
        if page.written is not None
    }
    dropped = _find_dropped(wanted, blocks)
    stated = [
        _state_page(page, left_out.get(page.number, ()), dropped[page.number], hyphens.get(page.number, 0))
        for page in pages
    ]
    unknown = tuple(page.number for page in stated if not page.judged)
    total = add_counts(page.characters for page in stated)
    return Coverage(
        characters=total,
        pages=tuple(stated),
        pictures=_count_pictures(pages, blocks),
        complete=not unknown and not total.lost,
        unknown=unknown,
    )


def _find_dropped(wanted: Mapping[int, int], blocks: Sequence[Block]) -> Counter[int]:
    """Characters by page that its blocks had and the tree has nowhere."""
    if len(wanted) == 1 and all(block.page in wanted for block in blocks):
        ((number, count),) = wanted.items()
        return Counter({number: max(0, count - count_written(blocks))})
    by_page: dict[int, list[str]] = {}
    for block in blocks:
        table = block.table
        if table is None or not table.parts:
            by_page.setdefault(block.page, []).append(_text_of(block.text, table))
            continue
        places = BlockPlaces(block)
        by_page.setdefault(block.page, []).append(block.text)
        for cell in table.cells:
            by_page.setdefault(places.of_row(cell.row).page, []).append(cell.text)
    found = {number: count_visible("".join(own)) for number, own in by_page.items()}
    left = sum(wanted.values()) - sum(found.get(number, 0) for number in wanted)
    dropped: Counter[int] = Counter()
    for number, count in wanted.items():
        part = min(left, count - found.get(number, 0))
        if part > 0:
            dropped[number] = part
            left -= part
    return dropped


def _state_page(page: PageContent, left_out: Sequence[ExcludedPlace], dropped: int, hyphens: int) -> PageCoverage:
    if page.coverage is None or page.status is PageStatus.FAILED:
        return PageCoverage(number=page.number, judged=False)
    stated = _exclude(_move_hyphens(page.coverage, hyphens), left_out)
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


def _exclude(stated: PageCoverage, places: Sequence[ExcludedPlace]) -> PageCoverage:
    """The statement with what was placed on the page and then left out for a reason."""
    if not places:
        return stated
    counts, excluded = stated.characters, dict(stated.characters.excluded)
    kept = []
    for place in places:
        part = min(place.characters, counts.placed)
        counts = replace(counts, placed=counts.placed - part)
        excluded[place.reason] = excluded.get(place.reason, 0) + part
        kept.append(replace(place, characters=part))
    counts = replace(counts, excluded=dict(sorted(excluded.items())))
    return replace(stated, characters=counts, excluded=(*stated.excluded, *kept))


def _count_pictures(pages: Sequence[PageContent], blocks: Sequence[Block]) -> PictureCoverage:
    pictures = [block for block in blocks if block.type is BlockType.PICTURE]
    if not pictures:
        return PictureCoverage()
    recognised = {page.number for page in pages if page.route not in (Route.FAST, Route.NONE)}
    return PictureCoverage(
        shown=len(pictures),
        with_text=sum(bool(block.text) for block in pictures),
        recognised=sum(block.page in recognised for block in pictures),
    )
