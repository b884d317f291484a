"""The structure tree of a page as the engine prints it, walked into lines that know their element."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from models.extract.formats.pdf.text.text_lines import clean_glyphs
from models.extract.layout.lines.tagged import TaggedLine

STRUCTURE_SCALE = 100.0
"""The engine prints whole numbers: hundredths of a point are fine enough."""
_ELEMENTS = frozenset(
    {"P", "LI", "Caption", "Note", "FENote", "Code", "BlockQuote", "TOCI", "Figure", "Form", "Formula", "TD", "TH"}
)
_HEADINGS = frozenset({"H", "H1", "H2", "H3", "H4", "H5", "H6", "Title"})
_CELLS = frozenset({"TD", "TH"})
_CLOSED = frozenset({"TOCI", "Figure", "Form", "Formula", "Code", "TD", "TH"})
"""Elements that are one, whatever is tagged inside them."""
_HOLDS_PARAGRAPHS = frozenset({"Caption", "Note", "FENote", "LI"})
"""Elements whose paragraphs are their own text."""


@dataclass(frozen=True, slots=True)
class _TagPlace:
    """Where the walk is: the element around it and what it is part of."""

    element: int = 0
    role: str = ""
    depth: int = 0
    table: int = 0
    row: int = 0
    column: int = 0


def read_tagged_lines(printed: bytes) -> list[TaggedLine]:
    """The tagged lines of a page from the engine's JSON; empty when it cannot be understood."""
    try:
        blocks = json.loads(printed.decode("utf-8", "replace"), strict=False)["blocks"]
        return list(_TagWalk().lines(blocks))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


class _TagWalk:
    """Counts elements, tables and rows on the way down the tree, without recursion."""

    def __init__(self) -> None:
        self._elements = self._tables = self._rows = 0

    def lines(self, blocks: list[dict[str, Any]]) -> Iterator[TaggedLine]:
        stack: list[tuple[dict[str, Any], _TagPlace]] = [(block, _TagPlace()) for block in reversed(blocks)]
        while stack:
            block, place = stack.pop()
            if block["type"] == "structure":
                inside = self._enter(block, place)
                stack += [(child, inside) for child in reversed(block["contents"])]
            elif block["type"] == "text" and place.role:
                yield from (_tagged_line(line, place) for line in block["lines"])

    def _enter(self, block: dict[str, Any], place: _TagPlace) -> _TagPlace:
        role = str(block["std"])
        if place.role in _CLOSED and not (place.role in _CELLS and role == "Table"):
            return place
        if role in _HEADINGS or (role in _ELEMENTS and not (role == "P" and place.role in _HOLDS_PARAGRAPHS)):
            self._elements += 1
            column = int(block["index"]) if role in _CELLS else place.column
            return replace(place, element=self._elements, role=role, column=column)
        if role == "Table":
            self._tables += 1
            return replace(place, table=self._tables)
        if role == "TR":
            self._rows += 1
            return replace(place, row=self._rows)
        return replace(place, depth=place.depth + 1) if role == "L" else place


def _tagged_line(line: dict[str, Any], place: _TagPlace) -> TaggedLine:
    box = line["bbox"]
    x0, y0 = box["x"] / STRUCTURE_SCALE, box["y"] / STRUCTURE_SCALE
    return TaggedLine(
        box=(x0, y0, x0 + box["w"] / STRUCTURE_SCALE, y0 + box["h"] / STRUCTURE_SCALE),
        text=clean_glyphs(line["text"]),
        element=place.element,
        role=place.role,
        depth=place.depth,
        table=place.table,
        row=place.row,
        column=place.column,
    )
