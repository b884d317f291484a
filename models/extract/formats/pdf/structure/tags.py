"""The structure tree of a page as the engine prints it, walked into lines that know their element."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from models.extract.formats.pdf.text.text_lines import clean_glyphs
from models.extract.layout.lines.marks import TaggedLine

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


_TOKEN = re.compile(
    rb"\((?:[^\\()]|\\.)*+\)|<[0-9A-Fa-f\s]*+>|/[^\s/<>\[\]()]*+|\b(?:BDC|BMC|EMC|TJ|Tj)\b|(?<![\w])['\"](?![\w])",
    re.DOTALL,
)
_SHOWS = frozenset({b"Tj", b"TJ", b"'", b'"'})


def find_marked_share(content: bytes) -> float:
    """Share (0..1) of the shown bytes that are marked as part of an element, artifacts apart; 1.0 without text."""
    tagged = loose = shown = 0
    marks: list[str] = []
    names: list[bytes] = []
    for found in _TOKEN.finditer(content):
        token = found.group()
        first = token[:1]
        if first == b"(":
            shown += len(token) - 2
        elif first == b"<":
            shown += (len(token) - 2) // 2
        elif first == b"/":
            names.append(token)
        else:
            if token in _SHOWS:
                tagged += shown if marks and marks[-1] == "tagged" else 0
                loose += 0 if marks and marks[-1] else shown
            elif token == b"EMC":
                del marks[-1:]
            else:
                marks.append(_kind(token, names, marks[-1] if marks else ""))
            names.clear()
            shown = 0
    return tagged / (tagged + loose) if tagged + loose else 1.0


def _kind(operator: bytes, names: list[bytes], around: str) -> str:
    """What text under this mark is: of an element, an artifact, or as what is around it."""
    if b"/Artifact" in names[:1] or around == "artifact":
        return "artifact"
    if operator == b"BDC" and (b"/MCID" in names or (len(names) > 1 and names[0] != b"/OC")):
        return "tagged"
    return around
