"""A flagged value as a reviewer sees it: the text around it with the flagged stretches marked."""

from collections.abc import Sequence
from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import Block, FlagSpan


@dataclass(frozen=True, slots=True)
class InContext:
    """`spans` are (start, end) in `text`: the block's own text, or the flagged cells of its table, one a line.

    `bbox` is the cell's where one cell is meant whose place is known, else the block's, on `page` (1-based).
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    page: int
    bbox: Bbox | None


def in_context(block: Block, flagged: Sequence[FlagSpan]) -> InContext:
    """Return the text to decide about; a flag without spans covers the whole text."""
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    cells = block.table.cells if block.table is not None else ()
    fields = _fields(flagged)
    for cell in fields:
        text = block.text if cell is None else cells[cell].text if cells else ""
        offset = sum(len(part) + 1 for part in parts)
        spans += [(offset + s.start, offset + s.end) for s in flagged if s.cell == cell]
        parts.append(text)
    only = fields[0] if len(fields) == 1 else None
    box = cells[only].bbox if only is not None and cells else None
    part = BlockPlaces(block).of_cell(
        only if only is not None else next((cell for cell in fields if cell is not None), None)
    )
    return InContext("\n".join(parts), tuple(spans), part.page, box or part.bbox)


def _fields(flagged: Sequence[FlagSpan]) -> list[int | None]:
    numbers = {span.cell for span in flagged}
    cells = sorted(cell for cell in numbers if cell is not None)
    return ([None] if None in numbers or not cells else []) + cells
