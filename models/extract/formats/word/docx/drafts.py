"""Styled pieces joined to text with spans."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from quire.models.cdom.tree import Span
from quire.models.extract.formats.flow.blocks import make_span, show_script
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
