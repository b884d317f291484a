"""Tree → tree without personal data: everything flagged and not explicitly rejected is replaced by a fixed mask.

Default deny: an undecided flag, an unknown decision or a flag without spans masks. Refuses a tree whose scan is missing
or incomplete. Keeps no character and no length of what it masks; link targets, metadata, names of pictures and every
word that came with the file without being read as text (facts.py) go too.
"""

from collections.abc import Mapping
from dataclasses import replace

from quire.models.cdom.flags import PII_PREFIX, is_pii_flag
from quire.models.cdom.table import Cell
from quire.models.cdom.tree import Block, FlagSpan, Span, Tree
from quire.models.pii.errors import PiiIncomplete as PiiIncomplete
from quire.models.pii.facts import clean_block, clean_facts

REJECTED = "rejected"
WHOLE = -1
"""The number of a flag's only place where the flag has no spans: the whole block."""
Decisions = Mapping[tuple[str, str, int], str]
"""(block id, flag, number of the span in the block's `flag_spans`, or `WHOLE`) → pending | approved | rejected."""


def mask(flag: str) -> str:
    """`[REDACTED:<kind>]` for `pii:<kind>`."""
    return f"[REDACTED:{flag.removeprefix(PII_PREFIX)}]"


def require_scan(tree: Tree) -> None:
    """Check that the tree has a completed PII scan.

    Raises:
        PiiIncomplete: The scan is missing or a detector failed in it.
    """
    if tree.pii is None or not tree.pii.complete:
        raise PiiIncomplete("no completed PII scan")


def redact_tree(tree: Tree, decisions: Decisions) -> Tree:
    """Return a copy without personal data. Raises `PiiIncomplete` without a completed scan."""
    require_scan(tree)
    blocks = tuple(clean_block(_redact_block(block, decisions)) for block in tree.blocks)
    labels = {(block.page, block.text): clean.text for block, clean in zip(tree.blocks, blocks, strict=True)}
    return replace(clean_facts(tree, labels), blocks=blocks)


def active_spans(block: Block, decisions: Decisions) -> list[FlagSpan]:
    """Spans to mask. A flag that has none masks every text of the block."""
    spans = [
        span
        for number, span in enumerate(block.flag_spans)
        if is_pii_flag(span.flag) and decisions.get((block.id, span.flag, number)) != REJECTED
    ]
    covered = {span.flag for span in block.flag_spans}
    for flag in block.flags:
        if is_pii_flag(flag) and flag not in covered and decisions.get((block.id, flag, WHOLE)) != REJECTED:
            spans.append(FlagSpan(flag=flag, start=0, end=len(block.text)))
            cells = block.table.cells if block.table is not None else ()
            spans += [FlagSpan(flag=flag, start=0, end=len(c.text), cell=i) for i, c in enumerate(cells)]
    return spans


def _redact_block(block: Block, decisions: Decisions) -> Block:
    active = active_spans(block, decisions)
    if not active:
        return block
    text, moved = mask_spans(block.text, [s for s in active if s.cell is None])
    table = block.table
    if table is not None:
        table = replace(
            table, cells=tuple(_redact_cell(c, [s for s in active if s.cell == i]) for i, c in enumerate(table.cells))
        )
    picture = block.picture
    if picture is not None and table is not None:
        # without the boxes of marks and the axes, a masked number cannot be measured
        table = replace(table, cells=tuple(replace(cell, bbox=None) for cell in table.cells))
        picture = replace(picture, axes=())
    spans = tuple(kept for span in block.spans if (kept := _moved_span(span, moved)) is not None)
    touched = {None} | {span.cell for span in active}
    left = tuple(span for span in block.flag_spans if span.cell not in touched)
    return replace(block, text=text, table=table, picture=picture, spans=spans, flag_spans=left)


def _redact_cell(cell: Cell, spans: list[FlagSpan]) -> Cell:
    if not spans:
        return cell
    text, moved = mask_spans(cell.text, spans)
    kept = (_moved_span(span, moved) for span in cell.spans)
    return replace(cell, text=text, value=None, spans=tuple(span for span in kept if span is not None))


Moved = list[tuple[int, int, int]]
"""Masked ranges of the original as (start, end, length of the mask), in order."""


def mask_spans(text: str, spans: list[FlagSpan]) -> tuple[str, Moved]:
    """Return the text with each span replaced and the moved offsets; overlapping spans merge under the first flag."""
    merged: list[tuple[int, int, str]] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if merged and span.start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], span.end), merged[-1][2])
        else:
            merged.append((span.start, span.end, span.flag))
    parts, position = [], 0
    for start, end, flag in merged:
        parts += [text[position:start], mask(flag)]
        position = end
    return "".join(parts) + text[position:], [(start, end, len(mask(flag))) for start, end, flag in merged]


def _moved_span(span: Span, moved: Moved) -> Span | None:
    """Return the style span in the masked text, or None if nothing of it remains."""
    start, end = _moved_offset(span.start, moved), _moved_offset(span.end, moved)
    if start >= end:
        return None
    return replace(span, start=start, end=end)


def _moved_offset(offset: int, moved: Moved) -> int:
    shift = 0
    for start, end, length in moved:
        if offset >= end:
            shift += length - (end - start)
        elif offset > start:
            return start + shift + length
    return offset + shift
