"""Plans the removals from a file: turns a tree and its decisions into places and values, for every format.

A value masked in one place is removed everywhere, because readers of the file cannot know that it stays elsewhere. The
exception is a value that a reviewer cleared. Knows no file format.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from quire.models.cdom.flags import HIDDEN_TEXT, is_pii_flag
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import Block, FlagSpan, Tree
from quire.models.pii.cells import find_cell_place
from quire.models.pii.letters import letters
from quire.models.pii.redact import Decisions, active_spans, require_scan

Reread = Callable[[bytes], Tree]
"""Reads a produced file with our own reader."""
LEAST_LETTERS = 3
"""Letters and figures from which a value is searched outside its place: "AG" occurs in too many words."""


@dataclass(frozen=True, slots=True)
class MaskedPlace:
    """A text of the tree on a page (1-based) at `bbox`, with the stretches of it that go. `whole`: all of it goes.

    `everything`: all characters at `bbox` go.
    """

    page: int
    bbox: Bbox | None
    text: str
    spans: tuple[tuple[int, int], ...]
    whole: bool = False
    everything: bool = False


@dataclass(frozen=True)
class RedactionPlan:
    """Values to remove everywhere, cleared values (`kept`, as letters), and the places to search first."""

    places: tuple[MaskedPlace, ...]
    values: tuple[str, ...]
    kept: frozenset[str]

    @cached_property
    def needles(self) -> frozenset[str]:
        """The values as letters, as they must not be found again."""
        folded_values = {letters(value) for value in self.values}
        return frozenset(folded for folded in folded_values if len(folded) >= LEAST_LETTERS and folded not in self.kept)

    def extended(self, values: Iterable[str]) -> "RedactionPlan":
        """Return the plan with further values seen in the file; itself if none is new."""
        new = tuple(value for value in values if letters(value) not in self.needles)
        return replace(self, values=self.values + new) if new else self


def plan_redaction(tree: Tree, decisions: Decisions) -> RedactionPlan:
    """Plan which values to mask and where.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
    """
    require_scan(tree)
    places: list[MaskedPlace] = []
    values: dict[str, None] = {}
    kept: set[str] = set()
    for block in tree.blocks:
        active = active_spans(block, decisions)
        places += _places(block, active)
        for span in active:
            values[_text(block, span)[span.start : span.end]] = None
        chosen = set(active)
        for span in block.flag_spans:
            if is_pii_flag(span.flag) and span not in chosen:
                kept.add(letters(_text(block, span)[span.start : span.end]))
    return RedactionPlan(tuple(places), tuple(values), frozenset(kept))


def _places(block: Block, active: list[FlagSpan]) -> list[MaskedPlace]:
    if HIDDEN_TEXT in block.flags and block.text:
        return [MaskedPlace(block.page, block.bbox, block.text, ((0, len(block.text)),), whole=True)]
    masked_places = []
    own = tuple((s.start, s.end) for s in active if s.cell is None)
    if own:
        masked_places.append(MaskedPlace(block.page, block.bbox, block.text, own))
    table, places = block.table, BlockPlaces(block)
    for index, cell in enumerate(table.cells if table is not None else ()):
        spans = tuple((s.start, s.end) for s in active if s.cell == index)
        if spans and table is not None:
            masked_places.append(MaskedPlace(*find_cell_place(places, table, index), cell.text, spans))
    if masked_places and block.picture is not None:
        # without the numbers of its axis, the bar below a masked number cannot be measured
        masked_places.append(MaskedPlace(block.page, block.bbox, "", (), everything=True))
    return masked_places


def _text(block: Block, span: FlagSpan) -> str:
    return block.text if span.cell is None or block.table is None else block.table.cells[span.cell].text
