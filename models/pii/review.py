"""A flagged block as a reviewer sees it: its text with the flagged stretches marked. Block in, values out."""

from dataclasses import dataclass

from models.cdom.tree import Block


@dataclass(frozen=True, slots=True)
class InContext:
    """`spans` are (start, end) in `text`: the block's own text, or the flagged cells of its table, one a line."""

    text: str
    spans: tuple[tuple[int, int], ...]


def in_context(block: Block, flag: str) -> InContext:
    """What to decide about. A flag without places covers the whole text."""
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    for cell in _fields(block, flag):
        text = block.text if cell is None else block.table.cells[cell].text if block.table is not None else ""
        at = sum(len(part) + 1 for part in parts)
        spans += [(at + s.start, at + s.end) for s in block.flag_spans if s.flag == flag and s.cell == cell]
        parts.append(text)
    return InContext("\n".join(parts), tuple(spans))


def _fields(block: Block, flag: str) -> list[int | None]:
    flagged = {span.cell for span in block.flag_spans if span.flag == flag}
    cells = sorted(cell for cell in flagged if cell is not None)
    return ([None] if None in flagged or not cells else []) + cells
