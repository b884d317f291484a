"""Coverage of a document: the pages' statements, checked against the blocks of the finished tree."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from quire.models.cdom.coverage import (
    LINE_END_HYPHEN,
    Coverage,
    ExcludedPlace,
    LostPlace,
    PageCoverage,
    PictureCoverage,
    add_counts,
)
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.table import Table
from quire.models.cdom.tree import Block, BlockType, PageStatus, Route
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.coverage.account import count_visible

NO_HYPHENS: Mapping[int, int] = MappingProxyType({})
NOTHING: Mapping[int, Sequence[ExcludedPlace]] = MappingProxyType({})


def count_written(blocks: Iterable[PageBlock | Block]) -> int:
    """Return the number of characters of the blocks that are not blank."""
    return count_visible("".join([_text_of(block.text, block.table) for block in blocks]))


def _text_of(text: str, table: Table | None) -> str:
    return text if table is None else text + "".join([cell.text for cell in table.cells])


def total_coverage(
    pages: Sequence[PageContent],
    blocks: Sequence[Block],
    hyphens: Mapping[int, int] = NO_HYPHENS,
    left_out: Mapping[int, Sequence[ExcludedPlace]] = NOTHING,
    *,
    is_damaged: bool = False,
) -> Coverage:
    """Return the coverage of `pages` by `blocks`; text that assembly dropped or the file does not decode is lost.

    Args:
        pages: Pages with their statements.
        blocks: Blocks of the finished tree.
        hyphens: By page, how many more line-end hyphens assembly kept than the page had (fewer: below 0).
        left_out: By page, text that assembly left out for a reason.
        is_damaged: Whether content of the file is missing, so that nothing is known about its text.
    """
    written = {
        page.number: page.written
        + hyphens.get(page.number, 0)
        - sum(part.characters for part in left_out.get(page.number, ()))
        for page in pages
        if page.written is not None
    }
    dropped = _find_dropped(written, blocks) + _count_undecoded(blocks)
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
        complete=not unknown and not total.lost and not is_damaged,
        unknown=unknown,
    )


def _count_undecoded(blocks: Sequence[Block]) -> Counter[int]:
    """Return by page the number of visible characters of which only a replacement character (U+FFFD) is known."""
    undecoded: Counter[int] = Counter()
    for block in blocks:
        if HIDDEN_TEXT not in block.flags:
            undecoded[block.page] += _text_of(block.text, block.table).count("\ufffd")
    return undecoded


def _find_dropped(written: Mapping[int, int], blocks: Sequence[Block]) -> Counter[int]:
    """Return by page the number of characters that its blocks had and the tree lacks."""
    if len(written) == 1 and all(block.page in written for block in blocks):
        ((number, count),) = written.items()
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
    present = {number: count_visible("".join(own)) for number, own in by_page.items()}
    missing = sum(written.values()) - sum(present.get(number, 0) for number in written)
    dropped: Counter[int] = Counter()
    for number, count in written.items():
        part = min(missing, count - present.get(number, 0))
        if part > 0:
            dropped[number] = part
            missing -= part
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


def _move_hyphens(stated: PageCoverage, moved: int) -> PageCoverage:
    """Count so many line-end hyphens as placed instead of excluded (below 0: the other way round)."""
    moved = min(moved, stated.characters.excluded.get(LINE_END_HYPHEN, 0))
    if not moved:
        return stated
    counts = stated.characters
    excluded = {**counts.excluded, LINE_END_HYPHEN: counts.excluded.get(LINE_END_HYPHEN, 0) - moved}
    excluded = dict(sorted((reason, count) for reason, count in excluded.items() if count))
    parts = list(stated.excluded)
    if moved < 0:
        parts.append(ExcludedPlace(reason=LINE_END_HYPHEN, characters=-moved))
    for _ in range(moved):
        last = max(i for i, part in enumerate(parts) if part.reason == LINE_END_HYPHEN)
        left = parts[last].characters - 1
        parts[last : last + 1] = [replace(parts[last], characters=left)] if left else []
    return replace(
        stated, characters=replace(counts, placed=counts.placed + moved, excluded=excluded), excluded=tuple(parts)
    )


def _exclude(stated: PageCoverage, places: Sequence[ExcludedPlace]) -> PageCoverage:
    """Count text that was placed on the page and then left out for a reason as excluded."""
    if not places:
        return stated
    counts, excluded = stated.characters, dict(stated.characters.excluded)
    applied = []
    for place in places:
        count = min(place.characters, counts.placed)
        counts = replace(counts, placed=counts.placed - count)
        excluded[place.reason] = excluded.get(place.reason, 0) + count
        applied.append(replace(place, characters=count))
    counts = replace(counts, excluded=dict(sorted(excluded.items())))
    return replace(stated, characters=counts, excluded=(*stated.excluded, *applied))


def _count_pictures(pages: Sequence[PageContent], blocks: Sequence[Block]) -> PictureCoverage:
    pictures = [block for block in blocks if block.type is BlockType.PICTURE]
    if not pictures:
        return PictureCoverage()
    recognised = {page.number for page in pages if page.route not in (Route.FAST, Route.NONE)}
    return PictureCoverage(
        shown=len(pictures),
        with_text=sum(bool(block.text or block.table) for block in pictures),
        recognised=sum(block.page in recognised for block in pictures),
    )
