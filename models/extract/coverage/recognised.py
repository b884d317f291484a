"""The statement of a page that was recognised: the words against the blocks, and what became of its text layer."""

from collections.abc import Sequence
from dataclasses import replace

from models.cdom.coverage import (
    LINE_END_HYPHEN,
    REPLACED,
    CharacterCount,
    ExcludedPlace,
    PageCoverage,
    ScanCoverage,
    add_counts,
)
from models.extract.contract import PageBlock
from models.extract.coverage.account import account_page, block_text
from models.extract.coverage.painted import Painted, PaintedLine, strip_blanks


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
