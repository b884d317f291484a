"""Separates labels of list items that become Markdown marks from those that stay in the text."""

import re
from dataclasses import dataclass

from quire.models.cdom.tree import Block, BlockType, Span
from quire.models.export.markdown_inline import cut_spans, inline_item

_BULLET = re.compile(r"^[•●○◦▪■□▫‣⁃∙·◆◇►▶➤➢⮚❖❑❏*–—\-\uf06c\uf06e\uf071\uf076\uf09f\uf0a7\uf0a8\uf0b7\uf0d8\uf0fc]\s*")
_CHECK = re.compile(r"^([☐☑☒])\s*")
_GENERATED_LABEL = re.compile(r"^\(?((?:\d{1,9}|([A-Za-z])\2{0,2}|[ivxlcdmIVXLCDM]{2,8})(?:\.\d{1,9})*)[.)]+\s+")
_LEGAL_LABEL = re.compile(r"^(\d{1,9}(?:\.\d{1,9})+)\s+")
"""A number of several levels without a full stop after it."""
_GENERATED_BULLET = "• "
"""Before items whose words look like a number."""
_BEFORE_I = 8
"""Items before the letter i. A Roman list has viii there and restarts at i only by coincidence."""
_PRINTED_LABEL = re.compile(r"^(\d{1,9})([.)])\s+")


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A list item's mark (`-`, `3.`), the number it counts (None = bullet) and its text as Markdown."""

    mark: str
    number: int | None
    text: str


def read_item(block: Block, level: int, last: int | None) -> ListEntry:
    """Read an item; `last` is the number of the item before.

    Labels shown on a page stay unchanged. Generated labels become numbers when the item's depth implies the rest.
    """
    text, spans = block.text, block.spans
    if match := _CHECK.match(text):
        shown = inline_item(*_after(text, spans, match.end()))
        return ListEntry("-", None, f"[{' ' if match.group(1) == '☐' else 'x'}] {shown}")
    if block.type is BlockType.CHECKBOX:
        return ListEntry("-", None, inline_item(text, spans))
    return _read_printed(text, spans) if block.bbox is not None else _read_generated(text, spans, level, last)


def after_bullet(text: str) -> int:
    """Return the start of an item's text, after the bullet that a page shows; 0 without one."""
    bullet = _BULLET.match(text)
    return bullet.end() if bullet else 0


def has_label(text: str) -> bool:
    """Return True when an item begins with its number, letter or Roman numeral."""
    return (_GENERATED_LABEL.match(text) or _LEGAL_LABEL.match(text)) is not None


def _read_printed(text: str, spans: tuple[Span, ...]) -> ListEntry:
    if match := _PRINTED_LABEL.match(text):
        number, end = match.groups()
        return ListEntry(number + end, int(number), inline_item(*_after(text, spans, match.end())))
    return ListEntry("-", None, inline_item(*_after(text, spans, after_bullet(text))))


def _read_generated(text: str, spans: tuple[Span, ...], level: int, last: int | None) -> ListEntry:
    if text.startswith(_GENERATED_BULLET):
        return ListEntry("-", None, inline_item(*_after(text, spans, len(_GENERATED_BULLET))))
    label = _GENERATED_LABEL.match(text) or _LEGAL_LABEL.match(text)
    parts = label.group(1).split(".") if label else []
    if label is None or len(parts) not in (1, level):
        return ListEntry("-", None, inline_item(text, spans))
    number = _number_of(parts[-1], last)
    return ListEntry(f"{number}.", number, inline_item(*_after(text, spans, label.end())))


def _after(text: str, spans: tuple[Span, ...], cut: int) -> tuple[str, tuple[Span, ...]]:
    return text[cut:], cut_spans(spans, cut)


def _number_of(label: str, last: int | None) -> int:
    """Return the number of a label: itself, else the one after `last`, else the place of its letter."""
    if label.isdigit():
        return int(label)
    if last is not None and (label.lower() not in ("a", "i") or (label in "iI" and last == _BEFORE_I)):
        return last + 1
    return 1 if len(label) > 1 or label in "iI" else ord(label.lower()) - ord("a") + 1
