"""Styled pieces joined to text with spans, and blocks flattened to the text of a cell or a note."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from quire.models.cdom.tree import BlockType, Span
from quire.models.extract.formats.flow.blocks import BULLET, FlowBlock, flatten_table, make_span, show_script
from quire.models.extract.formats.word.docx.pieces import PLAIN_FORMAT, Text


def join_text(pieces: Iterable[Text], *, prefix: str = "", keep_indent: bool = False) -> tuple[str, tuple[Span, ...]]:
    """Return text and spans of styled pieces without outer white space, after an unstyled `prefix`."""
    groups = groupby(
        pieces, key=lambda piece: replace(piece.format, hidden=False) if piece.format.hidden else piece.format
    )
    runs = [("".join(piece.text for piece in group), look) for look, group in groups]
    runs = [(show_script(text, look) if look.superscript or look.subscript else text, look) for text, look in runs]
    full_text = "".join(text for text, _ in runs)
    text = full_text.strip("\n").rstrip() if keep_indent else full_text.strip()
    shift = len(prefix) - full_text.find(text) if text else 0
    spans: list[Span] = []
    offset = 0
    for run, run_format in runs:
        start, end = max(offset + shift, len(prefix)), min(offset + len(run) + shift, len(prefix) + len(text))
        offset += len(run)
        if run_format != PLAIN_FORMAT and end > start and run.strip():
            spans.append(make_span(start, end, run_format))
    return prefix + text if text else "", tuple(spans)


def move_spans(spans: Iterable[Span], by: int) -> tuple[Span, ...]:
    """Return the spans moved `by` characters."""
    return tuple(replace(span, start=span.start + by, end=span.end + by) for span in spans)


@dataclass(slots=True)
class Flat:
    """Blocks as one text for a cell, a note or a header; `children` remain separate blocks."""

    text: str
    spans: tuple[Span, ...]
    children: list[FlowBlock]


def flatten(drafts: list[FlowBlock]) -> Flat:
    """Return one line per block.

    Nested tables become lines of cells and a child. Pictures and flagged blocks become children only.
    """
    text = ""
    spans: list[Span] = []
    children: list[FlowBlock] = []
    child_ids: set[int] = set()
    for draft in drafts:
        nested = draft.parent is not None and id(draft.parent) in child_ids
        if draft.type in (BlockType.PICTURE, BlockType.TABLE) or draft.flags:
            children.append(draft)
            child_ids.add(id(draft))
        line = "" if nested else _line_of(draft)
        if not line:
            continue
        text += "\n" if text else ""
        bullet = len(BULLET) if draft.bullet else 0
        spans += move_spans(draft.spans, len(text) + bullet)
        text += line
    return Flat(text, tuple(spans), children)


def _line_of(draft: FlowBlock) -> str:
    if draft.flags or draft.type is BlockType.PICTURE:
        return ""
    if draft.table is not None:
        return flatten_table(draft.table)
    text = f"${draft.text}$" if draft.type is BlockType.FORMULA and draft.text else draft.text
    return (BULLET if draft.bullet else "") + text if text else ""
